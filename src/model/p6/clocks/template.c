/* template.c -- block facts to micro-op templates, once per block: those of its instructions
 * (template_uops.c) put together.
 *
 * COUNTING RULES   those of template_uops.c.
 * MODELLED         what each reference is to the load and store buffers; what micro-ops have in
 *                  common with those of other blocks is kept once (templates.c).
 */
#include "model/p6/clocks/template_draft.h"

#include <stdlib.h>
#include <string.h>

#include "model/p6/clocks/templates.h"
#include "model/p6/clocks/asked/time_reading.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/clocks/wrong/wrong_blocks.h"
#include "model/p6/clocks/wrong/wrong_facts.h"
#include "trace/record.h"

/* A block while its templates are made. */
struct draft_block {
	struct p6_code code[X86_MAX_INSNS];
	struct p6_step step[X86_MAX_INSNS];
	struct p6_uop *uop;
	uint8_t *ref; /* behind them */
	unsigned n, room;
};

/* What each reference is to the buffers; an instruction that stores has one entry, of the last
 * address. */
static void note_roles(struct p6_tblk *t, const struct x86_block *b, const struct draft_block *d)
{
	for (unsigned i = 0; i < t->n_step; i++) {
		struct p6_code *c = &t->code[i];
		uint8_t address = P6_NO_REF;

		for (unsigned k = c->first_uop; k < c->first_uop + c->n_uop; k++) {
			if (d->uop[k].kind == P6_U_LOAD && d->ref[k] != P6_NO_REF)
				t->role[d->ref[k]] |= P6_ROLE_LOAD;
			if (d->uop[k].kind == P6_U_STA)
				address = d->ref[k];
		}
		c->store_ref = address;
		if (c->has_store && address != P6_NO_REF)
			t->role[address] |= P6_ROLE_STORE;
		t->has_divide |= c->control_slot != 0xff;
		t->reads_counter |= d->step[i].reads_counter;
		t->is_odd |= (c->has_store && address == P6_NO_REF) || c->may_be_bogus ||
			     b->insn[i].flags & X86_I_REP;
		t->is_fast &= !c->may_be_bogus && !(b->insn[i].flags & X86_I_REP);
	}
}

/* Which reference each micro-op of an instruction performs: with the last one its store goes on
 * its way. */
static void note_places(struct p6_place *place, const struct p6_code *c, const struct p6_uop *uop,
			const uint8_t *ref)
{
	uint8_t seen = P6_NO_REF;

	for (unsigned k = 0; k < c->n_uop; k++) {
		place[k].ref = uop[k].flags & P6_U_LAST && c->has_store ? c->store_ref : ref[k];
		place[k].is_again = place[k].ref != P6_NO_REF && place[k].ref == seen;
		seen = uop[k].kind == P6_U_LOAD ? ref[k] : seen;
	}
}

/* Room for the micro-ops of one more instruction. */
static bool make_room(struct draft_block *d)
{
	const unsigned room = 2 * d->room + 2 * P6_MAX_UOPS;
	struct p6_uop *uop;
	uint8_t *ref;

	if (d->n + P6_MAX_UOPS <= d->room)
		return true;
	uop = realloc(d->uop, room * sizeof(*uop));
	d->uop = uop ? uop : d->uop;
	ref = realloc(d->ref, room);
	d->ref = ref ? ref : d->ref;
	d->room = uop && ref ? room : d->room;
	return uop && ref;
}

/* All in one piece. Contents have their numbers when it returns, unless one of them is 0: there
 * was no room. */
static struct p6_tblk *put_together(const struct x86_block *b, const struct draft_block *d,
				    p6_number *number, void *ctx)
{
	const size_t uop_bytes = d->n * sizeof(struct p6_place),
		     code_bytes = b->n_insn * sizeof(*d->code);
	struct p6_tblk *t = calloc(1, sizeof(*t) + uop_bytes + code_bytes + b->n_ref);

	if (!t)
		return NULL;
	t->n_step = b->n_insn;
	t->n_uop = (uint16_t)d->n;
	t->is_fast = true;
	t->uop = (struct p6_place *)(void *)(t + 1);
	t->code = (struct p6_code *)(void *)(t->uop + d->n);
	t->role = (uint8_t *)(t->code + b->n_insn);
	memcpy(t->code, d->code, code_bytes);
	for (unsigned i = 0; i < t->n_step; i++)
		for (unsigned k = d->code[i].first_uop; k < d->code[i].first_uop + d->code[i].n_uop;
		     k++) {
			const uint32_t content = number(ctx, &d->uop[k], &d->step[i]);

			if (!content) {
				free(t);
				return NULL;
			}
			t->uop[k].content = content & ((1u << P6_CONTENT_BITS) - 1);
		}
	note_roles(t, b, d);
	for (unsigned i = 0; i < t->n_step; i++)
		note_places(t->uop + t->code[i].first_uop, &t->code[i],
			    d->uop + t->code[i].first_uop, d->ref + t->code[i].first_uop);
	p6_zero_facts(t, d->step);
	t->is_odd |= t->n_zero > P6_MAX_ZERO_ASKED;
	return t;
}

struct p6_tblk *p6_template_make(struct p6 *m, const struct x86_block *b, uint64_t bogus,
				 p6_number *number, void *ctx)
{
	struct draft_block *all = calloc(1, sizeof(*all));
	struct p6_tblk *t = NULL;

	for (unsigned i = 0; all && i < b->n_insn; i++) {
		struct p6_draft d = {
		    .m = m, .b = b, .in = &b->insn[i], .i = i, .bogus = bogus, .room = UINT8_MAX};

		if (!make_room(all))
			goto out;
		d.code = &all->code[i];
		d.step = &all->step[i];
		d.uop = all->uop + all->n;
		d.ref = all->ref + all->n;
		p6_draft_insn(&d);
		d.code->first_uop = (uint16_t)all->n;
		all->n += d.n;
	}
	t = all ? put_together(b, all, number, ctx) : NULL;
	if (!t)
		goto out;
	t->pc = b->pc;
	t->target = b->target;
	t->fall = b->fall;
	t->term = b->term;
	t->id = b->id;
	t->bogus = bogus;
	t->more = m->time.wrong_mode == MDL_WRONG_LOADS ? p6_wrong_facts(b) : NULL;
out:
	if (all) {
		free(all->uop);
		free(all->ref);
	}
	free(all);
	return t;
}

void p6_template_free(struct p6_tblk *t)
{
	free(t->more);
	free(t);
}

const struct p6_tblk *p6_template(struct p6 *m, const struct x86_block *b)
{
	if (b->id >> TRC_ID_BITS)
		return NULL;
	return m->time.tblk[b->id] ? m->time.tblk[b->id] : p6_template_of(m, b, p6_bogus_of(m, b));
}

/* m meets the block of templates t. */
static void meet(struct p6 *m, struct p6_tblk *t)
{
	for (unsigned i = 0; i < t->n_step && t->reads_counter; i++)
		if (p6_templates_step(m->time.templates, t, i)->reads_counter)
			p6_reading_begin(m, t->code[i].n_uop);
	p6_wrong_learn(m, t);
}

const struct p6_tblk *p6_template_of(struct p6 *m, const struct x86_block *b, uint64_t bogus)
{
	struct p6_tblk **t;

	if (b->id >> TRC_ID_BITS)
		return NULL;
	t = &m->time.tblk[b->id];
	if (!*t) {
		*t = p6_templates_get(m, b, bogus);
		if (*t)
			meet(m, *t);
	}
	if (b->id >= m->time.n_tblk)
		m->time.n_tblk = b->id + 1;
	return *t;
}
