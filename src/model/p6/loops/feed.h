/* feed.h -- records in: the loop over them without clocks (feed.c), and programs that are replaced
 * (exec.c). With clocks: time_feed.h. What is no block: events.h.
 *
 * COUNTING RULES   as in feed.c.
 */
#ifndef SOFTPMU_MODEL_P6_FEED_H
#define SOFTPMU_MODEL_P6_FEED_H

#include "model/p6/p6.h"

/* The process replaces its program (TRC_EXEC). */
void p6_exec(struct p6 *m);

/* Records of processor m. Returns as mdl_feed(), or P6_OTHER_CPU. */
int p6_feed(struct p6 *m, const uint8_t *bytes, size_t n);

/* Feed records from *at on. Stops at `end`, as soon as there were stop_insn instructions, at an
 * event, or at a block that was not executed yet; *at receives where. m->can_stop must be set, and
 * m must have the fast shape. Returns as p6_feed(). */
int p6_feed_known(struct p6 *m, const uint8_t **at, const uint8_t *end, uint64_t stop_insn);
#define P6_NEVER_STOP (1ull << 62)

#endif
