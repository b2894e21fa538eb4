/* fixups32.c -- 32-bit code: what 64-bit code does not have, and what means something else there.
 *
 * MODELLED         one flat address space; FS and GS with a base of the program's; null selectors.
 *                  String instructions and masked moves with 16-bit addresses, relative to FS or
 *                  GS, or through a null selector are the runtime's.
 * NOT MODELLED     bytes that the decoder does not know are illegal.
 * SOURCES          Intel SDM vol. 2, the columns "64-bit mode" and "Compat/Leg mode".
 */
#include "x86/block.h"
#include "x86/insn.h"

static bool is_segment(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_SEGMENT;
}

/* Does it write by way of CS, which no code segment allows? */
static bool writes_by_cs(const struct x86_decoded *d)
{
	for (unsigned i = 0; i < d->z.operand_count_visible; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    d->op[i].mem.segment == ZYDIS_REGISTER_CS &&
		    d->op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
		    (d->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
			return true;
	return false;
}

/* Memory operands without a ModRM byte: strings, MASKMOV. XLAT can be rewritten, stacks are. */
static bool has_untranslated_memory(const struct x86_decoded *d)
{
	if (d->z.mnemonic == ZYDIS_MNEMONIC_XLAT)
		return false;
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->encoding != ZYDIS_OPERAND_ENCODING_NONE ||
		    x86_gpr_number(op->mem.base) == X86_RSP ||
		    x86_gpr_number(op->mem.base) == X86_RBP)
			continue;
		if (x86_is_fs_gs(op) || d->z.address_width == 16)
			return true;
	}
	return false;
}

static void choose_segments(struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_POP:
		if (is_segment(&d->op[0]))
			x86_set_emulate(d, X86_EMU_LOAD_SEG);
		break;
	case ZYDIS_MNEMONIC_LES:
	case ZYDIS_MNEMONIC_LDS:
	case ZYDIS_MNEMONIC_LSS:
	case ZYDIS_MNEMONIC_LFS:
	case ZYDIS_MNEMONIC_LGS: x86_set_emulate(d, X86_EMU_LOAD_FAR); break;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD: x86_set_emulate(d, X86_EMU_FAR); break;
	default:
		if (d->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			x86_set_emulate(d, X86_EMU_FAR);
		break;
	}
}

void x86_fixup_32(struct x86_decoded *d)
{
	if (d->emulate == X86_EMU_PRIVILEGED)
		return;
	choose_segments(d);
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_INT:
		if ((d->op[0].imm.value.u & 0xff) == 0x80) {
			d->emulate = X86_EMU_NONE;
			d->term = X86_TERM_SYSCALL;
			d->gpr_used |= 0xff;
		}
		break;
	case ZYDIS_MNEMONIC_SYSENTER:
		x86_set_emulate(d, X86_EMU_SYSENTER);
		d->gpr_used |= 0xff;
		break;
	/* only AMD's processors have it here, and no kernel of the P6 */
	case ZYDIS_MNEMONIC_SYSCALL: x86_set_emulate(d, X86_EMU_ILLEGAL); break;
	case ZYDIS_MNEMONIC_AAA:
	case ZYDIS_MNEMONIC_AAS:
	case ZYDIS_MNEMONIC_AAM:
	case ZYDIS_MNEMONIC_AAD:
	case ZYDIS_MNEMONIC_DAA:
	case ZYDIS_MNEMONIC_DAS: x86_set_emulate(d, X86_EMU_BCD); break;
	case ZYDIS_MNEMONIC_BOUND: x86_set_emulate(d, X86_EMU_BOUND); break;
	case ZYDIS_MNEMONIC_INTO: x86_set_emulate(d, X86_EMU_INTO); break;
	case ZYDIS_MNEMONIC_ARPL: x86_set_emulate(d, X86_EMU_ARPL); break;
	case ZYDIS_MNEMONIC_SGDT:
	case ZYDIS_MNEMONIC_SIDT: /* 64-bit code stores 10 bytes, not 6 */
		x86_set_emulate(d, X86_EMU_STORE_TABLE);
		break;
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FXSAVE:
		if (d->z.operand_width != 16)
			x86_set_emulate(d, X86_EMU_X87_PC);
		break;
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XRSTOR:
		x86_set_emulate(d, X86_EMU_XSAVE);
		d->gpr_used |= 1 << X86_RAX | 1 << X86_RDX;
		break;
	case ZYDIS_MNEMONIC_ENTER: d->is_bulky = d->op[1].imm.value.u != 0; break;
	default: break;
	}
	if (has_untranslated_memory(d))
		x86_set_emulate(d, X86_EMU_STRING);
	if (writes_by_cs(d))
		x86_set_emulate(d, X86_EMU_PRIVILEGED);
}

bool x86_asks_segments(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CLDEMOTE:
	case ZYDIS_MNEMONIC_PREFETCHNTA:
	case ZYDIS_MNEMONIC_PREFETCHT0:
	case ZYDIS_MNEMONIC_PREFETCHT1:
	case ZYDIS_MNEMONIC_PREFETCHT2:
	case ZYDIS_MNEMONIC_PREFETCH:
	case ZYDIS_MNEMONIC_PREFETCHW:
	case ZYDIS_MNEMONIC_PREFETCHWT1: return false;
	default: return true;
	}
}

void x86_fixup_null(struct x86_decoded *d, unsigned null_segments)
{
	if (!x86_asks_segments(d) || d->emulate == X86_EMU_ILLEGAL ||
	    d->emulate == X86_EMU_PRIVILEGED || d->emulate == X86_EMU_STRING)
		return;
	for (unsigned i = 0; i < d->z.operand_count; i++) {
		const ZydisDecodedOperand *op = &d->op[i];

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    op->mem.type == ZYDIS_MEMOP_TYPE_AGEN ||
		    !(null_segments >> ZydisRegisterGetId(op->mem.segment) & 1))
			continue;
		d->is_null = d->z.meta.category != ZYDIS_CATEGORY_STRINGOP;
		x86_set_emulate(d, d->is_null ? X86_EMU_PRIVILEGED : X86_EMU_STRING);
		d->flags_killed = 0;
		return;
	}
}
