/* chart.h -- numbers as a picture: lines, a heat map or a Pareto front, as SVG or as a script for
 * gnuplot.
 *
 * KINDS   lines  a line for each series over places side by side, which have names
 *         heat   a row for each series, a column for each place; a cell is dark where it is large
 *                among those of its row
 *         front  points at x and value; the steps join those of a series that no other is below in
 *                both
 * SCALES  an axis is logarithmic where its numbers are above 0 and the largest is PLT_WIDE times
 * the smallest; a heat map has none.
 */
#ifndef SOFTPMU_PLOT_CHART_H
#define SOFTPMU_PLOT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLT_WIDE	20.0
#define PLT_MOST_SERIES 200u
#define PLT_MOST_PLACES 10000u

enum plt_kind { PLT_LINES, PLT_HEAT, PLT_FRONT };

struct plt_series {
	const char *name;
	const double *value; /* n_place; NAN: it has none there */
};

/* All is borrowed. */
struct plt_chart {
	enum plt_kind kind;
	const char *title, *x_label, *y_label;
	size_t n_place;
	const char *const *place; /* their names */
	const double *x;	  /* front: where they are; else NULL */
	const struct plt_series *series;
	size_t n_series;
};

/* An axis: its numbers lie at 0 to 1. */
struct plt_axis {
	double low, high, step; /* step: from one tick to the next */
	bool is_log;
};

/* Write it. Names may have any bytes. The caller looks at ferror(out). */
void plt_svg(const struct plt_chart *c, FILE *out);
void plt_gnuplot(const struct plt_chart *c, FILE *out);

/* The axis for the chart's values, or, with is_x, for where its points are. */
struct plt_axis plt_axis_of(const struct plt_chart *c, bool is_x);

/* Where a number lies on it. */
double plt_at(const struct plt_axis *a, double value);

/* Tick i, from 0, or NAN behind the last one. */
double plt_tick(const struct plt_axis *a, unsigned i);

/* A number in few letters, told apart from others `step` away: "1.25M". Buffer is the caller's. */
const char *plt_number(double value, double step, char out[32]);

/* Is point i of the series on its front? */
bool plt_is_front(const struct plt_chart *c, const struct plt_series *s, size_t i);

#endif
