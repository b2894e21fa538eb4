/* clock.h -- the time that the program is shown: instructions, or the modelled processor's clocks.
 *
 * RULES            one tick of the time-stamp counter per retired instruction; with --clock model one per core clock, and
 *                  the program's clocks follow it from a fixed date on (guest/clock.h). While the program sleeps both
 *                  go on by what it asked for, and the processor's own clocks stand still.
 * NOT MODELLED     A child's clock goes on from its parent's, then each has
 *                  its own.
 */
#ifndef SOFTPMU_SESSION_CLOCK_H
#define SOFTPMU_SESSION_CLOCK_H

#include <stdbool.h>

#include "session/session.h"

struct ses_server;

struct ses_clock {
	bool is_model;
	struct ses_event cycles;   /* of the modelled processor */
	uint32_t mhz;
	uint64_t slept_ns;         /* sleep so far */
};

struct ses_time {
	uint64_t stamp;            /* time-stamp counter */
	uint64_t elapsed_ns, executed_ns; /* since the program started, with sleep and without; --clock model only */
};

/* Set up for cpu. Returns 0, or -SPMU_ENOTSUP with a sentence when is_model and its clocks are not modelled. */
int ses_clock_open(struct ses_clock *c, const struct cat_cpu *cpu, bool is_model, struct spmu_error *err);

/* What the clocks show; the guest waits for an answer. Cost: as ses_read(). */
struct ses_time ses_clock_now(struct ses_server *s);

/* The same up to the last record that the model was fed; after ses_read_fed(). */
struct ses_time ses_clock_fed(struct ses_server *s);

/* The program slept until elapsed_ns at least. */
void ses_clock_slept(struct ses_server *s, uint64_t elapsed_ns);

#endif
