/* seg.c -- unit seg: writes of segment registers.
 *
 * COUNTING RULES   one per instruction that writes a segment register (06H), far transfers for CS;
 *                  a rename (D5H, D6H) when it is ES, DS, FS or GS. D4H: one per write that waits,
 *                  however long. A whole machine counts CS of INT n and of each delivery, too, and
 *                  SS where privilege changes (events.c, int.c).
 * MODELLED         in time: one copy of ES, DS, FS and GS besides the retired one, so that a write
 *                  waits until the write before it has retired (derived; Pentium II and later).
 * NOT MODELLED     writes on the wrong path; what the Pentium Pro does without copies.
 * SOURCES          Intel 243192 appendix A.
 */
#include "model/p6/p6.h"
#include "model/p6/units/seg.h"

_Static_assert(WIRE_P6_SEG_STALL_GS == WIRE_P6_SEG_STALL_ES + 3 && WIRE_P6_SEG_STALL_GS < 256,
	       "wires in order");

/* The segment register that n, of `kinds`, writes: 0 to 5, as X86_OP_SEG has them (block.h). 1, CS,
 * for far transfers, and for whatever names none. */
static unsigned register_of(const struct x86_insn *n, uint32_t kinds)
{
	if (kinds & P6_K_SEG_FS)
		return 4;
	if (kinds & P6_K_SEG_GS)
		return 5;
	return n->n_op && n->op[0].kind == X86_OP_SEG ? n->op[0].reg : 1;
}

void p6_seg_count(const struct p6 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t)
{
	unsigned wire;

	if (kinds & P6_K_TRAP_CALL && m->seg.is_machine && !(n->flags & X86_I_SEG_LOAD))
		tally_add(t, WIRE_P6_SEG_LOAD, 1);
	if (!(n->flags & X86_I_SEG_LOAD))
		return;
	tally_add(t, WIRE_P6_SEG_LOAD, 1);
	switch (register_of(n, kinds)) {
	case 0: wire = WIRE_P6_SEG_RENAME_ES; break;
	case 3: wire = WIRE_P6_SEG_RENAME_DS; break;
	case 4: wire = WIRE_P6_SEG_RENAME_FS; break;
	case 5: wire = WIRE_P6_SEG_RENAME_GS; break;
	default: return;
	}
	tally_add(t, wire, 1);
	tally_add(t, WIRE_P6_SEG_RENAME_RETIRED, 1);
}

/* ---- in time --------------------------------------------------------------------------------- */

uint64_t p6_seg_room(struct p6 *m, const struct p6_step *s, uint64_t clk)
{
	const uint64_t free_clk = m->time.seg_clk[s->seg_wire - WIRE_P6_SEG_STALL_ES] + 1;

	if (free_clk <= clk)
		return clk;
	m->dyn[s->seg_wire]++;
	return free_clk;
}

void p6_seg_retire(struct p6 *m, const struct p6_step *s, uint64_t retire_clk)
{
	m->time.seg_clk[s->seg_wire - WIRE_P6_SEG_STALL_ES] = retire_clk;
}

uint8_t p6_seg_wire(const struct p6 *m, const struct x86_insn *n, uint32_t kinds)
{
	static const uint8_t wire[6] = {
	    WIRE_P6_SEG_STALL_ES, 0, 0, WIRE_P6_SEG_STALL_DS, WIRE_P6_SEG_STALL_FS,
	    WIRE_P6_SEG_STALL_GS};
	const unsigned reg = register_of(n, kinds);

	return n->flags & X86_I_SEG_LOAD && m->cpu->has_mmx && reg < 6 ? wire[reg] : 0;
}
