/* signal_host.c -- the runtime's handler: what the kernel interrupts, and where it goes on.
 *
 * Runs on the runtime's own signal stack with everything blocked. It never writes records and never
 * waits: it notes what happened and lets the kernel return to a place that does the work.
 *
 * Where the signal found the thread decides what is done:
 *   translated code, a fault     the block is left by the recovery table, for fault.c
 *   translated code, no fault    gs.limit becomes 0, so the next block head that compares it leaves
 *                                (stream); or single steps lead to the next head (counts)
 *   around the runtime's SYSCALL the thread is moved to "not started" or "restarts": otherwise it
 *                                would sleep in the kernel although a signal waits
 *   on the way back to the code  it turns round (gst_relook)
 *   copying program memory       the copy returns -EFAULT
 *   elsewhere in the runtime     the signal waits; a fault there ends the run with a sentence
 */
#include <asm/sigcontext.h>
#include <linux/signal.h>

#include <asm/ucontext.h>

#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/child.h"
#include "guest/signals/signal.h"

#define ERR_WRITE 2u
#define INT_BYTES 2u /* of INT 80h */

extern const char gst_call_first[], gst_call_insn[], gst_call_end[], gst_call_not_started[],
    gst_call_restarts[];
extern const char gst_call32_first[], gst_call32_insn[], gst_call32_not_started[],
    gst_call32_restarts[];
extern const char gst_leave_end[], gst_relook[], gst_after_fault[];

static int is_in(uint64_t at, const char *lo, const char *hi)
{
	return at >= (uint64_t)lo && at < (uint64_t)hi;
}

static int is_in_code(uint64_t rip)
{
	return rip >= GST->code && rip < GST->code + SHR_CODE_BYTES;
}

static void go_to(struct sigcontext *c, const char *to)
{
	c->rip = (uint64_t)to;
	c->rsp = GST->gs->rt_stack;
	c->eflags &= ~(uint64_t)(EFLAGS_TF | EFLAGS_DF | EFLAGS_AC);
}

/* Registers as the kernel saved them -> struct shr_gs. */
static void take_registers(struct gst *g, const struct sigcontext *c)
{
	uint64_t *r = g->gs->gpr;

	r[0] = c->rax, r[1] = c->rcx, r[2] = c->rdx, r[3] = c->rbx;
	r[4] = c->rsp, r[5] = c->rbp, r[6] = c->rsi, r[7] = c->rdi;
	r[8] = c->r8, r[9] = c->r9, r[10] = c->r10, r[11] = c->r11;
	r[12] = c->r12, r[13] = c->r13, r[14] = c->r14, r[15] = c->r15;
	g->gs->rflags = c->eflags & ~(uint64_t)(EFLAGS_TF | EFLAGS_RF);
	gst_take_r15(g, c->r15);
}

/* Leave translated code in the middle of b: registers, pc, and how much of b's record is true. */
void gst_host_leave_block(struct gst *g, struct sigcontext *c, const struct shr_block *b,
			  uint32_t off, int kind)
{
	const struct shr_recover *r = gst_recover_at(g, b, off);
	struct gst_fault *f = &g->sig.fault;

	if (!r)
		gst_refuse(g, "a fault in translated code outside any instruction", NULL);
	take_registers(g, c);
	gst_undo_state(g, r->state, b);
	g->gs->pc = b->pc + r->pc_off;
	f->kind = kind;
	f->block = (uint32_t)(b - g->tab->block);
	f->insn = r->insn;
	f->is_bumped = (r->state & SHR_ST_BUMPED) != 0;
	go_to(c, gst_after_fault);
}

void gst_host_leave_head(struct gst *g, struct sigcontext *c, const struct shr_block *b)
{
	take_registers(g, c);
	g->gs->pc = b->pc;
	g->sig.fault.kind = GST_FAULT_STOP;
	go_to(c, gst_after_fault);
}

/* A store hit a page that is read-only because code was translated from it. Returns 1 when done. */
static int is_guarded_store(struct gst *g, struct sigcontext *c, const struct gst_siginfo *info)
{
	const struct gst_page *p;

	if (info->sig != GST_SIGSEGV || info->code != 2 /* SEGV_ACCERR */ || !(c->err & ERR_WRITE))
		return 0;
	p = gst_page_find(g, info->addr);
	return p && (p->flags & GST_PAGE_GUARDED);
}

/* Returns 1 if b faulted because its source, which its head compares, is no longer mapped. Then
 * leaves the block, with the registers that the comparison uses put back. */
static int is_source_gone(struct gst *g, struct sigcontext *c, const struct shr_block *b,
			  uint32_t off, const struct gst_siginfo *info)
{
	const unsigned state = SHR_ST_RCX | SHR_ST_RAX;
	const struct shr_recover *r = gst_recover_at(g, b, off);

	if (!(b->flags & SHR_BLK_CHECK) || !r || r->insn || r->state != state ||
	    info->addr < b->pc || info->addr >= b->pc + b->guest_bytes)
		return 0;
	gst_host_leave_block(g, c, b, off, GST_FAULT_SOURCE);
	return 1;
}

static void on_fault(struct gst *g, struct sigcontext *c, const struct gst_siginfo *info)
{
	struct gst_fault *f = &g->sig.fault;
	uint32_t off = 0;
	const struct shr_block *b = gst_block_at(g, c->rip, &off);

	if (!b)
		gst_refuse(g, "a fault in translated code outside any block", NULL);
	if (is_guarded_store(g, c, info)) {
		gst_host_leave_block(g, c, b, off, GST_FAULT_STORE);
		f->store_lo = info->addr;
		return;
	}
	if (is_source_gone(g, c, b, off, info))
		return;
	gst_host_leave_block(g, c, b, off, GST_FAULT_SIGNAL);
	f->info = *info;
	f->trap.err = c->err;
	f->trap.number = c->trapno;
	f->trap.cr2 = c->cr2;
	if (info->sig != GST_SIGSEGV && info->sig != GST_SIGBUS)
		f->info.addr = g->gs->pc;
	if (info->sig == GST_SIGSEGV && info->code == 2) {
		const struct gst_vma *v = gst_vma_find(&g->vmas, info->addr);

		if (!v || v->kind == GST_VMA_ENGINE)
			f->info.code = 1; /* to the program nothing is mapped there */
	}
}

/* True when rip is the head of a block, before anything in it was executed. */
static int is_block_head(struct gst *g, uint64_t rip)
{
	uint32_t off;
	uint64_t main, indirect;
	const struct shr_block *b = gst_block_at(g, rip, &off);

	return b && !(b->flags & SHR_BLK_DEAD) && gst_map_find(g, b->pc, &main, &indirect) &&
	       main == rip;
}

/* Counts only: translated code does not look at the limit, so single steps find the next head. */
static void step_to_head(struct gst *g, struct sigcontext *c)
{
	uint32_t off;

	if (g->sig.is_stepping && c->rip == g->sig.step_rip) { /* REP: one step is one iteration */
		const struct shr_block *b = gst_block_at(g, c->rip, &off);

		g->sig.is_stepping = 0;
		c->eflags &= ~(uint64_t)EFLAGS_TF;
		if (b)
			gst_host_leave_block(g, c, b, off, GST_FAULT_BREAK);
		return;
	}
	g->sig.step_rip = c->rip;
	if (is_in_code(c->rip) && !is_block_head(g, c->rip)) {
		g->sig.is_stepping = 1;
		c->eflags |= EFLAGS_TF;
		return;
	}
	g->sig.is_stepping = 0;
	c->eflags &= ~(uint64_t)EFLAGS_TF;
	if (is_in_code(c->rip))
		gst_host_leave_head(g, c, gst_block_at(g, c->rip, &off));
}

static void note_access(struct gst_thread *t, const struct sigcontext *c,
			const struct gst_siginfo *info)
{
	t->sig.access.info = *info;
	t->sig.access.trap = (struct gst_trap){.err = c->err, .number = c->trapno, .cr2 = c->cr2};
}

static void on_fault_in_runtime(struct gst *g, struct gst_thread *me, struct sigcontext *c,
				const struct gst_siginfo *info)
{
	char text[120];
	struct gst_text t;

	if ((c->rip >= (uint64_t)gst_copy_first && c->rip <= (uint64_t)gst_copy_last) ||
	    (c->rip >= (uint64_t)gst_compare_first && c->rip <= (uint64_t)gst_compare_last) ||
	    (me->sig.fetch && c->rip == me->sig.fetch)) {
		note_access(me, c, info);
		c->rip = (uint64_t)gst_copy_failed;
		return;
	}
	/* INT 80h is closed: gst_has_int80() learns that from this answer */
	if (c->rip == (uint64_t)gst_call32_insn) {
		c->rax = (uint64_t)-ENOSYS;
		c->rip += INT_BYTES;
		return;
	}
	gst_text_start(&t, text, sizeof(text));
	gst_text_add(&t, "the runtime in the program's process failed: signal ");
	gst_text_dec(&t, info->sig);
	gst_text_add(&t, " at ");
	gst_text_hex(&t, c->rip, 12);
	gst_text_add(&t, ", address ");
	gst_text_hex(&t, c->cr2, 1);
	gst_refuse(g, text, NULL);
}

/* A call of the program that the kernel has not begun, or would begin anew. */
static int stop_call(struct sigcontext *c)
{
	int is_restart = c->rip == (uint64_t)gst_call_insn && c->rcx == (uint64_t)gst_call_end;

	if (c->rip >= (uint64_t)gst_call32_first && c->rip <= (uint64_t)gst_call32_insn) {
		is_restart = c->rip == (uint64_t)gst_call32_insn && !(c->rax >> 32);
		c->rip = (uint64_t)(is_restart ? gst_call32_restarts : gst_call32_not_started);
		return 1;
	}
	if (c->rip < (uint64_t)gst_call_first || c->rip > (uint64_t)gst_call_insn)
		return 0;
	c->rip = (uint64_t)(is_restart ? gst_call_restarts : gst_call_not_started);
	return 1;
}

/* A signal waits for thread t: make the program come to a boundary. */
static void stop_program(struct gst *g, struct gst_thread *t, struct ucontext *uc,
			 const struct gst_siginfo *info)
{
	struct sigcontext *c = &uc->uc_mcontext;

	t->sig.info = *info;
	*(volatile int *)&t->sig.waits = info->sig;
	uc->uc_sigmask = ~GST_SYNC_SIGNALS;
	if (g->t != t) {
		if (!stop_call(c)) /* it sees the signal when its turn comes */
			gst_sched_interrupt(g, t);
		return;
	}
	*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 1;
	*(volatile uint64_t *)&g->gs->limit = 0;
	if (is_in(c->rip, (const char *)gst_leave, gst_leave_end)) {
		go_to(c, gst_relook);
	} else if (stop_call(c)) {
		return;
	} else if (is_in_code(c->rip) && g->ctl->start.tier == SHR_TIER_COUNT && !g->trace.is_on) {
		step_to_head(g, c);
	}
}

/* Note an asynchronous signal and make the program come to a boundary. */
static void on_async(struct gst *g, struct gst_thread *t, struct ucontext *uc,
		     const struct gst_siginfo *info)
{
	int sig = info->sig;

	if ((GST_BIT(sig) & GST_SYNC_SIGNALS) && (t->sig.waits || (t->sig.mask & GST_BIT(sig)))) {
		if (!(t->sig.held & GST_BIT(sig))) /* the first of several stays */
			t->sig.held_info[sig] = *info;
		t->sig.held |= GST_BIT(sig);
		return;
	}
	if (g->t != t && gst_signal_is_harmless(t, sig))
		return;
	if (gst_child_defer(g, t, info)) {
		uc->uc_sigmask |= GST_BIT(GST_SIGCHLD);
		stop_call(&uc->uc_mcontext);
		return;
	}
	stop_program(g, t, uc, info);
}

/* Returns 1 for the signal by which softpmu asks the program to come to a boundary. */
static int is_kick(const struct gst_siginfo *info)
{
	uint64_t value;

	memcpy(&value, info->rest, sizeof(value));
	return info->sig == SHR_KICK_SIGNAL && info->code == SI_QUEUE && value == SHR_KICK_VALUE;
}

/* Returns 1 when a SIGTRAP that was sent has taken the place of a breakpoint's, which the kernel
 * dropped because one of that number was pending. */
static int has_swallowed(const struct gst *g, const struct sigcontext *c)
{
	const uint64_t behind = g->ctl->behind_stop;

	return behind && c->rip == g->code + behind;
}

/* For the thread that runs; softpmu repeats it when another one does by now. */
static void on_kick(struct gst *g, struct gst_thread *t, struct ucontext *uc)
{
	const struct gst_siginfo info = {.sig = GST_KICK};

	if (g->t == t && !t->sig.waits)
		stop_program(g, t, uc, &info);
}

void gst_host_signal(int sig, struct gst_siginfo *info, void *context)
{
	struct gst *g = GST;
	struct ucontext *uc = context;
	struct sigcontext *c = &uc->uc_mcontext;
	struct gst_thread *t = gst_thread_at((uint64_t)__builtin_frame_address(0));
	int is_holder = g->t == t;

	if (is_kick(info) || gst_child_is_over(t, info)) {
		on_kick(g, t, uc);
		return;
	}
	if (info->code == GST_SI_PERF) {
		info->code = GST_TRAP_PERF;
		on_async(g, t, uc, info);
		return;
	}
	if (info->code == GST_SI_KILL)
		info->code = 0;
	if (info->code == GST_SI_KERNEL)
		info->code = 0x80;
	if (sig == GST_SIGINT)
		gst_signal_note_interrupt(g);
	if (is_holder && g->step.is_on && (GST_BIT(sig) & GST_SYNC_SIGNALS) && info->code > 0) {
		if (gst_step_starts(g, uc))
			return;
		gst_step_ends(g, uc, info);
		go_to(c, gst_after_fault);
	} else if (is_holder && sig == GST_SIGTRAP && info->code == 0x80 &&
		   is_in_code(c->rip - 1)) {
		gst_trace_break(g, c);
	} else if (is_holder && sig == GST_SIGTRAP && g->trace.is_on &&
		   info->code == 2 /* TRAP_TRACE */) {
		gst_trace_trap(g, c);
	} else if (is_holder && sig == GST_SIGTRAP && g->sig.is_stepping &&
		   info->code == 2 /* TRAP_TRACE */) {
		step_to_head(g, c);
	} else if (!(GST_BIT(sig) & GST_SYNC_SIGNALS) || info->code <= 0) {
		if (is_holder && sig == GST_SIGTRAP && has_swallowed(g, c))
			gst_trace_break(g, c);
		on_async(g, t, uc, info);
	} else if (is_in_code(c->rip)) {
		on_fault(g, c, info);
	} else {
		on_fault_in_runtime(g, t, c, info);
	}
}
