/* signal_frame.c -- the frame of a signal handler, built and taken back as the kernel does. */
#include <asm/sigcontext.h>
#include <linux/signal.h>

#include <asm/ucontext.h>

#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "guest/signals/signal32.h"
#include "guest/signals/trap.h"

#define SA_ONSTACK_FLAG	   0x08000000ull
#define SA_RESTORER_FLAG   0x04000000ull
#define SS_ONSTACK_FLAG	   1u
#define SS_DISABLE_FLAG	   2u
#define SS_AUTODISARM_FLAG (1u << 31)
#define RED_ZONE	   128

struct rt_frame {
	uint64_t return_address;
	struct ucontext uc;
	struct gst_siginfo info;
};
_Static_assert(sizeof(struct rt_frame) == 440, "layout of the kernel's rt_sigframe");
_Static_assert(offsetof(struct rt_frame, info) == 312, "layout of the kernel's rt_sigframe");

static int is_within(const struct gst_altstack *a, uint64_t sp)
{
	return sp > a->sp && sp - a->sp <= a->bytes;
}

int gst_is_on_altstack(const struct gst *g, uint64_t sp)
{
	const struct gst_altstack *a = &g->t->sig.alt;

	if (a->flags & SS_AUTODISARM_FLAG)
		return 0;
	return is_within(a, sp);
}

int gst_frame_overflows(struct gst *g, int is_on_alt, uint64_t sp, uint32_t fp_bytes)
{
	const struct gst_altstack *a = &g->t->sig.alt;

	if (!is_on_alt || is_within(a, sp))
		return 0;
	if (is_within(a, sp + fp_bytes - gst_fp_shown_bytes(g)))
		gst_refuse(g,
			   "the program's alternate signal stack is too small for the vector "
			   "registers that it uses and was "
			   "not shown; run it with --isa v3 or --isa v4, which tell it how much "
			   "a frame takes",
			   NULL);
	return 1;
}

/* Registers of the program -> frame. */
static void put_context(struct gst *g, struct sigcontext *c, const struct gst_trap *trap)
{
	const uint64_t *r = g->gs->gpr;

	c->rax = r[0], c->rcx = r[1], c->rdx = r[2], c->rbx = r[3];
	c->rsp = r[4], c->rbp = r[5], c->rsi = r[6], c->rdi = r[7];
	c->r8 = r[8], c->r9 = r[9], c->r10 = r[10], c->r11 = r[11];
	c->r12 = r[12], c->r13 = r[13], c->r14 = r[14], c->r15 = g->gs->guest_r15;
	c->rip = g->gs->pc;
	c->eflags = gst_get_flags(g) | EFLAGS_IF | EFLAGS_ONE;
	c->cs = GST_CODE_64;
	c->ss = 0x2b;
	c->oldmask = g->t->sig.mask;
	c->err = g->t->sig.last.err;
	c->trapno = g->t->sig.last.number;
	c->cr2 = g->t->sig.last.cr2;
	if (trap && !trap_is_behind(trap->number))
		c->eflags |= EFLAGS_RF; /* as the processor pushes it for faults */
}

static void take_context(struct gst *g, const struct sigcontext *c)
{
	uint64_t *r = g->gs->gpr;

	r[0] = c->rax, r[1] = c->rcx, r[2] = c->rdx, r[3] = c->rbx;
	r[4] = c->rsp, r[5] = c->rbp, r[6] = c->rsi, r[7] = c->rdi;
	r[8] = c->r8, r[9] = c->r9, r[10] = c->r10, r[11] = c->r11;
	r[12] = c->r12, r[13] = c->r13, r[14] = c->r14;
	g->gs->guest_r15 = c->r15;
	g->gs->pc = c->rip;
	gst_set_flags(g, (gst_get_flags(g) & ~(uint64_t)EFLAGS_FROM_FRAME) |
			     (c->eflags & EFLAGS_FROM_FRAME));
}

int gst_frame_push(struct gst *g, const struct gst_action *act, const struct gst_siginfo *info,
		   const struct gst_trap *trap)
{
	struct rt_frame f = {.return_address = act->restorer, .info = *info};
	uint64_t sp = g->gs->gpr[4] - RED_ZONE, fp;
	struct gst_altstack *alt = &g->t->sig.alt;
	int is_on_alt = gst_is_on_altstack(g, g->gs->gpr[4]);
	uint32_t fp_bytes;

	if (g->layout.is_32)
		return gst_frame32_push(g, act, info, trap);
	if ((act->flags & SA_ONSTACK_FLAG) && alt->bytes && !(alt->flags & SS_DISABLE_FLAG) &&
	    !is_on_alt) {
		sp = alt->sp + alt->bytes;
		is_on_alt = 1;
	}
	fp_bytes = gst_fp_save(g, (uint8_t *)GST_FP_AREA);
	fp = (sp - fp_bytes) & ~63ull;
	sp = ((fp - sizeof(f)) & ~15ull) - 8;
	if (!(act->flags & SA_RESTORER_FLAG))
		return -EFAULT; /* the kernel wants it on x86-64 */
	if (gst_frame_overflows(g, is_on_alt, sp, fp_bytes))
		return -EFAULT;
	/* FP_XSTATE, SIGCONTEXT_SS, STRICT_SS */
	f.uc.uc_flags = (fp_bytes > GST_FXSAVE_BYTES ? 1 : 0) | 2 | 4;
	memcpy(&f.uc.uc_stack, alt, sizeof(*alt));
	put_context(g, &f.uc.uc_mcontext, trap);
	f.uc.uc_mcontext.fpstate = (void *)fp;
	f.uc.uc_sigmask = g->t->sig.mask;
	if (gst_copy_out(fp, (const void *)GST_FP_AREA, fp_bytes) ||
	    gst_copy_out(sp, &f, sizeof(f)))
		return -EFAULT;
	gst_fp_load(g, NULL);
	if (alt->flags & SS_AUTODISARM_FLAG)
		*alt = (struct gst_altstack){.flags = SS_DISABLE_FLAG};
	g->gs->gpr[4] = sp;
	g->gs->gpr[0] = 0;
	g->gs->gpr[7] = (uint64_t)info->sig;
	g->gs->gpr[6] = sp + offsetof(struct rt_frame, info);
	g->gs->gpr[2] = sp + offsetof(struct rt_frame, uc);
	g->gs->pc = act->handler;
	g->t->is_trap_due = 0;
	gst_set_flags(g, gst_get_flags(g) & ~(uint64_t)EFLAGS_CLEARED_FOR_HANDLER);
	return 0;
}

/* The vector state of a frame, or the initial one when the frame has none. */
static int pop_fp(struct gst *g, uint64_t fp)
{
	uint8_t *area = (uint8_t *)GST_FP_AREA;
	int ret = fp ? gst_fp_fetch(g, area, fp) : 0;

	gst_fp_load(g, fp && !ret ? area : NULL);
	return ret;
}

int gst_frame_pop(struct gst *g)
{
	struct rt_frame f;
	struct gst_altstack alt;
	uint64_t handler_sp = g->gs->gpr[4];

	if (gst_copy_in(&f, g->gs->gpr[4] - 8, sizeof(f)))
		return -EFAULT;
	g->t->sig.mask = f.uc.uc_sigmask & ~GST_UNBLOCKABLE;
	gst_signal_host_mask(g);
	take_context(g, &f.uc.uc_mcontext);
	if (pop_fp(g, (uint64_t)f.uc.uc_mcontext.fpstate))
		return -EFAULT;
	memcpy(&alt, &f.uc.uc_stack, sizeof(alt));
	alt.flags &= ~SS_ONSTACK_FLAG;
	if (!gst_is_on_altstack(g, handler_sp)) /* as sigaltstack: not while standing on it */
		g->t->sig.alt = alt;
	gst_ring_word(g, TRC_GO, g->gs->pc);
	if ((f.uc.uc_mcontext.cs | 3u) == GST_CODE_SELECTOR)
		gst_refuse(g,
			   "a signal handler of the program returns to 32-bit code, which "
			   "softpmu does not support",
			   NULL);
	if ((f.uc.uc_mcontext.cs | 3u) != GST_CODE_64)
		gst_signal_no_return(g, f.uc.uc_mcontext.cs);
	return 0;
}
