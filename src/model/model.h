/* model.h -- the plug: a machine model behind the record stream.
 *
 * Session opens one model per counted process, tells it every new block, feeds it the stream in
 * order, and reads the wires. A model knows no event numbers and prints nothing.
 *
 * COUNTING RULES   totals stand on the wires after mdl_finish(), exact up to the last record fed.
 * TRUST            records come from a hostile guest: mdl_feed() checks ids, sizes and order.
 */
#ifndef SOFTPMU_MODEL_MODEL_H
#define SOFTPMU_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/line.h"
#include "wire/wire.h"
#include "x86/block.h"

struct cat_cpu;
struct cat_event;

enum mdl_replace { MDL_REPLACE_MODEL = 0, MDL_REPLACE_LRU };		   /* --replace */
enum mdl_phys { MDL_PHYS_COLOUR = 0, MDL_PHYS_IDENTITY, MDL_PHYS_RANDOM }; /* --phys */

/* --wrong-path: what the P6 in time does behind a mispredicted branch until that is executed. */
enum mdl_wrong_path {
	MDL_WRONG_DECODE = 0, /* fetches and decodes, and changes no cache, TLB or predictor */
	MDL_WRONG_OFF,	      /* nothing */
	MDL_WRONG_LOADS,      /* reaches the caches, too: code, and loads whose addresses are known */
};

/* A count of clocks by what happens in each: those in which the sum of the wires is at least cmask (inverted: below it), or,
 * as edges, how often that begins. cmask 0 stands for 1, not inverted. */
#define MDL_WATCH_WIRES 48u
struct mdl_watch {
	uint16_t wire[MDL_WATCH_WIRES];
	uint8_t n_wire, cmask;
	bool is_inverted, is_edge;
};

/* What a breakpoint register watches. */
enum mdl_break { MDL_BREAK_EXECUTE = 0, MDL_BREAK_WRITE = 1, MDL_BREAK_ACCESS = 3 };

#define MDL_MAX_CPUS	 8u
#define MDL_MAX_WORKERS	 8u
#define MDL_MAX_FIGURES	 32u
#define MDL_MAX_UNCACHED 8u

/* Geometry of one cache or TLB as asked on the command line; size 0 = the processor's own. */
struct mdl_geom {
	uint32_t size_bytes; /* TLBs: entries */
	uint16_t ways;
	uint16_t line_bytes;
};

#define MDL_LOOK_TURNS 65536u /* some milliseconds */

/* Settings of one model. Copied by mdl_open(). */
struct mdl_config {
	const struct cat_cpu *cpu;     /* row of processors.tsv; borrowed, static */
	const struct x86_store *store; /* where block ids resolve; borrowed for the model's life */
	enum mdl_replace replace;
	enum mdl_phys phys;
	uint64_t phys_seed;
	uint32_t n_cpus; /* --cpus: processors of this kind on one bus, 1..MDL_MAX_CPUS; 0 = 1 */
	uint8_t has_walks; /* --walks on|off: page walks access L2; default 1 */
	struct mdl_geom l1i, l1d, l2, itlb, dtlb;
	/* Which parts must run: set of wires that somebody reads (1 byte per wire, 0/1). Parts that
	 * drive none of them and influence none of them may stay off; results never differ. */
	uint8_t wanted[WIRE_N];
	uint8_t is_count_only; /* tier 1: no stream will come, mdl_add_counts() instead */
	uint8_t is_waiting;    /* the same, but one will come after mdl_begin() */
	uint8_t is_plain;      /* 1: the slow reference path without filters; same results */
	uint8_t has_no_host_code; /* 1: hot blocks do not become host code; same results */
	uint8_t n_worker; /* P6 in time: threads that work clocks out beside the caller's, where that can be; below 2: none. Same results */
	uint8_t has_no_memo; /* in time, 1: timings of blocks are not kept and used again; same results */
	uint64_t most_string_bytes; /* of one REP instruction; 0 = the model's own number */
	/* Asked once in MDL_LOOK_TURNS steps of one REP instruction: does nobody want the rest of it? Then it ends there, and totals are what
	 * was counted so far. NULL: all is wanted. Must not call the model. */
	bool (*is_over)(void *ctx);
	void *over_ctx;
	/* P5 in time: penalties and switches that differ from the catalog's (--set, --board) */
	struct mdl_figure {
		uint16_t index; /* enum p5_figure */
		uint16_t value;
	} figure[MDL_MAX_FIGURES];
	uint32_t n_figure;
	/* P6: parameters of catalog/p6/params.tsv that differ (--set) */
	struct mdl_setting {
		const char *name; /* static */
		uint16_t value;
	} setting[MDL_MAX_FIGURES];
	uint32_t n_setting;
	const char *mutation; /* P6: a test hook (--mutate, docs/TESTING.md): one fact that is changed, so that counts are wrong; NULL = none */
	/* Linear addresses [from, to) that are not cacheable (--uncached); P6: whose lines the bus answers later (--defer) */
	struct mdl_range {
		uint64_t from, to;
	} uncached[MDL_MAX_UNCACHED], deferred[MDL_MAX_UNCACHED];
	uint32_t n_uncached, n_deferred;
	/* P5: DR0 to DR3 (--breakpoint); bytes 0 = not set */
	struct mdl_breakpoint {
		uint64_t lin;
		uint8_t bytes; /* 1, 2, 4 */
		uint8_t type;  /* enum mdl_break */
	} breakpoint[4];
	uint32_t timer_hz;  /* in time: timer interrupts per modelled second (--timer-hz); 0 = none. P6: switches time on */
	uint8_t has_errata; /* P5: count what the silicon counts where that differs (--errata) */
	/* P6: comparisons; watch[k] counts on WIRE_P6_CORE_WATCH0 + k when that is wanted */
	struct mdl_watch watch[WIRE_N_WATCH];
	uint32_t n_watch;
	uint8_t wrong_path; /* enum mdl_wrong_path; LOADS switches time on */
	uint32_t host_code_after; /* executions that make a block hot, whose timings are kept from the first on; 0 = the model's own
				   * numbers */
	void (*on_line)(void *ctx, const struct mdl_line *line); /* each instruction, by a model with time; or NULL */
	void *line_ctx;
};

struct mdl;

/* Open the model of cfg->cpu's family. *out is owned by the caller (mdl_close).
 * Returns 0; -SPMU_EINVAL for an impossible geometry; -SPMU_ENOMEM; -SPMU_ENOTSUP when the family
 * has no model. Marks in w->driven every wire that this model drives under cfg (not those of parts
 * that stay off because nobody wants them). w is borrowed. */
int mdl_open(const struct mdl_config *cfg, struct wires *w, struct mdl **out);
void mdl_close(struct mdl *m);

/* Open another model behind m: whatever m is fed, told or asked to finish, it gets too, and it closes with m. Its totals
 * stand on w alone. Returns as mdl_open(). */
int mdl_add(struct mdl *m, const struct mdl_config *cfg, struct wires *w);

/* Consume whole records in [bytes, bytes + n). Blocks named there are in the store.
 * Returns 0, -SPMU_EPROTO when the stream is malformed, or -SPMU_ENOTSUP when a REP instruction is
 * longer than the model counts (the rest is ignored, totals keep what was counted so far). Cost: the whole run; 1-2 ns per instruction is the aim. */
int mdl_feed(struct mdl *m, const uint8_t *bytes, size_t n);

/* Tier 1: block `id` was executed `times` times, `taken` of them leaving by its branch target. */
int mdl_add_counts(struct mdl *m, uint32_t id, uint64_t times, uint64_t taken);

/* From now on records of blocks come (mdl_config.is_waiting): caches, predictors and clocks begin here. What the caller counted
 * until now has been added, and mdl_forget_blocks() comes next. */
void mdl_begin(struct mdl *m);

/* Instructions retired so far (for the clock shown to the program). */
uint64_t mdl_instructions(const struct mdl *m);

/* The record fed last is that of an RDPMC, alone in block `id`, and totals are on the wires: how much of the total of `wire`
 * does it not see? What it counts itself; and in a machine that executes out of order, with clocks, what has not
 * retired when it executes. Cost: a walk over what the block counts, a few dozen numbers at most. */
uint64_t mdl_unseen(struct mdl *m, uint32_t id, unsigned wire);

/* Bring all totals onto the wires. May be called again after more mdl_feed(). Cost: proportional to
 * the number of blocks seen. */
void mdl_finish(struct mdl *m);

/* The same for who reads often and keeps account of executions: total[WIRE_N] receives what blocks count by being
 * executed, up to now (mdl_executions: a walk over all blocks; mdl_add_once: one more execution of block `id`, none when
 * the model counts that block otherwise), and mdl_finish_with() brings all totals of m, but not of those added to it, onto
 * the wires. Cost of the latter: WIRE_N additions. */
void mdl_executions(struct mdl *m, uint64_t *total);
void mdl_add_once(struct mdl *m, uint32_t id, uint64_t times, uint64_t *total);
void mdl_finish_with(struct mdl *m, const uint64_t *total);

/* As mdl_finish_with(), but what waits in a model with clocks goes on waiting: looking moves no clock. What shares its micro-ops' group with
 * instructions that were not fed yet is counted as if none came; so a total may be a little less at the next look. What needs to know where
 * execution goes on is not in the totals, unless TRC_AHEAD said it. */
void mdl_peek(struct mdl *m, const uint64_t *total);

/* The most that things can grow while one instruction is executed, by what counts them. MDL_NO_LIMIT: nobody knows. */
#define MDL_NO_LIMIT (1ull << 40)
struct mdl_most {
	uint64_t clk;  /* clocks, behind those of mdl_backlog() */
	uint64_t data; /* occurrences at its data references */
	uint64_t core; /* ... of operations that are executed and retire */
	uint64_t lines; /* ... on the way of lines and page walks behind the first-level caches */
	uint64_t any;  /* ... of any one kind */
};

/* The most of instruction `insn` of b, whatever state the machine is in; of a REP instruction with `items` iterations. A limit by static facts and the model's
 * figures, some ten to a thousand times of what is usual. The counts of a stretch are below the sum of its instructions'. Cost: a look at the
 * block's references. */
void mdl_most(struct mdl *m, const struct x86_block *b, unsigned insn, uint64_t items, struct mdl_most *out);

/* The same of instructions [from, to) of b together, if each finds all that it touches in the first-level caches and TLBs, lines that it writes modified.
 * MDL_NO_LIMIT where that says nothing: of REP, locked and serializing instructions, prefetches, accesses in parts. Cost: as mdl_most(), of each. */
void mdl_most_of_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to, struct mdl_most *out);

/* Does m tell hits at all? Else mdl_hits() never says so. */
bool mdl_tells_hits(const struct mdl *m);

/* Would they, with values at `slots`, as the first thing behind what m was fed and told that follows (TRC_AHEAD)? What does changes nothing that
 * this looks at. Changes nothing. Cost: a look-up per line of code and reference. */
bool mdl_hits(struct mdl *m, const struct x86_block *b, unsigned from, unsigned to, const uint8_t *slots);

/* Which of these bounds an event, and how many it counts at most for each of it; by_hits: which does where hits are told from misses;
 * MDL_BY_NONE: none, because what an instruction waited while older ones missed is counted when it goes on. */
enum mdl_bound_by { MDL_BY_CLK, MDL_BY_DATA, MDL_BY_CORE, MDL_BY_LINES, MDL_BY_ANY, MDL_BY_NONE };
struct mdl_bound {
	enum mdl_bound_by by, by_hits;
	unsigned times;
};

/* Of event e of processor cpu; is_masked: with a counter mask or edge, so that it counts clocks or where some begin. The event's kind and its
 * wires' bounds decide (catalog/README.md). Cost: a search by name. */
struct mdl_bound mdl_bound_of(const struct cat_cpu *cpu, const struct cat_event *e, bool is_masked);

/* Clocks, beyond those counted at the last mdl_peek(), for which what was executed until then keeps buses, buffers and units busy. */
uint64_t mdl_backlog(const struct mdl *m);

/* The caller is about to fork: what was fed is done, and no thread but its own works for m until more is fed. */
void mdl_rest(struct mdl *m);

/* All block ids are void, because the store will be cleared: what was executed stays counted, the machine
 * keeps its state, ids start anew. Cost: proportional to the number of blocks seen. */
void mdl_forget_blocks(struct mdl *m);

/* Add to total[WIRE_N] what processor `cpu` (0 to cfg->n_cpus - 1) counted by itself; nothing when there is
 * no such processor. Without a record stream (tier 1) all counts are those of processor 0. Cost: as
 * mdl_finish(). */
void mdl_cpu_totals(struct mdl *m, unsigned cpu, uint64_t *total);

/* Why what `wire` counts cannot occur on this processor (an L2 request on a Celeron without L2):
 * one static sentence, or NULL when it can occur or is not driven for another reason. Such wires
 * are not marked in `driven`. */
const char *mdl_cannot_occur(const struct mdl *m, unsigned wire);

/* Text of reason `why` of a line: *name (one or two words, "" for 0) and *sentence, both static. Returns false when
 * the models of cpu's family know no such reason. */
bool mdl_reason(const struct cat_cpu *cpu, unsigned why, const char **name, const char **sentence);

/* A model has several ways of doing the same, which differ in speed alone. The name of number i of m's, static; NULL behind the last one.
 * *entered: how often it was taken, or what stands for that; 0 = never. For tests. */
const char *mdl_path(const struct mdl *m, unsigned i, uint64_t *entered);

#endif
