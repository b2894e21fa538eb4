/* The guest runtime's list of mappings, against a plain array of pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "guest/memory/vma.c"

#define PAGE	4096ull
#define N_PAGES 256u
#define BASE	0x10000000ull

static struct gst_vma room[512];

static struct gst_vmas empty(uint32_t n)
{
	return (struct gst_vmas){.v = room, .n = 0, .room = n};
}

static struct gst_vma anon(uint64_t page, uint64_t pages, uint32_t prot)
{
	return (struct gst_vma){.lo = BASE + page * PAGE,
				.hi = BASE + (page + pages) * PAGE,
				.prot = prot,
				.flags = MAP_PRIVATE | MAP_ANONYMOUS};
}

static void equal_neighbours_become_one(void **state)
{
	struct gst_vmas l = empty(16);
	struct gst_vma a = anon(0, 2, 3), b = anon(4, 2, 3), c = anon(2, 2, 3), d = anon(6, 1, 1);

	assert_int_equal(gst_vma_add(&l, &a), 0);
	assert_int_equal(gst_vma_add(&l, &b), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(gst_vma_add(&l, &c), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(gst_vma_add(&l, &d), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(gst_vma_protect(&l, d.lo, d.hi, 3), 0);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].hi - l.v[0].lo, 7 * PAGE);
}

static void cutting_keeps_file_offsets(void **state)
{
	struct gst_vmas l = empty(16);
	struct gst_vma f = {.lo = BASE,
			    .hi = BASE + 8 * PAGE,
			    .prot = 1,
			    .flags = MAP_PRIVATE,
			    .off = 5 * PAGE,
			    .ino = 9};

	gst_vma_add(&l, &f);
	assert_int_equal(gst_vma_cut(&l, BASE + 2 * PAGE, BASE + 3 * PAGE), 0);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.v[1].off, 8 * PAGE);
	f.lo = BASE + 2 * PAGE;
	f.hi = BASE + 3 * PAGE;
	f.off = 7 * PAGE;
	gst_vma_add(&l, &f);
	assert_int_equal(l.n, 1);
	assert_int_equal(l.v[0].off, 5 * PAGE);
}

static void a_full_list_says_so(void **state)
{
	struct gst_vmas l = empty(3);
	struct gst_vma a = anon(0, 9, 3), b = anon(20, 1, 3), c = anon(30, 1, 3);

	gst_vma_add(&l, &a);
	assert_int_equal(gst_vma_cut(&l, BASE + PAGE, BASE + 2 * PAGE),
			 0); /* three while it cuts */
	assert_int_equal(gst_vma_add(&l, &b), 0);
	assert_int_equal(gst_vma_add(&l, &c), -ENOMEM);
	assert_int_equal(gst_vma_cut(&l, BASE + 4 * PAGE, BASE + 5 * PAGE), -ENOMEM);
	assert_int_equal(l.n, 3);
}

static void room_is_found_at_both_ends(void **state)
{
	struct gst_vmas l = empty(16);
	struct gst_vma a = anon(2, 2, 3), b = anon(6, 2, 3);
	uint64_t lo = BASE, hi = BASE + 10 * PAGE;

	assert_int_equal(gst_vma_room_up(&l, lo, hi, PAGE), lo);
	assert_int_equal(gst_vma_room_down(&l, lo, hi, PAGE), hi - PAGE);
	gst_vma_add(&l, &a);
	gst_vma_add(&l, &b);
	assert_int_equal(gst_vma_room_up(&l, lo, hi, 2 * PAGE), lo);
	assert_int_equal(gst_vma_room_up(&l, lo + PAGE, hi, 2 * PAGE), BASE + 4 * PAGE);
	assert_int_equal(gst_vma_room_up(&l, lo, hi, 3 * PAGE), 0);
	assert_int_equal(gst_vma_room_down(&l, lo, hi, 2 * PAGE), BASE + 8 * PAGE);
	assert_int_equal(gst_vma_room_down(&l, lo, hi - PAGE, 2 * PAGE), BASE + 4 * PAGE);
	assert_int_equal(gst_vma_room_down(&l, lo, BASE + 4 * PAGE, 2 * PAGE), lo);
	assert_int_equal(gst_vma_room_down(&l, lo, hi, 3 * PAGE), 0);
}

/* prot + 1 per page, 0 = free; the oracle of the random test. */
static uint8_t oracle[N_PAGES];

static void compare(const struct gst_vmas *l)
{
	for (uint32_t i = 0; i < N_PAGES; i++) {
		const struct gst_vma *v = gst_vma_find(l, BASE + i * PAGE);

		assert_int_equal(v ? v->prot + 1 : 0, oracle[i]);
	}
	for (uint32_t i = 0; i < l->n; i++) {
		assert_true(l->v[i].lo < l->v[i].hi);
		assert_true(i == 0 || l->v[i - 1].hi <= l->v[i].lo);
		assert_true(i == 0 || l->v[i - 1].hi < l->v[i].lo ||
			    l->v[i - 1].prot != l->v[i].prot);
	}
}

static void random_changes_agree_with_an_array(void **state)
{
	struct gst_vmas l = empty(512);
	unsigned seed = 1;

	memset(oracle, 0, sizeof(oracle));
	for (int n = 0; n < 20000; n++) {
		uint32_t at = (uint32_t)rand_r(&seed) % N_PAGES,
			 pages = 1 + (uint32_t)rand_r(&seed) % 24;
		uint32_t prot = (uint32_t)rand_r(&seed) % 3;
		struct gst_vma v;

		if (at + pages > N_PAGES)
			pages = N_PAGES - at;
		v = anon(at, pages, prot);
		switch (rand_r(&seed) % 3) {
		case 0:
			assert_int_equal(gst_vma_cut(&l, v.lo, v.hi), 0);
			assert_int_equal(gst_vma_add(&l, &v), 0);
			memset(oracle + at, (int)prot + 1, pages);
			break;
		case 1:
			assert_int_equal(gst_vma_cut(&l, v.lo, v.hi), 0);
			memset(oracle + at, 0, pages);
			assert_true(gst_vma_is_free(&l, v.lo, v.hi));
			break;
		default:
			assert_int_equal(gst_vma_protect(&l, v.lo, v.hi, prot), 0);
			for (uint32_t i = at; i < at + pages; i++)
				oracle[i] = oracle[i] ? (uint8_t)(prot + 1) : 0;
		}
		if (n % 16 == 0)
			compare(&l);
	}
	compare(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(equal_neighbours_become_one),
	    cmocka_unit_test(cutting_keeps_file_offsets),
	    cmocka_unit_test(a_full_list_says_so),
	    cmocka_unit_test(room_is_found_at_both_ends),
	    cmocka_unit_test(random_changes_agree_with_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
