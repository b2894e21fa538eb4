/* wire.h -- what the hardware can count, one total per wire.
 *
 * The contract between models and the pmu, which never see each other: models raise wires, the pmu
 * sums them into events. Wire numbers (enum, WIRE_<FAMILY>_<UNIT>_<NAME>) are generated from
 * catalog/<family>/wires.tsv into gen/wires_<family>.h. Without time a wire is a running total
 * only: per-clock conditions (CMASK, INV, edge) exist in tier 3.
 */
#ifndef SOFTPMU_WIRE_WIRE_H
#define SOFTPMU_WIRE_WIRE_H

#include <stdint.h>

#include "gen/wire_room.h" /* WIRE_N */

/* Comparisons per clock, and edges, that one run can count: a wire each. */
#define WIRE_N_WATCH 32u

/* Totals of one machine. A wire that the model does not drive (not modelled, or not in this tier)
 * has its bit in `driven` clear: readers must say so and never show its total. */
struct wires {
	uint64_t total[WIRE_N];
	/* the total is an estimate: half of its interval at 95 %; 0: it is exact */
	uint64_t half[WIRE_N];
	uint8_t driven[WIRE_N];
};

static inline void wire_raise(struct wires *w, unsigned wire, uint64_t n)
{
	w->total[wire] += n;
}

/* Copy total[] to the driven ones of wires [from, to). The others keep what they showed. No branch
 * for each wire. */
static inline void wire_show(struct wires *restrict w, const uint64_t *restrict total,
			     unsigned from, unsigned to)
{
	for (unsigned wire = from; wire < to; wire++) {
		const uint64_t kept = (uint64_t)(w->driven[wire] != 0) - 1;

		w->total[wire] = (w->total[wire] & kept) | (total[wire] & ~kept);
	}
}

#endif
