/* events.h -- records other than block executions, and the transfer that waits for its outcome. */
#ifndef SOFTPMU_MODEL_P6_EVENTS_H
#define SOFTPMU_MODEL_P6_EVENTS_H

#include "model/p6/p6.h"

/* One event record at p (4 bytes of it are there). Returns its size in bytes, or a negative error.
 */
int64_t p6_event(struct p6 *m, const uint8_t *p, const uint8_t *end);

/* The transfer that waits goes to `next`. Afterwards none waits. */
void p6_event_resolve(struct p6 *m, uint64_t next);

/* Block xb was executed: its transfer waits. */
void p6_event_wait(struct p6 *m, const struct x86_block *xb);

/* A block at pc begins: what waits for that is done, and perhaps a stretch. */
void p6_begin_block(struct p6 *m, uint64_t pc);

/* The stream goes on at `resume` with this thread, on its processor. FS base and DF go with it,
 * until the stream says otherwise: in a forked process the thread that forked becomes thread 0.
 * Returns 0 when it runs already, else TURNS_OTHER. */
int p6_switch(struct p6_system *s, unsigned cpu, const uint8_t *resume);

#endif
