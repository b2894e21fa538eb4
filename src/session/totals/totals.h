/* totals.h -- the counts of one guest process so far, as numbers that can be added and
 * subtracted. */
#ifndef SOFTPMU_SESSION_TOTALS_H
#define SOFTPMU_SESSION_TOTALS_H

#include <stdint.h>

#include "model/part.h"
#include "session/session.h"
#include "wire/wire.h"

/* Numbers that the guest itself counts in the control area. They start at 0 in each process. */
struct ses_guest_totals {
	uint64_t syscalls, signals, clock_looks, time_looks, outside_events, host_signals, threads;
};

/* Every member is a sum, and a uint64_t: ses_totals_add() and ses_totals_subtract() treat the
 * whole as an array. */
struct ses_totals {
	struct ses_guest_totals guest;
	uint64_t instructions;
	uint64_t blocks, block_insns, misses, trace_bytes; /* engine statistics */
	uint64_t wire[WIRE_N];
	/* of their intervals (struct wires): they add up to no less than that of the sum */
	uint64_t half[WIRE_N];
	/* of estimates of parts of the run (model/part.h): what these totals are made of */
	uint64_t part[MDL_PART_ROOM];
	uint64_t column[SES_LIVE_COLUMNS][WIRE_N]; /* the wires of the other processors' models */
};

/* *sum += *t; *sum -= *t. Cost: a few hundred additions. */
void ses_totals_add(struct ses_totals *sum, const struct ses_totals *t);
void ses_totals_subtract(struct ses_totals *sum, const struct ses_totals *t);

/* *sum -= *t. */
void ses_guest_totals_subtract(struct ses_guest_totals *sum, const struct ses_guest_totals *t);

#endif
