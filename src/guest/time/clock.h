/* clock.h -- clocks that follow the modelled processor (--clock model).
 *
 * RULES            real-time clocks show 2000-01-01 00:00:00 UTC when the program starts, all
 *                  others 0. All go on as the processor's clocks do. When the program sleeps, or
 *                  waits until its time is over, they go on by the time that it asked for; the
 *                  processor-time clocks leave that out. The coarse clocks tick every 4 ms. Waits
 *                  take as long as they would without this.
 * MODELLED         clock_gettime, clock_getres, gettimeofday, time, times, getrusage, wait4,
 *                  waitid (user time; system time is 0); timeouts of sleeps, poll, select,
 *                  epoll, futex, sigtimedwait, semtimedop, and what they say is left; deadlines
 *                  of clock_nanosleep, futex and message queues; timeouts that sockets have
 *                  (SO_RCVTIMEO, SO_SNDTIMEO); timers (timer.h); turns and waits of threads
 *                  (sched.h).
 * NOT MODELLED     the timeout that recvmmsg has itself, what a socket's timeout ended when some
 *                  bytes had gone through, semtimedop with an operation that is not to wait,
 *                  times of files: the host's.
 */
#ifndef SOFTPMU_GUEST_CLOCK_H
#define SOFTPMU_GUEST_CLOCK_H

#include <stdint.h>

struct gst;

/* Returns 1 if the program's clocks follow the model (--clock model). */
int gst_clock_is_model(const struct gst *g);

/* Clock `id`, one of the kernel's: seconds and nanoseconds. Returns 0, or -EINVAL when it is not
 * known here. */
long gst_clock_read(struct gst *g, uint32_t id, uint64_t time[2]);

/* The resolution of clock `id`; 0 when it is not known here. */
uint64_t gst_clock_step_ns(struct gst *g, uint32_t id);

/* Processor time of the children that the program has waited for, in nanoseconds. Cost: a
 * question. */
uint64_t gst_clock_children(struct gst *g);

/* A system call has returned: when it was a wait for a child that is gone, the child's time is
 * added to that of the others, and shown where the program asked for it. */
void gst_clock_reaped(struct gst *g, const uint64_t *words, long ret);

/* The absolute time of a clock that the program sees, as the host's clock of that name will show
 * it. */
void gst_clock_to_host(struct gst *g, int is_realtime, uint64_t time[2]);

/* The program's clock without a date, in nanoseconds: all time, or the processor's. Cost: a
 * question. */
uint64_t gst_clock_ns(struct gst *g, int is_processor);

/* That clock when the date is so many nanoseconds after 1970; 0 before its beginning. */
uint64_t gst_clock_of_date(uint64_t ns);

/* Nanoseconds from now until the program's clock shows `time`; 0 when it is past. */
uint64_t gst_clock_until(struct gst *g, int is_realtime, const uint64_t time[2]);

/* The program slept until gst_clock_ns() is until_ns: move its clocks on. Returns the time now,
 * which may be later than until_ns. */
uint64_t gst_clock_slept(struct gst *g, uint64_t until_ns);

/* The host's clock in nanoseconds. */
uint64_t gst_clock_host_ns(int is_realtime);

/* A wait of the program, under way. */
struct gst_clock_wait {
	uint64_t ns;	   /* the longest; 0: none */
	uint64_t began_ns; /* the program's time */
	uint64_t host_ns;  /* the host's */
	uint64_t time[2];  /* in place of the program's */
	uint64_t left_at;  /* address at which the program wants the rest, or 0 */
	uint32_t unit;	   /* nanoseconds in one of the time's second word */
	/* argument that points to the time, and bytes of each word; 0: milliseconds */
	uint8_t word, bytes;
	uint8_t is_left_always; /* else only when a signal ended it */
	uint8_t is_date;	/* the time is one of the date, not relative */
	/* error number that the call returns when its time is over; 0: it returns 0 */
	int32_t vain;
};

/* Call the first before system call words[] (number, six arguments) is made, the second after it.
 * They do nothing when the clocks are the host's, or when no timer runs and the call does not wait
 * for a time. The first may change words[]. */
void gst_clock_begins(struct gst *g, uint64_t *words, struct gst_clock_wait *w);
void gst_clock_ends(struct gst *g, const struct gst_clock_wait *w, long ret);

/* Returns how long call words[] waits for its socket at most, in nanoseconds, by the timeout that
 * the socket has; 0: for ever, or not at all. *error: what the call returns when that is over.
 * Cost: up to two calls of the kernel. */
uint64_t gst_clock_socket_ns(const struct gst *g, const uint64_t *words, int32_t *error);

#endif
