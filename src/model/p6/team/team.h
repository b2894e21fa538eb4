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

/* Returns true if a team can do what m does, opened as cfg says; false for what NOT MODELLED lists,
 * for fewer than two workers (with samples: none), and with a ledger but without samples. */
bool p6_team_can(const struct p6 *m, const struct mdl_config *cfg);

/* A team of cfg->p6.n_worker workers around `scout`, which is open, as p6_team_scout() has it, and
 * stays the caller's; it must outlive the team. *out is owned by the caller (p6_team_close(), which
 * takes NULL). sum is copied and needed for samples alone. Returns as mdl_open(). Threads begin
 * with the first records. */
int p6_team_open(const struct mdl_config *cfg, struct p6_system *scout, const struct p6_sums *sum,
		 struct p6_team **out);
void p6_team_close(struct p6_team *t);

/* Change *cfg to the configuration of the scout of a team: it counts nothing that only clocks
 * count. */
void p6_team_scout(struct mdl_config *cfg);

/* Feed records [bytes, end), as mdl_feed(). On return the scout is done with them, the workers need
 * not be: they have copies, and the caller may reuse the memory. May wait while too much is queued.
 * Returns 0 or the first error of scout or workers, then and at each later call. */
int p6_team_feed(struct p6_team *t, const uint8_t *bytes, const uint8_t *end);

/* Wait until all workers are done with all records; then what the last of them holds is done, too
 * (p6_time_settle()). Returns 0 or what went wrong. */
int p6_team_wait(struct p6_team *t);

/* Wait until all workers are done with all records, and end their threads, until more is fed: the
 * caller may fork. What is held stays held. An error is returned by the next p6_team_feed() or
 * p6_team_wait(). */
void p6_team_rest(struct p6_team *t);

/* Put what only workers know into total[WIRE_N], in place of what is there: the wires that only
 * clocks count; with samples their estimates, and half of their intervals into the scout's wires.
 * Waits until the workers are done. sum: p6_sum_rest, or p6_sum_ahead, which leaves held what is
 * held. */
void p6_team_sum(struct p6_team *t, uint64_t *total, void sum(struct p6 *m, uint64_t *total));

/* As mdl_take_ledger(), of what workers booked, where clocks are estimated: what was handed out is
 * not estimated again, and units begin anew. */
int p6_team_take_ledger(struct p6_team *t, mdl_take_posting *take, void *ctx);

/* As those of model/part.h. p6_team_part: total[WIRE_N] has what the scout counted; those of
 * estimates become what the scout's wires show. */
bool p6_team_has_parts(const struct p6_team *t);
int p6_team_part(struct p6_team *t, uint64_t *total, uint64_t *part);
int p6_team_part_totals(struct p6_team *t, const uint64_t *part, uint64_t *total, uint64_t *half);
int p6_team_part_begin(struct p6_team *t);

/* All block ids are about to become void: let the workers do what they have and forget all blocks.
 * Call it before the scout forgets its own. */
void p6_team_forget(struct p6_team *t);

/* Returns the worker's machine that was handed the last record; owned by the team. Only once the
 * workers are done (p6_team_wait(), p6_team_rest()) may the caller touch it. */
struct p6 *p6_team_last(struct p6_team *t);

#endif
