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

/* The same from *at up to `end`, or as soon as there were stop_insn instructions, or to an event or
 * a block that was not executed yet: *at is where that is. m->can_stop, and m has the fast shape.
 */
int p6_feed_known(struct p6 *m, const uint8_t **at, const uint8_t *end, uint64_t stop_insn);
#define P6_NEVER_STOP (1ull << 62)

#endif
