/* call_child.h -- which calls let a deferred SIGCHLD in, and when. Rules: call_child.c. */
#ifndef SOFTPMU_GUEST_CALL_CHILD_H
#define SOFTPMU_GUEST_CALL_CHILD_H

#include <stdint.h>

struct gst;

/* Before an attempt at the call in words[7], its number first: lets the deferred signal in where
 * the call would wait. Returns 1 if a child is there that the call will find. One or two calls of
 * the host where a signal is deferred, else none. */
int gst_call_child_before(struct gst *g, const uint64_t *words);

/* Behind the attempt, which has answered ret: lets the deferred signal in where the call has been
 * interrupted or has found a child. was_there: what gst_call_child_before() returned. */
void gst_call_child_after(struct gst *g, const uint64_t *words, long ret, int was_there);

#endif
