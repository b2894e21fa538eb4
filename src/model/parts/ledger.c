/* ledger.c -- cells, rows, and how they are handed out. Rules and limits are in ledger.h. */
#include "model/parts/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "trace/record.h"

#define IDS	   (1u << TRC_ID_BITS)
#define FIRST_ROOM 64u
#define FIRST_ROWS 1024u
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
	free(l->row);
	free(l->slot);
	free(l->alone);
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

/* Returns 1 + the number of a new row of zeros; 0 without memory. */
static uint32_t new_row(struct ledger *l)
{
	if (!grow(&l->row, l->n_row, 1, &l->room_row, FIRST_ROWS, l->n_cell * sizeof(*l->row)))
		return 0;
	memset(l->row + (size_t)l->n_row * l->n_cell, 0, l->n_cell * sizeof(*l->row));
	return ++l->n_row;
}

/* Returns where the row of an instruction is noted; NULL without memory. */
static uint32_t *slot_of(struct ledger *l, uint32_t id, unsigned insn)
{
	const unsigned n = x86_store_get(l->store, id)->n_insn;

	if (!l->first[id]) {
		if (!grow(&l->slot, l->n_slot, n, &l->room_slot, FIRST_ROWS, sizeof(*l->slot)))
			return NULL;
		memset(l->slot + l->n_slot, 0, n * sizeof(*l->slot));
		l->first[id] = 1 + l->n_slot;
		l->n_slot += n;
		if (id >= l->n_block)
			l->n_block = id + 1;
	}
	return insn < n ? l->slot + l->first[id] - 1 + insn : NULL;
}

/* Returns true if one of the first n cells has moved since the last booking. */
static bool has_moved(const struct ledger *l, unsigned n)
{
	uint64_t differs = 0;

	for (unsigned i = 0; i < n; i++)
		differs |= *l->cell[i] ^ l->seen[i];
	return differs != 0;
}

static void book(struct ledger *l, uint32_t row)
{
	int64_t *to;

	if (!row) {
		l->is_lost = true;
		ledger_skip(l);
		return;
	}
	to = l->row + (size_t)(row - 1) * l->n_cell;
	for (unsigned i = 0; i < l->n_cell; i++) {
		to[i] += (int64_t)(*l->cell[i] - l->seen[i]);
		l->seen[i] = *l->cell[i];
	}
}

void ledger_skip(struct ledger *l)
{
	for (unsigned i = 0; i < l->n_cell; i++)
		l->seen[i] = *l->cell[i];
}

static void book_at(struct ledger *l, uint32_t id, unsigned insn)
{
	uint32_t *slot = slot_of(l, id, insn);

	if (slot && !*slot)
		*slot = new_row(l);
	book(l, slot ? *slot : 0);
}

void ledger_book(struct ledger *l, uint32_t id, unsigned insn)
{
	if (has_moved(l, l->n_cell))
		book_at(l, id, insn);
}

void ledger_book_memory(struct ledger *l, uint32_t id, unsigned insn)
{
	if (has_moved(l, l->n_memory))
		book_at(l, id, insn);
}

void ledger_book_alone(struct ledger *l, uint64_t pc)
{
	uint32_t i = 0;

	if (!has_moved(l, l->n_cell))
		return;
	while (i < l->n_alone && l->alone[i].pc != pc)
		i++;
	if (i == MOST_ALONE) {
		ledger_skip(l);
		return;
	}
	if (i == l->n_alone) {
		const uint32_t row =
		    grow(&l->alone, l->n_alone, 1, &l->room_alone, FIRST_ROOM, sizeof(*l->alone))
			? new_row(l)
			: 0;

		if (row)
			l->alone[l->n_alone++] = (struct ledger_alone){pc, row};
		book(l, row);
		return;
	}
	book(l, l->alone[i].row);
}

void ledger_book_waiting(struct ledger *l)
{
	if (l->waits != LEDGER_NOBODY)
		ledger_book(l, l->waits, x86_store_get(l->store, l->waits)->n_insn - 1u);
	else if (l->waits_pc)
		ledger_book_alone(l, l->waits_pc);
	else
		ledger_skip(l);
}

void ledger_add_tally(const struct ledger *l, struct ledger_sum *s, struct tally *t,
		      uint64_t times)
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

/* Add row number row - 1 to the sum, and clear it. */
static void add_row(struct ledger *l, uint32_t row, struct ledger_sum *s)
{
	int64_t *from = l->row + (size_t)(row - 1) * l->n_cell;
	uint32_t k = 0;

	for (unsigned i = 0; i < l->n_cell; i++) {
		for (; k < l->share_end[i]; k++)
			if (from[i] && l->wanted[l->share[k].wire])
				ledger_add(s, l->share[k].wire,
					   (uint64_t)(from[i] * l->share[k].times));
		from[i] = 0;
	}
}

/* The sum is complete: hand it to take(), and empty it. */
static void hand_out(const struct ledger_machine *of, struct ledger_sum *s, struct mdl_posting *p,
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

static void take_block(struct ledger *l, const struct ledger_machine *of, uint32_t id,
		       struct ledger_sum *s, mdl_take_posting *take, void *ctx)
{
	const uint64_t executions = of->executions(of->machine, id),
		       times = executions - l->booked[id];
	const struct x86_block *b;

	if (!times && !l->first[id])
		return;
	l->booked[id] = executions;
	b = x86_store_get(l->store, id);
	for (unsigned i = 0; i < b->n_insn; i++) {
		struct mdl_posting p = {.pc = b->pc + b->insn[i].pc_off, .block = id, .insn = i};

		if (times)
			of->always(of->machine, b, i, times, s);
		if (l->first[id] && l->slot[l->first[id] - 1 + i])
			add_row(l, l->slot[l->first[id] - 1 + i], s);
		hand_out(of, s, &p, take, ctx);
	}
}

int ledger_take(struct ledger *l, const struct ledger_machine *of, uint32_t n_block,
		mdl_take_posting *take, void *ctx)
{
	struct ledger_sum *s = calloc(1, sizeof(*s));

	if (!s)
		return -SPMU_ENOMEM;
	if (n_block > l->n_block)
		l->n_block = n_block;
	for (uint32_t id = 0; id < l->n_block; id++)
		take_block(l, of, id, s, take, ctx);
	for (uint32_t i = 0; i < l->n_alone; i++) {
		struct mdl_posting p = {.pc = l->alone[i].pc, .block = MDL_NO_BLOCK};

		add_row(l, l->alone[i].row, s);
		hand_out(of, s, &p, take, ctx);
	}
	ledger_skip(l);
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
	memset(l->first, 0, l->n_block * sizeof(*l->first));
	memset(l->booked, 0, l->n_block * sizeof(*l->booked));
	l->n_row = l->n_slot = l->n_block = l->n_alone = 0;
	ledger_skip(l);
}
