/* intervals.h -- counts of a run while it goes on: one set per interval (`stat -I`), and the counts
 * so far when the user sends SIGUSR1.
 *
 * COUNTING RULES   Reading changes no count: the intervals of a run sum to its totals, event by
 *                  event, in every tier. By instructions: each process has its own line of
 *                  instructions. The line of a forked child begins where its parent stood. Interval
 *                  k of the run is what all processes count between instruction k*N and (k+1)*N of
 *                  their lines. An interval ends after its last instruction, even inside a block,
 *                  so intervals repeat to the digit. Some facts of a branch (taken, mispredicted)
 *                  are known only at the next instruction; they belong to the next interval. By
 *                  host time: each server reads its guest when the time has come, at the block or
 *                  the system call that the guest executes then (meet.h). By the model's clock: the
 *                  first process alone has intervals. One ends with the block in which the
 *                  processor's clock reaches its end. The clock is looked at after a number of
 *                  instructions that only the clock decides, so intervals repeat to the digit.
 * WHEN             An interval is reported when every process of the run has left it.
 * ESTIMATES        With --clocks sampled an interval is a part of the run (model/part.h). Its
 * clocks are estimated when it ends, by the coefficients of the run so far. So they are not changed
 * later, and their sum differs a little from the estimate of the run. At the end of an interval the
 * model lets finish what is under way, so reading moves some clocks here. NOT MODELLED     A total
 * can be a little less at the next reading (mdl_peek). The first value stays reported, and the next
 * interval is reduced by the difference. Host figures (task-clock) have no intervals. Where
 * instructions take more than 32 clocks each for the rest of an interval by the clock, it ends
 * late.
 */
#ifndef SOFTPMU_SESSION_INTERVALS_H
#define SOFTPMU_SESSION_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/part.h"
#include "wire/wire.h"

struct evt_event;
struct ses_server;
struct ses_totals;

/* One report to the user: an interval, or the counts so far. */
struct ses_interval {
	/* nanoseconds since the run began, instructions of the lines, or clocks of the processor */
	uint64_t from, to;
	const struct evt_count *count; /* one per ses_config.event */
	uint64_t instructions;
	/* not an interval: all counts since the run began; `to` is in nanoseconds */
	bool is_so_far;
};

/* Of a run; session.h points to it. */
struct ses_intervals_config {
	/* The length of an interval. At most one is set; all 0: counts are reported on request
	 * alone. */
	uint64_t every_ns, every_insns, every_clk;
	/* every_clk: the event that counts the processor's clocks; it is one of ses_config.event.
	 * Borrowed. */
	const struct evt_event *clock;
	uint64_t most; /* number of intervals that are reported; 0 = all */
	/* Report one. Called in the process that called ses_run; `interval` is valid during the
	 * call. */
	void (*tell)(void *ctx, const struct ses_interval *interval);
	void *ctx;
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_intervals {
	uint64_t number;       /* of the interval in which the guest is */
	uint64_t position;     /* of the guest on its line of instructions */
	uint64_t room;	       /* every_clk: instructions until the clock is looked at again */
	uint64_t told[WIRE_N]; /* already reported of this guest, or counted by its parent */
	uint64_t told_part[MDL_PART_ROOM]; /* the same of what estimates are made of */
	uint32_t answered;		   /* last value of ses_alarm.asked that was answered */
	/* Set once the first server's guest has ended: what it counted. Borrowed. */
	const struct ses_totals *own;
};

/* Returns true if the run has intervals. It then computes exact clocks without worker threads, and
 * needs the record stream for intervals by instructions. */
bool ses_has_intervals(const struct ses_intervals_config *cfg);

/* Report the intervals that are due. A server calls this between any two of its tasks. Cost without
 * ses_config.intervals: nothing. */
void ses_intervals_look(struct ses_server *s);

/* Feed n bytes of records to the model, and end intervals by instructions on the way. Returns what
 * mdl_feed() returns. */
int ses_intervals_feed(struct ses_server *s, const uint8_t *bytes, size_t n);

/* Start a new server, whose guest has counted nothing. Call it after ses_gate_born(). */
void ses_intervals_born(struct ses_server *s);

/* The guest has ended. t: its totals after ses_gate_end(); they include what its parent counted
 * before its birth. */
void ses_intervals_end(struct ses_server *s, const struct ses_totals *t);

#endif
