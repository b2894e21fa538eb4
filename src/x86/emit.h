/* emit.h -- bytes of host code: the few forms that the translator and the models write themselves.
 *
 * Code may be written through an alias of where it runs. All forms leave flags alone unless their
 * name says otherwise. GS-relative operands name a field of struct shr_gs by its offset.
 */
#ifndef SOFTPMU_X86_EMIT_H
#define SOFTPMU_X86_EMIT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Write position. base + off is written, and off moves on. The caller owns the room at base and
 * checks it before he writes: nothing is checked here, and what does not fit is written behind the
 * end. */
struct x86_out {
	uint8_t *base;
	uint32_t off;
	uint64_t at; /* where base lies when the code runs; for emit_rip() */
};

static inline void emit8(struct x86_out *o, unsigned v)
{
	o->base[o->off++] = (uint8_t)v;
}

static inline void emit32(struct x86_out *o, uint32_t v)
{
	memcpy(o->base + o->off, &v, 4);
	o->off += 4;
}

static inline void emit64(struct x86_out *o, uint64_t v)
{
	memcpy(o->base + o->off, &v, 8);
	o->off += 8;
}

static inline void emit_bytes(struct x86_out *o, const void *p, unsigned n)
{
	memcpy(o->base + o->off, p, n);
	o->off += n;
}

/* mov gs:[field], reg */
void emit_store_gs(struct x86_out *o, unsigned field, unsigned reg);
/* mov reg, gs:[field] */
void emit_load_gs(struct x86_out *o, unsigned reg, unsigned field);
/* mov dword gs:[field], imm32 */
void emit_store_gs_imm(struct x86_out *o, unsigned field, uint32_t imm);
/* jmp gs:[field] */
void emit_jump_gs(struct x86_out *o, unsigned field);
/* jmp rel32 to code offset `to`; the displacement is the last 4 bytes */
void emit_jump(struct x86_out *o, uint32_t to);
/* mov [base + disp], reg (64 bits) */
void emit_store(struct x86_out *o, unsigned base, int32_t disp, unsigned reg);
/* mov dword [base + disp], imm32 */
void emit_store_imm32(struct x86_out *o, unsigned base, int32_t disp, uint32_t imm);
/* mov reg, [base + disp] (64 bits) */
void emit_load(struct x86_out *o, unsigned reg, unsigned base, int32_t disp);
/* lea reg, [base + disp] */
void emit_lea(struct x86_out *o, unsigned reg, unsigned base, int32_t disp);
/* lea reg, [base + index] */
void emit_lea_index(struct x86_out *o, unsigned reg, unsigned base, unsigned index);
/* mov reg, imm64 */
void emit_mov_imm64(struct x86_out *o, unsigned reg, uint64_t imm);
/* op reg, [abs32] or op [abs32], reg with opcode byte `op`, 64 bits, absolute address below 2 GiB
 */
void emit_absolute(struct x86_out *o, unsigned op, unsigned reg, uint32_t addr);
/* as emit_absolute(), by way of rip, for an address within 2 GiB of the code */
void emit_rip(struct x86_out *o, unsigned op, unsigned reg, uint64_t addr);
/* Make the 4-byte displacement at code offset `at` reach code offset `to`. The displacement ends
 * its instruction: processors count from there. A jump that is not patched before the code runs
 * goes to wherever its first displacement says. */
void emit_patch(uint8_t *base, uint32_t at, uint32_t to);

#endif
