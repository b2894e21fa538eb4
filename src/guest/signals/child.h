/* child.h -- SIGCHLD for a child's end is deferred to the next call that waits.
 *
 * PURPOSE     The host decides when a child ends. A parent that is about to wait would enter its
 *             handler at another instruction in each run, and its counts would not repeat.
 * RULES
 *   deferred  The signal of a process with one thread and a handler is held, and blocked in the
 *             kernel, until the process makes a call that waits (guest/calls/call_child.c).
 *   bound     A process that makes no such call gets the signal GST_CHILD_NS later, so a program
 *             that watches a variable goes on.
 *   at once   Not deferred is the signal of a process with threads, one that only the mask of a
 *             call lets in (ppoll, sigsuspend), and one that the program has blocked while a call
 *             waited: sigprocmask delivers what is pending, and the program may know of it.
 * SOURCES     wait4 of the kernel looks for a child before it looks for signals; a signal may come
 *             late, by signal(7).
 */
#ifndef SOFTPMU_GUEST_CHILD_H
#define SOFTPMU_GUEST_CHILD_H

#include "guest/signals/signal.h"

struct gst;
struct gst_thread;

/* How long a process may run without a call that waits until it gets the signal. */
#define GST_CHILD_NS 1000000000l

/* Defer `info`, which the kernel has just sent to thread t, if the rules ask for it. The caller
 * keeps SIGCHLD blocked then. Called by the host's signal handler. Returns 1 if it is deferred. */
int gst_child_defer(struct gst *g, struct gst_thread *t, const struct gst_siginfo *info);

/* Returns 1 while a signal of the running thread is deferred. */
int gst_child_is_deferred(const struct gst *g);

/* The deferred signal comes at the next boundary. is_ordered: that place does not depend on the
 * host. */
void gst_child_let_in(struct gst *g, int is_ordered);

/* The signal that was let in is delivered. Returns 1 if its place does not depend on the host. */
int gst_child_delivered(struct gst *g);

/* Thread t has no deferred signal, in a process that is new. */
void gst_child_none(struct gst_thread *t);

/* Returns 1 if `info` says that the time of a deferred signal is over; lets it in. */
int gst_child_is_over(struct gst_thread *t, const struct gst_siginfo *info);

#endif
