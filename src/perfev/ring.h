/* ring.h -- the ring of records that follows a user page, and the records themselves.
 *
 * MODELLED       SAMPLE; MMAP2 (MMAP) of mappings and of changes of protection; COMM by exec and
 *                prctl; FORK and EXIT of processes and threads; LOST; all with the
 *                identification that sample_id_all asks for. A reader that keeps data_tail is
 *                never overrun: what does not fit is lost and counted. Callers by frame
 *                pointers, registers and the top of the user stack (at most 60 KiB), as the
 *                program stood before the sampled instruction, or where --skid model interrupted
 *                it.
 * NOT MODELLED   branches of a sample; the inode of shared memory without a file; the new name
 *                of a renamed file; THROTTLE; SWITCH; a name written to /proc/self/task/N/comm;
 *                a parent that ended before its child.
 * SOURCES        perf_event_open(2), linux/perf_event.h.
 */
#ifndef SOFTPMU_PERFEV_RING_H
#define SOFTPMU_PERFEV_RING_H

#include "perfev/local.h"
#include "trace/record.h"

/* Each of these writes one record of event e into the ring of its output, under the lock.
 * state: the program as the sample shows it; NULL = not known. */
void pev_put_sample(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		    uint64_t ip, uint64_t period, const struct pev_state *state);
void pev_put_comm(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  const char *name, bool is_exec);

/* path: the file's path, or the kernel's name for the area; "" = it has no name. */
void pev_put_area(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  const struct trc_area *area, const char *path);

/* kind: PERF_RECORD_FORK or PERF_RECORD_EXIT. at: the task that does it, and the time. */
void pev_put_task(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  uint32_t kind, const struct pev_task *who);

/* perf reads the head of its ring twice and relies on both values being equal. So a head that
 * another process's events moved is shown to the reader only while it is in a system call, which
 * its own server knows. Show the heads of the rings of this server's guest. Under the lock. */
void pev_show_rings(struct pev_local *l);
void pev_show_ring(struct pev_local *l, struct pev_event *e);

/* Returns true if a ring of this server's guest has records that its head does not show yet. */
bool pev_has_unshown(const struct pev_local *l);

/* Show all heads of rings that this server wrote to, because their own servers have not done it
 * for a while. Under the lock. */
void pev_show_written(struct pev_local *l);

/* Returns true if all that this server wrote has been shown. */
bool pev_is_shown(const struct pev_local *l);

#endif
