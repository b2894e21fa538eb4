/* clock.h -- the time that the program is shown: instructions, or the modelled processor's
 * clocks.
 *
 * RULES            the time-stamp counter ticks once per retired instruction; with --clock model
 *                  once per core clock, and the program's clocks follow it from a fixed date on
 *                  (guest/time/clock.h). While the program sleeps, both advance by the time that
 *                  it asked for, and the events that count clocks do not. A child's clock starts
 *                  at its parent's time; its processor time starts at 0. A process that waits
 *                  for a child receives the processor time of the child and of the children that
 *                  this one waited for; its own clock then shows the child's end or later.
 * NOT MODELLED     the time of a child that is killed from outside, or that ends in its parent's
 *                  memory (vfork): it is 0.
 */
#ifndef SOFTPMU_SESSION_CLOCK_H
#define SOFTPMU_SESSION_CLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "session/session.h"

struct ses_server;

struct ses_clock {
	bool is_model;
	struct evt_event cycles; /* of the modelled processor */
	uint32_t mhz;
	uint64_t slept_ns;    /* sleep so far */
	uint64_t children_ns; /* processor time of children that were waited for */
};

struct ses_time {
	uint64_t stamp;	      /* time-stamp counter */
	uint64_t elapsed_ns;  /* since the program started, with sleep; 0: no --clock model */
	uint64_t executed_ns; /* of this process alone, without sleep; 0: no --clock model */
};

/* Set up for cpu. Returns 0, or -SPMU_ENOTSUP with a sentence when is_model and its clocks are
 * not modelled. */
int ses_clock_open(struct ses_clock *c, const struct cat_cpu *cpu, bool is_model,
		   struct spmu_error *err);

/* Returns the clocks, while the guest waits for an answer. Cost: as ses_read(). */
struct ses_time ses_clock_now(struct ses_server *s);

/* Returns the clocks after the last record that the model was fed. Call it after
 * ses_read_fed(). */
struct ses_time ses_clock_fed(struct ses_server *s);

/* ses_clock_ends: the guest ends; publish its processor time for the process that waits for it.
 * ses_clock_born: in a new server, whose guest has waited for no child. */
void ses_clock_ends(struct ses_server *s);
void ses_clock_born(struct ses_server *s);

/* The guest has waited for process pid, which has ended. Advance the guest's clock to that
 * process's end. Returns the processor time of that process in ns; 0 if it is not known. */
uint64_t ses_clock_reaped(struct ses_server *s, pid_t pid);

/* The program has slept: advance its clock to elapsed_ns if it is behind. */
void ses_clock_slept(struct ses_server *s, uint64_t elapsed_ns);

#endif
