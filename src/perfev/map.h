/* map.h -- memory that programs map from an event's descriptor: the user page and the ring of
 * samples.
 *
 * MODELLED       the page's lock, index, offset, times, width and capabilities. RDPMC
 *                (session/serve/bank.h) shows the counter that the page's index names, so that
 *                offset + counter is the count. cap_user_time is set where the time-stamp
 *                counter and the times follow one clock: with --clock model, and with --tier 2,
 *                where both are instructions. A mapped event outlives its descriptor. When its
 *                last mapping goes, its ring goes, too, and the next ring may have another size.
 * NOT MODELLED   perf_event_mlock_kb, the limit of what users without rights may map.
 * SOURCES        perf_event_open(2), linux/perf_event.h.
 */
#ifndef SOFTPMU_PERFEV_MAP_H
#define SOFTPMU_PERFEV_MAP_H

#include "perfev/local.h"

/* Open the memory file, for this server and all that will be forked. When it fails, programs can
 * map nothing. */
void pev_map_open(struct pev_local *l);
void pev_map_close(struct pev_local *l);

/* REQ_PERF_MAP. Returns 0 or an error. */
int64_t pev_map(struct pev_local *l, struct ses_server *s, struct req_box *b);

/* REQ_PERF_UNMAP: the guest maps [at, at + bytes) of the memory file once less. Returns 0. */
int64_t pev_unmap(struct pev_local *l, struct ses_server *s, uint64_t at, uint64_t bytes);

/* The guest maps nothing any more, because it ends or executes another program. Under the lock. */
void pev_unmap_all(struct pev_local *l);

/* Bring the pages that programs map, and the counters that RDPMC shows, up to the present
 * schedule. Under the lock, after pev_settle(). */
void pev_pages(struct pev_local *l, struct ses_server *s);

/* `bytes` more of records were fed: start counters whose upper bit a program could soon see
 * again from 0, with their pages. Kernels do that when a counter overflows; a program that reads
 * it without the page's offset sees it there, too. Without the lock. */
void pev_pages_age(struct pev_local *l, struct ses_server *s, uint64_t bytes);

#endif
