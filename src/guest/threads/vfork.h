/* vfork.h -- a child in its parent's memory, while the parent waits for its exec or end.
 *
 * RULE   the child runs on with everything of the parent: memory, translations, ring, softpmu.
 *        What belongs to a process and not to its memory is put aside and taken up again when
 *        the parent goes on. softpmu knows where the child's part of the stream begins and ends
 *        and counts it for the child. A child that succeeds in exec gets a softpmu of its own at
 *        that moment.
 */
#ifndef SOFTPMU_GUEST_VFORK_H
#define SOFTPMU_GUEST_VFORK_H

#include "guest/call_state.h"
#include "guest/threads/fork.h"
#include "guest/files/hidden.h"
#include "guest/threads/process.h"
#include "guest/threads/sched.h"
#include "guest/signals/signal.h"
#include "trace/share.h"

#define GST_VFORK_MOST 4u /* a child may do it again, so many times */

/* The parent's own, put aside. */
struct gst_vfork {
	/* of struct shr_gs, from gs_base on */
	uint64_t state[(SHR_GS_RT_STACK - SHR_GS_GS_BASE) / 8];
	uint64_t r15;
	uint64_t fs;
	struct gst_signals sig;
	struct gst_thread_signals thread_sig;
	struct gst_process process;
	struct gst_hidden hidden; /* the tables that it uses */
	struct gst_action act[GST_N_SIGNALS + 2];
	struct gst_sched sched;
	struct gst_thread *next; /* of the thread that waits */
	uint64_t robust;
	uint64_t clear_child_tid;
	struct shr_limit stack_limit, space_limit, data_limit;
	uint64_t parent_tid; /* where the child's number goes, or 0 */
	struct gst_seccomp seccomp;
	struct gst_dispatch dispatch;
	uint32_t is_tsc_closed;
	uint32_t policy;
	uint64_t cpus;
	uint32_t shares_files; /* CLONE_FILES */
	uint32_t call_block, pid, filter_places;
	int32_t tid;
};

struct gst;

/* clone(2) with CLONE_VM and CLONE_VFORK. Returns in the child, 0, and with an error; the parent
 * goes on by gst_vfork_parent. */
long gst_vfork_start(struct gst *g, const struct gst_birth *c);

/* start.S: the system call; in the parent it goes to gst_vfork_parent on an empty stack. */
long gst_vfork_raw(uint64_t flags, uint64_t parent_tid);

/* In the parent, once child `pid` has executed another program or has ended: its state and its
 * descriptors are its own again, and softpmu knows. */
void gst_vfork_back(struct gst *g, long pid);

/* loop/arrive.c: the parent goes on after the call, whose answer is pid. */
void gst_vfork_parent(long pid);

/* True in a child that has its parent's memory. */
int gst_is_vforked(const struct gst *g);

/* A child that has its parent's memory is about to execute another program: get connections of its
 * own for it. *parents receives the parent's, for gst_vfork_disconnect(). Returns 0 or -errno. */
long gst_vfork_connect(struct gst *g, struct gst_hidden *parents);

/* The child has a table of descriptors of its own from here on. */
void gst_vfork_part(struct gst *g);

/* The exec failed: back to the parent's connections. */
void gst_vfork_disconnect(struct gst *g, const struct gst_hidden *parents);

#endif
