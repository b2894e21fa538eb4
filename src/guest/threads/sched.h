/* sched.h -- whose turn it is: the baton among the threads of the program.
 *
 * RULES
 *   holder     exactly one thread runs the program's code or the runtime's (gst.t), or none does
 *              and the baton lies free. The holder decides which thread is next: the ready thread
 *              with the next higher number, beginning anew after the last.
 *   turns      end when the quantum is used up (src/translate/quantum.c), when the thread waits,
 *              and at sched_yield. A system call takes a fiftieth of it, as it takes its time in
 *              a kernel. All that depends on executed instructions alone.
 *   blocked    waits for another thread of the program (futex.c) or for time (sleep.c). The
 *              holder makes it ready again, or a signal at any time.
 *   timeouts   while others run, time is instructions: a wait of so many nanoseconds, rounded up
 *              to a quarter of a power of two, ends at the first hand-over after so many
 *              instructions, and not before the host's clock says so: up to 5 ms all stand still
 *              for the rest, more is an outside event, and the others go on. When all threads
 *              wait, the host's clock alone decides. With --clock model all that goes by the
 *              modelled clock, which a hand-over looks at when a thread waits: a wait ends at
 *              the first one after its time. When all threads wait, the one whose time is first
 *              goes on when the host's clock says so for any of them.
 *   descriptors  a thread that waits for some is blocked, too: each hand-over looks at them. Only
 *              when all threads wait do those threads wait in the kernel, and are outside.
 *   outside    in a call of the kernel that may take long; comes back at the next hand-over.
 *   away       in a call of the kernel that ends by itself (fsync): comes back after GST_AWAY
 *              instructions, or when no other thread can run. The holder then waits for it to
 *              come, so that a second run has the same order.
 *   outside events  are counted whenever a thread came back at a moment that the host decided:
 *              such a run need not repeat bit for bit.
 * COST         a hand-over is two futex calls.
 */
#ifndef SOFTPMU_GUEST_SCHED_H
#define SOFTPMU_GUEST_SCHED_H

#include <stdint.h>

struct gst;
struct gst_thread;
struct gst_deadline;
struct gst_poll;

enum gst_thread_state {
	GST_THREAD_GONE = 0,
	GST_THREAD_READY,    /* runs, or waits for its turn */
	GST_THREAD_BLOCKED,  /* waits for another thread */
	GST_THREAD_OUTSIDE,  /* in the kernel */
	GST_THREAD_RETURNED, /* ready, but came back by itself */
	GST_THREAD_AWAY,     /* in the kernel, in a call that ends by itself */
	GST_THREAD_HOME,     /* done with it before its time */
};

#define GST_AWAY 1000000u /* instructions: a millisecond, by the clock of the waits */

struct gst_sched {
	struct gst_thread *first;		 /* the living, by number */
	struct gst_thread *waiter, *last_waiter; /* futex.c: blocked threads, longest first */
	uint32_t n_live, n_born, n_slots;
	uint32_t is_free;     /* 1: the baton lies free */
	uint32_t is_threaded; /* a thread was started once: heads count the quantum */
	/* instructions since threads were counted, and idle waits; or the modelled clock */
	uint64_t now;
	int32_t given; /* gs.quantum when `now` was brought up to date last */
	uint64_t dice; /* state of the generator of quanta, never 0 */
};

/* The first thread, in slot 0, holds the baton. */
void gst_sched_start(struct gst *g, struct gst_thread *t);

/* softpmu may know the first thread by its tid, and no other one. */
void gst_sched_show(struct gst *g);

/* A new thread t, with its registers in place, joins; its number is given here. */
void gst_sched_add(struct gst *g, struct gst_thread *t);

/* From the kernel's clone: wait for the first turn and take up the registers. */
void gst_sched_enter(struct gst *g, struct gst_thread *t);

/* A new quantum for the holder: the one of --quantum and up to a sixteenth more or less, with
 * --seed up to half. Turns of equal length could end at one place of a loop again and again, where
 * another thread can never get what it waits for. */
void gst_sched_quantum(struct gst *g);

/* The holder has made a system call: what that takes of its turn. The clock of the waits stands
 * still. */
void gst_sched_call(struct gst *g);

/* The holder's turn is over: others first. Returns 1 when another thread ran meanwhile. */
int gst_sched_turn(struct gst *g);

/* The holder waits until gst_sched_wake, or the deadline (NULL: none), or a signal. Returns 0,
 * -ETIMEDOUT, or GST_RESTARTS when a signal waits. */
long gst_sched_block(struct gst *g, const struct gst_deadline *until);

/* As gst_sched_block, also until one of n <= GST_MOST_POLL descriptors is as wanted (returns 0
 * then, too). */
long gst_sched_block_poll(struct gst *g, const struct gst_poll *poll, uint32_t n,
			  const struct gst_deadline *until);

/* Make t ready when it is blocked; returns 1 when it was. */
int gst_sched_wake(struct gst_thread *t);

/* gst_call() without the baton when there are other threads. */
long gst_sched_outside(struct gst *g, const uint64_t *words);

/* As gst_sched_outside(), for a call that ends by itself. A call that has not ended after two
 * seconds (a file system that another thread of the program serves) becomes an outside event. */
long gst_sched_away(struct gst *g, const uint64_t *words);

/* The holder ends, as a thread. Never returns. */
__attribute__((noreturn)) void gst_sched_leave(struct gst *g, uint32_t code);

/* After fork, in the child: of all threads only the holder is there. */
void gst_sched_alone(struct gst *g);

/* In the handler, on thread t's own stack: a signal ends its wait. */
void gst_sched_interrupt(struct gst *g, struct gst_thread *t);

#endif
