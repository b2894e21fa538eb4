/* The block diagram with counts made up here: every number is in text and SVG, in full, however
 * long; lines keep to their width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/diagram/layout.h"

static const char *const cpus[] = {"pentium", "pentium-mmx", "pentiumpro", "pentium2", "pentium3"};

struct fixture {
	struct evt_events events;
	struct evt_count count[128];
	struct rpt_report report;
};

/* Event i of cpu counts first + 7 i. */
static void set_up(struct fixture *f, const char *cpu, uint64_t first)
{
	memset(f, 0, sizeof(*f));
	f->report =
	    (struct rpt_report){.cpu = cat_find_cpu(cpu), .events = &f->events, .count = f->count};
	assert_int_equal(evt_events_all(f->report.cpu, 3, &f->events, NULL), 0);
	assert_true(f->events.n > 40 && f->events.n < 128);
	for (size_t i = 0; i < f->events.n; i++)
		f->count[i] = (struct evt_count){.value = first + 7 * i, .status = EVT_COUNTED};
}

/* What the picture looks like; the caller frees it. */
static char *draw(const struct fixture *f, bool as_svg, bool has_groups)
{
	const struct dgm_style style = {.is_ascii = true, .has_groups = has_groups};
	struct dgm_picture p;
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(dgm_of_report(&f->report, &p), 0);
	assert_int_equal(as_svg ? dgm_svg(&p, "title", out) : dgm_text(&p, &style, out), 0);
	dgm_free(&p);
	fclose(out);
	return text;
}

static void without_commas(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (*from != ',')
			*to++ = *from;
	*to = 0;
}

/* Does the text have the number, with no digit before or behind it? */
static bool has_number(const char *text, uint64_t value)
{
	char digits[24];
	const int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (const char *at = strstr(text, digits); at; at = strstr(at + 1, digits))
		if (!strchr("0123456789.", at == text ? 'x' : at[-1]) &&
		    (at[n] < '0' || at[n] > '9'))
			return true;
	return false;
}

static size_t longest_line(const char *text)
{
	size_t most = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
		most = strcspn(text, "\n") > most ? strcspn(text, "\n") : most;
	return most;
}

static void check_numbers(const char *cpu, uint64_t first, bool as_svg, bool has_groups)
{
	struct fixture f;
	char *text;

	set_up(&f, cpu, first);
	text = draw(&f, as_svg, has_groups);
	if (!as_svg && first < 10000000000)
		assert_true(longest_line(text) <= DGM_COLUMNS);
	without_commas(text);
	for (size_t i = 0; i < f.events.n; i++)
		if (!has_number(text, f.count[i].value))
			fail_msg("%s: %s is not in the %s: %" PRIu64, cpu, f.events.event[i].name,
				 as_svg ? "SVG" : "text", f.count[i].value);
	free(text);
	evt_events_free(&f.events);
}

static void test_every_number_is_there_in_full(void **state)
{
	for (size_t c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++)
		for (uint64_t first = 1000; first < UINT64_MAX / 100; first *= 10)
			for (int how = 0; how < 4; how++)
				check_numbers(cpus[c], first, how & 1, how & 2);
	check_numbers("pentium3", UINT64_MAX - 1000, false, true);
	check_numbers("pentium-mmx", UINT64_MAX - 1000, true, true);
}

static void test_a_missing_number_says_why(void **state)
{
	struct fixture f;
	char *text;

	set_up(&f, "pentium3", 1000);
	for (size_t i = 0; i < f.events.n; i++)
		f.count[i].status = EVT_NOT_MODELLED;
	text = draw(&f, false, true);
	assert_non_null(strstr(text, "| 45 lines in      not modelled |"));
	assert_null(strstr(text, "1007"));
	free(text);
	text = draw(&f, true, true);
	assert_non_null(strstr(text, ">not modelled<"));
	assert_null(strstr(text, "data-value"));
	free(text);
	evt_events_free(&f.events);
}

static void test_shares(void **state)
{
	static const struct {
		int share;
		uint64_t value;
		const char *text;
	} cases[] = {{-1, 5, ""},	  {0, 0, "0.0%"},      {0, 5, "<0.1%"},	  {1, 5, "0.1%"},
		     {999, 5, "99.9%"},	  {1000, 5, "100%"},   {1005, 5, "101%"}, {9990, 5, "999%"},
		     {99990, 5, "9999%"}, {999999, 5, ">999%"}};
	char out[8];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct dgm_number n = {.share = cases[i].share, .value = cases[i].value};

		assert_string_equal(dgm_share(&n, out), cases[i].text);
		assert_true(strlen(out) <= 5);
	}
}

/* Nothing lies over another thing, and arrows are beside or between their boxes. */
static void test_layout_has_no_overlap(void **state)
{
	for (size_t c = 0; c < sizeof(cpus) / sizeof(cpus[0]); c++) {
		struct dgm_picture p;
		struct dgm_layout l;

		assert_int_equal(dgm_of_cpu(cat_find_cpu(cpus[c]), &p), 0);
		assert_int_equal(dgm_layout_make(&p, DGM_COLUMNS, &l), 0);
		for (size_t i = 0; i < l.n_box; i++)
			for (size_t k = 0; k < i; k++) {
				const struct dgm_box *a = &l.box[i], *b = &l.box[k];

				if (a->is_drawn && b->is_drawn)
					assert_true(a->x1 < b->x0 || b->x1 < a->x0 ||
						    a->y1 < b->y0 || b->y1 < a->y0);
			}
		for (size_t i = 0; i < l.n_way; i++) {
			const struct dgm_way *w = &l.way[i];
			const struct dgm_box *from = &l.box[w->row->from], *to = &l.box[w->row->to];

			if (!w->is_vertical) {
				assert_true(w->y0 > from->y0 && w->y0 > to->y0);
				assert_true((w->y1 < from->y1 || from->row->is_bus) &&
					    (w->y1 < to->y1 || to->row->is_bus));
			} else {
				assert_true(w->y0 > (w->is_back ? to : from)->y1 &&
					    w->y1 < (w->is_back ? from : to)->y0);
			}
		}
		dgm_layout_free(&l);
		dgm_free(&p);
	}
}

static void test_the_toy_has_no_picture(void **state)
{
	struct dgm_picture p;

	assert_int_equal(dgm_of_cpu(cat_find_cpu("toy"), &p), -SPMU_ENOTSUP);
	dgm_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_number_is_there_in_full),
	    cmocka_unit_test(test_a_missing_number_says_why),
	    cmocka_unit_test(test_shares),
	    cmocka_unit_test(test_layout_has_no_overlap),
	    cmocka_unit_test(test_the_toy_has_no_picture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
