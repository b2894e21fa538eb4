/* inputs.h -- what a run was given, as an object of JSON, and which of it differs between two runs.
 *
 * The object stands for itself: its reader needs nothing else of the report. Of an environment
 * variable it has the name, and 16 bits of a hash of the value: enough to see that it changed, and
 * too little to guess a password by. An object that was read from a file is hostile: a member that
 * is not there, or has another type, is left out.
 */
#ifndef SOFTPMU_REPORT_AGAINST_INPUTS_H
#define SOFTPMU_REPORT_AGAINST_INPUTS_H

#include <jansson.h>

#include "report/report.h"

/* Of run *run of the report, which has kept its inputs. The caller's. */
json_t *rpt_json_inputs(const struct rpt_report *r, const struct ses_result *run);

/* Returns the part of the inputs that differs between runs of one command line: files and looks at
 * clocks. The caller frees it. */
json_t *rpt_json_run_inputs(const struct ses_result *run);

#define RPT_DIFFERENCE_BYTES 360u

/* Report each input that differs by tell(), as part of a sentence ("the file in.txt differs"), in
 * this order: softpmu's settings, the program, arguments, environment, files as they were opened,
 * what the standard streams are, looks at clocks. has_error: what standard error is counts, too (it
 * does not say much where softpmu's own report goes there). Returns how many there are. tell may be
 * NULL. */
unsigned rpt_inputs_differ(const json_t *was, const json_t *is, bool has_error,
			   void (*tell)(void *ctx, const char *difference), void *ctx);

/* Find a difference that makes counts incomparable, whatever the program is: the first that differs
 * of --env, --cpu, --ld-cache and the options about the machine and the run, in `out`. Returns
 * false where none does. */
bool rpt_machines_differ(const json_t *was, const json_t *is, char out[RPT_DIFFERENCE_BYTES]);

#define RPT_SIGNALS_BYTES 80u

/* What decides where no input differs, of the inputs of a run, in `out`: "where the 4 signals came
 * that this machine sent". */
const char *rpt_signals_decide(const json_t *is, char out[RPT_SIGNALS_BYTES]);

/* Do the answers of system calls differ that are no inputs of their own (input digest)? */
bool rpt_answers_differ(const json_t *was, const json_t *is);

/* Why two runs of one command line count differently: a sentence about repetition k, from 1. Buffer
 * is the caller's. */
const char *rpt_runs_differ(const struct ses_result *first, const struct ses_result *other,
			    size_t k, char *out, size_t room);

#endif
