/* feed.h -- records in: blocks (feed.c), what is no block (events.c), and programs that are
 * replaced (exec.c). With clocks feed.c hands blocks to time_feed.c (clocks/time.h).
 *
 * COUNTING RULES   a conditional branch is counted when the next record says where execution went
 *                  on.
 */
#ifndef SOFTPMU_MODEL_P5_FEED_H
#define SOFTPMU_MODEL_P5_FEED_H

#include "model/p5/p5.h"

/* As mdl_feed(). */
int p5_feed(struct p5 *m, const uint8_t *bytes, size_t n);

/* The event record at p, of which at least 4 bytes lie before `end`. Returns its size, or a
 * negative error. */
int64_t p5_event(struct p5 *m, const uint8_t *p, const uint8_t *end);

/* Execution goes on at `next`: the conditional branch that waits was taken or not. */
void p5_resolve(struct p5 *m, uint64_t next);

/* Was the conditional branch that waits taken, if execution goes on at `next`? */
static inline bool p5_is_taken(const struct p5 *m, uint64_t next)
{
	return m->waits && next == m->waits_for && !m->is_to_next;
}

/* Block b was executed to its end: its branch, if any, waits for p5_resolve(). */
void p5_wait(struct p5 *m, const struct x86_block *b);

/* The process replaces its program (TRC_EXEC): TLBs and predictors of all processors start cold,
 * caches keep their lines, but no page of the new program has one of them. */
void p5_exec(struct p5 *m);

#endif
