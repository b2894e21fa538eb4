/* seccomp.h -- system-call filters of the program, judged here and never given to the kernel,
 * which would apply them to the runtime's own calls.
 *
 * RULE           each thread has its newest filter, which names the one before it, and so on; a
 *                new thread and a child start with the parent's. Over exec they are carried in
 *                the memory file (SHR_KEEP_OFF).
 * MODELLED       strict mode; filters as seccomp(2) takes and checks them, all of them asked at
 *                each call, the severest answer wins; KILL, TRAP, ERRNO, TRACE (ENOSYS: there is
 *                no tracer), LOG (as ALLOW), ALLOW; the right to install one (no_new_privs or
 *                CAP_SYS_ADMIN); all threads at once (TSYNC).
 * NOT MODELLED   user notification (refused, EBUSY); no_new_privs of the other threads at TSYNC.
 *                The room of filters (half a million instructions) is not used again when their
 *                thread ends.
 * SOURCES        seccomp(2), bpf(4) of the BSDs for the instructions.
 */
#ifndef SOFTPMU_GUEST_SECCOMP_H
#define SOFTPMU_GUEST_SECCOMP_H

#include <stdint.h>

struct gst;

#define GST_AUDIT_X86_64 0xc000003eu
#define GST_AUDIT_I386	 0x40000003u

/* Turn strict mode on. Returns 0, or -EINVAL when filters are there. */
long gst_seccomp_strict(struct gst *g);

/* gst_seccomp_leave: before exec, write the thread's mode and filters into memory file fd. Returns
 * 0 or -errno. gst_seccomp_arrive: in the new program, take them from the runtime's memory file. */
long gst_seccomp_leave(struct gst *g, int fd);
void gst_seccomp_arrive(struct gst *g);

/* Add the filter that the program's struct sock_fprog at `at` describes; flags as for seccomp(2).
 * Returns 0, -errno, or the thread id of a thread that has other filters (TSYNC); nothing is added
 * then. */
long gst_seccomp_add(struct gst *g, uint64_t at, uint64_t flags);

/* seccomp(SECCOMP_GET_ACTION_AVAIL) with its arguments. Returns the kernel's answer, or -EOPNOTSUPP
 * for an action that is not modelled here. */
long gst_seccomp_offers(struct gst *g, const uint64_t *a);

/* Ask the filters about call `nr` (of the system-call table `arch`) with args[0..5]. gs->pc is the
 * address after the call. Returns 0 if the program may make it. Else 1, and *ret is the answer of
 * the call: -errno, or GST_NO_ANSWER after a signal was delivered. Cost: nothing without
 * filters. */
int gst_seccomp_stops(struct gst *g, uint32_t arch, uint64_t nr, const uint64_t *args, long *ret);

#endif
