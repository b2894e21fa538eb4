/* Pages of references that are not the ones used last in their sets of the DTLB, and lines that
 * neither L1D nor L2 has: host code looks at all ways, walks and fills by itself, and every count
 * is as without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "stream.h"
#include "trace/record.h"

#define SET_STRIDE 0x10000u /* pages of the same set of the DTLB: 16 sets of four ways */

/* A block that reads, one that writes, both of 4 bytes, and one that does either, at addresses of
 * its slots. */
struct blocks {
	uint32_t read, write, both;
};

static uint32_t add_block(struct stream *s, uint64_t pc, unsigned first, unsigned second)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, "mov", 4, X86_GRP_INT, 0);
	plan_ref(&p, 4, first);
	if (second) {
		plan_insn(&p, "mov", 4, X86_GRP_INT, 0);
		plan_ref(&p, 4, second);
	}
	return plan_end(&p, s, X86_TERM_FALL, 0);
}

static struct blocks begin(struct stream *s)
{
	stream_open(s);
	return (struct blocks){add_block(s, 0x1000, X86_REF_READ, 0),
			       add_block(s, 0x1010, X86_REF_WRITE, 0),
			       add_block(s, 0x1020, X86_REF_READ, X86_REF_WRITE)};
}

/* By host code, by the loop, plainly: every wire is the same. Leaves the totals in *w. */
static void run_all(const struct stream *s, const struct mdl_config *base, struct wires *w)
{
	static struct wires other[2];
	struct mdl_config cfg = *base;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	cfg.host_code_after = 2;
	stream_run(s, &cfg, &other[0]);
	cfg.has_no_host_code = 1;
	stream_run(s, &cfg, &other[1]);
	cfg.is_plain = 1;
	stream_run(s, &cfg, w);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (other[0].total[i] != w->total[i] || other[1].total[i] != w->total[i])
			fail_msg("%s is %llu by host code, %llu by the loop, %llu plainly",
				 wire[i].name, (unsigned long long)other[0].total[i],
				 (unsigned long long)other[1].total[i],
				 (unsigned long long)w->total[i]);
}

static void assert_misses(struct stream *s, uint64_t misses)
{
	static struct wires w;
	const struct mdl_config cfg = stream_config_untimed(s, "pentium3");

	run_all(s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DTLB_MISS], misses);
	stream_close(s);
}

/* `steps` executions of a block, its addresses going round n_pages pages of one set from `base` on.
 */
static void go_round(struct stream *s, uint32_t id, unsigned n_refs, uint64_t base,
		     unsigned n_pages, unsigned steps)
{
	uint64_t slots[2];

	for (unsigned i = 0; i < steps; i++) {
		for (unsigned k = 0; k < n_refs; k++)
			slots[k] = base + SET_STRIDE * (uint64_t)((n_refs * i + k) % n_pages);
		stream_exec(s, id, slots);
	}
}

/* Four pages have a way each. */
static void four_pages_of_a_set_miss_once_each(void **state)
{
	struct stream s;
	struct blocks b = begin(&s);

	(void)state;
	go_round(&s, b.read, 1, 0x800000, 4, 1000);
	go_round(&s, b.write, 1, 0x801000, 4, 1000);
	go_round(&s, b.both, 2, 0x802000, 4, 1000);
	assert_misses(&s, 12);
}

/* Where fills are all that happens in a set, each takes the next way, so that none of eight pages
 * is there still. */
static void eight_pages_of_a_set_always_miss(void **state)
{
	struct stream s;
	struct blocks b = begin(&s);

	(void)state;
	go_round(&s, b.read, 1, 0x800000, 8, 1000);
	go_round(&s, b.write, 1, 0x801000, 8, 1000);
	go_round(&s, b.both, 2, 0x802000, 8, 1000);
	assert_misses(&s, 4000);
}

/* The upper half of addresses, of which host code knows no tags; the last page of all, whose tag
 * would be that of an empty way. */
static void pages_of_the_upper_half(void **state)
{
	struct stream s;
	struct blocks b = begin(&s);

	(void)state;
	go_round(&s, b.read, 1, 0xffff800000000000, 4, 1000);
	go_round(&s, b.write, 1, 0xfffffffffffc0000, 4, 1000);
	go_round(&s, b.read, 1, 0xffffffffffff1000, 1, 1000);
	go_round(&s, b.write, 1, 0xffffffffffff2000, 1, 1000);
	go_round(&s, b.both, 2, 0xffff800000003000, 8, 1000);
	assert_misses(&s, 10 + 2000);
}

/* A new program, which has blocks of its own, finds an empty TLB. */
static void exec_empties_all_ways(void **state)
{
	struct stream s;
	struct blocks b = begin(&s);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		go_round(&s, b.read, 1, 0x800000, 4, 100);
		go_round(&s, b.write, 1, 0x801000, 3, 100);
		stream_event(&s, TRC_EXEC, "", 0);
		b.read = add_block(&s, 0x2000 + 0x40 * i, X86_REF_READ, 0);
		b.write = add_block(&s, 0x2020 + 0x40 * i, X86_REF_WRITE, 0);
	}
	assert_misses(&s, 21);
}

/* Entries of the tree lose their lines to data, come back in other ways, and are modified by stores
 * into the tables' sets. */
static void walks_whose_lines_move(void **state)
{
	static const uint32_t bytes[] = {0, 16 << 10, 128 << 10};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		static struct wires w;
		struct stream s;
		struct blocks b = begin(&s);
		struct mdl_config cfg = stream_config_untimed(&s, "pentium3");
		uint64_t rng = 17 + i;

		if (bytes[i])
			cfg.l2 = (struct mdl_geom){bytes[i], 4, 0};
		for (unsigned k = 0; k < 40000; k++) {
			const uint64_t x = stream_random(&rng);
			uint64_t slots[2] = {0x800000 + SET_STRIDE * (x >> 8 & 15) +
						 (x >> 20 & 0x3ffc),
					     0x10000000 + ((x >> 36 & 0x3ff) << 12) + (x & 0xffc)};

			if (!(x >> 50 & 63))
				slots[0] |= 0xffff800000000000;
			stream_exec(&s, x & 1 ? b.read : x & 2 ? b.write : b.both, slots);
		}
		cfg.phys = i == 2 ? MDL_PHYS_RANDOM : MDL_PHYS_COLOUR;
		run_all(&s, &cfg, &w);
		assert_true(w.total[WIRE_P6_DTLB_MISS] > 10000);
		stream_close(&s);
	}
}

/* L2 of 1024 sets. In each round walks of eight pages of one set of the DTLB, whose entries lie in
 * eight lines of a table; then eight lines of data, all in the set of L2 that has the first of
 * these: that one is always lost, the others never. */
static void one_line_of_a_table_is_lost_in_each_round(void **state)
{
	enum { ROUNDS = 500, PAGES = 8 };
	static struct wires w;
	struct stream s;
	struct blocks b = begin(&s);
	struct mdl_config cfg = stream_config_untimed(&s, "pentium3");

	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++) {
		go_round(&s, b.read, 1, 0xa000a0, PAGES, PAGES);
		for (uint64_t k = 0; k < PAGES; k++)
			stream_exec(&s, i & 1 ? b.read : b.write,
				    (uint64_t[]){0x1002800 + 0x8000 * k});
	}
	cfg.l2 = (struct mdl_geom){128 << 10, 4, 0};
	run_all(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DTLB_MISS], PAGES * ROUNDS + PAGES);
	/* the directory, the entry of code, those of the first pages but one, those of the others
	 */
	assert_int_equal(w.total[WIRE_P6_WALK_L2_LINE_IN], 1 + 1 + (PAGES - 1) + PAGES + ROUNDS);
	stream_close(&s);
}

/* A space of twice the size of L2, line by line, so that none is there still: written, then another
 * one read three times. Each line that was written leaves L2 modified. */
static void lines_that_no_cache_has(void **state)
{
	enum { L2_BYTES = 128 << 10, LINES = 2 * L2_BYTES / 32, ROUNDS = 3 };
	static struct wires w;
	struct stream s;
	struct blocks b = begin(&s);
	struct mdl_config cfg = stream_config_untimed(&s, "pentium3");

	(void)state;
	for (uint64_t i = 0; i < LINES; i++)
		stream_exec(&s, b.write, (uint64_t[]){0x800000 + 32 * i});
	for (uint64_t i = 0; i < ROUNDS * LINES; i++)
		stream_exec(&s, b.read, (uint64_t[]){0x900000 + 32 * (i % LINES)});
	cfg.l2 = (struct mdl_geom){L2_BYTES, 4, 0};
	run_all(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DCU_LINE_IN], LINES + ROUNDS * LINES);
	assert_int_equal(w.total[WIRE_P6_DCU_MISS_REF_LD], ROUNDS * LINES);
	assert_int_equal(w.total[WIRE_P6_L2_MISS_REF], LINES + ROUNDS * LINES);
	assert_int_equal(w.total[WIRE_P6_L2_M_LINE_OUT], LINES);
	stream_close(&s);
}

/* Spaces of twice the size of L2 once more: one read and another one written line by line, so that
 * what goes from L1D for a line that is read is modified, too; then the second one read and written
 * by the same instruction. */
static void modified_lines_make_room(void **state)
{
	enum { L1D_LINES = (16 << 10) / 32, L2_BYTES = 128 << 10, LINES = 2 * L2_BYTES / 32 };
	static struct wires w;
	struct stream s;
	struct blocks b = begin(&s);
	const uint32_t modify = add_block(&s, 0x1040, X86_REF_READ | X86_REF_WRITE, 0);
	struct mdl_config cfg = stream_config_untimed(&s, "pentium3");

	(void)state;
	for (uint64_t i = 0; i < LINES; i++)
		stream_exec(&s, b.both, (uint64_t[]){0x800000 + 32 * i, 0x900000 + 32 * i});
	for (uint64_t i = 0; i < LINES; i++)
		stream_exec(&s, modify, (uint64_t[]){0x900000 + 32 * i});
	cfg.l2 = (struct mdl_geom){L2_BYTES, 4, 0};
	run_all(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DCU_LINE_IN], 3 * LINES);
	assert_int_equal(w.total[WIRE_P6_DCU_MISS_REF_LD], 2 * LINES);
	assert_int_equal(w.total[WIRE_P6_DCU_MISS_REF_ST], LINES);
	assert_int_equal(w.total[WIRE_P6_L2_MISS_REF], 3 * LINES);
	assert_int_equal(w.total[WIRE_P6_BUS_RFO], LINES);
	assert_int_equal(w.total[WIRE_P6_L2_M_LINE_IN], LINES);
	/* all that was written, less what L1D holds at the end */
	assert_int_equal(w.total[WIRE_P6_DCU_M_LINE_OUT], 2 * LINES - L1D_LINES);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(four_pages_of_a_set_miss_once_each),
	    cmocka_unit_test(eight_pages_of_a_set_always_miss),
	    cmocka_unit_test(pages_of_the_upper_half),
	    cmocka_unit_test(exec_empties_all_ways),
	    cmocka_unit_test(walks_whose_lines_move),
	    cmocka_unit_test(one_line_of_a_table_is_lost_in_each_round),
	    cmocka_unit_test(lines_that_no_cache_has),
	    cmocka_unit_test(modified_lines_make_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
