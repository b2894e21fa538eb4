/* trap_flag.c -- delivers SIGTRAP after each instruction while the program has TF set. Rules:
 * trap_flag.h. */
#include "guest/signals/trap_flag.h"

#include <asm/sigcontext.h>

#include "guest/gst.h"
#include "guest/signals/signal.h"

#define TRAP_TRACE_CODE 2

void gst_trace_leave(struct gst *g)
{
	g->gs->rflags = (g->gs->rflags & ~(uint64_t)EFLAGS_TF) | gst_steps(g);
	g->trace.is_on = gst_steps(g) != 0;
	g->trace.is_inside = 0;
	g->trace.rip = 0;
}

/* The main entry of b, all bits set when it has none. */
static uint64_t main_entry(struct gst *g, const struct shr_block *b)
{
	uint64_t main, indirect;

	return !(b->flags & SHR_BLK_DEAD) && gst_map_find(g, b->pc, &main, &indirect) ? main
										      : ~0ull;
}

/* Returns 1 if rip is an entry of b, where a jump of the program may arrive. The entry after the
 * quantum check is reached from another block only. */
static int is_entry(struct gst *g, const struct shr_block *b, uint64_t rip)
{
	return rip == main_entry(g, b) || (b != g->trace.block && rip == g->code + b->fall_off);
}

/* Returns 1 if instruction r has not begun at code address rip of b. If the entry of b lies in cold
 * code, the first place seen in b comes after the entry has counted; leaving the block takes that
 * back. */
static int is_boundary(struct gst *g, const struct shr_block *b, const struct shr_recover *r,
		       uint64_t rip, uint64_t last)
{
	const uint32_t off = (uint32_t)(rip - g->code - b->code_off);

	if (b != g->trace.block)
		return (b->flags & SHR_BLK_QUANTUM) && r->insn == 0 && rip > main_entry(g, b);
	return rip == last || (r->code == off && r->insn > 0);
}

/* Returns 1 if the JMP that ends b is next. In tier 1 it has no code, because the next block
 * follows. In tier 2 it has: the end of the record. */
static int is_empty_jump(const struct gst *g, const struct shr_block *b, uint64_t rip)
{
	const struct shr_recover *r;

	if (!b || g->ctl->start.tier != SHR_TIER_COUNT ||
	    rip != g->code + b->code_off + b->code_bytes)
		return 0;
	r = gst_recover_at(g, b, b->code_bytes);
	return r && r->code == b->code_bytes && r->insn > 0;
}

void gst_trace_trap(struct gst *g, struct sigcontext *c)
{
	struct gst_trace *t = &g->trace;
	const struct shr_block *b;
	const struct shr_recover *r;
	uint64_t last = t->rip;
	uint32_t off = 0;

	t->rip = c->rip;
	if (c->rip < g->code || c->rip >= g->code + SHR_CODE_BYTES) {
		/* gst_exit_taken knows whether an instruction is complete */
		if (c->rip == (uint64_t)gst_entry)
			c->eflags &= ~(uint64_t)EFLAGS_TF;
		return;
	}
	b = gst_block_at(g, c->rip, &off);
	if (!b)
		return; /* code that blocks share, or cold code */
	if (!t->is_inside) {
		t->is_inside = 1;
		t->block = b;
		return;
	}
	if (b != t->block && is_empty_jump(g, t->block, c->rip)) {
		gst_host_leave_block(g, c, t->block, t->block->code_bytes, GST_FAULT_BREAK);
	} else if (is_entry(g, b, c->rip)) {
		gst_host_leave_head(g, c, b);
	} else {
		r = gst_recover_at(g, b, off);
		/* REP: to the model all iterations are one instruction */
		if (c->rip == last && !g->t->tf)
			return;
		if (!r || !is_boundary(g, b, r, c->rip, last))
			return;
		gst_host_leave_block(g, c, b, off, GST_FAULT_BREAK);
	}
	g->t->is_trap_due = gst_trap_due(g);
}

void gst_trace_break(struct gst *g, struct sigcontext *c)
{
	uint32_t off = 0;
	const struct shr_block *b = gst_block_at(g, --c->rip, &off);

	if (!b)
		gst_refuse(g, "a breakpoint outside of any block", NULL);
	gst_host_leave_block(g, c, b, off, GST_FAULT_BREAK);
	g->t->is_trap_due = GST_TRAP_EVENT | gst_trap_due(g);
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
