/* rotate.h -- stat --counters N --rotate MS: the sets of events that the counters can hold take
 * turns in one run.
 *
 * COUNTING RULES   a turn lasts MS milliseconds of the modelled clock of the first process. An
 *                  event is counted in its set's turns; its count is what they would make of all
 *                  clocks, and its share is theirs of all clocks. What has a register of its own
 *                  counts throughout. Processes that the first one starts have no turns: their
 *                  counts are added as they are.
 */
#ifndef SOFTPMU_CLI_ROTATE_H
#define SOFTPMU_CLI_ROTATE_H

#include "cli/stat/runs.h"
#include "session/serve/intervals.h"

struct cli_rotate {
	struct ses_intervals_config intervals; /* for the run */
	struct evt_event *event; /* for the run: the column's, and behind them the clock; owned */
	size_t n_event;
	const struct evt_counter_plan *plan; /* borrowed */
	uint64_t n_turn;		     /* so far */
	uint64_t *sampled, *clk;	     /* of each event, in its turns; owned */
	uint64_t *own;			     /* of each event and the clock, in all turns; owned */
	uint32_t mhz;
};

/* Set up for a column whose plan takes several runs. ms: of a turn. Returns 0; -SPMU_ENOTSUP with
 * a sentence when the processor's clocks are not modelled; -SPMU_ENOMEM. cli_rotate_close() in
 * every case. */
int cli_rotate_open(struct cli_rotate *r, const struct cli_column *column, unsigned ms,
		    struct spmu_error *err);

/* The run is over: its counts become estimates, with shares. Returns 0 or -SPMU_ENOMEM. */
int cli_rotate_end(struct cli_rotate *r, struct ses_result *run);

void cli_rotate_close(struct cli_rotate *r);

#endif
