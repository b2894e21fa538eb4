/* ledger.c -- what single instructions of this machine counted (parts/ledger.h).
 *
 * COUNTING RULES   a reference and what it brings about: its instruction; whether a branch was
 *                  taken: the branch; a change between x87 and MMX: the instruction that is of the
 *                  other kind than those before it.
 *                  Clocks: the instruction in U; what a wrong stream costs: the branch. What V
 *                  does besides: the instruction in V. Waits of a slot that are counted before it
 *                  is in EX: the instruction in U. A code line and a page: the instruction that is
 *                  fetched.
 *                  Of kept timings: as when they were worked out (kept/memo_owners.h).
 */
#include "model/p5/p5.h"
#include "model/p5/blocks/ledger.h"

#include "base/error.h"
#include "model/parts/contexts.h"
#include "trace/record.h"

int p5_ledger_open(struct p5 *m, const uint8_t *wanted)
{
	const struct ledger_share taken = {WIRE_P5_CORE_TAKEN, 1},
				  hit = {WIRE_P5_DCACHE_WRITE_HIT_ME, 1},
				  no_hit = {WIRE_P5_DCACHE_WRITE_HIT_ME, -1};
	uint8_t more[WIRE_N];
	int rc;

	for (unsigned wire = 0; wire < WIRE_N; wire++)
		more[wire] = wanted[wire];
	if (more[WIRE_P5_DCACHE_WRITE_HIT_ME])
		more[WIRE_P5_DCACHE_WRITE] = more[WIRE_P5_DCACHE_WRITE_MISS] = 1;
	rc = ledger_open(&m->ledger, m->store, more);
	if (!rc)
		m->ledger->is_at_once = m->time.is_on;
	for (unsigned wire = WIRE_P5_FIRST; wire < WIRE_P5_END && !rc; wire++)
		rc = ledger_add_wire(m->ledger, &m->seen[wire], wire);
	rc = rc ? rc : ledger_add_cell(m->ledger, &m->dcache.n_write_miss_again, &hit, 1);
	rc = rc ? rc : ledger_add_cell(m->ledger, &m->dcache.n_write_shared, &no_hit, 1);
	if (rc)
		return rc;
	m->ledger->n_memory = m->ledger->n_cell; /* what looks move */
	for (unsigned wire = WIRE_P5_FIRST; wire < WIRE_P5_END && !rc; wire++)
		rc = ledger_add_wire(m->ledger, &m->dyn[wire], wire);
	if (m->ledger->wanted[WIRE_P5_CORE_CLK])
		m->ledger->clock = m->ledger->n_cell;
	rc = rc ? rc : ledger_add_wire(m->ledger, &m->time.now_clk, WIRE_P5_CORE_CLK);
	return rc ? rc : ledger_add_cell(m->ledger, &m->n_taken, &taken, 1);
}

/* ---- whose it is ----------------------------------------------------------------------------- */

static const struct x86_block *block_of(const struct p5 *m, const struct p5_blk *b)
{
	return x86_store_get(m->store, trc_block_id(b->head));
}

/* Prefetches are no references of b. */
void p5_ledger_reference(struct p5 *m, const struct p5_blk *b, const struct p5_ref *r)
{
	const struct x86_block *xb = block_of(m, b);
	unsigned left = (unsigned)(r - b->ref), k = 0;

	for (; k + 1u < xb->n_ref && (left || xb->ref[k].flags & X86_REF_PREFETCH); k++)
		left -= !(xb->ref[k].flags & X86_REF_PREFETCH);
	ledger_book(m->ledger, xb->id, xb->ref[k].insn);
}

void p5_ledger_book_fly(struct p5 *m, const struct p5_fly *f)
{
	const uint32_t context = m->ledger->context;
	struct p5_tape *t = &m->time.tape;

	m->ledger->context = f->context;
	ledger_book_of(m->ledger, f->block, f->insn);
	m->ledger->context = context;
	if (!t->is_recording || t->is_lost || t->at <= t->n_owned)
		return;
	t->is_lost = !ledger_has(m->ledger, f->block);
	t->who[t->n_who++] =
	    (struct ledger_note){.id = f->block->id, .insn = f->insn, .n = (int32_t)t->at};
	t->n_owned = t->at;
}

void p5_ledger_fpmmx(struct p5 *m, const struct p5_blk *b)
{
	const struct x86_block *xb;
	unsigned i = 0;

	if (!m->ledger)
		return;
	xb = block_of(m, b);
	while (i + 1u < xb->n_insn && xb->insn[i].group != X86_GRP_X87 &&
	       xb->insn[i].group != X86_GRP_MMX)
		i++;
	ledger_book(m->ledger, xb->id, i);
}

void p5_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
	     unsigned to)
{
	if (!m->ledger) {
		p5_mmx_clip(m, b, slots, from, to);
		return;
	}
	for (unsigned i = from; i < to; i++) {
		p5_mmx_clip(m, b, slots, i, i + 1);
		p5_ledger_insn(m, b, i);
	}
}

/* ---- handing out ----------------------------------------------------------------------------- */

static uint64_t executions(void *machine, uint32_t id)
{
	const struct p5 *m = machine;

	return id < m->n_met && m->blk[id] ? m->blk[id]->n_exec : 0;
}

/* Is instruction i of b x87 or MMX, and the last such before it in the block of the other kind? */
static bool is_change(const struct x86_block *b, unsigned i)
{
	const unsigned group = b->insn[i].group;

	if (group != X86_GRP_X87 && group != X86_GRP_MMX)
		return false;
	while (i-- > 0)
		if (b->insn[i].group == X86_GRP_X87 || b->insn[i].group == X86_GRP_MMX)
			return b->insn[i].group != group;
	return false;
}

static void always(void *machine, const struct x86_block *b, unsigned insn, uint64_t times,
		   struct ledger_sum *s)
{
	struct p5 *m = machine;
	struct tally *t = &m->tally;

	p5_count_insn(m, b, insn, t);
	if (!m->time.is_on) /* in time the pipes count each change, and it is booked */
		tally_add(t, WIRE_P5_MMX_SWITCH, is_change(b, insn));
	ledger_add_tally(m->ledger, s, t, times);
}

static void complete(void *machine, struct ledger_sum *s)
{
	const struct p5 *m = machine;
	const uint64_t hit = p5_writes_hit(s->total);

	if (hit && m->ledger->wanted[WIRE_P5_DCACHE_WRITE_HIT_ME])
		ledger_add(s, WIRE_P5_DCACHE_WRITE_HIT_ME, hit);
}

int p5_ledger_take(struct p5 *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		   void *ctx)
{
	const struct ledger_machine of = {m, executions, always, complete};

	if (m->is_plain)
		n = 0; /* each instruction was booked */
	return ledger_take(m->ledger, &of, m->n_met, visit, n, take, ctx);
}

int p5_ledger_take_contexts(struct p5_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx)
{
	const struct ledger_machine of = {s->cpu[0], executions, always, complete};
	struct ledger *ledger[MDL_MAX_CPUS];

	for (unsigned i = 0; i < s->turns.n; i++)
		ledger[i] = s->cpu[i]->ledger;
	if (s->cpu[0]->is_plain)
		n = 0; /* each instruction was booked */
	return ledger_take_contexts(ledger, s->turns.n, &of, visit, n, take, ctx);
}
