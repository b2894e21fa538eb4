/* timer_file.h -- timerfds among the timers (timer.h).
 *
 * RULE   the kernel's timerfd stays what it is: the program polls, reads and passes it on. It is
 *        kept armed for a century with a period that is a mark of its own, by which it is known
 *        again whatever its descriptor is; to expire it is set to the next nanosecond. What
 *        expires before the program has read is added to what it reads.
 */
#ifndef SOFTPMU_GUEST_TIMER_FILE_H
#define SOFTPMU_GUEST_TIMER_FILE_H

#include <stdint.h>

struct gst;
struct gst_timer;
struct gst_timer_spec;

/* The timer behind descriptor fd; NULL when there is none or this program never set it. *is_timer =
 * fd is a timerfd, set or not. The timers are places of gst.timers, theirs until
 * gst_timer_drop(). */
struct gst_timer *gst_timer_of_file(struct gst *g, int fd, int *is_timer);

/* A place for the one behind fd, which has none yet; NULL when there is no room, also after those
 * that are stopped and read have gone. */
struct gst_timer *gst_timer_file_new(struct gst *g, int fd);

/* t is about to be set by t->id: the kernel's timer forgets what has expired, and rests. */
void gst_timer_file_rest(struct gst_timer *t);

/* Arm the kernel's timer to expire in ns nanoseconds, and return 0; nothing is done when neither
 * t->id nor a descriptor below 256 leads to it. With ns 0 put it to rest, and return the
 * nanoseconds that were left; 0: it has expired, and is left so. */
uint64_t gst_timer_file_set(struct gst *g, struct gst_timer *t, uint64_t ns);
/* Returns the nanoseconds that the kernel's timer has left, and changes nothing; 0: it has expired;
 * 1 when t->id leads to it no longer. */
uint64_t gst_timer_file_left(struct gst *g, struct gst_timer *t);

/* It has expired, and `more` times besides: it becomes readable, or when it is, its overruns grow.
 * A timer that no descriptor leads to is dropped, and t is free then. */
void gst_timer_file_expire(struct gst *g, struct gst_timer *t, uint64_t more);

/* Returns 1 if the call words[] (number, arguments) waits for timer t. Timers in epoll instances
 * are not recognized. */
int gst_timer_file_is_awaited(struct gst *g, const uint64_t *words, const struct gst_timer *t);

/* Returns 1 when it has expired and was not read, or is closed; else 0. */
int gst_timer_file_is_full(struct gst *g, struct gst_timer *t);

/* leave: exec is about to happen; hand the timer to the new program's runtime, or, if there are too
 * many, to the kernel and the host's clock. arrive: in the new program, take over the timerfds that
 * are not closed. */
void gst_timer_file_leave(struct gst *g, struct gst_timer *t);
void gst_timer_files_arrive(struct gst *g);

/* read() gave the program n bytes of fd at its address `at`: to a timer's count of 8 bytes the
 * overruns are added, which are 0 then. Any other read stays what it is. */
void gst_timer_file_read(struct gst *g, int fd, uint64_t at, long n);

#endif
