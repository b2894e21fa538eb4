/* recording.h -- a finished run made into a record file. */
#ifndef SOFTPMU_CLI_RECORDING_H
#define SOFTPMU_CLI_RECORDING_H

#include "cli/run_options.h"
#include "record/file.h"
#include "session/files/trace_file.h"

/* Put a run's accounts together. trace: what it was counted from, or NULL. Returns 0 or
 * -SPMU_ENOMEM; rec_out_free() may be called in any case. */
int cli_recording(struct rec_out *out, const struct cli_run *r, const struct evt_events *events,
		  const struct ses_result *run, const struct ses_trace_in *trace,
		  const char *trouble);

#endif
