/* assist.c -- recording the operand class of x87 and SSE instructions.
 *
 * Whether an instruction met a denormal shows in sticky flags, but only if they were clear before:
 *
 *     status -> gs; DE, UE or SF set there? clear_*: clear them and keep them in gs.fp.saved_*
 *     the instruction
 *     status and result -> record
 *
 * What was cleared stays cleared, so that only instructions that raise a flag cost more, until
 * put_back_* sets it again: before an instruction that reads or writes the status, and when the
 * runtime is entered. Flags of the program stay alive: tests go by tables and JRCXZ. No part of it
 * can fault.
 *
 * RULE   with ES set an unmasked exception waits for the next x87 instruction: nothing is cleared
 *        then.
 */
#include "translate/internal.h"

#define FP(field) (SHR_GS_FP + (unsigned)offsetof(struct shr_fp_bracket, field))
#define FSW_ES	  0x80u

/* `bytes` (prefix GS first) with the absolute address gs:[field] behind them. */
static void emit_gs(struct x86_out *o, const char *bytes, unsigned n, unsigned field)
{
	emit_bytes(o, bytes, n);
	emit32(o, field);
}

#define FNSTSW(o, field)  emit_gs(o, "\x65\xdd\x3c\x25", 4, field)
#define FNSTENV(o, field) emit_gs(o, "\x65\xd9\x34\x25", 4, field)
#define FLDENV(o, field)  emit_gs(o, "\x65\xd9\x24\x25", 4, field)
#define STMXCSR(o, field) emit_gs(o, "\x65\x0f\xae\x1c\x25", 5, field)
#define LDMXCSR(o, field) emit_gs(o, "\x65\x0f\xae\x14\x25", 5, field)
#define MOVZX_ECX(o, field)                                                                        \
	emit_gs(o, "\x65\x0f\xb6\x0c\x25", 5, field)		  /* movzx ecx, byte gs:[field] */
#define MOV_CL(o, field) emit_gs(o, "\x65\x88\x0c\x25", 4, field) /* mov gs:[field], cl */
#define OR_AL(o, field)	 emit_gs(o, "\x65\x08\x04\x25", 4, field) /* or gs:[field], al */

/* movzx ecx, byte [rcx + table] */
static void emit_look_up(struct x86_out *o, uint32_t table)
{
	if (o->at + SHR_CODE_BYTES <= 1ull << 31) {
		emit_bytes(o, "\x0f\xb6\x89", 3);
		emit32(o, (uint32_t)o->at + table);
		return;
	}
	emit_store_gs(o, FP(rax), X86_RAX);
	emit_mov_imm64(o, X86_RAX, o->at + table);
	emit_bytes(o, "\x0f\xb6\x0c\x08", 4); /* movzx ecx, byte [rax + rcx] */
	emit_load_gs(o, X86_RAX, FP(rax));
}

/* 256 bytes: what of the index is in `mask`, none when it has a bit of `unless`. */
static uint32_t emit_table(struct x86_out *o, unsigned mask, unsigned unless)
{
	uint32_t at = o->off;

	for (unsigned i = 0; i < 256; i++)
		emit8(o, i & unless ? 0 : i & mask);
	return at;
}

/* rax and the flags go to gs ... */
static void emit_save_flags(struct x86_out *o)
{
	emit_store_gs(o, FP(rax), X86_RAX);
	emit_bytes(o, "\x9f\x0f\x90\xc0", 4); /* lahf; seto al */
	emit_store_gs(o, FP(flags), X86_RAX);
}

/* ... and come back, and the program goes on. */
static void emit_return(struct x86_out *o)
{
	emit_load_gs(o, X86_RAX, FP(flags));
	emit_bytes(o, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
	emit_load_gs(o, X86_RAX, FP(rax));
	emit_jump_gs(o, FP(back));
}

/* Entered with the status in gs.fp.status (SSE) or still in the unit (x87), rcx free. */
static uint32_t emit_clear(struct x86_out *o, bool is_x87)
{
	const unsigned sticky = is_x87 ? SHR_X87_STICKY : SHR_MXCSR_STICKY;
	const uint32_t at = o->off;
	const unsigned where = is_x87 ? FP(env) + 4 : FP(status);

	emit_save_flags(o);
	if (is_x87)
		FNSTENV(o, FP(env));
	MOVZX_ECX(o, where);
	emit_bytes(o, "\x89\xc8\x24", 3); /* mov eax, ecx; and al, sticky */
	emit8(o, sticky);
	OR_AL(o, is_x87 ? FP(saved_x87) : FP(saved_sse));
	emit_bytes(o, "\x80\xe1", 2); /* and cl, ~sticky */
	emit8(o, ~sticky & 255);
	MOV_CL(o, where);
	if (is_x87)
		FLDENV(o, FP(env));
	else
		LDMXCSR(o, FP(status));
	emit_return(o);
	return at;
}

/* Entered with rcx = gs.fp.saved_*. */
static uint32_t emit_put_back(struct x86_out *o, bool is_x87)
{
	const uint32_t at = o->off;

	emit_save_flags(o);
	if (is_x87)
		FNSTENV(o, FP(env));
	else
		STMXCSR(o, FP(status));
	emit_bytes(o, "\x89\xc8", 2); /* mov eax, ecx */
	OR_AL(o, is_x87 ? FP(env) + 4 : FP(status));
	if (is_x87)
		FLDENV(o, FP(env));
	else
		LDMXCSR(o, FP(status));
	emit_store_gs_imm(o, is_x87 ? FP(saved_x87) : FP(saved_sse), 0);
	emit_return(o);
	return at;
}

void xlt_emit_assist_common(struct xlt *x)
{
	struct xlt_assist_code *c = &x->assist;
	struct x86_out *o = &x->out;

	c->set_x87 = emit_table(o, SHR_X87_STICKY, FSW_ES);
	c->set_sse = emit_table(o, SHR_MXCSR_STICKY, 0);
	c->clear_x87 = emit_clear(o, true);
	c->clear_sse = emit_clear(o, false);
	c->put_back_x87 = emit_put_back(o, true);
	c->put_back_sse = emit_put_back(o, false);
}

/* When rcx is not 0, go by way of the common part `to`; then give rcx back. */
static void emit_unless_zero(struct xlt *x, uint32_t to)
{
	struct x86_out *o = &x->out;

	emit_bytes(o, "\xe3\x05", 2); /* jrcxz over the jump */
	emit_jump(o, x->cold.off);
	xlt_note(x, o->off - 4, XLT_MOVE_ACROSS);
	emit_store_gs_imm(&x->cold, FP(back), (uint32_t)o->at + o->off);
	xlt_note(x, x->cold.off - 4, XLT_MOVE_HOT);
	if (x->cfg.shift)
		emit_store_gs_imm(&x->cold, FP(back) + 4, (uint32_t)(x->cfg.shift >> 32));
	emit_jump(&x->cold, to);
	xlt_note(x, x->cold.off - 4, XLT_MOVE_FIXED);
	emit_load_gs(o, X86_RCX, FP(rcx));
}

static bool is_x87_kind(enum x86_assist kind)
{
	return kind == X86_ASSIST_X87 || kind == X86_ASSIST_X87_STORE;
}

/* Before an instruction that reads or writes the status. */
static void emit_put_back_all(struct xlt *x)
{
	struct x86_out *o = &x->out;

	emit_store_gs(o, FP(rcx), X86_RCX);
	emit_load_gs(o, X86_RCX, FP(saved_x87));
	emit_unless_zero(x, x->assist.put_back_x87);
	emit_load_gs(o, X86_RCX, FP(saved_sse));
	emit_unless_zero(x, x->assist.put_back_sse);
}

void xlt_emit_assist_begin(struct xlt *x, enum x86_assist kind)
{
	struct x86_out *o = &x->out;

	if (kind == X86_ASSIST_NONE)
		return;
	if (kind == X86_ASSIST_STATUS) {
		emit_put_back_all(x);
		return;
	}
	emit_store_gs(o, FP(rcx), X86_RCX);
	if (is_x87_kind(kind))
		FNSTSW(o, FP(status));
	else
		STMXCSR(o, FP(status));
	MOVZX_ECX(o, FP(status));
	emit_look_up(o, is_x87_kind(kind) ? x->assist.set_x87 : x->assist.set_sse);
	emit_unless_zero(x, is_x87_kind(kind) ? x->assist.clear_x87 : x->assist.clear_sse);
}

void xlt_emit_assist_slot(struct xlt *x, const struct x86_slot *s, int32_t at)
{
	struct x86_out *o = &x->out;

	switch (s->kind) {
	case X86_SLOT_FSW_AFTER:
		emit_bytes(o, "\x41\xdd\xbf", 3); /* fnstsw [r15 + at] */
		break;
	case X86_SLOT_MXCSR_AFTER:
		emit_bytes(o, "\x41\x0f\xae\x9f", 4); /* stmxcsr [r15 + at] */
		break;
	default: /* movlps, movhps [r15 + at], xmm */
		emit8(o, 0x41 | (s->reg >> 3) << 2);
		emit8(o, 0x0f);
		emit8(o, s->kind == X86_SLOT_XMM_LOW_AFTER ? 0x13 : 0x17);
		emit8(o, 0x87 | (s->reg & 7u) << 3);
		break;
	}
	emit32(o, (uint32_t)at);
}
