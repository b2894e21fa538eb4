/* against.h -- stat --against: an older report to compare with, and a digest of the settings that
 * two runs must share. */
#ifndef SOFTPMU_CLI_AGAINST_H
#define SOFTPMU_CLI_AGAINST_H

#include "cli/run_options.h"
#include "cli/where/limits.h"
#include "report/against/against.h"

struct cli_against {
	const char *path;	    /* as typed, or NULL */
	struct rpt_against *report; /* owned, or NULL */
	struct cli_limits limits;   /* --limit, --both-ways */
	int verdict;		    /* of cli_against_judge() */
	char *events;		    /* of the report, which r->event_text points to; owned */
};

/* The options are read: take the report in. Where r asks for no events (has_metrics: nor for
 * metrics), those of the report are counted. n: processors. Returns 0 or an exit code after a
 * message. */
int cli_against_open(struct cli_against *a, struct cli_run *r, bool has_metrics, size_t n);
/* Refuse other layouts than the table and --json. Returns 0 or an exit code after a message. */
int cli_against_refuse(const struct cli_against *a, bool is_table_or_json);

/* Check that all limits are about events that are counted. Returns 0, or an exit code after a
 * message. */
int cli_against_limits(const struct cli_against *a, const struct cat_cpu *cpu,
		       const struct evt_events *events);

/* The limit that each event of the report breaks, or NULL: the caller's, with the texts of the
 * options. NULL: there are no limits, or no memory. */
const char **cli_against_broken(const struct cli_against *a, const struct rpt_report *r);

#define CLI_NOT_COMPARABLE 2
#define CLI_LIMIT_BROKEN   3
#define CLI_LIMIT_OPEN	   4

/* Say which limits are broken (r->broken), which could not be judged, and which intervals of
 * estimates leave open. Returns 0, CLI_LIMIT_BROKEN, CLI_NOT_COMPARABLE or CLI_LIMIT_OPEN. */
int cli_against_judge(const struct cli_against *a, const struct rpt_report *r);

void cli_against_close(struct cli_against *a);

/* One number for everything in cfg that can change a count, but for what a report says by name
 * (processor, ISA level, seed, --ld-cache), the program and its environment. */
uint64_t cli_settings_digest(const struct ses_config *cfg);

#endif
