/* The event grammar: a spelling, and the register bits or the sentence that it gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "event/events.h"

/* What one spelling must give. */
static const struct row {
	const char *cpu, *text;
	const char *event; /* name of the event */
	uint8_t umask, cmask;
	bool inv, edge, user, kernel;
	int counter, clock;
	int line;
} good[] = {
#define OK(cpu, text, event, umask, cmask, inv, edge, user, kernel, counter, clock)                \
	{                                                                                          \
		cpu, text, event, umask, cmask, inv, edge, user, kernel, counter, clock, __LINE__  \
	}
    OK("pentium3", "INST_RETIRED", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:u", "INST_RETIRED", 0, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "inst_retired:k", "INST_RETIRED", 0, 0, 0, 0, 0, 1, -1, 0),
    OK("pentium3", "inst_retired:uk", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:u:k", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:e:c=2", "INST_RETIRED", 0, 2, 0, 1, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:c=1:i", "INST_RETIRED", 0, 1, 1, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:gt1", "INST_RETIRED", 0, 2, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:le0", "INST_RETIRED", 0, 1, 1, 0, 1, 1, -1, 0),
    OK("pentium3", "inst_retired:c1", "INST_RETIRED", 0, 0, 0, 0, 1, 1, 1, 0),
    OK("pentium3", "l2_ld", "L2_LD", 0x0f, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:m:e", "L2_LD", 0x0c, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:M", "L2_LD", 0x08, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:mes", "L2_LD", 0x0e, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:0x03", "L2_LD", 0x03, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:umask=3", "L2_LD", 0x03, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:0", "L2_LD", 0x00, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:i", "L2_LD", 0x01, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "l2_ld:i=1:c=1", "L2_LD", 0x0f, 1, 1, 0, 1, 1, -1, 0),
    OK("pentium3", "p6::L2_LD:M:E:u:c=1:i", "L2_LD", 0x0d, 1, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "r00c0", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "r0029", "L2_LD", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "rc29", "L2_LD", 0x0c, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "r1d300c0", "INST_RETIRED", 0, 1, 1, 0, 1, 1, -1, 0),
    OK("pentium3", "r5300c0", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "0xc0", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "0xC0:u", "INST_RETIRED", 0, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "0x29:m", "L2_LD", 8, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "cpu/event=0x29,umask=0x0c/", "L2_LD", 0x0c, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "cpu/event=0xc0,umask=0,cmask=1,inv,edge,pc/u", "INST_RETIRED", 0, 1, 1, 1, 1, 0,
       -1, 0),
    OK("pentium3", "cpu/event=0xc0,inv=0,cmask=3/", "INST_RETIRED", 0, 3, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "cpu/inst_retired/uk", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "cpu/config=0xc29/", "L2_LD", 0x0c, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "pentium3/l2_ld/:u", "L2_LD", 0x0f, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "instructions:u", "INST_RETIRED", 0, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "cycles", "CPU_CLK_UNHALTED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "branch-misses", "BR_MISS_PRED_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "c0", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "C0h", "INST_RETIRED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "48", "DCU_MISS_OUTSTANDING", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "48H:u", "DCU_MISS_OUTSTANDING", 0, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "29:m", "L2_LD", 8, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium", "16", "INSTRUCTIONS_EXECUTED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium-mmx", "2b:c1", "MMX_INSTRUCTIONS_EXECUTED_V-PIPE", 0, 0, 0, 0, 1, 1, 1, 0),
    OK("pentium3", "LLC-loads", "L2_LD", 15, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "LLC-load-misses:u", "BUS_TRAN_BRD", 0x20, 0, 0, 0, 1, 0, -1, 0),
    OK("pentium3", "ref-cycles", "CPU_CLK_UNHALTED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium3", "stalled-cycles-backend", "RESOURCE_STALLS", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium", "branch-loads", "BRANCHES", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("p6", "cycles", "CPU_CLK_UNHALTED", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("i586", "cycles", "TIME_STAMP_COUNTER", 0, 0, 0, 0, 1, 1, -1, 0),
    OK("pentium-mmx", "0x2b:c1", "MMX_INSTRUCTIONS_EXECUTED_V-PIPE", 0, 0, 0, 0, 1, 1, 1, 0),
    OK("pentium-mmx", "cpu/event=0x2b/:c0", "MMX_INSTRUCTIONS_EXECUTED_U-PIPE", 0, 0, 0, 0, 1, 1, 0,
       0),
    OK("pentium", "pipeline_agi_stalls:clk", "PIPELINE_AGI_STALLS", 0, 0, 0, 0, 1, 1, -1, 2),
    OK("pentium", "pipeline_agi_stalls:occ:u", "PIPELINE_AGI_STALLS", 0, 0, 0, 0, 1, 0, -1, 1),
    OK("pentium", "I/O_READ_OR_WRITE_CYCLE:u", "I/O_READ_OR_WRITE_CYCLE", 0, 0, 0, 0, 1, 0, -1, 0),
#undef OK
};

static void good_spellings_give_their_bits(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct row *r = &good[i];
		struct spmu_error err = {0};
		struct evt_event e;

		if (evt_parse_event(cat_find_cpu(r->cpu), r->text, false, &e, &err))
			fail_msg("line %d: %s: %s", r->line, r->text, err.text);
		if (!e.event || strcmp(e.event->name, r->event) || e.umask != r->umask ||
		    e.cmask != r->cmask || e.inv != r->inv || e.edge != r->edge ||
		    e.user != r->user || e.kernel != r->kernel || e.counter != r->counter ||
		    e.clock_reading != r->clock)
			fail_msg("line %d: %s gave %s umask %02x cmask %u inv %d edge %d u %d k %d "
				 "counter %d clock %d",
				 r->line, r->text, e.event ? e.event->name : "?", e.umask, e.cmask,
				 e.inv, e.edge, e.user, e.kernel, e.counter, e.clock_reading);
	}
}

/* A spelling, and a piece of the sentence that refuses it. */
static const struct bad_row {
	const char *cpu, *text, *piece;
	int line;
} bad[] = {
#define BAD(cpu, text, piece)                                                                      \
	{                                                                                          \
		cpu, text, piece, __LINE__                                                         \
	}
    BAD("pentium3", "inst_retird", "did you mean INST_RETIRED"),
    BAD("pentium3", "LLC-misses", "did you mean LLC-load-misses?"),
    BAD("pentium3", "dtlb_miss", "did you mean dTLB-load-misses?"),
    BAD("pentium3", "task-clok", "did you mean task-clock?"),
    BAD("pentium3", "l1_ld", "no such event on pentium3 (softpmu"),
    BAD("pentium", "agi_stall", "did you mean PIPELINE_AGI_STALLS?"),
    BAD("pentium3", "148h", "an event code has 8 bits"),
    BAD("pentium3", "task-clock:m", "neither a unit mask"),
    BAD("pentium3", "nosuch", "no such event on pentium3 (softpmu list"),
    BAD("pentium3", "dcu_lines", "did you mean DCU_LINES_IN?"),
    BAD("pentium3", "", "an event is missing"),
    BAD("pentium3", ",", "an event is missing"),
    BAD("pentium3", "inst_retired,,mul", "an event is missing"),
    BAD("pentium3", "l2_ld:x", "M (0x08), E (0x04), S (0x02), I (0x01)"),
    BAD("pentium3", "l2_ld:0x10", "no unit mask 0x10"),
    BAD("pentium3", "l2_ld:0x100", "no unit mask 0x100"),
    BAD("pentium3", "inst_retired:0x01", "has no unit masks"),
    BAD("pentium3", "inst_retired:c=256", "0 to 255"),
    BAD("pentium3", "inst_retired:c=x", "0 to 255"),
    BAD("pentium3", "inst_retired:p", "precise"),
    BAD("pentium3", "inst_retired:clk", "Pentium"),
    BAD("pentium3", "bus_tran_mem:self:any", "one unit mask at a time"),
    BAD("pentium3", "0xff", "not defined on pentium3"),
    BAD("pentium3", "rff", "not defined on pentium3"),
    BAD("pentium3", "r123456789", "8 hexadecimal digits"),
    BAD("pentium3", "0x2900", "8 bits"),
    BAD("pentium3", "flops:c1", "counter 0 only"),
    BAD("pentium3", "0x12:c0", "counter 1 only"),
    BAD("pentium3", "p5::inst_retired", "another processor"),
    BAD("pentium3", "zz::inst_retired", "no counters named zz"),
    BAD("pentium3", "zz/event=1/", "no counters named zz"),
    BAD("pentium3", "cpu/event=0xc0", "closing /"),
    BAD("pentium3", "cpu/umask=1/", "no event in it"),
    BAD("pentium3", "cpu/event=0xc0,foo=1/", "term foo is unknown"),
    BAD("pentium3", "cpu/event=zz/", "event="),
    BAD("pentium3", "{inst_retired,mul", "closing }"),
    BAD("pentium3", "{inst_retired,{mul}}", "do not nest"),
    BAD("pentium3", "inst_retired}", "comma is missing"),
    BAD("pentium3", "pipeline_agi_stalls", "pentium"),
    BAD("pentiumpro", "mmx_assist", "pentium2"),
    BAD("pentium", "instructions_executed:c=1", "no counter mask"),
    BAD("pentium", "instructions_executed:e", "no edge detection"),
    BAD("pentium", "r40", "6 bits"),
    BAD("pentium-mmx", "0x2b", "0x2b:c0 or 0x2b:c1"),
#undef BAD
};

/* perf's names that no event of the processor stands for parse all the same: the run goes on. */
static void names_of_perf_without_an_event_say_why(void **state)
{
	struct evt_event e;

	assert_int_equal(
	    evt_parse_event(cat_find_cpu("pentium3"), "L1-dcache-stores:u", false, &e, NULL), 0);
	assert_null(e.event);
	assert_null(e.software);
	assert_non_null(strstr(e.why_not, "stores alone"));
	assert_int_equal(
	    evt_parse_event(cat_find_cpu("pentium2"), "L1-dcache-prefetches", false, &e, NULL), 0);
	assert_non_null(strstr(e.why_not, "this model"));
	assert_int_equal(evt_parse_event(cat_find_cpu("pentium"), "LLC-loads", false, &e, NULL), 0);
	assert_non_null(strstr(e.why_not, "on the board"));
	assert_int_equal(evt_parse_event(cat_find_cpu("pentium"), "Task-Clock", false, &e, NULL),
			 0);
	assert_non_null(e.software);
	assert_null(e.why_not);
	assert_true(e.is_time);
	assert_false(evt_needs_counter(&e));
	assert_int_equal(
	    evt_parse_event(cat_find_cpu("pentium"), "cpu-migrations", false, &e, NULL), 0);
	assert_non_null(e.why_not);
}

/* What Linux's driver of the P6 says stays what a program finds by perf_event_open, whatever stat
 * counts under the name. */
static void the_drivers_names_are_the_drivers(void **state)
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	static const struct {
		const char *name, *event;
		unsigned umask;
	} row[] = {
	    {"stalled-cycles-frontend", "RESOURCE_STALLS", 0},
	    {"L1-dcache-store-misses", "L2_LD", 15},
	    {"LLC-store-misses", "L2_M_LINES_INM", 0},
	    {"cache-misses", "L2_RQSTS", 1},
	};
	static const char *const none[] = {"LLC-loads", "ref-cycles", "stalled-cycles-backend",
					   "dTLB-load-misses"};
	uint8_t umask;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct cat_event *e = cat_find_driver(cpu, row[i].name, &umask);

		assert_non_null(e);
		assert_string_equal(e->name, row[i].event);
		assert_int_equal(umask, row[i].umask);
	}
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_null(cat_find_driver(cpu, none[i], &umask));
}

static void bad_spellings_give_a_helpful_sentence(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct bad_row *r = &bad[i];
		struct spmu_error err = {0};
		struct evt_events list = {0};

		if (evt_parse_events(cat_find_cpu(r->cpu), r->text, false, &list, &err) !=
		    -SPMU_EINVAL)
			fail_msg("line %d: %s was taken", r->line, r->text);
		if (!strstr(err.text, r->piece))
			fail_msg("line %d: %s: %s", r->line, r->text, err.text);
		evt_events_free(&list);
	}
}

static void lists_keep_order_and_groups(void **state)
{
	struct evt_events list = {0};
	struct spmu_error err;

	assert_int_equal(
	    evt_parse_events(cat_find_cpu("pentium3"),
			     "mul, {inst_retired,cpu/event=0x29,umask=0x0f/}:u,{div},l2_ld", false,
			     &list, &err),
	    0);
	assert_int_equal(list.n, 5);
	assert_string_equal(list.event[0].name, "mul");
	assert_int_equal(list.event[0].group, -1);
	assert_string_equal(list.event[1].name, "inst_retired:u");
	assert_int_equal(list.event[1].group, 0);
	assert_false(list.event[1].kernel);
	assert_int_equal(list.event[2].umask, 0x0f);
	assert_int_equal(list.event[2].group, 0);
	assert_int_equal(list.event[3].group, 1);
	assert_int_equal(list.event[4].group, -1);
	evt_events_free(&list);
}

static void rows_keep_the_name_as_typed(void **state)
{
	struct evt_event e;

	assert_int_equal(
	    evt_parse_event(cat_find_cpu("pentium3"), "Inst_Retired:u", false, &e, NULL), 0);
	assert_string_equal(e.name, "Inst_Retired:u");
	assert_int_equal(evt_parse_event(cat_find_cpu("pentium3"),
					 "cpu/event=0xc0,name=all of them/u", false, &e, NULL),
			 0);
	assert_string_equal(e.name, "all of them");
}

static void raw_takes_what_no_manual_defines(void **state)
{
	struct evt_event e;

	assert_int_equal(evt_parse_event(cat_find_cpu("pentium3"), "r03ff", true, &e, NULL), 0);
	assert_null(e.event);
	assert_int_equal(e.code, 0xff);
	assert_int_equal(e.umask, 3);
	assert_int_equal(evt_parse_event(cat_find_cpu("pentium3"), "r1029", true, &e, NULL), 0);
	assert_null(e.event);
	assert_int_equal(evt_parse_event(cat_find_cpu("pentium3"), "nonsense", true, &e, NULL),
			 -SPMU_EINVAL);
}

static void groups_must_fit_on_the_counters(void **state)
{
	static const struct {
		const char *text;
		unsigned n;
		const char *piece; /* NULL: fits */
	} rows[] = {
	    {"{flops,mul}", 2, NULL},
	    {"{mul,flops}", 2, NULL},
	    {"{inst_retired,mul}", 2, NULL},
	    {"{mul,inst_retired}", 2, NULL},
	    {"{flops,fp_comp_ops_exe}", 2, "counter 0, which flops"},
	    {"{mul,div}", 2, "counter 1, which mul"},
	    {"{inst_retired,uops_retired,l2_ld}", 2, "counter 0 or 1"},
	    {"inst_retired,uops_retired,l2_ld", 2, NULL},
	    {"{inst_retired:c0,uops_retired:c0}", 2, "counter 0"},
	    {"{inst_retired,uops_retired}", 1, "counter 0"},
	    {"mul", 1, "--counters 1"},
	    {"{inst_retired,uops_retired,l2_ld}", 3, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evt_events list = {0};
		struct spmu_error err = {0};
		int rc;

		assert_int_equal(
		    evt_parse_events(cat_find_cpu("pentium3"), rows[i].text, false, &list, &err),
		    0);
		rc = evt_check_counters(&list, rows[i].n, &err);
		if ((rc != 0) != (rows[i].piece != NULL) ||
		    (rc && !strstr(err.text, rows[i].piece)))
			fail_msg("%s on %u: %d %s", rows[i].text, rows[i].n, rc, err.text);
		evt_events_free(&list);
	}
}

/* Twins meet, events of one counter do not, what has a register of its own is in no run. */
static void plans_put_twins_together(void **state)
{
	const int run[] = {0, 1, 0, 2, -1, 1, 3};
	const int counter[] = {0, 0, 1, 0, -1, 1, 0};
	struct evt_counter_plan plan = {0};
	struct evt_events list = {0};
	struct spmu_error err = {0};

	assert_int_equal(evt_parse_events(cat_find_cpu("pentium-mmx"),
					  "0x33:c0,returns,0x33:c1,emms_instructions_executed,"
					  "cycles,taken_branches,{data_read}",
					  false, &list, &err),
			 0);
	assert_int_equal(evt_plan_counters(&list, 2, &plan, &err), 0);
	assert_int_equal(plan.n_run, 4);
	for (size_t i = 0; i < list.n; i++) {
		assert_int_equal(plan.run[i], run[i]);
		assert_int_equal(plan.counter[i], counter[i]);
	}
	evt_counter_plan_free(&plan);
	evt_events_free(&list);
}

/* One event of one processor, in all its spellings. */
static void check_spellings(const struct cat_cpu *cpu, const struct cat_event *event)
{
	struct spmu_error err = {0};
	struct evt_event e;
	char text[200];

	if (evt_parse_event(cpu, event->name, false, &e, &err) || e.event != event ||
	    e.umask != event->default_umask)
		fail_msg("%s on %s: %s", event->name, cpu->name, err.text);
	snprintf(text, sizeof(text), "0x%02x:0x%02x:c%d", event->code, event->default_umask,
		 event->counters & 1 ? 0 : 1);
	if (event->counters && (evt_parse_event(cpu, text, false, &e, &err) || e.event != event))
		fail_msg("%s on %s: %s", text, cpu->name, err.text);
	for (unsigned m = 0; m < event->n_umask; m++) {
		snprintf(text, sizeof(text), "%s:%s", event->name, event->umask[m].name);
		if (evt_parse_event(cpu, text, false, &e, &err) || e.umask != event->umask[m].value)
			fail_msg("%s on %s: %s", text, cpu->name, err.text);
	}
}

static void every_row_of_the_catalog_has_a_spelling(void **state)
{
	size_t n_cpu, n_event;
	const struct cat_cpu *cpu = cat_cpus(&n_cpu);
	const struct cat_event *event = cat_events(&n_event);

	for (size_t c = 0; c < n_cpu; c++)
		for (size_t i = 0; i < n_event; i++)
			if (cat_cpu_has_event(&cpu[c], &event[i]))
				check_spellings(&cpu[c], &event[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(good_spellings_give_their_bits),
	    cmocka_unit_test(names_of_perf_without_an_event_say_why),
	    cmocka_unit_test(the_drivers_names_are_the_drivers),
	    cmocka_unit_test(bad_spellings_give_a_helpful_sentence),
	    cmocka_unit_test(lists_keep_order_and_groups),
	    cmocka_unit_test(rows_keep_the_name_as_typed),
	    cmocka_unit_test(raw_takes_what_no_manual_defines),
	    cmocka_unit_test(groups_must_fit_on_the_counters),
	    cmocka_unit_test(plans_put_twins_together),
	    cmocka_unit_test(every_row_of_the_catalog_has_a_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
