/* block.c -- emit one block.
 *
 *   indirect entry   gs.target = guest target, rcx of the program spilled: is it this block?
 *   main entry       self-checking blocks: is the source still the same? r15 stand-in loaded;
 *                    block id stored (tier 2); per instruction: record slots, then the
 *                    instruction; once, where flags are dead: chunk limit (tier 2) or counter
 *                    (tier 1)
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

void xlt_mark(struct xlt_emitter *e, unsigned state)
{
	struct xlt *x = e->x;
	uint16_t code = (uint16_t)(e->out->off - e->start);
	struct shr_recover *r;

	e->state = state;
	if (x->n_recover > e->first_recover &&
	    x->cfg.tables->recover[x->n_recover - 1].code == code)
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

void xlt_emit_instruction(struct xlt_emitter *e)
{
	const struct x86_decoded *d = &e->b->dec[e->insn];
	bool needs_y = d->is_32 ? xlt32_needs_low_scratch(d) : xlt_copy_needs_y(e->out, d);

	if (e->x->cfg.has_assists)
		xlt_emit_assist_begin(e->x, x86_assist_of(d));
	if (needs_y)
		xlt_save_y(e);
	if (d->is_32)
		xlt32_copy(e->out, d, needs_y ? e->regs.y : XLT32_SCRATCH);
	else
		xlt_note_rip(e->x, xlt_copy(e->out, d, &e->regs));
	if (needs_y)
		xlt_restore_y(e);
}

static void emit_indirect_entry(struct xlt_emitter *e, struct x86_out *o)
{
	uint64_t pc = e->b->block.pc;

	if (e->b->mode == X86_MODE_32) {
		xlt_note(e->x, xlt32_indirect_entry(o, pc, 0), XLT_MOVE_FIXED);
		return;
	}
	emit_load_gs(o, X86_RCX, SHR_GS_TARGET);
	if (pc < 0x80000000u) {
		emit_lea(o, X86_RCX, X86_RCX, -(int32_t)pc);
	} else {
		emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
		emit_mov_imm64(o, X86_RAX, 0 - pc);
		emit_lea_index(o, X86_RCX, X86_RCX, X86_RAX);
		emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
	}
	emit_bytes(o, "\xe3\x05", 2); /* jrcxz over the jump */
	emit_jump(o, 0);	      /* common stub at the start of the code area */
	xlt_note(e->x, o->off - 4, XLT_MOVE_FIXED);
	emit_load_gs(o, X86_RCX, SHR_GS_SPILL_RCX);
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

/* As emit_limit_check(), where flags are live: they go through rax. The cold part puts them back
 * first. */
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
	id = xlt_new_exit(x, SHR_EXIT_FLUSH, e->b->block.pc + e->b->insn[e->flush_insn].pc_off,
			  e->id);
	if (id == XLT_NONE)
		return;
	x->cfg.tables->exit[id].resume = e->flush_resume;
	x->cfg.tables->exit[id].insn = (uint8_t)e->flush_insn;
	x->cfg.tables->exit[id].state = (uint16_t)e->flush_state;
	emit_patch(e->out->base, e->flush_jump, x->cold.off);
	xlt_note(x, e->flush_jump, XLT_MOVE_ACROSS);
	if (e->has_saved_flags) {
		emit_bytes(&x->cold, "\x04\x7f\x9e", 3);
		emit_load_gs(&x->cold, X86_RAX, SHR_GS_SPILL_RAX);
	}
	xlt_emit_exit(x, id);
}

/* Blocks that do not look at the limit, one behind the other, write at most RECORD_RATE bytes per
 * byte of their code, and all of them lie in one grain, each behind the one before: so they end
 * after GRAIN_BYTES of code. */
#define GRAIN_BYTES 1024u
#define RECORD_RATE 4u
_Static_assert(GRAIN_BYTES *RECORD_RATE <= SHR_CHUNK_UNLOOKED,
	       "blocks that do not look fill the slack");

/* Does the program go on behind blk, in the same grain, when it goes on at `to`? */
static bool is_ahead(const struct x86_block *blk, uint64_t to)
{
	return to >= blk->pc + blk->bytes && to / GRAIN_BYTES == blk->pc / GRAIN_BYTES;
}

/* Can a block do without a limit check? */
static bool is_forward_only(const struct x86_block *blk)
{
	if (4u + 8u * blk->n_slot > RECORD_RATE * blk->bytes)
		return false;
	switch (blk->term) {
	case X86_TERM_FALL: return is_ahead(blk, blk->fall);
	case X86_TERM_JMP: return is_ahead(blk, blk->target);
	case X86_TERM_JCC:
		return is_ahead(blk, blk->target) && is_ahead(blk, blk->fall) &&
		       blk->target != blk->fall; /* not with TRC_TAKEN */
	default: return false;
	}
}

/* An instruction with opcode byte `op` on a counter. */
static void emit_at_counter(struct xlt *x, struct x86_out *o, unsigned op, unsigned reg,
			    uint32_t counter)
{
	const uint64_t addr = SHR_COUNT_BASE + x->cfg.shift + 8 * (uint64_t)counter;

	if (x->cfg.shift) {
		emit_rip(o, op, reg, addr);
		return;
	}
	emit_absolute(o, op, reg, (uint32_t)addr);
	xlt_note(x, o->off - 4, XLT_MOVE_COUNTER);
}

/* Raise the block's counter (tier 1) where the flags that INC writes are dead; r15 as scratch else,
 * which may hold the quantum. */
static void emit_counter(struct xlt_emitter *e, struct x86_out *o, bool flags_are_dead,
			 unsigned which)
{
	const uint32_t counter = shr_counter(e->id, which);

	if (flags_are_dead) {
		emit_at_counter(e->x, o, 0xff, 0, counter); /* inc qword [addr] */
		return;
	}
	if (e->x->has_quantum)
		emit_store_gs(o, SHR_GS_QUANTUM, X86_R15);
	emit_at_counter(e->x, o, 0x8b, X86_R15, counter);
	emit_lea(o, X86_R15, X86_R15, 1);
	emit_at_counter(e->x, o, 0x89, X86_R15, counter);
	if (e->x->has_quantum)
		emit_load_gs(o, X86_R15, SHR_GS_QUANTUM);
}

void xlt_emit_counter(struct xlt_emitter *e, struct x86_out *o, bool flags_are_dead)
{
	emit_counter(e, o, flags_are_dead, 0);
}

unsigned xlt_counter_point(const struct xlt_emitter *e)
{
	return xlt_dead_flags_at(e->b, X86_FLAGS_ALL & ~X86_FLAG_CF);
}

void xlt_emit_taken_counter(struct xlt_emitter *e)
{
	emit_counter(e, &e->x->cold, false, 1);
}

static void emit_body(struct xlt_emitter *e)
{
	const struct x86_block *blk = &e->b->block;
	bool is_stream = e->x->cfg.tier == SHR_TIER_STREAM;
	unsigned point = is_stream ? xlt_dead_flags_at(e->b, X86_FLAGS_ALL) : xlt_counter_point(e);
	bool has_point = point < (is_stream && e->x->has_heads ? 1 : blk->n_insn);

	if (is_stream) {
		if (!has_point && (e->x->has_heads || !is_forward_only(blk)))
			emit_limit_check_saving_flags(e);
		/* No record follows this one yet: softpmu sees it when the guest is killed. */
		emit_store_imm32(e->out, X86_R15, 4 + 8 * blk->n_slot, TRC_BLANK);
		emit_store_imm32(e->out, X86_R15, 0, trc_block_head(e->id, blk->n_slot));
		xlt_note(e->x, e->out->off - 4, XLT_MOVE_BLOCK);
	} else {
		if (!has_point && !e->is_counted)
			emit_counter(e, e->out, false, 0);
		e->x->counted_at[e->id] = (uint8_t)(has_point ? point : 0);
	}
	if (e->regs.x != X86_R15) {
		emit_store_gs(e->out, SHR_GS_SPILL_X, e->regs.x);
		emit_load_gs(e->out, e->regs.x, SHR_GS_R15);
		xlt_mark(e, e->state | SHR_ST_X);
	}
	for (e->insn = 0; e->insn < blk->n_insn; e->insn++) {
		if (has_point && e->insn == point) {
			if (is_stream)
				emit_limit_check(e);
			else
				emit_counter(e, e->out, true, 0);
		}
		xlt_mark(e, e->state); /* behind the counter: a stop here has counted the block */
		xlt_emit_slots(e, false);
		if (e->insn == blk->n_insn - 1u && blk->term != X86_TERM_FALL)
			break;
		xlt_emit_instruction(e);
		xlt_emit_slots(e, true);
		if (is_stream)
			xlt_emit_work(e);
	}
	if (e->insn == blk->n_insn)
		e->insn--;
	xlt_emit_terminator(e);
}

int xlt_emit_block(struct xlt *x, bool is_volatile, enum xlt_entry entry, uint32_t *id)
{
	struct x86_builder *b = x->builder;
	struct xlt_emitter e = {.x = x,
				.b = b,
				.out = &x->out,
				.first_recover = x->n_recover,
				.first_cold = x->cold.off,
				.first_exit = x->n_exit};
	struct shr_block *t;
	uint32_t main_off, indirect_off;

	if (!xlt_has_room(x))
		return -SPMU_ENOMEM;
	x->n_move = 0;
	if (!xlt_choose_registers(&e))
		return -SPMU_EINVAL;
	if (x->is_sharing && !is_volatile)
		e.shelved = xlt_facts_on_shelf(x, &b->block);
	if (!(e.shelved ? x86_store_lend(x->cfg.store, e.shelved)
			: x86_store_add(x->cfg.store, &b->block)))
		return -SPMU_ENOMEM;
	e.id = x->n_block;
	x->fallen_from[e.id] = xlt_run_into(x, b->block.pc);
	if (x->fallen_from[e.id] != XLT_NONE)
		entry = XLT_ENTRY_COLD; /* nothing may stand between the two */
	e.start = x->out.off;
	t = &x->cfg.tables->block[e.id];
	memset(t, 0, sizeof(*t));
	indirect_off = e.out->off;
	if (entry == XLT_ENTRY_HOT) {
		xlt_mark(&e, b->mode == X86_MODE_32 ? 0 : SHR_ST_RCX);
		emit_indirect_entry(&e, e.out);
	}
	main_off = e.out->off;
	if (entry == XLT_ENTRY_COLD) {
		indirect_off = x->cold.off;
		emit_indirect_entry(&e, &x->cold);
		emit_jump(&x->cold, main_off);
		xlt_note(x, x->cold.off - 4, XLT_MOVE_ACROSS);
	}
	xlt_mark(&e, 0);
	t->fall_off = x->has_quantum ? xlt_emit_quantum(&e, is_volatile) : main_off;
	if (x->has_quantum)
		t->flags |= SHR_BLK_QUANTUM;
	if (is_volatile)
		xlt_emit_source_check(&e, t);
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
	if (e.shelved)
		xlt_put_on_shelf(x, &e, main_off, indirect_off);
	*id = e.id;
	return xlt_publish(x, &b->block, e.id, main_off, indirect_off, e.first_exit);
}
