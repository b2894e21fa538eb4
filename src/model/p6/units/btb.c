/* btb.c -- unit btb: CALL and RET of a machine that is wrong on purpose (--mutate). All else is in
 * btb_inline.h.
 *
 * COUNTING RULES   as btb_inline.h.
 */
#include "model/p6/units/btb.h"
#include "model/p6/p6.h"

void p6_broken_push(struct p6 *m, uint64_t fall)
{
	if (m->rules.broken != P6_RULE_RSB_FULL || m->btb.rsb.depth < m->btb.rsb.size)
		rsb_push(&m->btb.rsb, fall);
}

uint64_t p6_broken_pop(struct p6 *m, uint64_t next)
{
	struct rsb *const r = &m->btb.rsb;

	if (m->rules.broken == P6_RULE_RSB_EMPTY && !r->depth)
		return next;
	if (m->rules.broken != P6_RULE_RSB_NEWEST || !r->depth)
		return rsb_pop(r);
	r->depth--;
	return r->entry[(r->top + r->size - r->depth) % r->size];
}
