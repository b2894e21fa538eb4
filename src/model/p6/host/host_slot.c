/* host_slot.c -- host code for values of slots and addresses of references. */
#include "model/p6/host/host_slot.h"

#include "model/p6/p6.h"
#include "x86/asm.h"

/* Where the record has the value of a slot. */
static struct x86_operand value_of(unsigned slot)
{
	return MEM(R12, 4 + 8 * slot);
}

void p6_time_host_base(struct x86_asm *a, unsigned slot)
{
	x86_mov(a, RDI, value_of(slot));
}

void p6_time_host_address(struct x86_asm *a, const struct p6_ref *r, uint8_t *base_slot)
{
	if (r->slot != P6_NO_SLOT) {
		if (*base_slot != r->slot)
			p6_time_host_base(a, r->slot);
		*base_slot = r->slot;
		if (!r->disp)
			x86_mov(a, RBP, RDI);
		else
			x86_lea(a, RBP, MEM(RDI, r->disp));
	} else {
		x86_mov(a, RBP, IMM(r->disp));
	}
	if (r->is_more && r->slot2 != P6_NO_SLOT) {
		x86_mov(a, RCX, value_of(r->slot2));
		x86_lea(a, RBP, MEM_X(RBP, RCX, 1u << (r->is_more >> P6_MORE_SHIFT), 0));
	}
}
