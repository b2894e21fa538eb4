/* chart.c -- axes, ticks, numbers in few letters, the front. Rules: chart.h. */
#include "plot/chart.h"

#include <math.h>

#define TICKS	   5
#define MOST_TICKS 12u

/* 1, 2 or 5 times a power of ten, at least `least`. */
static double round_step(double least)
{
	const double power = pow(10, floor(log10(least)));

	return least <= power	    ? power
	       : least <= 2 * power ? 2 * power
	       : least <= 5 * power ? 5 * power
				    : 10 * power;
}

static void take(double value, double *low, double *high)
{
	if (isnan(value))
		return;
	*low = value < *low ? value : *low;
	*high = value > *high ? value : *high;
}

struct plt_axis plt_axis_of(const struct plt_chart *c, bool is_x)
{
	struct plt_axis a = {INFINITY, -INFINITY, 1, false};

	for (size_t i = 0; i < c->n_place && is_x; i++)
		take(c->x[i], &a.low, &a.high);
	for (size_t k = 0; k < c->n_series && !is_x; k++)
		for (size_t i = 0; i < c->n_place; i++)
			take(c->series[k].value[i], &a.low, &a.high);
	if (a.low > a.high)
		a.low = a.high = 0;
	if (a.low > 0 && a.high > PLT_WIDE * a.low) {
		a.is_log = true;
		a.low = pow(10, floor(log10(a.low)));
		a.high = pow(10, ceil(log10(a.high)));
		return a;
	}
	if (a.low == a.high) {
		a.low -= a.low ? fabs(a.low) / 10 : 1;
		a.high += a.high ? fabs(a.high) / 10 : 1;
	}
	a.step = round_step((a.high - a.low) / TICKS);
	a.low = floor(a.low / a.step) * a.step;
	a.high = ceil(a.high / a.step) * a.step;
	return a;
}

double plt_at(const struct plt_axis *a, double value)
{
	return a->is_log ? log(value / a->low) / log(a->high / a->low)
			 : (value - a->low) / (a->high - a->low);
}

double plt_tick(const struct plt_axis *a, unsigned i)
{
	const double tick = a->is_log ? a->low * pow(10, i) : a->low + i * a->step;

	return i < MOST_TICKS && tick <= a->high * (1 + 1e-9) + (a->is_log ? 0 : a->step / 2) ? tick
											      : NAN;
}

const char *plt_number(double value, double step, char out[32])
{
	static const struct {
		double least;
		const char *letter;
	} units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0, ""}};
	unsigned u = 0;
	double unit;
	int digits;

	while (units[u].least > fabs(value))
		u++;
	unit = units[u].least ? units[u].least : 1;
	digits = step > 0 ? (int)ceil(-log10(step / unit) - 1e-9) : 0;
	digits = digits < 0 ? 0 : digits > 9 ? 9 : digits;
	snprintf(out, 32, "%.*f%s", digits, value / unit, units[u].letter);
	return out;
}

bool plt_is_front(const struct plt_chart *c, const struct plt_series *s, size_t i)
{
	const double x = c->x[i], y = s->value[i];

	if (isnan(x) || isnan(y))
		return false;
	for (size_t k = 0; k < c->n_place; k++)
		if (c->x[k] <= x && s->value[k] <= y && (c->x[k] < x || s->value[k] < y))
			return false;
	return true;
}
