/* host_slot.c -- host code for values of slots and addresses of references. */
#include "model/p6/host/host_slot.h"

#include "model/p6/p6.h"
#include "x86/emit.h"

/* Bytes of a form without displacement, then [r12 + slot]: op ends with the ModRM byte for a byte of displacement. */
static void slot_operand(struct x86_out *o, const char op[4], unsigned slot)
{
	const unsigned disp = 4 + 8u * slot;

	emit_bytes(o, op, 2);
	emit8(o, (uint8_t)op[2] + (disp < 128 ? 0 : 0x40));
	emit8(o, 0x24);
	if (disp < 128)
		emit8(o, disp);
	else
		emit32(o, disp);
}

void p6_host_base(struct x86_out *o, unsigned slot)
{
	slot_operand(o, "\x49\x8b\x7c", slot); /* mov rdi, [r12 + slot] */
}

void p6_host_address(struct x86_out *o, const struct p6_ref *r, uint8_t *base_slot)
{
	if (r->slot != P6_NO_SLOT) {
		if (*base_slot != r->slot)
			p6_host_base(o, r->slot);
		*base_slot = r->slot;
		if (!r->disp)
			emit_bytes(o, "\x48\x89\xfd", 3); /* mov rbp, rdi */
		else
			emit_lea(o, 5, 7, r->disp); /* lea rbp, [rdi + disp] */
	} else {
		emit_bytes(o, "\x48\xc7\xc5", 3); /* mov rbp, disp */
		emit32(o, (uint32_t)r->disp);
	}
	if (r->is_more && r->slot2 != P6_NO_SLOT) {
		slot_operand(o, "\x49\x8b\x4c", r->slot2); /* mov rcx, [r12 + slot2] */
		emit_bytes(o, "\x48\x8d\x6c", 3);	   /* lea rbp, [rbp + rcx << shift] */
		emit8(o, (unsigned)(r->is_more >> P6_MORE_SHIFT) << 6 | 1 << 3 | 5);
		emit8(o, 0);
	}
}
