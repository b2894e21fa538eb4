/* masked.c -- recording masks and vectors of indices; which ones: src/x86/masked.c.
 *
 * Only forms that the program's own instruction implies that the host has: AVX-512 registers are
 * read by AVX-512 forms, YMM by AVX ones.
 */
#include "translate/internal.h"

/* VEX with three bytes: map 0F. pp: 0 none, 1 66, 2 F3, 3 F2. reg goes into ModRM.reg, rm into
 * ModRM.rm. */
static void emit_vex(struct x86_out *o, unsigned pp, unsigned is_256, unsigned w, unsigned opcode,
		     unsigned reg, unsigned rm)
{
	emit8(o, 0xc4);
	emit8(o, (reg < 8 ? 0x80u : 0u) | 0x40 | (rm < 8 ? 0x20u : 0u) | 1);
	emit8(o, w << 7 | 0x78 | is_256 << 2 | pp);
	emit8(o, opcode);
	emit8(o, 0xc0 | (reg & 7) << 3 | (rm & 7));
}

/* PMOVMSKB y, mm or xmm */
static void emit_byte_mask(struct x86_out *o, const struct x86_slot *s, unsigned y)
{
	if (s->vector == 16)
		emit8(o, 0x66);
	if (y >= 8 || s->reg >= 8)
		emit8(o, 0x40 | (y >> 3) << 2 | s->reg >> 3);
	emit8(o, 0x0f);
	emit8(o, 0xd7);
	emit8(o, 0xc0 | (y & 7) << 3 | (s->reg & 7));
}

void xlt_emit_mask(struct x86_out *o, const struct x86_slot *s, unsigned y)
{
	if (s->kind == X86_SLOT_MASK_K) /* kmovq or kmovw y, k */
		emit_vex(o, s->element == 8 ? 3 : 0, 0, s->element == 8, 0x93, y, s->reg);
	else if (s->element == 1)
		emit_byte_mask(o, s, y);
	else /* vmovmskps or vmovmskpd y, xmm or ymm */
		emit_vex(o, s->element == 8, s->vector == 32, 0, 0x50, y, s->reg);
}

void xlt_emit_vector(struct x86_out *o, const struct x86_slot *s, int32_t at)
{
	const unsigned length = s->vector == 64 ? 2 : s->vector == 32 ? 1 : 0;

	if (s->element != 0)
		return;
	if (s->reg < 16 && length < 2) { /* vmovups [r15 + at], reg */
		emit8(o, 0xc4);
		emit8(o, (s->reg < 8 ? 0x80u : 0u) | 0x41);
		emit8(o, 0x78 | length << 2);
	} else {
		emit8(o, 0x62);
		emit8(o, (s->reg & 8 ? 0u : 0x80u) | 0x40 | (s->reg & 16 ? 0u : 0x10u) | 1);
		emit8(o, 0x7c);
		emit8(o, 0x08 | length << 5);
	}
	emit8(o, 0x11);
	emit8(o, 0x87 | (s->reg & 7u) << 3);
	emit32(o, (uint32_t)at);
}
