/* Several P6 processors on one bus: what each of them counts when they share lines. Every count is
 * predicted; programs of K and 2K lines are compared, so that code lines and the like drop out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "model/family.h"
#include "model/p6/p6.h"
#include "pmu/count.h"
#include "stream.h"
#include "trace/record.h"

enum { K = 100, LINE = 32, DATA = 0x10000000, OTHER = 0x20000000, CODE = 0x30000000, N_CPU = 3 };

/* Blocks of one instruction that every program here uses. */
struct kit {
	struct stream s;
	uint32_t load, store, lock, prefetch_nta, weak, fence, code[2 * K];
};

static uint32_t one_insn(struct stream *s, uint64_t pc, const char *mnemonic, unsigned flags,
			 unsigned bytes, unsigned ref_flags)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, mnemonic, 3, X86_GRP_INT, flags);
	if (bytes)
		plan_ref(&p, bytes, ref_flags);
	return plan_end(&p, s, X86_TERM_FALL, 0);
}

static void kit_open(struct kit *k)
{
	struct stream *s = &k->s;

	stream_open(s);
	k->load = one_insn(s, 0x1000, "mov", 0, 4, X86_REF_READ);
	k->store = one_insn(s, 0x1003, "mov", 0, 4, X86_REF_WRITE);
	k->lock = one_insn(s, 0x1006, "add", X86_I_LOCK, 4, X86_REF_READ | X86_REF_WRITE);
	k->prefetch_nta = one_insn(s, 0x1009, "prefetchnta", 0, 1, X86_REF_PREFETCH);
	k->weak = one_insn(s, 0x100c, "movntps", 0, 16, X86_REF_WRITE | X86_REF_NONTEMPORAL);
	k->fence = one_insn(s, 0x100f, "sfence", 0, 0, 0);
	for (unsigned i = 0; i < 2 * K; i++)
		k->code[i] = one_insn(s, CODE + i * LINE, "nop", 0, 0, 0);
}

static void on(struct kit *k, uint32_t cpu)
{
	stream_event(&k->s, TRC_THREAD, (uint32_t[]){cpu, 0}, 8);
}

static void lines(struct kit *k, uint32_t id, uint64_t from, unsigned n)
{
	for (uint64_t i = 0; i < n; i++)
		stream_exec(&k->s, id, (uint64_t[]){from + i * LINE});
}

/* Twice the size of L1D: what was there is in L2 only. */
static void flush_l1d(struct kit *k)
{
	lines(k, k->load, OTHER, 1024);
}

static void full_lines(struct kit *k, unsigned n)
{
	for (uint64_t i = 0; i < 2 * n; i++)
		stream_exec(&k->s, k->weak, (uint64_t[]){DATA + 16 * i});
	stream_exec(&k->s, k->fence, NULL);
}

static void execute(struct kit *k, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		stream_exec(&k->s, k->code[i], NULL);
}

typedef void program(struct kit *k, unsigned n);

static int64_t diff[N_CPU][WIRE_N];

/* What each processor counts more when n is 2K than when it is K. */
static void run(program *prog, const char *cpu)
{
	static struct wires w;

	memset(diff, 0, sizeof(diff));
	for (int twice = 0; twice < 2; twice++) {
		struct kit k;
		struct mdl_config cfg;
		struct mdl *m;

		kit_open(&k);
		prog(&k, twice ? 2 * K : K);
		cfg = stream_config_untimed(&k.s, cpu);
		cfg.has_walks = 0;
		cfg.n_cpus = N_CPU;
		assert_int_equal(mdl_open(&cfg, &w, &m), 0);
		assert_int_equal(mdl_feed(m, k.s.bytes, k.s.n), 0);
		mdl_finish(m);
		for (unsigned c = 0; c < N_CPU; c++) {
			uint64_t total[WIRE_N] = {0};

			mdl_cpu_totals(m, c, total);
			for (unsigned i = 0; i < WIRE_N; i++)
				diff[c][i] += twice ? (int64_t)total[i] : -(int64_t)total[i];
		}
		mdl_close(m);
		stream_close(&k.s);
	}
}

struct expect {
	unsigned wire;
	int64_t count[N_CPU]; /* per processor, in units of K */
};
#define W(wire, a, b, c)                                                                           \
	{                                                                                          \
		WIRE_P6_##wire,                                                                    \
		{                                                                                  \
			a, b, c                                                                    \
		}                                                                                  \
	}

static void predict(const struct expect *e, size_t n, const char *what)
{
	size_t n_wire;
	const struct cat_wire *wire = cat_wires(&n_wire);

	for (size_t i = 0; i < n; i++)
		for (unsigned c = 0; c < N_CPU; c++)
			if (diff[c][e[i].wire] != e[i].count[c] * K)
				fail_msg("%s: processor %u: %s is %lld, not %lld", what, c,
					 wire[e[i].wire].name, (long long)diff[c][e[i].wire],
					 (long long)e[i].count[c] * K);
}
#define PREDICT(...)                                                                               \
	predict((const struct expect[]){__VA_ARGS__},                                              \
		sizeof((const struct expect[]){__VA_ARGS__}) / sizeof(struct expect), __func__)

static void write_write(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->store, DATA, n);
	on(k, 1);
	lines(k, k->store, DATA, n);
}

/* The line moves from M to M: the first owner drives HITM#, writes it back and loses it. */
static void writers_take_lines_from_each_other(void **state)
{
	run(write_write, "pentium3");
	PREDICT(W(BUS_RFO, 1, 1, 0), W(BUS_INVAL, 0, 0, 0), W(BUS_BRD, 0, 0, 0),
		W(BUS_HITM_DRV, 1, 0, 0), W(BUS_HIT_DRV, 0, 0, 0), W(BUS_WB, 1, 0, 0),
		W(BUS_DRDY_SELF, 4, 0, 0), W(BUS_DATA_RCV, 4, 4, 0), W(DCU_M_LINE_OUT, 1, 0, 0),
		W(L2_LINE_OUT, 1, 0, 0), W(L2_M_LINE_OUT, 1, 0, 0), W(L2_ST_I, 1, 1, 0),
		W(DCU_M_LINE_IN, 1, 1, 0), /* request, fill, snoop */ W(L2_ADS, 3, 3, 2));
}

static void write_write_write(struct kit *k, unsigned n)
{
	write_write(k, n);
	on(k, 0);
	lines(k, k->store, DATA, n);
}

static void a_line_comes_back_as_it_went(void **state)
{
	run(write_write_write, "pentium3");
	PREDICT(W(BUS_RFO, 2, 1, 0), W(BUS_HITM_DRV, 1, 1, 0), W(BUS_WB, 1, 1, 0),
		W(DCU_LINE_IN, 2, 1, 0), W(L2_LINE_IN, 2, 1, 0), W(L2_LINE_OUT, 1, 1, 0));
}

static void write_read(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->store, DATA, n);
	on(k, 1);
	lines(k, k->load, DATA, n);
}

/* A reader finds the line modified elsewhere: it is written back, and both share it. */
static void a_reader_cleans_the_writer(void **state)
{
	run(write_read, "pentium3");
	PREDICT(W(BUS_RFO, 1, 0, 0), W(BUS_BRD, 0, 1, 0), W(BUS_HITM_DRV, 1, 0, 0),
		W(BUS_HIT_DRV, 0, 0, 0), W(BUS_WB, 1, 0, 0), W(DCU_M_LINE_OUT, 1, 0, 0),
		W(L2_LINE_OUT, 0, 0, 0), W(L2_M_LINE_OUT, 0, 0, 0), W(L2_LD_I, 0, 1, 0));
}

static void write_read_write(struct kit *k, unsigned n)
{
	write_read(k, n);
	lines(k, k->store, DATA, n);
	on(k, 0);
	lines(k, k->load, DATA, n);
}

/* The sharer upgrades without data, silently to the other, who must read again. */
static void a_sharer_upgrades_without_data(void **state)
{
	run(write_read_write, "pentium3");
	PREDICT(W(BUS_RFO, 1, 0, 0), W(BUS_BRD, 1, 1, 0), W(BUS_INVAL, 0, 1, 0),
		W(L2_ST_S, 0, 1, 0), W(L2_LINE_OUT, 1, 0, 0), W(L2_M_LINE_OUT, 0, 0, 0),
		W(BUS_HITM_DRV, 1, 1, 0), W(BUS_HIT_DRV, 0, 0, 0), W(BUS_WB, 1, 1, 0),
		W(BUS_DATA_RCV, 8, 4, 0));
}

static void write_read_again(struct kit *k, unsigned n)
{
	write_read(k, n);
	on(k, 0);
	lines(k, k->load, DATA, n);
	lines(k, k->store, DATA, n);
}

/* The former owner still has the line, shared: it reads without the bus and upgrades to write. */
static void a_cleaned_line_stays_shared(void **state)
{
	run(write_read_again, "pentium3");
	PREDICT(W(DCU_LINE_IN, 1, 1, 0), W(BUS_BRD, 0, 1, 0), W(BUS_RFO, 1, 0, 0),
		W(BUS_INVAL, 1, 0, 0), W(L2_ST_S, 1, 0, 0), W(L2_LINE_OUT, 0, 1, 0),
		W(DCU_M_LINE_OUT, 1, 0, 0));
}

static void read_read(struct kit *k, unsigned n)
{
	for (uint32_t cpu = 0; cpu < N_CPU; cpu++) {
		on(k, cpu);
		lines(k, k->load, DATA, n);
	}
}

/* E becomes S at the second reader; the third finds two who drive HIT#. */
static void readers_share(void **state)
{
	run(read_read, "pentium3");
	PREDICT(W(BUS_BRD, 1, 1, 1), W(BUS_HIT_DRV, 2, 1, 0), W(BUS_HITM_DRV, 0, 0, 0),
		W(BUS_WB, 0, 0, 0), W(L2_LINE_OUT, 0, 0, 0), W(L2_LD_I, 1, 1, 1),
		W(L2_ADS, 4, 4, 4));
}

static void read_read_reread(struct kit *k, unsigned n)
{
	read_read(k, n);
	for (uint32_t cpu = 0; cpu < N_CPU; cpu++) {
		on(k, cpu);
		flush_l1d(k);
		lines(k, k->load, DATA, n);
	}
	on(k, 2);
	lines(k, k->store, DATA, n);
}

static void shared_lines_are_found_shared(void **state)
{
	run(read_read_reread, "pentium3");
	PREDICT(W(L2_LD_S, 1, 1, 1), W(L2_LD_E, 0, 0, 0), W(L2_ST_S, 0, 0, 1),
		W(BUS_INVAL, 0, 0, 1), W(BUS_BRD, 1, 1, 1), W(L2_LINE_OUT, 1, 1, 0),
		W(L2_M_LINE_OUT, 0, 0, 0));
}

static void alone_then_write(struct kit *k, unsigned n)
{
	on(k, 1);
	lines(k, k->load, DATA, n);
	lines(k, k->store, DATA, n);
}

/* What nobody else read is exclusive: the store is silent. */
static void an_exclusive_line_is_written_silently(void **state)
{
	run(alone_then_write, "pentium3");
	PREDICT(W(BUS_BRD, 0, 1, 0), W(BUS_INVAL, 0, 0, 0), W(BUS_RFO, 0, 0, 0),
		W(BUS_HIT_DRV, 0, 0, 0), W(BUS_HITM_DRV, 0, 0, 0), W(L2_ADS, 1, 2, 1));
}

static void write_push_read(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->store, DATA, n);
	flush_l1d(k);
	on(k, 1);
	lines(k, k->load, DATA, n);
	on(k, 0);
	lines(k, k->load, DATA, n);
}

/* Modified in L2 only: written back from there, no second count for L1D. */
static void a_line_modified_in_l2_is_supplied(void **state)
{
	run(write_push_read, "pentium3");
	PREDICT(W(DCU_M_LINE_OUT, 1, 0, 0), W(BUS_HITM_DRV, 1, 0, 0), W(BUS_WB, 1, 0, 0),
		W(L2_LD_S, 1, 0, 0), W(L2_LD_I, 0, 1, 0));
}

static void write_push_write(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->store, DATA, n);
	flush_l1d(k);
	on(k, 2);
	lines(k, k->lock, DATA, n);
}

/* A locked read asks for the line alone. */
static void a_lock_takes_the_line(void **state)
{
	run(write_push_write, "pentium3");
	PREDICT(W(BUS_RFO, 1, 0, 1), W(BUS_BRD, 0, 0, 0), W(BUS_HITM_DRV, 1, 0, 0),
		W(L2_LINE_OUT, 1, 0, 0), W(L2_M_LINE_OUT, 1, 0, 0), W(BUS_WB, 1, 0, 0));
}

static void read_then_taken(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->load, DATA, n);
	on(k, 1);
	lines(k, k->store, DATA, n);
}

/* A clean copy that is taken: no HIT#, for it is not kept. */
static void taking_a_clean_line_drives_nothing(void **state)
{
	run(read_then_taken, "pentium3");
	PREDICT(W(BUS_HIT_DRV, 0, 0, 0), W(BUS_HITM_DRV, 0, 0, 0), W(BUS_WB, 0, 0, 0),
		W(L2_LINE_OUT, 1, 0, 0), W(L2_M_LINE_OUT, 0, 0, 0), W(DCU_M_LINE_OUT, 0, 0, 0),
		W(BUS_RFO, 0, 1, 0));
}

static void code_modified(struct kit *k, unsigned n)
{
	on(k, 1);
	execute(k, n);
	on(k, 0);
	lines(k, k->store, CODE, n);
	on(k, 1);
	execute(k, n);
}

/* Code changed by another processor leaves L1I and L2; fetched again it is written back first. It
 * is no self-modification for either (52H). */
static void code_modified_elsewhere_is_fetched_again(void **state)
{
	run(code_modified, "pentium3");
	PREDICT(W(IFU_MISS, 0, 2, 0), W(BUS_IFETCH, 0, 2, 0), W(L2_IFETCH_I, 0, 2, 0),
		W(BUS_RFO, 1, 0, 0), W(L2_LINE_OUT, 0, 1, 0), W(BUS_HITM_DRV, 1, 0, 0),
		W(BUS_WB, 1, 0, 0), W(DCU_M_LINE_OUT, 1, 0, 0), W(IFU_SMC, 0, 0, 0));
}

static void code_shared(struct kit *k, unsigned n)
{
	on(k, 0);
	execute(k, n);
	on(k, 2);
	lines(k, k->load, CODE, n);
	lines(k, k->store, CODE, n);
	on(k, 0);
	execute(k, n);
}

static void code_read_as_data_is_shared(void **state)
{
	run(code_shared, "pentium3");
	PREDICT(W(BUS_HIT_DRV, 1, 0, 0), W(BUS_BRD, 0, 0, 1), W(BUS_INVAL, 0, 0, 1),
		W(IFU_MISS, 2, 0, 0), W(BUS_HITM_DRV, 0, 0, 1));
}

static void prefetch_nta(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->load, DATA, n);
	on(k, 1);
	lines(k, k->prefetch_nta, DATA, n);
	lines(k, k->store, DATA, n);
}

/* L1D has the line shared, L2 has it not: ownership is read with data. */
static void a_shared_line_without_l2_copy_is_read_again(void **state)
{
	run(prefetch_nta, "pentium3");
	PREDICT(W(BUS_HIT_DRV, 1, 0, 0), W(BUS_BRD, 1, 1, 0), W(BUS_RFO, 0, 1, 0),
		W(BUS_INVAL, 0, 0, 0), W(L2_ST_I, 0, 1, 0), W(L2_LINE_OUT, 1, 0, 0));
}

static void weak_over_clean(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->load, DATA, n);
	on(k, 1);
	full_lines(k, n);
}

static void weak_over_modified(struct kit *k, unsigned n)
{
	on(k, 0);
	lines(k, k->store, DATA, n);
	on(k, 1);
	lines(k, k->weak, DATA, n); /* 16 bytes of each line */
	stream_exec(&k->s, k->fence, NULL);
}

static void write_combining_takes_lines(void **state)
{
	run(weak_over_clean, "pentium3");
	PREDICT(W(BUS_WB, 0, 1, 0), W(L2_LINE_OUT, 1, 0, 0), W(BUS_HIT_DRV, 0, 0, 0),
		W(L2_ADS, 3, 1, 2));
	run(weak_over_modified, "pentium3");
	PREDICT(W(BUS_PWR, 0, 2, 0), W(BUS_WB, 1, 0, 0), W(BUS_HITM_DRV, 1, 0, 0),
		W(L2_M_LINE_OUT, 1, 0, 0), W(DCU_M_LINE_OUT, 1, 0, 0), W(BUS_DRDY_SELF, 4, 2, 0),
		W(L2_ADS, 4, 1, 3));
}

/* Processors without L2 keep coherence by L1D alone; an upgrade needs no data there either. */
static void without_l2_level_1_answers(void **state)
{
	run(write_read_write, "celeron-covington");
	PREDICT(W(BUS_RFO, 1, 0, 0), W(BUS_BRD, 1, 1, 0), W(BUS_INVAL, 0, 1, 0),
		W(BUS_HITM_DRV, 1, 1, 0), W(BUS_WB, 1, 1, 0), W(DCU_M_LINE_OUT, 1, 1, 0));
}

/* ---- several processors and one -------------------------------------------------------------- */

/* Page tables are memory: the second walker finds the first one's lines. */
static void walkers_share_table_lines(void **state)
{
	static struct wires w;
	struct kit k;
	struct mdl_config cfg;
	struct mdl *m;
	uint64_t a[WIRE_N] = {0}, b[WIRE_N] = {0};

	kit_open(&k);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		on(&k, cpu);
		for (uint64_t i = 0; i < 64; i++)
			stream_exec(&k.s, k.load, (uint64_t[]){DATA + 0x800 + (i << 12)});
	}
	cfg = stream_config_untimed(&k.s, "pentium3");
	cfg.n_cpus = 2;
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_int_equal(mdl_feed(m, k.s.bytes, k.s.n), 0);
	mdl_cpu_totals(m, 0, a);
	mdl_cpu_totals(m, 1, b);
	/* 64 entries of 4 bytes: 8 lines and one of the directory; the code page's two likewise */
	assert_int_equal(a[WIRE_P6_WALK_BRD], 8 + 1 + 2);
	assert_int_equal(b[WIRE_P6_WALK_BRD], 8 + 1 + 2);
	assert_int_equal(a[WIRE_P6_BUS_HIT_DRV],
			 8 + 1 + 2 + 64 + 1); /* data lines, the code line */
	assert_int_equal(b[WIRE_P6_BUS_HIT_DRV], 0);
	mdl_close(m);
	stream_close(&k.s);
}

/* A processor that never runs changes nothing but what needs time on several. */
static void an_idle_processor_changes_no_count(void **state)
{
	static struct wires one, two;
	struct kit k;
	struct mdl_config cfg;
	size_t n;

	kit_open(&k);
	write_read_write(&k, K);
	cfg = stream_config_untimed(&k.s, "pentium3");
	stream_run(&k.s, &cfg, &one); /* numbers are taken modulo 1 */
	k.s.n = 0;
	on(&k, 4);
	lines(&k, k.store, DATA, K);
	on(&k, 0);
	lines(&k, k.load, DATA, K);
	lines(&k, k.store, DATA, K);
	on(&k, 2);
	lines(&k, k.load, DATA, K);
	cfg.n_cpus = 2;
	stream_run(&k.s, &cfg, &two);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (i != WIRE_P6_L2_ADS && two.driven[i] && one.total[i] != two.total[i])
			fail_msg("%s: %llu and %llu", cat_wires(&n)[i].name,
				 (unsigned long long)one.total[i],
				 (unsigned long long)two.total[i]);
	assert_true(one.driven[WIRE_P6_BUS_SNOOP_STALL]);
	assert_false(two.driven[WIRE_P6_BUS_SNOOP_STALL]);
	assert_false(two.driven[WIRE_P6_BUS_BNR_DRV]);
	assert_true(two.driven[WIRE_P6_BUS_HITM_DRV]);
	stream_close(&k.s);
}

/* The thread that forks becomes thread 0 of the child: FS base goes with it, without a word in the
 * stream. */
static void fs_base_goes_with_the_thread(void **state)
{
	static struct block_plan p;
	static struct wires w;
	struct kit k;
	struct mdl_config cfg;
	uint64_t base = DATA;
	uint32_t id;

	kit_open(&k);
	plan_begin(&p, 0x1100);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ)->flags |= X86_REF_FS;
	id = plan_end(&p, &k.s, X86_TERM_FALL, 0);
	on(&k, 1);
	stream_event(&k.s, TRC_FS_BASE, &base, 8);
	on(&k, 0);
	stream_exec(&k.s, id, (uint64_t[]){64});
	lines(&k, k.load, DATA + 64, 1);
	cfg = stream_config_untimed(&k.s, "pentium3");
	cfg.n_cpus = 2;
	stream_run(&k.s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DCU_LINE_IN], 1);
	stream_close(&k.s);
}

static void too_many_processors_are_refused(void **state)
{
	static struct wires w;
	struct kit k;
	struct mdl_config cfg;
	struct mdl *m;

	kit_open(&k);
	cfg = stream_config_untimed(&k.s, "pentium3");
	cfg.n_cpus = MDL_MAX_CPUS + 1;
	assert_int_equal(mdl_open(&cfg, &w, &m), -SPMU_EINVAL);
	cfg.n_cpus = MDL_MAX_CPUS;
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	mdl_close(m);
	stream_close(&k.s);
}

/* ---- exclusion: what one has modified or exclusive, no other has ----------------------------- */

struct copy {
	uint64_t line;
	uint8_t cpu, is_alone;
};

static int by_line(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

static size_t list_copies(const struct cache *c, unsigned cpu, bool is_code, struct copy *out)
{
	size_t n = 0;

	for (uint32_t set = 0; c->sets && set < c->n_sets; set++)
		for (unsigned way = 0; way < c->ways; way++) {
			uint32_t tag = cache_tags(c, set)[way];

			if (tag == CACHE_EMPTY)
				continue;
			out[n++] = (struct copy){
			    (uint64_t)cache_page_of(c, tag) << 12 | cache_in_page_of(c, set, tag),
			    (uint8_t)cpu, !is_code && cache_state_of(c, set, way) != CACHE_S};
		}
	return n;
}

static void check_exclusion(const struct p6_system *s, struct copy *copy)
{
	size_t n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		n += list_copies(&s->cpu[i]->dcu.cache, i, false, copy + n);
		n += list_copies(&s->cpu[i]->l2.cache, i, false, copy + n);
		n += list_copies(&s->cpu[i]->ifu.cache, i, true, copy + n);
	}
	qsort(copy, n, sizeof(*copy), by_line);
	for (size_t i = 0, j; i < n; i = j) {
		bool is_alone = false;

		for (j = i; j < n && copy[j].line == copy[i].line; j++)
			is_alone |= copy[j].is_alone;
		for (size_t k = i; k < j && is_alone; k++)
			if (copy[k].cpu != copy[i].cpu)
				fail_msg("line %llx is alone on a processor, and on %u and %u",
					 (unsigned long long)copy[i].line, copy[i].cpu,
					 copy[k].cpu);
	}
}

static void a_step(struct kit *k, uint64_t x)
{
	const uint32_t ids[] = {k->load,	 k->load, k->store, k->lock,
				k->prefetch_nta, k->weak, k->fence};
	const uint64_t line = x >> 8 & 127, far = x >> 16 & 31;

	if (x % 11 == 0)
		on(k, (uint32_t)(x >> 40));
	if (x % 5 == 0)
		stream_exec(&k->s, k->code[x >> 24 & 63], NULL);
	else if (x % 7 == 3)
		lines(k, k->store, CODE + (x >> 24 & 63) * LINE, 1);
	else
		lines(k, ids[x >> 32 & 0xffff ? (x >> 32) % 7 : 0],
		      DATA + line * LINE + (far << 15), 1);
}

static void no_copy_beside_an_exclusive_one(void **state)
{
	static const char *const cpus[] = {"pentium3", "celeron-covington"};
	struct copy *copy = malloc(200000 * sizeof(*copy));
	uint64_t rng = 19;

	assert_non_null(copy);
	for (unsigned round = 0; round < 8; round++) {
		struct wires w = {0};
		struct kit k;
		struct mdl_config cfg;
		void *self;

		kit_open(&k);
		cfg = stream_config_untimed(&k.s, cpus[round % 4 == 3]);
		cfg.n_cpus = 2 + round % 3;
		cfg.l1d = cfg.l1i = (struct mdl_geom){2 << 10, 2, 0};
		if (round % 4 != 3)
			cfg.l2 = (struct mdl_geom){8 << 10, 4, 0};
		cfg.replace = round == 5 ? MDL_REPLACE_LRU : MDL_REPLACE_MODEL;
		cfg.phys = round == 6 ? MDL_PHYS_RANDOM : MDL_PHYS_COLOUR;
		assert_int_equal(mdl_p6.open(&cfg, &w, &self), 0);
		for (unsigned i = 0; i < 400; i++) {
			k.s.n = 0;
			for (unsigned j = 0; j < 50; j++)
				a_step(&k, stream_random(&rng));
			assert_int_equal(mdl_p6.feed(self, k.s.bytes, k.s.n), 0);
			check_exclusion(self, copy);
		}
		mdl_p6.finish(self);
		assert_true(w.total[WIRE_P6_BUS_HITM_DRV] > 100 &&
			    w.total[WIRE_P6_BUS_HIT_DRV] > 100 && w.total[WIRE_P6_BUS_INVAL] > 10);
		mdl_p6.close(self);
		stream_close(&k.s);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(writers_take_lines_from_each_other),
	    cmocka_unit_test(a_line_comes_back_as_it_went),
	    cmocka_unit_test(a_reader_cleans_the_writer),
	    cmocka_unit_test(a_sharer_upgrades_without_data),
	    cmocka_unit_test(a_cleaned_line_stays_shared),
	    cmocka_unit_test(readers_share),
	    cmocka_unit_test(shared_lines_are_found_shared),
	    cmocka_unit_test(an_exclusive_line_is_written_silently),
	    cmocka_unit_test(a_line_modified_in_l2_is_supplied),
	    cmocka_unit_test(a_lock_takes_the_line),
	    cmocka_unit_test(taking_a_clean_line_drives_nothing),
	    cmocka_unit_test(code_modified_elsewhere_is_fetched_again),
	    cmocka_unit_test(code_read_as_data_is_shared),
	    cmocka_unit_test(a_shared_line_without_l2_copy_is_read_again),
	    cmocka_unit_test(write_combining_takes_lines),
	    cmocka_unit_test(without_l2_level_1_answers),
	    cmocka_unit_test(walkers_share_table_lines),
	    cmocka_unit_test(an_idle_processor_changes_no_count),
	    cmocka_unit_test(fs_base_goes_with_the_thread),
	    cmocka_unit_test(too_many_processors_are_refused),
	    cmocka_unit_test(no_copy_beside_an_exclusive_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
