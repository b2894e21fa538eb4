/* sleep.h -- time that threads wait for: the host's clock, and instructions in its place.
 *
 * RULE   see sched.h, timeouts. An instruction counts as a nanosecond; on hosts that run faster the
 *        thread waits for the rest, too, so no wait is shorter than asked for.
 */
#ifndef SOFTPMU_GUEST_SLEEP_H
#define SOFTPMU_GUEST_SLEEP_H

#include <stdint.h>

struct gst;

/* Until when to wait; absolute, on the kernel's clocks. */
struct gst_deadline {
	int is_realtime;  /* else monotonic */
	uint64_t time[2]; /* seconds, nanoseconds */
};

/* A relative time (seconds, nanoseconds) from now on, monotonic. Returns 0, or -EINVAL when it
 * is none. */
long gst_sleep_after(const uint64_t time[2], struct gst_deadline *until);

/* Returns the nanoseconds until the deadline; 0 when it is past. */
uint64_t gst_sleep_left(const struct gst_deadline *until);

/* The wait in instructions: its nanoseconds rounded up to a quarter of a power of two, so that
 * it does not depend on how long the way to here took. At least 1. */
uint64_t gst_sleep_instructions(const struct gst_deadline *until);

/* Sleep until then, whatever happens. */
void gst_sleep_until(const struct gst_deadline *until);

#endif
