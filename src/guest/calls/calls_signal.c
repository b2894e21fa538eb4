/* calls_signal.c -- system calls about signals. The rules are in signal.h. */
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define SS_ONSTACK_FLAG	   1u
#define SS_DISABLE_FLAG	   2u
#define SS_AUTODISARM_FLAG (1u << 31)
#define LEAST_STACK	   2048u

long gst_signal_set_action(struct gst *g, int sig, const struct gst_action *act)
{
	struct gst_action old = gst_process_actions(g)[sig];
	long ret;

	if (GST_BIT(sig) & GST_UNBLOCKABLE)
		return -EINVAL;
	gst_process_actions(g)[sig] = *act;
	gst_process_actions(g)[sig].mask &= ~GST_UNBLOCKABLE;
	ret = gst_signal_host_action(g, sig);
	if (ret)
		gst_process_actions(g)[sig] = old;
	else if (act->handler == 1)
		g->t->sig.held &= ~GST_BIT(sig);
	return ret;
}

long gst_call_sigaction(struct gst *g, const uint64_t *a)
{
	struct gst_action act, old;
	int sig = (int)a[0];
	long ret;

	if (a[3] != 8 || sig < 1 || sig > GST_N_SIGNALS)
		return -EINVAL;
	old = gst_process_actions(g)[sig];
	if (a[1]) {
		if (gst_copy_in(&act, a[1], sizeof(act)))
			return -EFAULT;
		ret = gst_signal_set_action(g, sig, &act);
		if (ret)
			return ret;
	}
	if (a[2] && gst_copy_out(a[2], &old, sizeof(old)))
		return -EFAULT;
	return 0;
}

long gst_call_sigprocmask(struct gst *g, const uint64_t *a)
{
	uint64_t old = g->t->sig.mask, set;

	if (a[3] != 8)
		return -EINVAL;
	if (a[1]) {
		if (gst_copy_in(&set, a[1], 8))
			return -EFAULT;
		set &= ~GST_UNBLOCKABLE;
		switch ((int)a[0]) {
		case 0: g->t->sig.mask |= set; break;
		case 1: g->t->sig.mask &= ~set; break;
		case 2: g->t->sig.mask = set; break;
		default: return -EINVAL;
		}
		if (g->t->sig.mask != old)
			gst_signal_host_mask(g);
	}
	if (a[2] && gst_copy_out(a[2], &old, 8))
		return -EFAULT;
	return 0;
}

long gst_call_sigreturn(struct gst *g, const uint64_t *a)
{
	if (gst_frame_pop(g))
		gst_signal_kernel(g);
	return GST_NO_ANSWER;
}

long gst_call_sigpending(struct gst *g, const uint64_t *a)
{
	uint64_t set = 0;
	long ret;

	if (a[1] > 8)
		return -EINVAL;
	ret = SYS2(rt_sigpending, &set, 8);
	set |= g->t->sig.held;
	if (ret == 0 && gst_copy_out(a[0], &set, a[1]))
		return -EFAULT;
	return ret;
}

/* A held signal that is waited for is taken at once, else the kernel waits. */
long gst_call_sigtimedwait(struct gst *g, const uint64_t *a)
{
	uint64_t set;
	long ret;

	if (a[3] == 8 && gst_copy_in(&set, a[0], 8) == 0 && (set & g->t->sig.held)) {
		int sig = __builtin_ctzll(set & g->t->sig.held) + 1;

		g->t->sig.held &= ~GST_BIT(sig);
		if (a[1] && gst_copy_out(a[1], &g->t->sig.held_info[sig], 128))
			return -EFAULT;
		return sig;
	}
	ret = gst_call_wait(g, a);
	if (ret == GST_SIGINT)
		gst_signal_note_interrupt(g);
	return ret;
}

uint64_t gst_call_mask(struct gst *g, uint64_t *mask)
{
	const uint64_t set = *mask & ~GST_UNBLOCKABLE;

	*mask = (set & ~GST_SYNC_SIGNALS) | g->t->sig.quiet;
	return set;
}

long gst_call_masked(struct gst *g, const uint64_t *words, uint64_t set)
{
	/* a held signal that the mask lets in comes at once */
	long ret = g->t->sig.held & ~set ? -EINTR : gst_call_wait(g, words + 1);

	if (ret != -EINTR)
		return ret;
	g->t->sig.call_mask = set;
	g->t->sig.has_call_mask = 1;
	if (!gst_signal_waits(g))
		g->t->sig.has_call_mask = 0;
	return ret;
}

long gst_call_with_mask(struct gst *g, const uint64_t *a, int at, uint64_t *mask)
{
	const uint64_t set = gst_call_mask(g, mask);
	uint64_t words[7];

	memcpy(words, a - 1, sizeof(words));
	words[1 + at] = g->layout.is_32 ? gst_low_copy(g, mask, 8) : (uint64_t)mask;
	return gst_call_masked(g, words, set);
}

long gst_call_sigsuspend(struct gst *g, const uint64_t *a)
{
	uint64_t mask;

	if (a[1] != 8)
		return -EINVAL;
	if (gst_copy_in(&mask, a[0], 8))
		return -EFAULT;
	return gst_call_with_mask(g, a, 0, &mask);
}

static long pass_or_mask(struct gst *g, const uint64_t *a, int at)
{
	uint64_t mask;

	if (!a[at])
		return gst_call_wait(g, a);
	if (gst_copy_in(&mask, a[at], 8))
		return -EFAULT;
	return gst_call_with_mask(g, a, at, &mask);
}

long gst_call_ppoll(struct gst *g, const uint64_t *a)
{
	return pass_or_mask(g, a, 3);
}

long gst_call_epoll_pwait(struct gst *g, const uint64_t *a)
{
	return pass_or_mask(g, a, 4);
}

long gst_call_pselect(struct gst *g, const uint64_t *a)
{
	uint64_t pair[2], mask, set, words[7];

	if (!a[5])
		return gst_call_wait(g, a);
	if (gst_copy_in(pair, a[5], sizeof(pair)))
		return -EFAULT;
	if (!pair[0])
		return gst_call_wait(g, a);
	if (gst_copy_in(&mask, pair[0], 8))
		return -EFAULT;
	set = gst_call_mask(g, &mask);
	pair[0] = (uint64_t)&mask;
	memcpy(words, a - 1, sizeof(words));
	words[6] = (uint64_t)pair;
	return gst_call_masked(g, words, set);
}

long gst_signal_set_altstack(struct gst *g, const struct gst_altstack *set,
			     struct gst_altstack *shown)
{
	struct gst_altstack old = g->t->sig.alt, new;
	uint64_t sp = g->gs->gpr[4];
	int is_on = !(old.flags & SS_AUTODISARM_FLAG) && old.bytes && sp > old.sp &&
		    sp - old.sp <= old.bytes;

	if (set) {
		new = *set;
		if (is_on)
			return -EPERM;
		switch (new.flags & ~SS_AUTODISARM_FLAG) {
		case SS_DISABLE_FLAG: new.sp = new.bytes = 0; break;
		case 0:
		case SS_ONSTACK_FLAG:
			if (new.bytes < LEAST_STACK)
				return -ENOMEM;
			break;
		default: return -EINVAL;
		}
		new.zero = 0;
		g->t->sig.alt = new;
	}
	old.flags = (old.flags & SS_AUTODISARM_FLAG) | (!old.bytes ? SS_DISABLE_FLAG
							: is_on	   ? SS_ONSTACK_FLAG
								   : 0);
	*shown = old;
	return 0;
}

long gst_call_sigaltstack(struct gst *g, const uint64_t *a)
{
	struct gst_altstack set, old;
	long ret;

	if (a[0] && gst_copy_in(&set, a[0], sizeof(set)))
		return -EFAULT;
	ret = gst_signal_set_altstack(g, a[0] ? &set : NULL, &old);
	return ret || !a[1] ? ret : gst_copy_out(a[1], &old, sizeof(old));
}
