/* exit.c -- what happens between two stretches of translated code.
 *
 * Each exit says why it was taken (enum shr_exit_kind). The runtime does what that exit needs and
 * leaves through gs.resume. A signal that waits is delivered where the program's state is that of
 * an instruction boundary with nothing half recorded.
 */
#include "guest/cpu/branch.h"
#include "guest/calls/calls.h"
#include "guest/time/clock.h"
#include "guest/memory/copy.h"
#include "guest/cpu/emulate.h"
#include "guest/calls/calls32.h"
#include "guest/calls/client_request.h"
#include "guest/gst.h"
#include "guest/stream/ring.h"
#include "guest/signals/signal.h"

void gst_look_again(void);

/* Leave to code address `to`. */
static void leave_to(struct gst *g, uint64_t to)
{
	g->gs->resume = to;
	gst_trace_leave(g);
	g->gs->gpr[15] =
	    g->ctl->start.tier == SHR_TIER_STREAM ? g->ring.at : (uint32_t)g->gs->quantum;
}

/* The three entries of the kernel's vsyscall page, which old static programs call: the system call,
 * then the return to the caller. Returns 1 when pc was one of them. */
static int vsyscall(struct gst *g)
{
	static const uint16_t number[4] = {__NR_gettimeofday, __NR_time, __NR_getcpu, 0};
	struct shr_gs *gs = g->gs;
	uint64_t words[7] = {0, gs->gpr[7], gs->gpr[6], gs->gpr[2]}, back;

	if ((gs->pc & ~0xc00ull) != GST_VSYSCALL_PAGE || gs->pc == GST_VSYSCALL_PAGE + 0xc00 ||
	    gst_copy_in(&back, gs->gpr[4], 8))
		return 0;
	words[0] = number[(gs->pc - GST_VSYSCALL_PAGE) >> 10];
	switch (words[0]) {
	case __NR_getcpu: gs->gpr[0] = (uint64_t)gst_call_getcpu(g, words + 1); break;
	case __NR_time: gs->gpr[0] = (uint64_t)gst_call_time(g, words + 1); break;
	default: gs->gpr[0] = (uint64_t)gst_call_gettimeofday(g, words + 1); break;
	}
	/* these calls do not enter the digest */
	g->ctl->time_looks += words[0] != __NR_getcpu && !gst_clock_is_model(g);
	gs->gpr[4] += 8;
	gs->pc = back;
	gst_ring_word(g, TRC_GO, back);
	return 1;
}

/* The block's entry that does not ask whether the turn is over: no branch of the program led
 * here. */
static uint64_t behind_look(struct gst *g, uint64_t main)
{
	uint32_t offset;
	const struct shr_block *b = gst_block_at(g, main, &offset);

	return b && (b->flags & SHR_BLK_QUANTUM) ? g->code + b->fall_off : main;
}

/* Make pc the next instruction of the program, by whatever way; exit_id: exit to link, or 0. */
static void go(struct gst *g, uint64_t exit_id, int is_indirect)
{
	struct shr_gs *gs = g->gs;
	uint64_t main, indirect, fault;

	gst_come_in(g);
	for (;;) {
		if (g->ctl->wants_meet)
			gst_meet(g);
		if (g->ctl->wants_records) {
			gst_rise(g);
			exit_id = 0;
		}
		if (g->ctl->wants_credit && g->ctl->start.tier == SHR_TIER_STREAM)
			gst_event_credit(g, REQ_PERF_NO_BLOCK);
		if (gst_event_heads(g))
			exit_id = 0, is_indirect = 0;
		if (gst_trace_deliver(g) | gst_signal_deliver(g))
			exit_id = 0, is_indirect = 0, g->t->is_midway = 0;
		if (g->layout.is_32 && gst_settle_segments(g))
			exit_id = 0, is_indirect = 0;
		if (exit_id == 0 && gst_map_find(g, gs->pc, &main, &indirect)) {
			if (is_indirect && !(g->ctl->start.chaos & SHR_CHAOS_NO_TABLE))
				gst_ib_add(g, gs->pc, main, indirect);
			break;
		}
		if (vsyscall(g)) {
			exit_id = 0, is_indirect = 0;
			continue;
		}
		main = gst_translate(g, gs->pc, exit_id, &fault);
		if (main)
			break;
		exit_id = 0;
		gst_signal_exec_fault(g, fault);
	}
	leave_to(g, g->t->is_midway ? behind_look(g, main) : main);
}

void gst_go(struct gst *g)
{
	g->t->can_deliver = 1;
	go(g, 0, 0);
}

void gst_look_again(void)
{
	struct gst *g = GST;

	if (g->t->can_deliver)
		go(g, 0, 0);
	else
		gst_signal_later(g);
}

/* Chunk full or stop wanted, in the middle of a block. */
static void flush(struct gst *g, const struct shr_exit *e)
{
	struct shr_gs *gs = g->gs;
	const int is_due = !e->insn && (g->ctl->wants_credit ||
					(g->events.is_armed && g->ring.at >= g->events.limit &&
					 !gst_event_has_room(g, e->block)));
	/* the program's registers must be in place */
	const int shows = is_due && (g->ctl->wants_credit || g->ctl->wants_state);

	if (is_due && !shows)
		gst_event_credit(g, e->block);
	if (!e->insn && gst_timers_due(g))
		gst_timers_ask(g);
	if (shows)
		g->events.head = 1ull + e->block;
	if (gst_signal_waits(g) || shows || (gst_steps(g) && e->insn)) {
		g->t->is_trap_due = e->insn ? gst_trap_due(g) : shows ? GST_TRAP_EVENT : 0;
		gst_undo_state(g, e->state, &g->tab->block[e->block]);
		gst_ring_partial(g, e->block, e->insn, 0);
		gs->pc = e->pc;
		g->t->is_midway = 1;
		gst_go(g);
		return;
	}
	if (g->ring.at >= gst_ring_limit(g) || gst_ring_is_worked(g))
		gst_ring_flush(g, SHR_CHUNK_KEEP);
	else
		gst_stop_limit(g);
	leave_to(g, g->code + e->resume);
}

void gst_source_changed(struct gst *g, const struct shr_block *b)
{
	gst_pages_changed(g, b->pc, b->pc + b->guest_bytes);
	if (b->flags & SHR_BLK_QUANTUM)
		g->gs->quantum += b->n_insn;
	g->t->is_midway = 1;
	gst_go(g);
}

/* Head of a self-checking block: go on in it if its source is unchanged, else translate it anew. */
static void check_source(struct gst *g, const struct shr_exit *e)
{
	const struct shr_block *b = &g->tab->block[e->block];

	g->gs->pc = b->pc;
	g->t->can_deliver = 1; /* nothing of the block has happened yet */
	if (gst_compare_raw((const void *)b->pc, g->tab->bytes + b->check_off, b->guest_bytes) ==
	    0) {
		leave_to(g, g->code + e->resume);
		return;
	}
	gst_source_changed(g, b);
}

/* Do what an emulated instruction left to do. */
static void finish(struct gst *g, enum gst_emulated what)
{
	if (what == GST_EMULATED_REQUEST)
		gst_client_request(g);
	if (what != GST_EMULATED_CALL && what != GST_EMULATED_CALL32)
		return;
	if (what == GST_EMULATED_CALL32 &&
	    !gst_call32_is_common((uint32_t)g->gs->gpr[0], g->gs->gpr))
		gst_refuse(g,
			   "the program makes a 32-bit system call (int 0x80) about signal "
			   "handlers, waits or shared "
			   "memory that differs from the 64-bit one, which softpmu does not "
			   "support in a 64-bit program",
			   NULL);
	gst_syscall(g);
}

void gst_exit_taken(void)
{
	struct gst *g = GST;
	struct shr_gs *gs = g->gs;
	const struct shr_exit *e = &g->tab->exit[gs->exit_id & (SHR_MAX_EXITS - 1)];

	gst_take_r15(g, gs->gpr[15]);
	gst_fp_put_back(g);
	g->t->can_deliver = g->t->is_midway = g->t->has_waited = 0;
	g->t->is_trap_due = e->kind == SHR_EXIT_MISS || e->kind == SHR_EXIT_INDIRECT ||
				    (e->kind == SHR_EXIT_EMULATE && e->insn != SHR_EMU_INT)
				? gst_trap_due(g)
				: 0;
	switch (e->kind) {
	case SHR_EXIT_MISS:
		gs->pc = e->pc;
		g->t->can_deliver = 1;
		g->t->is_midway = e->insn == 1;
		if (!gst_is_canonical(gs->pc)) {
			gst_branch_fault(g, e->block);
			gst_go(g);
			break;
		}
		go(g, gs->exit_id & (SHR_MAX_EXITS - 1), 0);
		break;
	case SHR_EXIT_INDIRECT:
		gs->pc = gs->target;
		g->t->can_deliver = 1;
		if (!gst_is_canonical(gs->pc)) {
			gst_branch_fault(g, gs->from_block);
			gst_go(g);
			break;
		}
		go(g, 0, 1);
		break;
	case SHR_EXIT_FLUSH: flush(g, e); break;
	case SHR_EXIT_SYSCALL:
		gs->pc = e->pc;
		if (!g->layout.is_32) { /* SYSCALL changes these two; INT 80h keeps all registers */
			gs->gpr[1] = e->pc;
			gs->gpr[11] = gs->rflags;
		}
		g->t->call_block = e->block;
		g->t->is_call32 = 0;
		gst_syscall(g);
		if (g->events.steps)
			g->t->is_trap_due |= GST_TRAP_EVENT;
		gst_go(g);
		break;
	case SHR_EXIT_EMULATE:
		finish(g, gst_emulate(g, e));
		gst_go(g);
		break;
	case SHR_EXIT_QUANTUM:
		gs->pc = e->pc;
		g->t->can_deliver = 1;
		gst_sched_turn(g);
		gst_go(g);
		break;
	case SHR_EXIT_CHECK: check_source(g, e); break;
	default: gst_refuse(g, "translated code left by an exit that does not exist", NULL);
	}
}
