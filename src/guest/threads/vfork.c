/* vfork.c -- runs a child in its parent's memory, and restores the parent's state after it.
 * Rules: vfork.h. */
#include "guest/threads/vfork.h"

#include <linux/sched.h>

#include "guest/threads/baton.h"
#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/signals/child.h"
#include "guest/stream/receive.h"
#include "guest/memory/segments.h"
#include "guest/stream/ring.h"
#include "guest/files/table.h"

#define F_SETFD_NR 2

static void put_aside(struct gst *g, const struct gst_birth *c)
{
	struct gst_vfork *f = &g->vfork[g->n_vfork++];

	memcpy(f->state, &g->gs->gs_base, sizeof(f->state));
	f->r15 = g->gs->guest_r15;
	f->fs = gst_get_fs(g);
	f->sig = g->sig;
	f->thread_sig = g->t->sig;
	f->process = *g->t->process;
	f->hidden = *gst_process_hidden(g);
	f->shares_files = (c->flags & CLONE_FILES) != 0;
	memcpy(f->act, gst_process_actions(g), sizeof(f->act));
	f->clear_child_tid = g->t->clear_child_tid;
	f->stack_limit = g->stack_limit;
	f->space_limit = g->space_limit;
	f->data_limit = g->data_limit;
	f->parent_tid = c->flags & CLONE_PARENT_SETTID ? c->parent_tid : 0;
	f->call_block = g->t->call_block;
	f->pid = g->ctl->guest_pid;
	f->seccomp = g->t->seccomp;
	f->dispatch = g->t->dispatch;
	f->is_tsc_closed = g->t->is_tsc_closed;
	f->cpus = g->t->cpus;
	f->policy = g->t->policy;
	f->filter_places = g->filter_places;
	f->tid = g->t->tid;
	f->robust = g->t->robust;
	f->sched = g->sched;
	f->next = g->t->next;
	g->is_vfork_gone = 0;
	/* The child has one thread; those of the parent stand still meanwhile. */
	g->sched.first = g->t;
	g->sched.n_live = 1;
	g->t->process->n_threads = 1;
	g->t->process->is_first_gone = 0;
	g->t->next = NULL;
	g->t->robust = 0;
	g->t->dispatch.is_on = 0;
}

static void take_up(struct gst *g)
{
	const struct gst_vfork *f = &g->vfork[--g->n_vfork];
	const uint64_t *rflags = &f->state[(SHR_GS_RFLAGS - SHR_GS_GS_BASE) / 8];
	struct gst_hidden hidden;

	gst_set_flags(g, *rflags); /* the stream learns when DF is another */
	memcpy(&g->gs->gs_base, f->state, sizeof(f->state));
	gst_segments_point(g);
	g->gs->guest_r15 = f->r15;
	g->sig = f->sig;
	g->t->sig = f->thread_sig;
	hidden = f->shares_files && !g->is_vfork_gone ? *gst_process_hidden(g) : f->hidden;
	*g->t->process = f->process;
	*gst_process_hidden(g) = hidden;
	memcpy(gst_process_actions(g), f->act, sizeof(f->act));
	g->t->clear_child_tid = f->clear_child_tid;
	g->stack_limit = f->stack_limit;
	g->space_limit = f->space_limit;
	g->data_limit = f->data_limit;
	g->t->call_block = f->call_block;
	g->ctl->guest_pid = f->pid;
	g->t->seccomp = f->seccomp;
	g->t->dispatch = f->dispatch;
	g->t->is_tsc_closed = f->is_tsc_closed;
	g->t->cpus = f->cpus;
	g->t->policy = f->policy;
	g->filter_places = f->filter_places;
	g->t->tid = f->tid;
	g->t->robust = f->robust;
	g->sched = f->sched;
	g->t->next = f->next;
	gst_sched_quantum(g); /* the child has used up the rest of the turn */
}

/* The child's part ends: softpmu learns whether it went on elsewhere. */
static void tell_end(struct gst *g, int has_exec, long child)
{
	struct req_box *b;

	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = (uint64_t)has_exec;
	b->arg[1] = (uint64_t)child;
	gst_ask(g, REQ_VFORK_END);
}

/* hold: the parent's turn at a table of which the child has a copy now */
static void start_child(struct gst *g, const struct gst_birth *c, struct gst_table_hold hold)
{
	g->ctl->guest_pid = g->t->process->pid = (uint32_t)SYS0(getpid);
	g->t->tid = (int32_t)SYS0(gettid);
	g->t->clear_child_tid = c->flags & CLONE_CHILD_CLEARTID ? c->child_tid : 0;
	g->t->sig.held = 0;
	gst_child_none(g->t);
	if (!(c->flags & CLONE_FILES)) {
		gst_table_part(gst_process_hidden(g));
		gst_table_let_go(hold);
	}
	if (c->flags & CLONE_CHILD_SETTID)
		gst_copy_out(c->child_tid, &g->t->tid, 4);
	if (c->stack)
		g->gs->gpr[4] = c->stack;
	gst_fork_tls(g, c);
	gst_fork_actions(g, c);
}

long gst_vfork_start(struct gst *g, const struct gst_birth *c)
{
	const uint64_t ours = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID |
			      CLONE_SETTLS | GST_CLONE_CLEAR_SIGHAND;
	uint64_t all = ~GST_SYNC_SIGNALS;
	struct gst_table_hold hold = {NULL, 0};
	long ret;

	if (g->n_vfork == GST_VFORK_MOST)
		return -EAGAIN;
	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
	if (gst_signal_waits(g)) {
		gst_signal_host_mask(g);
		return GST_NOT_STARTED;
	}
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	if (gst_ask(g, REQ_VFORK) != REQ_OK) {
		gst_signal_host_mask(g);
		return -EAGAIN;
	}
	if (!(c->flags & CLONE_FILES))
		hold = gst_table_hold(g);
	put_aside(g, c);
	ret = gst_vfork_raw(c->flags & ~ours, c->flags & CLONE_PIDFD ? c->pidfd : 0);
	if (ret == 0) {
		start_child(g, c, hold);
	} else { /* it did not even begin */
		g->n_vfork--;
		gst_table_let_go(hold);
		tell_end(g, 1, 0);
	}
	gst_signal_host_mask(g);
	return ret;
}

void gst_vfork_back(struct gst *g, long pid)
{
	int has_exec = g->is_vfork_gone;
	uint64_t parent_tid = g->vfork[g->n_vfork - 1].parent_tid;
	int32_t tid = (int32_t)pid;
	const uint32_t childs_cpu = gst_thread_cpu(g, g->t);

	take_up(g);
	if (gst_thread_cpu(g, g->t) != childs_cpu)
		gst_sched_moved(g);
	gst_signal_later(g); /* nothing of the child's signals is ours */
	gst_ring_word(g, TRC_FS_BASE, gst_get_fs(g));
	tell_end(g, has_exec, pid);
	if (parent_tid)
		gst_copy_out(parent_tid, &tid, 4);
	gst_signal_host_mask(g);
}

void gst_vfork_part(struct gst *g)
{
	struct gst_vfork *f = &g->vfork[g->n_vfork - 1];

	if (f->shares_files)
		f->hidden = *gst_process_hidden(g);
	f->shares_files = 0;
}

long gst_vfork_connect(struct gst *g, struct gst_hidden *parents)
{
	int fd[SHR_N_SENT];
	long ret;

	*parents = *gst_process_hidden(g);
	gst_ask_box(g);
	ret = gst_ask(g, REQ_VFORK_EXEC) == REQ_OK ? gst_receive_fds(g, fd, SHR_N_SENT) : -EAGAIN;
	if (ret)
		return ret;
	for (int i = 0; i < (int)SHR_N_SENT; i++) {
		/* the parent's copies close at the exec */
		SYS3(fcntl, gst_process_hidden(g)->fd[i], F_SETFD_NR, 1);
		gst_process_hidden(g)->fd[i] = fd[i];
	}
	g->is_vfork_gone = 1;
	return 0;
}

void gst_vfork_disconnect(struct gst *g, const struct gst_hidden *parents)
{
	for (int i = 0; i < (int)SHR_N_SENT; i++) {
		SYS1(close, gst_process_hidden(g)->fd[i]);
		SYS3(fcntl, parents->fd[i], F_SETFD_NR, 0);
	}
	*gst_process_hidden(g) = *parents;
	g->is_vfork_gone = 0;
}
