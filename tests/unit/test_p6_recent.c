/* Older stores and misses: what all entries of a ring at once say is what one after the other says.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/p6/clocks/recent.h"

#define N	4000u
#define NO_LINE (1ull << 60)

struct store {
	uint64_t lin;
	uint32_t bytes;
};

static uint64_t next(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return *x >> 33;
}

/* By the rule: the youngest of the last `stores` whose bytes, in the 4096 of a page, have one in
 * common. */
static unsigned by_rule(const struct store *s, unsigned n, unsigned stores, uint64_t lin,
			uint32_t bytes)
{
	for (unsigned back = 1; back <= stores && back <= n; back++) {
		const struct store *old = &s[n - back];

		for (uint32_t i = 0; i < old->bytes; i++)
			for (uint32_t k = 0; k < bytes; k++)
				if (((old->lin + i) ^ (lin + k)) % 4096 == 0)
					return back;
	}
	return 0;
}

static void stores_are_found(void **state)
{
	static const uint32_t size[] = {1, 2, 4, 8, 16, 0, 10, 64};
	static struct store s[N];
	struct p6_recent r;
	uint64_t x = 1;
	unsigned n_found = 0, n_may = 0;

	p6_recent_open(&r, NO_LINE);
	for (unsigned n = 0; n < N; n++) {
		const uint64_t lin = (next(&x) % 3 << 12) + 4096 - 100 + next(&x) % 200;
		const uint32_t bytes = size[next(&x) % 5];
		unsigned back;

		r.stores = (unsigned)(next(&x) % P6_RECENT_STORES);
		back = p6_recent_store(&r, lin, bytes);
		assert_int_equal(back, by_rule(s, n, r.stores, lin, bytes));
		if (back) {
			assert_true(p6_recent_may_store(&r, lin, lin + bytes - 1) || bytes > 9);
			assert_int_equal(p6_recent_forwards(&r, back, lin, bytes),
					 s[n - back].lin == lin && s[n - back].bytes >= bytes);
		}
		n_found += back != 0;
		n_may += p6_recent_may_store(&r, lin, lin + bytes - 1);
		s[n] = (struct store){(next(&x) % 3 << 12) + 4096 - 100 + next(&x) % 200,
				      size[next(&x) % 8]};
		p6_recent_add_store(&r, s[n].lin, s[n].bytes);
	}
	assert_in_range(n_found, N / 10, N - N / 10);
	assert_in_range(n_may, n_found, N - N / 20); /* it says no, too */
}

static void misses_are_found(void **state)
{
	static uint64_t line[N + 1];
	struct p6_recent r;
	uint64_t x = 2;
	unsigned n_found = 0;

	p6_recent_open(&r, NO_LINE);
	for (unsigned n = 0; n < N; n++) {
		const uint64_t l = next(&x) % 40 * 129;
		uint64_t found = 0;

		r.misses = (unsigned)(next(&x) % P6_RECENT_MISSES);
		for (unsigned back = 0; back < r.misses && back < n && !found; back++)
			if (line[n - back] == l)
				found = n - back;
		assert_int_equal(p6_recent_miss(&r, l), found);
		assert_true(!found || p6_recent_may_miss(&r, l));
		n_found += found != 0;
		line[n + 1] = next(&x) % 40 * 129;
		p6_recent_add_miss(&r, line[n + 1]);
		assert_int_equal(r.n_miss, n + 1);
	}
	assert_in_range(n_found, N / 10, N - N / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stores_are_found),
	    cmocka_unit_test(misses_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
