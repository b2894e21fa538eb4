/* against.h -- stat --against: the counts of an older report beside the new ones, and which input
 * differs first.
 *
 * TRUST   the older report is a file of anybody: at most RPT_AGAINST_MOST bytes of it are read, and
 *         a member that is missing, or has another type, counts as not given.
 */
#ifndef SOFTPMU_REPORT_AGAINST_AGAINST_H
#define SOFTPMU_REPORT_AGAINST_AGAINST_H

#include <jansson.h>

#include "base/error.h"
#include "report/report.h"

#define RPT_AGAINST_MOST (64u << 20)

/* Read a report of stat --json, the last of several in the file, or the lines of stat -j. *out is
 * the caller's (rpt_against_close). Returns 0; -SPMU_ENOENT, -SPMU_ESYS (cannot be read),
 * -SPMU_EINVAL (it is no report of stat), -SPMU_ENOMEM, with a sentence. */
int rpt_against_open(const char *path, struct rpt_against **out, struct spmu_error *err);
void rpt_against_close(struct rpt_against *a); /* NULL is fine */

/* Its events are those of this processor: names are resolved where the report has no codes
 * (lines of perf), or has those of another processor, so that two spellings of one event are
 * one. cpu NULL: names and codes stay what they are. Returns 0 or -SPMU_ENOMEM. */
int rpt_against_resolve(struct rpt_against *a, const struct cat_cpu *cpu);

/* How many counts of a report with an older one were compared, how many of those differ, and how
 * many could not be compared because the event was not counted then, or is not now. Figures of the
 * machine underneath are none of them. */
struct rpt_compared {
	size_t n, n_differ, n_missing;
};
struct rpt_compared rpt_against_compared(const struct rpt_report *r);

/* Read the count of event i in the older report, with half of its interval if it was an estimate.
 * Returns false if that report does not have it. */
bool rpt_against_was(const struct rpt_report *r, size_t i, struct evt_count *was);

/* Half of the interval of the difference of two counts, at 95 %; 0: both are exact. */
double rpt_against_half(const struct evt_count *was, const struct evt_count *is);

/* Why the counts of the two cannot be judged by limits: another processor, other settings, another
 * environment. A sentence in `out`, or NULL: nothing is known against it. */
const char *rpt_against_is_other(const struct rpt_report *r, char *out, size_t room);

/* The names of its events, with commas between them: the caller's. NULL: there are none, or no
 * memory. */
char *rpt_against_events(const struct rpt_against *a);

/* Beside event i of a report that has an older one: "was 1,234, +3.35 %". Returns true when that
 * sticks out: it changed by more than RPT_AGAINST_PERCENT, or breaks a limit. */
#define RPT_AGAINST_PERCENT 1.0
bool rpt_against_text(const struct rpt_report *r, size_t i, char *out, size_t room);

/* Compute the metric from the older counts. Returns false if one of them is missing. */
bool rpt_against_metric(const struct rpt_report *r, const struct evt_metric *m, double *value);

/* Sentence i, from 0, about the comparison; false: there are no more, or the report has no older
 * one. is_short: the one that most readers need. */
bool rpt_against_note(const struct rpt_report *r, unsigned i, bool is_short, char *out,
		      size_t room);

/* The comparison in JSON, when there is an older report: rpt_against_json_event() adds keys to
 * event i; rpt_against_json() returns an object about the whole. */
void rpt_against_json_event(const struct rpt_report *r, size_t i, json_t *event);
json_t *rpt_against_json(const struct rpt_report *r);

#endif
