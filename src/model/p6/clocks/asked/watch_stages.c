/* watch_stages.c -- part of unit core: in which clock lies what an access raises?
 *
 * COUNTING RULES   misses of L1 and the TLBs lie in the clock in which the access is dispatched,
 *                  committed or fetched; requests to L2 when its data bus is theirs or, of a line
 *                  that L2 has not, when the buffer asks; lines in when they are whole;
 *                  transactions at their request, data in the core clock that begins each bus
 *                  clock. Several of one kind take the clocks in their order.
 * MODELLED         loads, stores, fetches, page walks, write-backs.
 * NOT MODELLED     REP, buffers for stores that go past the caches, wrong paths that reach the
 *                  caches: see watch.c.
 * SOURCES          the stages are those of fill.c; which event belongs to which is chosen.
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* live ones are fewer: those of a group of micro-ops and of one instruction */
#define TICKETS	 1024u
#define KINDS	 16u /* wires of a ticket */
#define CLOCKS	 24u /* of a stage: the last serves what is beyond */
#define LIFETIME 4u  /* instructions until no micro-op of one waits for rename */

static const uint8_t stage_of[WIRE_N] = {
    [WIRE_P6_DCU_LINE_IN] = P6_STAGE_IN,
    [WIRE_P6_DCU_M_LINE_IN] = P6_STAGE_IN,
    [WIRE_P6_DCU_M_LINE_OUT] = P6_STAGE_OUT,
    [WIRE_P6_L2_IFETCH_M] = P6_STAGE_L2,
    [WIRE_P6_L2_IFETCH_E] = P6_STAGE_L2,
    [WIRE_P6_L2_IFETCH_S] = P6_STAGE_L2,
    [WIRE_P6_L2_IFETCH_I] = P6_STAGE_L2,
    [WIRE_P6_L2_LD_M] = P6_STAGE_L2,
    [WIRE_P6_L2_LD_E] = P6_STAGE_L2,
    [WIRE_P6_L2_LD_S] = P6_STAGE_L2,
    [WIRE_P6_L2_LD_I] = P6_STAGE_L2,
    [WIRE_P6_L2_ST_M] = P6_STAGE_L2,
    [WIRE_P6_L2_ST_E] = P6_STAGE_L2,
    [WIRE_P6_L2_ST_S] = P6_STAGE_L2,
    [WIRE_P6_L2_ST_I] = P6_STAGE_L2,
    [WIRE_P6_L2_ADS] = P6_STAGE_ADS,
    [WIRE_P6_L2_MISS_REF] = P6_STAGE_L2,
    [WIRE_P6_L2_LINE_IN] = P6_STAGE_L2_IN,
    [WIRE_P6_L2_M_LINE_IN] = P6_STAGE_L2_IN,
    [WIRE_P6_L2_LINE_OUT] = P6_STAGE_L2_IN,
    [WIRE_P6_L2_M_LINE_OUT] = P6_STAGE_L2_IN,
    [WIRE_P6_WALK_L2_LD] = P6_STAGE_L2,
    [WIRE_P6_WALK_L2_LINE_IN] = P6_STAGE_L2_IN,
    [WIRE_P6_WALK_BRD] = P6_STAGE_BUS,
    [WIRE_P6_BUS_BRD] = P6_STAGE_BUS,
    [WIRE_P6_BUS_RFO] = P6_STAGE_BUS,
    [WIRE_P6_BUS_IFETCH] = P6_STAGE_BUS,
    [WIRE_P6_BUS_INVAL] = P6_STAGE_BUS,
    [WIRE_P6_BUS_PARTIAL_READ] = P6_STAGE_BUS,
    [WIRE_P6_BUS_PWR] = P6_STAGE_BUS,
    [WIRE_P6_BUS_DEFER] = P6_STAGE_BUS,
    [WIRE_P6_BUS_DATA_RCV] = P6_STAGE_DATA,
    [WIRE_P6_BUS_WB] = P6_STAGE_WRITE,
    [WIRE_P6_BUS_DRDY_SELF] = P6_STAGE_DRIVE,
};

struct raised {
	uint32_t insn; /* number of its instruction */
	unsigned n;
	uint16_t wire[KINDS];
	uint32_t k[KINDS];
};

/* Tickets that p6_stages_end() changes between p6_stages_aside() and p6_stages_back(): two of each
 * micro-op of a group. */
#define KEPT (2 * P6_MAX_GROUP)

struct p6_stages {
	bool is_aside;
	unsigned n_kept;
	uint16_t kept_at[KEPT];
	struct raised kept[KEPT];
	uint64_t clk[P6_N_STAGES][CLOCKS];
	unsigned n[P6_N_STAGES];
	struct raised ticket[TICKETS];
	uint32_t next, oldest; /* numbers of tickets, which go round */
	uint32_t insn;
};

int p6_stages_open(struct p6 *m)
{
	m->time.stages = calloc(1, sizeof(*m->time.stages));
	return m->time.stages ? 0 : -SPMU_ENOMEM;
}

void p6_stages_close(struct p6 *m)
{
	free(m->time.stages);
	m->time.stages = NULL;
}

/* What is left of a ticket lies in clk. */
static void finish(struct p6 *m, struct raised *r, uint64_t clk)
{
	for (unsigned i = 0; i < r->n; i++)
		p6_watch_put(m, r->wire[i], clk, r->k[i]);
	r->n = 0;
}

uint16_t p6_stages_ticket(struct p6 *m)
{
	struct p6_stages *w = m->time.stages;
	struct raised *r = &w->ticket[w->next % TICKETS];

	if (w->next - w->oldest == TICKETS)
		finish(m, &w->ticket[w->oldest++ % TICKETS], m->time.retire_clk);
	r->n = p6_watch_take(m, r->wire, r->k, KINDS);
	if (!r->n)
		return 0;
	r->insn = w->insn;
	return (uint16_t)(w->next++ % TICKETS + 1);
}

void p6_stages_begin(struct p6 *m)
{
	memset(m->time.stages->n, 0, sizeof(m->time.stages->n));
}

void p6_stages_note(struct p6 *m, enum p6_stage stage, uint64_t clk)
{
	struct p6_stages *w = m->time.stages;

	if (w->n[stage] < CLOCKS)
		w->clk[stage][w->n[stage]++] = clk;
}

void p6_stages_data(struct p6 *m, enum p6_stage stage, uint64_t clk, uint64_t end)
{
	p6_stages_note(m, stage, clk);
	for (; clk < end; clk++)
		p6_watch_put(m, WIRE_P6_BUS_DRDY_ANY, clk, 1);
}

void p6_stages_aside(struct p6 *m)
{
	m->time.stages->is_aside = true;
	m->time.stages->n_kept = 0;
}

void p6_stages_back(struct p6 *m)
{
	struct p6_stages *w = m->time.stages;

	while (w->n_kept) {
		w->n_kept--;
		w->ticket[w->kept_at[w->n_kept]] = w->kept[w->n_kept];
	}
	w->is_aside = false;
}

void p6_stages_end(struct p6 *m, uint16_t ticket, uint64_t clk)
{
	struct p6_stages *w = m->time.stages;
	struct raised *r = &w->ticket[ticket - 1u];
	unsigned left = 0;

	if (w->is_aside && w->n_kept == KEPT)
		return;
	if (w->is_aside) {
		w->kept_at[w->n_kept] = (uint16_t)(ticket - 1u);
		w->kept[w->n_kept++] = *r;
	}

	w->clk[P6_STAGE_ITSELF][0] = clk;
	w->n[P6_STAGE_ITSELF] = 1;
	for (unsigned i = 0; i < r->n; i++) {
		unsigned stage = stage_of[r->wire[i]], n;

		if (stage == P6_STAGE_DRIVE &&
		    !w->n[stage]) /* a partial write goes the way of a partial read */
			stage = P6_STAGE_DATA;
		n = w->n[stage];
		if (!n) {
			r->wire[left] = r->wire[i];
			r->k[left++] = r->k[i];
			continue;
		}
		for (unsigned j = 0; j < r->k[i] && j + 1 < n; j++)
			p6_watch_put(m, r->wire[i], w->clk[stage][j], 1);
		if (r->k[i] >= n)
			p6_watch_put(m, r->wire[i], w->clk[stage][n - 1], r->k[i] - (n - 1));
	}
	r->n = left;
}

void p6_stages_age(struct p6 *m)
{
	struct p6_stages *w = m->time.stages;

	w->insn++;
	while (w->oldest != w->next && w->insn - w->ticket[w->oldest % TICKETS].insn > LIFETIME)
		finish(m, &w->ticket[w->oldest++ % TICKETS], m->time.retire_clk);
}
