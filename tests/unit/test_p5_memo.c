/* Timings that are kept and used again: the P5 counts what it counts without them, from every
 * state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "model/family.h"
#include "model/p5/p5.h"
#include "stream.h"
#include "trace/record.h"

enum { N_BLOCKS = 24, N_STEPS = 30000, CODE = 0x400000, DATA = 0x7ff000, ALIKE = 0x40000 };

struct kind {
	const char *mnemonic;
	uint8_t group;
	uint8_t access; /* of one reference; 0: none */
	uint32_t flags;
};

static const struct kind kinds[] = {
    {"add", X86_GRP_INT, 0, 0},
    {"mov", X86_GRP_INT, X86_REF_READ, 0},
    {"mov", X86_GRP_INT, X86_REF_WRITE, 0},
    {"add", X86_GRP_INT, X86_REF_READ | X86_REF_WRITE, 0},
    {"imul", X86_GRP_INT, 0, 0},
    {"fadd", X86_GRP_X87, X86_REF_READ, 0},
    {"fmul", X86_GRP_X87, 0, 0},
    {"fdiv", X86_GRP_X87, 0, 0},
    {"fstp", X86_GRP_X87, X86_REF_WRITE, 0},
    {"paddw", X86_GRP_MMX, X86_REF_READ, 0},
    {"pmullw", X86_GRP_MMX, 0, 0},
    {"emms", X86_GRP_MMX, 0, 0},
    {"add", X86_GRP_INT, X86_REF_READ | X86_REF_WRITE, X86_I_LOCK},
    {"cld", X86_GRP_INT, 0, X86_I_CLEARS_DF},
};

/* Where blocks begin, a few KB of code apart; some where the BTB's map takes them for those before.
 */
static void place_blocks(uint64_t *pc, uint64_t rng)
{
	for (unsigned i = 0; i < N_BLOCKS; i++) {
		const uint64_t place = stream_random(&rng),
			       like = i % 3 && !(place >> 16 & 3) ? ALIKE : 0;

		pc[i] = like ? pc[i - 1] + like
			     : CODE + i * 0x170 + (place & 31) + (place >> 8 & 3) * 0x2000;
	}
}

/* Blocks that end in branches to each other: most to that which follows in its loop of three. */
static void make_blocks(struct stream *s, uint64_t *rng)
{
	static struct block_plan p;
	uint64_t pc[N_BLOCKS];
	static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 10, 16, 64};

	place_blocks(pc, *rng);
	for (unsigned i = 0; i < N_BLOCKS; i++) {
		plan_begin(&p, pc[i]);
		stream_random(rng);
		for (unsigned n = 1 + stream_random(rng) % 9; n; n--) {
			const uint64_t x = stream_random(rng);
			const struct kind *k =
			    &kinds[x % (x >> 40 & 7 ? 9 : sizeof(kinds) / sizeof(kinds[0]))];

			plan_insn(&p, k->mnemonic, 1 + x / 256 % 8, k->group, k->flags);
			if (k->access)
				plan_ref(&p, sizes[x / 65536 % sizeof(sizes)], k->access)->disp =
				    x >> 44 & 0x3f;
		}
		if (i % 5) {
			plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
			plan_end(&p, s, X86_TERM_JCC,
				 pc[i % 7 ? i / 3 * 3 + (i + 1) % 3 : (i + 3) % N_BLOCKS]);
		} else {
			plan_end(&p, s, X86_TERM_FALL, 0);
		}
	}
}

/* Loops over a few blocks and a little data, now and then over others and far away. */
static void make_stream(struct stream *s, uint64_t seed)
{
	uint64_t rng = seed, slots[X86_MAX_SLOTS + 1], partial[2 + X86_MAX_SLOTS];

	stream_open(s);
	make_blocks(s, &rng);
	for (unsigned i = 0; i < N_STEPS; i++) {
		const uint64_t x = stream_random(&rng);
		const uint32_t id =
		    x & 15 ? (i % 3 + i / 600 * 3) % N_BLOCKS : (uint32_t)(x >> 8) % N_BLOCKS;
		const struct x86_block *b = x86_store_get(s->store, id);

		for (unsigned k = 0; k < b->n_slot; k++) {
			const uint64_t y = stream_random(&rng);

			slots[k] = DATA + (y & 7 ? y >> 8 & 0x3f8 : y >> 8 & 0x1ffff);
		}
		if (x >> 16 & 1023) {
			stream_exec(s, id, slots);
			continue;
		}
		partial[0] = id | (uint64_t)(x >> 30) % (b->n_insn + 1u) << 32;
		memcpy(partial + 1, slots, 8 * b->n_slot);
		stream_event(s, TRC_PARTIAL, partial, 8 + 8u * b->n_slot);
		stream_event(s, TRC_GO, &b->pc, 8);
		if (x >> 50 & 1)
			stream_event(s, TRC_EXEC, "", 0);
	}
}

/* A machine that is fed s whole; each(): between records. */
static struct p5_system *run(const struct stream *s, const struct mdl_config *cfg, struct wires *w,
			     void (*each)(struct p5 *m))
{
	struct p5_system *m;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_p5.open(cfg, w, (void **)&m), 0);
	for (size_t at = 0, n; at < s->n; at += n) {
		uint32_t head[2];

		memcpy(head, s->bytes + at, sizeof(head));
		n = head[0] >= TRC_SPECIAL ? 8 + head[1] : (size_t)trc_block_bytes(head[0]);
		if (!each)
			n = s->n;
		assert_int_equal(mdl_p5.feed(m, s->bytes + at, n), 0);
		if (each)
			each(m->cpu[0]);
	}
	mdl_p5.finish(m);
	return m;
}

static void assert_equal_wires(const struct wires *a, const struct wires *b, const char *what)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < WIRE_N; i++)
		if (a->total[i] != b->total[i])
			fail_msg("%s: %s is %llu and %llu", what, wire[i].name,
				 (unsigned long long)a->total[i], (unsigned long long)b->total[i]);
}

/* Blocks that host code did. */
static uint64_t by_host_code(const struct p5 *m)
{
	uint64_t n = 0;

	for (uint32_t id = 0; id < m->n_met; id++)
		n += m->blk[id] ? m->blk[id]->n_exec : 0;
	return n - m->memo.n_known - m->memo.n_new - m->memo.n_full;
}

/* With and without, and with looks as host code; most blocks are known. */
static void assert_same(struct mdl_config cfg, const struct stream *s, const char *what)
{
	static struct wires kept, host, full;
	struct p5_system *m;

	cfg.host_code_after = 3;
	m = run(s, &cfg, &host, NULL);
	assert_true(by_host_code(m->cpu[0]) > 1000 || !m->cpu[0]->host.memory);
	mdl_p5.close(m);
	cfg.has_no_host_code = 1;
	m = run(s, &cfg, &kept, NULL);
	assert_true(m->cpu[0]->memo.n_known > N_STEPS / 4);
	assert_true(m->cpu[0]->memo.n_new > 1000);
	assert_true(m->cpu[0]->memo.n_full > 100);
	mdl_p5.close(m);
	cfg.has_no_memo = 1;
	m = run(s, &cfg, &full, NULL);
	assert_int_equal(m->cpu[0]->memo.n_known, 0);
	mdl_p5.close(m);
	assert_equal_wires(&kept, &full, what);
	assert_equal_wires(&host, &full, what);
}

static void every_processor_counts_the_same(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-60", "pentium-mmx"};

	for (unsigned i = 0; i < 9; i++) {
		struct stream s;

		make_stream(&s, 100 + i);
		assert_same(stream_config(&s, cpus[i % 3]), &s, cpus[i % 3]);
		stream_close(&s);
	}
}

/* With the machine's own numbers: much is done in full until it was wanted some times. */
static void what_is_kept_later_counts_the_same(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};

	for (unsigned i = 0; i < 4; i++) {
		static struct wires kept, full;
		struct stream s;
		struct mdl_config cfg;
		struct p5_system *m;

		make_stream(&s, 100 + i);
		cfg = stream_config(&s, cpus[i & 1]);
		cfg.has_no_host_code = i >> 1;
		m = run(&s, &cfg, &kept, NULL);
		assert_true(m->cpu[0]->memo.n_idle > 100);
		assert_true(m->cpu[0]->memo.n_new > m->cpu[0]->memo.n_idle + 100);
		mdl_p5.close(m);
		cfg.has_no_memo = 1;
		mdl_p5.close(run(&s, &cfg, &full, NULL));
		assert_equal_wires(&kept, &full, cpus[i & 1]);
		stream_close(&s);
	}
}

/* A block that jumps to itself, executed n times. */
static struct p5_system *run_loop(struct stream *s, unsigned n)
{
	static struct wires w;
	static struct block_plan p;
	const uint64_t none = 0;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(s);
	plan_begin(&p, CODE);
	plan_insn(&p, "add", 3, X86_GRP_INT, 0);
	plan_insn(&p, "jmp", 2, X86_GRP_INT, X86_I_BRANCH);
	id = plan_end(&p, s, X86_TERM_JMP, CODE);
	while (n--)
		stream_exec(s, id, &none);
	cfg = stream_config(s, "pentium");
	cfg.has_no_host_code = 1;
	return run(s, &cfg, &w, NULL);
}

static void what_is_seldom_wanted_is_not_kept(void **state)
{
	struct stream s;
	struct p5_system *m = run_loop(&s, P5_MEMO_VISITS - 1);

	assert_false(m->cpu[0]->memo.is_open); /* the block is cold */
	assert_int_equal(m->cpu[0]->memo.n_full, P5_MEMO_VISITS - 1);
	mdl_p5.close(m);
	stream_close(&s);
	m = run_loop(&s, 10000);
	assert_true(m->cpu[0]->memo.n_known > 9900);
	assert_true(m->cpu[0]->memo.n_idle > 0);
	mdl_p5.close(m);
	stream_close(&s);
}

static void every_setting_counts_the_same(void **state)
{
	struct stream s;

	make_stream(&s, 7);
	for (unsigned mmx = 0; mmx < 2; mmx++) {
		const char *cpu = mmx ? "pentium-mmx" : "pentium";
		struct mdl_config cfg = stream_config(&s, cpu);

		cfg.replace = MDL_REPLACE_LRU;
		assert_same(cfg, &s, "lru");
		cfg.phys = MDL_PHYS_RANDOM;
		cfg.phys_seed = 3;
		cfg.l1d = cfg.l1i = (struct mdl_geom){32 << 10, 2, 0};
		assert_same(cfg, &s, "random frames, ways larger than a page");
		cfg = stream_config(&s, cpu);
		cfg.l1d = (struct mdl_geom){1 << 10, 1, 64};
		cfg.l1i = (struct mdl_geom){1 << 10, 1, 32};
		cfg.dtlb = cfg.itlb = (struct mdl_geom){2, 1, 0};
		assert_same(cfg, &s, "small and direct mapped");
		cfg = stream_config(&s, cpu);
		cfg.has_walks = 0;
		assert_same(cfg, &s, "no walks");
		for (unsigned f = 0; f < P5_N_PAR; f++) {
			cfg = stream_config(&s, cpu);
			cfg.p5.n_param = 1;
			cfg.p5.param[0].index = (uint16_t)f;
			cfg.p5.param[0].value = f == P5_PAR_BUS_RATIO_X2 ? 7 : 3;
			if (f % 2 == mmx && f != P5_PAR_PF_UNIT_BYTES && f != P5_PAR_BUS_L2_KB)
				assert_same(cfg, &s, "a figure");
		}
	}
	stream_close(&s);
}

/* What the state leaves out can be told from nothing that follows. */
static void write_and_read(struct p5 *m)
{
	uint8_t bytes[MEMO_MAX_STATE], again[MEMO_MAX_STATE];
	const bool waits = m->time.pending.op;
	unsigned n;

	n = p5_state_write(m, bytes);
	if (!n)
		return;
	assert_int_equal(p5_state_waits(bytes), waits);
	p5_state_read(m, bytes);
	assert_int_equal(m->time.pending.op != NULL, waits);
	assert_int_equal(p5_state_write(m, again), n);
	assert_memory_equal(bytes, again, n);
}

static void nothing_that_matters_is_left_out(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		static struct wires through, plain;
		struct stream s;
		struct mdl_config cfg;

		make_stream(&s, 40 + i);
		cfg = stream_config(&s, i & 1 ? "pentium-mmx" : "pentium");
		cfg.has_no_memo = 1;
		mdl_p5.close(run(&s, &cfg, &through, write_and_read));
		mdl_p5.close(run(&s, &cfg, &plain, NULL));
		assert_equal_wires(&through, &plain, "states written and read");
		stream_close(&s);
	}
}

static void forget(struct p5 *m)
{
	if (m->n_insn % 97 == 0)
		mdl_p5.forget_blocks(m->system);
}

enum { N_CUT = 12, CUT_IN = 3 };

/* Code that is cut into three blocks: the instruction before a cut may wait for its partner behind
 * it. */
static void make_cut_code(struct stream *s, unsigned i, uint64_t *rng)
{
	static struct block_plan p;
	uint64_t pc = CODE + i / 4 * 0xc0 + i % 4 * 0x2000 +
		      (stream_random(rng) & 31); /* L1I does not hold all of it */

	for (unsigned part = 0; part < CUT_IN; part++) {
		stream_random(rng);
		plan_begin(&p, pc);
		for (unsigned n = (part + 1 < CUT_IN) + stream_random(rng) % 5; n; n--) {
			const uint64_t x = stream_random(rng);
			const struct kind *k = &kinds[x % 12];

			if (x >> 8 & 3) { /* these pair, whatever their operands */
				plan_insn(&p, x & 1 ? "nop" : "lea", 1 + x / 65536 % 6, X86_GRP_INT,
					  0);
				continue;
			}
			plan_insn(&p, k->mnemonic, 1 + x / 65536 % 6, k->group, k->flags);
			if (k->access)
				plan_ref(&p, 4, k->access);
		}
		if (part + 1 < CUT_IN) {
			pc += x86_store_get(s->store, plan_end(&p, s, X86_TERM_FALL, 0))->bytes;
			continue;
		}
		plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
		plan_end(&p, s, X86_TERM_JCC,
			 i ? x86_store_get(s->store, i / 4 * 4 * CUT_IN)->pc : CODE + 0x4000);
	}
}

static void cut_code_counts_the_same(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};

	for (unsigned round = 0; round < 8; round++) {
		static struct wires kept, host, full;
		uint64_t rng = 200 + round, none = 0, slots[X86_MAX_SLOTS + 1];
		struct mdl_config cfg;
		struct p5_system *m;
		struct stream s;

		stream_open(&s);
		for (unsigned i = 0; i < N_CUT; i++)
			make_cut_code(&s, i, &rng);
		for (unsigned step = 0; step < N_STEPS / CUT_IN; step++) {
			const uint64_t x = stream_random(&rng);
			const unsigned code =
			    (x & 31 ? step % 4 + step / 400 * 4 : (unsigned)(x >> 8)) % N_CUT;

			for (uint32_t part = 0; part < CUT_IN; part++) {
				const struct x86_block *b =
				    x86_store_get(s.store, code * CUT_IN + part);

				for (unsigned k = 0; k < b->n_slot; k++)
					slots[k] = DATA + (x >> (16 + k) & 0x7c);
				if (part == 1 && !(x >> 32 & 31)) {
					stream_event(&s, TRC_GO, &b->pc, 8);
					if (x >> 38 & 1)
						stream_event(&s, TRC_FS_BASE, &none, 8);
					else if (x >> 39 & 1)
						break; /* it goes on elsewhere nevertheless */
				}
				if (part == 1 && !(x >> 48 & 63))
					break;
				stream_exec(&s, b->id, slots);
			}
		}
		cfg = stream_config(&s, cpus[round & 1]);
		cfg.host_code_after = 3;
		m = run(&s, &cfg, &host, NULL);
		assert_true(by_host_code(m->cpu[0]) > N_STEPS / 2 || !m->cpu[0]->host.memory);
		mdl_p5.close(m);
		mdl_p5.close(run(&s, &cfg, &kept, forget));
		assert_equal_wires(&host, &kept, "blocks forgotten between");
		cfg.has_no_host_code = 1;
		m = run(&s, &cfg, &kept, NULL);
		assert_true(m->cpu[0]->memo.n_known > N_STEPS / 2);
		mdl_p5.close(m);
		cfg.has_no_memo = 1;
		mdl_p5.close(run(&s, &cfg, &full, NULL));
		assert_equal_wires(&kept, &full, cpus[round & 1]);
		assert_equal_wires(&host, &full, cpus[round & 1]);
		stream_close(&s);
	}
}

enum { N_BRANCHES = 8, BRANCH_BYTES = 16, MOST_ADDS = 7 };

/* Block i of a ring: up to eight instructions, then a conditional branch to itself (n odd) or over
 * the next block, or a jump over two, or the jump back, which has two targets. */
static uint32_t make_branch(struct stream *s, unsigned i, unsigned n)
{
	static struct block_plan p;
	const uint64_t over =
	    CODE + (n % 2 == 0 || i & 1 ? (i + 2) % N_BRANCHES : i) * BRANCH_BYTES;

	plan_begin(&p, CODE + i * BRANCH_BYTES);
	for (unsigned k = 0; k < n; k++)
		plan_insn(&p, "add", 14 / n, X86_GRP_INT, 0);
	plan_insn(&p, i & 1 ? "jmp" : "jz", BRANCH_BYTES - 14 / n * n, X86_GRP_INT,
		  X86_I_BRANCH | (i & 1 ? 0 : X86_I_COND));
	if (!(i & 1))
		return plan_end(&p, s, X86_TERM_JCC, over);
	return i == N_BRANCHES - 1 ? plan_end(&p, s, X86_TERM_JMP_IND, 0)
				   : plan_end(&p, s, X86_TERM_JMP, over);
}

/* Branches with an entry each, which repeat themselves for a while; short blocks, whose look-ups
 * come too early, too. */
static void known_branches_count_the_same(void **state)
{
	static const char *const cpus[] = {"pentium", "pentium-mmx"};

	for (unsigned round = 0; round < 14; round++) {
		static struct wires host, full;
		uint32_t id[N_BRANCHES], size[N_BRANCHES];
		uint64_t rng = round + 1, none = 0;
		struct mdl_config cfg;
		struct p5_system *m;
		struct stream s;

		stream_open(&s);
		for (unsigned i = 0; i < N_BRANCHES; i++) {
			size[i] = 1 + (i * (round / 2 + 1) + round) % MOST_ADDS;
			id[i] = make_branch(&s, i, size[i]);
		}
		for (unsigned step = 0, i = 0; step < N_STEPS; step++) {
			const uint64_t x = stream_random(&rng);
			const bool is_odd = (x & 63) == 0,
				   is_taken = (step / 2000 * 5 + step % 7) >> (i / 2) & 1;

			stream_exec(&s, id[i], &none);
			if (i == N_BRANCHES - 1)
				i = is_odd ? N_BRANCHES / 2 : 0;
			else if (i & 1 || is_taken != is_odd)
				i = i & 1 || size[i] % 2 == 0 ? (i + 2) % N_BRANCHES : i;
			else
				i++;
		}
		cfg = stream_config(&s, cpus[round & 1]);
		cfg.host_code_after = 3;
		m = run(&s, &cfg, &host, NULL);
		assert_true(by_host_code(m->cpu[0]) > N_STEPS / 2 || !m->cpu[0]->host.memory);
		mdl_p5.close(m);
		cfg.has_no_memo = 1;
		mdl_p5.close(run(&s, &cfg, &full, NULL));
		assert_equal_wires(&host, &full, cpus[round & 1]);
		stream_close(&s);
	}
}

static void read_totals(struct p5 *m)
{
	uint64_t total[WIRE_N] = {0};

	if (m->n_insn % 5 == 0)
		mdl_p5.cpu_totals(m->system, 0, total);
}

/* Machines with and without host code that are fed a few hundred records at a time, with trees
 * dropped between. */
static void dropping_trees_changes_nothing(void **state)
{
	for (unsigned i = 0; i < 4; i++) {
		static struct wires whole, dropped;
		struct stream s;
		struct mdl_config cfg;
		struct p5_system *m;

		make_stream(&s, 60 + i);
		cfg = stream_config(&s, i & 1 ? "pentium-mmx" : "pentium");
		cfg.host_code_after = 3;
		cfg.has_no_host_code = i >> 1;
		mdl_p5.close(run(&s, &cfg, &whole, NULL));
		memset(&dropped, 0, sizeof(dropped));
		assert_int_equal(mdl_p5.open(&cfg, &dropped, (void **)&m), 0);
		for (size_t at = 0, n; at < s.n; at += n) {
			for (n = 0; at + n < s.n && n < 30000;) {
				uint32_t head[2];

				memcpy(head, s.bytes + at + n, sizeof(head));
				n += head[0] >= TRC_SPECIAL ? 8 + head[1]
							    : (size_t)trc_block_bytes(head[0]);
			}
			assert_int_equal(mdl_p5.feed(m, s.bytes + at, n), 0);
			p5_memo_replant(m->cpu[0], 2);
		}
		assert_true(m->cpu[0]->memo.n_dropped > 100);
		mdl_p5.finish(m);
		mdl_p5.close(m);
		assert_equal_wires(&whole, &dropped, "trees dropped between");
		stream_close(&s);
	}
}

/* Bytes of the next `records` records. */
static size_t few(const struct stream *s, size_t at, unsigned records)
{
	size_t n = 0;

	while (records-- && at + n < s->n) {
		uint32_t head[2];

		memcpy(head, s->bytes + at + n, sizeof(head));
		n += head[0] >= TRC_SPECIAL ? 8 + head[1] : (size_t)trc_block_bytes(head[0]);
	}
	return n;
}

/* Streams that are shorter than what host code may read beyond a record are done by it, too; one
 * that ends in the middle of a record is damaged. */
static void short_streams_count_the_same(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		static struct wires whole, parts;
		uint64_t rng = 7 + i;
		struct stream s;
		struct mdl_config cfg;
		struct p5_system *m;
		size_t n;

		make_stream(&s, 80 + i);
		cfg = stream_config(&s, i & 1 ? "pentium-mmx" : "pentium");
		cfg.host_code_after = 3;
		mdl_p5.close(run(&s, &cfg, &whole, NULL));
		memset(&parts, 0, sizeof(parts));
		assert_int_equal(mdl_p5.open(&cfg, &parts, (void **)&m), 0);
		for (size_t at = 0; at < s.n; at += n) {
			n = few(&s, at, 2 + stream_random(&rng) % 6);
			assert_int_equal(mdl_p5.feed(m, s.bytes + at, n), 0);
		}
		mdl_p5.finish(m);
		assert_equal_wires(&whole, &parts, "a few records at a time");
		assert_true(by_host_code(m->cpu[0]) > 1000 || !m->cpu[0]->host.memory);
		for (n = 1; n < few(&s, 0, 3); n++)
			if (n != few(&s, 0, 1) && n != few(&s, 0, 2))
				assert_int_equal(mdl_p5.feed(m, s.bytes, n), -SPMU_EPROTO);
		mdl_p5.close(m);
		stream_close(&s);
	}
}

/* A room of 1 MiB is full soon. */
static void make_small(struct p5 *m)
{
	m->memo.bytes = 1u << 20;
}

static void make_little_code(struct p5 *m)
{
	if (m->host.memory && m->host.limit_off == P5_HOST_BYTES)
		m->host.limit_off = m->host.out.off + (48u << 10);
}

static void reading_forgetting_and_a_full_room_change_nothing(void **state)
{
	static struct wires whole, read, forgotten, small;
	struct stream s;
	struct mdl_config cfg;
	struct p5_system *m;

	make_stream(&s, 9);
	cfg = stream_config(&s, "pentium-mmx");
	mdl_p5.close(run(&s, &cfg, &whole, NULL));
	cfg.host_code_after = 3;
	mdl_p5.close(run(&s, &cfg, &read, read_totals));
	assert_equal_wires(&whole, &read, "totals read between");
	mdl_p5.close(run(&s, &cfg, &forgotten, forget));
	assert_equal_wires(&whole, &forgotten, "blocks forgotten between");
	m = run(&s, &cfg, &small, make_small);
	assert_true(m->cpu[0]->memo.room.n_flushes > 0);
	mdl_p5.close(m);
	assert_equal_wires(&whole, &small, "a small room");
	m = run(&s, &cfg, &small, make_little_code);
	assert_true(m->cpu[0]->memo.room.n_flushes > 0 || !m->cpu[0]->host.memory);
	mdl_p5.close(m);
	assert_equal_wires(&whole, &small, "little room for host code");
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_processor_counts_the_same),
	    cmocka_unit_test(every_setting_counts_the_same),
	    cmocka_unit_test(what_is_kept_later_counts_the_same),
	    cmocka_unit_test(what_is_seldom_wanted_is_not_kept),
	    cmocka_unit_test(cut_code_counts_the_same),
	    cmocka_unit_test(known_branches_count_the_same),
	    cmocka_unit_test(nothing_that_matters_is_left_out),
	    cmocka_unit_test(dropping_trees_changes_nothing),
	    cmocka_unit_test(short_streams_count_the_same),
	    cmocka_unit_test(reading_forgetting_and_a_full_room_change_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
