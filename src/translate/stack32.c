/* stack32.c -- 32-bit stack operations, which 64-bit code does not have.
 *
 * Each is a move and an LEA of ESP, in that order: whatever may fault comes first, and no flag
 * changes. Sixteen-bit PUSH and POP of registers, PUSH of memory and constants exist in 64-bit
 * code.
 *
 * COUNTING RULES   PUSH of a segment register stores all of the operand's width, upper half zero,
 *                  as the P6 does.
 */
#include "trace/share.h"
#include "translate/encode32.h"

static bool is_segment(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_SEGMENT;
}

/* mov [base + disp], reg of `bytes` 2 or 4 */
static void store(struct x86_out *o, unsigned bytes, unsigned base, int32_t disp, unsigned reg)
{
	xlt32_on_base(o, bytes == 2 ? 0x66 : 0, 0x89, reg, base, disp);
}

static void load(struct x86_out *o, unsigned bytes, unsigned reg, unsigned base, int32_t disp)
{
	xlt32_load_base(o, bytes == 2 ? XLT32_LOAD_16 : XLT32_LOAD_32, reg, base, disp);
}

/* mov reg, value: 16 bits keep the rest of the register */
static void set_register(struct x86_out *o, unsigned bytes, unsigned reg, unsigned value)
{
	if (bytes == 4) {
		xlt32_move(o, reg, value);
		return;
	}
	emit_bytes(o,
		   (uint8_t[]){0x66, (uint8_t)(0x40 | (reg >> 3) << 2 | value >> 3), 0x8b,
			       (uint8_t)(0xc0 | (reg & 7) << 3 | (value & 7))},
		   4);
}

static void push(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	const ZydisDecodedOperand *op = &d->op[0];
	int bytes = d->z.operand_width / 8;
	unsigned reg = XLT32_VALUE;

	if (op->type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
		xlt32_on_base(o, 0, 0xc7, 0, X86_RSP, -4);
		emit32(o, (uint32_t)op->imm.value.u);
		xlt32_move_stack(o, -4);
		return;
	}
	if (is_segment(op)) {
		struct xlt32_place from = {
		    .base = -1,
		    .index = -1,
		    .disp = (int32_t)(SHR_GS_SELECTOR +
				      2u * (unsigned)ZydisRegisterGetId(op->reg.value))};

		emit8(o, 0x65);
		xlt32_on_place(o, 0, 0x0fb7, reg, &from);
	} else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		struct xlt32_place from;

		xlt32_place(o, d, op, scratch, &from);
		xlt32_on_place(o, 0, 0x8b, reg, &from);
	} else {
		reg = (unsigned)x86_gpr_number(op->reg.value);
	}
	store(o, (unsigned)bytes, X86_RSP, -bytes, reg);
	xlt32_move_stack(o, -bytes);
}

static void pop(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	const ZydisDecodedOperand *op = &d->op[0];
	unsigned reg, bytes = d->z.operand_width / 8u;
	struct xlt32_place to;

	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY) {
		load(o, bytes, XLT32_OTHER, X86_RSP, 0);
		xlt32_place(o, d, op, scratch, &to);
		if (x86_gpr_number(op->mem.base) ==
		    X86_RSP) /* the address uses the incremented ESP */
			to.disp += (int32_t)bytes;
		xlt32_on_place(o, bytes == 2 ? 0x66 : 0, 0x89, XLT32_OTHER, &to);
		xlt32_move_stack(o, (int32_t)bytes);
		return;
	}
	reg = (unsigned)x86_gpr_number(op->reg.value);
	load(o, 4, reg, X86_RSP, 0);
	if (reg != X86_RSP)
		xlt32_move_stack(o, 4);
}

static void pusha(struct x86_out *o, unsigned bytes)
{
	for (unsigned r = 0; r < 8; r++)
		store(o, bytes, X86_RSP, -(int32_t)(bytes * (r + 1)), r);
	xlt32_move_stack(o, -(int32_t)(8 * bytes));
}

/* Register by register, as processors do: a fault leaves those changed that came before it. */
static void popa(struct x86_out *o, unsigned bytes)
{
	for (unsigned r = 8; r-- > 0;) {
		load(o, bytes, XLT32_VALUE, X86_RSP, (int32_t)(bytes * (7 - r)));
		if (r != X86_RSP)
			set_register(o, bytes, r, XLT32_VALUE);
	}
	xlt32_move_stack(o, (int32_t)(8 * bytes));
}

static void enter(struct x86_out *o, const struct x86_decoded *d)
{
	int32_t bytes = d->z.operand_width / 8, space = (int32_t)(d->op[0].imm.value.u & 0xffff);
	int32_t level = (int32_t)(d->op[1].imm.value.u & 31), size = (level + 1) * bytes + space;

	store(o, (unsigned)bytes, X86_RSP, -bytes, X86_RBP);
	xlt32_on_base(o, 0, 0x8d, XLT32_SCRATCH, X86_RSP,
		      -bytes); /* lea r8d: the frame pointer to be */
	for (int32_t i = 1; i < level; i++) {
		load(o, (unsigned)bytes, XLT32_VALUE, X86_RBP, -i * bytes);
		store(o, (unsigned)bytes, X86_RSP, -(i + 1) * bytes, XLT32_VALUE);
	}
	if (level)
		store(o, (unsigned)bytes, X86_RSP, -(level + 1) * bytes, XLT32_SCRATCH);
	/* the processor makes sure that the new top can be written */
	load(o, (unsigned)bytes, XLT32_VALUE, X86_RSP, -size);
	store(o, (unsigned)bytes, X86_RSP, -size, XLT32_VALUE);
	set_register(o, (unsigned)bytes, X86_RBP, XLT32_SCRATCH);
	xlt32_move_stack(o, -size);
}

static void leave(struct x86_out *o, unsigned bytes)
{
	load(o, bytes, XLT32_VALUE, X86_RBP, 0);
	xlt32_on_base(o, 0, 0x8d, X86_RSP, X86_RBP, (int32_t)bytes);
	set_register(o, bytes, X86_RBP, XLT32_VALUE);
}

bool xlt32_stack(struct x86_out *o, const struct x86_decoded *d, unsigned scratch)
{
	bool is_16 = d->z.operand_width == 16;

	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		if (is_16 && !is_segment(&d->op[0]))
			return false;
		push(o, d, scratch);
		return true;
	case ZYDIS_MNEMONIC_POP:
		if (is_16 && d->op[0].type != ZYDIS_OPERAND_TYPE_MEMORY)
			return false;
		pop(o, d, scratch);
		return true;
	case ZYDIS_MNEMONIC_PUSHA:
	case ZYDIS_MNEMONIC_PUSHAD: pusha(o, is_16 ? 2 : 4); return true;
	case ZYDIS_MNEMONIC_POPA:
	case ZYDIS_MNEMONIC_POPAD: popa(o, is_16 ? 2 : 4); return true;
	case ZYDIS_MNEMONIC_ENTER: enter(o, d); return true;
	case ZYDIS_MNEMONIC_LEAVE: leave(o, is_16 ? 2 : 4); return true;
	default: return false;
	}
}
