/* model.h -- the plug: a machine model that consumes the record stream.
 *
 * Session opens one model for each counted process, gives it every new block and the stream in
 * order, and reads the wires. A model knows no event numbers and prints nothing. Questions in
 * the middle of a run are in ask.h.
 *
 * COUNTING RULES   totals stand on the wires after mdl_finish(), exact up to the last record fed.
 * TRUST            records come from a hostile guest: mdl_feed() checks ids, sizes and order.
 */
#ifndef SOFTPMU_MODEL_MODEL_H
#define SOFTPMU_MODEL_MODEL_H

#include "model/config.h"

struct mdl;

/* Open the model of cfg->cpu's family and mark in w->driven every wire that it drives under cfg:
 * not the wires of parts that stay off because the caller wants none of them. w is borrowed
 * until mdl_close(). *out is the caller's. Returns 0; -SPMU_EINVAL for an impossible geometry or
 * an unknown setting; -SPMU_ENOMEM; -SPMU_ENOTSUP when the family has no model. */
int mdl_open(const struct mdl_config *cfg, struct wires *w, struct mdl **out);
void mdl_close(struct mdl *m);

/* Open a second model that gets whatever m is fed, told or asked to finish, and that closes with
 * m. Its totals stand on w. With mdl_config.is_unasked it may share work with m; the counts do not
 * depend on it. Call it before anything is fed. Returns as mdl_open(). */
int mdl_add(struct mdl *m, const struct mdl_config *cfg, struct wires *w);

/* Consume the whole records in [bytes, bytes + n). The blocks that they name are in the store.
 * Returns 0; -SPMU_EPROTO when the stream is malformed; -SPMU_ENOTSUP when a REP instruction is
 * longer than the model counts: totals keep what was counted up to there, the rest is ignored.
 * Cost: the whole run is spent here. */
int mdl_feed(struct mdl *m, const uint8_t *bytes, size_t n);

/* Tier 1: block `id` was executed `times` times, and `taken` of these left by its branch target.
 * Returns 0, or -SPMU_EPROTO for an id that is not in the store. */
int mdl_add_counts(struct mdl *m, uint32_t id, uint64_t times, uint64_t taken);

/* A model that waited (mdl_config.is_waiting) gets a stream from now on: caches, predictors and
 * clocks begin here. The caller has added what it counted until now, and calls
 * mdl_forget_blocks() next. */
void mdl_begin(struct mdl *m);

/* Returns the instructions retired so far (for the clock that the program sees). */
uint64_t mdl_instructions(const struct mdl *m);

/* Bring all totals onto the wires. May be called again after more mdl_feed(). Cost: a walk over
 * all blocks seen. */
void mdl_finish(struct mdl *m);

/* The caller is about to fork: finish what was fed, so that no thread but the caller's works for
 * m until more is fed. */
void mdl_rest(struct mdl *m);

/* What one instruction counted. */
#define MDL_NO_BLOCK   UINT32_MAX
#define MDL_REPLICATES 8u

struct mdl_posting {
	uint64_t pc;
	uint32_t block; /* where it stands, or MDL_NO_BLOCK */
	unsigned insn;
	/* wire[0..n_wire) are those of which it counted something. Their numbers are total[wire],
	 * of WIRE_N, modulo 2^64: what is taken back is below 0. Valid during the call. */
	const uint64_t *total;
	const uint16_t *wire;
	unsigned n_wire;
	/* Where clocks are estimated (mdl_p6_config.sample_every): MDL_REPLICATES numbers that say
	 * how far they may be off. They add up over instructions; twice the mean of the squares of
	 * a sum is the variance of the clocks of all of them. NULL: clocks are exact. */
	const int64_t *replicate;
};
typedef void mdl_take_posting(void *ctx, const struct mdl_posting *p);

/* So often were all instructions of a block executed in a context. */
struct mdl_visit {
	uint32_t context, block;
	uint64_t times;
};

/* With mdl_config.has_ledger: hand out what instructions counted since the last time, of wires that
 * are wanted. What is on the wires and in no posting, nobody caused. visit[0..n): blocks were
 * executed so often since the last time; NULL: as often as they were fed. Returns 0; -SPMU_ENOMEM
 * when something was lost; -SPMU_ENOTSUP where the model has no ledger. Cost: a walk over all
 * blocks. */
int mdl_take_ledger(struct mdl *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		    void *ctx);

/* With mdl_config.has_ledger: what is fed next belongs to `context`, any number of the caller's
 * below 2^20, or to none: what is counted in MDL_OUTSIDE is handed out nowhere. Called after the
 * records of the context before were fed, else they count as those of this one. */
#define MDL_OUTSIDE UINT32_MAX
void mdl_set_context(struct mdl *m, uint32_t context);

/* As mdl_take_ledger(), context by context, of the first model: p->block is the context.
 * visit[0..n) has the executions since the last time, by ascending context. Call it before blocks
 * are forgotten. */
int mdl_take_contexts(struct mdl *m, const struct mdl_visit *visit, size_t n,
		      mdl_take_posting *take, void *ctx);

/* The store will be cleared: all block ids become void and begin anew. What was executed stays
 * counted, and the machine keeps its state. Called before x86_store_clear(), while the facts of the
 * blocks are still there, and for each model that reads the store: without it a new block would be
 * taken for the old one with its id. Cost: a walk over all blocks seen. */
void mdl_forget_blocks(struct mdl *m);

/* Add to total[WIRE_N] what processor `cpu` (0 to cfg->n_cpus - 1) counted by itself; nothing
 * when there is no such processor. Without a record stream (tier 1) all counts are those of
 * processor 0. Cost: as mdl_finish(). */
void mdl_cpu_totals(struct mdl *m, unsigned cpu, uint64_t *total);

/* Returns why what `wire` counts cannot occur on this processor (an L2 request on a Celeron
 * without L2), as one static sentence; NULL when it can occur, or when it is not driven for
 * another reason. Such wires are not marked in w->driven. */
const char *mdl_cannot_occur(const struct mdl *m, unsigned wire);

/* Set *name (one or two words, "" for 0) and *sentence to the text of reason `why` of a line
 * (line.h); both are static. Returns false when the models of cpu's family know no such reason. */
bool mdl_reason(const struct cat_cpu *cpu, unsigned why, const char **name, const char **sentence);

/* A model has several ways to the same counts, which differ in speed. Returns the name of its
 * way number i, static, and sets *entered to how often it was taken; NULL when there are not
 * that many. For tests. */
const char *mdl_path(const struct mdl *m, unsigned i, uint64_t *entered);

#endif
