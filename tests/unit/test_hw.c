/* Names to perf_event_attr on machines made up here; the page protocol on a page made up here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The counter that RDPMC reads, and what happens between the two looks at the page's lock. */
static struct perf_event_mmap_page made_up;
static uint64_t pmc[2];
static unsigned n_reads, last_counter;
static void (*meanwhile)(void);

static uint64_t read_counter(uint32_t number)
{
	uint64_t value;

	last_counter = number;
	n_reads++;
	value = pmc[number];
	if (meanwhile)
		meanwhile();
	return value;
}

#define SPMU_RDPMC(number) read_counter(number)
#include <softpmu/page.h>

#include "hw/events.h"
#include "hw/sysfs.h"

static void set_up_page(unsigned index, unsigned width, int64_t offset)
{
	memset(&made_up, 0, sizeof(made_up));
	made_up.cap_user_rdpmc = 1;
	made_up.index = index;
	made_up.pmc_width = (uint16_t)width;
	made_up.offset = offset;
	n_reads = 0;
	meanwhile = NULL;
}

static void a_page_gives_offset_and_counter(void **state)
{
	uint64_t value;

	set_up_page(2, 40, 1000);
	pmc[1] = 234;
	assert_true(spmu_page_read(&made_up, &value));
	assert_int_equal(value, 1234);
	assert_int_equal(last_counter, 1);
}

static void the_top_bit_of_the_counter_is_its_sign(void **state)
{
	uint64_t value;

	/* the kernel sets a counter to -period: 32 bits of P6, 40, 48 */
	for (unsigned width = 32; width <= 48; width += 8) {
		set_up_page(1, width, 0x80000000);
		pmc[0] = (UINT64_C(1) << width) - 0x80000000 + 7;
		assert_true(spmu_page_read(&made_up, &value));
		assert_int_equal(value, 7);
	}
	/* bits above the width are somebody else's */
	set_up_page(1, 32, 5);
	pmc[0] = UINT64_C(0xff00000010);
	assert_true(spmu_page_read(&made_up, &value));
	assert_int_equal(value, 0x15);
}

static void a_count_goes_on_when_the_counter_wraps(void **state)
{
	uint64_t before, after;

	set_up_page(1, 40, 0x7fffffff);
	pmc[0] = (UINT64_C(1) << 40) - 1; /* one before zero */
	assert_true(spmu_page_read(&made_up, &before));
	pmc[0] = 1;
	assert_true(spmu_page_read(&made_up, &after));
	assert_int_equal(after - before, 2);
	assert_int_equal(spmu_page_sum(-1, 1, 64), 0); /* 2^64 wraps as the kernel's sum does */
	assert_int_equal(spmu_page_sum(INT64_MAX, 1, 40), UINT64_C(1) << 63);
}

/* The kernel takes the event off its counter and puts it on the other one. */
static void move_event(void)
{
	meanwhile = NULL;
	made_up.lock += 2;
	made_up.index = 2;
	made_up.offset = 5000;
	pmc[1] = 6;
}

static void a_change_in_the_middle_is_read_again(void **state)
{
	uint64_t value;

	set_up_page(1, 40, 1000);
	pmc[0] = 1;
	meanwhile = move_event;
	assert_true(spmu_page_read(&made_up, &value));
	assert_int_equal(value, 5006);
	assert_int_equal(n_reads, 2);
}

/* The kernel is in the middle of a change while we look; when we look again, it is done. */
static void finish_change(void)
{
	meanwhile = NULL;
	made_up.lock++;
	made_up.offset = 2000;
}

static void a_page_that_is_being_written_is_not_believed(void **state)
{
	uint64_t value;

	set_up_page(1, 40, 1);
	pmc[0] = 3;
	made_up.lock = 7;
	meanwhile = finish_change;
	assert_true(spmu_page_read(&made_up, &value));
	assert_int_equal(value, 2003);
}

static void what_is_on_no_counter_is_not_read(void **state)
{
	uint64_t value;

	set_up_page(0, 40, 77);
	assert_false(spmu_page_read(&made_up, &value));
	set_up_page(1, 40, 77);
	made_up.cap_user_rdpmc = 0;
	assert_false(spmu_page_read(&made_up, &value));
	set_up_page(1, 0, 77); /* no width: nothing to extend */
	assert_false(spmu_page_read(&made_up, &value));
	set_up_page(1, 65, 77);
	assert_false(spmu_page_read(&made_up, &value));
	assert_int_equal(n_reads, 0);
}

/* ---- names ---------------------------------------------------------------------------------- */

static struct hw_machine machine_of(const char *cpu)
{
	struct hw_machine m = {.name = "TestVendor-6-1-0",
			       .cpu = cpu ? cat_find_cpu(cpu) : NULL,
			       .has_tried_pfm = true};

	return m;
}

static struct hw_event event_of(const char *cpu, const char *text)
{
	struct hw_machine m = machine_of(cpu);
	struct hw_event e;
	struct spmu_error err = {0};

	if (hw_parse_event(&m, text, false, &e, &err))
		fail_msg("%s: %s", text, err.text);
	return e;
}

static const char *refusal_of(const char *cpu, const char *text)
{
	static struct spmu_error err;
	struct hw_machine m = machine_of(cpu);
	struct hw_event e;

	assert_int_equal(hw_parse_event(&m, text, false, &e, &err), -SPMU_EINVAL);
	return err.text;
}

static void perf_names_are_perf_events(void **state)
{
	struct hw_event e = event_of(NULL, "instructions");

	assert_int_equal(e.type, PERF_TYPE_HARDWARE);
	assert_int_equal(e.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_true(e.user && !e.kernel && !e.hypervisor);
	assert_string_equal(e.meaning->name, "INST_RETIRED");
	e = event_of(NULL, "Task-Clock");
	assert_int_equal(e.type, PERF_TYPE_SOFTWARE);
	assert_true(e.is_clock);
	e = event_of("pentium3", "L1-dcache-load-misses:k");
	assert_int_equal(e.type, PERF_TYPE_HW_CACHE);
	assert_int_equal(e.config, PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_RESULT_MISS << 16);
	assert_true(!e.user && e.kernel);
	e = event_of(NULL, "LLC-stores");
	assert_int_equal(e.config, PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_WRITE << 8);
	e = event_of(NULL, "r01c2:uk");
	assert_int_equal(e.type, PERF_TYPE_RAW);
	assert_int_equal(e.config, 0x1c2);
	assert_true(e.user && e.kernel);
	/* on a processor of today perf's cache events are others than P6's */
	e = event_of(NULL, "cache-misses");
	assert_null(e.meaning);
}

static void a_p6_has_its_own_events(void **state)
{
	struct hw_event e = event_of("pentium3", "l2_ld:m:e");

	assert_int_equal(e.type, PERF_TYPE_RAW);
	assert_int_equal(e.config & 0xff84ffff, 0x0c29);
	assert_string_equal(e.meaning->name, "L2_LD");
	assert_true(e.user && !e.kernel);
	e = event_of("pentiumpro", "uops_retired:c=2:i:u");
	assert_int_equal(e.config & 0xff84ffff, 0x028000c2);
	assert_null(e.meaning); /* clocks in which fewer retired, not uops */
	e = event_of("pentium3", "inst_retired:k");
	assert_true(!e.user && e.kernel);
	e = event_of("pentium3", "inst_retired:u:k");
	assert_true(e.user);
	assert_non_null(strstr(refusal_of("pentiumpro", "mmx_instr_exec"), "pentium2"));
}

static void a_pentium_has_codes_per_counter(void **state)
{
	struct hw_event e = event_of("pentium-mmx", "0x2b:c1");

	assert_int_equal(e.type, PERF_TYPE_RAW);
	assert_int_equal(e.config, 0x22b);
	e = event_of("pentium", "DATA_READ_MISS");
	assert_int_equal(e.config, e.meaning->code);
	e = event_of("pentium", "DATA_READ_MISS:clk");
	assert_int_equal(e.config >> 16, 2);
	assert_null(e.meaning);
	e = event_of("pentium", "TIME_STAMP_COUNTER");
	assert_int_equal(e.type, PERF_TYPE_HARDWARE);
	assert_int_equal(e.config, PERF_COUNT_HW_CPU_CYCLES);
}

static void a_later_processor_counts_what_means_the_same(void **state)
{
	struct hw_event e = event_of(NULL, "inst_retired");

	assert_int_equal(e.type, PERF_TYPE_HARDWARE);
	assert_int_equal(e.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_string_equal(e.name, "inst_retired");
	e = event_of(NULL, "BR_MISS_PRED_RETIRED:u");
	assert_int_equal(e.config, PERF_COUNT_HW_BRANCH_MISSES);
	e = event_of(NULL, "0xc0");
	assert_int_equal(e.config, PERF_COUNT_HW_INSTRUCTIONS);
	assert_non_null(strstr(refusal_of(NULL, "l2_ld"), "means the same"));
	assert_non_null(
	    strstr(refusal_of(NULL, "dcu_lines_in"), "nearest is L1-dcache-load-misses"));
	assert_non_null(strstr(refusal_of(NULL, "CODE_TLB_MISS"), "nearest is iTLB-load-misses"));
	assert_non_null(strstr(refusal_of(NULL, "INST_RETIRED:c=1"), "means the same"));
	assert_non_null(strstr(refusal_of(NULL, "inst_retird"), "did you mean INST_RETIRED?"));
	assert_non_null(strstr(refusal_of(NULL, "instructionz"), "did you mean instructions?"));
}

static void lists_have_groups(void **state)
{
	struct hw_machine m = machine_of("pentium3");
	struct hw_events list = {0};
	struct spmu_error err;

	assert_int_equal(
	    hw_parse_events(&m, " cycles, {instructions,l2_ld:i}:k,cpu/event=0xc0,umask=0/,{r43}",
			    false, &list, &err),
	    0);
	assert_int_equal(list.n, 5);
	assert_int_equal(list.event[0].group, -1);
	assert_int_equal(list.event[1].group, 0);
	assert_true(list.event[1].kernel && !list.event[1].user);
	assert_string_equal(list.event[2].name, "l2_ld:i:k");
	assert_int_equal(list.event[3].config & 0xffff, 0xc0);
	assert_int_equal(list.event[4].group, 1);
	hw_events_free(&list);
	for (const char *const *bad =
		 (const char *const[]){"", "cycles,", "{cycles", "{a,{b}}", "cycles}", "{cycles}:q",
				       "cycles{instructions}", NULL};
	     *bad; bad++) {
		assert_int_equal(hw_parse_events(&m, *bad, false, &list, &err), -SPMU_EINVAL);
		hw_events_free(&list);
	}
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A PMU of two files of format and one event, as the kernel shows them. */
static void terms_go_where_the_kernel_says(void **state)
{
	char root[] = "/tmp/test_hw.XXXXXX", path[200], terms[100];
	static const struct {
		const char *file, *text;
	} files[] = {{"type", "12\n"},
		     {"format/event", "config:0-7,32-35\n"},
		     {"format/umask", "config:8-15\n"},
		     {"format/inv", "config:23\n"},
		     {"format/far", "config1:0-63\n"},
		     {"format/odd", "nonsense\n"},
		     {"events/misses", "event=0x2e,umask=0x41\n"}};
	static const struct {
		const char *terms;
		int rc;
		uint64_t config, config1;
	} cases[] = {{"event=0x1c0,umask=1", 0, 0x1000001c0, 0},
		     {"misses,inv", 0, 0x80412e, 0},
		     {"config=0x1c2,far=0xffffffffffffffff", 0, 0x1c2, UINT64_MAX},
		     {"config1=7,name=x", 0, 0, 7},
		     {"umask=0x100", -SPMU_EINVAL, 0, 0},
		     {"odd=1", -SPMU_EINVAL, 0, 0},
		     {"event=", -SPMU_EINVAL, 0, 0},
		     {"event=1,,inv", -SPMU_EINVAL, 0, 0},
		     {"nothing", -SPMU_EINVAL, 0, 0},
		     {"config3=1", -SPMU_EINVAL, 0, 0}};
	struct spmu_error err;

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s/%s", root,
			 (const char *[]){"cpu", "cpu/format", "cpu/events", "no"}[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/cpu/%s", root, files[i].file);
		put_file(path, files[i].text);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hw_event e = {.name = "e"};

		strcpy(terms, cases[i].terms);
		err.text[0] = 0;
		assert_int_equal(hw_sysfs_event(root, "cpu", terms, &e, &err), cases[i].rc);
		if (cases[i].rc) {
			assert_true(err.text[0]);
			continue;
		}
		assert_int_equal(e.type, 12);
		assert_int_equal(e.config, cases[i].config);
		assert_int_equal(e.config1, cases[i].config1);
	}
	strcpy(terms, "event=1");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(hw_sysfs_event(root, (const char *[]){"gpu", "no", "..", ""}[i],
						terms, &(struct hw_event){0}, &err),
				 -SPMU_ENOENT);
	for (size_t i = sizeof(files) / sizeof(files[0]); i-- > 0;) {
		snprintf(path, sizeof(path), "%s/cpu/%s", root, files[i].file);
		remove(path);
	}
	for (size_t i = 5; i-- > 0;) {
		snprintf(path, sizeof(path), "%s/%s", root,
			 (const char *[]){"", "cpu", "cpu/format", "cpu/events", "no"}[i]);
		assert_int_equal(rmdir(path), 0);
	}
}

static void signatures_find_their_processor(void **state)
{
	assert_string_equal(hw_cpu_of("GenuineIntel", 6, 7, 3)->name, "pentium3");
	assert_string_equal(hw_cpu_of("GenuineIntel", 6, 1, 2)->name, "pentiumpro-150-256k");
	assert_string_equal(hw_cpu_of("GenuineIntel", 5, 4, 9)->name, "pentium-mmx");
	assert_null(hw_cpu_of("GenuineIntel", 6, 158, 1));
	assert_null(hw_cpu_of("AuthenticAMD", 6, 7, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_page_gives_offset_and_counter),
	    cmocka_unit_test(the_top_bit_of_the_counter_is_its_sign),
	    cmocka_unit_test(a_count_goes_on_when_the_counter_wraps),
	    cmocka_unit_test(a_change_in_the_middle_is_read_again),
	    cmocka_unit_test(a_page_that_is_being_written_is_not_believed),
	    cmocka_unit_test(what_is_on_no_counter_is_not_read),
	    cmocka_unit_test(perf_names_are_perf_events),
	    cmocka_unit_test(a_p6_has_its_own_events),
	    cmocka_unit_test(a_pentium_has_codes_per_counter),
	    cmocka_unit_test(a_later_processor_counts_what_means_the_same),
	    cmocka_unit_test(lists_have_groups),
	    cmocka_unit_test(terms_go_where_the_kernel_says),
	    cmocka_unit_test(signatures_find_their_processor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
