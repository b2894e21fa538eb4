/* Pairs of codes of accesses: each has one number, until there is no place; then it has none, for
 * good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/p6/clocks/time_key.h"

#define N 4000u

static void numbers_are_one_to_one(void **state)
{
	static struct p6_pairs t;
	static int number[N];
	static uint32_t owner[P6_PAIRS]; /* 1 + the pair that has this number */
	unsigned n = 0;

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < N; i++) {
			/* references 0 to 9, codes as they are met */
			const int k = p6_pair_number(&t, i % 10 << 16 | (i * 37 & 0x7fff),
						     (i % 10 + 1) << 16 | (i & 0x7fff) | 64);

			assert_in_range(k + 1, 0, P6_PAIRS);
			if (round) {
				assert_int_equal(k, number[i]);
				continue;
			}
			number[i] = k;
			if (k < 0)
				continue;
			assert_int_equal(owner[k], 0);
			owner[k] = i + 1;
			n++;
		}
	assert_in_range(n, P6_PAIRS / 2, P6_PAIRS);
}

static void order_counts(void **state)
{
	struct p6_pairs t = {.of = {0}};
	const int k = p6_pair_number(&t, 64, 1u << 16 | 16);

	(void)state;
	assert_true(k >= 0);
	assert_int_equal(p6_pair_number(&t, 64, 1u << 16 | 16), k);
	assert_int_not_equal(p6_pair_number(&t, 1u << 16 | 16, 64), k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(numbers_are_one_to_one),
	    cmocka_unit_test(order_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
