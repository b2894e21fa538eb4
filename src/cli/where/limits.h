/* limits.h -- by how much counts may rise: --limit EVENT=1%, EVENT=+1000, @all=5%, and of a
 * program without its start-up main:EVENT=1%. */
#ifndef SOFTPMU_CLI_LIMITS_H
#define SOFTPMU_CLI_LIMITS_H

#include <stdio.h>

#include "event/events.h"
#include "record/file.h"

#define CLI_MOST_LIMITS 64u

struct cli_limit {
	const char *text; /* as typed */
	const char *name; /* of its event, or "@all" */
	int name_bytes;
	double percent; /* of the old count; below 0: `more` holds */
	int64_t more;	/* allowed growth, a number of events */
	bool is_main;	/* it limits the count without start-up (where/startup.h) */
};

struct cli_limits {
	struct cli_limit limit[CLI_MOST_LIMITS];
	unsigned n;
	bool is_both_ways; /* falling breaks them, too */
};

/* --limit TEXT. Returns 1, or -1 after a message. */
int cli_limit_option(struct cli_limits *l, const char *text);

/* Returns true if the limit is about the event of this name, in upper or lower case. @all is about
 * each event. */
bool cli_limit_is_about(const struct cli_limit *m, const char *name);

/* As cli_limit_is_about(), or in another spelling of the event: "instructions" of INST_RETIRED. */
bool cli_limit_means(const struct cli_limit *m, const struct cat_cpu *cpu,
		     const struct evt_event *e);

enum cli_judgement { CLI_LIMIT_IS_KEPT, CLI_LIMIT_IS_OPEN, CLI_LIMIT_IS_BROKEN };

/* Judge a count that was `old` and is `new`. half >= 0: half of the interval of the change, 0 for
 * exact counts. Returns CLI_LIMIT_IS_OPEN if the limit lies inside the interval. *beyond receives
 * how far the change goes beyond the limit; below 0: it stays within. */
enum cli_judgement cli_limit_judge(const struct cli_limit *m, bool is_both_ways, uint64_t old,
				   uint64_t new, double half, double *beyond);

/* Write the option (--clocks) that would make the interval small enough to judge the limit. half,
 * beyond: as of cli_limit_judge(). every: of these counts one unit in so many was worked out.
 * Returns out. */
const char *cli_limit_decider(unsigned every, double half, double beyond, char *out, size_t room);

/* Check that all limits are about events that r has, in any spelling, and name them as r does (the
 * names are r's). Returns 0, or an exit code after a message. */
int cli_limits_check(struct cli_limits *l, const struct rec *r);

/* Returns the first limit that is judged as `wanted` for the event of this name, which counted
 * `old` and now counts `new`, half as for cli_limit_judge(); NULL: none is. is_main: the counts are
 * without start-up, and limits about those are meant. */
const struct cli_limit *cli_limits_find(const struct cli_limits *l, enum cli_judgement wanted,
					bool is_main, const char *name, uint64_t old, uint64_t new,
					double half);

#endif
