/* touches_ahead.c -- finds the pages that a block will touch, from the registers before it.
 * Rules: touches_ahead.h. A slot is used only if is_known says so: a wrong address would stop
 * the program too late. */
#include "session/faults/touches_ahead.h"

#include <string.h>

#include "session/serve/serve.h"

#define PAGE_LOG2   12u
#define MOST_STRING (1ull << 24) /* bytes of a REP instruction that are looked at ahead */

static uint64_t value_of(const struct ses_ahead *a, unsigned slot)
{
	uint64_t value = 0;

	if (slot < a->b->n_slot)
		memcpy(&value, a->slots + 8u * slot, 8);
	return value;
}

static void put_slot(struct ses_ahead *a, unsigned slot, uint64_t value)
{
	memcpy(a->slots + 8u * slot, &value, 8);
	a->is_known[slot] = true;
}

static const struct x86_block *block_of(const struct ses_server *s, uint32_t block)
{
	return block < x86_store_count(s->store) ? x86_store_get(s->store, block) : NULL;
}

bool ses_ahead_take(struct ses_ahead *a, const struct ses_server *s, uint32_t block,
		    const uint64_t *reg)
{
	const struct x86_block *b = block_of(s, block);
	uint64_t address;

	if (!b || b->n_slot > X86_MAX_SLOTS)
		return false;
	*a = (struct ses_ahead){.b = b};
	for (unsigned k = 0; k < b->n_slot; k++) {
		const struct x86_slot *slot = &b->slot[k];

		if (slot->kind == X86_SLOT_REG && slot->is_entry)
			put_slot(a, k, reg[slot->reg & 15]);
		else if (slot->kind == X86_SLOT_ADDRESS && slot->insn == 0 &&
			 x86_operand_address(b, slot, reg, &address))
			put_slot(a, k, address);
	}
	for (unsigned k = 0; k < b->n_rep; k++)
		if (b->rep[k].slot_after < b->n_slot) /* the first element, no more */
			put_slot(a, b->rep[k].slot_after,
				 value_of(a, b->rep[k].slot_count) -
				     (value_of(a, b->rep[k].slot_count) != 0));
	return true;
}

static bool is_known(const struct ses_ahead *a, unsigned slot)
{
	return slot == X86_NO_SLOT || (slot < a->b->n_slot && a->is_known[slot]);
}

/* Find the bytes that a reference touches: *bytes from *lin on; 0 bytes if it touches nothing.
 * Returns false if a register or the length is not known. */
static bool range_of(const struct ses_touches *t, const struct ses_ahead *a,
		     const struct x86_ref *r, uint64_t *lin, uint64_t *bytes)
{
	const struct x86_rep *rep =
	    a->b->insn[r->insn].rep < a->b->n_rep ? &a->b->rep[a->b->insn[r->insn].rep] : NULL;
	uint64_t n;

	*bytes = 0;
	if (!ses_touches_address(t, a->b, r, a->slots, lin))
		return true;
	if (!is_known(a, r->slot) || !is_known(a, r->slot2))
		return false;
	*bytes = r->flags & X86_REF_PARTS || !r->bytes ? 1 : r->bytes;
	if (!(r->flags & X86_REF_REP))
		return true;
	if (!rep || !is_known(a, rep->slot_count) || (r->insn && rep->slot_after < a->b->n_slot))
		return false;
	n = value_of(a, rep->slot_count) - value_of(a, rep->slot_after);
	if (rep->is_address32 || rep->is_address16)
		n &= rep->is_address32 ? UINT32_MAX : UINT16_MAX;
	*bytes = n < MOST_STRING ? n * r->bytes : MOST_STRING;
	if (ses_touches_is_down(t) && n)
		*lin -= *bytes - r->bytes;
	return n < MOST_STRING;
}

/* Pages of [lin, lin + bytes) of one kind. */
static uint64_t count_pages(const struct ses_touches *t, uint64_t lin, uint64_t bytes,
			    bool is_write, enum ses_page kind)
{
	uint64_t n = 0;

	if (!bytes)
		return 0;
	for (uint64_t page = lin >> PAGE_LOG2; page <= (lin + bytes - 1) >> PAGE_LOG2; page++)
		n += ses_touches_page(t, page << PAGE_LOG2, is_write) == kind;
	return n;
}

/* Pages that a reference can touch at most. */
static uint64_t most_pages(const struct x86_ref *r)
{
	if (r->flags & (X86_REF_PREFETCH | X86_REF_GS))
		return 0;
	if (r->flags & X86_REF_REP)
		return SES_AHEAD_UNLIMITED;
	return r->flags & X86_REF_PARTS || r->bytes < 2 ? 1 : (r->bytes - 2u) / 4096 + 2;
}

/* Set *n to the pages of one kind that instruction i touches: its code, unless an earlier
 * instruction lies in the same page, and its operands. Returns false if an operand is not known; *n
 * is the largest possible number then. */
static bool count_insn(const struct ses_touches *t, const struct ses_ahead *a, unsigned i,
		       enum ses_page kind, uint64_t *n)
{
	const uint64_t from = a->b->pc + a->b->insn[i].pc_off;
	bool knows = true;

	*n = count_pages(t, from, a->b->insn[i].bytes, false, kind);
	if (i && from & 4095)
		*n -= ses_touches_page(t, from, false) == kind;
	for (unsigned k = 0; k < a->b->n_ref && a->b->ref[k].insn <= i; k++) {
		const struct x86_ref *r = &a->b->ref[k];
		uint64_t lin, bytes;

		if (r->insn != i)
			continue;
		if (range_of(t, a, r, &lin, &bytes)) {
			*n += count_pages(t, lin, bytes, r->flags & X86_REF_WRITE, kind);
		} else {
			*n += most_pages(r);
			knows = false;
		}
	}
	return knows;
}

unsigned ses_ahead_first(struct ses_touches *t, const struct ses_server *s,
			 const struct ses_ahead *a, struct ses_touch *out)
{
	uint64_t n;

	if (!a->b->n_insn || !count_insn(t, a, 0, SES_PAGE_NOT_MAPPED, &n) || n)
		return 0;
	return ses_touches_block(t, s, a->b->id, 1, a->slots, sizeof(a->slots), out);
}

unsigned ses_ahead_fit(const struct ses_touches *t, const struct ses_ahead *a, uint64_t *n)
{
	for (unsigned i = 0; i < a->b->n_insn; i++) {
		uint64_t more;

		count_insn(t, a, i, SES_PAGE_FAULTS, &more);
		if (more > *n)
			return i ? i : 1;
		if (i == 0 && a->b->insn[i].flags & X86_I_REP)
			return 1; /* a comparison is known as far as its first element */
		*n -= more;
	}
	return a->b->n_insn;
}

uint32_t ses_ahead_most(const struct ses_server *s, uint32_t block)
{
	const struct x86_block *b = block_of(s, block);
	uint64_t n;

	if (!b)
		return SES_AHEAD_UNLIMITED;
	n = ((b->pc + b->bytes - 1u) >> PAGE_LOG2) - (b->pc >> PAGE_LOG2) + 1;
	for (unsigned k = 0; k < b->n_ref; k++)
		n += most_pages(&b->ref[k]);
	return n < SES_AHEAD_UNLIMITED ? (uint32_t)n : SES_AHEAD_UNLIMITED;
}
