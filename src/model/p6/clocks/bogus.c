/* bogus.c -- part of unit decode: the BTB predicts a branch where the decoder finds none.
 *
 * COUNTING RULES   E4H: one per entry that predicts a taken branch behind a byte at which no branch
 *                  ends, when the instruction with that byte is decoded on the right path; fetch is
 *                  sent back, which is an E6H, too.
 * MODELLED         code that was overwritten: the entry of the branch that was there. What the
 *                  decoder found out holds until a branch is executed there again. The BTB itself
 *                  stays as it is without time: this changes clocks, never outcomes.
 * NOT MODELLED     entries of branches that were executed after the block was met and end inside
 *                  its instructions: blocks that overlap with other boundaries. When all blocks are
 *                  forgotten they are found. Entries that the hardware, which keeps 28 bits of an
 *                  address, mixes up; bogus predictions on wrong paths.
 * SOURCES          Intel 242816-003 table 7-2; when it happens is derived.
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/clocks/decode.h"

/* The bytes of the instruction that must not end a branch. */
static unsigned checked_bytes(const struct p6_code *s)
{
	return s->is_branch ? s->bytes - 1u : s->bytes;
}

static bool may_be(const struct p6 *m, const struct x86_insn *in, uint64_t pc)
{
	const unsigned n = in->flags & X86_I_BRANCH ? in->bytes - 1u : in->bytes;

	for (unsigned i = 0; i < n; i++)
		if (btb_find(&m->btb.table, (pc + i) & P6_LIN_MASK) != BTB_MISS)
			return true;
	return false;
}

uint64_t p6_bogus_of(const struct p6 *m, const struct x86_block *b)
{
	uint64_t which = 0;

	_Static_assert(X86_MAX_INSNS <= 64, "a bit each");
	for (unsigned i = 0; i < b->n_insn; i++)
		which |= (uint64_t)may_be(m, &b->insn[i], b->pc + b->insn[i].pc_off) << i;
	return which;
}

void p6_bogus_decode(struct p6 *m, const struct p6_code *s, uint64_t pc)
{
	struct p6_time *t = &m->time;

	for (unsigned i = 0; i < checked_bytes(s); i++) {
		const uint32_t at = btb_find(&m->btb.table, (pc + i) & P6_LIN_MASK);
		const struct btb_entry *e = &m->btb.table.entry[at];

		if (at == BTB_MISS || t->bogus_seen[at / 64] >> at % 64 & 1 ||
		    e->counter[e->history & 15] < 2)
			continue;
		t->bogus_seen[at / 64] |= 1ull << at % 64;
		t->has_bogus = true;
		P6_RAISE(m, DECODE_BOGUS, 1);
		P6_RAISE(m, DECODE_BACLEAR, 1);
		p6_decode_baclear(m);
	}
}

void p6_bogus_learn(struct p6 *m, uint64_t last)
{
	const uint32_t at = btb_find(&m->btb.table, last & P6_LIN_MASK);

	if (at != BTB_MISS)
		m->time.bogus_seen[at / 64] &= ~(1ull << at % 64);
}
