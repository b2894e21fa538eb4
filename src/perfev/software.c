/* software.c -- counts page faults and context switches. Rules: software.h. */
#include "perfev/software.h"

#include "perfev/sampling.h"
#include "session/faults/touches_ahead.h"

/* One more of `kind`, at pc. */
static void count_event(struct pev_local *l, struct ses_server *s, enum pev_kind kind, uint64_t pc,
			uint64_t addr)
{
	uint64_t *n = kind == PEV_FAULTS ? &l->n_faults : &l->n_switches;

	++*n;
	if (!l->n_sampled)
		return;
	pev_look_on(l, s);
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];

		if (link->n_over && !link->over_pc && pev_is_current(l, link) &&
		    pev_event_of(l, link)->what.kind == kind) {
			link->over_pc = pc;
			link->over_addr = addr;
		}
	}
	pev_overflows(l, s, PEV_NONE, 0);
}

void pev_fault(struct pev_local *l, struct ses_server *s, uint32_t block,
	       const struct ses_touch *touch)
{
	const uint64_t pc = pev_address_of(l, s, block, touch->insn);

	for (uint32_t i = 0; i < touch->n; i++)
		count_event(l, s, PEV_FAULTS, pc,
			    i ? (touch->lin & ~4095ull) + 4096ull * i : touch->lin);
}

void pev_fault_ahead(struct pev_local *l, struct ses_server *s, uint32_t block)
{
	struct ses_touch touch[SES_MOST_TOUCHES];
	struct ses_ahead ahead;
	unsigned n = 0;

	if (!l->touches || !pev_stops_for_faults(l) || !l->now_state || !l->now_state->is_valid)
		return;
	if (ses_ahead_take(&ahead, s, block, l->now_state->is.reg))
		n = ses_ahead_first(l->touches, s, &ahead, touch);
	l->is_ahead = true;
	for (unsigned i = 0; i < n; i++)
		pev_fault(l, s, block, &touch[i]);
	l->is_ahead = false;
}

void pev_switch(struct pev_local *l, struct ses_server *s)
{
	const uint64_t pc =
	    l->last_block == PEV_NONE ? 0 : pev_address_of(l, s, l->last_block, PEV_LAST_INSN);

	count_event(l, s, PEV_SWITCHES, pc, 0);
	if (!l->n_sampled)
		pev_settle(l, s); /* it is the thread's that ran until now */
}
