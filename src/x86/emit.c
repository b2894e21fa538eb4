/* emit.c -- REX prefixes, ModRM bytes and the forms of emit.h built from them. */
#include "x86/emit.h"

#define GS_PREFIX 0x65u

static void rex_w(struct x86_out *o, unsigned reg, unsigned index, unsigned base)
{
	emit8(o, 0x48 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3);
}

/* ModRM + SIB for [disp32] without base, the only absolute form in 64-bit mode. */
static void modrm_absolute(struct x86_out *o, unsigned reg, uint32_t disp)
{
	emit8(o, (reg & 7) << 3 | 4);
	emit8(o, 0x25);
	emit32(o, disp);
}

static void modrm_base(struct x86_out *o, unsigned reg, unsigned base, int32_t disp)
{
	unsigned mod = disp == 0 && (base & 7) != 5 ? 0 : disp >= -128 && disp <= 127 ? 1 : 2;

	emit8(o, mod << 6 | (reg & 7) << 3 | (base & 7));
	if ((base & 7) == 4)
		emit8(o, 0x24);
	if (mod == 1)
		emit8(o, (uint8_t)disp);
	else if (mod == 2)
		emit32(o, (uint32_t)disp);
}

void emit_absolute(struct x86_out *o, unsigned op, unsigned reg, uint32_t addr)
{
	rex_w(o, reg, 0, 0);
	emit8(o, op);
	modrm_absolute(o, reg, addr);
}

void emit_rip(struct x86_out *o, unsigned op, unsigned reg, uint64_t addr)
{
	rex_w(o, reg, 0, 0);
	emit8(o, op);
	emit8(o, (reg & 7) << 3 | 5);
	emit32(o, (uint32_t)(addr - (o->at + o->off + 4)));
}

void emit_store_gs(struct x86_out *o, unsigned field, unsigned reg)
{
	emit8(o, GS_PREFIX);
	emit_absolute(o, 0x89, reg, field);
}

void emit_load_gs(struct x86_out *o, unsigned reg, unsigned field)
{
	emit8(o, GS_PREFIX);
	emit_absolute(o, 0x8b, reg, field);
}

void emit_store_gs_imm(struct x86_out *o, unsigned field, uint32_t imm)
{
	emit8(o, GS_PREFIX);
	emit8(o, 0xc7);
	modrm_absolute(o, 0, field);
	emit32(o, imm);
}

void emit_jump_gs(struct x86_out *o, unsigned field)
{
	emit8(o, GS_PREFIX);
	emit8(o, 0xff);
	modrm_absolute(o, 4, field);
}

void emit_jump(struct x86_out *o, uint32_t to)
{
	emit8(o, 0xe9);
	emit32(o, to - (o->off + 4));
}

void emit_store(struct x86_out *o, unsigned base, int32_t disp, unsigned reg)
{
	rex_w(o, reg, 0, base);
	emit8(o, 0x89);
	modrm_base(o, reg, base, disp);
}

void emit_store_imm32(struct x86_out *o, unsigned base, int32_t disp, uint32_t imm)
{
	if (base >= 8)
		emit8(o, 0x41);
	emit8(o, 0xc7);
	modrm_base(o, 0, base, disp);
	emit32(o, imm);
}

void emit_load(struct x86_out *o, unsigned reg, unsigned base, int32_t disp)
{
	rex_w(o, reg, 0, base);
	emit8(o, 0x8b);
	modrm_base(o, reg, base, disp);
}

void emit_lea(struct x86_out *o, unsigned reg, unsigned base, int32_t disp)
{
	rex_w(o, reg, 0, base);
	emit8(o, 0x8d);
	modrm_base(o, reg, base, disp);
}

void emit_lea_index(struct x86_out *o, unsigned reg, unsigned base, unsigned index)
{
	bool needs_disp = (base & 7) == 5;

	rex_w(o, reg, index, base);
	emit8(o, 0x8d);
	emit8(o, (needs_disp ? 0x44 : 0x04) | (reg & 7) << 3);
	emit8(o, (index & 7) << 3 | (base & 7));
	if (needs_disp)
		emit8(o, 0);
}

void emit_mov_imm64(struct x86_out *o, unsigned reg, uint64_t imm)
{
	rex_w(o, 0, 0, reg);
	emit8(o, 0xb8 | (reg & 7));
	emit64(o, imm);
}

void emit_patch(uint8_t *base, uint32_t at, uint32_t to)
{
	uint32_t rel = to - (at + 4);

	/* The guest waits for an answer while links change: no other thread runs this code. */
	memcpy(base + at, &rel, 4);
}
