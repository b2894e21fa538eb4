/* x87_pc.c -- the instruction pointer in a stored x87 state.
 *
 * The processor stores where the last x87 instruction was: an address of translated code. The
 * program gets the address of its own instruction, as if it had run in place.
 *
 * MODELLED         FNSTENV, FNSAVE, FXSAVE, XSAVE and its kin, signal frames of 64-bit programs.
 *                  In 32-bit programs the segments beside the pointers, too. A translation that
 *                  was forgotten since gives 0.
 * NOT MODELLED     the format with 16 bits; the last opcode. XSAVE in 32-bit programs:
 *                  xsave32.c.
 * SOURCES          Intel SDM vol. 1 section 8.1.8 to 8.1.10, 13.5.1.
 */
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"
#include "guest/stream/fs_base.h"

uint64_t gst_x87_pc(const struct gst *g, uint64_t pc)
{
	const struct shr_recover *r;
	const struct shr_block *b;
	uint32_t offset;
	uint64_t at = pc;

	if (at < 1ull << 32) /* stored in 32 bits, without the shift of the areas */
		at += g->code - SHR_CODE_BASE;
	if (at < g->code || at >= g->code + SHR_CODE_BYTES)
		return pc; /* one that the program loaded itself */
	b = gst_block_at(g, at, &offset);
	r = b ? gst_recover_at(g, b, offset) : NULL;
	return r ? b->pc + r->pc_off : 0;
}

void gst_correct_x87_pc(struct gst *g, const struct shr_exit *e)
{
	static const uint16_t code = 0x23, data = 0x2b; /* the flat segments of a 32-bit program */
	const uint64_t where = gst_operand_address(g, e) + e->operand;
	uint64_t stored = 0, pc;

	if (gst_copy_in(&stored, where, e->reg))
		return;
	pc = gst_x87_pc(g, stored);
	if (pc == stored)
		return;
	gst_copy_out(where, &pc, e->reg);
	if (!g->layout.is_32)
		return;
	gst_copy_out(where + 4, &code, sizeof(code));
	gst_copy_out(where + 12, &data, sizeof(data));
}
