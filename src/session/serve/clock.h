/* clock.h -- the time that the program is shown: instructions, or the modelled processor's
 * clocks.
 *
 * RULES            one tick of the time-stamp counter per retired instruction; with --clock
 *                  model one per core clock, and the program's clocks follow it from a fixed
 *                  date on (guest/time/clock.h). While the program sleeps both go on by what it
 *                  asked for, and the processor's own clocks stand still. A child's clock goes
 *                  on from its parent's, then each has its own; its processor time begins at 0.
 *                  What it and the children that it waited for used is told to whoever waits for
 *                  it, whose clock then shows the child's end or later.
 * NOT MODELLED     the time of a child that is killed from outside, or that ends in its parent's
 *                  memory (vfork): 0.
 */
#ifndef SOFTPMU_SESSION_CLOCK_H
#define SOFTPMU_SESSION_CLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "session/session.h"

struct ses_server;

struct ses_clock {
	bool is_model;
	struct evt_event cycles;   /* of the modelled processor */
	uint32_t mhz;
	uint64_t slept_ns;         /* sleep so far */
	uint64_t children_ns;      /* processor time of children that were waited for */
};

struct ses_time {
	uint64_t stamp;            /* time-stamp counter */
	uint64_t elapsed_ns;       /* since the program started, with sleep; --clock model only */
	uint64_t executed_ns;      /* by this process alone, without; the same */
};

/* Set up for cpu. Returns 0, or -SPMU_ENOTSUP with a sentence when is_model and its clocks are
 * not modelled. */
int ses_clock_open(struct ses_clock *c, const struct cat_cpu *cpu, bool is_model,
		   struct spmu_error *err);

/* What the clocks show; the guest waits for an answer. Cost: as ses_read(). */
struct ses_time ses_clock_now(struct ses_server *s);

/* The same up to the last record that the model was fed; after ses_read_fed(). */
struct ses_time ses_clock_fed(struct ses_server *s);

/* The guest ends: others may ask what it used. In a new server: its guest has waited for nobody. */
void ses_clock_ends(struct ses_server *s);
void ses_clock_born(struct ses_server *s);

/* The guest has waited for process pid, which is gone, until that ended by its clock. Returns
 * what that used, in nanoseconds; 0 also when it is not known. */
uint64_t ses_clock_reaped(struct ses_server *s, pid_t pid);

/* The program slept until elapsed_ns at least. */
void ses_clock_slept(struct ses_server *s, uint64_t elapsed_ns);

#endif
