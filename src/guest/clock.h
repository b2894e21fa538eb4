/* clock.h -- clocks that follow the modelled processor (--clock model).
 *
 * RULES            real-time clocks show 2000-01-01 00:00:00 UTC when the program starts, all others 0; all go on as the
 *                  processor's clocks do, and while the program sleeps or waits in vain by what it asked for. The
 *                  processor-time clocks leave that out. Waits take as long as they would without this.
 * MODELLED         clock_gettime, gettimeofday, time, times, getrusage (user time; system time is 0); timeouts of
 *                  sleeps, poll, select, epoll, futex, sigtimedwait; deadlines of clock_nanosleep and futex.
 * NOT MODELLED     timers, alarms, timerfd, deadlines of message queues, times of files, what ended
 *                  children used: the host's, or 0.
 */
#ifndef SOFTPMU_GUEST_CLOCK_H
#define SOFTPMU_GUEST_CLOCK_H

#include <stdint.h>

struct gst;

/* Does the program see such clocks? */
int gst_clock_is_model(const struct gst *g);

/* Clock `id`, one of the kernel's: seconds and nanoseconds. Returns 0, or -EINVAL when it is not known here. */
long gst_clock_read(struct gst *g, uint32_t id, uint64_t time[2]);

/* The absolute time of a clock that the program sees, as the host's clock of that name will show it. */
void gst_clock_to_host(struct gst *g, int is_realtime, uint64_t time[2]);

/* A wait of the program, under way. */
struct gst_clock_wait {
	uint64_t ns;               /* the longest; 0: none */
	uint64_t began_ns;         /* the program's time */
	uint64_t host_ns;          /* the host's */
	uint64_t time[2];          /* relative, in place of an absolute one */
};

/* System call words[] (number, six arguments) is about to be made, and has been answered. Nothing happens when it
 * is none that waits for a time, or the clocks are the host's. The first may change words[]. */
void gst_clock_begins(struct gst *g, uint64_t *words, struct gst_clock_wait *w);
void gst_clock_ends(struct gst *g, const struct gst_clock_wait *w, long ret);

#endif
