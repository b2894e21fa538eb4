/* sys.h -- system calls of the runtime for itself, and the kernel's numbers.
 *
 * Results are the kernel's: 0 or positive, or -errno. No libc, no errno.
 */
#ifndef SOFTPMU_GUEST_SYS_H
#define SOFTPMU_GUEST_SYS_H

#include <stddef.h>
#include <stdint.h>

#include <asm/errno.h>
#include <linux/mman.h>
#include <asm/unistd.h>

#include "guest/later_calls.h"
#include "trace/wait.h"

#define SYS0(nr)	  trc_raw_syscall6(__NR_##nr, 0, 0, 0, 0, 0, 0)
#define SYS1(nr, a)	  trc_raw_syscall6(__NR_##nr, (long)(a), 0, 0, 0, 0, 0)
#define SYS2(nr, a, b)	  trc_raw_syscall6(__NR_##nr, (long)(a), (long)(b), 0, 0, 0, 0)
#define SYS3(nr, a, b, c) trc_raw_syscall6(__NR_##nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define SYS4(nr, a, b, c, d)                                                                       \
	trc_raw_syscall6(__NR_##nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define SYS6(nr, a, b, c, d, e, f)                                                                 \
	trc_raw_syscall6(__NR_##nr, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e),         \
			 (long)(f))

#define GST_PAGE	  4096ull
#define GST_PAGE_DOWN(x)  ((uint64_t)(x) & ~(GST_PAGE - 1))
#define GST_PAGE_UP(x)	  (((uint64_t)(x) + GST_PAGE - 1) & ~(GST_PAGE - 1))
#define GST_TASK_END	  0x7ffffffff000ull /* end of what a program may map */
#define GST_VSYSCALL_PAGE 0xffffffffff600000ull

/* The kernel's answer means an error. */
static inline int gst_is_error(long ret)
{
	return (unsigned long)ret >= (unsigned long)-4095;
}

#endif
