/* events.c -- records other than block executions.
 *
 * COUNTING RULES   the instructions of a partly executed block count one by one; a transfer whose
 *                  outcome is cut off by the end of the program is not taken and not mispredicted.
 */
#include "model/p6/loops/events.h"

#include "base/error.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/int.h"
#include "model/p6/kept/held.h"
#include "model/p6/kept/stretch.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/host/host.h"
#include "model/p6/loops/feed.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/fpu.h"
#include "model/p6/units/ifu.h"
#include "trace/record.h"

void p6_event_resolve(struct p6 *m, uint64_t next)
{
	const struct p6_pending p = m->pending;
	struct p6_outcomes o = {0};
	uint16_t none = 0;
	uint16_t *hint = m->pending_blk != P6_NO_ENTRY ? &p6_blk_at(m, m->pending_blk)->btb : &none;

	const bool is_known = m->time.is_on && p6_time_predict(m, &p, next & P6_LIN_MASK, hint);

	m->pending.term = X86_TERM_FALL;
	m->pending_blk = P6_NO_ENTRY;
	p6_btb_resolve(m, p.term, p.target, p.fall, next & P6_LIN_MASK, hint, &o, m->has_btb);
	p6_btb_add(m, &o);
	if (m->ledger)
		ledger_resolve(m->ledger, o.sums >> P6_O_WRONG ||
					      (o.sums && m->ledger->wanted[WIRE_P6_RETIRE_TAKEN]));
	if (m->time.is_on)
		p6_time_resolve(m, p.term, next, is_known, o.sums >> P6_O_WRONG);
}

void p6_begin_block(struct p6 *m, uint64_t pc)
{
	const bool is_over = m->time.is_due || p6_stretch_is_due(m);
	const struct x86_block *const last = m->time.held;

	p6_event_resolve(m, pc);
	m->time.is_due = false;
	if (is_over)
		p6_stretch_end(m);
	if (is_over && last)
		p6_ledger_held(m, last, last->n_insn - 1u);
}

/* Execution goes on at pc: what waits for that is done, or nothing led there. */
static void go(struct p6 *m, uint64_t pc)
{
	if (m->time.is_on && !m->time.held && !(m->time.is_open && m->time.open_pc == pc)) {
		p6_memo_wake(m);
		p6_decode_elsewhere(m);
	}
	p6_event_resolve(m, pc);
}

void p6_event_wait(struct p6 *m, const struct x86_block *xb)
{
	uint64_t target = xb->target;

	if (xb->term == X86_TERM_JCC && target == xb->fall)
		target = xb->fall + P6_NO_TARGET;
	m->pending = (struct p6_pending){target & P6_LIN_MASK, xb->fall & P6_LIN_MASK, xb->term};
	m->pending_blk = P6_NO_ENTRY;
	if (m->ledger)
		ledger_wait(m->ledger, xb->id);
}

/* Execution goes on at pc, and nothing was between. */
static void ahead(struct p6 *m, uint64_t pc)
{
	const bool waits = m->time.held != NULL;

	m->time.is_due |= p6_stretch_is_due(m);
	p6_event_resolve(m, pc);
	m->time.is_open |= waits;
	m->time.open_pc = waits ? pc : m->time.open_pc;
}

/* Instructions [from, to) of xb. */
static int some(struct p6 *m, const struct x86_block *xb, const uint8_t *slots, unsigned from,
		unsigned to)
{
	int rc;

	if (from && m->time.held)
		p6_time_settle(m); /* the piece before */
	else if (!from)
		p6_begin_block(m, xb->pc);
	if (m->time.is_on && !p6_template(m, xb)) /* it is met now */
		return -SPMU_ENOMEM;
	if (m->time.watch)
		p6_watch_hold(m);
	p6_count_now(m, xb, from, to);
	m->n_insn += to - from;
	if (m->time.watch)
		p6_watch_skip(m);
	for (unsigned i = from; m->time.is_on && i < to; i++) {
		p6_assist_count(m, xb, slots, i, i + 1);
		p6_plain_fpmmx(m, xb->insn[i].group);
		p6_ledger_insn(m, xb, i);
	}
	rc = m->time.is_on ? p6_time_hold(m, xb, slots, from, to)
			   : p6_run_some(m, xb, slots, from, to, true);
	if (to == xb->n_insn)
		p6_event_wait(m, xb);
	return rc;
}

/* TRC_PARTIAL or TRC_PIECE. */
static int piece(struct p6 *m, const uint8_t *p, uint32_t size, bool is_piece)
{
	struct reader_piece e;
	int rc;

	if (reader_piece(m->store, p, size, is_piece, &e))
		return -SPMU_EPROTO;
	rc = some(m, e.block, e.slots, e.from, e.to);
	if (!rc && is_piece && m->time.is_on)
		rc = p6_time_piece(m, e.from, e.to);
	return rc;
}

/* The branch that waits was taken to the next instruction. */
static int taken(struct p6 *m)
{
	const struct p6_pending *p = &m->pending;

	if (p->term != X86_TERM_JCC || ((p->target ^ (p->fall + P6_NO_TARGET)) & P6_LIN_MASK))
		return -SPMU_EPROTO;
	m->pending.target &= P6_LIN_MASK;
	p6_event_resolve(m, p->target);
	return 0;
}

/* An instruction that the decoder does not know: one micro-op, its code lines. */
static void unknown_insn(struct p6 *m, uint64_t pc, uint32_t bytes)
{
	uint64_t line = (pc & P6_LIN_MASK) >> m->line_log2;
	bool is_miss;

	p6_event_resolve(m, pc);
	P6_RAISE(m, RETIRE_INST, 1);
	P6_RAISE(m, RETIRE_UOP, 1);
	P6_RAISE(m, RETIRE_FOREIGN, 1);
	m->n_insn++;
	if (m->ledger)
		ledger_book_alone(m->ledger, pc);
	if (!m->has_mem)
		return;
	if (m->time.log.is_on) {
		m->time.log.record = m->time.log.fed;
		p6_log_read_pass(m);
		return;
	}
	is_miss = p6_ifu_line(m, line);
	if (bytes && ((pc + bytes - 1) & P6_LIN_MASK) >> m->line_log2 != line)
		is_miss |= p6_ifu_line(m, (line + 1) & (P6_LIN_MASK >> m->line_log2));
	P6_RAISE(m, IFU_MISS_REF, is_miss);
	if (m->ledger)
		ledger_book_alone(m->ledger, pc);
}

int p6_switch(struct p6_system *s, unsigned cpu, const uint8_t *resume)
{
	const struct p6 *from = s->cpu[s->turns.running];
	struct p6 *to;

	if (!turns_change(&s->turns, cpu, resume))
		return 0;
	to = s->cpu[s->turns.running];
	to->seg.fs_base = from->seg.fs_base;
	to->strings.df = from->strings.df;
	if (to->ledger)
		ledger_skip(to->ledger); /* what others did on the bus */
	return TURNS_OTHER;
}

/* A page of the machine's tables. Most that are told are known. */
static int map_page(struct p6 *m, const uint8_t *p, uint32_t size)
{
	struct p6_system *s = m->system;
	struct tables_taken taken;

	if (!s->tables)
		return 0;
	if (tables_look(s->tables, p, size, &taken))
		return -SPMU_EPROTO;
	if (taken.change == TABLES_EQUAL)
		return 0;
	ahead(m, taken.pc);
	p6_memo_wake(m);
	if (taken.is_code_stale) {
		for (unsigned i = 0; i < s->n; i++)
			p6_host_renew(s->cpu[i]);
		tables_forget_code(s->tables);
	}
	if (tables_take(s->tables, &taken))
		return -SPMU_ENOMEM;
	for (unsigned i = 0; i < s->n; i++)
		p6_walk_mapped(s->cpu[i], &taken);
	return 0;
}

/* The processor drops entries of its TLBs. */
static int flush(struct p6 *m, const uint8_t *p, uint32_t size)
{
	const uint32_t what = size < 16 ? TRC_N_FLUSHES : reader_u32(p + 8);

	if (what >= TRC_N_FLUSHES)
		return -SPMU_EPROTO;
	if (!m->system->tables)
		return 0;
	ahead(m, reader_u64(p));
	p6_memo_wake(m);
	p6_walk_flush(m, (enum trc_flush)what, reader_u32(p + 12));
	return 0;
}

static int event(struct p6 *m, uint32_t kind, const uint8_t *p, uint32_t size)
{
	switch (kind) {
	case TRC_PARTIAL: return piece(m, p, size, false);
	case TRC_PIECE: return piece(m, p, size, true);
	case TRC_GO:
		if (size < 8)
			return -SPMU_EPROTO;
		go(m, reader_u64(p));
		return 0;
	case TRC_FS_BASE:
		if (size < 8)
			return -SPMU_EPROTO;
		p6_time_settle(m);
		m->seg.fs_base = reader_u64(p);
		return 0;
	case TRC_AHEAD:
		if (size < 16)
			return -SPMU_EPROTO;
		ahead(m, reader_u64(p));
		return 0;
	case TRC_UNKNOWN_INSN:
		if (size < 12 || reader_u32(p + 8) > 15)
			return -SPMU_EPROTO;
		unknown_insn(m, reader_u64(p), reader_u32(p + 8));
		return 0;
	case TRC_DF:
		if (size < 4)
			return -SPMU_EPROTO;
		p6_time_settle(m);
		m->strings.df = reader_u32(p) != 0;
		return 0;
	case TRC_TAKEN: return taken(m);
	case TRC_INTERRUPT:
		if (size < 16)
			return -SPMU_EPROTO;
		go(m, reader_u64(p));
		p6_memo_wake(m);
		p6_int_deliver(m, reader_u32(p + 8) == TRC_DELIVERY_INTERRUPT);
		return 0;
	case TRC_RING:
		if (size < 8)
			return -SPMU_EPROTO;
		ahead(m, reader_u64(p));
		p6_memo_wake(m);
		P6_RAISE(m, SEG_LOAD, 1); /* SS, behind CS */
		return 0;
	case TRC_MASK:
		if (size < 16)
			return -SPMU_EPROTO;
		ahead(m, reader_u64(p));
		p6_memo_wake(m);
		p6_int_mask(m, reader_u32(p + 8));
		return 0;
	case TRC_PAGE: return map_page(m, p, size);
	case TRC_FLUSH: return flush(m, p, size);
	case TRC_EXEC:
		p6_time_settle(m);
		p6_exec(m);
		return 0;
	case TRC_EXIT:
		p6_time_settle(m);
		for (unsigned i = 0; i < m->system->n; i++)
			p6_dcu_flush_weak(m->system->cpu[i]);
		return 0;
	case TRC_THREAD:
		if (size < 4)
			return -SPMU_EPROTO;
		p6_time_settle(m);
		return p6_switch(m->system, turns_cpu(&m->system->turns, p, size), p + size);
	default: return kind < TRC_N_KINDS ? 0 : -SPMU_EPROTO;
	}
}

int64_t p6_event(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	const int64_t size = reader_event(p, end);
	int rc;

	if (size < 0)
		return size;
	rc = event(m, reader_u32(p) - TRC_SPECIAL, p + 8, (uint32_t)size);
	if (m->ledger)
		ledger_skip(m->ledger); /* the kernel, or the end: no instruction's */
	return rc ? rc : 8 + size;
}
