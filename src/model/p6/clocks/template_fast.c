/* template_fast.c -- what a micro-op and its step come to for the loop of time_fast.c.
 *
 * COUNTING RULES   none: facts of the instruction alone.
 */
#include "model/p6/clocks/template_fast.h"

#define X87_REGS (0xffull << P6_R_X87)

/* Is it an ordinary micro-op, which changes nothing beside registers and memory, of such an
 * instruction? */
static bool is_fast(const struct p6_uop *u, const struct p6_step *s, uint64_t regs)
{
	return !(regs & X87_REGS) && u->kind != P6_U_RENAME && !(u->flags & P6_U_X87_DIVIDE) &&
	       !s->x87_push && !s->x87_swap && !s->is_serializing && !s->is_locked &&
	       !s->reads_counter && !s->seg_wire;
}

struct p6_fast_uop p6_fast_make(const struct p6_uop *u, const struct p6_step *s)
{
	struct p6_fast_uop f = {.zero_is_simple = !s->known_zero};

	for (unsigned k = 0; k < u->n_src; k++)
		f.reads |= 1ull << u->src[k];
	for (unsigned k = 0; k < u->n_dst; k++)
		f.writes |= 1ull << u->dst[k];
	f.is_fast = is_fast(u, s, f.reads | f.writes);
	f.reads &= ~(1ull << P6_R_CF); /* the flags are one register */
	f.needs = u->kind == P6_U_LOAD ? 1 : u->kind == P6_U_STA ? 1 << 8 : 0;
	for (unsigned k = 0; k < s->n_read; k++)
		f.part_reads |= (uint16_t)(1u << (s->read[k].reg & 15));
	for (unsigned k = 0; k < s->n_write; k++) {
		const struct p6_part *w = &s->write[k];

		if (w->bytes < 4)
			f.cut_writes |= (uint16_t)(1u << (w->reg & 15));
		else
			f.whole_writes |= (uint16_t)(1u << (w->reg & 15));
		f.zero_clear |= 3u << 2 * (w->reg & 15);
		f.zero_is_simple &= w->bytes >= 4;
	}
	return f;
}
