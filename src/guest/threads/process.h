/* process.h -- processes of the program that share one memory and run beside each other.
 *
 * RULES
 *   memory     a process that clone(2) starts with CLONE_VM and without CLONE_THREAD or
 *              CLONE_VFORK is a process of the kernel with a thread of the scheduler: it takes
 *              turns with all others of that memory (sched.h), and its parent's softpmu counts
 *              it.
 *   identity   number, signals sent to it, end and status are the kernel's. What the runtime
 *              keeps for a process is in struct gst_process; descriptors and dispositions are
 *              one table for those who share them (CLONE_FILES, CLONE_SIGHAND).
 *   end        the threads of a process that ends leave the scheduler; who is left goes on. The
 *              last one reports.
 *   killed     who waits for its turn looks now and then whether the one whose turn it is still
 *              lives.
 *   exec       the process gets a softpmu of its own; the others stand still until the kernel
 *              has replaced it.
 *   counts     they are threads of one machine to the model. With --per-process softpmu hears of
 *              each turn of another one, and tells them apart (session/serve/mates.h).
 * NOT MODELLED   a turn that a killing ended may lose the block in which it was.
 * SOURCES        clone(2), execve(2), wait(2).
 */
#ifndef SOFTPMU_GUEST_PROCESS_H
#define SOFTPMU_GUEST_PROCESS_H

#include <stdint.h>

#include "guest/files/hidden.h"
#include "guest/signals/signal.h"

struct gst;
struct gst_birth;
struct gst_thread;

struct gst_process {
	/* whose tables it uses: its own, or those that it shares */
	struct gst_process *files_of, *actions_of;
	struct gst_hidden hidden;
	struct gst_action act[GST_N_SIGNALS + 2];  /* that of GST_KICK is SIG_IGN */
	/* signals of which the kernel has another disposition: `dying`, of a process that shares
	 * it, or NULL, has changed it */
	uint64_t changed;
	struct gst_thread *dying;
	/* number of its first thread, and that of who started it; 0: the first process */
	uint32_t key, parent_key;
	uint32_t pid;
	uint32_t n_threads;  /* 0: it is gone */
	uint32_t n_sharing;  /* other processes that use its tables */
	uint32_t first_code; /* exit code of its first thread, when that is gone */
	uint32_t is_first_gone;
	/* where its own life pipe lies in the table that it shares; -1: nowhere */
	int life;
};

/* The process of the first thread t, alone in its memory; also in the child of a fork. */
void gst_process_start(struct gst *g, struct gst_thread *t);

/* The runtime's descriptors in the holder's process, and the program's dispositions there, by
 * signal. */
struct gst_hidden *gst_process_hidden(const struct gst *g);
struct gst_action *gst_process_actions(const struct gst *g);

/* Are there other processes in this memory? */
int gst_has_mates(const struct gst *g);

/* The living process with this number, or NULL. */
struct gst_process *gst_process_of(const struct gst *g, int64_t pid);

/* clone(2) with CLONE_VM alone. Returns the new process's number or -errno. */
long gst_process_clone(struct gst *g, const struct gst_birth *b);

/* Does it share its table of descriptors with other processes? */
int gst_process_shares_files(const struct gst *g);

/* The holder's process gets a table of descriptors of its own: unshare(2) with CLONE_FILES.
 * Returns 0 or -errno. */
long gst_process_own_files(struct gst *g);

/* The holder's first turn: a new process will die when softpmu does. */
void gst_process_first(struct gst *g);

/* The holder's process is about to end with this wait status: everything is counted. The holder
 * may run on to its last system call, and touches nothing of the program's or of the scheduler's
 * any more. */
void gst_process_end(struct gst *g, uint32_t wait_status);

/* Thread t waits for its turn for a while already: is softpmu gone, or whoever has the turn?
 * Does not return when softpmu is. */
void gst_process_look(struct gst *g, struct gst_thread *t);

/* A turn begins, of another process than the one before: softpmu learns it, when it wants to. */
void gst_process_tell(struct gst *g);

/* A turn begins: what other processes left behind. */
void gst_process_take_up(struct gst *g);

/* The holder's process executes another program, and has mates: connections of its own before
 * that (gst_vfork_disconnect when it fails), and the system call, words[7]. */
long gst_process_connect(struct gst *g, struct gst_hidden *before);
long gst_process_replace(struct gst *g, const uint64_t *words);

/* Without the baton: the kernel did not do that. */
void gst_process_not_replaced(struct gst *g);

#endif
