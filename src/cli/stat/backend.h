/* backend.h -- what counts for stat: a model (soft), or the machine's own counters (hw). */
#ifndef SOFTPMU_CLI_BACKEND_H
#define SOFTPMU_CLI_BACKEND_H

#include "cli/run_options.h"
#include "hw/events.h"

enum cli_backend_choice { CLI_BACKEND_SOFT, CLI_BACKEND_HW, CLI_BACKEND_AUTO };

struct cli_backend {
	enum cli_backend_choice wanted;
	bool is_hw;	  /* what was chosen */
	int model_option; /* an OPT_ that only a model understands was given; 0: none */
	struct hw_machine machine;
	struct hw_events events; /* of hw */
	char chosen[600];	 /* sentence about the choice of auto, "" without auto */
};

/* Take the value of --backend. Returns 1, or -1 after a message. */
int cli_backend_option(struct cli_backend *b, const char *value);

/* Remember an option that was read, whosever it is. */
void cli_backend_note(struct cli_backend *b, int option);

/* Options are read: choose, and parse events when it is hw. has_metrics: -M brings events, too.
 * Returns 0 or an exit code after a message. */
int cli_backend_choose(struct cli_backend *b, const struct cli_run *run, bool has_metrics);

/* The events of hw as a list for reports and metrics. Returns 0 or an exit code after a message. */
int cli_backend_events(const struct cli_backend *b, struct evt_events *list);

/* Metrics have put more events behind those of cli_backend_events(): have hw count them, too.
 * Returns 0 or -SPMU_EINVAL for one that this machine does not count; err receives the sentence. */
int cli_backend_follow(struct cli_backend *b, const struct evt_events *list,
		       struct spmu_error *err);

/* The processor of the catalog whose metrics fit: the machine's own, or the one whose names its
 * events have. */
const struct cat_cpu *cli_backend_cpu(const struct cli_backend *b);

void cli_backend_free(struct cli_backend *b);

#endif
