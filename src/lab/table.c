/* table.c -- the numbers of a lesson: looked up by name, worked out, and tested against its
 * claims. */
#include "lab/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Which numbers a formula sees. */
struct view {
	const struct lab_table *t;
	const struct lab_row *row; /* at hand, NULL: none */
	size_t run;		   /* its number */
	bool with_try;
};

bool lab_table_has(const struct lab_table *t, size_t column)
{
	return lab_names_have(t->l->column[column].cpus, t->cpu);
}

void lab_table_events(const struct lab_table *t, char *out, size_t n)
{
	size_t at = 0;

	*out = 0;
	for (size_t i = 0; i < t->l->n_column; i++) {
		const struct lab_column *c = &t->l->column[i];

		if (c->event && lab_table_has(t, i) && at < n)
			at += (size_t)snprintf(out + at, n - at, "%s%s", at ? "," : "", c->event);
	}
}

/* The run that the name means: of the try's runs and the others, the last one that counts. */
static const struct lab_row *find_run(const struct view *v, const char *name, size_t *run)
{
	const struct lab_row *found = NULL;

	for (size_t i = 0; i < v->t->l->n_run; i++) {
		const struct lab_run *r = &v->t->l->run[i];

		if (strcmp(r->name, name) || (r->is_of_try && !v->with_try) ||
		    !v->t->row[i].is_done)
			continue;
		found = &v->t->row[i];
		*run = i;
	}
	return found;
}

static bool look_up_column(const void *own, const char *run_name, const char *column, double *out)
{
	const struct view *v = own;
	size_t run = v->run;
	const struct lab_row *row = run_name ? find_run(v, run_name, &run) : v->row;
	const struct lab_program *p;

	if (!row)
		return false;
	for (size_t i = 0; i < v->t->l->n_column; i++)
		if (!strcmp(v->t->l->column[i].name, column) && lab_table_has(v->t, i)) {
			*out = row->number[i].value;
			return row->number[i].is_known;
		}
	if (!strcmp(column, "status")) {
		*out = row->status;
		return true;
	}
	p = &v->t->l->program[v->t->l->run[run].program];
	for (size_t i = 0; i < p->n_symbol; i++)
		if (!strcmp(p->symbol[i].name, column)) {
			*out = p->symbol[i].value;
			return true;
		}
	return false;
}

int lab_table_figures(struct lab_table *t, size_t row, struct spmu_error *err)
{
	const struct view v = {.t = t, .row = &t->row[row], .run = row};

	for (size_t i = 0; i < t->l->n_column; i++) {
		struct lab_number *n = &t->row[row].number[i];

		if (!t->l->column[i].formula || !lab_table_has(t, i))
			continue;
		if (lab_formula(t->l->column[i].formula, look_up_column, &v, &n->value, err))
			return -SPMU_EINVAL;
		n->is_known = true;
	}
	return 0;
}

int lab_table_claim(const struct lab_table *t, size_t i, bool with_try, struct lab_verdict *out,
		    struct spmu_error *err)
{
	const struct view v = {.t = t, .with_try = with_try};

	return lab_claim_test(t->l->claim[i].text, look_up_column, &v, out, err);
}

int lab_table_answer(const struct lab_table *t)
{
	for (size_t i = 0; i < t->l->n_claim; i++)
		if (!t->l->claim[i].is_of_try && lab_names_have(t->l->claim[i].cpus, t->cpu))
			return (int)i;
	return -1;
}

/* Digits in groups of three. */
static void group(int64_t value, char out[32])
{
	char digits[24];
	const int n = snprintf(digits, sizeof(digits), "%" PRId64, value < 0 ? -value : value);
	size_t at = 0;

	if (value < 0)
		out[at++] = '-';
	for (int i = 0; i < n; i++) {
		out[at++] = digits[i];
		if (i + 1 < n && (n - i - 1) % 3 == 0)
			out[at++] = ',';
	}
	out[at] = 0;
}

void lab_number_text(double value, char out[32])
{
	if (value == floor(value) && fabs(value) < 1e15)
		group((int64_t)value, out);
	else
		snprintf(out, 32,
			 fabs(value) < 1     ? "%.3f"
			 : fabs(value) < 100 ? "%.2f"
					     : "%.1f",
			 value);
}
