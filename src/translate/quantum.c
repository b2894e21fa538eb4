/* quantum.c -- the head of a block while several threads take turns.
 *
 *   main entry   gs.quantum < 0: into the runtime, which lets another thread run
 *   fall entry   gs.quantum -= instructions of the block
 *
 * WHERE  in tier 1 the quantum is in r15d, which nothing else needs there: counted in memory, each
 *        block would wait for the one before it. gs.quantum holds it while the runtime runs. Tier 2
 *        counts gs.quantum.
 * RULE   a turn ends at the first head that a branch of the program reaches after the quantum is
 *        used up. Where a block was only cut (for its size, by a page, by a test hook) the next one
 *        is entered behind the look. So the place is one of the program and not of its translation,
 *        and the threads interleave in the same way in every tier.
 */
#include "translate/internal.h"

#include "translate/terminator.h"

#define LOAD_FLAGS  "\x9f\x0f\x90\xc0" /* lahf; seto al */
#define STORE_FLAGS "\x04\x7f\x9e"     /* add al, 127; sahf */

/* op dword gs:[quantum], imm8: /7 CMP, /5 SUB. */
static void on_quantum(struct x86_out *o, unsigned op, unsigned imm)
{
	emit_bytes(o, (uint8_t[]){0x65, 0x83, (uint8_t)(op << 3 | 4), 0x25}, 4);
	emit32(o, SHR_GS_QUANTUM);
	emit8(o, imm);
}

/* jl cold. Returns the code offset of the displacement. */
static uint32_t write_jump_when_due(struct x86_out *o)
{
	on_quantum(o, 7, 0);
	emit8(o, 0x0f);
	emit8(o, 0x8c);
	emit32(o, 0);
	return o->off - 4;
}

static void restore_rax(struct x86_out *o, bool has_flags)
{
	if (has_flags)
		emit_bytes(o, STORE_FLAGS, 3);
	emit_load_gs(o, X86_RAX, SHR_GS_SPILL_RAX);
}

static void emit_turn_exit(struct xlt_emitter *e, uint32_t jump, bool has_flags)
{
	struct xlt *x = e->x;
	uint32_t id = xlt_new_exit(x, SHR_EXIT_QUANTUM, e->b->block.pc, e->id);

	if (id == XLT_NONE)
		return;
	emit_patch(x->out.base, jump, x->cold.off);
	xlt_note(x, jump, XLT_MOVE_ACROSS);
	if (has_flags)
		restore_rax(&x->cold, true);
	xlt_emit_exit(x, id);
}

/* The entry behind the look where flags are live: counts by way of eax and LEA. */
static uint32_t emit_cold_fall(struct xlt_emitter *e)
{
	struct x86_out *o = &e->x->cold;
	uint32_t at = o->off;

	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	emit_bytes(o, "\x65\x8b\x04\x25", 4); /* mov eax, gs:[quantum] */
	emit32(o, SHR_GS_QUANTUM);
	emit_bytes(o, (uint8_t[]){0x8d, 0x40, (uint8_t) - (int)e->b->block.n_insn},
		   3);			      /* lea eax, [rax - n] */
	emit_bytes(o, "\x65\x89\x04\x25", 4); /* mov gs:[quantum], eax */
	emit32(o, SHR_GS_QUANTUM);
	restore_rax(o, false);
	emit_jump(o, e->out->off);
	xlt_note(e->x, o->off - 4, XLT_MOVE_ACROSS);
	return at;
}

static void emit_subtract(struct xlt_emitter *e, struct x86_out *o)
{
	emit_bytes(o, (uint8_t[]){0x45, 0x8d, 0x7f, (uint8_t) - (int)e->b->block.n_insn},
		   4); /* lea r15d, [r15 - n] */
}

/* The entry behind the look of a block whose counter is raised where it looks. Returns its code
 * offset. */
static uint32_t emit_counted_fall(struct xlt_emitter *e)
{
	struct x86_out *o = &e->x->cold;
	const uint32_t at = o->off;

	xlt_emit_counter(e, o, false);
	emit_subtract(e, o);
	emit_jump(o, e->out->off);
	xlt_note(e->x, o->off - 4, XLT_MOVE_ACROSS);
	return at;
}

/* Tier 1: test r15d, r15d; js cold. Then, flags or not, r15d -= n. A block where flags are never
 * dead raises its counter while they are put aside. */
static uint32_t emit_in_register(struct xlt_emitter *e)
{
	struct x86_out *o = e->out;
	const bool has_flags = xlt_dead_flags_at(e->b, X86_FLAGS_ALL) != 0;
	uint32_t jump, fall_off;

	if (has_flags) {
		emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
		emit_bytes(o, LOAD_FLAGS, 4);
	}
	emit_bytes(o, "\x45\x85\xff\x0f\x88", 5);
	emit32(o, 0);
	jump = o->off - 4;
	if (e->is_counted)
		xlt_emit_counter(e, o, true);
	if (has_flags)
		restore_rax(o, true);
	fall_off = o->off;
	emit_subtract(e, o);
	emit_turn_exit(e, jump, has_flags);
	if (!e->is_counted)
		return fall_off;
	fall_off = emit_counted_fall(e);
	if (e->b->block.n_insn == 1 && e->b->block.term == X86_TERM_JMP)
		emit8(o, 0x90); /* where steps of TF see the block: its jump may be taken away */
	return fall_off;
}

uint32_t xlt_emit_quantum(struct xlt_emitter *e, bool is_volatile)
{
	struct x86_out *o = e->out;
	unsigned n = e->b->block.n_insn;
	uint32_t jump, fall_off;

	if (e->x->cfg.tier == SHR_TIER_COUNT) {
		e->is_counted = !is_volatile && xlt_counter_point(e) ==
						    n; /* a source check comes before the counter */
		return emit_in_register(e);
	}
	if (xlt_dead_flags_at(e->b, X86_FLAGS_ALL) == 0) {
		jump = write_jump_when_due(o);
		fall_off = o->off;
		on_quantum(o, 5, n);
		emit_turn_exit(e, jump, false);
		return fall_off;
	}
	emit_store_gs(o, SHR_GS_SPILL_RAX, X86_RAX);
	emit_bytes(o, LOAD_FLAGS, 4);
	jump = write_jump_when_due(o);
	on_quantum(o, 5, n);
	restore_rax(o, true);
	emit_turn_exit(e, jump, true);
	return emit_cold_fall(e);
}
