/* fork.c -- forks the program: memory, connections and a server for the child, and the child's
 * first steps. Rules: fork.h. */
#include "guest/threads/fork.h"

#include <linux/sched.h>

#include "guest/memory/areas.h"
#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/files/digest.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"
#include "guest/stream/receive.h"
#include "guest/signals/signal.h"
#include "guest/files/table.h"

void gst_fork_tls(struct gst *g, const struct gst_birth *b)
{
	if (!(b->flags & CLONE_SETTLS))
		return;
	if (g->layout.is_32)
		gst_segment_set(g, b->tls); /* damaged: it stays without, and faults */
	else
		gst_set_fs(g, b->tls);
}

void gst_fork_actions(struct gst *g, const struct gst_birth *b)
{
	if (!(b->flags & GST_CLONE_CLEAR_SIGHAND))
		return;
	gst_signal_clear(gst_process_actions(g));
	for (int sig = 1; sig <= GST_N_SIGNALS; sig++)
		gst_signal_host_action(g, sig);
}

/* In the child: its own connections in place of the parent's; row: where they stand in the table
 * that both use, when they share one. */
static void connect_child(struct gst *g, const int *fd, long row, int shares)
{
	if (shares) {
		g->ctl->watch_pid = (uint32_t)SYS0(getpid);
		gst_table_child(g, (uint32_t)row);
	} else {
		gst_hidden_replace(g, SHR_FD_MEMORY, fd[SHR_FD_MEMORY]);
		gst_hidden_replace(g, SHR_FD_SOCKET, fd[SHR_FD_SOCKET]);
		gst_hidden_replace(g, SHR_FD_LIFE, fd[SHR_FD_LIFE]);
		gst_table_part(gst_process_hidden(g));
		gst_life_close_others(gst_process_hidden(g));
	}
	gst_life_listen(g);
}

/* In the child: its own memory, too. */
static void become_child(struct gst *g, const struct gst_birth *c, const int *fd, long row,
			 uint64_t difference)
{
	const uint32_t number = g->t->number;
	uint32_t first[2] = {0, 0};
	int32_t tid = (int32_t)SYS0(gettid);

	gst_areas_map(fd[SHR_FD_MEMORY], g->code - SHR_CODE_BASE, 1);
	g->ctl->guest_pid = (uint32_t)SYS0(getpid);
	connect_child(g, fd, row, (c->flags & CLONE_FILES) != 0);
	g->ctl->n_threads = 1;
	gst_ring_start(g);
	gst_digest_start(g);
	g->random ^= difference * 0x9e3779b97f4a7c15ull;
	g->t->tid = tid;
	g->n_vfork = 0; /* parents that wait do so in the memory of this one's parent */
	g->t->clear_child_tid = c->flags & CLONE_CHILD_CLEARTID ? c->child_tid : 0;
	gst_signal_child(g);
	g->t->dispatch.is_on = 0;
	g->lock_future = 0;
	for (uint32_t i = 0; i < g->vmas.n; i++)
		g->vmas.v[i].flags &= ~(uint32_t)MAP_LOCKED;
	g->t->robust = 0;
	g->t->kernel_tid = 0;
	gst_sched_alone(g);
	first[1] = gst_thread_cpu(g, g->t) + 1;
	if (number)
		gst_ring_event(g, TRC_THREAD, first, sizeof(first));
	gst_process_start(g, g->t);
	gst_timers_child(g);
	gst_event_child(g);
	if (!g->layout.is_32) /* the child's stream begins here, and has to say it */
		gst_ring_word(g, TRC_FS_BASE, gst_get_fs(g));
	if (c->flags & CLONE_CHILD_SETTID)
		gst_copy_out(c->child_tid, &tid, 4);
	if (c->stack)
		g->gs->gpr[4] = c->stack;
	gst_fork_tls(g, c);
	gst_fork_actions(g, c);
}

/* The kernel's part: by clone(2), as long as that can say it. */
static long split(const struct gst_birth *c)
{
	/* These the runtime does itself; they would write to the wrong memory or at the wrong
	 * time. */
	const uint64_t ours = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID |
			      CLONE_SETTLS | GST_CLONE_CLEAR_SIGHAND;
	uint64_t words[GST_CLONE_WORDS] = {0};

	if (!c->words)
		return SYS6(clone, c->flags & ~ours, 0, c->flags & CLONE_PIDFD ? c->pidfd : 0, 0, 0,
			    0);
	memcpy(words, c->words, sizeof(words));
	words[GST_CLONE_FLAGS] &= ~ours;
	words[GST_CLONE_STACK] = words[GST_CLONE_STACK_BYTES] = 0;
	return SYS2(clone3, words, sizeof(words));
}

/* A server and connections for a child, noted in a row when others use the table. Returns 0 or
 * -errno. */
static long conceive(struct gst *g, int shares, int *fd, long *row, uint64_t *difference)
{
	struct req_box *b;
	long ret;

	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = g->t->number;
	ret = gst_ask(g, REQ_FORK) == REQ_OK ? gst_receive_fds(g, fd, SHR_N_SENT) : -EAGAIN;
	*difference = b->result[0];
	if (ret || !(shares || gst_process_hidden(g)->table))
		return ret;
	*row = gst_table_birth(g, fd);
	for (unsigned i = 0; *row < 0 && i < SHR_N_SENT; i++)
		SYS1(close, fd[i]);
	return *row < 0 ? *row : 0;
}

long gst_fork(struct gst *g, const struct gst_birth *c)
{
	const int shares = (c->flags & CLONE_FILES) != 0, waits = (c->flags & CLONE_VFORK) != 0;
	uint64_t all = ~GST_SYNC_SIGNALS, difference;
	struct gst_table_hold hold;
	int fd[SHR_N_SENT];
	int32_t tid;
	long ret, row = -1;

	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
	if (gst_signal_waits(g)) {
		gst_signal_host_mask(g);
		return GST_NOT_STARTED;
	}
	hold = gst_table_hold(g);
	if (conceive(g, shares, fd, &row, &difference)) {
		gst_table_let_go(hold);
		gst_signal_host_mask(g);
		return -EAGAIN;
	}
	if (shares || waits) /* no copy is made, or the child would have to wait for its own end */
		gst_table_let_go(hold);
	ret = split(c);
	if (ret == 0) {
		become_child(g, c, fd, row, difference);
	} else {
		for (unsigned i = 0; row < 0 && i < SHR_N_SENT; i++)
			SYS1(close, fd[i]);
		if (row >= 0)
			gst_table_born(g, (uint32_t)row, shares ? ret : -1);
		if (!shares && !waits)
			gst_table_let_go(hold);
		tid = (int32_t)ret;
		if (ret > 0 && (c->flags & CLONE_PARENT_SETTID))
			gst_copy_out(c->parent_tid, &tid, 4);
	}
	gst_signal_host_mask(g);
	return ret;
}
