/* calls32_signal.c -- signals of a 32-bit program: narrow structures, and the calls from before
 * real-time signals, whose masks have 32 bits. The rules are in signal.h. */
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/signal32.h"

#define SA_RESETHAND_FLAG 0x80000000ull
#define SA_NODEFER_FLAG	  0x40000000ull
#define LOW_SIGNALS	  0xffffffffull

/* Set and show one action; `act` NULL: only show. */
static long set_action(struct gst *g, int sig, const struct gst_action *act, struct gst_action *old)
{
	if (sig < 1 || sig > GST_N_SIGNALS)
		return -EINVAL;
	*old = gst_process_actions(g)[sig];
	return act ? gst_signal_set_action(g, sig, act) : 0;
}

/* struct sigaction of rt_sigaction: handler, flags, restorer, mask. */
struct action32 {
	uint32_t handler, flags, restorer, mask[2];
};

long gst_call_sigaction32(struct gst *g, const uint64_t *a)
{
	struct action32 n;
	struct gst_action act, old;
	long ret;

	if (a[3] != 8)
		return -EINVAL;
	if (a[1]) {
		if (gst_copy_in(&n, a[1], sizeof(n)))
			return -EFAULT;
		act = (struct gst_action){.handler = n.handler,
					  .flags = n.flags,
					  .restorer = n.restorer,
					  .mask = (uint64_t)n.mask[1] << 32 | n.mask[0]};
	}
	ret = set_action(g, (int)a[0], a[1] ? &act : NULL, &old);
	if (ret || !a[2])
		return ret;
	n = (struct action32){(uint32_t)old.handler,
			      (uint32_t)old.flags,
			      (uint32_t)old.restorer,
			      {(uint32_t)old.mask, (uint32_t)(old.mask >> 32)}};
	return gst_copy_out(a[2], &n, sizeof(n));
}

/* struct old_sigaction: handler, mask, flags, restorer. */
long gst_call_sigaction_old(struct gst *g, const uint64_t *a)
{
	uint32_t n[4];
	struct gst_action act, old;
	long ret;

	if (a[1]) {
		if (gst_copy_in(n, a[1], sizeof(n)))
			return -EFAULT;
		act = (struct gst_action){
		    .handler = n[0], .mask = n[1], .flags = n[2], .restorer = n[3]};
	}
	ret = set_action(g, (int)a[0], a[1] ? &act : NULL, &old);
	if (ret || !a[2])
		return ret;
	n[0] = (uint32_t)old.handler;
	n[1] = (uint32_t)old.mask;
	n[2] = (uint32_t)old.flags;
	n[3] = (uint32_t)old.restorer;
	return gst_copy_out(a[2], n, sizeof(n));
}

long gst_call_signal(struct gst *g, const uint64_t *a)
{
	struct gst_action act = {.handler = a[1], .flags = SA_RESETHAND_FLAG | SA_NODEFER_FLAG},
			  old;
	long ret = set_action(g, (int)a[0], &act, &old);

	return ret ? ret : (long)old.handler;
}

static void set_mask(struct gst *g, uint64_t mask)
{
	g->t->sig.mask = mask & ~GST_UNBLOCKABLE;
	gst_signal_host_mask(g);
}

long gst_call_sigprocmask_old(struct gst *g, const uint64_t *a)
{
	uint64_t old = g->t->sig.mask;
	uint32_t set, shown = (uint32_t)old;

	if (a[1]) {
		if (gst_copy_in(&set, a[1], sizeof(set)))
			return -EFAULT;
		switch ((int)a[0]) {
		case 0: set_mask(g, old | set); break;
		case 1: set_mask(g, old & ~(uint64_t)set); break;
		case 2: set_mask(g, (old & ~LOW_SIGNALS) | set); break;
		default: return -EINVAL;
		}
	}
	return a[2] ? gst_copy_out(a[2], &shown, sizeof(shown)) : 0;
}

long gst_call_sgetmask(struct gst *g, const uint64_t *a)
{
	return (long)(g->t->sig.mask & LOW_SIGNALS);
}

long gst_call_ssetmask(struct gst *g, const uint64_t *a)
{
	long old = (long)(g->t->sig.mask & LOW_SIGNALS);

	set_mask(g, a[0]);
	return old;
}

long gst_call_sigpending_old(struct gst *g, const uint64_t *a)
{
	uint64_t set = 0;
	uint32_t shown;
	long ret = SYS2(rt_sigpending, &set, 8);

	shown = (uint32_t)(set | g->t->sig.held);
	return ret ? ret : gst_copy_out(a[0], &shown, sizeof(shown));
}

/* The mask comes as a number, the third argument. */
long gst_call_sigsuspend_old(struct gst *g, const uint64_t *a)
{
	uint64_t words[7] = {179 /* rt_sigsuspend */, 0, 8}, mask = a[2];

	return gst_call_with_mask(g, words + 1, 0, &mask);
}

long gst_call_pselect32(struct gst *g, const uint64_t *a)
{
	uint64_t words[7], low[2], mask, set;
	uint32_t pair[2];

	if (!a[5])
		return gst_call_wait(g, a);
	if (gst_copy_in(pair, a[5], sizeof(pair)))
		return -EFAULT;
	if (!pair[0])
		return gst_call_wait(g, a);
	if (gst_copy_in(&mask, pair[0], 8))
		return -EFAULT;
	set = gst_call_mask(g, &mask);
	low[0] = mask;
	low[1] = (uint64_t)pair[1] << 32 | gst_low_at(g);
	memcpy(words, a - 1, sizeof(words));
	words[6] = gst_low_copy(g, low, sizeof(low)) + 8;
	return gst_call_masked(g, words, set);
}

/* A held signal that is waited for is taken at once, else the kernel waits. */
long gst_call_sigtimedwait32(struct gst *g, const uint64_t *a)
{
	uint8_t info[GST_SIGINFO32_BYTES];
	uint64_t set;
	long ret;
	int sig;

	if (a[3] != 8 || gst_copy_in(&set, a[0], 8) || !(set & g->t->sig.held)) {
		ret = gst_call_wait(g, a);
		if (ret == GST_SIGINT)
			gst_signal_note_interrupt(g);
		return ret;
	}
	sig = __builtin_ctzll(set & g->t->sig.held) + 1;
	g->t->sig.held &= ~GST_BIT(sig);
	gst_siginfo_narrow(info, &g->t->sig.held_info[sig]);
	if (a[1] && gst_copy_out(a[1], info, sizeof(info)))
		return -EFAULT;
	return sig;
}

struct altstack32 {
	uint32_t sp, flags, bytes;
};

long gst_call_sigaltstack32(struct gst *g, const uint64_t *a)
{
	struct gst_altstack set, old;
	struct altstack32 n;
	long ret;

	if (a[0]) {
		if (gst_copy_in(&n, a[0], sizeof(n)))
			return -EFAULT;
		set = (struct gst_altstack){.sp = n.sp, .flags = n.flags, .bytes = n.bytes};
	}
	ret = gst_signal_set_altstack(g, a[0] ? &set : NULL, &old);
	if (ret || !a[1])
		return ret;
	n = (struct altstack32){(uint32_t)old.sp, old.flags, (uint32_t)old.bytes};
	return gst_copy_out(a[1], &n, sizeof(n));
}

long gst_call_sigreturn_old(struct gst *g, const uint64_t *a)
{
	if (gst_frame32_pop(g, 0))
		gst_signal_kernel(g);
	return GST_NO_ANSWER;
}

long gst_call_sigreturn32(struct gst *g, const uint64_t *a)
{
	if (gst_frame32_pop(g, 1))
		gst_signal_kernel(g);
	return GST_NO_ANSWER;
}
