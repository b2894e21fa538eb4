/* read.h -- what read(2) of an event's descriptor returns. */
#ifndef SOFTPMU_PERFEV_READ_H
#define SOFTPMU_PERFEV_READ_H

#include "perfev/board.h"

/* Write the event's values to `to` as attr.read_format wants them. Returns the number of bytes;
 * 0 for a pinned event that had no counter; -ENOSPC when `room` bytes are too few. Under the
 * lock. */
int64_t pev_read(const struct pev_board *b, uint32_t index, uint64_t room, void *to);

/* Returns true if e, not yet opened, may join the group: what a member's read(2) returns is 16
 * KiB at most, as in a kernel. Under the lock. Cost: a look at all events. */
bool pev_may_join(const struct pev_board *b, uint32_t leader, const struct pev_event *e);

#endif
