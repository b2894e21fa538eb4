/* block.c -- emit one block.
 *
 *   indirect entry   rcx = guest target, rcx and rax of the program spilled: is it this block?
 *   main entry       self-checking blocks: is the source still the same? r15 stand-in loaded; block id
 *                    stored (tier 2); per instruction: record slots, then the instruction; once, where flags are dead: chunk limit (tier 2) or counter (tier 1)
 *   terminator       record pointer advanced, stand-in stored back, jump
 *   cold part        exits
 *
 * Every change of what a fault handler must know is noted in a shr_recover entry.
 */
#include "translate/internal.h"

#include "base/error.h"
#include "trace/record.h"
#include "translate/term32.h"
#include "translate/terminator.h"

static void save_y(struct xlt_emitter *e)
{
	emit_store_gs(e->out, SHR_GS_SPILL_Y, e->regs.y);
	xlt_mark(e, e->state | SHR_ST_Y);
}

static void restore_y(struct xlt_emitter *e)
{
	emit_load_gs(e->out, e->regs.y, SHR_GS_SPILL_Y);
	xlt_mark(e, e->state & ~(unsigned)SHR_ST_Y);
}

void xlt_mark(struct xlt_emitter *e, unsigned state)
{
	struct xlt *x = e->x;
	uint16_t code = (uint16_t)(e->out->off - e->start);
	struct shr_recover *r;

	e->state = state;
	if (x->n_recover > e->first_recover && x->cfg.tables->recover[x->n_recover - 1].code == code)
		x->n_recover--;
	if (x->n_recover >= SHR_MAX_RECOVER) {
		x->is_full = true;
		return;
	}
	r = &x->cfg.tables->recover[x->n_recover++];
	r->code = code;
	r->pc_off = e->b->insn[e->insn].pc_off;
	r->insn = (uint8_t)e->insn;
	r->state = (uint8_t)state;
	r->slots = (uint16_t)e->slots_done;
}

/* Hardware register that holds guest register r inside this block. */
static unsigned host_reg(const struct xlt_emitter *e, unsigned r)
{
	return r == X86_R15 ? e->regs.x : r;
}

static bool is_bit_string(const struct x86_decoded *d)
{
	if (d->op[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
		return false;
	return d->z.mnemonic == ZYDIS_MNEMONIC_BT || d->z.mnemonic == ZYDIS_MNEMONIC_BTS ||
	       d->z.mnemonic == ZYDIS_MNEMONIC_BTR || d->z.mnemonic == ZYDIS_MNEMONIC_BTC;
}

/* y += (bit offset >> log2(operand bits)) * operand bytes, flags kept by way of rax. y is not rax. */
static void add_bit_offset(struct xlt_emitter *e, const struct x86_decoded *d)
{
	struct x86_out *o = e->out;
	unsigned bits = d->z.operand_width, reg = host_reg(e, (unsigned)x86_gpr_number(d->op[1].reg.value));
	unsigned log2_bytes = bits == 64 ? 3 : bits == 32 ? 2 : 1;

	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	emit_bytes(o, "\x9f\x0f\x90\xc0", 4); /* lahf; seto al */
	emit_store_gs(o, SHR_GS_SPILL_Z, X86_RAX);
	if (reg == X86_RAX)
		emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	else
		emit_bytes(o, (uint8_t[]){ (uint8_t)(0x48 | reg >> 3), 0x8b, (uint8_t)(0xc0 | (reg & 7)) }, 3);
	if (bits == 32)
		emit_bytes(o, "\x48\x63\xc0", 3); /* movsxd rax, eax */
	else if (bits == 16)
		emit_bytes(o, "\x48\x0f\xbf\xc0", 4); /* movsx rax, ax */
	emit_bytes(o, (uint8_t[]){ 0x48, 0xc1, 0xf8, (uint8_t)(log2_bytes + 3) }, 4); /* sar rax, n */
	emit_bytes(o, (uint8_t[]){ 0x48, 0xc1, 0xe0, (uint8_t)log2_bytes }, 4);       /* shl rax, m */
	emit_lea_index(o, e->regs.y, e->regs.y, X86_RAX);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_Z);
	emit_bytes(o, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
}

static void emit_address_slot(struct xlt_emitter *e, const struct x86_decoded *d, int32_t at)
{
	if (d->is_32) {
		xlt32_address(e->out, d);
		emit_store(e->out, X86_R15, at, XLT32_SCRATCH);
		return;
	}
	save_y(e);
	if (d->z.mnemonic == ZYDIS_MNEMONIC_XLAT) {
		/* movzx y, al; lea y, [rbx + y] */
		if (e->regs.y >= 8)
			emit8(e->out, 0x44);
		emit_bytes(e->out, (uint8_t[]){ 0x0f, 0xb6, (uint8_t)(0xc0 | (e->regs.y & 7) << 3) }, 3);
		emit_lea_index(e->out, e->regs.y, X86_RBX, e->regs.y);
		if (d->z.address_width == 32) /* mov y32, y32 */
			emit_bytes(e->out, (uint8_t[]){ (uint8_t)(e->regs.y >= 8 ? 0x45 : 0x40), 0x89,
			                                (uint8_t)(0xc0 | (e->regs.y & 7) * 9) }, 3);
	} else {
		xlt_memory_op(e->out, d, &e->regs, 0x8d, e->regs.y);
		if (is_bit_string(d))
			add_bit_offset(e, d);
	}
	emit_store(e->out, X86_R15, at, e->regs.y);
	restore_y(e);
}

/* The memory operand of d, 4 or 8 bytes, which d has just written. */
static void emit_memory_slot(struct xlt_emitter *e, const struct x86_decoded *d, unsigned bytes, int32_t at)
{
	if (d->is_32) {
		xlt32_address(e->out, d);
		if (bytes == 4)
			emit_bytes(e->out, "\x4d\x63\x00", 3); /* movsxd r8, dword [r8] */
		else
			emit_load(e->out, XLT32_SCRATCH, XLT32_SCRATCH, 0);
		emit_store(e->out, X86_R15, at, XLT32_SCRATCH);
		return;
	}
	save_y(e);
	xlt_memory_op(e->out, d, &e->regs, bytes == 4 ? 0x63 : 0x8b, e->regs.y);
	emit_store(e->out, X86_R15, at, e->regs.y);
	restore_y(e);
}

/* Mask of instruction e->insn, by way of y. */
static void emit_mask_slot(struct xlt_emitter *e, const struct x86_slot *s, int32_t at)
{
	if (e->b->mode == X86_MODE_32) {
		xlt_emit_mask(e->out, s, XLT32_VALUE);
		emit_store(e->out, X86_R15, at, XLT32_VALUE);
		return;
	}
	save_y(e);
	xlt_emit_mask(e->out, s, e->regs.y);
	emit_store(e->out, X86_R15, at, e->regs.y);
	restore_y(e);
}

/* Store the slots that belong before (is_after false) or after instruction e->insn. */
static void emit_slots(struct xlt_emitter *e, bool is_after)
{
	const struct x86_block *blk = &e->b->block;

	while (e->slots_done < blk->n_slot && e->b->slot[e->slots_done].insn == e->insn) {
		const struct x86_slot *s = &e->b->slot[e->slots_done];
		int32_t at = (int32_t)(4 + 8 * e->slots_done);

		if ((s->kind >= X86_SLOT_REG_AFTER) != is_after)
			return;
		if (s->kind == X86_SLOT_ADDRESS)
			emit_address_slot(e, &e->b->dec[e->insn], at);
		else if (s->kind == X86_SLOT_MASK_K || s->kind == X86_SLOT_MASK_SIGN)
			emit_mask_slot(e, s, at);
		else if (s->kind == X86_SLOT_VECTOR)
			xlt_emit_vector(e->out, s, at);
		else if (s->kind == X86_SLOT_MEMORY_AFTER)
			emit_memory_slot(e, &e->b->dec[e->insn], s->reg, at);
		else if (s->kind > X86_SLOT_REG_AFTER)
			xlt_emit_assist_slot(e->x, s, at);
		else
			emit_store(e->out, X86_R15, at, host_reg(e, s->reg));
		e->slots_done++;
	}
}

static void emit_instruction(struct xlt_emitter *e)
{
	const struct x86_decoded *d = &e->b->dec[e->insn];
	bool needs_y = d->is_32 ? xlt32_needs_low_scratch(d) : xlt_copy_needs_y(d, e->out->off);

	if (needs_y)
		save_y(e);
	if (d->is_32)
		xlt32_copy(e->out, d, needs_y ? e->regs.y : XLT32_SCRATCH);
	else
		xlt_copy(e->out, d, &e->regs);
	if (needs_y)
		restore_y(e);
}

static void emit_indirect_entry(struct xlt_emitter *e, struct x86_out *o)
{
	uint64_t pc = e->b->block.pc;
	uint32_t jump;

	if (e->b->mode == X86_MODE_32) {
		xlt32_indirect_entry(o, pc, 0);
		return;
	}
	if (pc < 0x80000000u) {
		emit_lea(o, X86_RCX, X86_RCX, -(int32_t)pc);
	} else {
		emit_mov_imm64(o, X86_RAX, 0 - pc);
		emit_lea_index(o, X86_RCX, X86_RCX, X86_RAX);
	}
	emit8(o, 0xe3); /* jrcxz */
	jump = o->off;
	emit8(o, 0);
	if (pc < 0x80000000u) {
		emit_lea(o, X86_RCX, X86_RCX, (int32_t)pc);
	} else {
		emit_mov_imm64(o, X86_RAX, pc);
		emit_lea_index(o, X86_RCX, X86_RCX, X86_RAX);
	}
	emit_jump(o, 0); /* common stub at the start of the code area */
	o->base[jump] = (uint8_t)(o->off - jump - 1);
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
}

/* cmp r15, gs:[limit]; jae cold. Returns the code offset of the displacement. */
static uint32_t emit_limit_compare(struct x86_out *o)
{
	emit8(o, 0x65);
	emit_absolute(o, 0x3b, X86_R15, SHR_GS_LIMIT);
	emit8(o, 0x0f);
	emit8(o, 0x83);
	emit32(o, 0);
	return o->off - 4;
}

static void emit_limit_check(struct xlt_emitter *e)
{
	e->flush_jump = emit_limit_compare(e->out);
	e->flush_resume = e->out->off;
	e->flush_insn = e->insn;
	e->flush_state = e->state;
}

/* The same where flags are live: they go through rax. The cold part puts them back first. */
static void emit_limit_check_saving_flags(struct xlt_emitter *e)
{
	struct x86_out *o = e->out;

	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	xlt_mark(e, e->state | SHR_ST_RAX | SHR_ST_FLAGS);
	emit_bytes(o, "\x9f\x0f\x90\xc0", 4); /* lahf; seto al */
	e->flush_jump = emit_limit_compare(o);
	emit_bytes(o, "\x04\x7f\x9e", 3); /* add al, 127; sahf */
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	xlt_mark(e, e->state & ~(unsigned)(SHR_ST_RAX | SHR_ST_FLAGS));
	e->flush_resume = o->off;
	e->flush_insn = e->insn;
	e->flush_state = e->state;
	e->has_saved_flags = true;
}

static void emit_flush_exit(struct xlt_emitter *e)
{
	struct xlt *x = e->x;
	uint32_t id;

	if (!e->flush_jump)
		return;
	id = xlt_new_exit(x, SHR_EXIT_FLUSH, e->b->block.pc + e->b->insn[e->flush_insn].pc_off, e->id);
	if (id == XLT_NONE)
		return;
	x->cfg.tables->exit[id].resume = e->flush_resume;
	x->cfg.tables->exit[id].insn = (uint8_t)e->flush_insn;
	x->cfg.tables->exit[id].state = (uint16_t)e->flush_state;
	emit_patch(e->out->base, e->flush_jump, x->cold.off);
	if (e->has_saved_flags) {
		emit_bytes(&x->cold, "\x04\x7f\x9e", 3);
		emit_load_gs(&x->cold, X86_RAX, SHR_GS_SPILL_RAX);
	}
	xlt_emit_exit(x, id);
}

/* Can a block do without a limit check? Only forward jumps and a short record: a chain of such blocks
 * fits into the slack behind the limit, and the runtime refuses the run should it ever not. */
static bool is_forward_only(const struct x86_block *blk)
{
	if (blk->n_slot > 4)
		return false;
	switch (blk->term) {
	case X86_TERM_FALL:
		return true;
	case X86_TERM_JCC: case X86_TERM_JMP:
		return blk->target > blk->pc && blk->target != blk->fall; /* not with TRC_TAKEN */
	default:
		return false;
	}
}

/* Raise the block's counter (tier 1) where the flags that INC writes are dead; r15 as scratch else. */
static void emit_counter(struct xlt_emitter *e, struct x86_out *o, bool flags_are_dead, unsigned which)
{
	uint32_t addr = (uint32_t)(SHR_COUNT_BASE + 16 * (uint64_t)e->id + 8 * which);

	if (flags_are_dead) {
		emit_absolute(o, 0xff, 0, addr); /* inc qword [addr] */
		return;
	}
	emit_absolute(o, 0x8b, X86_R15, addr);
	emit_lea(o, X86_R15, X86_R15, 1);
	emit_absolute(o, 0x89, X86_R15, addr);
}

void xlt_emit_taken_counter(struct xlt_emitter *e)
{
	emit_counter(e, &e->x->cold, false, 1);
}

static void emit_body(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;
	bool is_stream = e->x->cfg.tier == SHR_TIER_STREAM;
	unsigned point = xlt_dead_flags_at(e->b, is_stream ? X86_FLAGS_ALL : X86_FLAGS_ALL & ~X86_FLAG_CF);
	bool has_point = point < blk->n_insn;
	enum x86_assist assist;

	if (is_stream) {
		if (!has_point && !is_forward_only(blk))
			emit_limit_check_saving_flags(e);
		emit_store_imm32(e->out, X86_R15, 0, trc_block_head(e->id, blk->n_slot));
	} else {
		if (!has_point)
			emit_counter(e, e->out, false, 0);
		e->x->counted_at[e->id] = (uint8_t)(has_point ? point : 0);
	}
	if (e->regs.x != X86_R15) {
		emit_store_gs(e->out, SHR_GS_SPILL_X, e->regs.x);
		emit_load_gs(e->out, e->regs.x, SHR_GS_R15);
		xlt_mark(e, e->state | SHR_ST_X);
	}
	for (e->insn = 0; e->insn < blk->n_insn; e->insn++) {
		xlt_mark(e, e->state);
		if (has_point && e->insn == point) {
			if (is_stream)
				emit_limit_check(e);
			else
				emit_counter(e, e->out, true, 0);
		}
		emit_slots(e, false);
		if (e->insn == blk->n_insn - 1u && blk->term != X86_TERM_FALL)
			break;
		assist = e->x->cfg.has_assists ? x86_assist_of(&e->b->dec[e->insn]) : X86_ASSIST_NONE;
		xlt_emit_assist_begin(e->x, assist);
		emit_instruction(e);
		emit_slots(e, true);
	}
	if (e->insn == blk->n_insn)
		e->insn--;
	xlt_emit_terminator(e);
}

/* 32-bit code leaves r8 to r14 free; a scratch register is taken from the program only where the encoding
 * wants one of the low eight. */
static bool choose_registers_32(struct xlt_emitter *e)
{
	const struct x86_builder *b = e->b;
	uint16_t free_regs = 0xff & ~(b->gpr_used | 1u << X86_RSP | 1u << X86_RAX);

	e->regs.x = e->regs.y = X86_R15;
	for (unsigned i = 0; i < b->block.n_insn; i++) {
		if (!xlt32_needs_low_scratch(&b->dec[i]))
			continue;
		if (!free_regs)
			return false;
		e->regs.y = (uint8_t)__builtin_ctz(free_regs);
	}
	return true;
}

/* Choose the stand-in for r15 and the scratch register. Returns false when the block uses too many. */
static bool choose_registers(struct xlt_emitter *e)
{
	const struct x86_builder *b = e->b;
	uint8_t term = b->block.term;
	bool is_indirect = term == X86_TERM_RET || term == X86_TERM_JMP_IND || term == X86_TERM_CALL_IND;
	uint16_t taken = b->gpr_used | 1u << X86_RSP | 1u << X86_R15;
	bool needs_y = false;

	if (b->mode == X86_MODE_32)
		return choose_registers_32(e);
	if (is_indirect)
		taken |= 1u << X86_RAX | 1u << X86_RCX;
	e->regs.x = X86_R15;
	if (b->uses_r15) {
		uint16_t free_regs = X86_STAND_IN & ~taken;

		if (!free_regs)
			return false;
		e->regs.x = (uint8_t)__builtin_ctz(free_regs);
		taken |= (uint16_t)(1u << e->regs.x);
	}
	for (unsigned i = 0; i < b->block.n_insn && !needs_y; i++)
		needs_y = xlt_copy_needs_y(&b->dec[i], e->out->off);
	for (unsigned i = 0; i < b->block.n_slot && !needs_y; i++)
		needs_y = b->slot[i].kind == X86_SLOT_ADDRESS || b->slot[i].kind == X86_SLOT_MEMORY_AFTER ||
		          b->slot[i].kind == X86_SLOT_MASK_K || b->slot[i].kind == X86_SLOT_MASK_SIGN;
	e->regs.y = X86_R15;
	if (needs_y) {
		uint16_t free_regs = (uint16_t)~(taken | 1u << X86_RAX);

		if (!free_regs)
			return false;
		e->regs.y = (uint8_t)__builtin_ctz(free_regs);
	}
	return true;
}

static void note_source_bytes(struct xlt *x, const struct x86_block *blk, struct shr_block *t)
{
	uint64_t done = 0;

	t->flags |= SHR_BLK_CHECK;
	t->check_off = x->n_check_bytes;
	while (done < blk->bytes) {
		uint64_t at = blk->pc + done, off = at & (XLT_PAGE_BYTES - 1);
		const struct xlt_page *p = xlt_find_page(x, at - off);
		uint64_t n = XLT_PAGE_BYTES - off;

		if (n > blk->bytes - done)
			n = blk->bytes - done;
		memcpy(x->cfg.tables->bytes + t->check_off + done, p->bytes + off, n);
		done += n;
	}
	x->n_check_bytes += blk->bytes;
}

/* Head of a self-checking block: compare the guest's code with `source`, which it was translated from, in
 * pieces of 8 bytes, without touching flags. A difference leaves by SHR_EXIT_CHECK. */
static void emit_source_check(struct xlt_emitter *e, const uint8_t *source)
{
	const struct x86_block *blk = &e->b->block;
	struct xlt *x = e->x;
	struct x86_out *o = e->out;
	uint32_t check = xlt_new_exit(x, SHR_EXIT_CHECK, blk->pc, e->id), differs = x->cold.off;

	if (check == XLT_NONE)
		return;
	emit_load_gs(&x->cold, X86_RCX, SHR_GS_SPILL_RCX);
	emit_load_gs(&x->cold, X86_RAX, SHR_GS_SPILL_RAX);
	xlt_emit_exit(x, check);
	emit_store_gs(o, SHR_GS_SPILL_RCX, X86_RCX);
	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	xlt_mark(e, e->state | SHR_ST_RCX | SHR_ST_RAX);
	for (unsigned at = 0, n; at < blk->bytes; at += n) {
		uint64_t value = 0;

		n = blk->bytes - at;
		if (n < 8 && blk->bytes >= 8)
			at = blk->bytes - 8u; /* some of them twice */
		n = n >= 8 || blk->bytes >= 8 ? 8 : n >= 4 ? 4 : n >= 2 ? 2 : 1;
		memcpy(&value, source + at, n);
		emit_mov_imm64(o, X86_RAX, blk->pc + at);
		switch (n) {
		case 8: emit_bytes(o, "\x48\x8b\x00", 3); break; /* mov rax, [rax] */
		case 4: emit_bytes(o, "\x8b\x00", 2); break;     /* mov eax, [rax] */
		case 2: emit_bytes(o, "\x0f\xb7\x00", 3); break; /* movzx eax, word [rax] */
		default: emit_bytes(o, "\x0f\xb6\x00", 3); break; /* movzx eax, byte [rax] */
		}
		emit_mov_imm64(o, X86_RCX, 0 - value);
		emit_lea_index(o, X86_RCX, X86_RCX, X86_RAX);
		emit_bytes(o, "\xe3\x05", 2); /* jrcxz over the jump */
		emit_jump(o, differs);
	}
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	xlt_mark(e, e->state & ~(unsigned)(SHR_ST_RCX | SHR_ST_RAX));
	x->cfg.tables->exit[check].resume = o->off;
}

static int join_pages(struct xlt *x, const struct x86_block *blk, uint32_t id)
{
	uint64_t last = (blk->pc + blk->bytes - 1) & ~(uint64_t)(XLT_PAGE_BYTES - 1);

	for (uint64_t a = blk->pc & ~(uint64_t)(XLT_PAGE_BYTES - 1); a <= last; a += XLT_PAGE_BYTES) {
		struct xlt_page *p = xlt_find_page(x, a);

		if (p && xlt_page_add_block(p, id) != 0)
			return -SPMU_ENOMEM;
	}
	return 0;
}

/* When the block before, which ends the hot code, goes on here: take its jump away and run into the
 * new block. Returns that exit, or XLT_NONE. */
static uint32_t run_into(struct xlt *x, uint64_t pc)
{
	uint32_t exit_id = x->open_fall;

	x->open_fall = XLT_NONE;
	if (exit_id == XLT_NONE || x->exit[exit_id].target != pc ||
	    x->exit[exit_id].patch_off + 4 != x->out.off)
		return XLT_NONE;
	if (x->has_quantum && x->cfg.tables->exit[exit_id].insn)
		return XLT_NONE; /* goes to the other entry */
	x->out.off -= XLT_JUMP_BYTES;
	x->cfg.tables->block[x->n_block - 1].code_bytes -= XLT_JUMP_BYTES;
	x->exit[exit_id].patch_off = XLT_NONE;
	return exit_id;
}

int xlt_emit_block(struct xlt *x, bool is_volatile, enum xlt_entry entry, uint32_t *id)
{
	struct x86_builder *b = x->builder;
	struct xlt_emitter e = { .x = x, .b = b, .out = &x->out, .first_recover = x->n_recover,
	                         .first_exit = x->n_exit };
	const struct x86_block *stored;
	struct shr_block *t;
	uint32_t main_off, indirect_off;
	int rc;

	if (x->out.off + XLT_MAX_BLOCK_BYTES > XLT_COLD_OFF ||
	    x->cold.off + XLT_MAX_BLOCK_BYTES > SHR_CODE_BYTES || x->n_block >= SHR_MAX_BLOCKS ||
	    x->n_exit + 8 >= SHR_MAX_EXITS || x->n_recover + 512 >= SHR_MAX_RECOVER ||
	    x->n_check_bytes + X86_MAX_INSNS * 15 > sizeof(x->cfg.tables->bytes)) {
		x->is_full = true;
		return -SPMU_ENOMEM;
	}
	if (!choose_registers(&e))
		return -SPMU_EINVAL;
	stored = x86_store_add(x->cfg.store, &b->block);
	if (!stored)
		return -SPMU_ENOMEM;
	e.id = stored->id;
	x->fallen_from[e.id] = run_into(x, b->block.pc);
	if (x->fallen_from[e.id] != XLT_NONE)
		entry = XLT_ENTRY_COLD; /* nothing may stand between the two */
	e.start = x->out.off;
	t = &x->cfg.tables->block[e.id];
	memset(t, 0, sizeof(*t));
	indirect_off = e.out->off;
	if (entry == XLT_ENTRY_HOT) {
		xlt_mark(&e, b->mode == X86_MODE_32 ? 0 : SHR_ST_RCX | SHR_ST_RAX);
		emit_indirect_entry(&e, e.out);
	}
	main_off = e.out->off;
	if (entry == XLT_ENTRY_COLD) {
		indirect_off = x->cold.off;
		emit_indirect_entry(&e, &x->cold);
		emit_jump(&x->cold, main_off);
	}
	xlt_mark(&e, 0);
	t->fall_off = x->has_quantum ? xlt_emit_quantum(&e) : main_off;
	if (x->has_quantum)
		t->flags |= SHR_BLK_QUANTUM;
	if (is_volatile) {
		note_source_bytes(x, &b->block, t);
		emit_source_check(&e, x->cfg.tables->bytes + t->check_off);
	}
	emit_body(&e);
	emit_flush_exit(&e);
	t->pc = b->block.pc;
	t->code_off = e.start;
	t->code_bytes = e.out->off - e.start;
	t->recover_off = e.first_recover;
	t->n_recover = (uint16_t)(x->n_recover - e.first_recover);
	t->n_insn = b->block.n_insn;
	t->n_slot = b->block.n_slot;
	t->x_reg = e.regs.x;
	t->y_reg = e.regs.y;
	t->guest_bytes = b->block.bytes;
	x->incoming[e.id] = XLT_NONE;
	x->n_block = e.id + 1;
	rc = join_pages(x, &b->block, e.id);
	if (rc == 0)
		rc = xlt_map_add(x, b->block.pc, e.id, main_off, indirect_off);
	if (rc != 0)
		return rc;
	for (uint32_t i = e.first_exit; i < x->n_exit; i++)
		xlt_link_exit(x, i);
	xlt_link_waiting(x, b->block.pc, e.id);
	x->stats.insns += b->block.n_insn;
	*id = e.id;
	return 0;
}
