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

/* The timer behind descriptor fd, when it was set here; *is_timer = it is a timerfd. */
struct gst_timer *gst_timer_of_file(struct gst *g, int fd, int *is_timer);

/* A place for the one behind fd. NULL: no room. */
struct gst_timer *gst_timer_file_new(struct gst *g, int fd);

/* It is about to be set: the kernel's forgets what has expired, and rests. */
void gst_timer_file_rest(struct gst_timer *t);

/* Arm the kernel's for ns, 0: put it to rest. Returns what was left before, 0: it has expired. */
uint64_t gst_timer_file_set(struct gst *g, struct gst_timer *t, uint64_t ns);
uint64_t gst_timer_file_left(struct gst *g, struct gst_timer *t);

/* It has expired, and `more` times besides. */
void gst_timer_file_expire(struct gst *g, struct gst_timer *t, uint64_t more);

/* Does the call with this number and arguments wait for it? What is in epoll instances is not
 * known here. */
int gst_timer_file_is_awaited(struct gst *g, const uint64_t *words, const struct gst_timer *t);

/* It has expired and was not read. */
int gst_timer_file_is_full(struct gst *g, struct gst_timer *t);

/* exec is about to happen: the new program's runtime goes on with it, or when there are too
 * many, the kernel by the host's clock; in that program: take over those that are not closed. */
void gst_timer_file_leave(struct gst *g, struct gst_timer *t);
void gst_timer_files_arrive(struct gst *g);

/* n bytes were read from fd to `at`: what expired besides is added. */
void gst_timer_file_read(struct gst *g, int fd, uint64_t at, long n);

#endif
