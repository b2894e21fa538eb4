/* team.h -- clocks of one processor by several threads (decision 024).
 *
 * One machine without clocks, the scout, is fed the whole stream by the caller. Where a stretch
 * ends (stretch.c) it gives its snapshot, and a worker, a machine with clocks and a thread of
 * its own, goes on from there with a copy of the records of the next stretch. Clocks and what
 * else only time counts are sums over the workers; everything else is the scout's. Which worker
 * has which stretch changes no count.
 *
 * COUNTING RULES   those of one machine, on every wire (tests/unit/test_p6_team.c,
 *                  tests/engine/workers.sh).
 * NOT MODELLED     several processors, listings, comparisons, shares of slots, timers, memory
 *                  that is not cacheable, --wrong-path loads: one machine does these.
 */
#ifndef SOFTPMU_MODEL_P6_TEAM_H
#define SOFTPMU_MODEL_P6_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/model.h"

struct mdl_config;
struct p6;
struct p6_sums; /* sample.h; for cfg->p6.sample_every */
struct p6_system;
struct p6_team;

/* Can a team do what m does, opened as cfg says? */
bool p6_team_can(const struct p6 *m, const struct mdl_config *cfg);

/* A team of cfg->p6.n_worker workers (two or more) around `scout`, which is open. *out is owned
 * by the caller (p6_team_close, which takes NULL). Returns as mdl_open(). Threads begin with the
 * first records. */
int p6_team_open(const struct mdl_config *cfg, struct p6_system *scout, const struct p6_sums *sum,
		 struct p6_team **out);
void p6_team_close(struct p6_team *t);

/* The configuration of the scout of a team for *cfg. */
void p6_team_scout(struct mdl_config *cfg);

/* As mdl_feed(): the scout is done with the records then, the workers are not. */
int p6_team_feed(struct p6_team *t, const uint8_t *bytes, const uint8_t *end);

/* All workers are done with all records, and the last of them settles what waits. Returns 0 or
 * what went wrong. */
int p6_team_wait(struct p6_team *t);

/* The same, and no thread is left, until more is fed: the caller may fork. */
void p6_team_rest(struct p6_team *t);

/* What only workers know, in total[WIRE_N], takes the place of what is there. sum: p6_sum_rest,
 * or p6_sum_ahead, which lets go on waiting what waits. */
void p6_team_sum(struct p6_team *t, uint64_t *total, void sum(struct p6 *m, uint64_t *total));

/* As mdl_take_ledger(), of what workers booked, where clocks are estimated: what was handed out is
 * not estimated again, and units begin anew. */
int p6_team_take_ledger(struct p6_team *t, mdl_take_posting *take, void *ctx);

/* All block ids are about to become void, in front of the scout. */
void p6_team_forget(struct p6_team *t);

/* The machine that was fed the last record. */
struct p6 *p6_team_last(struct p6_team *t);

#endif
