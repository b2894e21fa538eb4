/* recording.h -- a finished run made into a record file. */
#ifndef SOFTPMU_CLI_RECORDING_H
#define SOFTPMU_CLI_RECORDING_H

#include "cli/run_options.h"
#include "record/file.h"
#include "session/files/jit_names.h"
#include "session/files/trace_file.h"

/* Put a run's accounts together. trace: what it was counted from, or NULL. kernel: of a machine,
 * the names of its code, which are sorted, or NULL. Returns 0 or -SPMU_ENOMEM; rec_out_free() may
 * be called in any case. */
int cli_recording(struct rec_out *out, const struct cli_run *r, const struct evt_events *events,
		  const struct ses_result *run, const struct ses_trace_in *trace,
		  struct ses_jit_names *kernel, const char *trouble);

#endif
