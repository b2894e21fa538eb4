/* x87_pc.c -- the instruction pointer in a stored x87 state.
 *
 * The processor stores where the last x87 instruction was: an address of translated code. The program
 * gets the address of its own instruction, as if it had run in place.
 *
 * MODELLED         FNSTENV, FNSAVE and FXSAVE of 32-bit programs, the segments beside the pointers too. A translation that was forgotten since
 *                  gives 0.
 * NOT MODELLED     64-bit programs; XSAVE; the format with 16 bits; the last opcode.
 * SOURCES          Intel SDM vol. 1 section 8.1.8 to 8.1.10.
 */
#include "guest/copy.h"
#include "guest/emulate.h"
#include "guest/gst.h"
#include "guest/signal.h"

/* Address of the program's instruction whose translation lies at `at`, or 0. */
static uint32_t source_of(const struct gst *g, uint32_t at)
{
	const struct shr_recover *r;
	const struct shr_block *b;
	uint32_t offset;

	b = gst_block_at(g, at, &offset);
	r = b ? gst_recover_at(g, b, offset) : NULL;
	return r ? (uint32_t)(b->pc + r->pc_off) : 0;
}

void gst_correct_x87_pc(struct gst *g, const struct shr_exit *e)
{
	uint64_t where = g->gs->target + e->operand;
	static const uint16_t code = 0x23, data = 0x2b; /* the flat segments of a 32-bit program */
	uint32_t pc;

	if (gst_copy_in(&pc, where, sizeof(pc)) || pc < SHR_CODE_BASE || pc >= SHR_CODE_BASE + SHR_CODE_BYTES)
		return; /* one that the program loaded itself */
	pc = source_of(g, pc);
	gst_copy_out(where, &pc, sizeof(pc));
	gst_copy_out(where + 4, &code, sizeof(code));
	gst_copy_out(where + 12, &data, sizeof(data));
}
