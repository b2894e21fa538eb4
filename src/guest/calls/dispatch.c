/* dispatch.c -- syscall user dispatch of the program. Rules: dispatch.h. */
#include "guest/calls/dispatch.h"

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define MODE_OFF	       0u
#define MODE_ON		       1u
#define MODE_INCLUSIVE	       2u /* Linux 6.17 */
#define SELECTOR_ALLOW	       0u
#define SELECTOR_BLOCK	       1u
#define SYS_USER_DISPATCH_CODE 2 /* si_code */

long gst_dispatch_set(struct gst *g, uint64_t mode, uint64_t from, uint64_t bytes,
		      uint64_t selector)
{
	struct gst_dispatch d = {1, from, bytes, selector};

	switch (mode) {
	case MODE_OFF:
		if (from || bytes || selector)
			return -EINVAL;
		d.is_on = 0;
		break;
	case MODE_ON:
		if (from && from + bytes <= from)
			return -EINVAL;
		break;
	case MODE_INCLUSIVE:
		if (!bytes || from + bytes <= from)
			return -EINVAL;
		d.from = from + bytes;
		d.bytes = 0 - bytes;
		break;
	default: return -EINVAL;
	}
	if (selector >= g->layout.end)
		return -EFAULT;
	g->t->dispatch = d;
	return 0;
}

/* The two ways out of a handler of a 32-bit program: in the kernel's vdso they pass, and where
 * there is no vdso the C library has its own. */
static int is_way_out(const struct gst *g, uint32_t nr)
{
	return g->layout.is_32 && (nr == NR32_sigreturn || nr == NR32_rt_sigreturn);
}

int gst_dispatch_takes(struct gst *g, uint32_t arch, uint32_t nr)
{
	const struct gst_dispatch *d = &g->t->dispatch;
	struct gst_siginfo info = {
	    .sig = GST_SIGSYS, .code = SYS_USER_DISPATCH_CODE, .addr = g->gs->pc};
	uint8_t selector = SELECTOR_BLOCK;

	if (!d->is_on || g->gs->pc - d->from < d->bytes || is_way_out(g, nr))
		return 0;
	if (d->selector && gst_copy_in(&selector, d->selector, 1)) {
		gst_signal_kill(g, GST_SIGSEGV);
		return 1;
	}
	if (selector == SELECTOR_ALLOW)
		return 0;
	if (selector != SELECTOR_BLOCK) {
		gst_signal_kill(g, GST_SIGSYS);
		return 1;
	}
	memcpy(info.rest, &nr, sizeof(nr));
	memcpy(info.rest + sizeof(nr), &arch, sizeof(arch));
	gst_signal_force(g, &info, NULL);
	return 1;
}
