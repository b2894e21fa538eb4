/* intervals.h -- counts of a run while it goes on: interval by interval (`stat -I`), and so far when somebody asks (SIGUSR1).
 *
 * COUNTING RULES   looking changes no count: the intervals of a run sum to its totals, event by event, in every tier.
 *                  By instructions: each process has a line of instructions of its own, which a forked child begins where
 *                  its parent stood. Interval k of the run is what all processes count between instruction k*N and
 *                  (k+1)*N of their lines. An interval ends behind its last instruction, inside a block, too; so
 *                  intervals repeat to the digit. What is known of a branch only when the next instruction comes
 *                  (taken, mispredicted) belongs to the next interval.
 *                  By time of the host: each server reads its guest when it is time, at the block that the guest
 *                  executes then or at the system call in which it is (meet.h).
 *                  Figures of the host (task-clock) are not told of intervals.
 * WHEN             an interval is told when every process of the run has left it.
 * NOT MODELLED     a total that is a little less at the next look than at this one (mdl_peek) is told as it was first;
 *                  the next interval is told less by that.
 */
#ifndef SOFTPMU_SESSION_INTERVALS_H
#define SOFTPMU_SESSION_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct ses_server;
struct ses_totals;

/* What the user is told. */
struct ses_interval {
	uint64_t from, to; /* nanoseconds since the run began, or instructions of the lines */
	const struct evt_count *count; /* one per ses_config.event */
	uint64_t instructions;
	bool is_so_far; /* no interval: all counts since the run began, up to nanosecond `to` */
};

/* Of a run; session.h points to it. */
struct ses_intervals_config {
	uint64_t every_ns,
	    every_insns; /* one of them at most; both 0: counts are told when somebody asks */
	uint64_t most;	 /* so many intervals are told; 0 = all */
	void (*tell)(void *ctx,
		     const struct ses_interval *interval); /* in the process that called ses_run */
	void *ctx;
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_intervals {
	uint64_t number;       /* of the interval in which the guest is */
	uint64_t position;     /* of the guest on its line */
	uint64_t told[WIRE_N]; /* what was told of it, or is its parent's */
	uint32_t answered;     /* turn of ses_alarm.asked */
	const struct ses_totals
	    *own; /* the first server's guest is gone: what it counted; borrowed */
};

/* Are there intervals? Then no threads work clocks out, and by instructions there must be records. */
bool ses_has_intervals(const struct ses_intervals_config *cfg);

/* Is it time to tell something? Called between any two things that a server does. Cost without ses_config.intervals: nothing. */
void ses_intervals_look(struct ses_server *s);

/* Feed records, and end intervals by instructions on the way. Returns as mdl_feed(). */
int ses_intervals_feed(struct ses_server *s, const uint8_t *bytes, size_t n);

/* A new server, whose guest has counted nothing; behind ses_gate_born(). */
void ses_intervals_born(struct ses_server *s);

/* The guest is gone; t: its totals behind ses_gate_end(), those of before its birth still in them. */
void ses_intervals_end(struct ses_server *s, const struct ses_totals *t);

#endif
