/* run_options.h -- what stat and check have in common: which machine, which program, where to
 * write. */
#ifndef SOFTPMU_CLI_RUN_OPTIONS_H
#define SOFTPMU_CLI_RUN_OPTIONS_H

#include <stdio.h>

#include "cli/output_file.h"
#include "event/events.h"
#include "session/session.h"

struct cli_run {
	struct ses_config cfg;	    /* cpu, geometry, argv, envp, seed, isa ... */
	char **own_env;		    /* of --env; owned */
	const char *event_text[64]; /* -e, in order */
	size_t n_event_text;
	const char *group_name; /* -g */
	bool wants_all;
	int most_tier;	   /* of --all; 0: it was not given */
	bool is_raw;	   /* --raw */
	bool has_ld_cache; /* --ld-cache */
	bool has_seed;
	bool is_quiet;
	bool has_dashes;	 /* "--" before the program */
	const char *geometry[5]; /* l1i l1d l2 itlb dtlb as typed, NULL = own */
	const char *replay;	 /* replay: the trace; NULL: the program is run */
	const char *output;	 /* -o */
	bool is_append;
	bool is_once;  /* --no-clobber */
	bool is_whole; /* set when the run came to its end: what is_once keeps */
	struct cli_output file;
	int log_fd; /* --log-fd, -1 none */
};

/* Defaults. */
void cli_run_open(struct cli_run *r);

/* Take one option of those that several commands share. Returns 1 if it is one of them, 0 if not,
 * -1 after a message. */
int cli_run_option(struct cli_run *r, int option, const char *value);

/* Takes an option that only this command has, before cli_run_option() sees it. Returns as
 * cli_run_option(). */
typedef int cli_take(void *own, int option, const char *value);

/* Read the options of the command with this letter (options.h). take, with the command's own, may
 * be NULL. Returns 0, or CLI_FAILED after a message; *help: the option that asked for help, and the
 * rest is left unread. */
int cli_run_read(struct cli_run *r, int argc, char **argv, char command, cli_take *take, void *own,
		 int *help);

/* Options are read: geometry for the processor. Returns 0 or an exit code after a message. */
int cli_run_geometry(struct cli_run *r);

/* Options are read: program and arguments from argv[first], geometry for the processor.
 * Returns 0 or an exit code after a message. command: for the message. */
int cli_run_program(struct cli_run *r, const char *command, int argc, char **argv, int first);

/* Parse what -e, -g and --all ask for of cpu into `list`; it stays empty when nothing was asked
 * for. A group that cpu does not have is left out when one of list->other has it. Returns 0 or an
 * exit code after a message. */
int cli_run_events(const struct cli_run *r, const struct cat_cpu *cpu, struct evt_events *list);

/* Refuse what does not go with --clocks sampled; other: an option of the command that does not, or
 * NULL. Returns 0 or an exit code after a message. */
int cli_run_refuse_samples(const struct cli_run *r, const char *other);

/* Returns the word of --ld-cache, a static text. */
const char *cli_run_ld_cache(const struct cli_run *r);

/* Open where results go (stderr unless -o or --log-fd). NULL after a message. */
FILE *cli_run_output(struct cli_run *r);

/* Close it. Returns `code`, or CLI_FAILED after a message when it could not be written. */
int cli_run_close_output(struct cli_run *r, FILE *out, int code);

/* Exit code that passes on how the program ended: its status, 128 + signal, or 128 + the signal
 * that interrupted softpmu. */
int cli_run_exit_code(const struct ses_result *run);

/* What was recorded went to `file`, as no -o was given: if the program's last words are "-o FILE",
 * no "--" says that they are its own, and it made no such file, say in one line where -o belongs.
 * command: for the message. */
void cli_run_note_output(const struct cli_run *r, const char *command, const char *file);

/* Say to stderr what there is to say about single processes. */
void cli_run_say_remarks(const struct ses_result *run);

/* When a signal ended the program, say so to stderr as a shell and perf do; when one to softpmu
 * ended the run, say that. */
void cli_run_say_signal(const struct cli_run *r, const struct ses_result *run);

void cli_run_free(struct cli_run *r);

#endif
