/* fixups.c -- where Zydis 4.0.0's facts are not ours, and which instructions the runtime executes.
 *
 * Each rule says what is corrected and why. Observed by decoding every form and comparing with the
 * SDM's operation sections.
 */
#include "x86/block.h"
#include "x86/insn.h"

static bool is_shift(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD: return true;
	default: return false;
	}
}

/* A shift by zero leaves every flag as it was, and rotates leave all but CF and OF: such flags are
 * not overwritten, and count as read because the old value survives. */
static void fix_shift_flags(struct x86_decoded *d)
{
	const ZydisDecodedOperand *count = &d->op[d->z.operand_count_visible - 1];
	unsigned mask = d->z.operand_width == 64 ? 63 : 31;

	if (count->type == ZYDIS_OPERAND_TYPE_IMMEDIATE && (count->imm.value.u & mask) != 0)
		return;
	d->flags_read |= d->flags_killed;
	d->flags_killed = 0;
}

void x86_set_emulate(struct x86_decoded *d, uint8_t what)
{
	d->emulate = what;
	d->term = X86_TERM_EMULATE;
}

static bool is_fs_gs(const ZydisDecodedOperand *op)
{
	return op->type == ZYDIS_OPERAND_TYPE_REGISTER &&
	       (op->reg.value == ZYDIS_REGISTER_FS || op->reg.value == ZYDIS_REGISTER_GS);
}

/* FS and GS hold engine state, and the runtime keeps their selectors. */
static void choose_segment_emulation(struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_POP:
	case ZYDIS_MNEMONIC_PUSH:
		if (is_fs_gs(&d->op[0]))
			x86_set_emulate(d, d->z.mnemonic == ZYDIS_MNEMONIC_PUSH ? X86_EMU_STORE_SEG
										: X86_EMU_LOAD_SEG);
		else if (d->z.mnemonic == ZYDIS_MNEMONIC_MOV && is_fs_gs(&d->op[1]))
			x86_set_emulate(d, X86_EMU_STORE_SEG);
		break;
	case ZYDIS_MNEMONIC_LFS:
	case ZYDIS_MNEMONIC_LGS: x86_set_emulate(d, X86_EMU_LOAD_FAR); break;
	/* they store the address of an instruction */
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FXSAVE:
	case ZYDIS_MNEMONIC_FXSAVE64:
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
		if (d->z.operand_width != 16)
			x86_set_emulate(d, X86_EMU_X87_PC);
		break;
	default: break;
	}
}

/* Extensions of systems, not of programs, that the modelled processors do not have: #UD whatever
 * the host has. */
static bool is_for_systems(const struct x86_decoded *d)
{
	switch (d->z.meta.isa_ext) {
	case ZYDIS_ISA_EXT_VTX:
	case ZYDIS_ISA_EXT_VMFUNC:
	case ZYDIS_ISA_EXT_SVM:
	case ZYDIS_ISA_EXT_SMX:
	case ZYDIS_ISA_EXT_SGX:
	case ZYDIS_ISA_EXT_SGX_ENCLV:
	case ZYDIS_ISA_EXT_TDX:
	case ZYDIS_ISA_EXT_SNP:
	case ZYDIS_ISA_EXT_AMD_INVLPGB:
	case ZYDIS_ISA_EXT_PCONFIG:
	case ZYDIS_ISA_EXT_HRESET:
	case ZYDIS_ISA_EXT_MONITOR:
	case ZYDIS_ISA_EXT_SMAP: return true;
	default: return false;
	}
}

static void choose_emulation(struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_SYSCALL: d->term = X86_TERM_SYSCALL; break;
	case ZYDIS_MNEMONIC_CPUID: x86_set_emulate(d, X86_EMU_CPUID); break;
	case ZYDIS_MNEMONIC_RDTSC: x86_set_emulate(d, X86_EMU_RDTSC); break;
	case ZYDIS_MNEMONIC_RDTSCP: x86_set_emulate(d, X86_EMU_RDTSCP); break;
	case ZYDIS_MNEMONIC_RDPMC: x86_set_emulate(d, X86_EMU_RDPMC); break;
	case ZYDIS_MNEMONIC_XGETBV: x86_set_emulate(d, X86_EMU_XGETBV); break;
	case ZYDIS_MNEMONIC_RDRAND: x86_set_emulate(d, X86_EMU_RDRAND); break;
	case ZYDIS_MNEMONIC_RDSEED: x86_set_emulate(d, X86_EMU_RDSEED); break;
	case ZYDIS_MNEMONIC_RDPID: x86_set_emulate(d, X86_EMU_RDPID); break;
	case ZYDIS_MNEMONIC_INT3: x86_set_emulate(d, X86_EMU_INT3); break;
	case ZYDIS_MNEMONIC_INT1: x86_set_emulate(d, X86_EMU_INT1); break;
	case ZYDIS_MNEMONIC_INT: x86_set_emulate(d, X86_EMU_INT); break;
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_UD2:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_XBEGIN:
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
	case ZYDIS_MNEMONIC_XTEST:
	case ZYDIS_MNEMONIC_RDPKRU:
	case ZYDIS_MNEMONIC_WRPKRU: x86_set_emulate(d, X86_EMU_ILLEGAL); break;
	case ZYDIS_MNEMONIC_RDFSBASE: x86_set_emulate(d, X86_EMU_RDFSBASE); break;
	case ZYDIS_MNEMONIC_RDGSBASE: x86_set_emulate(d, X86_EMU_RDGSBASE); break;
	case ZYDIS_MNEMONIC_WRFSBASE: x86_set_emulate(d, X86_EMU_WRFSBASE); break;
	case ZYDIS_MNEMONIC_WRGSBASE: x86_set_emulate(d, X86_EMU_WRGSBASE); break;
	case ZYDIS_MNEMONIC_POPFQ:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPF: x86_set_emulate(d, X86_EMU_POPF); break;
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHF: /* AC is not the host's */
		x86_set_emulate(d, X86_EMU_PUSHF);
		break;
	case ZYDIS_MNEMONIC_IN:
	case ZYDIS_MNEMONIC_OUT:
	case ZYDIS_MNEMONIC_INSB:
	case ZYDIS_MNEMONIC_INSW:
	case ZYDIS_MNEMONIC_INSD:
	case ZYDIS_MNEMONIC_OUTSB:
	case ZYDIS_MNEMONIC_OUTSW:
	case ZYDIS_MNEMONIC_OUTSD:
	case ZYDIS_MNEMONIC_CLI:
	case ZYDIS_MNEMONIC_STI:
	case ZYDIS_MNEMONIC_HLT: x86_set_emulate(d, X86_EMU_PRIVILEGED); break;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ: x86_set_emulate(d, X86_EMU_FAR); break;
	default:
		if (is_for_systems(d))
			x86_set_emulate(d, X86_EMU_ILLEGAL);
		else if (d->z.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED)
			x86_set_emulate(d, X86_EMU_PRIVILEGED);
		else if (d->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			x86_set_emulate(d, X86_EMU_FAR);
		else if (!d->is_32)
			choose_segment_emulation(d);
		break;
	}
}

void x86_fixup(struct x86_decoded *d)
{
	if (d->is_unknown) {
		x86_set_emulate(d, d->is_32 ? X86_EMU_ILLEGAL : X86_EMU_STEP);
		return;
	}
	if (is_shift(d->z.mnemonic))
		fix_shift_flags(d);
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_BSF:
	case ZYDIS_MNEMONIC_BSR:
	case ZYDIS_MNEMONIC_LZCNT:
	case ZYDIS_MNEMONIC_TZCNT:
		break; /* a zero source leaves the destination: it is used in any case */
	case ZYDIS_MNEMONIC_XLAT:
		d->gpr_used |= 1u << X86_RAX; /* AL is the index and not in the operand list */
		break;
	case ZYDIS_MNEMONIC_SCASB:
	case ZYDIS_MNEMONIC_SCASW:
	case ZYDIS_MNEMONIC_SCASD:
	case ZYDIS_MNEMONIC_SCASQ:
	case ZYDIS_MNEMONIC_CMPSB:
	case ZYDIS_MNEMONIC_CMPSW:
	case ZYDIS_MNEMONIC_CMPSD:
	case ZYDIS_MNEMONIC_CMPSQ:
		/* With a REP prefix and RCX = 0 no flag is written. (CMPSD the SSE2 instruction has
		 * no flags to lose.) */
		if (d->z.attributes &
		    (ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REP)) {
			d->flags_read |= d->flags_killed;
			d->flags_killed = 0;
		}
		break;
	case ZYDIS_MNEMONIC_SYSCALL: /* argument registers are not in the operand list */
		d->gpr_used |= 1u << X86_RAX | 1u << X86_RCX | 1u << X86_RDX | 1u << X86_RSI |
			       1u << X86_RDI | 1u << 8 | 1u << 9 | 1u << 10 | 1u << 11;
		break;
	default: break;
	}
	/* Anything about flags that is not certain must not hide a live flag. */
	choose_emulation(d);
	if (d->is_32)
		x86_fixup_32(d);
	if (d->emulate || d->term == X86_TERM_SYSCALL)
		d->flags_killed = 0;
}
