/* step.c -- executes one instruction where it is in the program, by single step. Rules: step.h.
 * Its pages are executable during that step alone. */
#include "guest/signals/step.h"

#include <asm/sigcontext.h>
#include <linux/signal.h>

#include <asm/ucontext.h>

#include "guest/gst.h"
#include "guest/signals/signal.h"

#define LONGEST 15u

extern const char gst_step_trap[];
__attribute__((noreturn)) void gst_step_enter(void);

/* Give the pages of the instruction PROT_EXEC in the host, or take it away again. */
static long set_executable(struct gst *g, uint64_t pc, int is_on)
{
	for (uint64_t at = GST_PAGE_DOWN(pc); at <= pc + LONGEST - 1; at += GST_PAGE) {
		const struct gst_vma *v = gst_vma_find(&g->vmas, at);
		const struct gst_page *p = gst_page_find(g, at);
		uint32_t prot;
		long ret;

		if (!v || !(v->prot & PROT_EXEC) || v->kind == GST_VMA_ENGINE)
			continue;
		prot = (v->prot & PROT_WRITE) && !(p && (p->flags & GST_PAGE_GUARDED)) ? PROT_WRITE
										       : 0;
		prot |= PROT_READ | (is_on ? PROT_EXEC : 0);
		ret = SYS3(mprotect, at, GST_PAGE, prot);
		if (ret)
			return ret;
	}
	return 0;
}

void gst_step_begin(struct gst *g, uint32_t block, uint64_t pc)
{
	if (set_executable(g, pc, 1))
		gst_refuse(g,
			   "the program executes an instruction that softpmu does not know, and "
			   "this host "
			   "does not allow to execute it natively",
			   NULL);
	g->step.is_on = 1;
	g->step.block = block;
	g->step.pc = pc;
	gst_step_enter();
}

int gst_step_starts(struct gst *g, struct ucontext *uc)
{
	struct sigcontext *c = &uc->uc_mcontext;
	const uint64_t *r = g->gs->gpr;

	if (c->rip != (uint64_t)gst_step_trap)
		return 0;
	c->rax = r[0], c->rcx = r[1], c->rdx = r[2], c->rbx = r[3];
	c->rsp = r[4], c->rbp = r[5], c->rsi = r[6], c->rdi = r[7];
	c->r8 = r[8], c->r9 = r[9], c->r10 = r[10], c->r11 = r[11];
	c->r12 = r[12], c->r13 = r[13], c->r14 = r[14], c->r15 = g->gs->guest_r15;
	c->rip = g->step.pc;
	c->eflags = g->gs->rflags | EFLAGS_TF;
	uc->uc_sigmask = ~GST_SYNC_SIGNALS;
	return 1;
}

void gst_step_ends(struct gst *g, struct ucontext *uc, const struct gst_siginfo *info)
{
	struct sigcontext *c = &uc->uc_mcontext;
	struct gst_fault *f = &g->sig.fault;
	uint64_t *r = g->gs->gpr;

	r[0] = c->rax, r[1] = c->rcx, r[2] = c->rdx, r[3] = c->rbx;
	r[4] = c->rsp, r[5] = c->rbp, r[6] = c->rsi, r[7] = c->rdi;
	r[8] = c->r8, r[9] = c->r9, r[10] = c->r10, r[11] = c->r11;
	r[12] = c->r12, r[13] = c->r13, r[14] = c->r14;
	g->gs->guest_r15 = c->r15;
	g->gs->rflags = c->eflags & ~(uint64_t)(EFLAGS_TF | EFLAGS_RF);
	g->gs->pc = c->rip;
	g->step.is_on = 0;
	f->kind = GST_FAULT_STEP;
	f->info = *info;
	f->trap.err = c->err;
	f->trap.number = c->trapno;
	f->trap.cr2 = c->cr2;
}

void gst_step_finish(struct gst *g)
{
	struct gst_fault *f = &g->sig.fault;

	set_executable(g, g->step.pc, 0);
	gst_signal_host_mask(g);
	if (f->info.sig != GST_SIGTRAP) {
		gst_take_back(g, g->step.block);
		gst_signal_force(g, &f->info, &f->trap);
	} else {
		gst_ring_word(g, TRC_GO, g->gs->pc);
		g->t->is_trap_due = gst_trap_due(g);
	}
}
