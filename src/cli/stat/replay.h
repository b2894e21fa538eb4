/* replay.h -- softpmu replay: which trace is counted from, and what of its run is fixed. */
#ifndef SOFTPMU_CLI_STAT_REPLAY_H
#define SOFTPMU_CLI_STAT_REPLAY_H

#include "cli/run_options.h"
#include "session/files/trace_facts.h"
#include "session/files/trace_file.h"

/* Owned by the caller, who sets all to 0 and calls cli_replay_close(). */
struct cli_replay {
	const char *path;	      /* NULL: a program is run */
	struct ses_trace_facts facts; /* of the trace */
	struct ses_trace_in in;	      /* ... and its frames; fd 0 without a path */
};

/* Options are read: take the trace argv[first] in place of a program, its arguments and what it
 * fixed into r, and its processor unless has_cpu says that --cpu named one. Returns 0 or an exit
 * code after a message. */
int cli_replay_open(struct cli_replay *replay, struct cli_run *r, bool has_cpu, int argc,
		    char **argv, int first);
void cli_replay_close(struct cli_replay *replay);

/* The end of a part (option: --from or --to, for messages): the number of an instruction, as
 * 1000000, 1000K or 1M, into *insn, or a region, as NAME or NAME:3, into *mark. value is borrowed.
 * Returns 1, or -1 after a message. */
int cli_replay_end(const char *option, const char *value, uint64_t *insn,
		   struct ses_end_mark *mark);

/* Is a part of the run asked for? */
bool cli_replay_has_range(const struct ses_config *cfg);

/* Write how the run of the trace ended to out[room]: "exit status 0", "SIGINT ended it early".
 * Returns true if it was ended early, by somebody from outside. */
bool cli_replay_ending(const struct ses_trace_facts *facts, char *out, size_t room);

/* Say to stderr when the run of the trace was ended early. */
void cli_replay_say_ending(const struct cli_replay *replay);

/* Read what a trace says about itself, into facts, and look through it: *in is filled in. The
 * caller calls ses_trace_facts_free() and ses_trace_shut() in either case. Returns 0 or an exit
 * code after a message. */
struct ses_trace_in;
int cli_replay_look(const char *path, struct ses_trace_in *in, struct ses_trace_facts *facts);

#endif
