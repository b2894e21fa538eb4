/* futex.h -- futexes of memory that only this process has: the runtime's scheduler does them.
 *
 * RULES          the thread that waits compares the word and queues while it holds the baton, so
 *                no store comes between. The thread that has waited longest is woken first.
 * MODELLED       WAIT, WAKE and their BITSET forms, REQUEUE, CMP_REQUEUE, WAKE_OP, LOCK_PI,
 *                LOCK_PI2, TRYLOCK_PI, UNLOCK_PI, WAIT_REQUEUE_PI, CMP_REQUEUE_PI; robust lists,
 *                CLONE_CHILD_CLEARTID.
 * NOT MODELLED   FD (ENOSYS); priorities; deadlocks longer than a thread's own. Words in shared
 *                mappings are the kernel's.
 * SOURCES        futex(2), set_robust_list(2), get_robust_list(2).
 */
#ifndef SOFTPMU_GUEST_FUTEX_H
#define SOFTPMU_GUEST_FUTEX_H

#include <stdint.h>

struct gst;
struct gst_thread;

/* Operations of futex(2), and the bits beside them. */
#define GST_FUTEX_OP	127u
#define GST_OP_PRIVATE	128u
#define GST_OP_REALTIME 256u
enum {
	GST_OP_WAIT = 0,
	GST_OP_WAKE = 1,
	GST_OP_REQUEUE = 3,
	GST_OP_CMP_REQUEUE = 4,
	GST_OP_WAKE_OP = 5,
	GST_OP_LOCK_PI = 6,
	GST_OP_UNLOCK_PI = 7,
	GST_OP_TRYLOCK_PI = 8,
	GST_OP_WAIT_BITSET = 9,
	GST_OP_WAKE_BITSET = 10,
	GST_OP_WAIT_REQUEUE_PI = 11,
	GST_OP_CMP_REQUEUE_PI = 12,
	GST_OP_LOCK_PI2 = 13,
};

/* futex(2) with arguments a[0..5] about a word that no other memory has; the program has threads.
 * Returns the call's answer. */
long gst_futex_private(struct gst *g, const uint64_t *a);

/* Wake up to `most` threads that wait for the word at `at` with a mask that has one of `bits`.
 * Returns how many; -EINVAL when one of them waits in WAIT_REQUEUE_PI, which only CMP_REQUEUE_PI
 * may wake. */
long gst_futex_wake(struct gst *g, uint64_t at, uint64_t most, uint32_t bits);

/* Take thread t, which ends, out of the queue that it waits in, if it does. */
void gst_futex_leave(struct gst *g, struct gst_thread *t);

#endif
