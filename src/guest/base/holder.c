/* holder.c -- which process and thread the runtime works for: look-ups in its state.
 *
 * The holder of the baton (gst.t) belongs to a process, whose tables of descriptors and actions it
 * uses. Every wing asks for them, so these look-ups lie at the ground. They change nothing. What a
 * process and a thread are is in threads/process.h, threads/thread.h and threads/vfork.h.
 */
#include "guest/gst.h"

struct gst_hidden *gst_process_hidden(const struct gst *g)
{
	return &g->t->process->files_of->hidden;
}

struct gst_action *gst_process_actions(const struct gst *g)
{
	return g->t->process->actions_of->act;
}

int gst_has_mates(const struct gst *g)
{
	return g->n_processes > 1;
}

int gst_is_vforked(const struct gst *g)
{
	return g->n_vfork > 0;
}

struct gst_thread *gst_thread_of(struct gst *g, int64_t tid)
{
	struct gst_thread *t = g->sched.first;

	while (t && t->tid != tid)
		t = t->next;
	return t;
}

uint32_t gst_thread_cpu(const struct gst *g, const struct gst_thread *t)
{
	const uint32_t n = g->ctl->start.n_cpus;
	uint32_t left, n_allowed = 0;

	if (n < 2)
		return 0;
	if (t->cpus >> t->number % n & 1)
		return t->number % n;
	for (uint64_t rest = t->cpus; rest; rest &= rest - 1)
		n_allowed++;
	left = t->number % n_allowed;
	for (uint32_t cpu = 0;; cpu++)
		if (t->cpus >> cpu & 1 && !left--)
			return cpu;
}

uint64_t gst_all_cpus(const struct gst *g)
{
	const uint32_t n = g->ctl->start.n_cpus;

	return n >= 64 ? ~0ull : (1ull << n) - 1;
}
