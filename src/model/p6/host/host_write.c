/* host_write.c -- the pieces of host_write.h: jumps to the cold part, and what references did. */
#include "model/p6/host/host_write.h"

#include <stddef.h>

#include "model/p6/host/host_slot.h"
#include "model/p6/host/host_ledger.h"
#include "model/p6/clocks/time_key.h"

void p6_write_machine(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	x86_lea(a, RDI, NEAR(a, w->m));
}

void p6_write_call(struct p6_writer *w, enum p6_host_helper helper)
{
	struct x86_asm *a = &w->a;

	x86_call_by(a, NEAR(a, &w->m->host.helper[helper]));
}

/* A new piece of the cold part, which helper does with argument; NULL: there are too many. */
static struct p6_cold *new_cold(struct p6_writer *w, enum p6_host_helper helper, uint32_t argument,
				enum p6_cold_kind kind)
{
	struct p6_cold *c = &w->cold[w->n_cold];

	if (w->n_cold == P6_MAX_COLD) {
		w->a.is_bad = true;
		return NULL;
	}
	w->n_cold++;
	*c = (struct p6_cold){.argument = argument,
			      .helper = (uint8_t)helper,
			      .kind = (uint8_t)kind,
			      .base_slot = w->base_slot};
	return c;
}

void p6_write_jcc_cold(struct p6_writer *w, enum x86_cc cc, enum p6_host_helper helper,
		       uint32_t argument, enum p6_cold_kind kind)
{
	struct p6_cold *c = new_cold(w, helper, argument, kind);

	if (!c)
		return;
	x86_jcc(&w->a, cc, &c->way_in[0]);
	x86_land(&w->a, &c->again);
}

void p6_write_jmp_cold(struct p6_writer *w, enum p6_host_helper helper, uint32_t argument,
		       enum p6_cold_kind kind)
{
	struct p6_cold *c = new_cold(w, helper, argument, kind);

	if (!c)
		return;
	x86_jmp(&w->a, &c->way_in[0]);
	x86_land(&w->a, &c->again);
}

void p6_write_jcc_same(struct p6_writer *w, enum x86_cc cc)
{
	if (w->n_cold)
		x86_jcc(&w->a, cc, &w->cold[w->n_cold - 1].way_in[1]);
}

void p6_write_jcc_in_order(struct p6_writer *w, enum x86_cc cc)
{
	x86_jcc(&w->a, cc, &w->in_order);
	w->has_order = true;
}

void p6_write_come_back(struct p6_writer *w, unsigned from)
{
	for (unsigned i = from; i < w->n_cold; i++)
		x86_land(&w->a, &w->cold[i].back);
}

bool p6_write_says(const struct p6_writer *w)
{
	return w->m->log.is_on || w->m->ledger;
}

void p6_write_log(struct p6_writer *w, uint32_t bits, uint32_t did)
{
	struct x86_asm *a = &w->a;

	if (w->m->log.is_on)
		x86_or(a, DWORD(NEAR(a, &w->m->log.code)), IMM(bits));
	else if (w->m->ledger)
		x86_or(a, DWORD(NEAR(a, &w->m->host.did)), IMM(did));
}

void p6_write_log_part(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;
	struct p6_log_writer *t = &w->m->log;
	struct x86_label more = {0}, full = {0};

	_Static_assert(P6_LOG_MORE == 1u << 31 && P6_LOG_CODE_AT == 32 && P6_LOG_WHICH_AT == 48 &&
			   P6_LOG_REF == 0,
		       "as emitted");
	w->m->host.log_reference = x86_here(a);
	x86_test(a, EAX, EAX);
	x86_jcc(a, X86_CC_S, &more);
	x86_mov(a, RDX, NEAR(a, &t->at));
	x86_cmp(a, RDX, NEAR(a, &t->limit));
	x86_jcc(a, X86_CC_AE, &full); /* it is noticed later */
	x86_or(a, EAX, ESI);
	x86_mov(a, MEM(RDX, 0), R12D);
	x86_mov(a, MEM(RDX, 4), EAX);
	x86_add(a, RDX, IMM(8));
	x86_mov(a, NEAR(a, &t->at), RDX);
	x86_land(a, &full);
	x86_xor(a, EAX, EAX);
	x86_mov(a, NEAR(a, &t->code), EAX);
	x86_ret(a);
	x86_land(a, &more);
	x86_mov(a, NEAR(a, &t->code), EAX);
	x86_shr(a, ESI, P6_LOG_WHICH_AT - P6_LOG_CODE_AT);
	x86_push(a, RDI);
	p6_write_machine(w);
	x86_mov(a, RDX, R12);
	p6_write_call(w, P6_HOST_LOG);
	x86_pop(a, RDI);
	x86_ret(a);
}

void p6_write_log_so_far(struct p6_writer *w)
{
	struct x86_asm *a = &w->a;

	if (w->m->log.is_on)
		x86_mov(a, EAX, NEAR(a, &w->m->log.code));
	else if (w->m->ledger)
		x86_mov(a, EAX, NEAR(a, &w->m->host.did));
}
