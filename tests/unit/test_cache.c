/* Caches, TLBs, pages and write-combining buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/error.h"
#include "model/parts/cache.h"
#include "model/parts/direct.h"
#include "model/parts/fulltlb.h"
#include "model/parts/pages.h"
#include "model/parts/tlb.h"
#include "model/parts/wcbuf.h"

/* Touch ways in the order of `text` ("0123"), then ask who goes. */
static unsigned victim_after(unsigned ways, bool is_lru, const char *text)
{
	struct repl r;
	uint64_t word;

	repl_init(&r, ways, is_lru);
	word = r.start;
	for (; *text; text++)
		word = repl_touch(&r, word, (unsigned)(*text - '0'));
	return repl_victim(&r, word);
}

static void tree_victims_lie_on_the_side_used_longer_ago(void **state)
{
	assert_int_equal(victim_after(2, false, "01"), 0);
	assert_int_equal(victim_after(2, false, "10"), 1);
	assert_int_equal(victim_after(4, false, "0123"), 0);
	assert_int_equal(victim_after(4, false, "0213"), 0);
	assert_int_equal(victim_after(4, false, "3210"), 3);
	/* the tree forgets: way 1 was used before way 2, but 0 shares its half */
	assert_int_equal(victim_after(4, false, "12030"), 2);
	assert_int_equal(victim_after(8, false, "01234567"), 0);
	assert_int_equal(victim_after(8, false, "0123456"), 0);
	assert_int_equal(victim_after(8, false, "4567012"), 4);
}

static void lru_victims_are_used_longest_ago(void **state)
{
	assert_int_equal(victim_after(4, true, "12030"), 1);
	assert_int_equal(victim_after(4, true, "0123012"), 3);
	assert_int_equal(victim_after(3, true, "012"), 0);
	assert_int_equal(victim_after(3, false, "0120"), 1); /* no tree of three: LRU */
	assert_int_equal(victim_after(8, true, "70123456"), 7);
}

/* What the quick path relies on. */
static void touching_the_last_used_way_changes_nothing(void **state)
{
	for (unsigned ways = 1; ways <= 16; ways++) {
		for (unsigned is_lru = 0; is_lru < 2; is_lru++) {
			struct repl r;
			uint64_t word, rng = 1;

			repl_init(&r, ways, is_lru != 0);
			word = r.start;
			for (unsigned i = 0; i < 2000; i++) {
				unsigned way;

				rng = rng * 6364136223846793005ull + 1442695040888963407ull;
				way = (unsigned)(rng >> 33) % ways;
				word = repl_touch(&r, word, way);
				assert_true(repl_touch(&r, word, way) == word);
				assert_true(ways == 1 || repl_victim(&r, word) != way);
				assert_true(repl_victim(&r, word) < ways);
			}
		}
	}
}

/* The forms without branches that the usual shape uses. */
static void four_ways_without_branches_are_the_tree(void **state)
{
	struct repl r;

	repl_init(&r, 4, false);
	for (uint64_t word = 0; word < 16; word += 2) {
		assert_int_equal(repl_victim_four(word), repl_victim(&r, word));
		for (unsigned way = 0; way < 4; way++)
			assert_int_equal(repl_touch_four(word, 1u << way),
					 repl_touch(&r, word, way));
	}
}

static void four_ways_are_found_and_filled_alike(void **state)
{
	struct cache c;
	struct tlb t, four;

	assert_int_equal(cache_open(&c, 16384, 4, 32, false), 0);
	for (uint32_t way = 0; way < 4; way++)
		cache_place(&c, 5, way, 70 + way, CACHE_E);
	for (uint32_t tag = 69; tag < 75; tag++) {
		int way = cache_find_plain(&c, 5, tag);

		assert_int_equal(cache_hit_of_four((const uint8_t *)cache_tags(&c, 5), tag),
				 way < 0 ? 0 : 1u << way);
	}
	cache_close(&c);
	assert_int_equal(tlb_open(&t, 64, 4, false), 0);
	assert_int_equal(tlb_open(&four, 64, 4, false), 0);
	for (uint64_t i = 0; i < 40; i++) {
		const struct page page = {3 + 16 * (i * 7 % 11), (uint32_t)i, 0};

		tlb_fill(&t, page);
		if (tlb_fill_four(four.entry + 3 * 4, &four.order[3], page) < 0)
			tlb_fill(&four, page);
		assert_memory_equal(t.entry + 3 * 4, four.entry + 3 * 4, 4 * sizeof(page));
		assert_int_equal(t.order[3], four.order[3]);
	}
	tlb_close(&t);
	tlb_close(&four);
}

static void impossible_geometries_are_refused(void **state)
{
	struct cache c;
	struct tlb t;

	assert_int_equal(cache_open(&c, 16 << 10, 3, 32, false), -SPMU_EINVAL);
	assert_int_equal(cache_open(&c, 16 << 10, 4, 24, false), -SPMU_EINVAL);
	assert_int_equal(cache_open(&c, 16 << 10, 32, 32, false), -SPMU_EINVAL);
	assert_int_equal(cache_open(&c, 0, 4, 32, false), -SPMU_EINVAL);
	assert_int_equal(tlb_open(&t, 24, 4, false), -SPMU_EINVAL);
	assert_int_equal(tlb_open(&t, 0, 4, false), -SPMU_EINVAL);
	assert_int_equal(cache_open(&c, 12 << 10, 3, 32, false), 0);
	cache_close(&c);
}

static struct cache_line line(uint32_t page, uint32_t colour, uint32_t in_page)
{
	return (struct cache_line){page, colour, in_page};
}

static void lines_come_back_from_set_and_tag(void **state)
{
	static const uint32_t sizes[] = {1 << 10, 8 << 10, 16 << 10, 512 << 10};

	for (unsigned i = 0; i < 4; i++) {
		struct cache c;

		assert_int_equal(cache_open(&c, sizes[i], 2, 32, false), 0);
		for (uint32_t page = 0; page < 300; page += 7) {
			for (uint32_t in_page = 0; in_page < 128; in_page += 5) {
				struct cache_line l = line(page, page & 63, in_page);
				uint32_t set = cache_set_of(&c, l), tag = cache_tag_of(&c, l);

				assert_true(set < c.n_sets);
				assert_int_equal(cache_page_of(&c, tag), page);
				assert_int_equal(cache_in_page_of(&c, set, tag), in_page);
			}
		}
		cache_close(&c);
	}
}

static void empty_ways_fill_first_and_states_stick(void **state)
{
	struct cache c;

	assert_int_equal(cache_open(&c, 8 << 10, 2, 32, false), 0);
	assert_int_equal(cache_find(&c, 5, 1), CACHE_MISS);
	assert_int_equal(cache_choose(&c, 5), 0);
	cache_place(&c, 5, 0, 1, CACHE_E);
	cache_touch(&c, 5, 0);
	assert_int_equal(cache_choose(&c, 5), 1);
	cache_place(&c, 5, 1, 2, CACHE_M);
	assert_int_equal(cache_find(&c, 5, 1), 0);
	assert_int_equal(cache_find_plain(&c, 5, 2), 1);
	assert_int_equal(cache_state_of(&c, 5, 0), CACHE_E);
	assert_int_equal(cache_state_of(&c, 5, 1), CACHE_M);
	cache_set_state(&c, 5, 1, CACHE_S);
	assert_int_equal(cache_state_of(&c, 5, 1), CACHE_S);
	assert_int_equal(cache_choose(&c, 5), 0);
	cache_drop(&c, 5, 1);
	assert_int_equal(cache_choose(&c, 5), 1);
	assert_int_equal(cache_find(&c, 5, 2), CACHE_MISS);
	cache_close(&c);
}

/* A list of pages, the one used last in front. Returns whether it had the page. */
static bool use_in_list(uint64_t *page, uint32_t n, uint64_t vpn)
{
	uint32_t at = 0;
	bool had;

	while (at < n - 1 && page[at] != vpn)
		at++;
	had = page[at] == vpn;
	for (; at; at--)
		page[at] = page[at - 1];
	page[0] = vpn;
	return had;
}

/* Pages in rounds that do not fit, pages with the same low bits, some used again and again. */
static uint64_t page_of_round(unsigned k, uint32_t n)
{
	switch (k / 2000 % 4) {
	case 0: return k % (n + 3);
	case 1: return (uint64_t)(k * k % 7) << 8 | (k & 1);
	case 2: return k % 5 ? k % (3 * n + 1) : 1000 + k % 3;
	default: return ((uint64_t)k * 2654435761u >> 7) % (2 * n + 1) << 6;
	}
}

static void full_tlb_forgets_what_was_used_longest_ago(void **state)
{
	static const uint32_t sizes[] = {1, 2, 32, 64, FULLTLB_MAX};
	static struct fulltlb t;

	for (unsigned s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		uint64_t list[FULLTLB_MAX];
		unsigned n_hits = 0;

		assert_int_equal(fulltlb_open(&t, sizes[s]), 0);
		for (uint32_t i = 0; i < sizes[s]; i++)
			list[i] = PAGE_NONE;
		for (unsigned k = 0; k < 16000; k++) {
			const uint64_t vpn = page_of_round(k, sizes[s]);
			const struct page *p = k & 1 ? fulltlb_find_again(&t, vpn) : NULL;

			p = p ? p : fulltlb_find(&t, vpn);
			assert_int_equal(p != NULL, use_in_list(list, sizes[s], vpn));
			n_hits += p != NULL;
			if (p)
				assert_int_equal(p->id, vpn + 1);
			else
				fulltlb_fill(&t, (struct page){vpn, (uint32_t)vpn + 1, 0});
		}
		assert_true(n_hits && n_hits < 16000);
		fulltlb_empty(&t);
		assert_null(fulltlb_find(&t, list[0]));
	}
	assert_int_equal(fulltlb_open(&t, 0), -SPMU_EINVAL);
	assert_int_equal(fulltlb_open(&t, FULLTLB_MAX + 1), -SPMU_EINVAL);
}

static void tlb_keeps_its_four_ways(void **state)
{
	struct tlb t;

	assert_int_equal(tlb_open(&t, 32, 4, false), 0);
	for (uint64_t k = 0; k < 5; k++) {
		assert_null(tlb_find(&t, 3 + 8 * k));
		tlb_fill(&t, (struct page){3 + 8 * k, (uint32_t)k, 0});
	}
	assert_null(tlb_find(&t, 3));
	assert_int_equal(tlb_find(&t, 3 + 8 * 4)->id, 4);
	assert_null(tlb_find(&t, 4));
	tlb_close(&t);
}

/* Tags alone say what a cache of one way says. */
static void direct_is_a_cache_of_one_way(void **state)
{
	static const uint32_t sizes[] = {2048, 4096, 65536};

	for (unsigned k = 0; k < 3; k++) {
		struct direct d;
		struct cache c;
		uint64_t rng = 5;
		unsigned n_hit = 0;

		assert_int_equal(direct_open(&d, sizes[k], 32), 0);
		assert_int_equal(cache_open(&c, sizes[k], 1, 32, false), 0);
		for (unsigned i = 0; i < 20000; i++) {
			const uint64_t x = rng = rng * 6364136223846793005u + 1442695040888963407u;
			const struct cache_line l = {x >> 33 & 15, x >> 33 & 15, x >> 40 & 127};
			const uint32_t set = cache_set_of(&c, l), tag = cache_tag_of(&c, l);
			const bool is_there = cache_find(&c, set, tag) >= 0,
				   is_brought = x >> 60 & 1;

			assert_int_equal(direct_see(&d, l, is_brought), is_there);
			n_hit += is_there;
			if (!is_there && is_brought)
				cache_place(&c, set, 0, tag, CACHE_E);
		}
		assert_in_range(n_hit, 100, 19900);
		direct_close(&d);
		cache_close(&c);
	}
}

static void pages_keep_identity_and_colour(void **state)
{
	struct pages p, r;
	unsigned moved = 0;

	assert_int_equal(pages_open(&p, 5, false, 0), 0);
	assert_int_equal(pages_open(&r, 5, true, 1), 0);
	for (uint64_t k = 0; k < 5000; k++) {
		struct page page = pages_get(&p, 0x400 + 3 * k);

		assert_int_equal(page.id, k);
		assert_int_equal(page.colour, (0x400 + 3 * k) & 31);
		assert_int_equal(p.colour[k], page.colour);
		moved += pages_get(&r, 0x400 + 3 * k).colour != page.colour;
	}
	for (uint64_t k = 0; k < 5000; k++)
		assert_int_equal(pages_get(&p, 0x400 + 3 * k).id, k);
	assert_in_range(moved, 4700, 4950); /* 31 of 32 */
	assert_int_equal(pages_get(&p, pages_table_key(1, 0x400)).id, 5000);
	pages_close(&p);
	pages_close(&r);
}

static void pages_of_an_earlier_program_are_given_again(void **state)
{
	struct pages p;
	struct cache c;

	assert_int_equal(pages_open(&p, 5, false, 0), 0);
	assert_int_equal(cache_open(&c, 8192, 2, 32, true), 0);
	for (uint64_t k = 0; k < 3000; k++)
		pages_get(&p, k);
	cache_place(&c, 7, 1, cache_tag_of(&c, (struct cache_line){1, 1, 7}), CACHE_E);
	cache_place(&c, 9, 0, cache_tag_of(&c, (struct cache_line){2999, 2999 & 31, 9}), CACHE_M);
	for (int program = 0; program < 3; program++) {
		pages_forget(&p);
		pages_keep(&p, &c);
		assert_int_equal(pages_get(&p, 1).id, 0);
		assert_int_equal(pages_get(&p, 70000).id, 2);
		assert_int_equal(pages_get(&p, 70000).id, 2);
		for (uint64_t k = 3; k < 2999; k++)
			assert_int_equal(pages_get(&p, 3 * k).id, k);
		assert_int_equal(p.n, 3000 + (uint32_t)(program > 0));
		assert_int_equal(pages_get(&p, 5).id, 3000);
		assert_int_equal(p.colour[3000], 5);
	}
	assert_int_equal(pages_get(&p, 6).id, 3001);
	cache_close(&c);
	pages_close(&p);
}

static void write_combining_knows_full_lines_and_pieces(void **state)
{
	struct wcbuf w = {.n = 1, .size = 4, .line_bytes = 32};

	w.entry[0].line = 7;
	assert_int_equal(wcbuf_find(&w, 7), 0);
	assert_int_equal(wcbuf_find(&w, 8), -1);
	assert_false(wcbuf_write(&w, 0, 0, 16));
	assert_int_equal(wcbuf_pieces(&w, 0), 2);
	assert_false(wcbuf_write(&w, 0, 31, 1));
	assert_int_equal(wcbuf_pieces(&w, 0), 3);
	assert_true(wcbuf_write(&w, 0, 16, 16));
	wcbuf_remove(&w, 0);
	assert_int_equal(w.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(tree_victims_lie_on_the_side_used_longer_ago),
	    cmocka_unit_test(lru_victims_are_used_longest_ago),
	    cmocka_unit_test(touching_the_last_used_way_changes_nothing),
	    cmocka_unit_test(four_ways_without_branches_are_the_tree),
	    cmocka_unit_test(four_ways_are_found_and_filled_alike),
	    cmocka_unit_test(impossible_geometries_are_refused),
	    cmocka_unit_test(lines_come_back_from_set_and_tag),
	    cmocka_unit_test(empty_ways_fill_first_and_states_stick),
	    cmocka_unit_test(tlb_keeps_its_four_ways),
	    cmocka_unit_test(full_tlb_forgets_what_was_used_longest_ago),
	    cmocka_unit_test(direct_is_a_cache_of_one_way),
	    cmocka_unit_test(pages_keep_identity_and_colour),
	    cmocka_unit_test(pages_of_an_earlier_program_are_given_again),
	    cmocka_unit_test(write_combining_knows_full_lines_and_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
