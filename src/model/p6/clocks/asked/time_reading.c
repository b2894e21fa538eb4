/* time_reading.c -- part of unit core: what a counter holds when an RDPMC reads it, with clocks.
 *
 * COUNTING RULES   RDPMC reads when its last micro-op executes. What older instructions do later is
 *                  not in it: instructions, micro-ops, branches and operations that have not
 *                  retired; references of instructions whose load or store data has not been
 *                  dispatched, and operations counted when they execute, when one of the micro-ops
 *                  has not; lines that are not whole in L1D or L2; reads that are not requested on
 *                  the bus; clocks of 48H that are still to come.
 * MODELLED         micro-ops that the reorder buffer has room for besides RDPMC's own; lines in the
 *                  fill buffers, none of those that gave their buffer to a younger one before. The
 *                  first RDPMC of a program finds all that is older than its block or the one
 *                  before done.
 * NOT MODELLED     what younger instructions did before it reads: the program waits for its answer.
 *                  Lines of code, page walks, modified lines, what L2 finds (28H to 2AH, 2EH),
 *                  writes and data of the bus, stores on their way to L1D: program order. The
 *                  caller sees to it that totals of older ones are known.
 * SOURCES          chosen; clocks are those of fill.c and ports.c.
 */
#include "model/p6/p6.h"

#include <string.h>

#include "model/p6/clocks/templates.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/asked/time_reading.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/retire.h"

/* ---- when it reads --------------------------------------------------------------------------- */

void p6_reading_begin(struct p6 *m, unsigned n_uop)
{
	struct p6_time *t = &m->time;
	const unsigned n = t->par.rob > n_uop ? t->par.rob - n_uop : 1;

	if (t->n_readable)
		return;
	p6_memo_forget(m); /* states that do not say it */
	t->n_readable = n < P6_MAX_WAITING ? n : P6_MAX_WAITING;
	memset(t->exec, 0, sizeof(t->exec));
	for (unsigned i = 0; i < P6_MAX_BUFFERS; i++)
		t->fill[i].what = 0;
}

/* Of the line of f. */
static void note_line(struct p6_unread *u, const struct p6_fill *f, uint64_t clk)
{
	const uint64_t from = p6_later(f->from_clk, clk + 1),
		       end = f->done_clk - 1 - (f->what & P6_FILL_MEMORY ? 2 : 0);
	const bool is_late = f->done_clk > clk + 1, is_asked = f->request_clk <= clk;

	if (f->what & P6_FILL_L1) {
		u->lines += is_late;
		u->outstanding = (uint16_t)(u->outstanding + (end > from ? end - from : 0));
	}
	if (!(f->what & P6_FILL_MEMORY))
		return;
	u->l2_lines += is_late;
	u->brd += f->what & P6_FILL_BRD && !is_asked;
	u->rfo += !(f->what & P6_FILL_BRD) && !is_asked;
}

void p6_reading_note(struct p6 *m, unsigned n_own)
{
	struct p6_time *t = &m->time;
	const uint32_t at = t->rob_at - 1 - n_own;

	t->unread = (struct p6_unread){.waiting = 0};
	for (unsigned j = 0; j < t->n_readable; j++)
		t->unread.waiting |= (uint32_t)(t->exec[(at - j) % P6_MAX_ROB] > t->read_clk) << j;
	for (unsigned i = 0; i < t->par.fill_buffers; i++)
		if (t->fill[i].done_clk > t->read_clk && t->fill[i].what)
			note_line(&t->unread, &t->fill[i], t->read_clk);
}

/* ---- what it does not see -------------------------------------------------------------------- */

/* What instruction i of b, which was followed by block `next`, counted of `wire`. */
static uint64_t counted(struct p6 *m, const struct x86_block *b, unsigned i,
			const struct x86_block *next, unsigned wire)
{
	struct tally *t = &m->blocks.tally;
	uint64_t n;

	p6_retire_count(m, b, i, t);
	n = t->n[wire];
	while (t->n_touched)
		t->n[t->touched[--t->n_touched]] = 0;
	if (wire == WIRE_P6_RETIRE_TAKEN && b->insn[i].flags & X86_I_COND)
		n += next && next->pc != b->fall;
	return n;
}

/* Block number `at` of those executed; NULL: nothing before it is in flight. */
static const struct x86_block *recent(const struct p6 *m, unsigned at)
{
	const uint32_t id = m->time.last_blocks[at % P6_LAST_BLOCKS];

	return id ? x86_store_get(m->store, id - 1) : NULL;
}

/* What the micro-ops in flight when an RDPMC read have counted of `wire`: whole instructions, an
 * instruction retires with its last one. */
static uint64_t unretired(struct p6 *m, unsigned wire)
{
	struct p6_time *t = &m->time;
	const unsigned at = t->last_block_at - 1; /* of the RDPMC */
	unsigned left = t->read_unretired;
	const struct x86_block *next = recent(m, at);
	uint64_t n = 0;

	for (unsigned k = 1; left && k < P6_LAST_BLOCKS; k++) {
		const struct x86_block *b = recent(m, at - k);
		const struct p6_tblk *steps = b ? p6_template(m, b) : NULL;

		if (!steps)
			break;
		for (unsigned i = b->n_insn; i && left; i--) {
			const unsigned uops = steps->code[i - 1].n_uop;

			n += counted(m, b, i - 1, next, wire);
			left -= uops < left ? uops : left;
		}
		next = b;
	}
	return n;
}

/* Which micro-ops of instruction s, of templates t, are among `waiting`, a bit each, the last
 * first. */
static uint32_t kinds_waiting(const struct p6 *m, const struct p6_tblk *t, const struct p6_code *s,
			      uint32_t waiting, bool is_reference)
{
	uint32_t n = 0;

	for (unsigned k = 0; k < s->n_uop && k < P6_MAX_WAITING; k++) {
		const uint32_t content = t->uop[s->first_uop + s->n_uop - 1u - k].content;
		const unsigned kind = p6_templates_content(m->time.templates, content)->uop.kind;

		if (waiting >> k & 1)
			n += kind == P6_U_LOAD ||
			     (is_reference ? kind == P6_U_STD : kind == P6_U_EXEC);
	}
	return n;
}

/* What those that had not been dispatched have counted of `wire`: its references one by one, unless
 * none was; or all that the instruction counts when it executes. */
static uint64_t unexecuted(struct p6 *m, unsigned wire)
{
	struct p6_time *t = &m->time;
	const unsigned at = t->last_block_at - 1; /* of the RDPMC */
	const bool is_reference = wire == WIRE_P6_DCU_REF;
	uint32_t waiting = t->unread.waiting;
	uint64_t n = 0;

	for (unsigned k = 1; waiting && k < P6_LAST_BLOCKS; k++) {
		const struct x86_block *b = recent(m, at - k);
		const struct p6_tblk *steps = b ? p6_template(m, b) : NULL;

		if (!steps)
			break;
		for (unsigned i = b->n_insn; i && waiting; i--) {
			const struct p6_code *s = &steps->code[i - 1];
			const uint32_t now = kinds_waiting(m, steps, s, waiting, is_reference);
			const uint64_t all = now ? counted(m, b, i - 1, NULL, wire) : 0;

			n += !is_reference || now == kinds_waiting(m, steps, s, UINT32_MAX, true) ||
				     all < now
				 ? all
				 : now;
			waiting = s->n_uop < P6_MAX_WAITING ? waiting >> s->n_uop : 0;
		}
	}
	return n;
}

uint64_t p6_unseen(struct p6 *m, uint32_t id, unsigned wire)
{
	const struct p6_time *t = &m->time;

	if (!t->is_on)
		return p6_once(m, id, wire);
	switch (wire) {
	case WIRE_P6_CORE_CLK: return t->retire_clk - t->read_clk;
	case WIRE_P6_RETIRE_UOP: return p6_once(m, id, wire) + t->read_unretired - t->read_own;
	case WIRE_P6_RETIRE_INST:
	case WIRE_P6_RETIRE_BRANCH:
	case WIRE_P6_RETIRE_TAKEN:
	case WIRE_P6_FPU_OP_RETIRED:
	case WIRE_P6_MMX_RETIRED:
	case WIRE_P6_MMX_SAT_RETIRED:
	case WIRE_P6_SSE_PACKED:
	case WIRE_P6_SSE_SCALAR:
	case WIRE_P6_SSE_COMP_PACKED:
	case WIRE_P6_SSE_COMP_SCALAR: return p6_once(m, id, wire) + unretired(m, wire);
	case WIRE_P6_DCU_LINE_IN: return t->unread.lines;
	case WIRE_P6_L2_LINE_IN: return t->unread.l2_lines;
	case WIRE_P6_BUS_BRD: return t->unread.brd;
	case WIRE_P6_BUS_RFO: return t->unread.rfo;
	case WIRE_P6_DCU_MISS_OUTSTANDING: return t->unread.outstanding;
	default:
		return p6_once(m, id, wire) + (wire == WIRE_P6_DCU_REF || p6_is_of_execution(wire)
						   ? unexecuted(m, wire)
						   : 0);
	}
}
