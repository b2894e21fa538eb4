#include "guest/trap_flag.h"

#include <asm/sigcontext.h>

#include "guest/gst.h"
#include "guest/signal.h"

#define TRAP_TRACE_CODE 2

void gst_trace_leave(struct gst *g)
{
	g->gs->rflags = (g->gs->rflags & ~(uint64_t)EFLAGS_TF) | gst_steps(g);
	g->trace.is_on = gst_steps(g) != 0;
	g->trace.is_inside = 0;
	g->trace.rip = 0;
}

/* Where a jump of the program may arrive in b, with nothing of it done. The entry behind the look at the quantum
 * is reached from another block only. */
static int is_entry(struct gst *g, const struct shr_block *b, uint64_t rip)
{
	uint64_t main, indirect;

	if (b != g->trace.block && rip == SHR_CODE_BASE + b->fall_off)
		return 1;
	return !(b->flags & SHR_BLK_DEAD) && gst_map_find(g->tab, b->pc, &main, &indirect) && main == rip;
}

void gst_trace_trap(struct gst *g, struct sigcontext *c)
{
	struct gst_trace *t = &g->trace;
	const struct shr_block *b;
	const struct shr_recover *r;
	uint64_t last = t->rip;
	uint32_t off = 0;

	t->rip = c->rip;
	if (c->rip < SHR_CODE_BASE || c->rip >= SHR_CODE_BASE + SHR_CODE_BYTES) {
		if (c->rip == (uint64_t)gst_entry) /* gst_dispatch knows whether an instruction is complete */
			c->eflags &= ~(uint64_t)EFLAGS_TF;
		return;
	}
	b = gst_block_at(g, c->rip, &off);
	if (!t->is_inside) {
		t->is_inside = 1;
		t->block = b;
		return;
	}
	if (!b)
		return; /* code that blocks share */
	if (is_entry(g, b, c->rip)) {
		gst_host_leave_head(g, c, b);
	} else {
		r = gst_recover_at(g, b, off);
		if (b != t->block || !r || (c->rip != last && (r->code != off || r->insn == 0)))
			return;
		gst_host_leave_block(g, c, b, off, GST_FAULT_BREAK);
	}
	g->t->is_trap_due = gst_trap_due(g);
}

int gst_trace_deliver(struct gst *g)
{
	const int due = g->t->is_trap_due;

	g->t->is_trap_due = 0;
	if (due & GST_TRAP_EVENT)
		gst_event_credit(g, REQ_PERF_NO_BLOCK);
	if (!(due & GST_TRAP_PROGRAM))
		return 0;
	gst_signal_raise(g, GST_SIGTRAP, TRAP_TRACE_CODE, g->gs->pc);
	return 1;
}
