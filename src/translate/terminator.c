/* terminator.c -- the end of a block, one function per kind of control transfer.
 *
 * What can fault (stack and target reads, pushes) comes before the record pointer moves, so that a
 * fault finds the record still open.
 */
#include "translate/terminator.h"

#include "trace/record.h"
#include "translate/term32.h"
#include "translate/term64.h"

static const struct x86_decoded *last(const struct xlt_emitter *e)
{
	return &e->b->dec[e->b->block.n_insn - 1];
}

/* Advance the record pointer and give r15's stand-in back. Flags stay. */
static void close_block(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;
	bool is_written = false;

	if (e->x->cfg.tier == SHR_TIER_STREAM)
		emit_lea(e->out, X86_R15, X86_R15, (int32_t)(4 + 8 * blk->n_slot));
	xlt_mark(e, e->state | SHR_ST_BUMPED);
	if (e->regs.x == X86_R15)
		return;
	for (unsigned i = 0; i < blk->n_insn; i++)
		is_written |= (e->b->dec[i].gpr_written & 1u << X86_R15) != 0;
	if (is_written)
		emit_store_gs(e->out, SHR_GS_R15, e->regs.x);
	emit_load_gs(e->out, e->regs.x, SHR_GS_SPILL_X);
	xlt_mark(e, e->state & ~(unsigned)SHR_ST_X);
}

/* A jump whose displacement (just emitted, 4 bytes) will be linked to guest address `target`. */
struct open_jump {
	uint32_t exit_id;
	uint32_t patch_off;
};

static struct open_jump open_jump(struct xlt_emitter *e, const struct x86_out *o, uint64_t target)
{
	struct open_jump j = {xlt_new_exit(e->x, SHR_EXIT_MISS, target, e->id), o->off - 4};

	return j;
}

/* Write the cold stub of an open jump and make the jump go there until it is linked. */
static void close_jump(struct xlt_emitter *e, struct open_jump j)
{
	uint32_t stub;

	if (j.exit_id == XLT_NONE)
		return;
	stub = xlt_emit_exit(e->x, j.exit_id);
	emit_patch(e->out->base, j.patch_off, stub);
	e->x->exit[j.exit_id].patch_off = j.patch_off;
	e->x->exit[j.exit_id].stub_off = stub;
}

/* is_cut: no branch of the program, the block was only cut here. */
static void direct(struct xlt_emitter *e, uint64_t target, bool is_cut)
{
	struct open_jump j;

	close_block(e);
	emit_jump(e->out, 0);
	j = open_jump(e, e->out, target);
	if (j.exit_id != XLT_NONE)
		e->x->cfg.tables->exit[j.exit_id].insn = is_cut;
	e->x->open_fall = j.exit_id;
	close_jump(e, j);
}

/* JRCXZ, JECXZ, LOOPx have only a short form: hop over the jump to the fall-through side. */
static bool is_short_only(const struct x86_decoded *d)
{
	switch (d->z.mnemonic) {
	case ZYDIS_MNEMONIC_JRCXZ:
	case ZYDIS_MNEMONIC_JECXZ:
	case ZYDIS_MNEMONIC_JCXZ:
	case ZYDIS_MNEMONIC_LOOP:
	case ZYDIS_MNEMONIC_LOOPE:
	case ZYDIS_MNEMONIC_LOOPNE: return true;
	default: return false;
	}
}

/* Append TRC_TAKEN: the slack behind the chunk's limit has room for it. */
static void emit_taken_record(struct x86_out *o)
{
	emit_store_imm32(o, X86_R15, 0, TRC_SPECIAL + TRC_TAKEN);
	emit_store_imm32(o, X86_R15, 4, 0);
	emit_lea(o, X86_R15, X86_R15, 8);
}

/* JCXZ and LOOPx of 32-bit code that count in 16 bits. Returns the code offset of the displacement
 * of the jump to the branch target. */
static uint32_t count_16(struct xlt_emitter *e, const struct x86_decoded *d, struct open_jump *fall)
{
	bool is_jcxz = d->z.mnemonic == ZYDIS_MNEMONIC_JCXZ;
	struct x86_out *o = e->out;
	uint32_t hop, to_taken = 0;

	xlt32_count_16(o, d);
	emit8(o, 0xe3); /* jrcxz */
	hop = o->off;
	emit8(o, 0);
	for (unsigned i = 0; i < 2; i++) {
		if (i == 1)
			o->base[hop] = (uint8_t)(o->off - hop - 1);
		xlt32_move(o, X86_RCX, XLT32_VALUE);
		if (i == 0 && d->z.mnemonic == ZYDIS_MNEMONIC_LOOPE)
			emit_bytes(o, "\x75\x05", 2); /* jnz over the jump */
		if (i == 0 && d->z.mnemonic == ZYDIS_MNEMONIC_LOOPNE)
			emit_bytes(o, "\x74\x05", 2);
		emit_jump(o, 0);
		if ((i == 0) == is_jcxz)
			*fall = open_jump(e, o, e->b->block.fall);
		else
			to_taken = o->off - 4;
	}
	return to_taken;
}

static void conditional(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;
	const struct x86_decoded *d = last(e);
	bool is_stream = e->x->cfg.tier == SHR_TIER_STREAM;
	/* In the stream the next block tells, unless both ways lead to it. */
	bool counts_taken = is_stream ? blk->target == blk->fall : e->x->cfg.has_taken;
	struct open_jump fall, taken;
	uint32_t to_taken;

	close_block(e);
	if (is_short_only(d) && d->z.address_width == 16) {
		to_taken = count_16(e, d, &fall);
	} else if (is_short_only(d)) {
		if (d->z.address_width == 32)
			emit8(e->out, 0x67);
		emit8(e->out, d->z.opcode);
		emit8(e->out, 5);
		emit_jump(e->out, 0);
		fall = open_jump(e, e->out, blk->fall);
		emit_jump(e->out, 0);
		to_taken = e->out->off - 4;
	} else {
		emit8(e->out, 0x0f);
		emit8(e->out, 0x80 | (d->z.opcode & 15));
		emit32(e->out, 0);
		to_taken = e->out->off - 4;
		emit_jump(e->out, 0);
		fall = open_jump(e, e->out, blk->fall);
		e->x->open_fall = fall.exit_id;
	}
	if (counts_taken) { /* the jump goes by way of the counter or record */
		emit_patch(e->out->base, to_taken, e->x->cold.off);
		xlt_note(e->x, to_taken, XLT_MOVE_ACROSS);
		if (is_stream)
			emit_taken_record(&e->x->cold);
		else
			xlt_emit_taken_counter(e);
		emit_jump(&e->x->cold, 0);
		taken = open_jump(e, &e->x->cold, blk->target);
	} else {
		taken = (struct open_jump){xlt_new_exit(e->x, SHR_EXIT_MISS, blk->target, e->id),
					   to_taken};
	}
	close_jump(e, taken);
	close_jump(e, fall);
}

/* Push the return address; a fault leaves RSP as it was. */
static void push_return(struct xlt_emitter *e)
{
	uint64_t fall = e->b->block.fall;

	if (last(e)->is_32) {
		xlt32_push_return(e->out, last(e), fall);
		return;
	}
	if (fall < 0x80000000u) {
		emit8(e->out, 0x68);
		emit32(e->out, (uint32_t)fall);
		return;
	}
	emit_store_imm32(e->out, X86_RSP, -8, (uint32_t)fall);
	emit_store_imm32(e->out, X86_RSP, -4, (uint32_t)(fall >> 32));
	emit_lea(e->out, X86_RSP, X86_RSP, -8);
}

static void spill_for_indirect(struct xlt_emitter *e)
{
	emit_store_gs(e->out, SHR_GS_SPILL_RCX, X86_RCX);
	xlt_mark(e, e->state | SHR_ST_RCX);
}

/* rcx = guest target: jump through the inline table by its low 16 bits. rax stays where it is: it
 * is what most functions return, and through memory it would be late. */
static void jump_by_table(struct xlt_emitter *e)
{
	close_block(e);
	emit_store_gs(e->out, SHR_GS_TARGET, X86_RCX);
	emit_store_gs_imm(e->out, SHR_GS_FROM,
			  e->id); /* should the target be no address, the branch faults */
	xlt_note(e->x, e->out->off - 4, XLT_MOVE_BLOCK);
	emit_bytes(e->out, "\x0f\xb7\xc9", 3);	   /* movzx ecx, cx */
	emit_bytes(e->out, "\x65\xff\x24\xcd", 4); /* jmp gs:[rcx*8 + disp32] */
	emit32(e->out, SHR_GS_IB);
}

static void load_target(struct xlt_emitter *e)
{
	const struct x86_decoded *d = last(e);
	unsigned reg;

	if (d->mem >= 0) {
		if (xlt_copy_needs_y(e->out, d)) {
			emit_store_gs(e->out, SHR_GS_SPILL_Y, e->regs.y);
			xlt_mark(e, e->state | SHR_ST_Y);
			xlt_note_rip(e->x, xlt_memory_op(e->out, d, &e->regs, 0x8b, X86_RCX));
			emit_load_gs(e->out, e->regs.y, SHR_GS_SPILL_Y);
			xlt_mark(e, e->state & ~(unsigned)SHR_ST_Y);
		} else {
			xlt_note_rip(e->x, xlt_memory_op(e->out, d, &e->regs, 0x8b, X86_RCX));
		}
		return;
	}
	reg = (unsigned)x86_gpr_number(d->op[0].reg.value);
	if (reg == X86_R15)
		reg = e->regs.x;
	/* mov rcx, reg */
	emit_bytes(e->out,
		   (uint8_t[]){(uint8_t)(0x48 | reg >> 3), 0x8b, (uint8_t)(0xc8 | (reg & 7))}, 3);
}

static void indirect(struct xlt_emitter *e, bool is_call)
{
	if (last(e)->is_32) {
		xlt32_load_target(e->out, last(e));
		if (is_call)
			push_return(e);
		close_block(e);
		xlt32_jump_by_table(e->out);
		return;
	}
	spill_for_indirect(e);
	load_target(e);
	if (is_call)
		push_return(e);
	jump_by_table(e);
}

static void ret(struct xlt_emitter *e)
{
	const struct x86_decoded *d = last(e);
	uint64_t extra = d->z.operand_count_visible ? d->op[0].imm.value.u & 0xffff : 0;

	if (d->is_32) {
		xlt32_return(e->out, d);
		close_block(e);
		xlt32_jump_by_table(e->out);
		return;
	}
	spill_for_indirect(e);
	emit_load(e->out, X86_RCX, X86_RSP, 0);
	emit_lea(e->out, X86_RSP, X86_RSP, (int32_t)(8 + extra));
	jump_by_table(e);
}

/* The runtime's number for what it must execute. */
static uint8_t emulation(uint8_t what)
{
	static const uint8_t number[X86_N_EMULATE] = {
	    [X86_EMU_CPUID] = SHR_EMU_CPUID,
	    [X86_EMU_RDTSC] = SHR_EMU_RDTSC,
	    [X86_EMU_RDTSCP] = SHR_EMU_RDTSCP,
	    [X86_EMU_RDPMC] = SHR_EMU_RDPMC,
	    [X86_EMU_XGETBV] = SHR_EMU_XGETBV,
	    [X86_EMU_RDRAND] = SHR_EMU_RDRAND,
	    [X86_EMU_RDSEED] = SHR_EMU_RDSEED,
	    [X86_EMU_RDPID] = SHR_EMU_RDPID,
	    [X86_EMU_INT3] = SHR_EMU_INT3,
	    [X86_EMU_INT1] = SHR_EMU_INT1,
	    [X86_EMU_INT] = SHR_EMU_INT,
	    [X86_EMU_ILLEGAL] = SHR_EMU_ILLEGAL,
	    [X86_EMU_PRIVILEGED] = SHR_EMU_PRIVILEGED,
	    [X86_EMU_RDFSBASE] = SHR_EMU_RDFSBASE,
	    [X86_EMU_RDGSBASE] = SHR_EMU_RDGSBASE,
	    [X86_EMU_WRFSBASE] = SHR_EMU_WRFSBASE,
	    [X86_EMU_WRGSBASE] = SHR_EMU_WRGSBASE,
	    [X86_EMU_POPF] = SHR_EMU_POPF,
	    [X86_EMU_PUSHF] = SHR_EMU_PUSHF,
	    [X86_EMU_STORE_SEG] = SHR_EMU_STORE_SEG,
	    [X86_EMU_STEP] = SHR_EMU_STEP,
	    [X86_EMU_LOAD_SEG] = SHR_EMU_LOAD_SEG,
	    [X86_EMU_LOAD_FAR] = SHR_EMU_LOAD_FAR,
	    [X86_EMU_FAR] = SHR_EMU_FAR,
	    [X86_EMU_SYSENTER] = SHR_EMU_SYSENTER,
	    [X86_EMU_BCD] = SHR_EMU_BCD,
	    [X86_EMU_BOUND] = SHR_EMU_BOUND,
	    [X86_EMU_INTO] = SHR_EMU_INTO,
	    [X86_EMU_STORE_TABLE] = SHR_EMU_STORE_TABLE,
	    [X86_EMU_XSAVE] = SHR_EMU_XSAVE,
	    [X86_EMU_ARPL] = SHR_EMU_ARPL,
	    [X86_EMU_X87_PC] = SHR_EMU_X87_PC,
	    [X86_EMU_REQUEST] = SHR_EMU_REQUEST,
	    [X86_EMU_STRING] = SHR_EMU_STRING,
	};

	return number[what];
}

static void into_runtime(struct xlt_emitter *e, uint8_t kind)
{
	const struct x86_block *blk = &e->b->block;
	const struct x86_decoded *d = last(e);
	bool is_syscall = kind == SHR_EXIT_SYSCALL;
	uint32_t id;

	if (d->emulate == X86_EMU_X87_PC)
		xlt_emit_instruction(e); /* it runs in place */
	if (d->is_32 && !is_syscall)
		xlt32_emulate_operands(e->out, d);
	else if (!is_syscall)
		xlt64_emulate_operands(e, d);
	close_block(e);
	id = xlt_new_exit(e->x, kind, is_syscall ? blk->fall : d->pc, e->id);
	if (id == XLT_NONE)
		return;
	if (!is_syscall) {
		struct shr_exit *x = &e->x->cfg.tables->exit[id];
		int reg = -1;

		x->insn = emulation(blk->emulate);
		x->bytes = d->z.length;
		x->operand = d->is_unknown ? 0 : d->z.operand_width / 8;
		if (!d->is_unknown && d->z.operand_count &&
		    d->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
			reg = x86_gpr_number(d->op[0].reg.value);
		if (blk->emulate == X86_EMU_INT)
			x->operand = (uint16_t)(d->op[0].imm.value.u & 0xff);
		x->reg = (uint8_t)(reg < 0 ? 0 : reg);
		if (d->is_32)
			xlt32_describe_exit(x, d);
		else
			xlt64_describe_exit(x, d);
	}
	emit_jump(e->out, xlt_emit_exit(e->x, id));
	xlt_note(e->x, e->out->off - 4, XLT_MOVE_ACROSS);
}

void xlt_emit_terminator(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;

	switch (blk->term) {
	case X86_TERM_FALL: direct(e, blk->fall, true); break;
	case X86_TERM_JCC: conditional(e); break;
	case X86_TERM_JMP: direct(e, blk->target, false); break;
	case X86_TERM_CALL:
		push_return(e);
		direct(e, blk->target, false);
		break;
	case X86_TERM_JMP_IND: indirect(e, false); break;
	case X86_TERM_CALL_IND: indirect(e, true); break;
	case X86_TERM_RET: ret(e); break;
	case X86_TERM_SYSCALL: into_runtime(e, SHR_EXIT_SYSCALL); break;
	default: into_runtime(e, SHR_EXIT_EMULATE); break;
	}
}
