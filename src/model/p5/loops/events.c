/* events.c -- records other than block executions, and where conditional branches went.
 *
 * COUNTING RULES   the instructions of a partly executed block count one by one; a branch whose
 *                  outcome is cut off by the end of the program is not taken.
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/plain.h"
#include "model/p5/blocks/ledger.h"
#include "model/p5/loops/feed.h"

#include "base/error.h"
#include "trace/record.h"

void p5_resolve(struct p5 *m, uint64_t next)
{
	m->n_taken += m->waits && !m->is_to_next && next == m->waits_for;
	m->waits = false;
	if (m->ledger)
		ledger_resolve(m->ledger, m->ledger->wanted[WIRE_P5_CORE_TAKEN]);
}

void p5_wait(struct p5 *m, const struct x86_block *b)
{
	m->waits = b->term == X86_TERM_JCC;
	m->is_to_next = b->target == b->fall;
	m->waits_for = b->target;
	if (m->ledger)
		ledger_wait(m->ledger, b->id);
}

/* Instructions [from, to) of xb. */
static int some(struct p5 *m, const struct x86_block *xb, const uint8_t *slots, unsigned from,
		unsigned to)
{
	int rc = m->time.is_on ? p5_time_hold(m, xb, slots, from, to) : 0;

	if (rc)
		return rc;
	if (!from)
		p5_resolve(m, xb->pc);
	p5_count_now(m, xb, from, to);
	p5_clip(m, xb, slots, from, to);
	m->n_insn += to - from;
	for (unsigned i = from; i < to && !rc && !m->time.is_on; i++)
		rc = p5_run_insn(m, xb, slots, i, true);
	if (to == xb->n_insn)
		p5_wait(m, xb);
	return rc;
}

/* TRC_PARTIAL or TRC_PIECE. */
static int piece(struct p5 *m, const uint8_t *p, uint32_t size, bool is_piece)
{
	struct reader_piece e;
	int rc;

	if (reader_piece(m->store, p, size, is_piece, &e) || !p5_meet(m, e.block->id))
		return -SPMU_EPROTO;
	rc = some(m, e.block, e.slots, e.from, e.to);
	if (rc || !is_piece || !m->time.is_on || e.to == e.block->n_insn)
		return rc;
	return p5_time_go(m, e.block->pc + e.block->insn[e.to].pc_off,
			  false); /* nothing more can be known of it */
}

/* The branch that waits was taken to the next instruction. */
static int taken(struct p5 *m)
{
	int rc;

	if (!m->waits || !m->is_to_next)
		return -SPMU_EPROTO;
	rc = p5_time_go(m, m->waits_for, true);
	m->waits = false;
	m->n_taken++;
	if (m->ledger)
		ledger_resolve(m->ledger, true);
	return rc;
}

/* Execution goes on at `next`. */
static int go(struct p5 *m, uint64_t next)
{
	const int rc = p5_time_go(m, next, m->waits && !m->is_to_next && next == m->waits_for);

	p5_resolve(m, next);
	return rc;
}

/* Execution goes on at `next`, where instruction `insn` of block `id` stands, and nothing was
 * between. */
static int ahead(struct p5 *m, uint64_t next, uint32_t id, uint32_t insn)
{
	const struct x86_block *b =
	    id < x86_store_count(m->store) ? x86_store_get(m->store, id) : NULL;
	const int rc = go(m, next);

	if (rc || !m->time.is_on || !b)
		return rc;
	if (insn >= b->n_insn || b->pc + b->insn[insn].pc_off != next)
		return -SPMU_EPROTO;
	p5_memo_leave(m);
	return p5_pipe_ahead(m, b, insn);
}

int p5_switch(struct p5_system *s, unsigned cpu, const uint8_t *resume)
{
	const struct p5 *from = s->cpu[s->turns.running];
	struct p5 *to;

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
static int map_page(struct p5 *m, const uint8_t *p, uint32_t size)
{
	struct p5_system *s = m->system;
	struct tables_taken taken;
	int rc;

	if (!s->tables)
		return 0;
	if (tables_look(s->tables, p, size, &taken))
		return -SPMU_EPROTO;
	P5_RAISE(m, BUS_LOCKED, (taken.page.flags & TRC_PAGE_SETS_PDE) != 0);
	P5_RAISE(m, BUS_LOCKED, (taken.page.flags & TRC_PAGE_SETS_PTE) != 0);
	if (taken.change == TABLES_EQUAL)
		return 0;
	rc = go(m, taken.pc);
	rc = rc ? rc : p5_time_finish(m);
	rc = rc ? rc : tables_take(s->tables, &taken);
	for (unsigned i = 0; i < s->turns.n && !rc; i++)
		p5_tables_mapped(s->cpu[i], &taken);
	return rc;
}

/* The processor drops entries of its TLBs. */
static int flush(struct p5 *m, const uint8_t *p, uint32_t size)
{
	const uint32_t what = size < 16 ? TRC_N_FLUSHES : reader_u32(p + 8);
	int rc;

	if (what >= TRC_N_FLUSHES)
		return -SPMU_EPROTO;
	if (!m->system->tables)
		return 0;
	rc = go(m, reader_u64(p));
	rc = rc ? rc : p5_time_finish(m);
	p5_tables_flush(m, (enum trc_flush)what, reader_u32(p + 12));
	return rc;
}

static int event(struct p5 *m, uint32_t kind, const uint8_t *p, uint32_t size)
{
	int rc;

	switch (kind) {
	case TRC_PARTIAL: return piece(m, p, size, false);
	case TRC_PIECE: return piece(m, p, size, true);
	case TRC_GO:
		if (size < 8)
			return -SPMU_EPROTO;
		return go(m, reader_u64(p));
	case TRC_AHEAD:
		if (size < 16)
			return -SPMU_EPROTO;
		return ahead(m, reader_u64(p), reader_u32(p + 8), reader_u32(p + 12));
	case TRC_FS_BASE:
		if (size < 8)
			return -SPMU_EPROTO;
		rc = p5_time_finish(m);
		m->seg.fs_base = reader_u64(p);
		return rc;
	case TRC_UNKNOWN_INSN:
		if (size < 12)
			return -SPMU_EPROTO;
		rc = go(m, reader_u64(p));
		if (rc)
			return rc;
		P5_RAISE(m, CORE_INST, 1);
		P5_RAISE(m, CORE_FOREIGN, 1);
		m->n_insn++;
		if (m->ledger)
			ledger_book_alone(m->ledger, reader_u64(p));
		return 0;
	case TRC_DF:
		if (size < 4)
			return -SPMU_EPROTO;
		rc = p5_time_finish(m);
		m->strings.df = reader_u32(p) != 0;
		return rc;
	case TRC_TAKEN: return taken(m);
	case TRC_INTERRUPT:
		if (size < 16)
			return -SPMU_EPROTO;
		rc = go(m, reader_u64(p));
		rc = rc ? rc : p5_time_finish(m);
		p5_int_deliver(m, reader_u32(p + 8) == TRC_DELIVERY_INTERRUPT);
		return rc;
	case TRC_RING:
		if (size < 8)
			return -SPMU_EPROTO;
		rc = go(m, reader_u64(p));
		rc = rc ? rc : p5_time_finish(m);
		P5_RAISE(m, SEG_LOAD, 1); /* the second of the transfer */
		return rc;
	case TRC_PAGE: return map_page(m, p, size);
	case TRC_FLUSH: return flush(m, p, size);
	case TRC_EXEC:
		rc = p5_time_finish(m);
		p5_exec(m);
		return rc;
	case TRC_THREAD:
		if (size < 4)
			return -SPMU_EPROTO;
		if (!m->has_peers)
			return 0;
		rc = p5_time_finish(m); /* the others find its lines as they are */
		return rc ? rc
			  : p5_switch(m->system, turns_cpu(&m->system->turns, p, size), p + size);
	default: return kind < TRC_N_KINDS ? 0 : -SPMU_EPROTO;
	}
}

int64_t p5_event(struct p5 *m, const uint8_t *p, const uint8_t *end)
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
