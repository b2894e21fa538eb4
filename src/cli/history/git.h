/* git.h -- what git says of the directory that softpmu log was started in. */
#ifndef SOFTPMU_CLI_GIT_H
#define SOFTPMU_CLI_GIT_H

#include "base/text.h"

/* Run git with these words, NULL terminated, "git" first. out: what it prints to standard output,
 * without the last newline; is_silent: what it says to standard error goes nowhere. Returns its
 * exit status, 128 + signal, or -1: it cannot be started. */
int cli_git(const char *const *argv, struct text *out, bool is_silent);

/* As cli_git(), silent: cli_git_ask(&out, "rev-parse", "HEAD"). */
#define cli_git_ask(out, ...) cli_git((const char *const[]){"git", __VA_ARGS__, NULL}, out, true)

/* Have git leave the file `name` of the top directory, and SQLite's beside it, out of what it adds:
 * by .git/info/exclude, unless it is ignored or committed already. Without git nothing is done. */
void cli_git_exclude(const char *name);

/* Run a command by a shell; what it prints goes to standard error. Returns as cli_git(). */
int cli_shell(const char *command);

/* Run words, NULL terminated, with standard output to /dev/null. Returns as cli_git(). */
int cli_run_words(char *const *argv);

#endif
