/* syscall32.c -- system calls of 32-bit programs: which row of which table a number stands for. */
#include <linux/sched.h>

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

enum { A = 1, B = 2, C = 4, D = 8, E = 16, F = 32 };

#define N_CALLS 512

/* A row of its own, or an x86-64 call. */
struct call32 {
	struct gst_call_row own;
	uint16_t like; /* number + 1; 0 = none */
};

static const struct call32 calls[N_CALLS] = {
#define SAME32(number, name, like_name) [number] = {.like = __NR_##like_name + 1},
#define CALL32(number, name, how, scalars_, descriptors_, digest_)                                 \
	[number] = {.own = {gst_call_##how, (scalars_), (descriptors_), GST_DIGEST_##digest_}},
#include "guest/calls/syscalls32.def"
#undef SAME32
#undef CALL32
};

const struct gst_call_row *gst_call32_row(uint32_t number)
{
	static const struct gst_call_row none;

	return number < N_CALLS ? &calls[number].own : &none;
}

/* clone with a descriptor of a segment, and a futex with a time, want more of a 32-bit program
 * than its call. */
static int is_simple(uint32_t number, const uint64_t *gpr)
{
	switch (number) {
	case NR32_clone: return !(gpr[3] & CLONE_SETTLS);
	case NR32_futex: return !(uint32_t)gpr[6] || (gpr[1] & 0x7f) == 1; /* FUTEX_WAKE */
	default: return 1;
	}
}

int gst_call32_is_common(uint32_t number, const uint64_t *gpr)
{
	static long (*const common[])(struct gst *, const uint64_t *) = {
	    gst_call_pass,	     gst_call_wait,	      gst_call_nosys,
	    gst_call_eperm,	     gst_call_stat32,	      gst_call_stat64,
	    gst_call_fstatat64,	     gst_call_time,	      gst_call_times,
	    gst_call_getrusage,	     gst_call_gettimeofday32, gst_call_clock_gettime32,
	    gst_call_clock_getres32, gst_call_sysinfo32,      gst_call_getrlimit32,
	    gst_call_getrlimit_old,  gst_call_getaffinity32,  gst_call_fcntl,
	    gst_call_ioctl,	     gst_call_sync,	      gst_call_mmap2,
	    gst_call_mmap_old,	     gst_call_clone32,	      gst_call_futex32,
	};
	const struct gst_call_row *row = gst_call32_row(number);

	if (!row->run)
		return 1; /* equal in both widths, or missing in both */
	for (unsigned i = 0; i < sizeof(common) / sizeof(common[0]); i++) {
		if (row->run == common[i])
			return is_simple(number, gpr);
	}
	return number == NR32_execve || number == NR32_execveat;
}

uint32_t gst_call32_like(uint32_t number)
{
	return number < N_CALLS && calls[number].like ? calls[number].like - 1u : GST_NO_LIKE;
}

uint32_t gst_call32_acts_like(uint32_t number)
{
	switch (number) {
	case NR32_waitpid:
	case NR32_wait4: return __NR_wait4;
	case NR32_waitid: return __NR_waitid;
	case NR32_readv: return __NR_readv;
	case NR32_writev: return __NR_writev;
	case NR32_fcntl:
	case NR32_fcntl64: return __NR_fcntl;
	case NR32_sendmsg: return __NR_sendmsg;
	case NR32_recvmsg: return __NR_recvmsg;
	case NR32_recvmmsg:
	case NR32_recvmmsg_time64: return __NR_recvmmsg;
	case NR32_sendmmsg: return __NR_sendmmsg;
	case NR32_preadv: return __NR_preadv;
	case NR32_preadv2: return __NR_preadv2;
	case NR32_getdents: return __NR_getdents;
	case NR32_msgrcv: return __NR_msgrcv;
	case NR32_time: return __NR_time;
	case NR32_times: return __NR_times;
	case NR32_getrusage: return __NR_getrusage;
	case NR32_clock_gettime: return __NR_clock_gettime;
	default: return GST_NO_LIKE;
	}
}
