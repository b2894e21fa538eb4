/* ledger.c -- cells, entries, and how they are handed out. Rules and limits are in ledger.h. */
#include "model/parts/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/parts/contexts.h"
#include "trace/record.h"

#define IDS	      (1u << TRC_ID_BITS)
#define FIRST_ROOM    64u
#define FIRST_ENTRIES 1024u
/* A program has few instructions that the decoder does not know. What more than so many count is
 * booked to no instruction. */
#define MOST_ALONE 1024u

int ledger_open(struct ledger **out, const struct x86_store *store, const uint8_t *wanted)
{
	struct ledger *l = calloc(1, sizeof(*l));

	*out = l;
	if (!l)
		return -SPMU_ENOMEM;
	l->store = store;
	l->waits = LEDGER_NOBODY;
	l->clock = LEDGER_NO_CELL;
	memcpy(l->wanted, wanted, sizeof(l->wanted));
	l->first = blank_pages(IDS * sizeof(*l->first));
	l->booked = blank_pages(IDS * sizeof(*l->booked));
	return l->first && l->booked ? 0 : -SPMU_ENOMEM;
}

void ledger_close(struct ledger *l)
{
	if (!l)
		return;
	blank_pages_free(l->first, IDS * sizeof(*l->first));
	blank_pages_free(l->booked, IDS * sizeof(*l->booked));
	free(l->cell);
	free(l->seen);
	free(l->share);
	free(l->share_end);
	free(l->entry);
	free(l->slot);
	free(l->alone);
	free(l->context_seen);
	free(l->context_row);
	free(l->context_count);
	free(l->note);
	free(l);
}

/* Room for one more of n things of `size` bytes at *p, `first` at the beginning. Returns false
 * without memory. */
static bool grow(void *p, uint32_t n, uint32_t more, uint32_t *room, uint32_t first, size_t size)
{
	uint32_t to = *room ? *room : first;
	void *q;

	if (n + more <= *room)
		return true;
	while (to < n + more)
		to *= 2;
	q = realloc(*(void **)p, to * size);
	if (!q)
		return false;
	*(void **)p = q;
	*room = to;
	return true;
}

int ledger_add_cell(struct ledger *l, const uint64_t *number, const struct ledger_share *share,
		    unsigned n)
{
	bool is_wanted = false;
	unsigned room = l->room_cell;

	for (unsigned i = 0; i < n; i++)
		is_wanted |= l->wanted[share[i].wire];
	if (!is_wanted)
		return 0;
	if (!grow(&l->cell, l->n_cell, 1, &l->room_cell, FIRST_ROOM, sizeof(*l->cell)))
		return -SPMU_ENOMEM;
	if (room != l->room_cell) {
		void *seen = realloc(l->seen, l->room_cell * sizeof(*l->seen));
		void *end = realloc(l->share_end, l->room_cell * sizeof(*l->share_end));

		l->seen = seen ? seen : l->seen;
		l->share_end = end ? end : l->share_end;
		if (!seen || !end)
			return -SPMU_ENOMEM;
	}
	if (!grow(&l->share, l->n_share, n, &l->room_share, FIRST_ROOM, sizeof(*l->share)))
		return -SPMU_ENOMEM;
	memcpy(l->share + l->n_share, share, n * sizeof(*share));
	l->n_share += n;
	l->share_end[l->n_cell] = l->n_share;
	l->seen[l->n_cell] = *number;
	l->cell[l->n_cell++] = number;
	return 0;
}

int ledger_add_wire(struct ledger *l, const uint64_t *number, unsigned wire)
{
	return ledger_add_cell(l, number, &(struct ledger_share){(uint16_t)wire, 1}, 1);
}

/* ---- booking --------------------------------------------------------------------------------- */

/* Room for one more entry. Returns false without memory. */
static bool grow_entries(struct ledger *l)
{
	const uint32_t room = l->room_entry ? 2 * l->room_entry : FIRST_ENTRIES;
	struct ledger_entry *more;

	if (l->n_entry < l->room_entry)
		return true;
	more = aligned_alloc(sizeof(*more), room * sizeof(*more));
	if (!more)
		return false;
	if (l->n_entry)
		memcpy(more, l->entry, l->n_entry * sizeof(*more));
	free(l->entry);
	l->entry = more;
	l->room_entry = room;
	return true;
}

/* Add n of a cell to the chain that begins at *first. */
static void add_to(struct ledger *l, uint32_t *first, unsigned cell, int64_t n)
{
	struct ledger_entry *e = NULL;

	for (uint32_t at = *first; at; at = e->next) {
		e = &l->entry[at - 1];
		for (unsigned k = 0; k < LEDGER_CELLS; k++) {
			if (e->cell[k] == cell) {
				e->n[k] += n;
				return;
			}
			if (e->cell[k] != LEDGER_NO_CELL)
				continue;
			e->cell[k] = (uint16_t)cell;
			e->n[k] = n;
			return;
		}
	}
	if (!grow_entries(l)) {
		l->is_lost = true;
		return;
	}
	e = &l->entry[l->n_entry];
	memset(e->cell, 0xff, sizeof(e->cell));
	e->cell[0] = (uint16_t)cell;
	e->n[0] = n;
	e->next = *first;
	*first = ++l->n_entry;
}

/* Returns where the entries of an instruction begin; NULL without memory. */
static uint32_t *slot_of(struct ledger *l, uint32_t id, unsigned insn)
{
	const uint32_t first = l->first[id];

	if (!first) {
		const unsigned n = x86_store_get(l->store, id)->n_insn;

		if (!grow(&l->slot, l->n_slot, n, &l->room_slot, FIRST_ENTRIES, sizeof(*l->slot)))
			return NULL;
		memset(l->slot + l->n_slot, 0, n * sizeof(*l->slot));
		l->first[id] = 1 + l->n_slot;
		l->n_slot += n;
		if (id >= l->n_block)
			l->n_block = id + 1;
		return l->slot + l->first[id] - 1 + insn;
	}
	return l->slot + first - 1 + insn;
}

void ledger_skip(struct ledger *l)
{
	ledger_pass_contexts(l);
	for (unsigned i = 0; i < l->n_cell; i++)
		l->seen[i] = *l->cell[i];
}

unsigned ledger_cell_of(const struct ledger *l, const uint64_t *number)
{
	for (unsigned i = 0; i < l->n_cell; i++)
		if (l->cell[i] == number)
			return i;
	return LEDGER_NO_CELL;
}

void ledger_mark_own(struct ledger *l, unsigned cell)
{
	unsigned i = 0;

	while (i < l->n_own && l->own[i] != cell)
		i++;
	if (i == l->n_own && i < LEDGER_MOST_OWN)
		l->own[l->n_own++] = (uint16_t)cell;
}

void ledger_skip_own(struct ledger *l)
{
	for (unsigned i = 0; i < l->n_own; i++)
		l->seen[l->own[i]] = *l->cell[l->own[i]];
}

void ledger_add_to(struct ledger *l, uint32_t id, unsigned insn, unsigned cell, uint64_t n)
{
	uint32_t *first = slot_of(l, id, insn);

	if (first)
		add_to(l, first, cell, (int64_t)n);
	else
		l->is_lost = true;
}

void ledger_add_in(struct ledger *l, uint32_t context, uint32_t id, unsigned insn, unsigned cell,
		   uint64_t n)
{
	if (context == LEDGER_OUTSIDE)
		return;
	ledger_add_to(l, id, insn, cell, n);
	ledger_add_context(l, context, cell, (int64_t)n);
}

/* Note that `cell` moved by n for an instruction. */
static void note(struct ledger *l, uint32_t id, unsigned insn, unsigned cell, int64_t n)
{
	if (n != (int32_t)n ||
	    !grow(&l->note, l->n_note, 1, &l->room_note, FIRST_ENTRIES, sizeof(*l->note))) {
		l->has_missed = true;
		return;
	}
	l->note[l->n_note++] =
	    (struct ledger_note){id, (uint16_t)cell, (uint8_t)insn, l->age, (int32_t)n};
}

/* Book what the first n cells have moved since the last booking to an instruction. */
static inline void book(struct ledger *l, uint32_t id, unsigned insn, unsigned n)
{
	const bool is_counted = l->context != LEDGER_OUTSIDE;
	uint32_t *first = NULL;

	for (unsigned i = 0; i < n; i++) {
		const uint64_t now = *l->cell[i], was = l->seen[i];

		if (__builtin_expect(now == was, 1))
			continue;
		l->seen[i] = now;
		if (is_counted) {
			first = first ? first : slot_of(l, id, insn);
			if (first)
				add_to(l, first, i, (int64_t)(now - was));
			else
				l->is_lost = true;
			if (l->is_at_once)
				ledger_add_context(l, l->context, i, (int64_t)(now - was));
		}
		if (l->is_noting)
			note(l, id, insn, i, (int64_t)(now - was));
	}
}

void ledger_book(struct ledger *l, uint32_t id, unsigned insn)
{
	book(l, id, insn, l->n_cell);
}

void ledger_book_memory(struct ledger *l, uint32_t id, unsigned insn)
{
	book(l, id, insn, l->n_memory);
}

/* Returns the entries of the instruction at pc; NULL without memory or when there are too many. */
static uint32_t *alone_of(struct ledger *l, uint64_t pc)
{
	uint32_t i = 0;

	while (i < l->n_alone && l->alone[i].pc != pc)
		i++;
	if (i < l->n_alone)
		return &l->alone[i].first;
	if (i == MOST_ALONE)
		return NULL;
	if (!grow(&l->alone, l->n_alone, 1, &l->room_alone, FIRST_ROOM, sizeof(*l->alone))) {
		l->is_lost = true;
		return NULL;
	}
	l->alone[l->n_alone++] = (struct ledger_alone){pc, 0};
	return &l->alone[i].first;
}

void ledger_book_alone(struct ledger *l, uint64_t pc)
{
	uint32_t *first = NULL;

	for (unsigned i = 0; i < l->n_cell; i++) {
		const uint64_t more = *l->cell[i] - l->seen[i];

		if (!more)
			continue;
		l->has_missed = true;
		l->seen[i] += more;
		if (l->context == LEDGER_OUTSIDE)
			continue;
		if (l->is_at_once)
			ledger_add_context(l, l->context, i, (int64_t)more);
		first = first ? first : alone_of(l, pc);
		if (!first)
			break;
		add_to(l, first, i, (int64_t)more);
	}
	ledger_skip(l);
}

bool ledger_has(const struct ledger *l, const struct x86_block *b)
{
	return b->id < x86_store_count(l->store) && x86_store_get(l->store, b->id) == b;
}

bool ledger_is_settled(const struct ledger *l)
{
	for (unsigned i = 0; i < l->n_cell; i++)
		if (*l->cell[i] != l->seen[i])
			return false;
	return true;
}

void ledger_book_of(struct ledger *l, const struct x86_block *b, unsigned insn)
{
	if (ledger_is_settled(l))
		return;
	if (ledger_has(l, b))
		ledger_book(l, b->id, insn);
	else
		ledger_book_alone(l, b->pc + b->insn[insn].pc_off);
}

void ledger_book_waiting(struct ledger *l)
{
	const uint32_t context = l->context;

	ledger_book_context(l, context);
	l->context = l->waits_context;
	if (l->waits != LEDGER_NOBODY)
		ledger_book(l, l->waits, x86_store_get(l->store, l->waits)->n_insn - 1u);
	else if (l->waits_pc)
		ledger_book_alone(l, l->waits_pc);
	else
		ledger_skip(l);
	ledger_book_context(l, l->waits_context);
	l->context = context;
}

void ledger_add_tally(const struct ledger *l, struct ledger_sum *s, struct tally *t, uint64_t times)
{
	for (unsigned k = 0; k < t->n_touched; k++) {
		const unsigned wire = t->touched[k];

		if (l->wanted[wire])
			ledger_add(s, wire, times * t->n[wire]);
		t->n[wire] = 0;
	}
	t->n_touched = 0;
}

/* ---- handing out ----------------------------------------------------------------------------- */

/* Add n of a cell to the sum. */
static void add_cell(const struct ledger *l, unsigned cell, int64_t n, struct ledger_sum *s)
{
	uint32_t k = cell ? l->share_end[cell - 1] : 0;

	for (; k < l->share_end[cell]; k++)
		if (l->wanted[l->share[k].wire])
			ledger_add(s, l->share[k].wire, (uint64_t)(n * l->share[k].times));
}

/* Add the entries from number first - 1 on to the sum. */
static void add_entries(const struct ledger *l, uint32_t first, struct ledger_sum *s)
{
	for (uint32_t at = first; at; at = l->entry[at - 1].next) {
		const struct ledger_entry *e = &l->entry[at - 1];

		for (unsigned k = 0; k < LEDGER_CELLS && e->cell[k] != LEDGER_NO_CELL; k++)
			add_cell(l, e->cell[k], e->n[k], s);
	}
}

void ledger_hand_out(const struct ledger_machine *of, struct ledger_sum *s, struct mdl_posting *p,
		     mdl_take_posting *take, void *ctx)
{
	bool is_any = false;

	if (s->n_touched && of->complete)
		of->complete(of->machine, s);
	for (unsigned i = 0; i < s->n_touched; i++)
		is_any |= s->total[s->touched[i]] != 0;
	p->total = s->total;
	p->wire = s->touched;
	p->n_wire = s->n_touched;
	if (is_any)
		take(ctx, p);
	for (unsigned i = 0; i < s->n_touched; i++) {
		s->total[s->touched[i]] = 0;
		s->is_touched[s->touched[i]] = 0;
	}
	s->n_touched = 0;
}

/* How often the block was executed, as the machine says, since the last time. */
static uint64_t more_executions(struct ledger *l, const struct ledger_machine *of, uint32_t id)
{
	const uint64_t all = of->executions(of->machine, id), more = all - l->booked[id];

	l->booked[id] = all;
	return more;
}

static void take_block(struct ledger *l, const struct ledger_machine *of, uint32_t id,
		       uint64_t times, struct ledger_sum *s, mdl_take_posting *take, void *ctx)
{
	const struct x86_block *b;

	if (!times && !l->first[id])
		return;
	b = x86_store_get(l->store, id);
	for (unsigned i = 0; i < b->n_insn; i++) {
		struct mdl_posting p = {.pc = b->pc + b->insn[i].pc_off, .block = id, .insn = i};

		if (times)
			of->always(of->machine, b, i, times, s);
		if (l->first[id])
			add_entries(l, l->slot[l->first[id] - 1 + i], s);
		ledger_hand_out(of, s, &p, take, ctx);
	}
}

/* Nothing is booked any more. The memory goes: a program that ends needs some elsewhere. */
static void drop_entries(struct ledger *l)
{
	memset(l->first, 0, l->n_block * sizeof(*l->first));
	free(l->slot);
	free(l->entry);
	l->slot = NULL;
	l->entry = NULL;
	l->n_slot = l->room_slot = l->n_entry = l->room_entry = l->n_alone = 0;
}

int ledger_take(struct ledger *l, const struct ledger_machine *of, uint32_t n_block,
		const struct mdl_visit *visit, size_t n, mdl_take_posting *take, void *ctx)
{
	struct ledger_sum *s = calloc(1, sizeof(*s));
	uint64_t *times;

	if (n_block > l->n_block)
		l->n_block = n_block;
	times = visit ? calloc(l->n_block + 1u, sizeof(*times)) : NULL;
	if (!s || (visit && !times)) {
		free(s);
		return -SPMU_ENOMEM;
	}
	for (size_t i = 0; times && i < n; i++)
		if (visit[i].block < l->n_block)
			times[visit[i].block] += visit[i].times;
	for (uint32_t id = 0; id < l->n_block; id++)
		take_block(l, of, id, times ? times[id] : more_executions(l, of, id), s, take, ctx);
	for (uint32_t i = 0; i < l->n_alone; i++) {
		struct mdl_posting p = {.pc = l->alone[i].pc, .block = MDL_NO_BLOCK};

		add_entries(l, l->alone[i].first, s);
		ledger_hand_out(of, s, &p, take, ctx);
	}
	ledger_skip(l);
	drop_entries(l);
	free(times);
	free(s);
	return l->is_lost ? -SPMU_ENOMEM : 0;
}

void ledger_forget(struct ledger *l)
{
	if (l->waits != LEDGER_NOBODY) {
		const struct x86_block *b = x86_store_get(l->store, l->waits);

		l->waits_pc = b->pc + b->insn[b->n_insn - 1].pc_off;
		l->waits = LEDGER_NOBODY;
	}
	drop_entries(l);
	memset(l->booked, 0, l->n_block * sizeof(*l->booked));
	l->n_block = 0;
	ledger_forget_contexts(l);
	ledger_skip(l);
}
