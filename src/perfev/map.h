/* map.h -- memory that programs map from an event's descriptor: the user page, and the ring of samples behind it.
 *
 * MODELLED       the page's lock, index, offset, times, width and capabilities; RDPMC (session/serve/bank.h) shows what the
 *                page's index names, so that offset + counter is the count.
 *                cap_user_time where the time-stamp counter follows the same clock as times do: with --clock model, and
 *                with --tier 2, where both are instructions. Elsewhere the capability is clear. An event that is mapped outlives its
 *                descriptor; when its last mapping goes, so does the ring, and another one may have another size.
 * NOT MODELLED   perf_event_mlock_kb, the limit of what users without rights may map.
 * SOURCES        perf_event_open(2), linux/perf_event.h.
 */
#ifndef SOFTPMU_PERFEV_MAP_H
#define SOFTPMU_PERFEV_MAP_H

#include "perfev/local.h"

/* The memory file, for all servers to be forked. Without it programs can map nothing. */
void pev_map_open(struct pev_local *l);
void pev_map_close(struct pev_local *l);

/* REQ_PERF_MAP. Returns 0 or an error. */
int64_t pev_map(struct pev_local *l, struct ses_server *s, struct req_box *b);

/* REQ_PERF_UNMAP: the guest maps [at, at + bytes) of the memory file once less. Returns 0. */
int64_t pev_unmap(struct pev_local *l, struct ses_server *s, uint64_t at, uint64_t bytes);

/* It maps nothing any more: it ends, or executes another program. Under the lock. */
void pev_unmap_all(struct pev_local *l);

/* The pages that programs map, and the counters that RDPMC shows, as the schedule is now. Under the lock, after
 * pev_settle(). */
void pev_pages(struct pev_local *l, struct ses_server *s);

/* `bytes` of records more were fed: counters whose upper bit a program could come to see soon start again from 0, with their pages. Kernels
 * do so when they overflow; programs that read them without the page's offset see it there, too. Without the lock. */
void pev_pages_age(struct pev_local *l, struct ses_server *s, uint64_t bytes);

#endif
