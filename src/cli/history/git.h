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

/* Run a command by a shell; what it prints goes to standard error. Returns as cli_git(). */
int cli_shell(const char *command);

/* Run words, NULL terminated, with standard output to /dev/null. Returns as cli_git(). */
int cli_run_words(char *const *argv);

#endif
