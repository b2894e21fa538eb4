/* ring.h -- the ring of records behind a user page, and the records themselves.
 *
 * MODELLED       SAMPLE, MMAP2 (MMAP) of mappings and of changes of protection, COMM (by exec and prctl), FORK and EXIT of processes and threads, LOST, with the identification
 *                behind them that sample_id_all asks for;
 *                a reader that keeps data_tail is never overrun, what does not fit is lost and counted.
 *                Callers by frame pointers, registers and the top of the stack of user mode (at most 60 KiB), as the
 *                program stood before the sampled instruction, or where --skid model interrupted it.
 * NOT MODELLED   branches of a sample, the inode of shared memory without a file, the new name of a file that is renamed, THROTTLE, SWITCH, a name that is written to /proc/self/task/N/comm, a parent
 *                that has ended before.
 * SOURCES        perf_event_open(2), linux/perf_event.h.
 */
#ifndef SOFTPMU_PERFEV_RING_H
#define SOFTPMU_PERFEV_RING_H

#include "perfev/local.h"
#include "trace/record.h"

/* One record of event e, into the ring of its output. All under the lock. */
/* state: the program as the sample shows it, NULL = not known. */
void pev_put_sample(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, uint64_t ip, uint64_t period,
                    const struct pev_state *state);
void pev_put_comm(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, const char *name, bool is_exec);

/* path: the file's, or what the kernel calls it; "" = it has no name. */
void pev_put_area(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, const struct trc_area *area, const char *path);

/* kind: PERF_RECORD_FORK or PERF_RECORD_EXIT. at: who does that, and when. */
void pev_put_task(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, uint32_t kind, const struct pev_task *who);

/* A reader may look at the head of its ring twice and take both for one (perf does): so what another process's events write is shown to it while it is
 * in a system call, which its own server knows. Shows the rings of this server's guest. Under the lock. */
void pev_show_rings(struct pev_local *l);
void pev_show_ring(struct pev_local *l, struct pev_event *e);

/* Does a ring wait to be shown to this server's guest? */
bool pev_has_unshown(const struct pev_local *l);

/* What this server wrote is shown in any case, because nobody else has done so for a while. Under the lock. */
void pev_show_written(struct pev_local *l);

/* Nothing that this server wrote waits to be shown. */
bool pev_is_shown(const struct pev_local *l);

#endif
