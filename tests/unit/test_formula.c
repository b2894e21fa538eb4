/* Formulas, metrics and relations over counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "event/metrics.h"
#include "event/relations.h"

/* INST_RETIRED 1000, UOPS_RETIRED 1500, L2_LD 7 (any state), MUL without a number. */
static const struct cat_cpu *fill(struct evt_events *list, struct evt_count count[4])
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");

	assert_int_equal(
	    evt_parse_events(cpu, "inst_retired,uops_retired,l2_ld,mul", false, list, NULL), 0);
	count[0] = (struct evt_count){.value = 1000, .status = EVT_COUNTED};
	count[1] = (struct evt_count){.value = 1500, .status = EVT_COUNTED};
	count[2] = (struct evt_count){.value = 7, .status = EVT_COUNTED};
	count[3] =
	    (struct evt_count){.value = 0, .status = EVT_NOT_MODELLED, .why = "for the test"};
	return cpu;
}

static void formulas_have_the_usual_precedence(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {
	    {"INST_RETIRED", 1000},
	    {"UOPS_RETIRED / INST_RETIRED", 1.5},
	    {"1 + 2 * 3", 7},
	    {"( 1 + 2 ) * 3", 9},
	    {"10 - 4 - 3", 3},
	    {"100 / 10 / 2", 5},
	    {"100 * L2_LD / INST_RETIRED", 0.7},
	    {"L2_LD:M:E:S:I + 1", 8},
	    {"L2_LD:0x0f * 2", 14},
	    {"2.5*( INST_RETIRED - UOPS_RETIRED )", -1250},
	    {" inst_retired:u ", 1000},
	};
	struct evt_events list = {0};
	struct evt_count count[4];
	const struct cat_cpu *cpu = fill(&list, count);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spmu_error err = {0};
		struct evt_formula f;
		struct evt_value v;

		if (evt_formula_parse(cpu, rows[i].text, &f, &err))
			fail_msg("%s: %s", rows[i].text, err.text);
		v = evt_formula_value(&f, &list, count);
		if (v.status != EVT_COUNTED || (double)v.value < rows[i].value - 1e-12 ||
		    (double)v.value > rows[i].value + 1e-12)
			fail_msg("%s = %Lg", rows[i].text, v.value);
	}
	evt_events_free(&list);
}

static void bad_formulas_are_refused(void **state)
{
	static const char *const rows[] = {
	    "",
	    "1 +",
	    "( 1",
	    "1 )",
	    "1 2",
	    "NO_SUCH_EVENT",
	    "* 2",
	    "INST_RETIRED UOPS_RETIRED",
	    "((((((((((((((((((((((((((((((((((((1",
	};
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evt_formula f;

		if (evt_formula_parse(cpu, rows[i], &f, NULL) != -SPMU_EINVAL)
			fail_msg("%s was taken", rows[i]);
	}
}

static void values_say_why_there_are_none(void **state)
{
	struct evt_events list = {0};
	struct evt_count count[4];
	const struct cat_cpu *cpu = fill(&list, count);
	struct evt_formula f;
	struct evt_value v;

	assert_int_equal(evt_formula_parse(cpu, "INST_RETIRED + MUL", &f, NULL), 0);
	v = evt_formula_value(&f, &list, count);
	assert_int_equal(v.status, EVT_NOT_MODELLED);
	assert_string_equal(v.why, "for the test");
	assert_int_equal(evt_formula_parse(cpu, "DIV", &f, NULL), 0);
	v = evt_formula_value(&f, &list, count);
	assert_string_equal(v.why, "not counted in this run");
	assert_int_equal(evt_formula_parse(cpu, "INST_RETIRED / ( L2_LD - 7 )", &f, NULL), 0);
	assert_int_equal(evt_formula_value(&f, &list, count).status, EVT_UNDEFINED);
	evt_events_free(&list);
}

static void sums_of_64_bit_counts_are_exact(void **state)
{
	struct evt_events list = {0};
	struct evt_count count[4];
	const struct cat_cpu *cpu = fill(&list, count);
	struct evt_formula f;

	count[0].value = (UINT64_C(1) << 62) + 1;
	count[1].value = UINT64_C(1) << 62;
	assert_int_equal(evt_formula_parse(cpu, "INST_RETIRED - UOPS_RETIRED", &f, NULL), 0);
	assert_true(evt_formula_value(&f, &list, count).value == 1);
	evt_events_free(&list);
}

/* Does `text` parse for one of the processors of the family? */
static bool parses(int family, const char *text, struct spmu_error *err)
{
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);
	struct evt_formula f;

	for (size_t i = 0; i < n; i++)
		if (cpu[i].family == family && !evt_formula_parse(&cpu[i], text, &f, err))
			return true;
	return false;
}

static void every_formula_of_the_catalog_parses(void **state)
{
	struct spmu_error err = {0};
	size_t n;
	const struct cat_metric *m = cat_metrics(&n);
	const struct cat_relation *r;

	for (size_t i = 0; i < n; i++)
		if (!parses(m[i].family, m[i].formula, &err))
			fail_msg("%s: %s", m[i].name, err.text);
	r = cat_relations(&n);
	for (size_t i = 0; i < n; i++)
		if (!parses(r[i].family, r[i].left, &err) || !parses(r[i].family, r[i].right, &err))
			fail_msg("%s: %s", r[i].name, err.text);
}

static void named_metrics_bring_their_events(void **state)
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	struct evt_events list = {0};
	struct evt_metrics metrics = {0};
	struct spmu_error err;

	assert_int_equal(evt_metrics_named(cpu, "uops_per_instruction", &metrics, &list, &err), 0);
	assert_int_equal(metrics.n, 1);
	assert_int_equal(list.n, 2);
	assert_int_equal(evt_metric_row(&metrics.metric[0], &list), 0);
	assert_int_equal(evt_metrics_named(cpu, "uops_per_instructoin", &metrics, &list, &err),
			 -SPMU_EINVAL);
	assert_non_null(strstr(err.text, "did you mean uops_per_instruction"));
	evt_metrics_free(&metrics);
	evt_events_free(&list);
}

/* Clocks 2000 +-100 and stalls 500 +-50 are estimates. */
static void estimates_hand_their_intervals_on(void **state)
{
	static const struct {
		const char *text;
		double half;
	} rows[] = {
	    {"INST_RETIRED", 0},
	    {"CPU_CLK_UNHALTED / INST_RETIRED", 0.1},
	    {"100 * CPU_CLK_UNHALTED", 10000},
	    {"CPU_CLK_UNHALTED - RESOURCE_STALLS", 150},
	    {"CPU_CLK_UNHALTED + RESOURCE_STALLS", 150},
	    {"RESOURCE_STALLS / CPU_CLK_UNHALTED", 0.0375}, /* ( 50 + 100 / 4 ) / 2000 */
	};
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	const struct evt_count count[] = {
	    {.value = 1000, .status = EVT_COUNTED},
	    {.value = 2000, .status = EVT_COUNTED, .half = 100},
	    {.value = 500, .status = EVT_COUNTED, .half = 50},
	};
	struct evt_events list = {0};

	assert_int_equal(
	    evt_parse_events(cpu, "inst_retired,cycles,resource_stalls", false, &list, NULL), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evt_formula f;

		assert_int_equal(evt_formula_parse(cpu, rows[i].text, &f, NULL), 0);
		if (fabsl(evt_formula_value(&f, &list, count).half - rows[i].half) > 1e-9L)
			fail_msg("%s: +-%Lg", rows[i].text,
				 evt_formula_value(&f, &list, count).half);
	}
	evt_events_free(&list);
}

static void relations_are_tested_on_counts(void **state)
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");
	struct evt_events list = {0};
	struct evt_relations relations = {0};
	struct evt_count count[256];
	const struct evt_relation *sum = NULL;
	int at;

	assert_int_equal(evt_relations_all(cpu, &relations, &list, NULL), 0);
	assert_true(relations.n > 5 && list.n < 256);
	for (size_t i = 0; i < relations.n; i++)
		if (!strcmp(relations.relation[i].row->left, "L2_RQSTS"))
			sum = &relations.relation[i];
	assert_non_null(sum);
	for (size_t i = 0; i < list.n; i++)
		count[i] = (struct evt_count){.value = 0, .status = EVT_COUNTED};
	assert_int_equal(evt_relation_test(sum, &list, count).verdict, EVT_HOLDS);
	at = evt_events_find(&list, cat_find_event(cpu, "L2_RQSTS", -1), 0x0f);
	assert_true(at >= 0);
	count[at].value = 1;
	assert_int_equal(evt_relation_test(sum, &list, count).verdict, EVT_BROKEN);
	count[at].half = 1; /* an estimate that may be 0 */
	assert_int_equal(evt_relation_test(sum, &list, count).verdict, EVT_HOLDS);
	count[at].status = EVT_NOT_MODELLED;
	assert_int_equal(evt_relation_test(sum, &list, count).verdict, EVT_NOT_TESTED);
	evt_relations_free(&relations);
	evt_events_free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formulas_have_the_usual_precedence),
	    cmocka_unit_test(bad_formulas_are_refused),
	    cmocka_unit_test(values_say_why_there_are_none),
	    cmocka_unit_test(sums_of_64_bit_counts_are_exact),
	    cmocka_unit_test(every_formula_of_the_catalog_parses),
	    cmocka_unit_test(named_metrics_bring_their_events),
	    cmocka_unit_test(estimates_hand_their_intervals_on),
	    cmocka_unit_test(relations_are_tested_on_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
