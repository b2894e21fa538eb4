/* fixups32.c -- 32-bit code: what 64-bit code does not have, and what means something else there.
 *
 * MODELLED         one flat address space; FS and GS with a base of the program's.
 * NOT MODELLED     16-bit forms of string instructions (67h) and string or masked-move instructions
 *                  relative to FS or GS: the run ends with a sentence. Unknown bytes are illegal.
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
		    d->op[i].mem.segment == ZYDIS_REGISTER_CS && d->op[i].mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
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

		if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->encoding != ZYDIS_OPERAND_ENCODING_NONE ||
		    x86_gpr_number(op->mem.base) == X86_RSP || x86_gpr_number(op->mem.base) == X86_RBP)
			continue;
		if (x86_is_fs_gs(op) || d->z.address_width == 16)
			return true;
	}
	return false;
}

static void choose_segments(struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_MOV: case ZYDIS_MNEMONIC_POP:
		if (is_segment(&d->op[0]))
			x86_set_emulate(d, X86_EMU_LOAD_SEG);
		break;
	case ZYDIS_MNEMONIC_LES: case ZYDIS_MNEMONIC_LDS: case ZYDIS_MNEMONIC_LSS:
	case ZYDIS_MNEMONIC_LFS: case ZYDIS_MNEMONIC_LGS:
		x86_set_emulate(d, X86_EMU_LOAD_FAR);
		break;
	case ZYDIS_MNEMONIC_IRET: case ZYDIS_MNEMONIC_IRETD:
		x86_set_emulate(d, X86_EMU_FAR);
		break;
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
	case ZYDIS_MNEMONIC_SYSCALL: /* only AMD's processors have it here, and no kernel of the P6 */
		x86_set_emulate(d, X86_EMU_ILLEGAL);
		break;
	case ZYDIS_MNEMONIC_AAA: case ZYDIS_MNEMONIC_AAS: case ZYDIS_MNEMONIC_AAM: case ZYDIS_MNEMONIC_AAD:
	case ZYDIS_MNEMONIC_DAA: case ZYDIS_MNEMONIC_DAS:
		x86_set_emulate(d, X86_EMU_BCD);
		break;
	case ZYDIS_MNEMONIC_BOUND: x86_set_emulate(d, X86_EMU_BOUND); break;
	case ZYDIS_MNEMONIC_INTO: x86_set_emulate(d, X86_EMU_INTO); break;
	case ZYDIS_MNEMONIC_ARPL: x86_set_emulate(d, X86_EMU_ARPL); break;
	case ZYDIS_MNEMONIC_SGDT: case ZYDIS_MNEMONIC_SIDT: /* 64-bit code stores 10 bytes, not 6 */
		x86_set_emulate(d, X86_EMU_STORE_TABLE);
		break;
	case ZYDIS_MNEMONIC_FNSTENV: case ZYDIS_MNEMONIC_FNSAVE: case ZYDIS_MNEMONIC_FXSAVE:
		if (d->z.operand_width != 16)
			x86_set_emulate(d, X86_EMU_X87_PC);
		break;
	case ZYDIS_MNEMONIC_ENTER:
		d->is_bulky = d->op[1].imm.value.u != 0;
		break;
	default:
		break;
	}
	if (has_untranslated_memory(d))
		x86_set_emulate(d, X86_EMU_STEP);
	if (writes_by_cs(d))
		x86_set_emulate(d, X86_EMU_PRIVILEGED);
}
