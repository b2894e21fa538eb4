/* template_step.c -- what rename and the decoders must know of one instruction: parts of registers,
 * flags, prefixes.
 *
 * COUNTING RULES   those of rat.c and decode.c, which ask for it.
 * SOURCES          Agner Fog 2000 ch. 14, 19; catalog/p6/params.tsv.
 */
#include "model/p6/clocks/template_draft.h"
#include "model/p6/units/retire.h"
#include "model/p6/units/seg.h"

#include <string.h>

#define STATUS_FLAGS 0x8d5u

static void step_parts(struct p6_draft *d)
{
	/* outside 16-bit code FNSTSW AX reads and writes all of EAX (Agner Fog 2000, 19.1) */
	const bool is_merged = !strcmp(d->name, "fnstsw");
	struct p6_step *s = d->step;

	for (unsigned k = 0; k < d->regs.n_part; k++) {
		const struct x86_reg_part *p = &d->regs.part[k];
		const bool is_whole = p->bytes > 4 || (is_merged && p->is_written);
		const struct p6_part part = {p->reg, is_whole ? 4 : p->bytes, p->is_high};
		/* whose result does not depend on what was there */
		const bool is_read = p->is_read && s->known_zero != P6_ZERO_ALL;

		if ((is_read || (is_merged && p->is_written)) && s->n_read < 4)
			s->read[s->n_read++] = part;
		if (p->is_written && s->n_write < 2)
			s->write[s->n_write++] = part;
	}
}

static uint8_t flag_bits(unsigned eflags)
{
	return (uint8_t)((eflags & 0x001 ? P6_F_CF : 0) | (eflags & 0x004 ? P6_F_PF : 0) |
			 (eflags & 0x010 ? P6_F_AF : 0) | (eflags & 0x040 ? P6_F_ZF : 0) |
			 (eflags & 0x080 ? P6_F_SF : 0) | (eflags & 0x800 ? P6_F_OF : 0));
}

/* A shift whose count is not the short form's 1. */
static bool is_slow_shift(const struct p6_draft *d)
{
	const struct x86_facts *f = &d->facts;

	if (f->map == X86_MAP_ONE)
		return f->opcode == 0xc0 || f->opcode == 0xc1 || f->opcode == 0xd2 ||
		       f->opcode == 0xd3;
	return f->map == X86_MAP_0F &&
	       (f->opcode == 0xa4 || f->opcode == 0xa5 || f->opcode == 0xac || f->opcode == 0xad);
}

/* AND, OR and XOR write AF, too, which they leave undefined; TEST, shifts, multiplies and others
 * do not. */
static bool is_logic(const struct p6_draft *d)
{
	return !strcmp(d->name, "and") || !strcmp(d->name, "or") || !strcmp(d->name, "xor");
}

/* 31H, 30H, 29H, 28H and their other direction: XOR and SUB. Of a register with itself they make
 * known to be 0 what lies above the low part: all of it in the form over the whole register, AH
 * and the like in theirs. The forms over AL and AX are ordinary writes. */
static uint8_t known_zero(const struct p6_draft *d)
{
	const struct x86_facts *f = &d->facts;
	const struct x86_reg_part *p = d->regs.part;

	if (!d->regs.is_same_source || f->map != X86_MAP_ONE ||
	    ((f->opcode & 0xfc) != 0x30 && (f->opcode & 0xfc) != 0x28))
		return 0;
	return p->bytes >= 4 ? P6_ZERO_ALL : p->is_high ? P6_ZERO_HIGH_BYTE : 0;
}

void p6_draft_step(struct p6_draft *d)
{
	struct p6_step *s = d->step;
	struct p6_code *c = d->code;
	const struct x86_facts *f = &d->facts;
	unsigned written = f->flags_written;

	c->bytes = d->in->bytes;
	c->is_branch = (d->in->flags & X86_I_BRANCH) != 0;
	c->is_transfer = p6_is_transfer(d->in, d->kinds);
	s->is_serializing = (d->in->flags & X86_I_SERIALIZE) != 0;
	s->reads_counter = d->b->emulate == X86_EMU_RDPMC && d->in == &d->b->insn[d->b->n_insn - 1];
	s->is_locked = (d->in->flags & X86_I_LOCK) != 0;
	s->is_prefetch = p6_draft_prefetches(d);
	s->x87_push = (int8_t)-f->x87_push;
	s->known_zero = known_zero(d);
	if (d->in->flags & X86_I_SEG_LOAD)
		s->seg_wire = p6_seg_wire(d->m, d->in, d->kinds);
	c->may_be_bogus = d->bogus >> d->i & 1;
	c->control_slot = 0xff;
	for (unsigned k = 0; k < d->b->n_slot && p6_draft_is_x87_divide(d); k++)
		if (d->b->slot[k].insn == d->i && (d->b->slot[k].kind == X86_SLOT_X87_CONTROL ||
						   d->b->slot[k].kind == X86_SLOT_X87))
			c->control_slot = (uint8_t)k;
	if (f->x87 == X86_X87_EXCHANGE)
		for (unsigned k = 1; k < 8; k++)
			if (f->st_read >> k & 1)
				s->x87_swap = (uint8_t)k;
	if ((f->prefixes & X86_PFX_66 && f->imm_bytes == 2 && f->map == X86_MAP_ONE) ||
	    (f->prefixes & X86_PFX_67 && f->has_memory))
		c->lcp_clk = (uint8_t)d->m->time.par.lcp_clk;
	c->prefix_clk = f->n_prefix > 1 ? (uint8_t)(f->n_prefix - 1) : 0;
	if (f->prefixes & X86_PFX_REX && c->prefix_clk)
		c->prefix_clk--; /* no P6 has it: it is free */
	step_parts(d);
	s->flags_read = flag_bits(f->flags_read);
	if (is_logic(d))
		written |= 0x10;
	s->flags_written = flag_bits(written);
	if (written & STATUS_FLAGS)
		s->flags_written |= is_slow_shift(d) ? P6_F_SLOW : 0;
}
