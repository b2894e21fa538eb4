/* process.h -- processes of the program that share one memory and run beside each other.
 *
 * RULES
 *   memory     a process that clone(2) starts with CLONE_VM and without CLONE_THREAD or
 *              CLONE_VFORK is a process of the kernel with a thread of the scheduler: it takes
 *              turns with all others of that memory (sched.h), and its parent's softpmu counts
 *              it.
 *   identity   the kernel keeps its number, the signals sent to it, its end and its status. What
 *              the runtime keeps of a process is in struct gst_process. Processes that share
 *              descriptors (CLONE_FILES) or dispositions (CLONE_SIGHAND) use one table.
 *   end        the threads of a process that ends leave the scheduler, and the other processes
 *              go on. The last process reports the end.
 *   killed     a thread that waits for its turn looks now and then whether the thread that has
 *              the turn still lives. Otherwise a killed holder would stop all of them.
 *   exec       the process gets a softpmu of its own; the others stand still until the kernel
 *              has replaced it.
 *   counts     to the model they are threads of one machine. With --per-process the runtime asks
 *              REQ_MATE at each turn of another process, and softpmu keeps their counts apart
 *              (session/serve/mates.h).
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
	/* the processes whose tables it uses: itself, or others that it shares with */
	struct gst_process *files_of, *actions_of;
	struct gst_hidden hidden;
	struct gst_action act[GST_N_SIGNALS + 2]; /* that of GST_KICK is SIG_IGN */
	/* signals of which the kernel has another disposition: `dying`, of a process that shares
	 * it, or NULL, has changed it */
	uint64_t changed;
	struct gst_thread *dying;
	/* number of its first thread, and of its parent's first thread; 0: the first process */
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

/* Returns 1 if there are other processes in this memory. */
int gst_has_mates(const struct gst *g);

/* The living process with this number, or NULL. */
struct gst_process *gst_process_of(const struct gst *g, int64_t pid);

/* clone(2) with CLONE_VM alone. Returns the new process's number or -errno. */
long gst_process_clone(struct gst *g, const struct gst_birth *b);

/* Returns 1 if the holder's process shares its table of descriptors with other processes. */
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

/* Thread t has waited for its turn for a while. Looks whether softpmu is gone, and ends the process
 * then; and whether the thread that has the turn was killed, whose turn it ends then. */
void gst_process_look(struct gst *g, struct gst_thread *t);

/* A turn of another process than the last one begins: ask REQ_MATE, if tells_mates is set. */
void gst_process_tell(struct gst *g);

/* A turn begins: give the kernel the dispositions that other processes have changed meanwhile, and
 * wait until a process that executes another program has left this memory. */
void gst_process_take_up(struct gst *g);

/* The holder's process executes another program, and has mates: connections of its own before
 * that (gst_vfork_disconnect when it fails), and the system call, words[7]. */
long gst_process_connect(struct gst *g, struct gst_hidden *before);
long gst_process_replace(struct gst *g, const uint64_t *words);

/* The exec of gst_process_replace() failed. Called without the baton. */
void gst_process_not_replaced(struct gst *g);

#endif
