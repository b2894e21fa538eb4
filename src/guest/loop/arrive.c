/* arrive.c -- the ways into the loop that are no exits of translated code: after a stop inside it,
 * in a new thread, and in a parent whose vfork child has gone. start.S calls them, and leaves to
 * translated code when they return.
 */
#include "guest/signals/step.h"
#include "guest/gst.h"
#include "guest/memory/copy.h"
#include "guest/signals/signal.h"
#include "guest/signals/trap.h"
#include "guest/stream/ring.h"

/* Hosts with addresses of 57 bits show a page fault where the others, and softpmu, have #GP or
 * #SS: for an address near the stack pointer, or the frame pointer, which are the registers of
 * SS. Theirs are no page faults of the kernel's half, either. */
static void narrow(struct gst *g, struct gst_siginfo *info, struct gst_trap *trap)
{
	const uint64_t near = 1ull << 31, *r = g->gs->gpr;
	int is_stack;

	if (trap->number != TRAP_PAGE || g->layout.is_32)
		return;
	if (trap->cr2 >= GST_TASK_END)
		trap->err |= TRAP_PAGE_PRESENT;
	if (gst_is_canonical(trap->cr2))
		return;
	is_stack = trap->cr2 - r[4] + near < 2 * near || trap->cr2 - r[5] + near < 2 * near;
	*info = (struct gst_siginfo){.sig = is_stack ? GST_SIGBUS : GST_SIGSEGV,
				     .code = 0x80 /* SI_KERNEL */};
	*trap = (struct gst_trap){.number = is_stack ? TRAP_STACK : TRAP_PROTECTION};
}

/* The host's handler (signal_host.c) has found the block, put the program's registers in order by
 * the recovery table, noted the stop in g->sig.fault and made the kernel return here. Outside the
 * handler records may be written and questions asked. The first thing is TRC_PARTIAL: how many
 * instructions of the block were executed. Only then comes what the stop was for, so that the model
 * never counts an instruction that did not complete. */
void gst_fault_dispatch(void)
{
	struct gst *g = GST;
	struct gst_fault *f = &g->sig.fault;
	int kind = f->kind;

	f->kind = 0;
	g->t->can_deliver = 0;
	gst_fp_put_back(g);
	if (kind == GST_FAULT_SOURCE) {
		gst_source_changed(g, &g->tab->block[f->block]);
		return;
	}
	g->t->is_midway = kind == GST_FAULT_STORE || kind == GST_FAULT_BREAK;
	if (kind == GST_FAULT_SIGNAL || kind == GST_FAULT_STEP)
		narrow(g, &f->info, &f->trap);
	if (kind == GST_FAULT_STEP)
		gst_step_finish(g);
	if (kind == GST_FAULT_SIGNAL || kind == GST_FAULT_STORE || kind == GST_FAULT_BREAK)
		gst_ring_partial(g, f->block, f->insn, f->is_bumped);
	if (kind == GST_FAULT_STORE)
		gst_pages_drop(g, f->store_lo, f->store_lo + 1, GST_DROP_STORE);
	if (kind == GST_FAULT_SIGNAL)
		gst_signal_force(g, &f->info, &f->trap);
	gst_go(g);
}

void gst_thread_first(void)
{
	gst_go(gst_thread_enter());
}

void gst_vfork_parent(long pid)
{
	struct gst *g = GST;

	gst_vfork_back(g, pid);
	gst_syscall_ends(g, pid);
	gst_ring_word(g, TRC_GO, g->gs->pc);
	gst_go(g);
}
