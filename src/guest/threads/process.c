/* process.c -- processes that share one memory come, go and are found dead. Rules: process.h. */
#include "guest/threads/process.h"

#include <linux/fcntl.h>
#include <linux/sched.h>

#include "guest/threads/baton.h"
#include "guest/call.h"
#include "guest/threads/futex.h"
#include "guest/gst.h"
#include "guest/threads/traced.h"
#include "guest/threads/robust.h"
#include "guest/files/table.h"
#include "guest/threads/vfork.h"

#define LOOK_NS	    10000000ull
#define MOST_LOOKS  100u
#define SIGNAL_BITS 0x7fu

struct gst_process *gst_process_of(const struct gst *g, int64_t pid)
{
	for (const struct gst_thread *t = g->sched.first; t; t = t->next)
		if (t->process->pid == (uint32_t)pid)
			return t->process;
	return NULL;
}

void gst_process_start(struct gst *g, struct gst_thread *t)
{
	struct gst_process *p = &t->own, *before = t->process;

	if (before && before->files_of != p)
		p->hidden = before->files_of->hidden;
	if (before && before->actions_of != p)
		memcpy(p->act, before->actions_of->act, sizeof(p->act));
	p->files_of = p->actions_of = p;
	p->pid = (uint32_t)SYS0(getpid);
	p->n_threads = 1;
	p->key = g->told_key = 0;
	p->n_sharing = p->is_first_gone = 0;
	p->changed = 0;
	t->process = p;
	t->tracer = NULL;
	t->is_stopped = 0;
	t->kernel_tid = t->tid;
	SYS1(set_tid_address, &t->kernel_tid);
	g->n_processes = 1;
	g->n_traced = 0;
	g->replacing = NULL;
}

/* ---- coming ---------------------------------------------------------------------------------- */

static void share_tables(struct gst_process *p, struct gst_process *parent, uint64_t flags)
{
	p->files_of = flags & CLONE_FILES ? parent->files_of : p;
	p->actions_of = flags & CLONE_SIGHAND ? parent->actions_of : p;
	if (p->files_of == p)
		p->hidden = parent->files_of->hidden;
	else
		p->files_of->n_sharing++;
	if (p->actions_of == p)
		memcpy(p->act, parent->actions_of->act, sizeof(p->act));
	else
		p->actions_of->n_sharing++;
}

static void give_tables_back(struct gst_process *p)
{
	if (p->files_of != p)
		p->files_of->n_sharing--;
	if (p->actions_of != p)
		p->actions_of->n_sharing--;
	p->files_of = p->actions_of = p;
}

long gst_process_clone(struct gst *g, const struct gst_birth *b)
{
	/* These the runtime does itself. */
	const uint64_t ours = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID |
			      CLONE_SETTLS | GST_CLONE_CLEAR_SIGHAND;
	struct gst_table_hold hold;
	struct gst_process *p;
	struct gst_thread *t;
	long ret;

	if ((b->flags & CLONE_SETTLS) && b->tls >= GST_TASK_END)
		return -EPERM;
	t = gst_thread_new(g, b, &ret);
	if (!t)
		return ret;
	p = t->process = &t->own;
	p->life = -1;
	share_tables(p, g->t->process, b->flags);
	if (b->flags & GST_CLONE_CLEAR_SIGHAND) {
		gst_signal_clear(p->act);
		p->changed = ~0ull; /* the kernel learns it in its first turn */
	}
	p->n_threads = 1;
	hold = gst_table_hold(g);
	ret = gst_thread_begin(g, t, b, b->flags & ~ours);
	gst_table_let_go(hold);
	if (ret < 0) {
		p->n_threads = 0;
		give_tables_back(p);
		return ret;
	}
	p->pid = (uint32_t)ret;
	p->key = t->number;
	p->parent_key = g->t->process->key;
	g->n_processes++;
	g->ctl->n_others++;
	return ret;
}

/* The others that use the table of p have another one to use: of the first of them. */
static void bequeath_files(struct gst *g, struct gst_process *p)
{
	struct gst_process *heir = NULL, *q;

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		q = t->process;
		if (q == p || q->files_of != p)
			continue;
		p->n_sharing--;
		if (heir) {
			heir->n_sharing++;
		} else {
			heir = q;
			heir->hidden = p->hidden;
			gst_table_leave(&heir->hidden, heir, 0);
		}
		q->files_of = heir;
	}
}

int gst_process_shares_files(const struct gst *g)
{
	const struct gst_process *p = g->t->process;

	if (gst_is_vforked(g))
		return gst_process_hidden(g)->table || g->vfork[g->n_vfork - 1].shares_files;
	return gst_process_hidden(g)->table || p->files_of != p || p->n_sharing;
}

long gst_process_own_files(struct gst *g)
{
	struct gst_process *p = g->t->process;
	const int is_vforked = gst_is_vforked(g), is_guest = !is_vforked && p->files_of != p;
	struct gst_table_hold hold;
	long ret;

	if (is_guest && p->life >= (int)SHR_N_FDS)
		gst_life_close(&p->files_of->hidden, p->life);
	hold = gst_table_hold(g);
	ret = SYS1(unshare, CLONE_FILES);
	gst_table_let_go(hold);
	if (is_vforked)
		gst_vfork_part(g);
	if (is_guest) {
		p->hidden = p->files_of->hidden;
		p->files_of->n_sharing--;
		p->files_of = p;
	} else if (!is_vforked) {
		bequeath_files(g, p);
	}
	gst_table_part(gst_process_hidden(g));
	if (!is_vforked)
		gst_life_close_others(&p->hidden);
	if (is_guest)
		p->life = gst_life_open(&p->hidden, 0);
	return ret;
}

void gst_process_first(struct gst *g)
{
	struct gst_process *p = g->t->process;
	const int is_shared = p->files_of != p;

	if (p != &g->t->own)
		return;
	if (!is_shared) {
		gst_table_part(&p->hidden);
		gst_life_close_others(&p->hidden);
	}
	p->life = gst_life_open(&p->files_of->hidden, is_shared);
}

/* ---- going ----------------------------------------------------------------------------------- */

/* Ask `op` about a process in this memory, after all that was executed has been handed over.
 * Returns the answer. */
static uint32_t ask_counted(struct gst *g, uint32_t op, uint64_t a, uint64_t b)
{
	gst_ring_flush(g, 0);
	gst_ask_box(g)->arg[0] = a;
	g->ctl->req.arg[1] = b;
	return gst_ask(g, op);
}

void gst_process_tell(struct gst *g)
{
	const struct gst_process *p = g->t->process;

	if (p->key == g->told_key || !g->ctl->start.tells_mates)
		return;
	ask_counted(g, REQ_MATE, p->key, p->parent_key);
	g->told_key = p->key;
}

/* Returns another process that uses p's table of descriptors, or NULL. */
static const struct gst_process *heir_of(const struct gst *g, const struct gst_process *p)
{
	for (const struct gst_thread *t = g->sched.first; t; t = t->next)
		if (t->process != p && t->process->files_of == p->files_of)
			return t->process;
	return NULL;
}

/* Process p is gone, or as good as gone: the scheduler and the others forget it. By whoever has
 * the baton. */
static void bury(struct gst *g, struct gst_process *p)
{
	struct gst_thread *next;

	for (struct gst_thread *t = g->sched.first; t; t = next) {
		next = t->next;
		gst_traced_let_go(g, t, p);
		if (t->process != p)
			continue;
		gst_event_gone(g, t->number);
		gst_futex_leave(g, t);
		__atomic_store_n(&t->is_buried, 1, __ATOMIC_SEQ_CST);
		gst_sched_remove(g, t);
	}
	if (p->life >= (int)SHR_N_FDS && p->files_of == g->t->process->files_of)
		gst_life_close(&p->files_of->hidden, p->life);
	if (p->key && g->ctl->start.tells_mates)
		ask_counted(g, REQ_MATE_END, p->key, 0);
	gst_table_leave(&p->files_of->hidden, heir_of(g, p), p == g->t->process);
	p->n_threads = 0;
	give_tables_back(p);
	g->n_processes--;
	if (p->pid != g->ctl->guest_pid)
		g->ctl->n_others--;
}

void gst_process_end(struct gst *g, uint32_t wait_status)
{
	struct gst_process *p = g->t->process, *tables = p->actions_of;
	const uint32_t sig = wait_status & SIGNAL_BITS;
	uint64_t all = ~0ull;

	g->ctl->end_status = wait_status;
	if (gst_is_vforked(g) || !gst_has_mates(g)) {
		gst_tell_exit(g, wait_status);
		if (!gst_is_vforked(g))
			gst_table_leave(gst_process_hidden(g), NULL, 1);
		return;
	}
	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &all, NULL, 8);
	gst_robust_farewell(g);
	gst_sched_advance(g);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	/* it is about to give the kernel's table the default */
	if (sig && (tables != p || p->n_sharing)) {
		tables->changed |= GST_BIT(sig);
		tables->dying = g->t;
	}
	bury(g, p);
	gst_baton_pass(g, g->t->number);
}

/* Wait until the kernel is done with thread t, or t with its attempt. */
static void await_kernel(struct gst *g, struct gst_thread *t, struct gst_thread *const *attempt)
{
	const uint64_t time[2] = {0, LOOK_NS};

	for (unsigned i = 0; i < MOST_LOOKS || attempt; i++) {
		const uint32_t tid = __atomic_load_n((uint32_t *)&t->kernel_tid, __ATOMIC_SEQ_CST);

		if (!tid || (attempt && __atomic_load_n(attempt, __ATOMIC_SEQ_CST) != t))
			return;
		SYS6(futex, &t->kernel_tid, 0 /* FUTEX_WAIT, shared: the kernel wakes so */, tid,
		     time, 0, 0);
	}
}

void gst_process_take_up(struct gst *g)
{
	struct gst_process *tables = g->t->process->actions_of;
	struct gst_thread *t = __atomic_load_n(&g->replacing, __ATOMIC_SEQ_CST);

	if (t && t != g->t) {
		await_kernel(g, t, &g->replacing);
		if (!__atomic_load_n((uint32_t *)&t->kernel_tid, __ATOMIC_SEQ_CST)) {
			g->replacing = NULL;
			bury(g, t->process);
		}
	}
	if (!tables->changed)
		return;
	if (tables->dying)
		await_kernel(g, tables->dying, NULL);
	tables->dying = NULL;
	for (int sig = 1; sig <= GST_N_SIGNALS; sig++)
		if (tables->changed & GST_BIT(sig))
			gst_signal_host_action(g, sig);
	tables->changed = 0;
}

/* ---- found dead ------------------------------------------------------------------------------ */

/* The baton was in the hands of `dead`: thread t, which stands still, puts in order what that
 * one left. */
static void take_over(struct gst *g, struct gst_thread *t, struct gst_thread *dead)
{
	const uint32_t number = dead->number;
	struct req_box *b = &g->ctl->req;

	g->t = t;
	while (__atomic_load_n(&b->state, __ATOMIC_SEQ_CST) == REQ_ASKED &&
	       !gst_is_abandoned(gst_process_hidden(g)))
		SYS0(sched_yield);
	__atomic_store_n(&b->state, REQ_IDLE, __ATOMIC_SEQ_CST);
	if (g->ctl->start.tier == SHR_TIER_STREAM)
		g->ring.at =
		    g->ring.chunk + trc_whole_bytes((const uint8_t *)g->ring.chunk, SHR_CHUNK_BYTES,
						    (uint32_t)(g->ring.at - g->ring.chunk));
	bury(g, dead->process);
	gst_baton_pass(g, number);
}

void gst_process_look(struct gst *g, struct gst_thread *t)
{
	struct gst_thread *holder = __atomic_load_n(&g->t, __ATOMIC_SEQ_CST);

	if (gst_is_abandoned(&t->process->files_of->hidden))
		SYS1(exit_group, REQ_GAVE_UP);
	if (!holder || holder == t ||
	    __atomic_load_n((uint32_t *)&holder->kernel_tid, __ATOMIC_SEQ_CST) ||
	    !gst_change(&g->is_taken_over, 0, 1))
		return;
	if (__atomic_load_n(&g->t, __ATOMIC_SEQ_CST) == holder)
		take_over(g, t, holder);
	gst_store(&g->is_taken_over, 0);
}

/* ---- exec ------------------------------------------------------------------------------------ */

long gst_process_connect(struct gst *g, struct gst_hidden *before)
{
	long ret;

	if (ask_counted(g, REQ_VFORK, 1, 0) != REQ_OK)
		return -EAGAIN;
	ret = gst_vfork_connect(g, before);
	ask_counted(g, REQ_VFORK_END, 1, 0);
	return ret;
}

long gst_process_replace(struct gst *g, const uint64_t *words)
{
	__atomic_store_n(&g->replacing, g->t, __ATOMIC_SEQ_CST);
	return gst_sched_outside(g, words);
}

void gst_process_not_replaced(struct gst *g)
{
	__atomic_store_n(&g->replacing, NULL, __ATOMIC_SEQ_CST);
}
