/* test_lab.c -- formulas and claims of lessons, and what the reader says of lessons that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "lab/claim.h"
#include "lab/lesson.h"
#include "lab/table.h"

/* a.n = 8, b.n = 2, n = 5, 4K.n = 3 */
static bool look(const void *own, const char *run, const char *column, double *out)
{
	(void)own;
	if (strcmp(column, "n"))
		return false;
	*out = !run ? 5 : !strcmp(run, "a") ? 8 : !strcmp(run, "b") ? 2 : 3;
	return true;
}

static void formulas_have_their_values(void **state)
{
	static const struct {
		const char *text;
		double value;
	} rows[] = {{"2 + 3 * 4", 14}, {"(2 + 3) * 4", 20}, {"a.n / b.n - 1", 3},
		    {"-n", -5},	       {"4K.n + 4", 7},	    {"1.5 * 2", 3}};
	struct spmu_error err;
	double value;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(lab_formula(rows[i].text, look, NULL, &value, &err), 0);
		assert_true(value == rows[i].value);
	}
}

static void claims_hold_or_not(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} rows[] = {{"a.n = 8", true},		{"a.n = 9", false},   {"a.n = 9 +- 1", true},
		    {"a.n = 10 +- 1", false},	{"a.n != b.n", true}, {"a.n <= 8", true},
		    {"a.n < 8", false},		{"b.n >= 3", false},  {"b.n > 1", true},
		    {"a.n + b.n = 2 * n", true}};
	struct lab_verdict v;
	struct spmu_error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(lab_claim_test(rows[i].text, look, NULL, &v, &err), 0);
		assert_int_equal(v.holds, rows[i].holds);
	}
}

static void what_is_none_is_refused(void **state)
{
	static const char *const claims[] = {"a.n",	 "a.n = ",    "a.m = 1", "a.n = 1 / 0",
					     "(a.n = 1", "a.n = 1 2", "a. = 1"};
	struct lab_verdict v;
	struct spmu_error err;

	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
		assert_int_equal(lab_claim_test(claims[i], look, NULL, &v, &err), -SPMU_EINVAL);
}

/* Lessons with a mistake, and what the message says. */
static void bad_lessons_name_their_line(void **state)
{
	static const char *const rows[][3] = {
	    {"07-a.lesson", "tea: x\n", "07-a.lesson:1: no keyword that a lesson has: tea"},
	    {"07-a.lesson", "title: x\nrun none\n", "07-a.lesson:2: no such program above: none"},
	    {"07-a.lesson", "program p n\n", "SYMBOL=NUMBER is wanted, not n"},
	    {"07-a.lesson", "program p n=x\n", "a number is wanted behind = of n"},
	    {"07-a.lesson", "program p\n", "no lines of code below program p"},
	    {"07-a.lesson", "events: x\n", "NAME=EVENT is wanted, not x"},
	    {"07-a.lesson", "figure: x 1\n", "NAME = FORMULA is wanted"},
	    {"07-a.lesson", "answer:\nnone\n", "text is wanted"},
	    {"07-a.lesson", "title: x\n", "title, source, cpus or question is missing"},
	    {"a.lesson", "", "a lesson's file is named NN-NAME.lesson"},
	};
	struct lab_lesson l;
	struct spmu_error err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
		    lab_lesson_read(rows[i][0], rows[i][1], strlen(rows[i][1]), &l, &err),
		    -SPMU_EINVAL);
		assert_non_null(strstr(err.text, rows[i][2]));
		lab_lesson_free(&l);
	}
}

static void every_lesson_has_its_programs(void **state)
{
	struct lab_lesson l;
	struct spmu_error err;

	assert_true(lab_n_lessons() >= 40);
	for (unsigned i = 1; i <= lab_n_lessons(); i++) {
		assert_int_equal(lab_lesson_open(i, &l, &err), 0);
		for (size_t p = 0; p < l.n_program; p++)
			assert_non_null(lab_program_file(&l, p));
		lab_lesson_free(&l);
	}
	assert_int_equal(lab_lesson_open(0, &l, &err), -SPMU_EINVAL);
	lab_lesson_free(&l);
}

static void numbers_are_written_in_groups(void **state)
{
	char text[32];

	lab_number_text(1234567, text);
	assert_string_equal(text, "1,234,567");
	lab_number_text(-12, text);
	assert_string_equal(text, "-12");
	lab_number_text(0.2353, text);
	assert_string_equal(text, "0.235");
	lab_number_text(17.024, text);
	assert_string_equal(text, "17.02");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(formulas_have_their_values),
	    cmocka_unit_test(claims_hold_or_not),
	    cmocka_unit_test(what_is_none_is_refused),
	    cmocka_unit_test(bad_lessons_name_their_line),
	    cmocka_unit_test(every_lesson_has_its_programs),
	    cmocka_unit_test(numbers_are_written_in_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
