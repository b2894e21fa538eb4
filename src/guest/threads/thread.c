/* thread.c -- the table of the program's threads: slots, birth and processor. Rules: thread.h. */
#include "guest/threads/thread.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/gst.h"

#define CLONE_VM_FLAG		  0x100ull
#define CLONE_FS_FLAG		  0x200ull
#define CLONE_FILES_FLAG	  0x400ull
#define CLONE_SIGHAND_FLAG	  0x800ull
#define CLONE_PIDFD_FLAG	  0x1000ull
#define CLONE_SYSVSEM_FLAG	  0x40000ull
#define CLONE_SETTLS_FLAG	  0x80000ull
#define CLONE_PARENT_SETTID_FLAG  0x100000ull
#define CLONE_CHILD_CLEARTID_FLAG 0x200000ull
#define CLONE_DETACHED_FLAG	  0x400000ull
#define CLONE_CHILD_SETTID_FLAG	  0x1000000ull
#define CLONE_IO_FLAG		  0x80000000ull

/* Flags of sharing that are passed to the kernel as the program gave them, besides those of every
 * thread. */
#define CLONE_PASSED (CLONE_FS_FLAG | CLONE_FILES_FLAG | CLONE_SYSVSEM_FLAG | CLONE_IO_FLAG)
#define CLONE_NEEDED (CLONE_VM_FLAG | CLONE_SIGHAND_FLAG | GST_CLONE_THREAD)
#define CLONE_KNOWN                                                                                \
	(CLONE_NEEDED | CLONE_PASSED | CLONE_SETTLS_FLAG | CLONE_PARENT_SETTID_FLAG |              \
	 CLONE_CHILD_CLEARTID_FLAG | CLONE_CHILD_SETTID_FLAG | CLONE_DETACHED_FLAG)

#define SS_DISABLE_FLAG 2u

struct gst_thread *gst_thread_slot(uint32_t i)
{
	uint64_t at = GST_SLOTS + i * GST_SLOT_BYTES;
	long ret = SYS6(mmap, at, GST_SLOT_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	return ret == (long)at || ret == -EEXIST ? (struct gst_thread *)at : NULL;
}

/* Returns a free slot: one whose thread is gone, or a new one. The first thread's is never used
 * again. */
static struct gst_thread *free_slot(struct gst *g)
{
	for (uint32_t i = 1; i < g->sched.n_slots; i++) {
		struct gst_thread *t = (struct gst_thread *)(GST_SLOTS + i * GST_SLOT_BYTES);

		if ((t->state == GST_THREAD_GONE || t->is_buried) && !t->own.n_threads &&
		    !t->own.n_sharing && !__atomic_load_n(&t->kernel_tid, __ATOMIC_SEQ_CST))
			return t;
	}
	if (g->sched.n_slots >= GST_MAX_SLOTS)
		return NULL;
	return gst_thread_slot(g->sched.n_slots++);
}

/* The first thread that the program starts: translated code learns to count turns. */
static void begin_turns(struct gst *g)
{
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	gst_ask(g, REQ_THREADS);
	gst_ib_clear(g);
	g->sched.is_threaded = 1;
	gst_sched_quantum(g);
}

/* The thread's struct as it is born: the parent's registers and mask, no alternate stack. */
static void fill_thread(struct gst *g, struct gst_thread *t, const struct gst_birth *b)
{
	memset(t, 0, sizeof(*t));
	t->rt_stack = (uint64_t)t + GST_SLOT_BYTES;
	t->sig.mask = g->t->sig.mask;
	t->sig.last = g->t->sig.last;
	t->seccomp = g->t->seccomp;
	t->is_tsc_closed = g->t->is_tsc_closed;
	t->cpus = g->t->cpus;
	t->policy = g->t->policy;
	t->ac = g->t->ac;
	t->sig.alt.flags = SS_DISABLE_FLAG;
	memcpy(&t->regs, &g->gs->gs_base, sizeof(t->regs));
	t->r15 = g->gs->guest_r15;
	t->regs.gpr[0] = 0;
	if (b->stack)
		t->regs.gpr[4] = b->stack;
	t->segments = g->t->segments;
	t->has_first_fs = (b->flags & CLONE_SETTLS_FLAG) && !g->layout.is_32;
	t->first_fs = b->tls;
	t->fs = t->has_first_fs ? b->tls : gst_get_fs(g);
	if (b->flags & CLONE_CHILD_CLEARTID_FLAG)
		t->clear_child_tid = b->child_tid;
	if (b->flags & CLONE_CHILD_SETTID_FLAG)
		t->set_child_tid = b->child_tid;
}

struct gst_thread *gst_thread_new(struct gst *g, const struct gst_birth *b, long *err)
{
	struct gst_thread *t;

	if (!g->sched.is_threaded)
		begin_turns(g);
	*err = -EAGAIN;
	t = free_slot(g);
	if (!t)
		return NULL;
	fill_thread(g, t, b);
	*err =
	    g->layout.is_32 && (b->flags & CLONE_SETTLS_FLAG) ? gst_segment_birth(g, t, b->tls) : 0;
	return *err ? NULL : t;
}

long gst_thread_begin(struct gst *g, struct gst_thread *t, const struct gst_birth *b,
		      uint64_t flags)
{
	const int has_pidfd = (flags & CLONE_PIDFD_FLAG) != 0;
	uint64_t all = ~0ull, mask;
	long tid;

	/* The new thread must not get signals before it has a stack for them. */
	SYS4(rt_sigprocmask, 2, &all, &mask, 8);
	tid = gst_clone(flags | CLONE_CHILD_CLEARTID_FLAG |
			    (has_pidfd ? 0 : CLONE_PARENT_SETTID_FLAG),
			t->rt_stack, has_pidfd ? (int32_t *)b->pidfd : &t->tid, &t->kernel_tid);
	if (tid > 0)
		t->kernel_tid = t->tid = (int32_t)tid;
	SYS4(rt_sigprocmask, 2, &mask, NULL, 8);
	if (tid < 0)
		return tid;
	gst_sched_add(g, t);
	gst_event_thread(g, g->t->number, t->number, (uint32_t)t->tid);
	if (b->flags & CLONE_PARENT_SETTID_FLAG)
		gst_copy_out(b->parent_tid, &t->tid, 4);
	return tid;
}

long gst_thread_clone(struct gst *g, const struct gst_birth *b)
{
	struct gst_thread *t;
	long ret;

	if ((b->flags & CLONE_NEEDED) != CLONE_NEEDED || (b->flags & ~0xffull & ~CLONE_KNOWN))
		return -EINVAL;
	if ((b->flags & CLONE_SETTLS_FLAG) && b->tls >= GST_TASK_END)
		return -EPERM;
	t = gst_thread_new(g, b, &ret);
	if (!t)
		return ret;
	t->process = g->t->process;
	ret = gst_thread_begin(g, t, b, CLONE_NEEDED | (b->flags & CLONE_PASSED));
	if (ret > 0)
		t->process->n_threads++;
	return ret;
}

struct gst *gst_thread_enter(void)
{
	struct gst_thread *t = gst_thread_at((uint64_t)__builtin_frame_address(0));
	struct gst_altstack alt = {.sp = (uint64_t)t + GST_SIGSTACK_OFF,
				   .bytes = GST_SIGSTACK_BYTES};
	uint64_t mask = t->sig.mask & ~GST_SYNC_SIGNALS;
	struct gst *g = GST;

	SYS2(sigaltstack, &alt, NULL);
	SYS4(rt_sigprocmask, 2, &mask, NULL, 8);
	gst_sched_enter(g, t);
	gst_process_first(g);
	if (t->has_first_fs)
		gst_set_fs(g, t->first_fs);
	if (t->set_child_tid)
		gst_copy_out(t->set_child_tid, &t->tid, 4);
	return g;
}
