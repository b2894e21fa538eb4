/* kill.c -- sends signals to threads of the program. Rules: kill.h. */
#include "guest/signals/kill.h"

#include "guest/gst.h"

#define MOST_TURNS     1000000u
#define SI_KERNEL_CODE 0x80

int gst_kill_arrives(struct gst *g, const struct gst_thread *t, uint64_t sig)
{
	uint32_t state = __atomic_load_n(&t->state, __ATOMIC_SEQ_CST);

	if (sig < 1 || sig > GST_N_SIGNALS || (GST_BIT(sig) & (GST_UNBLOCKABLE | GST_SYNC_SIGNALS)))
		return 0;
	if (state != GST_THREAD_READY && state != GST_THREAD_BLOCKED)
		return 0; /* in the kernel: comes back when it likes */
	return !(t->sig.mask & GST_BIT(sig)) && !t->sig.waits &&
	       !gst_signal_is_harmless(t, (int)sig);
}

void gst_kill_await(const struct gst_thread *t)
{
	for (unsigned i = 0; i < MOST_TURNS && !__atomic_load_n(&t->sig.waits, __ATOMIC_SEQ_CST);
	     i++)
		SYS0(sched_yield);
}

struct gst_thread *gst_kill_taker(struct gst *g, uint64_t sig)
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

long gst_kill_info(struct gst *g, struct gst_thread *t, uint64_t sig,
		   const struct gst_siginfo *info)
{
	int is_noted = t != g->t && gst_kill_arrives(g, t, sig);
	long ret = SYS4(rt_tgsigqueueinfo, g->t->process->pid, t->tid, sig, info);

	if (ret == 0 && is_noted)
		gst_kill_await(t);
	return ret;
}

void gst_kill_send(struct gst *g, int32_t tid, const struct gst_siginfo *info)
{
	const int is_first = g->t->tid == (int32_t)g->t->process->pid;
	struct gst_thread *t = tid ? gst_thread_of(g, tid) : gst_kill_taker(g, (uint64_t)info->sig);
	struct gst_siginfo sent = *info;

	/* The kernel lets only the first thread send what looks like its own, and only to
	 * itself. */
	if (sent.code == GST_SI_KERNEL && is_first && (!t || t == g->t))
		sent.code = SI_KERNEL_CODE;
	if (t)
		gst_kill_info(g, t, (uint64_t)sent.sig, &sent);
	else if (!tid)
		SYS3(rt_sigqueueinfo, g->t->process->pid, sent.sig, &sent);
}
