/* ledger.c -- what single instructions of this machine counted (parts/ledger.h).
 *
 * COUNTING RULES   a reference, a code line's fetch with the walk and the write-backs that it
 *                  brings: the instruction that asked for it, a line of code the first instruction
 *                  that lies in it; the outcome of a transfer: the transfer.
 *                  Clocks: the oldest instruction that has not retired when the clock begins: it is
 *                  what retirement moves on by. Whatever else time counts: the instruction that is
 *                  decoded, renamed or dispatched then; a group that waits: its first instruction.
 *                  A wrong path, and the end of a stretch: the branch. Timer interrupts: nobody.
 *                  Of kept timings: as when they were worked out (kept/step_owners.h).
 * NOT MODELLED     comparisons in each clock.
 */
#include "model/p6/p6.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/fpu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/bus_clocks.h"

#include <string.h>

#include "model/parts/contexts.h"
#include "trace/record.h"

/* Add a cell for a number that stands for several wires and is 0 now. */
static int add_sums(struct p6 *m, uint64_t *number)
{
	struct ledger_share share[WIRE_N];
	uint64_t total[WIRE_N] = {0};
	unsigned n = 0;

	*number = 1;
	p6_l2_add_served(m, total);
	*number = 0;
	for (unsigned wire = WIRE_P6_FIRST; wire < WIRE_P6_END; wire++)
		if (total[wire])
			share[n++] = (struct ledger_share){(uint16_t)wire, (int64_t)total[wire]};
	return ledger_add_cell(m->ledger, number, share, n);
}

/* Add the wires of caches, TLBs and the bus; or, with is_memory false, the others. */
static int add_wires(struct p6 *m, bool is_memory)
{
	size_t n;
	const struct cat_wire *w = cat_wires(&n);
	int rc = 0;

	for (unsigned wire = WIRE_P6_FIRST; wire < WIRE_P6_END && wire < n && !rc; wire++)
		if (wire != WIRE_P6_CORE_CLK && (w[wire].need == CAT_NEED_MEMORY ||
						 w[wire].need == CAT_NEED_ALONE) == is_memory)
			rc = ledger_add_wire(m->ledger, &m->dyn[wire], wire);
	return rc;
}

int p6_ledger_open(struct p6 *m, const uint8_t *wanted)
{
	uint8_t more[WIRE_N];
	int rc;

	memcpy(more, wanted, sizeof(more));
	if (more[WIRE_P6_BUS_DRDY_ANY])
		more[WIRE_P6_BUS_DATA_RCV] = more[WIRE_P6_BUS_DRDY_SELF] = 1;
	rc = ledger_open(&m->ledger, m->store, more);
	if (!rc)
		m->ledger->is_at_once = m->time.is_on;
	for (unsigned i = 0; i < P6_N_SERVED * P6_N_FOUND && !rc; i++)
		rc = add_sums(m, &m->l2.served[0][0] + i);
	for (unsigned i = 0; i < P6_N_WALKED && !rc; i++)
		rc = add_sums(m, &m->walker.n_served[i]);
	for (unsigned i = 0; i < 2 * P6_N_ABSENT && !rc; i++)
		rc = add_sums(m, &m->l2.absent[0][0] + i);
	rc = rc ? rc : add_sums(m, &m->dcu.n_cast_out);
	rc = rc ? rc : add_wires(m, true);
	if (rc)
		return rc;
	m->ledger->n_memory = m->ledger->n_cell;
	rc = add_wires(m, false);
	if (m->ledger->wanted[WIRE_P6_CORE_CLK])
		m->ledger->clock = m->ledger->n_cell;
	rc = rc ? rc : ledger_add_wire(m->ledger, &m->time.retire_clk, WIRE_P6_CORE_CLK);
	return rc ? rc : ledger_add_wire(m->ledger, &m->btb.n_taken, WIRE_P6_RETIRE_TAKEN);
}

/* ---- whose it is ----------------------------------------------------------------------------- */

static const struct x86_block *block_of(const struct p6 *m, const struct p6_blk *b)
{
	return x86_store_get(m->store, trc_block_id(b->head));
}

void p6_ledger_fpmmx(struct p6 *m, const struct p6_blk *b)
{
	const struct x86_block *xb;
	unsigned i = 0;

	if (!m->ledger)
		return;
	xb = block_of(m, b);
	while (i + 1 < xb->n_insn && xb->insn[i].group != X86_GRP_X87 &&
	       xb->insn[i].group != X86_GRP_MMX)
		i++;
	ledger_book(m->ledger, xb->id, i);
}

void p6_ledger_assists(struct p6 *m, const struct x86_block *b, const uint8_t *slots)
{
	if (!m->ledger) {
		p6_assist_count(m, b, slots, 0, b->n_insn);
		return;
	}
	for (unsigned i = 0; i < b->n_insn; i++) {
		p6_assist_count(m, b, slots, i, i + 1);
		p6_ledger_insn(m, b, i);
	}
}

/* ---- handing out ----------------------------------------------------------------------------- */

static uint64_t executions(void *machine, uint32_t id)
{
	const struct p6 *m = machine;

	return id < m->blocks.n_compiled && m->blocks.position[id] != P6_NO_ENTRY
		   ? p6_blk_at(m, m->blocks.position[id])->n_exec
		   : 0;
}

static void always(void *machine, const struct x86_block *b, unsigned insn, uint64_t times,
		   struct ledger_sum *s)
{
	struct p6 *m = machine;

	p6_always(m, b, insn);
	ledger_add_tally(m->ledger, s, &m->blocks.tally, times);
}

/* Core clocks in which the bus is driven are those of the bus in another unit. They are rounded
 * once, so of each instruction it is what they come to with it, less what they came to without. */
static void add_driven(const struct p6 *m, struct ledger_sum *s, uint64_t *driven)
{
	const uint64_t more = s->total[WIRE_P6_BUS_DATA_RCV] + s->total[WIRE_P6_BUS_DRDY_SELF];

	if (!more || !m->ledger->wanted[WIRE_P6_BUS_DRDY_ANY])
		return;
	ledger_add(s, WIRE_P6_BUS_DRDY_ANY,
		   p6_bus_to_core_clocks(m, *driven + more) - p6_bus_to_core_clocks(m, *driven));
	*driven += more;
}

static void complete(void *machine, struct ledger_sum *s)
{
	const struct p6 *m = machine;

	add_driven(m, s, &m->system->n_driven_booked);
}

static void complete_context(void *machine, struct ledger_sum *s)
{
	const struct p6 *m = machine;

	add_driven(m, s, &m->system->n_driven_in_contexts);
}

/* Does each instruction book what it always counts? */
static bool is_booked_alone(const struct p6 *m)
{
	return m->is_plain && !m->time.is_on;
}

int p6_ledger_take(struct p6 *m, const struct mdl_visit *visit, size_t n, mdl_take_posting *take,
		   void *ctx)
{
	const struct ledger_machine of = {m, executions, always, complete};

	if (is_booked_alone(m))
		n = 0; /* each instruction was booked */
	return ledger_take(m->ledger, &of, m->blocks.n_compiled, visit, n, take, ctx);
}

int p6_ledger_take_contexts(struct p6_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx)
{
	const struct ledger_machine of = {s->cpu[0], executions, always, complete_context};
	struct ledger *ledger[MDL_MAX_CPUS];

	for (unsigned i = 0; i < s->n; i++)
		ledger[i] = s->cpu[i]->ledger;
	if (is_booked_alone(s->cpu[0]))
		n = 0; /* each instruction was booked */
	return ledger_take_contexts(ledger, s->n, &of, visit, n, take, ctx);
}
