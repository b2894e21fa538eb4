/* records.h -- records at the end of bare_convert.out: events, and what moves execution elsewhere.
 *
 * COUNTING RULES   where the plugin tells of interrupts (bare_convert.has_deliveries), and
 * execution goes on where no code leads and no interrupt was accepted, it went to the handler of an
 * exception. So it did where a near transfer leads to code of another privilege level: that code
 * could not be fetched. NOT MODELLED     an exception in whose handler an interrupt is accepted
 * before its first instruction: only the interrupt is known; a second exception in the delivery of
 *                  the first one.
 */
#ifndef SOFTPMU_BARE_RECORDS_H
#define SOFTPMU_BARE_RECORDS_H

#include "bare/convert.h"

/* Returns room for n bytes more at the end of c->out, or NULL without memory. */
uint8_t *bare_put_room(struct bare_convert *c, size_t n);

/* Each returns 0 or -SPMU_ENOMEM. */
int bare_put_bytes(struct bare_convert *c, const void *bytes, size_t n);
int bare_put_event(struct bare_convert *c, uint32_t kind, const void *payload, uint32_t bytes);
int bare_put_go(struct bare_convert *c, uint64_t pc);

/* Hold an event back until bare_put_held(), which writes where execution goes on in front of
 * `payload`. Returns 0 or -SPMU_ENOMEM. */
int bare_hold_event(struct bare_convert *c, uint32_t kind, const void *payload, uint32_t bytes);
/* Put out what is held; execution goes on at pc, or with a REP that is under way. Returns 0 or
 * -SPMU_ENOMEM. */
int bare_put_held(struct bare_convert *c, uint64_t pc);

/* Execution goes on at `next`, where no code leads. */
int bare_put_delivery(struct bare_convert *c, uint64_t next);

/* As bare_put_delivery() where code of privilege level `ring`, which ends with a near transfer or
 * none, is followed by that of another level; else nothing. */
int bare_put_if_ring(struct bare_convert *c, uint8_t ring, uint64_t next);

/* A run begins at pc with this privilege level: say whether an interrupt was accepted in front of
 * it, whether the level has changed, and IF. A REP under way is one instruction, behind which that
 * is said. */
int bare_put_state(struct bare_convert *c, uint64_t pc, uint8_t ring);

#endif
