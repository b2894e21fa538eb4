/* syscall.c -- system calls of the program. */
#include "guest/emulate.h"
#include "guest/gst.h"

void gst_syscall(struct gst *g)
{
	uint64_t *r = g->gs->gpr;
	uint64_t a = r[7], b = r[6], c = r[2], d = r[10], e = r[8], f = r[9];
	long nr = (int)r[0], ret;

	switch (nr) {
	case __NR_mmap:
		ret = gst_map(g, a, b, (uint32_t)c, (uint32_t)d, (int)e, f, GST_VMA_PLAIN);
		break;
	case __NR_munmap: ret = gst_unmap(g, a, b); break;
	case __NR_mprotect: ret = gst_protect(g, a, b, (uint32_t)c); break;
	case __NR_mremap: ret = gst_remap(g, a, b, c, (uint32_t)d, e); break;
	case __NR_brk: ret = (long)gst_brk(g, a); break;
	case __NR_arch_prctl:
		ret = -EINVAL;
		if (a == 0x1002) {
			gst_set_fs(g, b);
			ret = 0;
		}
		break;
	case __NR_rseq:
	case __NR_clone3:
		ret = -ENOSYS;
		break;
	case __NR_exit:
	case __NR_exit_group:
		gst_tell_exit(g, (uint32_t)(a & 0xff) << 8);
		for (;;)
			SYS1(exit_group, a);
	case __NR_rt_sigaction:
	case __NR_rt_sigprocmask:
	case __NR_sigaltstack:
		ret = 0;
		break;
	default:
		ret = trc_raw_syscall6(nr, (long)a, (long)b, (long)c, (long)d, (long)e, (long)f);
	}
	r[0] = (uint64_t)ret;
	g->ctl->n_syscalls++;
}
