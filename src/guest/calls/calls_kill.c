/* calls_kill.c -- signals that the program sends to itself and to its threads.
 * Rules: signals/kill.h. */
#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/kill.h"

static int is_own_process(struct gst *g, uint64_t pid)
{
	return (int32_t)pid == (int32_t)g->t->process->pid;
}

/* The call; then wait until t has noted the signal. */
static long send_signal(struct gst *g, struct gst_thread *t, uint64_t sig, const uint64_t *a)
{
	int is_noted = t && t != g->t && gst_kill_arrives(g, t, sig);
	long ret = gst_call_pass(g, a);

	if (ret == 0 && is_noted)
		gst_kill_await(t);
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

long gst_call_kill(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t =
	    g->sched.n_live > 1 && is_own_process(g, a[0]) ? gst_kill_taker(g, a[1]) : NULL;
	struct gst_siginfo info = {.sig = (int32_t)a[1],
				   .code = t == g->t ? 0 /* SI_USER */
						     : GST_SI_KILL};

	if (!t)
		return gst_call_pass(g, a);
	info.addr = g->t->process->pid | (uint64_t)SYS0(getuid) << 32; /* si_pid, si_uid */
	return gst_kill_info(g, t, a[1], &info);
}

long gst_call_rt_sigqueueinfo(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t =
	    g->sched.n_live > 1 && is_own_process(g, a[0]) ? gst_kill_taker(g, a[1]) : NULL;
	struct gst_siginfo info;

	if (!t || gst_copy_in(&info, a[2], sizeof(info)))
		return gst_call_pass(g, a);
	return gst_kill_info(g, t, a[1], &info);
}

long gst_call_rt_tgsigqueueinfo(struct gst *g, const uint64_t *a)
{
	return send_signal(g, is_own_process(g, a[0]) ? gst_thread_of(g, (int32_t)a[1]) : NULL,
			   a[2], a);
}
