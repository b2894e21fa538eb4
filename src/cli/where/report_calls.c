/* report_calls.c -- rows of functions and of calls, for the tables of softpmu report. */
#include "cli/where/report_calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/function_name.h"
#include "cli/cli.h"
#include "where/near.h"

#define NOTE_PERCENT 0.05

static void put_row(struct whr_table *t, const struct whr_function *f, const int64_t *count,
		    uint64_t calls)
{
	t->row[t->n++] = (struct whr_row){.function = f->function,
					  .file = "",
					  .object = f->object,
					  .process = "",
					  .count = count,
					  .self = f->self,
					  .calls = calls};
}

static void put_functions(struct whr_table *t, const struct whr_calls *c)
{
	for (uint32_t i = 0; i < c->n_function; i++) {
		const struct whr_function *f = &c->function[i];
		const bool is_process = !strcmp(f->function, "[process]"); /* all is below it */
		bool is_any = false;

		for (uint32_t e = 0; e < c->n_event; e++)
			is_any |= (is_process ? f->self[e] : f->inclusive[e]) != 0;
		if (is_any || f->calls)
			put_row(t, f, f->inclusive, f->calls);
	}
}

/* Rows of one function's callers or callees. */
static void put_calls(struct whr_table *t, const struct whr_calls *c, bool is_callers,
		      const char *function)
{
	for (uint32_t i = 0; i < c->n_call; i++) {
		const struct whr_call *k = &c->call[i];
		const uint32_t is = is_callers ? k->callee : k->caller,
			       other = is_callers ? k->caller : k->callee;

		if (function_name_is(c->function[is].function, function))
			put_row(t, &c->function[other], k->inclusive, k->calls);
	}
}

static int find_nothing(const struct whr_calls *c, const char *option, const char *function)
{
	struct whr_near near;
	char ask[SPELLING_TEXT];

	whr_near_open(&near, function);
	for (uint32_t i = 0; i < c->n_function; i++)
		whr_near_offer(&near, c->function[i].function, c->function[i].object);
	return cli_fail("report %s %s: no function of the record is called so%s", option, function,
			whr_near_ask(&near, ask));
}

int cli_calls_table(struct whr_table *table, const struct whr_calls *c, enum cli_calls what,
		    const char *function)
{
	const uint32_t most = c->n_function + c->n_call;
	bool is_known = what == CLI_CALLS_INCLUSIVE;

	*table = (struct whr_table){.by = WHR_FUNCTION, .n_event = c->n_event};
	table->row = calloc(most + 1u, sizeof(*table->row));
	if (!table->row)
		return cli_fail("out of memory for the report");
	for (uint32_t i = 0; i < c->n_function && !is_known; i++)
		is_known = function_name_is(c->function[i].function, function);
	if (!is_known)
		return find_nothing(c, what == CLI_CALLS_CALLERS ? "--callers" : "--callees",
				    function);
	if (what == CLI_CALLS_INCLUSIVE)
		put_functions(table, c);
	else
		put_calls(table, c, what == CLI_CALLS_CALLERS, function);
	return 0;
}

void cli_calls_note(const struct whr_calls *c, const struct rec *r, uint32_t event)
{
	const double total = (double)r->event[event].total;

	for (uint32_t i = 0; i < c->n_function; i++) {
		const struct whr_function *f = &c->function[i];
		const double percent = total > 0 ? 100 * (double)f->inclusive[event] / total : 0;

		if (*f->object || percent < NOTE_PERCENT)
			continue;
		if (!strcmp(f->function, "[unknown]"))
			fprintf(stderr,
				"softpmu: %.1f%% of %s lie behind returns that no call explains: "
				"who called there is not known\n",
				percent, r->event[event].name);
		if (!strcmp(f->function, "[deeper]"))
			fprintf(stderr,
				"softpmu: %.1f%% of %s lie in calls that were not told apart: the "
				"program has more calling contexts than softpmu keeps\n",
				percent, r->event[event].name);
	}
}
