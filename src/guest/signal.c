#include "guest/signal.h"

#include "guest/gst.h"
#include "guest/ring.h"

void gst_signal_start(struct gst *g)
{
}

int gst_signal_waits(const struct gst *g)
{
	return 0;
}

int gst_signal_deliver(struct gst *g)
{
	return 0;
}

void gst_signal_later(struct gst *g)
{
}

void gst_signal_raise(struct gst *g, int sig, int code, uint64_t addr)
{
	gst_refuse(g, "the program raised a signal; signals are not there yet", NULL);
}

void gst_signal_exec_fault(struct gst *g, uint64_t addr)
{
	gst_signal_raise(g, 11, 1, addr);
}

void gst_stop_limit(struct gst *g)
{
	g->gs->limit = gst_ring_limit(g);
}
