/* counters.c -- asks softpmu for the value of a counter. Rules: counters.h. */
#include "guest/perf/counters.h"

#include "guest/gst.h"

enum gst_rdpmc gst_rdpmc(struct gst *g, uint32_t block, uint32_t ecx, uint64_t *value)
{
	const uint32_t access = g->ctl->start.rdpmc;
	struct req_box *b;

	if (access == SHR_RDPMC_NONE)
		return GST_RDPMC_UNKNOWN;
	if (access == SHR_RDPMC_CLOSED || ecx >= SHR_N_COUNTERS)
		return GST_RDPMC_PROTECTED;
	b = gst_ask_box(g);
	gst_ring_with(g, b);
	b->arg[0] = ecx;
	b->arg[1] = block;
	b->arg[2] = gst_thread_cpu(g, g->t);
	gst_ask(g, REQ_COUNTER);
	*value = b->result[0];
	return GST_RDPMC_DONE;
}
