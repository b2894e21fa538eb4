/* history.h -- softpmu log: what its actions share. */
#ifndef SOFTPMU_CLI_HISTORY_H
#define SOFTPMU_CLI_HISTORY_H

#include "cli/screen.h"
#include "history/store.h"

#define CLI_LOG_FILE   ".softpmu-log.sqlite"
#define CLI_LOG_EVENTS 32u

struct cli_log {
	const char *action; /* its name */
	const char *file;   /* --file; NULL: the default */
	const char *commit; /* --commit */
	const char *output; /* -o */
	const char *build;  /* --build */
	const char *match;  /* --match */
	char *event[CLI_LOG_EVENTS];
	size_t n_event; /* -e, one each; owned */
	const char *separator;
	bool is_json;
	enum cli_color color;
	char **word; /* what stands behind the action; borrowed of argv */
	int n_word;
	char **program; /* what stands behind --; NULL: nothing */
	struct hst *store;
	struct hst_results all; /* those that --match leaves, oldest first */
};

/* The actions. Each returns the exit code. */
int cli_log_add(struct cli_log *l);
int cli_log_show(struct cli_log *l);
int cli_log_diff(struct cli_log *l);
int cli_log_plot(struct cli_log *l);
int cli_log_bisect(struct cli_log *l);
int cli_log_judge(struct cli_log *l);

/* Open the history; is_new_allowed: begin one where there is none. Returns 0 or an exit code after
 * a message. */
int cli_log_open(struct cli_log *l, bool is_new_allowed);

/* Open it and read all. Returns as above. */
int cli_log_read(struct cli_log *l);

/* The path of the history, the caller's; NULL without memory. */
char *cli_log_path(const struct cli_log *l);

/* What a result is of, for tables: its tags, or the command. Buffer is the caller's. */
const char *cli_log_what(const struct hst_result *r, char *out, size_t room);

/* A commit in a few letters: "1a2b3c4d5", with "+" behind it where the tree had changes; "-" where
 * there is none. */
const char *cli_log_short(const char *revision, char out[12]);

/* Read a result: a report of stat --json or a record. commit: what is known of the commit, its
 * texts are copied. *out begins with all zero and is the caller's (hst_result_free()). Returns 0 or
 * an exit code after a message. */
struct cli_log_commit {
	char *revision, *date, *subject; /* owned */
};
int cli_log_result(const char *path, const struct cli_log_commit *commit, struct hst_result *out);

/* What git knows of a commit; revision NULL: of the work tree here. All are "" without one.
 * Returns 0, or an exit code after a message when there is no such commit. */
int cli_log_commit(const char *revision, struct cli_log_commit *out);
void cli_log_commit_free(struct cli_log_commit *c);

struct cli_log_number {
	uint64_t value, half; /* half of the interval of an estimate; 0: exact */
};

/* Build and count once: the first of the events in *number, and the result in *out. Returns 0; or
 * CLI_FAILED, with the reason in why. */
int cli_log_count(const struct cli_log *l, const struct cli_log_commit *commit,
		  struct hst_result *out, struct cli_log_number *number, char why[200]);

/* Nearer to the one count than to the other? */
static inline bool cli_log_is_bad(uint64_t good, uint64_t bad, uint64_t value)
{
	const uint64_t from_good = value > good ? value - good : good - value,
		       from_bad = value > bad ? value - bad : bad - value;

	return from_bad <= from_good;
}

#endif
