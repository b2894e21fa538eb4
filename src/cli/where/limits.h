/* limits.h -- by how much counts may rise: --limit EVENT=1%, EVENT=+1000, @all=5%, and of a
 * program without its start-up main:EVENT=1%. */
#ifndef SOFTPMU_CLI_LIMITS_H
#define SOFTPMU_CLI_LIMITS_H

#include <stdio.h>

#include "record/file.h"

#define CLI_MOST_LIMITS 64u

struct cli_limit {
	const char *text; /* as typed */
	const char *name; /* of its event, or "@all" */
	int name_bytes;
	double percent; /* of the old count, or below 0: */
	int64_t more;	/* so much */
	bool is_main;	/* of what is counted without start-up (where/startup.h) */
};

struct cli_limits {
	struct cli_limit limit[CLI_MOST_LIMITS];
	unsigned n;
	bool is_both_ways; /* falling breaks them, too */
};

/* --limit TEXT. Returns 1, or -1 after a message. */
int cli_limit_option(struct cli_limits *l, const char *text);

/* Is the limit about an event of this name, in either case? @all is about each. */
bool cli_limit_is_about(const struct cli_limit *m, const char *name);

/* Does a count that was `old` and is `new` break it? */
bool cli_limit_is_broken(const struct cli_limit *m, bool is_both_ways, uint64_t old, uint64_t new);

/* Are all limits about events that r has? Returns 0, or an exit code after a message. */
int cli_limits_check(const struct cli_limits *l, const struct rec *r);

/* Does event e, which counted `old` and counts `new`, break one? is_main: one about the program
 * without its start-up, which is what the counts are of. *which receives it. */
bool cli_limits_break(const struct cli_limits *l, bool is_main, const struct rec_event *e,
		      uint64_t old, uint64_t new, const struct cli_limit **which);

#endif
