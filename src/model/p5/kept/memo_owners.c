/* memo_owners.c -- owners of looks and counts, by step. Rules and limits are in memo_owners.h. */
#include "model/p5/kept/memo_owners.h"

#include <string.h>

/* Owners of looks: those before look number n that no note before has. Behind them what was
 * booked, and struct p5_owned. */
static const struct ledger_note *notes_of(const struct memo_step *s, unsigned n_look)
{
	return (const void *)((const struct p5_act *)memo_extra(s) + n_look);
}

void p5_owners_begin(struct p5 *m, unsigned known)
{
	struct p5_tape *t = &m->time.tape;

	if (!m->ledger)
		return;
	t->n_who = 0;
	t->n_owned = known;
	t->is_lost |= !ledger_is_settled(m->ledger);
	ledger_begin_notes(m->ledger);
}

int p5_owners_write(struct p5 *m, unsigned known, uint8_t *out)
{
	const struct p5_tape *t = &m->time.tape;
	const struct p5_owned owned = {(uint16_t)(t->n - known), (uint16_t)t->n_who};
	struct ledger *l = m->ledger;
	const size_t room = MEMO_MAX_EXTRA - (t->n - known) * sizeof(struct p5_act);
	size_t n = t->n_who * sizeof(struct ledger_note);

	if (l->has_missed || t->n_owned != t->n || !ledger_is_settled(l))
		return -1;
	if ((t->n_who + l->n_note) * sizeof(struct ledger_note) + sizeof(owned) > room)
		return -1;
	memcpy(out, t->who, n);
	for (unsigned i = 0; i < t->n_who; i++)
		((struct ledger_note *)(void *)out)[i].n -= (int32_t)known;
	for (uint32_t i = 0; i < l->n_note; i++) {
		if (l->note[i].cell < l->n_memory)
			continue; /* looks did that */
		memcpy(out + n, &l->note[i], sizeof(struct ledger_note));
		n += sizeof(struct ledger_note);
	}
	memcpy(out + n, &owned, sizeof(owned));
	return (int)(n + sizeof(owned));
}

uint64_t p5_owners_look(struct p5 *m, const struct p5_run *x, const struct memo_step *s,
			unsigned at)
{
	const struct p5_act *a = (const struct p5_act *)memo_extra(s) + at;
	const uint64_t seen = p5_memo_look(m, x, a);
	const struct ledger_note *who = notes_of(s, p5_owned(s).n_look);

	if (seen == a->seen && a->kind != P5_ACT_DATA && a->kind != P5_ACT_CODE &&
	    a->kind != P5_ACT_SLOT)
		return seen; /* it moved nothing */
	while (who->n <= (int32_t)at)
		who++;
	ledger_book_memory(m->ledger, who->id, who->insn);
	return seen;
}

void p5_owners_book(struct p5 *m, const struct memo_step *s, uint32_t id, bool is_taken)
{
	struct ledger *l = m->ledger;
	struct p5_owned owned;
	const struct ledger_note *note;
	const uint8_t *end;

	if (!l)
		return;
	owned = p5_owned(s);
	note = notes_of(s, owned.n_look) + owned.n_who;
	end = (const uint8_t *)memo_extra(s) + memo_n_extra(s) - sizeof(owned);
	for (; (const uint8_t *)note < end; note++) {
		const uint64_t n = (uint64_t)note->n * s->times;

		ledger_add_to(l, note->id, note->insn, note->cell, n);
		if (note->cell != l->clock)
			ledger_pass_some(l, note->cell, n);
	}
	if (is_taken && l->wanted[WIRE_P5_CORE_TAKEN]) {
		const unsigned cell = ledger_cell_of(l, &m->n_taken);

		ledger_add_to(l, id, x86_store_get(m->store, id)->n_insn - 1u, cell, s->times);
		ledger_pass_some(l, cell, s->times);
	}
}
