/* The quick loop and the plain path of the P6 agree on every wire, whatever the stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "random_stream.h"
#include "stream.h"
#include "trace/record.h"

enum { N_STEPS = 30000 };

static void make_stream(struct stream *s, uint64_t seed)
{
	random_stream(s, seed, N_STEPS, 0);
}

static void assert_same(const struct stream *s, struct mdl_config cfg, const char *what)
{
	static struct wires quick, loop,
	    plain; /* with host code, without it, without any short cut */
	static struct wires timed,
	    timed_plain; /* the same with clocks: the common counts are the same */
	struct mdl_config with_time = cfg;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	memset(with_time.wanted, 1, sizeof(with_time.wanted));
	with_time.host_code_after = 2;
	stream_run(s, &with_time, &timed);
	with_time.is_plain = 1;
	stream_run(s, &with_time, &timed_plain);
	cfg.is_plain = 0;
	cfg.host_code_after = 2;
	stream_run(s, &cfg, &quick);
	cfg.has_no_host_code = 1;
	stream_run(s, &cfg, &loop);
	cfg.is_plain = 1;
	stream_run(s, &cfg, &plain);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (quick.total[i] != plain.total[i] || loop.total[i] != plain.total[i])
			fail_msg("%s: %s is %llu by host code, %llu by the loop, %llu plainly",
				 what, wire[i].name, (unsigned long long)quick.total[i],
				 (unsigned long long)loop.total[i],
				 (unsigned long long)plain.total[i]);
	assert_false(quick.driven[WIRE_P6_CORE_CLK]);
	assert_true(timed.driven[WIRE_P6_CORE_CLK]);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (timed.total[i] != timed_plain.total[i] ||
		    (quick.driven[i] && timed.total[i] != plain.total[i]))
			fail_msg(
			    "%s: %s is %llu with clocks, %llu with clocks plainly, %llu without",
			    what, wire[i].name, (unsigned long long)timed.total[i],
			    (unsigned long long)timed_plain.total[i],
			    (unsigned long long)plain.total[i]);
}

static void quick_equals_plain_on_every_processor(void **state)
{
	static const char *const cpus[] = {"pentium3",		"pentium3-coppermine",
					   "pentium2",		"pentiumpro",
					   "celeron-covington", "celeron-mendocino"};

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct stream s;

		make_stream(&s, 77 + i);
		assert_same(&s, stream_config_untimed(&s, cpus[i]), cpus[i]);
		stream_close(&s);
	}
}

/* Clocks that are kept, without those wires for which every block is worked out. */
static void kept_clocks_equal_plain_ones(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium2", "pentiumpro",
					   "celeron-mendocino"};
	static struct wires host, loop, plain;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	(void)state;
	for (unsigned i = 0; i < 3 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct stream s;
		struct mdl_config cfg;

		random_stream(&s, 7001 + i, N_STEPS, RANDOM_REAL);
		cfg = stream_config(&s, cpus[i / 3]);
		for (size_t k = 0; k < n; k++)
			cfg.wanted[k] = strncmp(wire[k].name, "core.slot_", 10) != 0;
		cfg.host_code_after = 2;
		cfg.p6.setting[0] = (struct mdl_setting){"stretch_log2", (uint16_t)(8 + i % 3 * 3)};
		cfg.p6.n_setting = i % 4 != 3;
		stream_run(&s, &cfg, &host);
		cfg.has_no_host_code = 1;
		stream_run(&s, &cfg, &loop);
		cfg.is_plain = 1;
		stream_run(&s, &cfg, &plain);
		assert_true(plain.driven[WIRE_P6_CORE_CLK]);
		for (unsigned k = 0; k < WIRE_N; k++)
			if (plain.driven[k] &&
			    (host.total[k] != plain.total[k] || loop.total[k] != plain.total[k]))
				fail_msg(
				    "%s, %u: %s is %llu by host code, %llu by steps, %llu plainly",
				    cpus[i / 3], i, wire[k].name, (unsigned long long)host.total[k],
				    (unsigned long long)loop.total[k],
				    (unsigned long long)plain.total[k]);
		stream_close(&s);
	}
}

static void quick_equals_plain_under_every_setting(void **state)
{
	struct stream s;
	struct mdl_config cfg;

	make_stream(&s, 5);
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.replace = MDL_REPLACE_LRU;
	assert_same(&s, cfg, "lru");
	cfg.has_walks = 0;
	cfg.phys = MDL_PHYS_IDENTITY;
	assert_same(&s, cfg, "lru, no walks");
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.phys = MDL_PHYS_RANDOM;
	cfg.phys_seed = 9;
	assert_same(&s, cfg, "random frames");
	cfg.l1d = (struct mdl_geom){64 << 10, 2, 0}; /* ways larger than a page */
	cfg.l1i = (struct mdl_geom){32 << 10, 1, 0};
	assert_same(&s, cfg, "random frames, large ways");
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.l1d = (struct mdl_geom){1 << 10, 1, 64};
	cfg.l2 = (struct mdl_geom){16 << 10, 2, 0};
	cfg.dtlb = (struct mdl_geom){8, 8, 0};
	cfg.itlb = (struct mdl_geom){2, 1, 0};
	assert_same(&s, cfg, "small and direct mapped");
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.l1d = (struct mdl_geom){12 << 10, 3, 16};
	cfg.l2 = (struct mdl_geom){128 << 10, 16, 0};
	assert_same(&s, cfg, "three and sixteen ways");
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.l2 = (struct mdl_geom){16 << 10, 4,
				   0}; /* what walks read leaves it, and comes back in other ways */
	assert_same(&s, cfg, "small second level of four ways");
	stream_close(&s);
	/* so small an L2 that its misses take lines of the other operand of MOVS out of L1D */
	for (unsigned i = 0; i < 4; i++) {
		make_stream(&s, 1001 + i);
		cfg = stream_config_untimed(&s, "pentium3");
		cfg.l2 = (struct mdl_geom){16 << 10, 2, 0};
		cfg.phys = i & 1 ? MDL_PHYS_RANDOM : MDL_PHYS_COLOUR;
		assert_same(&s, cfg, "small second level");
		stream_close(&s);
	}
}

static void quick_equals_plain_on_several_processors(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentiumpro", "celeron-covington"};

	for (unsigned i = 0; i < 5; i++) {
		struct stream s;
		struct mdl_config cfg;

		make_stream(&s, 901 + i);
		cfg = stream_config_untimed(&s, cpus[i % 3]);
		cfg.n_cpus = 2 + i;
		if (i == 3) {
			cfg.phys = MDL_PHYS_RANDOM;
			cfg.l2 = (struct mdl_geom){16 << 10, 2, 0};
		}
		if (i == 4)
			cfg.replace = MDL_REPLACE_LRU;
		assert_same(&s, cfg, "several processors");
		stream_close(&s);
	}
}

static void what_is_wanted_changes_no_count(void **state)
{
	static struct wires all, some;
	struct stream s;
	struct mdl_config cfg;
	size_t n;

	make_stream(&s, 21);
	cfg = stream_config(&s, "pentium3");
	stream_run(&s, &cfg, &all);
	for (unsigned part = 0; part < 4; part++) {
		memset(cfg.wanted, 0, sizeof(cfg.wanted));
		cfg.wanted[WIRE_P6_RETIRE_UOP_REP] = 1;
		cfg.wanted[WIRE_P6_RETIRE_MISPREDICT] = part & 1;
		cfg.wanted[WIRE_P6_DCU_LINE_IN] = part >> 1;
		stream_run(&s, &cfg, &some);
		for (unsigned i = 0; i < WIRE_N; i++)
			if (some.driven[i] && some.total[i] != all.total[i])
				fail_msg("part %u: %s", part, cat_wires(&n)[i].name);
		assert_int_equal(some.driven[WIRE_P6_RETIRE_MISPREDICT], part & 1);
		assert_int_equal(some.driven[WIRE_P6_DCU_LINE_IN], part >> 1);
	}
	stream_close(&s);
}

/* Blocks fed instruction by instruction count what they do in one, in as many clocks; every other
 * time timings are kept meanwhile (nobody asks where clocks went). */
static void pieces_are_the_whole(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentiumpro", "celeron-covington"};

	(void)state;
	for (unsigned i = 0; i < 4 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct mdl_config cfg;
		struct stream s;

		make_stream(&s, 501 + i);
		cfg =
		    i & 1 ? stream_config(&s, cpus[i / 4]) : stream_config_untimed(&s, cpus[i / 4]);
		if (i & 2)
			memset(&cfg.wanted[WIRE_P6_CORE_SLOT_RETIRE], 0,
			       WIRE_P6_CORE_SLOT_MEMORY - WIRE_P6_CORE_SLOT_RETIRE + 1);
		stream_check_pieces(&s, 1 + i % 4, &cfg);
		stream_close(&s);
	}
}

static const struct mdl_watch watched[] = {
    {{WIRE_P6_RETIRE_UOP}, 1, 2, false, false},
    {{WIRE_P6_RETIRE_INST}, 1, 1, true, false},
    {{WIRE_P6_DCU_REF, WIRE_P6_DCU_LINE_IN}, 2, 1, false, true},
    {{WIRE_P6_L2_LD_I, WIRE_P6_L2_LD_E, WIRE_P6_L2_IFETCH_E}, 3, 1, false, false},
    {{WIRE_P6_RAT_RESOURCE_STALL}, 1, 0, false, true},
    {{WIRE_P6_BUS_DATA_RCV}, 1, 1, false, false},
    {{WIRE_P6_DECODE_BACLEAR, WIRE_P6_DECODE_BTB_MISS}, 2, 1, false, false},
};

static struct mdl_config watched_config(const struct stream *s, const char *cpu)
{
	struct mdl_config cfg = stream_config(s, cpu);

	memcpy(cfg.p6.watch, watched, sizeof(watched));
	cfg.p6.n_watch = sizeof(watched) / sizeof(watched[0]);
	return cfg;
}

/* The same while single clocks are compared: at least so many, fewer, and where such a stretch
 * begins. */
static void pieces_of_watched_clocks_are_the_whole(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentiumpro"};

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct mdl_config cfg;
		struct stream s;

		random_stream(&s, 701 + i, N_STEPS / 8, 0);
		cfg = watched_config(&s, cpus[i / 2]);
		stream_check_pieces(&s, 1 + i % 4, &cfg);
		stream_close(&s);
	}
}

/* Ids may become void while micro-ops wait for their group and a branch for its outcome: nothing
 * moves, in single clocks neither. */
static void forgetting_changes_nothing(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentiumpro"};
	static struct wires whole, pieces;
	size_t n_wire;
	const struct cat_wire *wire = cat_wires(&n_wire);

	(void)state;
	for (unsigned i = 0; i < 4 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct mdl_config cfg;
		struct stream s;
		struct mdl *m;
		unsigned n = 0;

		random_stream(&s, 801 + i, N_STEPS / 8, RANDOM_REAL | RANDOM_APART);
		cfg = i & 1 ? watched_config(&s, cpus[i / 4]) : stream_config(&s, cpus[i / 4]);
		if (i & 2)
			cfg.has_no_memo = 1;
		stream_run(&s, &cfg, &whole);
		memset(&pieces, 0, sizeof(pieces));
		assert_int_equal(mdl_open(&cfg, &pieces, &m), 0);
		for (size_t at = 0, size; at < s.n; at += size) {
			size = trc_record_bytes(s.bytes + at, s.n - at);
			assert_int_equal(mdl_feed(m, s.bytes + at, size), 0);
			if (n++ % 37 == 0)
				mdl_forget_blocks(m);
		}
		mdl_finish(m);
		mdl_close(m);
		for (unsigned k = 0; k < WIRE_N; k++)
			if (whole.driven[k] && whole.total[k] != pieces.total[k])
				fail_msg("%s: %s is %llu, and %llu when blocks are forgotten",
					 cpus[i / 4], wire[k].name,
					 (unsigned long long)whole.total[k],
					 (unsigned long long)pieces.total[k]);
		stream_close(&s);
	}
}

/* Cutting the stream into pieces at record boundaries changes nothing. */
static void chunks_change_no_count(void **state)
{
	static struct wires whole, pieces;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;
	size_t at = 0;

	make_stream(&s, 33);
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.host_code_after = 2;
	stream_run(&s, &cfg, &whole);
	memset(&pieces, 0, sizeof(pieces));
	assert_int_equal(mdl_open(&cfg, &pieces, &m), 0);
	while (at < s.n) {
		uint32_t head, size;

		memcpy(&head, s.bytes + at, 4);
		memcpy(&size, s.bytes + at + 4, 4);
		size = head >= TRC_SPECIAL ? 8 + size : trc_block_bytes(head);
		assert_int_equal(mdl_feed(m, s.bytes + at, size), 0);
		at += size;
	}
	mdl_finish(m);
	mdl_finish(m); /* twice is once */
	mdl_close(m);
	assert_memory_equal(&whole, &pieces, sizeof(whole));
	stream_close(&s);
}

/* Feed the first n bytes of s, a copy that ends there. */
static int feed_first(const struct stream *s, size_t n, const struct mdl_config *cfg,
		      struct wires *w)
{
	uint8_t *copy = malloc(n); /* reading past it shows under a checker */
	struct mdl *m;
	int rc;

	assert_non_null(copy);
	memcpy(copy, s->bytes, n);
	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_open(cfg, w, &m), 0);
	rc = mdl_feed(m, copy, n);
	mdl_finish(m);
	mdl_close(m);
	free(copy);
	return rc;
}

/* Host code runs up to the last whole record, and a record that is cut there is refused as the loop
 * refuses it. */
static void host_code_ends_where_the_bytes_end(void **state)
{
	enum { TIMES = 40, RECORD = 4 + 8 * 2 };
	static struct wires host, loop;
	struct block_plan p;
	struct stream s;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_WRITE);
	id = plan_end(&p, &s, X86_TERM_FALL, 0);
	for (uint64_t i = 0; i < TIMES; i++)
		stream_exec(&s, id, (uint64_t[]){0x100000 + 32 * i, 0x200000});
	assert_int_equal(s.n, TIMES * RECORD);
	cfg = stream_config_untimed(&s, "pentium3");
	for (size_t n = 1; n <= s.n; n++) {
		const int rc = n % RECORD ? -SPMU_EPROTO : 0;

		cfg.host_code_after = 2;
		cfg.has_no_host_code = 0;
		assert_int_equal(feed_first(&s, n, &cfg, &host), rc);
		cfg.has_no_host_code = 1;
		assert_int_equal(feed_first(&s, n, &cfg, &loop), rc);
		assert_memory_equal(&host, &loop, sizeof(host));
		assert_int_equal(host.total[WIRE_P6_DCU_LINE_IN], n / RECORD + (n >= RECORD));
	}
	stream_close(&s);
}

/* Counts of tier 1 are those of tier 2 on the wires that both drive. */
static void counting_blocks_equals_the_stream(void **state)
{
	static struct wires stream, counts;
	struct block_plan p;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;
	uint32_t id;
	uint64_t slot[1] = {0x5000};

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "fmul", 2, X86_GRP_X87, 0);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
	id = plan_end(&p, &s, X86_TERM_JCC, 0x1000);
	for (unsigned i = 0; i < 10; i++)
		stream_exec(&s, id, slot);
	cfg = stream_config_untimed(&s, "pentium3");
	stream_run(&s, &cfg, &stream);
	memset(&counts, 0, sizeof(counts));
	cfg.is_count_only = 1;
	assert_int_equal(mdl_open(&cfg, &counts, &m), 0);
	assert_int_equal(mdl_add_counts(m, id, 10, 9), 0);
	assert_int_equal(mdl_add_counts(m, 1, 10, 9), -SPMU_EPROTO);
	assert_int_equal(mdl_instructions(m), 30);
	mdl_finish(m);
	mdl_close(m);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (counts.driven[i])
			assert_true(counts.total[i] == stream.total[i]);
	assert_false(counts.driven[WIRE_P6_DCU_REF]);
	assert_int_equal(counts.total[WIRE_P6_RETIRE_TAKEN], 9);
	assert_int_equal(counts.total[WIRE_P6_RETIRE_BRANCH], 10);
	assert_int_equal(counts.total[WIRE_P6_FPU_MUL], 10);
	stream_close(&s);
}

/* Any bytes: an answer, no crash, and what was counted before stays. */
static void hostile_bytes_are_refused(void **state)
{
	static struct wires w;
	uint64_t rng = 4711;
	struct stream s;

	make_stream(&s, 3);
	for (unsigned round = 0; round < 300; round++) {
		struct mdl_config cfg =
		    stream_config_untimed(&s, round & 1 ? "pentium3" : "pentiumpro");
		size_t n = 200 + stream_random(&rng) % 4000, from = 0;
		struct mdl *m;
		uint8_t *copy;

		cfg.is_plain = round >> 1 & 1;
		cfg.n_cpus = 1 + round % 3;
		cfg.most_string_bytes =
		    1u << 16; /* a byte turned over makes long ones, which take long */
		if (n > s.n)
			n = s.n;
		copy = malloc(n); /* exactly so long: reading past it shows under a checker */
		assert_non_null(copy);
		memcpy(copy, s.bytes + from, n);
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

/* A Celeron without second-level cache: requests go to the bus, L2 events cannot occur. */
static void without_l2_requests_go_to_the_bus(void **state)
{
	static struct wires w;
	struct block_plan p;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_WRITE);
	id = plan_end(&p, &s, X86_TERM_FALL, 0);
	for (uint64_t i = 0; i < 100; i++)
		stream_exec(&s, id, (uint64_t[]){0x100000 + 32 * i, 0x200000 + 32 * i});
	cfg = stream_config_untimed(&s, "celeron-covington");
	cfg.has_walks = 0;
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_int_equal(mdl_feed(m, s.bytes, s.n), 0);
	mdl_finish(m);
	assert_false(w.driven[WIRE_P6_L2_LD_I]);
	assert_non_null(mdl_cannot_occur(m, WIRE_P6_L2_LD_I));
	assert_null(mdl_cannot_occur(m, WIRE_P6_BUS_BRD));
	assert_int_equal(w.total[WIRE_P6_BUS_BRD], 100);
	assert_int_equal(w.total[WIRE_P6_BUS_RFO], 100);
	assert_int_equal(w.total[WIRE_P6_BUS_IFETCH], 1);
	assert_int_equal(w.total[WIRE_P6_BUS_WB], 0);
	mdl_close(m);
	cfg = stream_config_untimed(&s, "pentium3");
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_null(mdl_cannot_occur(m, WIRE_P6_L2_LD_I));
	mdl_close(m);
	stream_close(&s);
}

/* FS and GS cannot be written freely by programs that the engine runs; the wires are tested here.
 */
static void each_segment_register_has_its_rename(void **state)
{
	static struct block_plan p;
	static struct wires w;
	struct stream s;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(&s);
	plan_begin(&p, 0x1000);
	for (unsigned reg = 0; reg < 6; reg++) {
		struct x86_insn *i = plan_insn(&p, "mov", 2, X86_GRP_INT, X86_I_SEG_LOAD);

		i->n_op = 2;
		i->op[0] = (struct x86_op){X86_OP_SEG, (uint8_t)reg, 2};
		i->op[1] = (struct x86_op){X86_OP_GPR, 0, 4};
	}
	plan_insn(&p, "lgs", 3, X86_GRP_INT, X86_I_SEG_LOAD);
	id = plan_end(&p, &s, X86_TERM_FALL, 0);
	for (unsigned i = 0; i < 10; i++)
		stream_exec(&s, id, NULL);
	cfg = stream_config_untimed(&s, "pentium2");
	stream_run(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_SEG_LOAD], 70);
	assert_int_equal(w.total[WIRE_P6_SEG_RENAME_ES], 10);
	assert_int_equal(w.total[WIRE_P6_SEG_RENAME_DS], 10);
	assert_int_equal(w.total[WIRE_P6_SEG_RENAME_FS], 10);
	assert_int_equal(w.total[WIRE_P6_SEG_RENAME_GS], 20);
	assert_int_equal(w.total[WIRE_P6_SEG_RENAME_RETIRED], 50);
	stream_close(&s);
}

static void impossible_settings_are_refused(void **state)
{
	static struct wires w;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;

	stream_open(&s);
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.l1d.size_bytes = 17 << 10;
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.l1d.line_bytes = 64;
	cfg.l2.line_bytes = 32; /* one line size for all */
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.dtlb.size_bytes = 48;
	cfg.dtlb.ways = 17;
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(quick_equals_plain_on_every_processor),
	    cmocka_unit_test(kept_clocks_equal_plain_ones),
	    cmocka_unit_test(quick_equals_plain_under_every_setting),
	    cmocka_unit_test(quick_equals_plain_on_several_processors),
	    cmocka_unit_test(what_is_wanted_changes_no_count),
	    cmocka_unit_test(chunks_change_no_count),
	    cmocka_unit_test(host_code_ends_where_the_bytes_end),
	    cmocka_unit_test(counting_blocks_equals_the_stream),
	    cmocka_unit_test(pieces_are_the_whole),
	    cmocka_unit_test(pieces_of_watched_clocks_are_the_whole),
	    cmocka_unit_test(forgetting_changes_nothing),
	    cmocka_unit_test(hostile_bytes_are_refused),
	    cmocka_unit_test(without_l2_requests_go_to_the_bus),
	    cmocka_unit_test(each_segment_register_has_its_rename),
	    cmocka_unit_test(impossible_settings_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
