/* units.c -- the estimate behind --clocks sampled, tried on logs of all units (--unit-log), whose
 * totals are known: how far off it is, and how often its intervals hold the truth.
 *
 * units NAME=LOG...: a line per program and distance, then what all of them give. Units lie where
 * sample.c puts them, with 64 seeds. Events of less than 100000
 * are left out, as are estimates that say <too few samples>. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/p6/team/sample.h"

#define X	      ESTIMATE_X
#define LEAST_TOTAL   100000
#define SEEDS	      64u
#define DEFAULT_EVERY 256u /* where --clocks sampled has no number: left open */

struct log {
	const char *name;
	uint64_t n, n_wire, clock;
	double *row; /* n of X covariates and n_wire wires */
	double whole[X], *total;
};

/* What estimates of one kind gave. */
struct score {
	unsigned n, n_held;
	double squares, halves, worst; /* relative to the totals */
};

static const double *unit_of(const struct log *l, size_t i)
{
	return l->row + i * (X + l->n_wire);
}

static int read_log(const char *path, struct log *l)
{
	FILE *f = fopen(path, "rb");
	uint64_t head[3];
	size_t numbers;

	if (!f || fread(head, sizeof(head), 1, f) != 1)
		return -1;
	l->n = head[0], l->n_wire = head[1], l->clock = head[2];
	numbers = l->n * (X + l->n_wire);
	l->row = malloc(numbers * sizeof(double));
	l->total = calloc(l->n_wire, sizeof(double));
	if (!l->row || !l->total || fread(l->row, sizeof(double), numbers, f) != numbers)
		return -1;
	fclose(f);
	for (size_t i = 0; i < l->n; i++) {
		for (unsigned k = 0; k < X; k++)
			l->whole[k] += unit_of(l, i)[k];
		for (unsigned k = 0; k < l->n_wire; k++)
			l->total[k] += unit_of(l, i)[X + k];
	}
	return 0;
}

/* Which units a run takes, and for how many each stands (sample.c). Returns how many. */
static size_t take(const struct log *l, unsigned every, uint32_t seed, struct estimate_unit *unit,
		   size_t *at)
{
	const size_t full = SAMPLE_FULL / SAMPLE_UNIT;
	unsigned d = 1;
	size_t n = 0;

	for (size_t window = 0, begin = 0;; window++, begin += d) {
		size_t i;

		while (d < p6_sample_largest(every, every == DEFAULT_EVERY, begin * SAMPLE_UNIT) &&
		       begin >= full * d)
			d *= 2;
		i = begin + p6_sample_place(seed, window, d);
		if (i >= l->n)
			return n;
		unit[n].d = d;
		memcpy(unit[n].x, unit_of(l, i), sizeof(unit[n].x));
		at[n++] = i;
	}
}

static void add(struct score *s, double off, double half)
{
	s->n++;
	s->n_held += fabs(off) <= half;
	s->squares += off * off;
	s->halves += half;
	s->worst = fabs(off) > s->worst ? fabs(off) : s->worst;
}

static void join(struct score *all, const struct score *s)
{
	all->n += s->n;
	all->n_held += s->n_held;
	all->squares += s->squares;
	all->halves += s->halves;
	all->worst = s->worst > all->worst ? s->worst : all->worst;
}

static double percent(const struct score *s)
{
	return s->n ? 100.0 * s->n_held / s->n : 100;
}

static void print(const char *name, unsigned every, const struct score *clk,
		  const struct score *other)
{
	const double rms = clk->n ? sqrt(clk->squares / clk->n) : 0;

	printf("%s %u: clocks off by %.2f %% rms, %.2f %% at most; %.0f of 100 intervals hold; "
	       "half of "
	       "one is %.1f rms; other events %.0f of 100\n",
	       name, every, 100 * rms, 100 * clk->worst, percent(clk),
	       clk->n ? clk->halves / clk->n / rms : 0, percent(other));
}

static int try(const struct log *l, unsigned every, struct score *clk, struct score *other)
{
	struct estimate_unit *unit = malloc(l->n * sizeof(*unit));
	size_t *at = malloc(l->n * sizeof(*at));
	double *y = malloc(l->n * sizeof(*y));

	for (uint32_t seed = 0; seed < SEEDS && unit && at && y; seed++) {
		const size_t n = take(l, every, seed, unit, at);
		struct estimate e;

		for (size_t i = 0; i < n; i++)
			y[i] = unit_of(l, at[i])[X + l->clock];
		if (estimate_fit(unit, n, l->whole, y, &e))
			return -1;
		for (unsigned k = 0; k < l->n_wire; k++) {
			double sum, half;

			if (l->total[k] < LEAST_TOTAL)
				continue;
			for (size_t i = 0; i < n; i++)
				y[i] = unit_of(l, at[i])[X + k];
			sum = estimate_total(&e, y);
			half = 1.96 * sqrt(estimate_variance(&e, unit, y));
			if (half <= sum / 4)
				add(k == l->clock ? clk : other, sum / l->total[k] - 1,
				    half / l->total[k]);
		}
		estimate_free(&e);
	}
	free(unit);
	free(at);
	free(y);
	return 0;
}

int main(int argc, char **argv)
{
	static const unsigned distance[] = {16, 64, 256};
	struct score all = {0}, all_others = {0};

	for (int i = 1; i < argc; i++) {
		char *is = strchr(argv[i], '=');
		struct log l = {.name = argv[i]};

		if (!is)
			return 2;
		*is = 0;
		if (read_log(is + 1, &l)) {
			printf("%s: no log\n", l.name);
			return 1;
		}
		for (size_t d = 0; d < sizeof(distance) / sizeof(*distance); d++) {
			struct score clk = {0}, other = {0};

			if (try(&l, distance[d], &clk, &other))
				return 1;
			print(l.name, distance[d], &clk, &other);
			join(&all, &clk);
			join(&all_others, &other);
		}
		free(l.row);
		free(l.total);
	}
	print("all", 0, &all, &all_others);
	return 0;
}
