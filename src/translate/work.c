/* work.c -- how much a REP instruction did, so that no more is under way than a model does in a
 * moment (share.h).
 *
 * Flags may be live, and a signal's handler may have written gs.limit just now: nothing here writes
 * flags, and the limit is only ever stored, as 0, which brings the program into the runtime at the
 * next head of a block.
 */
#include "translate/term32.h"
#include "translate/terminator.h"

/* Whole bytes of shr_gs.work that lie below 1 << SHR_WORK_LOG2. */
#define LOW_BYTES (SHR_WORK_LOG2 / 8)
_Static_assert(SHR_WORK_LOG2 % 8 == 0, "translated code looks at whole bytes");

static void emit_not(struct x86_out *o, unsigned reg)
{
	emit_bytes(o, (uint8_t[]){(uint8_t)(0x48 | reg >> 3), 0xf7, (uint8_t)(0xd0 | (reg & 7))},
		   3);
}

/* mov qword gs:[limit], 0 */
static void emit_come_at_once(struct x86_out *o)
{
	emit_bytes(o, "\x65\x48\xc7\x04\x25", 5);
	emit32(o, SHR_GS_LIMIT);
	emit32(o, 0);
}

void xlt_emit_work(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;
	const struct x86_insn *n = &e->b->insn[e->insn];
	const struct x86_rep *rep = &e->b->rep[n->rep];
	const bool is_32 = e->b->mode == X86_MODE_32;
	const unsigned y = is_32 ? XLT32_SCRATCH : e->regs.y;
	struct x86_out *o = e->out;
	uint32_t skip;

	if (!(n->flags & X86_I_REP) || n->rep >= blk->n_rep || rep->slot_count >= blk->n_slot)
		return;
	if (!is_32)
		xlt_save_y(e);
	emit_store_gs(o, SHR_GS_SPILL_RCX, X86_RCX);
	xlt_mark(e, e->state | SHR_ST_RCX);
	emit_load(o, y, X86_R15, 4 + 8 * rep->slot_count);
	if (rep->slot_after < blk->n_slot) { /* before - after = ~(~before + after) */
		emit_not(o, y);
		emit_lea_index(o, y, y, X86_RCX);
		emit_not(o, y);
	}
	emit_load_gs(o, X86_RCX, SHR_GS_WORK);
	emit_lea_index(o, y, y, X86_RCX);
	emit_store_gs(o, SHR_GS_WORK, y);
	emit_bytes(o, "\x65\x8b\x0c\x25", 4); /* mov ecx, gs:[work, its bytes above] */
	emit32(o, SHR_GS_WORK + LOW_BYTES);
	emit_bytes(o, "\xe3", 1); /* jrcxz */
	emit8(o, 0);
	skip = o->off;
	emit_come_at_once(o);
	o->base[skip - 1] = (uint8_t)(o->off - skip);
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	xlt_mark(e, e->state & ~(unsigned)SHR_ST_RCX);
	if (!is_32)
		xlt_restore_y(e);
}
