/* bus.h -- unit bus: transactions on the external bus, and accesses that go by it without a cache.
 *
 * A caller says what it sends to the bus, when it does, in program order, and changes its own
 * caches itself. These count, and have the other processors snoop, which drop copies or share them.
 * Nothing is checked: a transaction that a cache would not make is counted like others.
 *
 * COUNTING RULES   as in bus.c and bus_uncached.c.
 * SOURCES          Intel 243192 appendix A; Intel 242816-003 table 7-2; choices in docs/MODELS.md
 *                  "bus".
 */
#ifndef SOFTPMU_MODEL_P6_BUS_H
#define SOFTPMU_MODEL_P6_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "model/parts/cache.h"

struct p6;

/* Ranges of linear addresses, as numbers of their first and last lines. */
struct p6_ranges {
	struct mdl_range line[MDL_MAX_UNCACHED];
	unsigned n;
};

/* The bus, as this processor sees it. */
struct p6_bus {
	bool has_peers; /* other processors snoop what it does; p6_open() sets it */
	/* the line that is asked for now lies in `deferred`; the unit that asks sets and clears
	 * it */
	bool is_deferred;
	uint64_t n_supplied; /* lines driven for another processor, which received them (bus.c) */
	/* memory that is not cacheable, and memory that defers its replies: with either the machine
	 * is plain; p6_ranges_open() writes them */
	struct p6_ranges uncached, deferred;
};

/* Line l is read; wire: WIRE_P6_BUS_BRD, _RFO or _IFETCH. The other processors snoop it. Returns
 * true when one of them keeps a copy: the line comes in shared then. Never so for _RFO, nor on the
 * only processor. */
bool p6_bus_read_line(struct p6 *m, unsigned wire, struct cache_line l);

/* Ask for ownership of line l, of which this processor has a copy. */
void p6_bus_invalidate(struct p6 *m, struct cache_line l);

/* A line that was modified here is written back. No other processor can have it, so none snoops. */
void p6_bus_write_back(struct p6 *m);

/* A write-combining buffer of line l leaves: as a full line, or in pieces between 8-byte
 * boundaries, each of them a transaction. So does a write to memory that is not cacheable. */
void p6_bus_write_line(struct p6 *m, struct cache_line l);
void p6_bus_write_partial(struct p6 *m, struct cache_line l, unsigned pieces);

/* One piece between 8-byte boundaries is read from memory that is not cacheable. */
void p6_bus_read_partial(struct p6 *m);

/* Add what p6_l2.absent stands for on the bus's wires to total[WIRE_N]. */
void p6_bus_add_served(const struct p6 *m, uint64_t *total);

/* ---- bus_uncached.c -------------------------------------------------------------------------- */

/* Copy the ranges of --uncached and --defer from cfg, in whole lines of m->line_log2: once, when
 * that is set. Those past MDL_MAX_UNCACHED are left out. */
void p6_ranges_open(struct p6 *m, const struct mdl_config *cfg);

/* Does lin lie in one of r, which is p6_bus.uncached or p6_bus.deferred? Bits above 47 do not
 * count. */
bool p6_ranges_have(const struct p6 *m, const struct p6_ranges *r, uint64_t lin);

/* A data reference of `bytes` that begins in memory that is not cacheable. flags: enum
 * x86_ref_flag. p6_retire_count() has counted it as one of cacheable memory, in dcu.ref: it is
 * taken off there. */
void p6_uncached_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags);

/* A locked read and write over a line end, of cacheable memory, whose pieces are counted: it goes
 * by the bus, and all caches give the lines up. Returns true when L1I held one of them: the caller
 * must fetch the rest of the block again, as behind p6_dcu_ref(). */
bool p6_bus_locked_ref(struct p6 *m, uint64_t lin, unsigned bytes);

/* The code of an instruction that begins in memory that is not cacheable: `bytes` (1 to 15) at
 * pc. */
void p6_uncached_fetch(struct p6 *m, uint64_t pc, unsigned bytes);

#endif
