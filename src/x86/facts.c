/* facts.c -- registers, stacks and lengths of one instruction, decoded again. */
#include "x86/facts.h"

#include <string.h>

#include "x86/insn.h"

#define SP (1u << X86_RSP)

static uint16_t gpr_bit(ZydisRegister reg)
{
	const int n = x86_gpr_number(reg);

	return n < 0 ? 0 : (uint16_t)(1u << n);
}

/* Number of an ST or MMX register; the two classes are numbered from 0 alike. */
static uint8_t low_bit(ZydisRegister reg)
{
	return (uint8_t)(1u << (ZydisRegisterGetId(reg) & 7));
}

static void note_register(struct x86_facts *f, const ZydisDecodedOperand *op)
{
	const bool reads = op->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
	const bool writes = op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	const uint16_t bit = gpr_bit(op->reg.value);

	f->gpr_read |= reads ? bit : 0;
	f->gpr_written |= writes ? bit : 0;
	if (ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_MMX) {
		f->mmx_read |= reads ? low_bit(op->reg.value) : 0;
		f->mmx_written |= writes ? low_bit(op->reg.value) : 0;
	} else if (ZydisRegisterGetClass(op->reg.value) == ZYDIS_REGCLASS_X87) {
		f->st_read |= reads ? low_bit(op->reg.value) : 0;
		f->st_written |= writes ? low_bit(op->reg.value) : 0;
	}
}

static void note_memory(struct x86_facts *f, const ZydisDecodedOperand *op)
{
	const uint16_t address = (uint16_t)(gpr_bit(op->mem.base) | gpr_bit(op->mem.index));

	f->gpr_read |= address;
	if (f->stack && op->encoding == ZYDIS_OPERAND_ENCODING_NONE && address == SP)
		return; /* the stack pointer by itself: x86_facts.stack tells */
	f->gpr_address |= address;
	if (op->mem.type != ZYDIS_MEMOP_TYPE_AGEN && op->encoding != ZYDIS_OPERAND_ENCODING_NONE)
		f->has_memory = true;
}

static uint8_t stack_of(const struct x86_decoded *d)
{
	switch (d->z.meta.category) {
	case ZYDIS_CATEGORY_PUSH: return X86_STACK_PUSH;
	case ZYDIS_CATEGORY_POP: return X86_STACK_POP;
	case ZYDIS_CATEGORY_CALL: return X86_STACK_CALL;
	case ZYDIS_CATEGORY_RET: return X86_STACK_RET;
	default: break;
	}
	if (d->z.mnemonic == ZYDIS_MNEMONIC_ENTER || d->z.mnemonic == ZYDIS_MNEMONIC_LEAVE)
		return X86_STACK_FRAME;
	return X86_STACK_NONE;
}

static uint8_t x87_kind(const struct x86_decoded *d)
{
	const bool has_memory = d->mem >= 0;

	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2: return X86_X87_LOAD;
	case ZYDIS_MNEMONIC_FST:
	case ZYDIS_MNEMONIC_FSTP: return has_memory ? X86_X87_STORE : X86_X87_MOVE;
	case ZYDIS_MNEMONIC_FIST:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP: return X86_X87_STORE;
	case ZYDIS_MNEMONIC_FXCH: return X86_X87_EXCHANGE;
	case ZYDIS_MNEMONIC_FCOM:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FUCOM:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FUCOMPP:
	case ZYDIS_MNEMONIC_FCOMI:
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMI:
	case ZYDIS_MNEMONIC_FUCOMIP:
	case ZYDIS_MNEMONIC_FICOM:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FTST:
	case ZYDIS_MNEMONIC_FXAM: return X86_X87_COMPARE;
	case ZYDIS_MNEMONIC_FNSAVE:
	case ZYDIS_MNEMONIC_FRSTOR:
	case ZYDIS_MNEMONIC_FNINIT: return X86_X87_STATE;
	case ZYDIS_MNEMONIC_FNOP:
	case ZYDIS_MNEMONIC_FLDCW:
	case ZYDIS_MNEMONIC_FNSTCW:
	case ZYDIS_MNEMONIC_FNSTSW:
	case ZYDIS_MNEMONIC_FNCLEX:
	case ZYDIS_MNEMONIC_FFREE:
	case ZYDIS_MNEMONIC_FFREEP:
	case ZYDIS_MNEMONIC_FINCSTP:
	case ZYDIS_MNEMONIC_FDECSTP:
	case ZYDIS_MNEMONIC_FLDENV:
	case ZYDIS_MNEMONIC_FNSTENV:
	case ZYDIS_MNEMONIC_FWAIT:
	case ZYDIS_MNEMONIC_FDISI8087_NOP:
	case ZYDIS_MNEMONIC_FENI8087_NOP:
	case ZYDIS_MNEMONIC_FSETPM287_NOP: return X86_X87_CONTROL;
	default: return X86_X87_COMPUTE;
	}
}

/* Values pushed less values popped. */
static int8_t x87_push(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_FLD:
	case ZYDIS_MNEMONIC_FILD:
	case ZYDIS_MNEMONIC_FBLD:
	case ZYDIS_MNEMONIC_FLD1:
	case ZYDIS_MNEMONIC_FLDZ:
	case ZYDIS_MNEMONIC_FLDPI:
	case ZYDIS_MNEMONIC_FLDL2E:
	case ZYDIS_MNEMONIC_FLDL2T:
	case ZYDIS_MNEMONIC_FLDLG2:
	case ZYDIS_MNEMONIC_FLDLN2:
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FXTRACT:
	case ZYDIS_MNEMONIC_FDECSTP: return 1;
	case ZYDIS_MNEMONIC_FSTP:
	case ZYDIS_MNEMONIC_FISTP:
	case ZYDIS_MNEMONIC_FISTTP:
	case ZYDIS_MNEMONIC_FBSTP:
	case ZYDIS_MNEMONIC_FADDP:
	case ZYDIS_MNEMONIC_FSUBP:
	case ZYDIS_MNEMONIC_FSUBRP:
	case ZYDIS_MNEMONIC_FMULP:
	case ZYDIS_MNEMONIC_FDIVP:
	case ZYDIS_MNEMONIC_FDIVRP:
	case ZYDIS_MNEMONIC_FCOMP:
	case ZYDIS_MNEMONIC_FUCOMP:
	case ZYDIS_MNEMONIC_FICOMP:
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMIP:
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FYL2XP1:
	case ZYDIS_MNEMONIC_FPATAN:
	case ZYDIS_MNEMONIC_FINCSTP:
	case ZYDIS_MNEMONIC_FFREEP: return -1;
	case ZYDIS_MNEMONIC_FCOMPP:
	case ZYDIS_MNEMONIC_FUCOMPP: return -2;
	default: return 0;
	}
}

/* The register that FLD st(i) reads. */
static uint8_t x87_source(const struct x86_decoded *d)
{
	for (unsigned k = 0; k < d->z.operand_count; k++)
		if (d->op[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    d->op[k].encoding != ZYDIS_OPERAND_ENCODING_NONE)
			return low_bit(d->op[k].reg.value);
	return 1;
}

/* Which stack registers are read (numbered before) and written (after); Zydis numbers all of them
 * before. */
static void note_x87(struct x86_facts *f, const struct x86_decoded *d)
{
	f->x87 = x87_kind(d);
	f->x87_push = x87_push(d->z.mnemonic);
	switch (f->x87) {
	case X86_X87_LOAD:
		f->st_read = d->z.mnemonic == ZYDIS_MNEMONIC_FLD && d->mem < 0 ? x87_source(d) : 0;
		f->st_written = 1;
		return;
	case X86_X87_CONTROL:
	case X86_X87_STATE: f->st_read = f->st_written = 0; return;
	case X86_X87_STORE:
		f->st_read = 1;
		f->st_written = 0;
		return;
	case X86_X87_COMPARE:
		f->st_read |= 1 | (f->x87_push == -2 ? 2 : 0);
		f->st_written = 0;
		return;
	case X86_X87_EXCHANGE: f->st_written = f->st_read; return;
	default: break;
	}
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_FSINCOS:
	case ZYDIS_MNEMONIC_FPTAN:
	case ZYDIS_MNEMONIC_FXTRACT:
		f->st_read = 1;
		f->st_written = 3;
		return;
	case ZYDIS_MNEMONIC_FYL2X:
	case ZYDIS_MNEMONIC_FYL2XP1:
	case ZYDIS_MNEMONIC_FPATAN:
		f->st_read = 3;
		f->st_written = 1;
		return;
	case ZYDIS_MNEMONIC_FPREM:
	case ZYDIS_MNEMONIC_FPREM1:
	case ZYDIS_MNEMONIC_FSCALE:
		f->st_read = 3;
		f->st_written = 1;
		return;
	default:
		if (f->x87_push < 0)
			f->st_written >>= -f->x87_push;
		return;
	}
}

static void note_encoding(struct x86_facts *f, const struct x86_decoded *d)
{
	const ZydisDecodedInstruction *z = &d->z;

	for (unsigned i = 0; i < z->raw.prefix_count; i++) {
		switch (z->raw.prefixes[i].value) {
		case 0x66: f->prefixes |= X86_PFX_66; break;
		case 0x67: f->prefixes |= X86_PFX_67; break;
		case 0xf0: f->prefixes |= X86_PFX_LOCK; break;
		case 0xf2:
		case 0xf3: f->prefixes |= X86_PFX_REP; break;
		default:
			if ((z->raw.prefixes[i].value & 0xf0) == 0x40)
				f->prefixes |= X86_PFX_REX;
			else
				f->prefixes |= X86_PFX_SEG;
			break;
		}
	}
	f->n_prefix = z->raw.prefix_count;
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    z->encoding != ZYDIS_INSTRUCTION_ENCODING_3DNOW) {
		f->prefixes |= X86_PFX_REX;
		f->map = X86_MAP_OTHER;
	} else {
		f->map = z->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT ? X86_MAP_ONE
			 : z->opcode_map == ZYDIS_OPCODE_MAP_0F	   ? X86_MAP_0F
								   : X86_MAP_OTHER;
	}
	f->opcode = z->opcode;
	f->reg = z->attributes & ZYDIS_ATTRIB_HAS_MODRM ? z->raw.modrm.reg : 8;
	f->disp_bytes = z->raw.disp.size / 8;
	f->imm_bytes = (uint8_t)((z->raw.imm[0].size + z->raw.imm[1].size) / 8);
	f->bare_bytes = (uint8_t)(z->length - f->n_prefix);
}

static void nothing_known(struct x86_facts *f)
{
	memset(f, 0, sizeof(*f));
	f->reg = 8;
	f->bare_bytes = 1;
}

bool x86_bytes_facts(const uint8_t *bytes, unsigned n, enum x86_mode mode, struct x86_facts *f)
{
	ZydisDecoder decoder;
	struct x86_decoded d;

	nothing_known(f);
	x86_decoder_init(&decoder, mode);
	if (x86_decode(&decoder, &d, 0, bytes, n) || d.is_unknown)
		return false;
	f->stack = stack_of(&d);
	for (unsigned k = 0; k < d.z.operand_count; k++) {
		if (d.op[k].type == ZYDIS_OPERAND_TYPE_REGISTER)
			note_register(f, &d.op[k]);
		else if (d.op[k].type == ZYDIS_OPERAND_TYPE_MEMORY)
			note_memory(f, &d.op[k]);
	}
	if (d.z.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		f->gpr_read |= 1u << X86_RAX;
		f->gpr_address |= 1u << X86_RAX;
	}
	if (d.z.cpu_flags) {
		f->flags_read = d.z.cpu_flags->tested & X86_FLAGS_ALL;
		f->flags_written =
		    (d.z.cpu_flags->modified | d.z.cpu_flags->set_0 | d.z.cpu_flags->set_1) &
		    X86_FLAGS_ALL;
	}
	if (d.z.meta.isa_ext == ZYDIS_ISA_EXT_X87)
		note_x87(f, &d);
	note_encoding(f, &d);
	return true;
}

bool x86_insn_facts(const struct x86_block *b, unsigned i, struct x86_facts *f)
{
	const struct x86_insn *in = &b->insn[i];

	if (x86_bytes_facts(b->code + in->pc_off, in->bytes, (enum x86_mode)b->mode, f) &&
	    f->n_prefix + f->bare_bytes == in->bytes)
		return true;
	nothing_known(f);
	return false;
}
