/* baton.h -- what the files of the scheduler share: the baton, and the words by which threads
 * see each other wait. Rules: sched.h.
 */
#ifndef SOFTPMU_GUEST_BATON_H
#define SOFTPMU_GUEST_BATON_H

#include <stdint.h>

struct gst;
struct gst_thread;
struct gst_deadline;

#define FUTEX_PRIVATE	   128
#define FUTEX_WAIT_PRIVATE (0 | FUTEX_PRIVATE)
#define FUTEX_WAKE_PRIVATE (1 | FUTEX_PRIVATE)

/* Words that threads without the baton change, too: gst_thread.state, .baton, .is_overdue,
 * gst_sched.is_free. */
static inline uint32_t gst_load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static inline void gst_store(uint32_t *at, uint32_t value)
{
	__atomic_store_n(at, value, __ATOMIC_SEQ_CST);
}

/* Returns 1 when *at was `from`, and is `to` now. */
static inline int gst_change(uint32_t *at, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(at, &from, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* ---- baton.c --------------------------------------------------------------------------------- */

/* A thread came back at a moment that the host decided. */
void gst_baton_outside(struct gst *g);

/* The holder ends the waits that have lasted long enough by the clock of the waits, and those
 * whose descriptors are ready. */
void gst_baton_look(struct gst *g);

/* The ready thread that follows number `after`, or NULL. */
struct gst_thread *gst_baton_next(struct gst *g, uint32_t after);

/* Thread `to` holds the baton from now on. */
void gst_baton_give(struct gst *g, struct gst_thread *to);

/* The holder, number `from`, gives the baton to the next thread, or lays it down when no thread is
 * ready. */
void gst_baton_pass(struct gst *g, uint32_t from);

/* Returns 1 when t holds the baton. Only t itself may ask: for others the answer may be old. */
int gst_baton_is_with(const struct gst_thread *t);

/* Thread t has come back from the kernel by itself: it is ready, and takes the baton if it lies
 * free. */
void gst_baton_come_back(struct gst *g, struct gst_thread *t);

/* Thread t sleeps until it has the baton; a wait of its own ends at *until (NULL: it has none)
 * by the host's clock. */
void gst_baton_wait(struct gst *g, struct gst_thread *t, const struct gst_deadline *until);

/* ---- sched_life.c ---------------------------------------------------------------------------- */

/* Thread t leaves the list of the living. */
void gst_sched_remove(struct gst *g, struct gst_thread *t);

/* ---- sched.c --------------------------------------------------------------------------------- */

/* The clock of the waits catches up with the holder. */
void gst_sched_advance(struct gst *g);

/* Load the holder's registers, and write a TRC_THREAD record that names it. */
void gst_sched_take_up(struct gst *g);

/* The holder goes on, on another processor. */
void gst_sched_moved(struct gst *g);

#endif
