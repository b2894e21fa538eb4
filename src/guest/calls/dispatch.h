/* dispatch.h -- system calls that the program's own handler takes:
 * prctl(PR_SET_SYSCALL_USER_DISPATCH), which Wine uses.
 *
 * RULE           a call from outside of one range of code (or, inclusive, from inside of it)
 *                raises SIGSYS instead of being made, unless a byte of the program says that
 *                calls pass. Before any seccomp filter. Of one thread alone: neither new threads
 *                nor children nor the next program have it.
 * MODELLED       off, on (exclusive) and inclusive mode; the byte; the return from handlers of
 *                32-bit programs, which always passes.
 * SOURCES        Documentation/admin-guide/syscall-user-dispatch.rst of Linux, prctl(2).
 */
#ifndef SOFTPMU_GUEST_DISPATCH_H
#define SOFTPMU_GUEST_DISPATCH_H

#include <stdint.h>

struct gst;

/* Set the mode: prctl's arguments after its first. Returns 0, or -errno, and then nothing has
 * changed. */
long gst_dispatch_set(struct gst *g, uint64_t mode, uint64_t from, uint64_t bytes,
		      uint64_t selector);

/* The program makes call `nr` (of the table `arch`, as in seccomp.h); gs->pc is the address
 * after it. Returns 1 if the call must not be made: SIGSYS is on its way, with number and table in
 * its siginfo; or the program ends, because the byte cannot be read or is neither 0 nor 1. Else 0.
 * Cost: nothing while it is off. */
int gst_dispatch_takes(struct gst *g, uint32_t arch, uint32_t nr);

#endif
