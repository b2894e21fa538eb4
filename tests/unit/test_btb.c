/* Branch prediction: patterns with known answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"
#include "model/parts/btb.h"
#include "model/parts/rsb.h"

static unsigned wrong_of_pattern(unsigned bits, unsigned period, unsigned warm, unsigned counted)
{
	struct btb b;
	unsigned wrong = 0;
	uint32_t at = BTB_MISS;

	assert_int_equal(btb_open(&b, 512, 16), 0);
	for (unsigned i = 0; i < (warm + counted) * period; i++) {
		bool outcome = bits >> i % period & 1;

		if (at == BTB_MISS)
			at = btb_allocate(&b, 0x1234, outcome);
		else if (btb_predict_update(&b, at, outcome) != outcome && i >= warm * period)
			wrong++;
	}
	btb_close(&b);
	return wrong;
}

/* Measured on the machine: every pattern with a period up to 5 is learnt. */
static void short_periods_are_learnt(void **state)
{
	for (unsigned period = 1; period <= 5; period++)
		for (unsigned bits = 0; bits < 1u << period; bits++)
			assert_int_equal(wrong_of_pattern(bits, period, 8, 20), 0);
}

/* Measured: these of period 6 are learnt; 000001 costs one or two per period. */
static void some_of_period_six_are_learnt(void **state)
{
	assert_int_equal(wrong_of_pattern(003, 6, 8, 20), 0);
	assert_int_equal(wrong_of_pattern(005, 6, 8, 20), 0);
	assert_int_equal(wrong_of_pattern(007, 6, 8, 20), 0);
	assert_int_equal(wrong_of_pattern(013, 6, 8, 20), 0);
	assert_in_range(wrong_of_pattern(001, 6, 8, 20), 20, 40);
}

/* Ratios measured for independent random outcomes. */
static void random_outcomes_miss_as_measured(void **state)
{
	static const double p[] = {0.05, 0.15, 0.25, 0.35, 0.45};
	static const double expected[] = {0.0525, 0.171, 0.300, 0.417, 0.490};
	uint64_t rng = 88172645463325252ull;

	for (unsigned k = 0; k < 5; k++) {
		struct btb b;
		unsigned wrong = 0, n = 400000;
		uint32_t at;

		assert_int_equal(btb_open(&b, 512, 16), 0);
		at = btb_allocate(&b, 0x1234, false);
		for (unsigned i = 0; i < n; i++) {
			bool outcome;

			rng = rng * 6364136223846793005ull + 1442695040888963407ull;
			outcome = (double)(rng >> 11) / 9007199254740992.0 < p[k];
			wrong += btb_predict_update(&b, at, outcome) != outcome;
		}
		assert_true((double)wrong / n > expected[k] - 0.01);
		assert_true((double)wrong / n < expected[k] + 0.01);
		btb_close(&b);
	}
}

static void sixteen_branches_share_a_set(void **state)
{
	struct btb b;
	unsigned found = 0;

	assert_int_equal(btb_open(&b, 500, 16), -SPMU_EINVAL);
	assert_int_equal(btb_open(&b, 512, 16), 0);
	for (uint64_t k = 0; k < 16; k++)
		btb_allocate(&b, 0x1005 + 512 * k, true);
	for (uint64_t k = 0; k < 16; k++)
		assert_int_not_equal(btb_find(&b, 0x1005 + 512 * k), BTB_MISS);
	assert_int_equal(btb_find(&b, 0x1006), BTB_MISS); /* same 16 bytes, other branch */
	btb_allocate(&b, 0x1005 + 512 * 16, true);
	for (uint64_t k = 0; k < 17; k++)
		found += btb_find(&b, 0x1005 + 512 * k) != BTB_MISS;
	assert_int_equal(found, 16);
	assert_int_equal(btb_find(&b, 0x1015), BTB_MISS); /* next set is empty */
	btb_close(&b);
}

/* A branch is found where it is, and gets an entry when it is nowhere. */
static void finding_or_allocating_is_finding_and_allocating(void **state)
{
	struct btb one, two;
	uint32_t x = 1;
	unsigned entered = 0;

	for (unsigned ways = 4; ways <= 16; ways += 12) {
		assert_int_equal(btb_open(&one, 32 * ways, ways), 0);
		assert_int_equal(btb_open(&two, 32 * ways, ways), 0);
		for (unsigned k = 0; k < 20000; k++) {
			uint64_t addr;
			uint32_t at, expected;
			bool is_new;

			x = x * 69069 + 1;
			addr = 0x1000 + (x >> 18) % 1000 * 7 + ((uint64_t)(x >> 30) << 32);
			expected = btb_find(&one, addr);
			at = btb_find_or_allocate(&two, addr, x >> 31, &is_new);
			assert_int_equal(is_new, expected == BTB_MISS);
			entered += is_new;
			if (is_new)
				expected = btb_allocate(&one, addr, x >> 31);
			assert_int_equal(at, expected);
			assert_true(btb_is_at(&two, at, addr));
			assert_memory_equal(&one.entry[at], &two.entry[at], sizeof(*one.entry));
		}
		btb_close(&one);
		btb_close(&two);
	}
	assert_in_range(entered, 10000, 39000);
}

static void rsb_remembers_sixteen_calls(void **state)
{
	struct rsb r = {.size = 16};

	for (uint64_t k = 1; k <= 20; k++)
		rsb_push(&r, k);
	for (uint64_t k = 20; k > 4; k--)
		assert_true(rsb_pop(&r) == k);
	assert_true(rsb_pop(&r) == 0);
	rsb_push(&r, 99);
	assert_true(rsb_pop(&r) == 99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(short_periods_are_learnt),
	    cmocka_unit_test(some_of_period_six_are_learnt),
	    cmocka_unit_test(random_outcomes_miss_as_measured),
	    cmocka_unit_test(sixteen_branches_share_a_set),
	    cmocka_unit_test(finding_or_allocating_is_finding_and_allocating),
	    cmocka_unit_test(rsb_remembers_sixteen_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
