/* Registers of the P6 and the way from wires to counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "pmu/count.h"
#include "pmu/p5.h"
#include "pmu/p5_regs.h"
#include "pmu/p6.h"
#include "pmu/p6_regs.h"

static void counters_are_40_bits_and_writes_copy_bit_31(void **state)
{
	struct pmu_p6 p = {0};
	uint64_t value;

	assert_true(pmu_p6_write(&p, P6_MSR_PERFCTR0, 0x80000000u));
	assert_true(pmu_p6_read(&p, P6_MSR_PERFCTR0, &value));
	assert_true(value == UINT64_C(0xff80000000));
	assert_true(pmu_p6_write(&p, P6_MSR_PERFCTR1, 0x7fffffffu));
	assert_true(pmu_p6_rdpmc(&p, 1, &value));
	assert_true(value == 0x7fffffffu);
	assert_false(pmu_p6_rdpmc(&p, 2, &value));
	assert_false(pmu_p6_rdpmc(&p, 0x80000000u, &value));
	assert_false(pmu_p6_write(&p, 0x188, 0));
	assert_false(pmu_p6_write(&p, P6_MSR_PERFEVTSEL0, P6_SEL_ZERO));
}

static void one_enable_bit_runs_both_counters(void **state)
{
	struct pmu_p6 p = {0};

	pmu_p6_add(&p, 1, 5);
	assert_int_equal(p.ctr[1], 0);
	pmu_p6_write(&p, P6_MSR_PERFEVTSEL0, P6_SEL_EN);
	pmu_p6_add(&p, 1, 5);
	assert_int_equal(p.ctr[1], 5);
	pmu_p6_write(&p, P6_MSR_PERFCTR1, 0xffffffffu);
	pmu_p6_add(&p, 1, 3);
	assert_int_equal(p.ctr[1], 2);
	assert_true(p.has_overflowed[1]);
	assert_false(p.has_overflowed[0]);
}

static void p5_select_register_has_reserved_bits_and_is_written_whole(void **state)
{
	struct pmu_p5 p = {0};
	uint64_t value;

	for (unsigned bit = 0; bit < 64; bit++)
		assert_int_equal(pmu_p5_write(&p, P5_MSR_CESR, UINT64_C(1) << bit),
				 bit < 32 && !(0xfc00fc00u >> bit & 1));
	assert_true(pmu_p5_write(&p, P5_MSR_CESR, 0x01b300b3));
	assert_true(pmu_p5_read(&p, P5_MSR_CESR, &value));
	assert_true(value == 0x01b300b3);
	assert_int_equal(pmu_p5_code(&p, 0), 0x33);
	assert_int_equal(pmu_p5_code(&p, 1), 0x33);
	assert_false(pmu_p5_write(&p, P5_MSR_CTR0, UINT64_C(1) << 40));
	assert_false(pmu_p5_read(&p, 0x14, &value));
	assert_false(pmu_p5_rdpmc(&p, 2, &value));
}

static void p5_counters_count_what_cc_says(void **state)
{
	/* two in one clock at level 3, one at level 0 */
	const struct pmu_p5_pulse user = {2, 1, true}, kernel = {1, 1, false};
	const struct {
		uint32_t cc;
		uint64_t want;
	} row[] = {
	    {0, 0},
	    {P5_CESR_CC_CLOCKS, 0},
	    {P5_CESR_CC_CPL3, 2},
	    {P5_CESR_CC_CPL012, 1},
	    {P5_CESR_CC_CPL012 | P5_CESR_CC_CPL3, 3},
	    {P5_CESR_CC_CPL3 | P5_CESR_CC_CLOCKS, 1},
	    {P5_CESR_CC_CPL012 | P5_CESR_CC_CPL3 | P5_CESR_CC_CLOCKS, 2},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		for (unsigned counter = 0; counter < 2; counter++) {
			struct pmu_p5 p = {0};
			uint64_t value;

			pmu_p5_write(&p, P5_MSR_CESR, row[i].cc << P5_CESR_SHIFT(counter));
			pmu_p5_add(&p, counter, &user);
			pmu_p5_add(&p, counter, &kernel);
			assert_true(pmu_p5_rdpmc(&p, counter, &value));
			assert_true(value == row[i].want);
			assert_true(p.ctr[!counter] == 0);
		}
}

static void p5_counters_have_40_bits(void **state)
{
	const struct pmu_p5_pulse pulse = {3, 3, true};
	struct pmu_p5 p = {0};
	uint64_t value;

	pmu_p5_write(&p, P5_MSR_CESR, P5_CESR_CC_CPL3);
	pmu_p5_write(&p, P5_MSR_CTR0, P5_CTR_MASK - 1);
	pmu_p5_add(&p, 0, &pulse);
	assert_true(pmu_p5_read(&p, P5_MSR_CTR0, &value));
	assert_int_equal(value, 1);
	assert_true(p.has_overflowed[0]);
	pmu_p5_write(&p, P5_MSR_CTR0, 0);
	assert_false(p.has_overflowed[0]);
}

static void selects_encode_and_decode(void **state)
{
	struct pmu_select s = {.code = 0x29, .umask = 0x0c, .cmask = 2, .inv = true, .user = true},
			  t = {0};

	assert_int_equal(pmu_p6_encode(&s), 0x02810c29);
	pmu_p6_decode(0x02d70c29, &t);
	assert_int_equal(t.code, 0x29);
	assert_int_equal(t.umask, 0x0c);
	assert_int_equal(t.cmask, 2);
	assert_true(t.inv && t.edge);
	s = (struct pmu_select){.code = 0x16, .user = true};
	assert_int_equal(pmu_p5_encode(&s, 0, false), 0x96);
	assert_int_equal(pmu_p5_encode(&s, 1, true), 0x01960000);
}

static struct pmu_reading count(const char *name, uint8_t umask, const struct wires *w)
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	struct pmu_select s = {
	    .event = cat_find_event(cpu, name, -1), .umask = umask, .user = true};

	assert_non_null(s.event);
	return pmu_count(cpu, &s, w);
}

static unsigned wire(const char *name)
{
	size_t n;
	const struct cat_wire *w = cat_wires(&n);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(w[i].name, name) && w[i].family == CAT_P6)
			return (unsigned)i;
	fail_msg("no wire %s", name);
	return 0;
}

static void unit_masks_add_their_wires(void **state)
{
	static struct wires w;

	memset(&w, 0, sizeof(w));
	memset(w.driven, 1, sizeof(w.driven));
	w.total[wire("l2.ld_m")] = 1;
	w.total[wire("l2.ld_e")] = 10;
	w.total[wire("l2.ld_s")] = 100;
	w.total[wire("l2.ld_i")] = 1000;
	assert_int_equal(count("L2_LD", 0x0f, &w).value, 1111);
	assert_int_equal(count("L2_LD", 0x05, &w).value, 1010);
	assert_int_equal(count("L2_LD", 0x08, &w).value, 1);
	assert_int_equal(count("L2_LD", 0x00, &w).value, 0);
	assert_int_equal(count("L2_LD", 0x00, &w).status, PMU_COUNTED);
	assert_int_equal(count("L2_RQSTS", 0x0f, &w).value, 1111);
}

static void what_has_no_number_says_so(void **state)
{
	static struct wires w;
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	struct pmu_select s = {.code = 0xff, .user = true};

	memset(&w, 0, sizeof(w));
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_UNDEFINED);
	assert_int_equal(count("L2_LD", 0x0f, &w).status, PMU_NOT_MODELLED);
	assert_int_equal(count("L2_LD", 0x00, &w).status, PMU_COUNTED);
	memset(w.driven, 1, sizeof(w.driven));
	s.event = cat_find_event(cpu, "INST_RETIRED", -1);
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_COUNTED);
	s.cmask = 1;
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_NOT_MODELLED);
	s.cmask = 0;
	s.edge = true;
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_NOT_MODELLED);
	s.edge = false;
	s.user = false;
	s.kernel = true;
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_NOT_MODELLED);
}

static void a_processor_without_l2_cannot_have_l2_events(void **state)
{
	static struct wires w;
	const struct cat_cpu *cpu = cat_find_cpu("celeron-covington");
	struct pmu_select s = {.user = true, .umask = 0x0f};

	assert_non_null(cpu);
	memset(&w, 0, sizeof(w));
	s.event = cat_find_event(cpu, "L2_LD", -1);
	assert_non_null(s.event);
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_CANNOT_OCCUR);
}

/* What no user program can cause: drivers of ports, interrupts off, other processors. The wires are
 * driven by hand. */
static void what_user_code_cannot_cause_counts_its_wires(void **state)
{
	static const struct {
		const char *cpu, *event;
		uint8_t umask;
		unsigned wire;
	} row[] = {
	    {"pentium3", "BUS_TRANS_IO", 0x00, WIRE_P6_BUS_IO},
	    {"pentium3", "BUS_TRANS_IO", 0x20, WIRE_P6_BUS_IO},
	    {"pentium3", "BUS_BNR_DRV", 0x00, WIRE_P6_BUS_BNR_DRV},
	    {"pentium3", "BUS_SNOOP_STALL", 0x00, WIRE_P6_BUS_SNOOP_STALL},
	    {"pentium3", "CYCLES_INT_MASKED", 0, WIRE_P6_INT_MASKED},
	    {"pentium3", "CYCLES_INT_PENDING_AND_MASKED", 0, WIRE_P6_INT_MASKED_PENDING},
	    {"pentium3", "HW_INT_RX", 0, WIRE_P6_INT_HW_RX},
	    {"pentium-mmx", "I/O_READ_OR_WRITE_CYCLE", 0, WIRE_P5_BUS_IO},
	};
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pmu_select s = {.user = true, .umask = row[i].umask};
		const struct cat_cpu *cpu;
		struct pmu_reading r;
		static struct wires w;

		memset(&w, 0, sizeof(w));
		memset(w.driven, 1, sizeof(w.driven));
		for (unsigned k = 0; k < WIRE_N; k++)
			w.total[k] = k == row[i].wire ? 7 : 0;
		cpu = cat_find_cpu(row[i].cpu);
		s.event = cat_find_event(cpu, row[i].event, -1);
		assert_non_null(s.event);
		r = pmu_count(cpu, &s, &w);
		assert_int_equal(r.status, PMU_COUNTED);
		assert_int_equal(r.value, 7);
		for (unsigned k = 0; k < WIRE_N; k++)
			w.total[k] = k == row[i].wire ? 0 : 1; /* and nothing else */
		assert_int_equal(pmu_count(cpu, &s, &w).value, 0);
	}
}

/* Every event with every unit mask, of every processor: where no model drives a wire, there is no
 * number. Of masks that add up none is a mask that counts nothing. */
static void nothing_driven_counts_nothing(void **state)
{
	struct wires w = {0};
	size_t n, n_cpu;
	const struct cat_event *e = cat_events(&n);
	const struct cat_cpu *cpu = cat_cpus(&n_cpu);
	unsigned n_number = 0, n_mask = 0;

	for (size_t i = 0; i < n * n_cpu; i++)
		for (unsigned mask = 0;
		     mask < 256 && cat_cpu_has_event(&cpu[i % n_cpu], &e[i / n_cpu]); mask++) {
			const struct pmu_select s = {
			    .event = &e[i / n_cpu], .umask = (uint8_t)mask, .user = true};
			const bool is_of_none = !mask &&
						e[i / n_cpu].umask_type == CAT_UMASK_BITS &&
						cat_may_select_nothing(&e[i / n_cpu]);

			n_mask++;
			if ((pmu_count(&cpu[i % n_cpu], &s, &w).status == PMU_COUNTED) ==
			    is_of_none)
				continue;
			n_number++;
			print_message("%s %s mask %02x\n", cpu[i % n_cpu].name, e[i / n_cpu].name,
				      mask);
		}
	assert_true(n_mask > 100 * 256);
	assert_int_equal(n_number, 0);
}

/* A wire of all bits stands for the sum of the single ones; any fewer add up. */
static void all_bits_may_have_a_wire_of_their_own(void **state)
{
	struct wires w = {0};
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	struct pmu_select s = {.user = true};

	memset(w.driven, 1, sizeof(w.driven));
	w.total[WIRE_P6_MMX_UOP] = 1000;
	for (unsigned k = 0; k < 4; k++)
		w.total[WIRE_P6_MMX_UOP_P0 + k] = 1u << k;
	s.event = cat_find_event(cpu, "MMX_UOPS_EXEC", -1);
	for (unsigned mask = 1; mask < 15; mask++) {
		s.umask = (uint8_t)mask;
		assert_int_equal(pmu_count(cpu, &s, &w).value, mask);
	}
	s.umask = 15;
	assert_int_equal(pmu_count(cpu, &s, &w).value, 1000);
	memset(w.driven + WIRE_P6_MMX_UOP_P0, 0, 4);
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_COUNTED);
	s.umask = 4;
	assert_int_equal(pmu_count(cpu, &s, &w).status, PMU_NOT_MODELLED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counters_are_40_bits_and_writes_copy_bit_31),
	    cmocka_unit_test(one_enable_bit_runs_both_counters),
	    cmocka_unit_test(p5_select_register_has_reserved_bits_and_is_written_whole),
	    cmocka_unit_test(p5_counters_count_what_cc_says),
	    cmocka_unit_test(p5_counters_have_40_bits),
	    cmocka_unit_test(selects_encode_and_decode),
	    cmocka_unit_test(unit_masks_add_their_wires),
	    cmocka_unit_test(what_has_no_number_says_so),
	    cmocka_unit_test(a_processor_without_l2_cannot_have_l2_events),
	    cmocka_unit_test(what_user_code_cannot_cause_counts_its_wires),
	    cmocka_unit_test(nothing_driven_counts_nothing),
	    cmocka_unit_test(all_bits_may_have_a_wire_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
