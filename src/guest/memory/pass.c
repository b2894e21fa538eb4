/* pass.c -- handing a system call of the program to the kernel.
 *
 * RULE           passed calls run with the program's signal mask, in a window that the signal
 *                handler knows (start.S: gst_call), so no signal is lost between looking and
 *                sleeping.
 * NOT MODELLED   memory that the kernel writes is no data reference of the program.
 */
#include "guest/memory/pass.h"

#include "guest/call.h"
#include "guest/memory/areas.h"

#define RUSAGE_THREAD_CODE 1 /* RUSAGE_THREAD */
#define RUSAGE_WORDS	   18u
#define RUSAGE_SWITCHES	   16u /* ru_nvcsw: two times, then the 13th word */

/* A call that changes nothing finds out; where the gate is closed, the handler of the host's
 * signals makes it answer ENOSYS (signal_host.c). */
int gst_has_int80(struct gst *g)
{
	static const uint64_t getpid[7] = {20};
	static const int never;

	if (!g->int80)
		g->int80 =
		    !(g->ctl->start.chaos & SHR_CHAOS_NO_INT80) && gst_call32(getpid, &never) > 0
			? 1
			: -1;
	return g->int80 > 0;
}

static long to_kernel(struct gst *g, const struct gst_thread *t, const uint64_t *words)
{
	uint64_t own[7];

	if (!g->layout.is_32 && !(t->is_call32 && t->call_like == GST_NO_LIKE))
		return gst_call(words, &t->sig.waits);
	memcpy(own, words, sizeof(own));
	if (own[0] == t->call_like)
		own[0] = t->call_number;
	return gst_has_int80(g) ? gst_call32(own, &t->sig.waits) : g->call_narrow(g, t, own);
}

/* Returns how often the calling thread gave its processor away by itself. */
static uint64_t switches(void)
{
	uint64_t usage[RUSAGE_WORDS] = {0};

	SYS2(getrusage, RUSAGE_THREAD_CODE, usage);
	return usage[RUSAGE_SWITCHES];
}

long gst_call_kernel(struct gst *g, const struct gst_thread *t, const uint64_t *words)
{
	uint64_t before;
	long ret;

	if (!g->ctl->wants_switches || g->sched.n_live > 1)
		return to_kernel(g, t, words);
	before = switches();
	ret = to_kernel(g, t, words);
	g->events.n_waits += switches() - before;
	return ret;
}

/* Guarded pages of the program are opened where the kernel must write. */
long gst_call_pass(struct gst *g, const uint64_t *a)
{
	long ret = gst_call_kernel(g, g->t, a - 1);

	/* The kernel could not write, perhaps into a guarded page: open these and try again. */
	if (ret == -EFAULT && gst_pages_open(g, 0, GST_TASK_END))
		ret = gst_call_kernel(g, g->t, a - 1);
	return ret;
}
