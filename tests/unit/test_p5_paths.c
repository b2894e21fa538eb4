/* The loop and the plain path of the P5 agree on every wire, whatever the stream; wires that user
 * programs cannot raise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "gen/wires_p5.h"
#include "stream.h"
#include "trace/record.h"

enum { N_BLOCKS = 200, MOST_STEPS = 40000, CODE = 0x400000, CODE_BYTES = 0x8000 };

struct insn_kind {
	const char *mnemonic;
	uint8_t group;
	uint32_t flags;
};

static const struct insn_kind kinds[] = {
    {"add", X86_GRP_INT, 0},
    {"mov", X86_GRP_INT, 0},
    {"imul", X86_GRP_INT, 0},
    {"fadd", X86_GRP_X87, 0},
    {"movq", X86_GRP_MMX, 0},
    {"paddsb", X86_GRP_MMX, 0},
    {"addps", X86_GRP_SSE, 0},
    {"cmovz", X86_GRP_INT, 0},
    {"emms", X86_GRP_MMX, 0},
    {"add", X86_GRP_INT, X86_I_LOCK},
    {"std", X86_GRP_INT, X86_I_SETS_DF},
    {"cld", X86_GRP_INT, X86_I_CLEARS_DF},
    {"cpuid", X86_GRP_INT, X86_I_SERIALIZE},
    {"pop", X86_GRP_INT, X86_I_SEG_LOAD},
    {"prefetcht0", X86_GRP_SSE, 0},
    {"movsd", X86_GRP_INT, X86_I_STRING | X86_I_REP},
    {"stosw", X86_GRP_INT, X86_I_STRING | X86_I_REP},
    {"lodsb", X86_GRP_INT, X86_I_STRING | X86_I_REP},
};

static void add_rep(struct block_plan *p, char kind)
{
	struct x86_rep *r = &p->rep[p->block.n_rep];
	const unsigned bytes = kind == 'm' ? 4 : kind == 's' ? 2 : 1;

	p->insn[p->block.n_insn - 1].rep = p->block.n_rep++;
	*r = (struct x86_rep){.insn = (uint8_t)(p->block.n_insn - 1),
			      .slot_after = X86_NO_SLOT,
			      .element_bytes = (uint8_t)bytes,
			      .slot_src = X86_NO_SLOT,
			      .slot_dst = X86_NO_SLOT};
	if (kind != 's')
		r->slot_src = plan_ref(p, bytes, X86_REF_READ | X86_REF_REP)->slot;
	if (kind != 'l')
		r->slot_dst = plan_ref(p, bytes, X86_REF_WRITE | X86_REF_REP)->slot;
	r->slot_count = p->block.n_slot++;
	p->slot[r->slot_count].kind = X86_SLOT_REG_AFTER; /* marks counts for fill_slots() */
}

static void add_random_insn(struct block_plan *p, uint64_t *rng)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 4, 8, 8, 10, 16, 6, 32, 64, 108};
	const uint64_t x = stream_random(rng);
	const unsigned n_kinds = sizeof(kinds) / sizeof(kinds[0]);
	const struct insn_kind *k = &kinds[x % 8 ? x / 8 % 8 : x / 8 % n_kinds];

	plan_insn(p, k->mnemonic, 1 + x / 256 % 7, k->group, k->flags);
	if (k->flags & X86_I_REP) {
		if (p->block.n_rep < 4)
			add_rep(p, k->mnemonic[0]);
		else
			p->insn[p->block.n_insn - 1].flags = 0;
		return;
	}
	if (!strcmp(k->mnemonic, "prefetcht0")) {
		plan_ref(p, 1, X86_REF_PREFETCH);
		return;
	}
	for (unsigned n = x >> 20 & 1; n <= 1; n++) {
		const uint64_t y = stream_random(rng);
		struct x86_ref *r = plan_ref(p, sizes[y % sizeof(sizes)], 1 + y / 16 % 3);

		r->disp = y >> 20 & 0x3f;
		if (!(y >> 30 & 7)) {
			r->slot2 = p->block.n_slot++;
			r->scale = (uint8_t)(1u << (y >> 33 & 3));
		}
		if (!(y >> 36 & 15))
			r->flags |= X86_REF_FS;
	}
}

static void make_blocks(struct stream *s, uint64_t *rng)
{
	static struct block_plan p;

	for (unsigned i = 0; i < N_BLOCKS; i++) {
		const uint64_t x = stream_random(rng);

		plan_begin(&p, CODE + x % CODE_BYTES);
		for (unsigned n = 1 + x / CODE_BYTES % 7; n; n--)
			add_random_insn(&p, rng);
		if (i % 3) {
			plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
			plan_end(&p, s, X86_TERM_JCC,
				 i % 3 == 1 ? x86_store_count(s->store)
						  ? x86_store_get(s->store, i / 2)->pc
						  : CODE
					    : p.block.pc + p.block.bytes);
		} else {
			plan_end(&p, s, X86_TERM_FALL, 0);
		}
	}
}

static uint64_t random_address(uint64_t *rng)
{
	const uint64_t x = stream_random(rng);

	switch (x & 15) {
	case 0: return 0x10000000 + (x >> 8) % 0x4000000; /* far and wide */
	case 1: return ~(x >> 8);			  /* not canonical */
	case 2:
	case 3: return 0x20000000 + ((x >> 8) % 6 << 12 | (x >> 12 & 0x3f)); /* one L1D set */
	case 4: return 0x7ff000 + (x >> 8) % 0x6000;		/* near, at odd places */
	default: return 0x7ff000 + ((x >> 8) % 0x3000 & ~7ull); /* near and aligned */
	}
}

static void fill_slots(const struct x86_block *b, uint64_t *slots, uint64_t *rng)
{
	for (unsigned k = 0; k < b->n_slot; k++) {
		slots[k] = random_address(rng);
		if (b->slot[k].kind == X86_SLOT_REG_AFTER)
			slots[k] = stream_random(rng) % 100;
	}
}

static void make_stream(struct stream *s, uint64_t seed)
{
	uint64_t rng = seed, slots[X86_MAX_SLOTS + 1], partial[2 + X86_MAX_SLOTS];

	stream_open(s);
	make_blocks(s, &rng);
	for (unsigned i = 0; i < stream_steps(MOST_STEPS); i++) {
		const uint64_t x = stream_random(&rng);
		const uint32_t id =
		    (uint32_t)(x >> 40 & 3 ? x % 16 + i / 4000 * 16 : x % N_BLOCKS) % N_BLOCKS;
		const struct x86_block *b = x86_store_get(s->store, id);

		fill_slots(b, slots, &rng);
		if (x % 301 == 0) {
			uint32_t head[2] = {id, (uint32_t)(x / 301 % (b->n_insn + 1u))};

			memcpy(partial, head, 8);
			memcpy(partial + 1, slots, 8 * b->n_slot);
			stream_event(s, TRC_PARTIAL, partial, 8 + 8u * b->n_slot);
			stream_event(s, TRC_GO, &b->pc, 8);
		} else {
			stream_exec(s, id, slots);
			if (b->term == X86_TERM_JCC && b->target == b->fall && x >> 50 & 1)
				stream_event(s, TRC_TAKEN, "", 0);
		}
		if (x % 1009 == 0)
			stream_event(s, TRC_FS_BASE, &slots[0], 8);
		if (x % 7919 == 0)
			stream_event(s, TRC_EXEC, "", 0);
		if (x % 1013 == 0)
			stream_event(s, TRC_UNKNOWN_INSN, (uint32_t[]){CODE, 0, 3}, 12);
		if (x % 211 == 0) {
			stream_event(s, TRC_GO, &b->pc, 8);
			stream_event(s, TRC_THREAD, (uint32_t[]){(uint32_t)(x / 211 % 7), 0}, 8);
		}
	}
}

/* Where both drive a wire they agree. */
static void assert_equal_wires(const struct wires *a, const struct wires *b, const char *what)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < WIRE_N; i++)
		if (a->driven[i] && b->driven[i] && a->total[i] != b->total[i])
			fail_msg("%s: %s is %llu and %llu", what, wire[i].name,
				 (unsigned long long)a->total[i], (unsigned long long)b->total[i]);
}

/* The loop and the plain path, without clocks and with them; clocks change no count that needs
 * none. */
static void assert_same(const struct stream *s, struct mdl_config cfg, const char *what)
{
	static struct wires quick, plain, timed, timed_plain, timed_full;
	struct mdl_config untimed = cfg;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < WIRE_N; i++)
		untimed.wanted[i] = wire[i].tier < 3;
	stream_run(s, &untimed, &quick);
	stream_run(s, &cfg, &timed);
	cfg.has_no_memo = 1;
	stream_run(s, &cfg, &timed_full);
	untimed.is_plain = cfg.is_plain = 1;
	stream_run(s, &untimed, &plain);
	stream_run(s, &cfg, &timed_plain);
	assert_false(quick.driven[WIRE_P5_CORE_CLK]);
	assert_true(timed.driven[WIRE_P5_CORE_CLK]);
	assert_equal_wires(&quick, &plain, what);
	assert_equal_wires(&timed, &timed_full, what);
	assert_equal_wires(&timed, &timed_plain, what);
	assert_equal_wires(&quick, &timed, what);
	assert_true(quick.total[WIRE_P5_DCACHE_WRITE_MISS] > 100);
	assert_true(quick.total[WIRE_P5_DCACHE_WRITE_BACK] > 100);
	assert_true(quick.total[WIRE_P5_BUS_LOCKED] > 100);
	assert_true(quick.total[WIRE_P5_CORE_TAKEN] > 100);
	assert_true(timed.total[WIRE_P5_ICACHE_MISS] > 100);
	assert_true(timed.total[WIRE_P5_BTB_HIT] > 100);
}

static void quick_equals_plain_on_every_processor(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-60", "pentium-mmx"};

	for (unsigned i = 0; i < 6; i++) {
		struct stream s;

		make_stream(&s, 77 + i);
		assert_same(&s, stream_config(&s, cpus[i % 3]), cpus[i % 3]);
		stream_close(&s);
	}
}

static void quick_equals_plain_on_several_processors(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};
	static struct wires w;

	for (unsigned i = 0; i < 4; i++) {
		struct stream s;
		struct mdl_config cfg;

		make_stream(&s, 901 + i);
		cfg = stream_config(&s, cpus[i % 2]);
		cfg.n_cpus = 2 + i;
		cfg.phys = i == 3 ? MDL_PHYS_RANDOM : MDL_PHYS_COLOUR;
		assert_same(&s, cfg, "several processors");
		stream_run(&s, &cfg, &w);
		assert_true(w.total[WIRE_P5_BUS_SNOOP] > w.total[WIRE_P5_BUS_SNOOP_HIT]);
		assert_true(w.total[WIRE_P5_BUS_SNOOP_HIT] > 100);
		assert_true(i == 0 || w.total[WIRE_P5_BUS_OWNER_CHANGE] == 0); /* no pair */
		assert_true(i != 0 || w.total[WIRE_P5_BUS_OWNER_CHANGE] > 100);
		stream_close(&s);
	}
}

/* Totals are the sums of what each processor counted. */
static void processors_add_up(void **state)
{
	static struct wires w;
	uint64_t sum[WIRE_N] = {0};
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;

	make_stream(&s, 41);
	cfg = stream_config(&s, "pentium-mmx");
	cfg.n_cpus = 3;
	memset(&w, 0, sizeof(w));
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_int_equal(mdl_feed(m, s.bytes, s.n), 0);
	mdl_finish(m);
	for (unsigned cpu = 0; cpu < 3; cpu++) {
		const uint64_t before = sum[WIRE_P5_CORE_INST];

		mdl_cpu_totals(m, cpu, sum);
		assert_true(sum[WIRE_P5_CORE_INST] > before);
	}
	for (unsigned i = 0; i < WIRE_N; i++)
		assert_true(!w.driven[i] || w.total[i] == sum[i]);
	mdl_close(m);
	stream_close(&s);
}

static void quick_equals_plain_under_every_setting(void **state)
{
	struct stream s;
	struct mdl_config cfg;

	make_stream(&s, 5);
	cfg = stream_config(&s, "pentium-mmx");
	cfg.replace = MDL_REPLACE_LRU;
	assert_same(&s, cfg, "lru");
	cfg = stream_config(&s, "pentium");
	cfg.phys = MDL_PHYS_RANDOM;
	cfg.phys_seed = 9;
	assert_same(&s, cfg, "random frames");
	cfg.l1d = (struct mdl_geom){64 << 10, 2, 0}; /* ways larger than a page */
	assert_same(&s, cfg, "random frames, large ways");
	cfg = stream_config(&s, "pentium");
	cfg.l1d = (struct mdl_geom){1 << 10, 1, 64};
	cfg.dtlb = (struct mdl_geom){2, 1, 0};
	assert_same(&s, cfg, "small and direct mapped");
	cfg.l1d = (struct mdl_geom){12 << 10, 3, 16};
	cfg.dtlb = (struct mdl_geom){8, 8, 0};
	assert_same(&s, cfg, "three ways of short lines");
	cfg = stream_config(&s, "pentium");
	cfg.p5.has_errata = 1;
	assert_same(&s, cfg, "errata");
	cfg.uncached[0] = (struct mdl_range){0x7ff100, 0x800100};
	cfg.n_uncached = 1;
	assert_same(&s, cfg, "memory that is not cacheable");
	stream_close(&s);
}

static void what_is_wanted_changes_no_count(void **state)
{
	static struct wires all, some;
	struct stream s;
	struct mdl_config cfg;

	make_stream(&s, 21);
	cfg = stream_config(&s, "pentium-mmx");
	stream_run(&s, &cfg, &all);
	memset(cfg.wanted, 0, sizeof(cfg.wanted));
	stream_run(&s, &cfg, &some);
	assert_true(some.driven[WIRE_P5_MMX_SWITCH]);
	assert_false(some.driven[WIRE_P5_DCACHE_READ]);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (some.driven[i])
			assert_true(some.total[i] == all.total[i]);
	stream_close(&s);
}

/* Bytes of the record at p. */
static size_t record_bytes(const uint8_t *p)
{
	uint32_t head[2];

	memcpy(head, p, sizeof(head));
	return head[0] >= TRC_SPECIAL ? 8 + head[1] : (size_t)trc_block_bytes(head[0]);
}

/* Ids may become void while a block waits for its outcome and an instruction for its partner. */
static void forgetting_changes_no_clock(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};

	for (unsigned i = 0; i < 2; i++) {
		static struct wires whole, pieces;
		struct stream s;
		struct mdl_config cfg;
		struct mdl *m;

		make_stream(&s, 31 + i);
		cfg = stream_config(&s, cpus[i]);
		stream_run(&s, &cfg, &whole);
		memset(&pieces, 0, sizeof(pieces));
		assert_int_equal(mdl_open(&cfg, &pieces, &m), 0);
		for (size_t at = 0, n; at < s.n; at += n) {
			n = record_bytes(s.bytes + at);
			assert_int_equal(mdl_feed(m, s.bytes + at, n), 0);
			if (at % 5 == 0)
				mdl_forget_blocks(m);
		}
		mdl_finish(m);
		mdl_close(m);
		assert_memory_equal(whole.total, pieces.total, sizeof(whole.total));
		stream_close(&s);
	}
}

/* Blocks fed instruction by instruction count what they do in one, in as many clocks. */
static void pieces_are_the_whole(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};

	(void)state;
	for (unsigned i = 0; i < 4 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct mdl_config cfg;
		struct stream s;

		make_stream(&s, 501 + i);
		cfg =
		    i & 1 ? stream_config(&s, cpus[i / 4]) : stream_config_untimed(&s, cpus[i / 4]);
		stream_check_pieces(&s, 1 + i % 4, &cfg);
		stream_close(&s);
	}
}

/* Tier 1 counts what the stream does on the wires that both drive; ids may be forgotten in between.
 */
static void counting_blocks_equals_the_stream(void **state)
{
	static struct wires stream, counts;
	static struct block_plan p;
	uint64_t slot[1] = {0x5000};
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "fmul", 2, X86_GRP_X87, 0);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
	id = plan_end(&p, &s, X86_TERM_JCC, 0x1000);
	for (unsigned i = 0; i < 10; i++)
		stream_exec(&s, id, slot);
	cfg = stream_config(&s, "pentium");
	stream_run(&s, &cfg, &stream);
	memset(&counts, 0, sizeof(counts));
	cfg.is_count_only = 1;
	assert_int_equal(mdl_open(&cfg, &counts, &m), 0);
	assert_int_equal(mdl_add_counts(m, id, 6, 6), 0);
	mdl_forget_blocks(m);
	assert_int_equal(mdl_add_counts(m, id, 4, 3), 0);
	assert_int_equal(mdl_add_counts(m, 1, 10, 9), -SPMU_EPROTO);
	assert_int_equal(mdl_instructions(m), 30);
	mdl_finish(m);
	mdl_finish(m); /* twice is once */
	mdl_close(m);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (counts.driven[i])
			assert_true(counts.total[i] == stream.total[i]);
	assert_false(counts.driven[WIRE_P5_DCACHE_READ]);
	assert_int_equal(counts.total[WIRE_P5_CORE_TAKEN], 9);
	assert_int_equal(counts.total[WIRE_P5_CORE_BRANCH], 10);
	assert_int_equal(counts.total[WIRE_P5_FPU_FLOP], 10);
	stream_close(&s);
}

/* Port instructions complete in no user program. */
static void port_instructions_are_port_cycles(void **state)
{
	static struct wires w;
	static struct block_plan p;
	struct stream s;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "in", 1, X86_GRP_INT, 0);
	plan_insn(&p, "out", 1, X86_GRP_INT, 0);
	plan_insn(&p, "outsb", 1, X86_GRP_INT, 0);
	id = plan_end(&p, &s, X86_TERM_FALL, 0);
	for (unsigned i = 0; i < 10; i++)
		stream_exec(&s, id, NULL);
	cfg = stream_config(&s, "pentium-mmx");
	stream_run(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P5_BUS_IO], 30);
	assert_int_equal(w.total[WIRE_P5_BUS_UNCACHED_WRITE], 20);
	assert_true(w.driven[WIRE_P5_BUS_SNOOP] && !w.total[WIRE_P5_BUS_SNOOP]);
	stream_close(&s);
}

/* Exact LRU over all entries: the page that was not used for the longest time goes. */
static void the_oldest_page_goes(void **state)
{
	static struct wires w;
	static struct block_plan p;
	struct stream s;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	id = plan_end(&p, &s, X86_TERM_FALL, 0);
	for (uint64_t i = 0; i < 64; i++)
		stream_exec(&s, id, (uint64_t[]){i << 12});
	stream_exec(&s, id, (uint64_t[]){0});	     /* page 1 is the oldest now */
	stream_exec(&s, id, (uint64_t[]){64 << 12}); /* takes its place */
	stream_exec(&s, id, (uint64_t[]){0});
	stream_exec(&s, id, (uint64_t[]){2 << 12});
	stream_exec(&s, id, (uint64_t[]){1 << 12}); /* takes that of page 3 */
	cfg = stream_config(&s, "pentium-mmx");
	stream_run(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P5_DTLB_MISS], 66);
	stream_exec(&s, id, (uint64_t[]){3 << 12});
	stream_run(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P5_DTLB_MISS], 67);
	stream_close(&s);
}

/* Any bytes: an answer, no crash. */
static void hostile_bytes_are_refused(void **state)
{
	static struct wires w;
	uint64_t rng = 4711;
	struct stream s;

	make_stream(&s, 3);
	for (unsigned round = 0; round < 300; round++) {
		struct mdl_config cfg = stream_config(&s, round & 1 ? "pentium" : "pentium-mmx");
		size_t n = 200 + stream_random(&rng) % 4000;
		struct mdl *m;
		uint8_t *copy;

		cfg.is_plain = round >> 1 & 1;
		cfg.most_string_bytes = 1 << 20;
		copy = malloc(n); /* exactly so long: reading past it shows under a checker */
		assert_non_null(copy);
		memcpy(copy, s.bytes, n);
		for (unsigned k = round % 5; k; k--)
			copy[stream_random(&rng) % n] = (uint8_t)stream_random(&rng);
		memset(&w, 0, sizeof(w));
		assert_int_equal(mdl_open(&cfg, &w, &m), 0);
		mdl_feed(m, copy, n);
		mdl_finish(m);
		mdl_close(m);
		free(copy);
	}
	stream_close(&s);
}

static void impossible_settings_are_refused(void **state)
{
	static struct wires w;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;

	stream_open(&s);
	cfg = stream_config(&s, "pentium");
	cfg.l1d.size_bytes = 9 << 10;
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg = stream_config(&s, "pentium");
	cfg.dtlb = (struct mdl_geom){48, 17, 0};
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg = stream_config(&s, "pentium");
	cfg.l2 = (struct mdl_geom){256 << 10, 4, 32};
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg = stream_config(&s, "pentium");
	cfg.n_cpus = MDL_MAX_CPUS + 1;
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quick_equals_plain_on_every_processor),
	    cmocka_unit_test(quick_equals_plain_on_several_processors),
	    cmocka_unit_test(processors_add_up),
	    cmocka_unit_test(quick_equals_plain_under_every_setting),
	    cmocka_unit_test(what_is_wanted_changes_no_count),
	    cmocka_unit_test(forgetting_changes_no_clock),
	    cmocka_unit_test(counting_blocks_equals_the_stream),
	    cmocka_unit_test(pieces_are_the_whole),
	    cmocka_unit_test(port_instructions_are_port_cycles),
	    cmocka_unit_test(the_oldest_page_goes),
	    cmocka_unit_test(hostile_bytes_are_refused),
	    cmocka_unit_test(impossible_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
