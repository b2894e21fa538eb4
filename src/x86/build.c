/* build.c -- decode a run of instructions into one static block.
 *
 * A block ends with a control transfer, before the first byte of an unknown page, before an
 * instruction that would leave no register to stand in for r15, or at the limits of its arrays.
 */
#include "x86/build.h"

#include <string.h>

#include "base/error.h"

#define PAGE_BYTES 4096u

/* Gather up to 15 bytes at pc from the source. Returns the number of readable bytes; *missing
 * receives the first page that the source does not have, 0 when none was needed. */
static unsigned fetch(const struct x86_code_source *src, uint64_t pc, uint8_t out[15],
		      uint64_t *missing)
{
	uint64_t page = pc & ~(uint64_t)(PAGE_BYTES - 1);
	unsigned off = (unsigned)(pc - page), n = PAGE_BYTES - off;
	const uint8_t *bytes = src->page(src->ctx, page);

	*missing = 0;
	if (!bytes) {
		*missing = page;
		return 0;
	}
	if (n >= 15) {
		memcpy(out, bytes + off, 15);
		return 15;
	}
	memcpy(out, bytes + off, n);
	bytes = src->page(src->ctx, page + PAGE_BYTES);
	if (!bytes) {
		*missing = page + PAGE_BYTES;
		return n;
	}
	memcpy(out + n, bytes, 15 - n);
	return 15;
}

/* Does the exchange at `at`, of `bytes` code, end a client request? Four rotates of rDI, which add
 * up to nothing, come before it: by 3, 13, 61 and 51, or 3, 13, 29 and 19. */
static bool is_request(const struct x86_code_source *src, uint64_t at, const struct x86_decoded *d)
{
	static const uint8_t wide[] = {0x48, 0xc1, 0xc7, 3,  0x48, 0xc1, 0xc7, 13,
				       0x48, 0xc1, 0xc7, 61, 0x48, 0xc1, 0xc7, 51};
	static const uint8_t narrow[] = {0xc1, 0xc7, 3,	 0xc1, 0xc7, 13,
					 0xc1, 0xc7, 29, 0xc1, 0xc7, 19};
	const uint8_t *rotates = d->is_32 ? narrow : wide;
	const unsigned n = d->is_32 ? sizeof(narrow) : sizeof(wide);

	if (d->is_32 ? d->z.length != 2 || memcmp(d->byte, "\x87\xdb", 2)
		     : d->z.length != 3 || memcmp(d->byte, "\x48\x87\xdb", 3))
		return false;
	for (unsigned i = 1; i <= n; i++) {
		const uint64_t pc = at - i;
		const uint8_t *page = src->page(src->ctx, pc & ~(uint64_t)(PAGE_BYTES - 1));

		if (!page || page[pc & (PAGE_BYTES - 1)] != rotates[n - i])
			return false;
	}
	return true;
}

static uint8_t op_kind(const ZydisDecodedOperand *op, uint8_t *reg)
{
	ZydisRegisterClass c;

	*reg = 0;
	if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
		return X86_OP_MEM;
	if (op->type != ZYDIS_OPERAND_TYPE_REGISTER)
		return X86_OP_IMM;
	if (x86_gpr_number(op->reg.value) >= 0) {
		*reg = (uint8_t)x86_gpr_number(op->reg.value);
		return X86_OP_GPR;
	}
	c = ZydisRegisterGetClass(op->reg.value);
	*reg = (uint8_t)ZydisRegisterGetId(op->reg.value);
	switch (c) {
	case ZYDIS_REGCLASS_X87: return X86_OP_X87;
	case ZYDIS_REGCLASS_MMX: return X86_OP_MMX;
	case ZYDIS_REGCLASS_XMM: return X86_OP_XMM;
	case ZYDIS_REGCLASS_YMM: return X86_OP_YMM;
	case ZYDIS_REGCLASS_ZMM: return X86_OP_ZMM;
	case ZYDIS_REGCLASS_MASK: return X86_OP_MASK;
	case ZYDIS_REGCLASS_SEGMENT: return X86_OP_SEG;
	default: return X86_OP_CR;
	}
}

static uint8_t insn_group(const struct x86_decoded *d)
{
	if (d->is_unknown)
		return X86_GRP_LATER;
	switch (d->z.meta.isa_ext) {
	case ZYDIS_ISA_EXT_X87: return X86_GRP_X87;
	case ZYDIS_ISA_EXT_MMX:
		/* SSE's own of this extension is PMOVMSKB; the rest came with SSE2 and SSSE3 */
		return d->z.meta.isa_set == ZYDIS_ISA_SET_PENTIUMMMX ||
			       d->z.meta.isa_set == ZYDIS_ISA_SET_SSE
			   ? X86_GRP_MMX
			   : X86_GRP_LATER;
	case ZYDIS_ISA_EXT_SSE:
		for (unsigned i = 0; i < d->z.operand_count_visible; i++)
			if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			    ZydisRegisterGetClass(d->op[i].reg.value) == ZYDIS_REGCLASS_XMM)
				return X86_GRP_SSE;
		for (unsigned i = 0; i < d->z.operand_count_visible; i++)
			if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			    ZydisRegisterGetClass(d->op[i].reg.value) == ZYDIS_REGCLASS_MMX)
				return X86_GRP_MMX; /* the integer part of SSE */
		return X86_GRP_SSE;
	case ZYDIS_ISA_EXT_BASE:
	case ZYDIS_ISA_EXT_PAUSE: /* a NOP with a prefix that the P6 ignores */
	case ZYDIS_ISA_EXT_CET:	  /* ENDBR and friends: multi-byte NOPs to the P6 */
	case ZYDIS_ISA_EXT_LONGMODE: return X86_GRP_INT;
	default: return X86_GRP_LATER;
	}
}

static bool is_string(ZydisInstructionCategory c)
{
	return c == ZYDIS_CATEGORY_STRINGOP || c == ZYDIS_CATEGORY_IOSTRINGOP;
}

static bool is_far(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_JMP:
	case ZYDIS_MNEMONIC_CALL:
	case ZYDIS_MNEMONIC_RET: return d->z.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR;
	default: return false;
	}
}

static uint32_t insn_flags(const struct x86_decoded *d)
{
	uint32_t f = 0;
	const uint64_t a = d->z.attributes;

	if (d->is_unknown)
		return 0;
	switch (d->term) {
	case X86_TERM_JCC: f |= X86_I_BRANCH | X86_I_COND; break;
	case X86_TERM_JMP: f |= X86_I_BRANCH; break;
	case X86_TERM_CALL: f |= X86_I_BRANCH | X86_I_CALL; break;
	case X86_TERM_JMP_IND: f |= X86_I_BRANCH | X86_I_INDIRECT; break;
	case X86_TERM_CALL_IND: f |= X86_I_BRANCH | X86_I_CALL | X86_I_INDIRECT; break;
	case X86_TERM_RET: f |= X86_I_BRANCH | X86_I_RET; break;
	default: break;
	}
	if (d->emulate == X86_EMU_FAR)
		f |= X86_I_BRANCH | X86_I_SEG_LOAD;
	if (is_string(d->z.meta.category)) {
		f |= X86_I_STRING;
		if (a & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
			f |= X86_I_REP;
	}
	if ((a & ZYDIS_ATTRIB_HAS_LOCK) || (d->z.mnemonic == ZYDIS_MNEMONIC_XCHG && d->mem >= 0))
		f |= X86_I_LOCK;
	if (a & ZYDIS_ATTRIB_HAS_REX)
		f |= X86_I_LONG_MODE;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_STD)
		f |= X86_I_SETS_DF;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_CLD)
		f |= X86_I_CLEARS_DF;
	if (d->z.mnemonic == ZYDIS_MNEMONIC_CPUID)
		f |= X86_I_SERIALIZE;
	if (is_far(d))
		f |= X86_I_FAR;
	if (d->z.encoding == ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
	    d->z.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && (d->z.opcode & 0xfe) == 0xd0)
		f |= X86_I_BY_ONE;
	for (unsigned i = 0; i < d->z.operand_count; i++)
		if (d->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    (d->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
		    ZydisRegisterGetClass(d->op[i].reg.value) == ZYDIS_REGCLASS_SEGMENT)
			f |= X86_I_SEG_LOAD;
	return f;
}

static void fill_insn(struct x86_builder *b, unsigned i)
{
	const struct x86_decoded *d = &b->dec[i];
	struct x86_insn *n = &b->insn[i];

	memset(n, 0, sizeof(*n));
	n->pc_off = (uint16_t)(d->pc - b->block.pc);
	n->bytes = d->z.length;
	n->mnemonic = (uint16_t)d->z.mnemonic;
	n->group = insn_group(d);
	n->flags = insn_flags(d);
	for (unsigned k = 0; k < d->z.operand_count_visible && k < X86_MAX_OPS; k++) {
		n->op[k].kind = op_kind(&d->op[k], &n->op[k].reg);
		n->op[k].bytes = d->op[k].size / 8;
		n->n_op++;
	}
	if (d->z.mnemonic == ZYDIS_MNEMONIC_ENTER)
		n->op[1].reg = d->op[1].imm.value.u & 31;
}

static void finish_block(struct x86_builder *b, const struct x86_build_limits *lim)
{
	struct x86_block *blk = &b->block;
	const struct x86_decoded *last = &b->dec[blk->n_insn - 1];

	blk->term = last->term;
	blk->emulate = last->emulate;
	blk->bytes = (uint16_t)(last->pc + last->z.length - blk->pc);
	blk->fall = blk->pc + blk->bytes;
	blk->target = 0;
	if (blk->term == X86_TERM_JCC || blk->term == X86_TERM_JMP || blk->term == X86_TERM_CALL)
		blk->target = blk->fall + (uint64_t)last->op[0].imm.value.s;
	if (blk->mode != X86_MODE_64)
		blk->target &=
		    last->z.operand_width == 16 && !lim->has_addresses ? 0xffffu : 0xffffffffu;
	b->gpr_used = 0;
	b->uses_r15 = false;
	for (unsigned i = 0; i < blk->n_insn; i++) {
		b->gpr_used |= b->dec[i].gpr_used;
		if (b->dec[i].gpr_used & 1u << X86_R15)
			b->uses_r15 = true;
	}
}

/* Registers that the translator needs for itself at the end of the block. */
static uint16_t term_registers(uint8_t term)
{
	if (term == X86_TERM_RET || term == X86_TERM_JMP_IND || term == X86_TERM_CALL_IND)
		return 1u << X86_RAX | 1u << X86_RCX;
	return 0;
}

void x86_builder_init(struct x86_builder *b, enum x86_mode mode)
{
	b->mode = mode;
	b->recall = NULL;
	x86_decoder_init(&b->decoder, mode);
}

/* Decode instruction n of the block, at `at`, into b->dec and b->insn. Returns as x86_decode(). */
static int decode(struct x86_builder *b, unsigned n, uint64_t at, const uint8_t *bytes,
		  unsigned have, const struct x86_code_source *src,
		  const struct x86_build_limits *lim)
{
	const bool is_kept = b->recall && b->mode == X86_MODE_64 && have == 15;
	struct x86_decoded *d = &b->dec[n];
	int rc;

	if (is_kept && x86_recall(b->recall, at, bytes, d, &b->insn[n])) {
		b->insn[n].pc_off = (uint16_t)(at - b->block.pc);
		return 0;
	}
	rc = x86_decode(&b->decoder, d, at, bytes, have);
	if (rc)
		return rc;
	if (lim->null_segments)
		x86_fixup_null(d, lim->null_segments);
	if (is_request(src, at, d))
		x86_set_emulate(d, X86_EMU_REQUEST);
	fill_insn(b, n);
	if (is_kept)
		x86_remember(b->recall, bytes, d, &b->insn[n]);
	return 0;
}

int x86_block_build(struct x86_builder *b, uint64_t pc, const struct x86_code_source *src,
		    const struct x86_build_limits *lim)
{
	uint64_t at = pc, missing;
	uint16_t used = 0;
	unsigned n = 0;
	struct x86_block *blk = &b->block;

	memset(blk, 0, sizeof(*blk));
	blk->pc = pc;
	blk->mode = (uint8_t)b->mode;
	blk->insn = b->insn;
	blk->ref = b->ref;
	blk->slot = b->slot;
	blk->rep = b->rep;
	blk->parts = b->parts;
	blk->code = b->code;
	while (n < lim->max_insns && n < X86_MAX_INSNS) {
		struct x86_decoded *d = &b->dec[n];
		uint8_t bytes[15];
		unsigned have = fetch(src, at, bytes, &missing);
		uint16_t now;

		if (have == 0 || decode(b, n, at, bytes, have, src, lim) != 0) {
			if (n > 0)
				break;
			b->missing_page = missing;
			return -SPMU_ENOENT;
		}
		if (d->is_unknown && missing) { /* perhaps only cut short by the page end */
			if (n > 0)
				break;
			b->missing_page = missing;
			return -SPMU_ENOENT;
		}
		now = (uint16_t)(used | d->gpr_used | term_registers(d->term));
		if (n > 0 && (now & 1u << X86_R15) && (now & X86_STAND_IN) == X86_STAND_IN)
			break;
		blk->is_before_rdpmc = n > 0 && d->emulate == X86_EMU_RDPMC;
		if (n > 0 && (d->is_unknown || blk->is_before_rdpmc)) /* they stand alone */
			break;
		used |= d->gpr_used;
		memcpy(b->code + (at - pc), d->byte, d->z.length);
		n++;
		at += d->z.length;
		if (d->term != X86_TERM_FALL || d->is_bulky ||
		    (lim->is_single_store && d->writes_memory))
			break;
	}
	blk->n_insn = (uint8_t)n;
	finish_block(b, lim);
	if (lim->has_slots) {
		unsigned fit = x86_plan_slots(b, lim);

		if (fit < n) {
			blk->n_insn = (uint8_t)fit;
			blk->is_before_rdpmc = false;
			finish_block(b, lim);
			x86_plan_slots(b, lim);
		}
	}
	return 0;
}
