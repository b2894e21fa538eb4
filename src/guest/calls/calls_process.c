/* calls_process.c -- system calls about the process itself. */
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/sched.h>

#include "guest/calls/calls.h"
#include "guest/calls/dispatch.h"
#include "guest/calls/seccomp.h"
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/threads/fork.h"
#include "guest/gst.h"
#include "guest/perf/perf_event.h"
#include "guest/threads/robust.h"

#define ARCH_SET_GS_CODE    0x1001
#define ARCH_SET_FS_CODE    0x1002
#define ARCH_GET_FS_CODE    0x1003
#define ARCH_GET_GS_CODE    0x1004
#define ARCH_GET_CPUID_CODE 0x1011
#define ARCH_SET_CPUID_CODE 0x1012
#define SIGCHLD_NUMBER	    17u
#define PR_GET_AUXV_CODE    0x41555856
#define PR_SET_VMA_CODE	    0x53564d41

/* The status of a process whose threads end one by one is that of the first. */
long gst_call_exit(struct gst *g, const uint64_t *a)
{
	uint64_t code = a[0];

	if (a[-1] == __NR_exit) {
		gst_robust_farewell(g);
		if (g->t->process->n_threads > 1)
			gst_sched_leave(g, (uint32_t)code);
		if (g->t->process->is_first_gone)
			code = g->t->process->first_code;
	}
	gst_process_end(g, (uint32_t)(code & 0xff) << 8);
	for (;;)
		SYS1(exit_group, code);
}

long gst_call_clone(struct gst *g, const uint64_t *a)
{
	/* The high half of flags is clone3's. */
	const struct gst_birth b = {.flags = (uint32_t)a[0],
				    .stack = a[1],
				    .parent_tid = a[2],
				    .pidfd = a[2],
				    .child_tid = a[3],
				    .tls = a[4]};

	return gst_clone_as(g, &b);
}

long gst_call_fork(struct gst *g, const uint64_t *a)
{
	const struct gst_birth b = {.flags = SIGCHLD_NUMBER};

	return gst_fork(g, &b);
}

long gst_call_vfork(struct gst *g, const uint64_t *a)
{
	const struct gst_birth b = {.flags = CLONE_VM | CLONE_VFORK | SIGCHLD_NUMBER};

	return gst_vfork_start(g, &b);
}

long gst_call_unshare(struct gst *g, const uint64_t *a)
{
	const uint64_t rest = a[0] & ~(uint64_t)CLONE_FILES;
	long ret;

	if (!(a[0] & CLONE_FILES) || g->t->process->n_threads > 1)
		/* with several threads only the caller gets its own table, in which the runtime's
		 * numbers stay */
		return SYS1(unshare, a[0]);
	ret = SYS1(unshare, rest);
	return ret ? ret : gst_process_own_files(g);
}

/* The kernel sends the signal for softpmu's death with the rights that the process had when it
 * asked for it. */
long gst_call_identity(struct gst *g, const uint64_t *a)
{
	long ret = gst_call_pass(g, a);

	gst_life_listen(g);
	return ret;
}

long gst_call_set_tid_address(struct gst *g, const uint64_t *a)
{
	g->t->clear_child_tid = a[0];
	return g->t->tid;
}

static long put_word(uint64_t to, uint64_t word)
{
	return gst_copy_out(to, &word, sizeof(word));
}

long gst_call_arch_prctl(struct gst *g, const uint64_t *a)
{
	switch (a[0]) {
	case ARCH_SET_FS_CODE:
	case ARCH_SET_GS_CODE:
		if (a[1] >= GST_TASK_END)
			return -EPERM;
		if (a[0] == ARCH_SET_FS_CODE)
			gst_set_fs(g, a[1]);
		else
			g->gs->gs_base = a[1];
		g->gs->selector[a[0] == ARCH_SET_FS_CODE ? GST_FS : GST_GS] = 0;
		return 0;
	case ARCH_GET_FS_CODE: return put_word(a[1], gst_get_fs(g));
	case ARCH_GET_GS_CODE: return put_word(a[1], g->gs->gs_base);
	case ARCH_GET_CPUID_CODE: return 1;
	case ARCH_SET_CPUID_CODE: return -ENODEV;
	default: /* shadow stacks, AMX permission, address tagging: not on this processor */
		return -EINVAL;
	}
}

long gst_call_prctl(struct gst *g, const uint64_t *a)
{
	switch (a[0]) {
	case PR_SET_SECCOMP:
		if (a[1] == 1)
			return gst_seccomp_strict(g);
		return a[1] == 2 ? gst_seccomp_add(g, a[2], 0) : -EINVAL;
	case PR_GET_SECCOMP: return (long)g->t->seccomp.mode;
	case PR_SET_TSC: {
		/* the kernel keeps it over exec; see start.c */
		const long ret = gst_call_pass(g, a);

		if (!ret)
			g->t->is_tsc_closed = a[1] == PR_TSC_SIGSEGV;
		return ret;
	}
	case PR_SET_SYSCALL_USER_DISPATCH: return gst_dispatch_set(g, a[1], a[2], a[3], a[4]);
	case PR_SET_MM: return -EPERM;
	/* names of memory in /proc/self/maps, which is ours: as a kernel built without them */
	case PR_SET_VMA_CODE: return -EINVAL;
	case PR_SET_NAME: {
		const long ret = gst_call_pass(g, a);

		if (!ret)
			gst_event_named(g);
		return ret;
	}
	case PR_TASK_PERF_EVENTS_DISABLE:
	case PR_TASK_PERF_EVENTS_ENABLE:
		gst_event_task(g, a[0] == PR_TASK_PERF_EVENTS_ENABLE);
		return 0;
	case PR_GET_AUXV_CODE: {
		uint64_t bytes = a[2] < g->auxv_bytes ? a[2] : g->auxv_bytes;

		if (gst_copy_out(a[1], (const void *)g->auxv, bytes))
			return -EFAULT;
		return (long)g->auxv_bytes;
	}
	case PR_GET_TID_ADDRESS: { /* the kernel knows the runtime's word, not the program's */
		uint64_t kernels;
		long ret = SYS2(prctl, PR_GET_TID_ADDRESS, &kernels);

		if (ret)
			return ret;
		return gst_copy_out(a[1], &g->t->clear_child_tid, g->layout.word) ? -EFAULT : 0;
	}
	default: return gst_call_pass(g, a);
	}
}

long gst_call_seccomp(struct gst *g, const uint64_t *a)
{
	switch (a[0]) {
	case 0: /* strict */ return a[1] || a[2] ? -EINVAL : gst_seccomp_strict(g);
	case 1: /* filter */ return gst_seccomp_add(g, a[2], a[1]);
	case 2: /* what a filter may answer */ return gst_seccomp_offers(g, a);
	case 3: /* sizes of notifications */ return -EINVAL;
	default: return gst_call_pass(g, a);
	}
}

/* The kernel keeps the personality over exec (start.c obeys it). READ_IMPLIES_EXEC stays in the
 * runtime, because in the kernel it would make the engine's own memory executable. */
long gst_call_personality(struct gst *g, const uint64_t *a)
{
	const uint32_t ours = READ_IMPLIES_EXEC, asked = (uint32_t)a[0];
	uint64_t words[7] = {a[-1], asked & ~ours};
	long was;

	if (asked == 0xffffffff)
		words[1] = asked;
	was = gst_call_pass(g, words + 1);
	if (gst_is_error(was))
		return was;
	was |= g->personality;
	if (asked != 0xffffffff)
		g->personality = asked & ours;
	return was;
}
