/* test_stretch.c -- memory is ready before it is used, never beyond its room, and asked for seldom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/stretch.h"

#define ROOM	(4 * STRETCH_BYTES + 3 * STRETCH_PAGE_BYTES)
#define N_PAGES (ROOM / STRETCH_PAGE_BYTES)

/* Pages from `base` on that are in memory, up to the first that is not. */
static unsigned resident(uint8_t *base)
{
	unsigned char is_there[N_PAGES + 16];
	unsigned n = 0;

	assert_int_equal(mincore(base, ROOM + 16 * STRETCH_PAGE_BYTES, is_there), 0);
	while (n < N_PAGES + 16 && is_there[n] & 1)
		n++;
	return n;
}

static uint8_t *map(void)
{
	uint8_t *p = mmap(NULL, ROOM + 16 * STRETCH_PAGE_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static void test_ahead_of_use(void **state)
{
	uint8_t *p = map();
	uint64_t ready = 0, before = 0;
	unsigned calls = 0;

	if (madvise(p + ROOM, STRETCH_PAGE_BYTES, MADV_POPULATE_WRITE) != 0)
		skip(); /* this kernel cannot */
	madvise(p + ROOM, STRETCH_PAGE_BYTES, MADV_DONTNEED);
	for (uint64_t used = 0; used + 100 < ROOM; used += 100) {
		stretch_ahead(&ready, p, used, ROOM);
		calls += ready != before;
		before = ready;
		assert_true(resident(p) * STRETCH_PAGE_BYTES >= used + 100);
	}
	assert_true(calls < 12);
	assert_int_equal(resident(p), N_PAGES); /* and no more */
	munmap(p, ROOM + 16 * STRETCH_PAGE_BYTES);
}

static void test_keeps_what_is_there(void **state)
{
	uint8_t *p = map();
	uint64_t ready = 0;

	memset(p, 7, 3 * STRETCH_BYTES);
	stretch_ahead(&ready, p, 2 * STRETCH_BYTES, ROOM);
	for (uint64_t i = 0; i < 3 * STRETCH_BYTES; i++)
		assert_int_equal(p[i], 7);
	munmap(p, ROOM + 16 * STRETCH_PAGE_BYTES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_ahead_of_use),
	    cmocka_unit_test(test_keeps_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
