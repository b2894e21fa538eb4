/* cli.c -- the table of commands, messages to standard error and exit codes. Rules are in cli.h.
 *
 * NOT MODELLED     options: each command reads its own (options.h).
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/spelling.h"

static const struct cli_command commands[] = {
#define COMMAND(name, function, letter, arguments, text) {#name, function, arguments, text, letter},
#include "cli/commands.def"
#undef COMMAND
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

const struct cli_command *cli_commands(size_t *n)
{
	*n = N_COMMANDS;
	return commands;
}

/* Prints which command does here what other tools call `name`. Returns false if it knows no such
 * name. */
static bool say_what_does_it(const char *name)
{
	static const char *const does[][2] = {
	    {"profile",
	     "softpmu record -- PROGRAM keeps what each instruction counted, softpmu report "
	     "shows functions, "
	     "softpmu diff what changed; perf record works inside of softpmu run"},
	    {"compare", "softpmu diff OLD.rec NEW.rec compares two records; softpmu stat --against "
			"OLD.json -- PROGRAM "
			"compares with a report of stat --json"},
	    {"perf", "softpmu run perf stat PROGRAM runs perf on the modelled counters; "
		     "docs/HOWTO_CLIENTS.md has more"},
	    {"papi", "softpmu run PROGRAM runs one that uses PAPI on the modelled counters; "
		     "docs/HOWTO_CLIENTS.md has more"},
	    {"ci", "softpmu stat --against OLD.json --limit @all=1% fails a build; "
		   "docs/HOWTO_CI.md has the job"},
	};

	for (size_t i = 0; i < sizeof(does) / sizeof(does[0]); i++)
		if (!strcmp(does[i][0], name)) {
			cli_fail("%s: no such command; %s", name, does[i][1]);
			return true;
		}
	return false;
}

const struct cli_command *cli_find_command(const char *name)
{
	struct spelling_search s = {.word = name};
	char ask[SPELLING_TEXT];

	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(commands[i].name, name))
			return &commands[i];
		spelling_offer(&s, commands[i].name);
	}
	if (strchr(name, '/'))
		cli_fail("%s: no such command; to count a program: softpmu stat -- %s", name, name);
	else if (say_what_does_it(name))
		return NULL;
	else
		cli_fail("%s: no such command%s (softpmu --help shows all)", name,
			 spelling_ask(&s, "softpmu ", ask));
	return NULL;
}

int cli_exit_code(const struct spmu_error *err)
{
	switch (err->code) {
	case SPMU_ENOENT: return CLI_NOT_FOUND;
	case SPMU_EEXEC: return CLI_CANNOT_EXEC;
	default: return CLI_FAILED;
	}
}

int cli_complain(const struct spmu_error *err)
{
	fprintf(stderr, "softpmu: %s\n", err->text);
	return cli_exit_code(err);
}

int cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("softpmu: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return CLI_FAILED;
}

int cli_close_stdout(int code)
{
	if (!ferror(stdout) && !fflush(stdout))
		return code;
	if (errno == EPIPE)
		return code; /* the reader had enough */
	return cli_fail("standard output: %s; not everything was written", strerror(errno));
}

const struct cat_cpu *cli_find_cpu(const char *option, const char *name)
{
	const struct cat_cpu *cpu = cat_find_cpu(name), *cpus;
	struct spelling_search s = {.word = name};
	char ask[SPELLING_TEXT];
	size_t n;

	if (cpu)
		return cpu;
	cpus = cat_cpus(&n);
	for (size_t i = 0; i < n; i++)
		spelling_offer(&s, cpus[i].name);
	cli_fail("--%s %s: no such processor%s (softpmu list cpus shows all)", option, name,
		 *spelling_ask(&s, "", ask)
		     ? ask
		     : "; there are Pentium and P6 processors, from pentium to pentium3");
	return NULL;
}
