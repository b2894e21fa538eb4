/* stack.c -- parts of a whole: metrics of one stack as shares of their sum. */
#include <string.h>

#include "report/report.h"

/* Value of metric k; 0 when it has none. */
static double value_of(const struct rpt_report *r, size_t k)
{
	const struct evt_value v =
	    evt_formula_value(&r->metrics->metric[k].formula, r->events, r->count);

	return v.status == EVT_COUNTED && v.value > 0 ? (double)v.value : 0;
}

static bool is_part_of(const struct rpt_report *r, size_t k, const char *stack)
{
	return !strcmp(r->metrics->metric[k].row->stack, stack);
}

/* Thousandths of the whole that metric k has, without what rounding leaves over; *rest receives
 * that of this one. */
static int whole_part(double value, double sum, double *rest)
{
	const double exact = 1000 * value / sum;
	const int n = (int)exact;

	*rest = exact - n;
	return n;
}

/* Each part is rounded down to a thousandth. The thousandths that are missing go to the parts that
 * lost most, one each, the earlier of equal ones first: so the parts that are shown sum to the
 * whole. */
int rpt_stack_share(const struct rpt_report *r, int metric)
{
	const char *stack = r->metrics->metric[metric].row->stack;
	double sum = 0, own_rest, rest;
	int missing = 1000, own, before = 0;

	if (!*stack)
		return -1;
	for (size_t k = 0; k < r->metrics->n; k++)
		sum += is_part_of(r, k, stack) ? value_of(r, k) : 0;
	if (sum <= 0)
		return -1;
	own = whole_part(value_of(r, (size_t)metric), sum, &own_rest);
	for (size_t k = 0; k < r->metrics->n; k++) {
		if (!is_part_of(r, k, stack))
			continue;
		missing -= whole_part(value_of(r, k), sum, &rest);
		before += rest > own_rest || (rest == own_rest && (int)k < metric);
	}
	return own + (before < missing);
}

bool rpt_is_largest_share(const struct rpt_report *r, int metric)
{
	const char *stack = r->metrics->metric[metric].row->stack;
	const int own = rpt_stack_share(r, metric);

	for (size_t k = 0; k < r->metrics->n; k++) {
		const int other = is_part_of(r, k, stack) ? rpt_stack_share(r, (int)k) : -1;

		if (other > own || (other == own && (int)k < metric))
			return false;
	}
	return own > 0;
}
