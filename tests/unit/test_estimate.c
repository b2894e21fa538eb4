/* The estimate from samples: exact where it must be, linear, and with intervals that hold the
 * truth as often as they say. The population is made here, so its total is known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/parts/estimate.h"

enum { N = 20000, DISTANCE = 64 };

struct population {
	double x[N][ESTIMATE_X], y[N], z[N];
	double whole[ESTIMATE_X], total;
};

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / (double)(1ull << 53);
}

/* y is 1.5 a unit of size, 12 and 20 for two covariates, and noise of the given half width. */
static void make(struct population *p, uint64_t seed, double noise)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < N; i++) {
		p->x[i][0] = 4096 + floor(8 * uniform(&seed));
		for (unsigned j = 1; j < ESTIMATE_X; j++)
			p->x[i][j] = floor(100 * uniform(&seed) * uniform(&seed));
		p->y[i] = 1.5 * p->x[i][0] + 12 * p->x[i][1] + 20 * p->x[i][2] +
			  noise * (2 * uniform(&seed) - 1);
		p->z[i] = 3 * p->x[i][3] + 5;
		p->total += p->y[i];
		for (unsigned j = 0; j < ESTIMATE_X; j++)
			p->whole[j] += p->x[i][j];
	}
}

/* Every DISTANCE-th unit from `offset` on. Returns how many. */
static size_t take(const struct population *p, size_t offset, struct estimate_unit *unit, double *y,
		   double *z)
{
	size_t n = 0;

	for (size_t i = offset; i < N; i += DISTANCE, n++) {
		memcpy(unit[n].x, p->x[i], sizeof(unit[n].x));
		unit[n].d = DISTANCE;
		y[n] = p->y[i];
		z[n] = p->z[i];
	}
	return n;
}

static struct population pop;
static struct estimate_unit unit[N];
static double y[N], z[N], both[N];

static void all_units_are_exact(void **state)
{
	struct estimate e;

	(void)state;
	make(&pop, 1, 900);
	for (size_t i = 0; i < N; i++) {
		memcpy(unit[i].x, pop.x[i], sizeof(unit[i].x));
		unit[i].d = 1;
	}
	assert_int_equal(estimate_fit(unit, N, pop.whole, pop.y, &e), 0);
	assert_true(fabs(estimate_total(&e, pop.y) / pop.total - 1) < 1e-9);
	assert_true(estimate_variance(&e, unit, pop.y) == 0);
	estimate_free(&e);
}

static void what_covariates_say_is_exact_and_sums_stay_sums(void **state)
{
	struct estimate e;
	size_t n;

	(void)state;
	make(&pop, 2, 0);
	n = take(&pop, 17, unit, y, z);
	for (size_t i = 0; i < n; i++)
		both[i] = y[i] + z[i];
	assert_int_equal(estimate_fit(unit, n, pop.whole, y, &e), 0);
	assert_true(fabs(estimate_total(&e, y) / pop.total - 1) < 1e-6);
	assert_true(fabs(estimate_total(&e, both) - estimate_total(&e, y) - estimate_total(&e, z)) <
		    1);
	estimate_free(&e);
}

/* 40 populations, each with all its offsets: of 2560 intervals at 95 % some 2432 hold the total.
 * Less than nine in ten of them, or a mean half-width of more than three times the error, is a
 * fault. */
static void intervals_hold_the_total_as_often_as_they_say(void **state)
{
	unsigned held = 0, all = 0;
	double squares = 0, widths = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		make(&pop, seed, 2000);
		for (size_t offset = 0; offset < DISTANCE; offset++) {
			const size_t n = take(&pop, offset, unit, y, z);
			struct estimate e;
			double off, half;

			assert_int_equal(estimate_fit(unit, n, pop.whole, y, &e), 0);
			off = fabs(estimate_total(&e, y) - pop.total);
			half = 1.96 * sqrt(estimate_variance(&e, unit, y));
			held += off <= half;
			all++;
			squares += off * off;
			widths += half;
			estimate_free(&e);
		}
	}
	assert_int_equal(all, 2560);
	assert_in_range(held, all * 92 / 100, all * 98 / 100);
	assert_true(widths / all < 3 * sqrt(squares / all));
}

/* Units that look alike say nothing of what is not among them: the interval is not 0, and is as
 * wide as three units in ten. */
static void units_that_look_alike_have_an_interval(void **state)
{
	struct estimate e;
	size_t n;

	(void)state;
	make(&pop, 4, 0);
	n = take(&pop, 9, unit, y, z);
	for (size_t i = 0; i < n; i++) {
		memcpy(unit[i].x, unit[0].x, sizeof(unit[i].x));
		y[i] = 1000;
	}
	assert_int_equal(estimate_fit(unit, n, pop.whole, y, &e), 0);
	assert_true(fabs(1.96 * sqrt(estimate_variance(&e, unit, y)) -
			 0.3 * estimate_total(&e, y) / (double)n) < 1);
	estimate_free(&e);
}

static void a_handful_of_units_gives_no_interval(void **state)
{
	struct estimate e;
	size_t n;

	(void)state;
	make(&pop, 3, 10);
	n = take(&pop, 5, unit, y, z);
	y[n / 2] += 1e7; /* one unit holds nearly all of the residuals */
	assert_int_equal(estimate_fit(unit, n, pop.whole, y, &e), 0);
	assert_true(isinf(estimate_variance(&e, unit, y)));
	estimate_free(&e);
	assert_int_equal(estimate_fit(unit, 4, pop.whole, y, &e), 0);
	assert_true(isinf(estimate_variance(&e, unit, y)));
	estimate_free(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_units_are_exact),
	    cmocka_unit_test(what_covariates_say_is_exact_and_sums_stay_sums),
	    cmocka_unit_test(intervals_hold_the_total_as_often_as_they_say),
	    cmocka_unit_test(units_that_look_alike_have_an_interval),
	    cmocka_unit_test(a_handful_of_units_gives_no_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
