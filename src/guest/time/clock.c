/* clock.c -- reads the clocks of --clock model, and converts between them and the host's. Rules:
 * clock.h. */
#include "guest/time/clock.h"

#include "guest/gst.h"

#define NANO	       1000000000ull
#define MOST_SECONDS   (1ull << 33)
#define EPOCH_SECONDS  946684800ull /* 2000-01-01 00:00:00 UTC */
#define CLOCK_REAL     0
#define CLOCK_MONO     1
#define COARSE_TICK_NS 4000000u /* of a kernel with 250 ticks a second, as most are built */
#define CPU_CLOCK_FD   3u	/* in the low bits of a clock's number: that of a file */

int gst_clock_is_model(const struct gst *g)
{
	return g->ctl->start.clock == SHR_CLOCK_MODEL;
}

/* Ask softpmu for the time: now[0] with sleep, now[1] without, in nanoseconds. Timers that are due
 * expire. */
static void ask_clock(struct gst *g, uint64_t now[2])
{
	const struct req_box *b;

	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	gst_ask(g, REQ_CLOCK);
	now[0] = b->result[1];
	now[1] = b->result[2];
	gst_timers_look(g, now[0], now[1]);
}

uint64_t gst_clock_ns(struct gst *g, int is_processor)
{
	uint64_t now[2];

	ask_clock(g, now);
	return now[is_processor != 0];
}

uint64_t gst_clock_children(struct gst *g)
{
	uint64_t now[2];

	ask_clock(g, now);
	return g->ctl->req.result[3];
}

uint64_t gst_clock_of_date(uint64_t ns)
{
	return ns > EPOCH_SECONDS * NANO ? ns - EPOCH_SECONDS * NANO : 0;
}

static void as_time(uint64_t ns, uint64_t epoch, uint64_t time[2])
{
	time[0] = epoch + ns / NANO;
	time[1] = ns % NANO;
}

/* Clocks by number; those of processes and threads are negative (clock_getcpuclockid). */
enum kind { UNKNOWN, DATE, DATE_COARSE, UPTIME, UPTIME_COARSE, PROCESSOR };

static enum kind kind_of(struct gst *g, uint32_t id)
{
	const int32_t owner = ~((int32_t)id >> 3);

	switch (id) {
	case 0:
	case 8:
	case 11: /* REALTIME, of alarms, TAI */ return DATE;
	case 1:
	case 4:
	case 7:
	case 9: /* MONOTONIC, raw, BOOTTIME, of alarms */ return UPTIME;
	case 2:
	case 3: /* processor time of process and thread */ return PROCESSOR;
	case 5: return DATE_COARSE;
	case 6: return UPTIME_COARSE;
	}
	if ((int32_t)id >= 0 || (id & 3) == CPU_CLOCK_FD)
		return UNKNOWN;
	return !owner || owner == (int32_t)g->t->process->pid || gst_thread_of(g, owner) ? PROCESSOR
											 : UNKNOWN;
}

long gst_clock_read(struct gst *g, uint32_t id, uint64_t time[2])
{
	const enum kind kind = kind_of(g, id);
	uint64_t ns;

	if (kind == UNKNOWN)
		return -EINVAL;
	ns = gst_clock_ns(g, kind == PROCESSOR);
	if (kind == DATE_COARSE || kind == UPTIME_COARSE)
		ns -= ns % COARSE_TICK_NS;
	as_time(ns, kind == DATE || kind == DATE_COARSE ? EPOCH_SECONDS : 0, time);
	return 0;
}

uint64_t gst_clock_step_ns(struct gst *g, uint32_t id)
{
	const enum kind kind = kind_of(g, id);

	if (kind == UNKNOWN)
		return 0;
	return kind == DATE_COARSE || kind == UPTIME_COARSE ? COARSE_TICK_NS : 1;
}

uint64_t gst_clock_host_ns(int is_realtime)
{
	uint64_t now[2] = {0, 0};

	SYS2(clock_gettime, is_realtime ? CLOCK_REAL : CLOCK_MONO, now);
	return now[0] * NANO + now[1];
}

uint64_t gst_clock_until(struct gst *g, int is_realtime, const uint64_t time[2])
{
	const uint64_t seconds = time[0] < MOST_SECONDS ? time[0] : MOST_SECONDS;
	uint64_t now[2], then = seconds * NANO + time[1], ns;

	gst_clock_read(g, is_realtime ? CLOCK_REAL : CLOCK_MONO, now);
	ns = now[0] * NANO + now[1];
	return then > ns ? then - ns : 0;
}

void gst_clock_to_host(struct gst *g, int is_realtime, uint64_t time[2])
{
	if (gst_clock_is_model(g))
		as_time(gst_clock_host_ns(is_realtime) + gst_clock_until(g, is_realtime, time), 0,
			time);
}

uint64_t gst_clock_slept(struct gst *g, uint64_t until_ns)
{
	struct req_box *b;
	uint64_t now[2];

	gst_ring_flush(g, 0);
	b = gst_ask_box(g);
	b->arg[0] = until_ns;
	gst_ask(g, REQ_SLEPT);
	now[0] = b->result[1];
	now[1] = b->result[2];
	gst_timers_look(g, now[0], now[1]);
	return now[0];
}
