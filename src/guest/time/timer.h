/* timer.h -- timers of the program that follow the modelled processor's clock (--clock model).
 *
 * RULES
 *   running    while the program runs, a timer expires at the first head of a block at which the
 *              modelled clock has passed its time, and softpmu has been asked. How often it is
 *              asked follows from how much time is left (a 32nd of it in bytes of records), so
 *              the place depends on what was executed alone, and lies less than a microsecond
 *              late as a rule.
 *   waiting    while the program, or all of its threads, wait in the kernel, the timer is the
 *              kernel's for so long as is left. When it ends the wait, the clock goes on to its
 *              time exactly. One that lies behind the end of a wait of known length is left out
 *              of it.
 *   processor  ITIMER_VIRTUAL, ITIMER_PROF and the processor-time clocks run while the program
 *              does, never while it waits; there is no time in a kernel.
 *   overruns   a timer whose signal still waits sends none; it counts (timer_getoverrun). A
 *              timerfd's count goes on until it is read.
 *   fork       a child has no timers. exec keeps setitimer's and timerfds that are not closed.
 * NOT MODELLED   timerfds that are set by one process and again by another: both expire. More
 *                than 16 timerfds behind exec: the host's.
 */
#ifndef SOFTPMU_GUEST_TIMER_H
#define SOFTPMU_GUEST_TIMER_H

#include <stdint.h>

struct gst;
struct gst_siginfo;

#define GST_MOST_TIMERS 128u

enum gst_timer_kind {
	GST_TIMER_NONE = 0,
	GST_TIMER_INTERVAL, /* setitimer, alarm: id = which */
	GST_TIMER_POSIX,    /* timer_create: id = the kernel's number */
	GST_TIMER_FILE,	    /* timerfd_settime: id = descriptor that it was set by */
};

struct gst_timer {
	uint8_t kind;	      /* enum gst_timer_kind */
	uint8_t is_processor; /* of the processor's time; else of all time */
	uint8_t is_realtime;  /* absolute times count from the date */
	uint8_t is_armed;
	uint8_t is_hosted; /* the kernel has it, armed */
	uint8_t is_sent;   /* it has expired; its signal may still wait */
	int32_t id;
	uint32_t mark;	       /* FILE: number that identifies it, whatever its descriptor */
	int32_t signal, tid;   /* 0: none; tid 0: to the process */
	uint64_t value;	       /* sigev_value */
	uint64_t next, period; /* nanoseconds; period 0: once */
	uint64_t overruns;     /* since the last signal, or the last read */
};

struct gst_timers {
	struct gst_timer timer[GST_MOST_TIMERS];
	uint32_t n; /* places in use lie below */
	uint32_t n_armed, n_hosted;
	uint32_t n_marks;
	/* valid while n_hosted: the first that ends the wait for certain, 0 = none does */
	uint64_t ends_ns;
	int is_looking; /* 1 while gst_timers_look() runs: it must not call itself */
	uint64_t limit; /* of the record pointer: ask what time it is; valid while n_armed */
};

/* A timer's setting as the program gives it: value is the time left, or an absolute time, and
 * period its repetition; both in nanoseconds. */
struct gst_timer_spec {
	uint64_t period, value;
};

/* The place of timer (kind, id), or NULL. */
struct gst_timer *gst_timer_find(struct gst *g, unsigned kind, int32_t id);

/* A free place for one, all zero but kind and id; NULL when there is none. */
struct gst_timer *gst_timer_new(struct gst *g, unsigned kind, int32_t id);

/* setitimer's timer 0 to 2, made when it is not there; NULL when there is no room. */
struct gst_timer *gst_timer_interval(struct gst *g, int32_t which);

/* The timer is no longer. */
void gst_timer_drop(struct gst *g, struct gst_timer *t);

/* Returns the time left and the period. Cost: a question to softpmu. */
struct gst_timer_spec gst_timer_left(struct gst *g, const struct gst_timer *t);

/* Set it anew: value 0 stops it. is_absolute: value is a time of its clock as the program sees
 * it. */
void gst_timer_set(struct gst *g, struct gst_timer *t, const struct gst_timer_spec *s,
		   int is_absolute);

/* The time is known now: expire the timers that are due, and choose when to ask for the time next.
 * A signal may wait afterwards. */
void gst_timers_look(struct gst *g, uint64_t elapsed_ns, uint64_t executed_ns);

/* At the head of a block: gst_timers_due() returns 1 if it is time to ask, and gst_timers_ask()
 * asks. Cost: a compare. */
int gst_timers_due(const struct gst *g);
void gst_timers_ask(struct gst *g);

/* The chunk was handed over: as gst_event_moves. */
void gst_timers_move(struct gst *g, uint64_t from, uint64_t to);

/* Around a wait of the program in the kernel. host: the wait begins at elapsed_ns and lasts ns at
 * most (0: for ever). Timers that may expire in it are armed in the kernel; those after the first
 * that ends the wait are not. mask: signals that the program blocks; words: the call, or NULL when
 * several threads wait, each in its own. Returns 1 when a timer will end the wait early. unhost:
 * the wait is over. Returns the time of the last timer that has expired in it, 0 = none. */
int gst_timers_host(struct gst *g, const uint64_t *words, uint64_t elapsed_ns, uint64_t ns,
		    uint64_t mask);
uint64_t gst_timers_unhost(struct gst *g);

/* A signal is about to be delivered: how often its timer has expired since. */
void gst_timers_signal(struct gst *g, struct gst_siginfo *info);

/* In a forked child / before exec, and when that failed / in the new program. */
void gst_timers_child(struct gst *g);
void gst_timers_leave(struct gst *g);
void gst_timers_return(struct gst *g);
void gst_timers_arrive(struct gst *g);

#endif
