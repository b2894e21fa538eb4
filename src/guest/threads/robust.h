/* robust.h -- mutexes whose owner dies: the list of set_robust_list(2), walked at a thread's end.
 *
 * SOURCES   set_robust_list(2); the layout of struct robust_list_head and of the futex word.
 */
#ifndef SOFTPMU_GUEST_ROBUST_H
#define SOFTPMU_GUEST_ROBUST_H

#include <stdint.h>

#define GST_FUTEX_WAITERS 0x80000000u
#define GST_FUTEX_DIED	  0x40000000u
#define GST_FUTEX_TID	  0x3fffffffu

struct gst;

/* The holder ends: mark its robust mutexes as left by a dead owner, clear its thread id word, and
 * wake a waiter of each. */
void gst_robust_farewell(struct gst *g);

/* futex.c: one word of the list. is_pending: the entry that was being taken or given back. */
void gst_robust_entry(struct gst *g, uint64_t at, int is_pi, int is_pending);

#endif
