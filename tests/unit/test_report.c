/* The exporters on counts made up here, compared byte for byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

/* Two runs: instructions 1234567, L2_LD:I 100 and 200, cycles without a number. */
struct fixture {
	struct evt_events events;
	struct evt_metrics metrics;
	struct ses_result run[2];
	struct evt_count count[2][4], mean[4];
	struct rpt_report report;
};

static char *argv[] = {"prog", "a,b", NULL};

static void set_up(struct fixture *f, size_t n_run)
{
	const struct cat_cpu *cpu = cat_find_cpu("pentium3");

	memset(f, 0, sizeof(*f));
	assert_int_equal(evt_parse_events(cpu,
					  "inst_retired,L2_LD:i,cycles,cpu/event=0xc2,name=u,ops/",
					  false, &f->events, NULL),
			 -SPMU_EINVAL);
	evt_events_free(&f->events);
	assert_int_equal(evt_parse_events(cpu, "inst_retired,L2_LD:i,cycles,uops_retired", false,
					  &f->events, NULL),
			 0);
	strcpy(f->events.event[3].name, "uops, \"all\"");
	assert_int_equal(evt_metrics_of(cpu, &f->events, &f->metrics, NULL), 0);
	for (size_t k = 0; k < 2; k++) {
		f->count[k][0] = (struct evt_count){.value = 1234567, .status = EVT_COUNTED};
		f->count[k][1] = (struct evt_count){.value = k ? 200 : 100, .status = EVT_COUNTED};
		f->count[k][2] =
		    (struct evt_count){.value = 0, .status = EVT_NOT_MODELLED, .why = "needs time"};
		f->count[k][3] = (struct evt_count){.value = 2469134, .status = EVT_COUNTED};
		f->run[k] = (struct ses_result){.count = f->count[k],
						.elapsed_s = 0.5,
						.user_s = 0.25,
						.sys_s = 0.125,
						.instructions = 1234567,
						.isa_level = 1,
						.tier = 2,
						.input_digest = 0xabc};
	}
	rpt_means(&f->events, f->run, n_run, f->mean);
	f->report = (struct rpt_report){.cpu = cpu,
					.argv = argv,
					.events = &f->events,
					.metrics = &f->metrics,
					.run = f->run,
					.n_run = n_run,
					.count = f->mean,
					.separator = ",",
					.has_big_num = true,
					.is_quiet = true};
}

static void tear_down(struct fixture *f)
{
	evt_events_free(&f->events);
	evt_metrics_free(&f->metrics);
}

static char *written(const struct fixture *f, int (*export)(const struct rpt_report *, FILE *))
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(export(&f->report, out), 0);
	fclose(out);
	return text;
}

static void the_table_has_perf_columns(void **state)
{
	struct fixture f;
	char *text;

	set_up(&f, 1);
	text = written(&f, rpt_human);
	assert_string_equal(text,
			    "\n Performance counter stats for 'prog a,b':\n\n"
			    "         1,234,567      inst_retired\n"
			    "               100      L2_LD:i\n    <not modelled>      cycles\n"
			    "         2,469,134      uops, \"all\"                      #    2.000 "
			    "uops_per_instruction\n\n       0.500000000 seconds time elapsed\n\n"
			    "       0.250000000 seconds user\n       0.125000000 seconds sys\n\n");
	free(text);
	tear_down(&f);
}

static void the_table_of_several_runs_has_spreads(void **state)
{
	struct fixture f;
	char *text;

	set_up(&f, 2);
	f.report.has_big_num = false;
	text = written(&f, rpt_human);
	assert_non_null(strstr(text, "'prog a,b' (2 runs):"));
	assert_non_null(strstr(text, "           1234567      inst_retired                    "
				     "                                     ( +-  0.00% )\n"));
	/* mean 150, standard error of the mean 50 */
	assert_non_null(strstr(text, "               150      L2_LD:i                         "
				     "                                     ( +- 33.33% )\n"));
	assert_non_null(strstr(text, "seconds time elapsed  ( +-  0.00% )\n"));
	free(text);
	tear_down(&f);
}

/* The machine's own counters: a clock, an event that had its counter for a third of the time, two
 * without a number. */
static void counters_of_the_machine_have_shares(void **state)
{
	struct ses_share share[2][4] = {{{600, 600}, {600, 200}}, {{800, 800}, {600, 100}}};
	struct fixture f;
	char *text;

	set_up(&f, 1);
	f.report.machine = "AuthenticAMD-25-17-1";
	f.events.event[0].is_time = true;
	f.mean[2].status = EVT_NOT_SUPPORTED;
	f.mean[3].status = EVT_NOT_COUNTED;
	f.run[0].share = share[0];
	f.run[1].share = share[1];
	text = written(&f, rpt_human);
	assert_non_null(strstr(text, "              1.23 msec inst_retired\n"));
	assert_non_null(strstr(text, "               100      L2_LD:i                         "
				     "                                     (33.33%)\n"));
	assert_non_null(
	    strstr(text, "   <not supported>      cycles\n     <not counted>      uops"));
	free(text);
	text = written(&f, rpt_csv);
	assert_string_equal(text, "1.23,msec,inst_retired,600,100.00,,\n100,,L2_LD:i,200,33.33,,\n"
				  "<not supported>,,cycles,0,100.00,,\n<not counted>,,\"uops, "
				  "\"\"all\"\"\",0,100.00,,\n");
	free(text);
	f.report.n_run = 2;
	text = written(&f, rpt_perf_json);
	assert_non_null(strstr(text, "{\"counter-value\" : \"1.230000\", \"unit\" : \"msec\""));
	assert_non_null(strstr(text, "\"event-runtime\" : 150, \"pcnt-running\" : 25.00"));
	free(text);
	tear_down(&f);
}

static void csv_has_perf_fields_and_quotes(void **state)
{
	struct fixture f;
	char *text;

	set_up(&f, 1);
	text = written(&f, rpt_csv);
	assert_string_equal(
	    text, "1234567,,inst_retired,500000000,100.00,,\n"
		  "100,,L2_LD:i,500000000,100.00,,\n<not modelled>,,cycles,0,100.00,,\n"
		  "2469134,,\"uops, \"\"all\"\"\",500000000,100.00,2,uops_per_instruction\n");
	free(text);
	f.report.n_run = 2;
	f.report.separator = ";";
	text = written(&f, rpt_csv);
	assert_non_null(strstr(text, "100;;L2_LD:i;33.33%;500000000;100.00;;\n"));
	free(text);
	tear_down(&f);
}

static void perf_json_has_one_object_per_line(void **state)
{
	struct fixture f;
	char *text, *line, *rest;
	int n = 0;

	set_up(&f, 2);
	text = written(&f, rpt_perf_json);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		json_t *o = json_loads(line, 0, NULL);

		assert_non_null(o);
		assert_true(json_is_string(json_object_get(o, "counter-value")));
		assert_true(json_is_number(json_object_get(o, "variance")));
		if (n == 0)
			assert_string_equal(json_string_value(json_object_get(o, "counter-value")),
					    "1234567.000000");
		if (n == 2)
			assert_string_equal(json_string_value(json_object_get(o, "counter-value")),
					    "<not modelled>");
		json_decref(o);
		n++;
	}
	assert_int_equal(n, 4);
	free(text);
	tear_down(&f);
}

static void typed_json_keeps_integers(void **state)
{
	struct fixture f;
	char *text;
	json_t *o, *e;

	set_up(&f, 1);
	f.mean[0].value = (UINT64_C(1) << 62) + 1;
	text = written(&f, rpt_json);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	assert_string_equal(json_string_value(json_object_get(o, "input_digest")),
			    "0000000000000abc");
	assert_string_equal(json_string_value(json_object_get(o, "isa")), "v1");
	e = json_array_get(json_object_get(o, "events"), 0);
	assert_true(json_integer_value(json_object_get(e, "value")) == ((json_int_t)1 << 62) + 1);
	e = json_array_get(json_object_get(o, "events"), 2);
	assert_null(json_object_get(e, "value"));
	assert_string_equal(json_string_value(json_object_get(e, "status")), "not modelled");
	assert_string_equal(json_string_value(json_object_get(e, "why")), "needs time");
	json_decref(o);
	free(text);
	tear_down(&f);
}

static void an_event_without_a_number_in_one_run_has_none(void **state)
{
	struct fixture f;

	set_up(&f, 2);
	f.count[1][0] = (struct evt_count){.value = 0, .status = EVT_CANNOT_OCCUR, .why = "test"};
	rpt_means(&f.events, f.run, 2, f.mean);
	assert_int_equal(f.mean[0].status, EVT_CANNOT_OCCUR);
	tear_down(&f);
}

static void a_name_is_folded_to_what_it_is_called(void **state)
{
	static const char *const name[][2] = {
	    {"main", "main"},
	    {"f()", "f()"},
	    {"use(std::string<char>)", "use(...)"},
	    {"a<b<c> >::f(int, x (*)(int)) const", "a<...>::f(...) const"},
	    {"std::ostream& std::operator<< <char>(std::ostream&, char)",
	     "std::ostream& std::operator<< <...>(...)"},
	    {"f::operator()(int)", "f::operator()(...)"},
	    {"p<int>::operator->()", "p<...>::operator->()"},
	    {"bool operator<(a const&, b const&)", "bool operator<(...)"},
	    {"my_operator<int>(int)", "my_operator<...>(...)"},
	    {"a::operator bool<int>()", "a::operator bool<...>()"},
	};
	char out[RPT_FOLDED], longest[400];

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		assert_string_equal(rpt_fold_arguments(name[i][0], out), name[i][1]);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_true(strlen(rpt_fold_arguments(longest, out)) < RPT_FOLDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_table_has_perf_columns),
	    cmocka_unit_test(the_table_of_several_runs_has_spreads),
	    cmocka_unit_test(csv_has_perf_fields_and_quotes),
	    cmocka_unit_test(counters_of_the_machine_have_shares),
	    cmocka_unit_test(perf_json_has_one_object_per_line),
	    cmocka_unit_test(typed_json_keeps_integers),
	    cmocka_unit_test(an_event_without_a_number_in_one_run_has_none),
	    cmocka_unit_test(a_name_is_folded_to_what_it_is_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
