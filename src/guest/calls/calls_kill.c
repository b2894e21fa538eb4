/* calls_kill.c -- signals that the program sends to itself and to its threads.
 *
 * RULE   when a thread sends a signal to another one of its own process, the sender goes on when
 *        that one has noted it, so that it does not depend on the host when the other one sees
 *        it. A signal to the process as a whole goes to the thread with the lowest number that
 *        does not block it.
 */
#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/kill.h"

#define MOST_TURNS 1000000u
#define SI_KERNEL_CODE 0x80

static int is_own_process(struct gst *g, uint64_t pid)
{
	return (int32_t)pid == (int32_t)g->t->process->pid;
}

/* A signal that the runtime's handler will get on thread t, for which t need not be asked first. */
static int arrives(struct gst *g, const struct gst_thread *t, uint64_t sig)
{
	uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);

	if (sig < 1 || sig > GST_N_SIGNALS || (GST_BIT(sig) & (GST_UNBLOCKABLE | GST_SYNC_SIGNALS)))
		return 0;
	if (state != GST_THREAD_READY && state != GST_THREAD_BLOCKED)
		return 0; /* in the kernel: comes back when it likes */
	return !(t->sig.mask & GST_BIT(sig)) && !t->sig.waits &&
	       !gst_signal_is_harmless(t, (int)sig);
}

static void await_note(const struct gst_thread *t)
{
	for (unsigned i = 0; i < MOST_TURNS && !__atomic_load_n(&t->sig.waits, __ATOMIC_SEQ_CST);
	     i++)
		SYS0(sched_yield);
}

/* The call; then wait until t has noted the signal. */
static long send_signal(struct gst *g, struct gst_thread *t, uint64_t sig, const uint64_t *a)
{
	int is_noted = t && t != g->t && arrives(g, t, sig);
	long ret = gst_call_pass(g, a);

	if (ret == 0 && is_noted)
		await_note(t);
	return ret;
}

long gst_call_tgkill(struct gst *g, const uint64_t *a)
{
	return send_signal(g, is_own_process(g, a[0]) ? gst_thread_of(g, (int32_t)a[1]) : NULL,
			   a[2], a);
}

long gst_call_tkill(struct gst *g, const uint64_t *a)
{
	return send_signal(g, gst_thread_of(g, (int32_t)a[0]), a[1], a);
}

/* Returns the first thread that takes `sig`; NULL: the kernel keeps it until one does. */
static struct gst_thread *taker(struct gst *g, uint64_t sig)
{
	struct gst_thread *t = g->sched.first;

	if (sig < 1 || sig > GST_N_SIGNALS ||
	    (GST_BIT(sig) & (GST_UNBLOCKABLE | GST_SYNC_SIGNALS)) ||
	    gst_signal_is_harmless(g->t, (int)sig))
		return NULL;
	while (t && ((t->sig.mask & GST_BIT(sig)) || t->process != g->t->process))
		t = t->next;
	return t;
}

/* To thread t as if the process had got it. */
static long send_info(struct gst *g, struct gst_thread *t, uint64_t sig,
		      const struct gst_siginfo *info)
{
	int is_noted = t != g->t && arrives(g, t, sig);
	long ret = SYS4(rt_tgsigqueueinfo, g->t->process->pid, t->tid, sig, info);

	if (ret == 0 && is_noted)
		await_note(t);
	return ret;
}

long gst_call_kill(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t = g->sched.n_live > 1 && is_own_process(g, a[0])
			? taker(g, a[1]) : NULL;
	struct gst_siginfo info = { .sig = (int32_t)a[1], .code = t == g->t ? 0 /* SI_USER */
				    : GST_SI_KILL };

	if (!t)
		return gst_call_pass(g, a);
	info.addr = g->t->process->pid | (uint64_t)SYS0(getuid) << 32; /* si_pid, si_uid */
	return send_info(g, t, a[1], &info);
}

long gst_call_rt_sigqueueinfo(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t = g->sched.n_live > 1 && is_own_process(g, a[0])
			? taker(g, a[1]) : NULL;
	struct gst_siginfo info;

	if (!t || gst_copy_in(&info, a[2], sizeof(info)))
		return gst_call_pass(g, a);
	return send_info(g, t, a[1], &info);
}

long gst_call_rt_tgsigqueueinfo(struct gst *g, const uint64_t *a)
{
	return send_signal(g, is_own_process(g, a[0]) ? gst_thread_of(g, (int32_t)a[1]) : NULL,
			   a[2], a);
}

void gst_kill_send(struct gst *g, int32_t tid, const struct gst_siginfo *info)
{
	const int is_first = g->t->tid == (int32_t)g->t->process->pid;
	struct gst_thread *t = tid ? gst_thread_of(g, tid) : taker(g, (uint64_t)info->sig);
	struct gst_siginfo sent = *info;

	/* The kernel lets only the first thread send what looks like its own, and only to
	 * itself. */
	if (sent.code == GST_SI_KERNEL && is_first && (!t || t == g->t))
		sent.code = SI_KERNEL_CODE;
	if (t)
		send_info(g, t, (uint64_t)sent.sig, &sent);
	else if (!tid)
		SYS3(rt_sigqueueinfo, g->t->process->pid, sent.sig, &sent);
}
