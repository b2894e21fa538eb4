/* assist.c -- which instructions need their operand class recorded, and by which slots.
 *
 * The processor itself classifies: denormal operands, underflow and stack faults raise sticky flags
 * (src/translate/assist.c sees to it that they are clear before). What the flags do not show, a
 * denormal result that is exact, is seen in the result.
 *
 * COUNTING RULES   x87: everything that computes, loads or stores, FXCH and constants included
 *                  (stack faults); not what only handles control, status or tags. SSE:
 *                  single-precision arithmetic with the flags DE and UE; conversions, moves, RCP
 *                  and RSQRT raise neither.
 * NOT MODELLED     exact denormal results in 80-bit registers; SSE2 and later (foreign to the P6).
 * SOURCES          Intel SDM vol. 1 sections 4.9, 8.5, 11.5; vol. 2 exceptions of each instruction.
 */
#include "x86/plan.h"

/* Does it show or set the sticky flags, or unmask what they would then raise? */
static bool is_status(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FNSTSW:
	case ZYDIS_MNEMONIC_FNCLEX:
	case ZYDIS_MNEMONIC_FNINIT:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_FXRSTOR:
	case ZYDIS_MNEMONIC_FXRSTOR64:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_STMXCSR:
	case ZYDIS_MNEMONIC_LDMXCSR:
	case ZYDIS_MNEMONIC_VSTMXCSR:
	case ZYDIS_MNEMONIC_VLDMXCSR: return true;
	default: return false;
	}
}

static bool is_x87_control(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FNSTCW:
	case ZYDIS_MNEMONIC_FNSTSW:
	case ZYDIS_MNEMONIC_FNCLEX:
	case ZYDIS_MNEMONIC_FNINIT:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_FWAIT:
	case ZYDIS_MNEMONIC_FNOP:
	case ZYDIS_MNEMONIC_FFREE:
	case ZYDIS_MNEMONIC_FFREEP:
	case ZYDIS_MNEMONIC_FDECSTP:
	case ZYDIS_MNEMONIC_FINCSTP:
	case ZYDIS_MNEMONIC_FXAM:
	case ZYDIS_MNEMONIC_FDISI8087_NOP:
	case ZYDIS_MNEMONIC_FENI8087_NOP:
	case ZYDIS_MNEMONIC_FSETPM287_NOP: return true;
	default: return false;
	}
}

static enum x86_assist sse(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_ADDPS:
	case ZYDIS_MNEMONIC_SUBPS:
	case ZYDIS_MNEMONIC_MULPS:
	case ZYDIS_MNEMONIC_DIVPS:
	case ZYDIS_MNEMONIC_SQRTPS:
	case ZYDIS_MNEMONIC_MINPS:
	case ZYDIS_MNEMONIC_MAXPS:
	case ZYDIS_MNEMONIC_CMPPS: return X86_ASSIST_SSE_PACKED;
	case ZYDIS_MNEMONIC_ADDSS:
	case ZYDIS_MNEMONIC_SUBSS:
	case ZYDIS_MNEMONIC_MULSS:
	case ZYDIS_MNEMONIC_DIVSS:
	case ZYDIS_MNEMONIC_SQRTSS:
	case ZYDIS_MNEMONIC_MINSS:
	case ZYDIS_MNEMONIC_MAXSS:
	case ZYDIS_MNEMONIC_CMPSS: return X86_ASSIST_SSE_SCALAR;
	case ZYDIS_MNEMONIC_COMISS:
	case ZYDIS_MNEMONIC_UCOMISS: return X86_ASSIST_SSE_COMPARE;
	default: return X86_ASSIST_NONE;
	}
}

enum x86_assist x86_assist_of(const struct x86_decoded *d)
{
	if (d->is_unknown)
		return X86_ASSIST_NONE;
	if (is_status(d->z.mnemonic))
		return X86_ASSIST_STATUS;
	if (d->z.meta.isa_ext == ZYDIS_ISA_EXT_SSE)
		return sse(d->z.mnemonic);
	if (d->z.meta.isa_ext != ZYDIS_ISA_EXT_X87 || is_x87_control(d->z.mnemonic))
		return X86_ASSIST_NONE;
	if ((d->z.mnemonic == ZYDIS_MNEMONIC_FST || d->z.mnemonic == ZYDIS_MNEMONIC_FSTP) &&
	    d->mem >= 0 && d->op[d->mem].size <= 64)
		return X86_ASSIST_X87_STORE;
	return X86_ASSIST_X87;
}

void x86_plan_assist(struct planner *p, const struct x86_decoded *d)
{
	enum x86_assist kind = x86_assist_of(d);
	uint8_t reg = 0;

	if (kind == X86_ASSIST_NONE || kind == X86_ASSIST_STATUS)
		return;
	if (kind == X86_ASSIST_X87 || kind == X86_ASSIST_X87_STORE) {
		new_slot(p, X86_SLOT_FSW_AFTER, 0);
		if (kind == X86_ASSIST_X87_STORE)
			new_slot(p, X86_SLOT_MEMORY_AFTER, (uint8_t)(d->op[d->mem].size / 8));
		return;
	}
	new_slot(p, X86_SLOT_MXCSR_AFTER, 0);
	if (kind == X86_ASSIST_SSE_COMPARE)
		return;
	reg = (uint8_t)ZydisRegisterGetId(d->op[0].reg.value);
	new_slot(p, X86_SLOT_XMM_LOW_AFTER, reg);
	if (kind == X86_ASSIST_SSE_PACKED)
		new_slot(p, X86_SLOT_XMM_HIGH_AFTER, reg);
}
