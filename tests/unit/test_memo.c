/* States and steps: exact keys, sums over uses, a bounded room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "model/parts/memo.h"

#define MIB (1u << 20)

static void equal_bytes_are_one_state(void **state)
{
	struct memo m;
	uint32_t id[300];
	uint8_t bytes[300];

	assert_int_equal(memo_open(&m, MIB), 0);
	for (unsigned n = 1; n < 300;
	     n++) { /* prefixes of each other, zeros at the end among them */
		memset(bytes, 0, sizeof(bytes));
		bytes[0] = 1;
		assert_int_equal(memo_state_known(&m, bytes, n, memo_state_hash(&m, bytes, n)),
				 MEMO_NONE);
		id[n] = memo_state(&m, bytes, n);
		assert_int_not_equal(id[n], MEMO_NONE);
		for (unsigned k = 1; k < n; k++)
			assert_int_not_equal(id[k], id[n]);
	}
	for (unsigned n = 1; n < 300; n++) {
		unsigned got;
		const uint8_t *kept = memo_state_bytes(&m, id[n], &got);

		assert_int_equal(memo_state(&m, bytes, n), id[n]);
		assert_int_equal(memo_state_known(&m, bytes, n, memo_state_hash(&m, bytes, n)),
				 id[n]);
		assert_int_equal(got, n);
		assert_memory_equal(kept, bytes, n);
	}
	assert_int_equal(m.n_states, 299);
	memo_close(&m);
}

static void each_part_of_the_key_matters(void **state)
{
	struct memo m;
	struct memo_step *s[8];

	assert_int_equal(memo_open(&m, MIB), 0);
	for (unsigned k = 0; k < 8; k++) {
		const struct memo_fact f = {.clk = k};

		assert_null(memo_find(&m, 5 + (k & 1), 7 + (k >> 1 & 1), 9ull << 40 | k >> 2));
		s[k] = memo_add(&m, 5 + (k & 1), 7 + (k >> 1 & 1), 9ull << 40 | k >> 2, &f);
		assert_non_null(s[k]);
	}
	for (unsigned k = 0; k < 8; k++) {
		assert_ptr_equal(memo_find(&m, 5 + (k & 1), 7 + (k >> 1 & 1), 9ull << 40 | k >> 2),
				 s[k]);
		assert_int_equal(s[k]->clk, k);
	}
	memo_close(&m);
}

static void a_guess_is_compared(void **state)
{
	struct memo m;
	struct memo_fact f = {0};
	struct memo_step *a, *b, *c;

	assert_int_equal(memo_open(&m, MIB), 0);
	a = memo_add(&m, 1, 1, 0, &f);
	b = memo_add(&m, 2, 1, 0, &f);
	c = memo_add(&m, 2, 1, 1, &f);
	for (unsigned k = 0; k < 3; k++) {
		assert_ptr_equal(memo_follow(&m, a, 2, 1, 0), b);
		assert_ptr_equal(a->then, b);
		assert_ptr_equal(memo_follow(&m, a, 2, 1, 1), c);
		assert_ptr_equal(a->then, c);
		assert_null(memo_follow(&m, a, 2, 2, 1));
	}
	memo_close(&m);
}

static void count_told(void *ctx, const struct memo_step *s)
{
	*(uint64_t *)ctx += s->times;
}

static void steps_aside_are_found_from_their_step_alone(void **state)
{
	struct memo m;
	const struct memo_fact f = {0};
	struct memo_step *s, *t, *aside[12], *inner;
	uint64_t total[1] = {0}, told = 0;

	assert_int_equal(memo_open(&m, MIB), 0);
	s = memo_add(&m, 1, 1, 0, &f);
	t = memo_add(&m, 2, 1, 0, &f);
	assert_null(memo_aside(&m, s, 0, 0));
	for (unsigned k = 0; k < 12; k++)
		aside[k] = memo_add_aside(&m, s, k / 4, 9ull << 40 | k % 4, &f);
	inner = memo_add_aside(&m, aside[5], 0, 9ull << 40, &f);
	for (unsigned k = 0; k < 100; k++) {
		const unsigned i = k * 7 % 12;

		assert_ptr_equal(memo_aside(&m, s, i / 4, 9ull << 40 | i % 4), aside[i]);
		assert_ptr_equal(memo_step_at(&m, s->aside),
				 aside[i]); /* first in the list from now on */
		assert_null(memo_aside(&m, s, 3, 9ull << 40));
		assert_null(memo_aside(&m, t, i / 4, 9ull << 40 | i % 4));
	}
	assert_ptr_equal(memo_aside(&m, aside[5], 0, 9ull << 40), inner);
	assert_ptr_equal(memo_step_at(&m, inner->from), aside[5]);
	assert_ptr_equal(memo_step_at(&m, inner->first), s);
	assert_null(memo_find(&m, memo_id(&m, s), 0, 9ull << 40));
	memo_use(&m, inner);
	memo_use(&m, inner);
	memo_use(&m, t);
	memo_take(&m, total, count_told, &told);
	assert_int_equal(told, 3);
	memo_close(&m);
}

/* A step that was dropped is not found, those with the same hash are, and its uses count. */
static void a_dropped_step_is_not_found(void **state)
{
	enum { N = 5000 }; /* more than places */
	struct memo m;
	struct memo_fact f = {0};
	struct memo_step *s[N], *again;
	uint64_t told = 0;

	assert_int_equal(memo_open(&m, MIB), 0);
	for (unsigned k = 0; k < N; k++)
		s[k] = memo_add(&m, 1, k, 0, &f);
	for (unsigned k = 0; k < N; k += 3) {
		memo_use(&m, s[k]);
		memo_drop(&m, s[k]);
		assert_int_equal(s[k]->from, MEMO_NONE);
	}
	for (unsigned k = 0; k < N; k++)
		assert_ptr_equal(memo_find(&m, 1, k, 0), k % 3 ? s[k] : NULL);
	again = memo_add(&m, 1, 0, 0, &f);
	assert_ptr_equal(memo_find(&m, 1, 0, 0), again);
	assert_null(memo_follow(&m, s[1], 1, 3, 0));
	memo_take(&m, NULL, count_told, &told);
	assert_int_equal(told, (N + 2) / 3);
	memo_close(&m);
}

static void uses_are_summed_once(void **state)
{
	static const struct memo_delta delta[] = {{3, 2}, {1, 5}};
	struct memo m;
	struct memo_fact f = {.delta = delta, .n_delta = 2, .extra = "carried", .n_extra = 8};
	struct memo_step *s, *t;
	uint64_t total[4] = {0, 0, 0, 100};

	assert_int_equal(memo_open(&m, MIB), 0);
	s = memo_add(&m, 1, 1, 0, &f);
	f.n_delta = 1;
	t = memo_add(&m, 1, 1, 1, &f);
	assert_string_equal(memo_extra(s), "carried");
	assert_string_equal(memo_extra(t), "carried");
	memo_take(&m, total, NULL, NULL);
	assert_int_equal(total[3], 100);
	for (unsigned k = 0; k < 10; k++) {
		memo_use(&m, s);
		memo_use(&m, k & 1 ? t : s);
	}
	memo_take(&m, total, NULL, NULL);
	memo_take(&m, total, NULL, NULL);
	assert_int_equal(total[1], 5 * 15);
	assert_int_equal(total[3], 100 + 2 * 20);
	memo_use(&m, t);
	t->times += 1ull << 33;
	memo_take(&m, total, NULL, NULL);
	assert_true(total[3] == 100 + 2 * 21 + (2ull << 33));
	assert_int_equal(total[1], 5 * 15);
	memo_close(&m);
}

/* A full room says so, and is as new when it was flushed; what it gave out before stays whole until
 * then. */
static void full_is_said_and_flushed(void **state)
{
	struct memo m;
	uint64_t bytes[16] = {0};
	unsigned n = 0, again = 0;

	assert_int_equal(memo_open(&m, MIB), 0);
	for (unsigned round = 0; round < 2; round++) {
		uint32_t id = MEMO_NONE, before = MEMO_NONE;

		for (n = 0;; n++) {
			struct memo_fact f = {.clk = n};

			bytes[15] = n;
			before = id;
			id = memo_state(&m, bytes, sizeof(bytes));
			f.next = id;
			if (!id || (before && !memo_add(&m, before, 4, 4, &f)))
				break;
		}
		assert_in_range(n, 1000, MIB / 128);
		if (!round)
			again = n;
		for (unsigned k = 0, at; k < n; k++) {
			unsigned length;

			bytes[15] = k;
			at = memo_state(&m, bytes, sizeof(bytes));
			assert_int_not_equal(at, MEMO_NONE);
			assert_memory_equal(memo_state_bytes(&m, at, &length), bytes,
					    sizeof(bytes));
			if (k + 1 < n)
				assert_int_equal(memo_find(&m, at, 4, 4)->clk, k + 1);
		}
		memo_flush(&m);
		bytes[15] = 0;
		assert_int_equal(m.n_states, 0);
	}
	assert_int_equal(n, again);
	assert_int_equal(m.n_flushes, 2);
	memo_close(&m);
}

static void impossible_sizes_are_refused(void **state)
{
	struct memo m;

	assert_int_equal(memo_open(&m, MIB - 1), -SPMU_EINVAL);
	memo_close(&m);
	assert_int_equal(memo_open(&m, (1ull << 30) + 1), -SPMU_EINVAL);
	memo_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_bytes_are_one_state),
	    cmocka_unit_test(each_part_of_the_key_matters),
	    cmocka_unit_test(a_guess_is_compared),
	    cmocka_unit_test(steps_aside_are_found_from_their_step_alone),
	    cmocka_unit_test(a_dropped_step_is_not_found),
	    cmocka_unit_test(uses_are_summed_once),
	    cmocka_unit_test(full_is_said_and_flushed),
	    cmocka_unit_test(impossible_sizes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
