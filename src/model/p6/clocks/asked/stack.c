/* stack.c -- part of unit core: where the clocks went, told at retirement.
 *
 * COUNTING RULES   each clock has three slots, in which micro-ops retire. Slots that stay empty
 *                  before a micro-op are charged to it: those in which it was done already to the
 *                  rule for taken branches; as many as its own execution took beyond the usual to
 *                  the level that served it; the rest to what it waited for last before its
 *                  dispatch: a port, a source (by what makes that late), rename (by what held its
 *                  group, or one before it), fetch and decode (by what held its instruction
 *                  longest). All slots are three times the clocks.
 * MODELLED         on the right path, when somebody asks (RETIREMENT_SLOTS).
 * NOT MODELLED     shares of one slot: one reason has all of it.
 * SOURCES          the accounting is chosen.
 */
#include "model/p6/p6.h"

_Static_assert(WIRE_P6_CORE_SLOT_TAKEN == WIRE_P6_CORE_SLOT_RETIRE + P6_N_SLOTS - 1,
	       "wires in order");

void p6_stack_stall(struct p6 *m, enum p6_why why)
{
	static const uint8_t slot[P6_N_WHY] = {
	    [P6_WHY_PARTIAL] = P6_SLOT_PARTIAL, [P6_WHY_SEGMENT] = P6_SLOT_SEGMENT,
	    [P6_WHY_SERIAL] = P6_SLOT_SERIAL,	[P6_WHY_ROOM] = P6_SLOT_ROOM,
	    [P6_WHY_STATION] = P6_SLOT_STATION, [P6_WHY_READ_PORTS] = P6_SLOT_READ_PORTS,
	};

	m->time.stack.group = slot[why];
}

enum p6_slot p6_stack_level(const struct p6 *m, const struct p6_pend *p)
{
	const struct p6_effect *x = p->effect;

	if (p->uop->kind != P6_U_LOAD)
		return P6_SLOT_LATENCY;
	if (m->time.why == P6_WHY_STORE || (p->step->is_locked && x && x->uc_reads))
		return P6_SLOT_STORE;
	if (!x || !(x->lines | x->walks | x->uc_reads))
		return P6_SLOT_LOAD;
	return x->l2_misses | x->uc_reads | x->walk_misses ? P6_SLOT_MEMORY
	       : x->lines				   ? P6_SLOT_L2
							   : P6_SLOT_WALK;
}

static void charge(struct p6 *m, enum p6_slot slot, uint64_t n)
{
	m->dyn[WIRE_P6_CORE_SLOT_RETIRE + slot] += n;
	m->time.stack.next += n;
}

/* What p waited for last before it was dispatched. */
static enum p6_slot binding(const struct p6 *m, const struct p6_pend *p,
			    const struct p6_stack_uop *u)
{
	const struct p6_stack *s = &m->time.stack;

	if (p->uop->kind != P6_U_RENAME && u->dispatch_clk > u->ready_clk)
		return m->time.why == P6_WHY_STORE ? P6_SLOT_STORE : P6_SLOT_PORT;
	if (u->ready_clk > u->rename_clk + m->time.par.rename_to_dispatch_clk)
		return u->source;
	if (s->group < P6_N_SLOTS && u->rename_clk > p->ready_clk)
		return s->group;
	return p->front;
}

void p6_stack_retire(struct p6 *m, const struct p6_pend *p, const struct p6_stack_uop *u)
{
	struct p6_time *t = &m->time;
	struct p6_stack *s = &t->stack;
	const uint64_t width = t->par.retire_uops;
	const uint64_t own =
	    (t->retire_clk - 1) * width + t->retired - 1u; /* the slot it retires in */
	const uint64_t usual = p->uop->kind == P6_U_LOAD ? t->par.load_clk : p->uop->latency;
	uint64_t late = u->done_clk > u->dispatch_clk + usual
			    ? (u->done_clk - u->dispatch_clk - usual) * width
			    : 0;
	const uint64_t done = u->done_clk * width; /* the first slot in which it could */

	if (done < own && s->next < own) {
		const uint64_t from = p6_later(done, s->next), n = own - from;

		m->dyn[WIRE_P6_CORE_SLOT_TAKEN] += n;
		if (late > from - s->next)
			late = from - s->next;
		charge(m, p6_stack_level(m, p), late);
		charge(m, binding(m, p, u), from - s->next);
		s->next += n;
	} else if (s->next < own) {
		if (late > own - s->next)
			late = own - s->next;
		charge(m, p6_stack_level(m, p), late);
		charge(m, binding(m, p, u), own - s->next);
	}
	charge(m, P6_SLOT_RETIRE, 1);
}

void p6_stack_rep(struct p6 *m, uint64_t ready_clk, uint64_t uops, uint64_t clk)
{
	struct p6_stack *s = &m->time.stack;
	const uint64_t width = m->time.par.retire_uops, end = clk * width;
	const uint64_t front = ready_clk * width;

	if (front > s->next)
		charge(m, s->front, (front < end ? front : end) - s->next);
	charge(m, P6_SLOT_RETIRE, uops < end - s->next ? uops : end - s->next);
	charge(m, uops % width && end - s->next < width ? P6_SLOT_MICROCODE : P6_SLOT_MEMORY,
	       end - s->next);
}
