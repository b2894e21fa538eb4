/* unfinished.c -- the instruction that QEMU takes back. Rules: unfinished.h.
 *
 * It is known by its length: the bytes that follow it in memory are not here, so others stand in
 * for them, which may be taken for ModRM with a register or with memory. The length may be wrong;
 * but what QEMU went on to read reaches beyond the page.
 */
#include "bare/unfinished.h"

#include <string.h>

#include "x86/insn.h"

#define PAGE_BYTES 4096u
#define MOST_BYTES 15u

/* Returns the length that n bytes of code at pc, with `filler` behind them, have as an instruction.
 */
static unsigned length(enum x86_mode mode, uint32_t pc, const uint8_t *code, unsigned n,
		       uint8_t filler)
{
	uint8_t bytes[MOST_BYTES];
	ZydisDecoder decoder;
	struct x86_decoded d;

	memset(bytes, filler, sizeof(bytes));
	memcpy(bytes, code, n);
	x86_decoder_init(&decoder, mode);
	return x86_decode(&decoder, &d, pc, bytes, sizeof(bytes)) ? 0 : d.z.length;
}

void bare_unfinished_drop(struct bare_stretch *s, enum x86_mode mode)
{
	const unsigned last = s->n_insn - 1u, size = bare_size(s, last);
	const uint32_t in_front = s->n_code - size, left = PAGE_BYTES - s->pc % PAGE_BYTES;
	const uint8_t *code = s->size + s->n_insn + in_front;
	unsigned n;

	if (!last || s->n_code > left || in_front + MOST_BYTES <= left)
		return;
	n = length(mode, s->pc + in_front, code, size, 0xc0);
	if (n <= size) /* LEA, say, has no form with a register */
		n = length(mode, s->pc + in_front, code, size, 0);
	if (n <= size || in_front + n <= left)
		return;
	memmove(s->size + last, s->size + s->n_insn, in_front);
	s->n_insn--;
	s->n_code = in_front;
}
