/* ptrace.h -- one process of the program looks at threads of another one in the same memory.
 *
 * RULES          the tracer has the baton, so the other thread stands at a boundary: it stops at
 *                once, and its turn does not come before it is continued. What it waits for in
 *                the kernel goes on. Signals to it wait.
 * MODELLED       ATTACH, SEIZE, INTERRUPT, CONT, DETACH, GETREGS, GETREGSET of the general
 *                registers, PEEKTEXT, PEEKDATA, PEEKUSER; the stop in wait4 and waitid. What
 *                LeakSanitizer needs.
 * NOT MODELLED   the rest: EPERM and a warning. Tracing of processes with memory of their own.
 * SOURCES        ptrace(2), wait(2).
 */
#ifndef SOFTPMU_GUEST_PTRACE_H
#define SOFTPMU_GUEST_PTRACE_H

#include <stdint.h>

struct gst;

#define GST_NO_STOP (-20002l)

/* wait4 (is_id 0) or waitid of the holder, when it is a tracer. Returns the call's answer about a
 * stop that it has not seen, or GST_NO_STOP: the kernel has the answer. */
long gst_ptrace_wait(struct gst *g, const uint64_t *a, int is_id);

#endif
