#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "cli/cli.h"

static const struct row {
	const char *commands, *name, *argument, *text;
	char letter;
} rows[] = {
#define OPTION(commands, name, letter, argument, text) { commands, #name, argument, text, letter },
#include "cli/options.def"
#undef OPTION
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* Constants are C names, options have dashes. */
static void spell(const char *name, char out[32])
{
	size_t i = 0;

	for (; name[i] && i < 31; i++)
		out[i] = name[i] == '_' ? '-' : name[i];
	out[i] = 0;
}

void cli_option_name(int option, char out[32])
{
	spell(rows[option - OPT_NONE - 1].name, out);
}

static int complain(int argc, char **argv, char command, int at)
{
	const char *names[N_ROWS], *word;
	char spelled[N_ROWS][32];
	size_t n = 0;

	if (at < 1 || at >= argc)
		at = 1;
	word = argv[at];
	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strchr(rows[i].commands, command))
			continue;
		spell(rows[i].name, spelled[n]);
		names[n] = spelled[n];
		n++;
	}
	if (!strncmp(word, "--", 2)) {
		char plain[64];

		snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		cli_fail("option --%s: not an option of softpmu %s, or ambiguous; did you mean "
		         "--%s?",
		         plain, argv[0], spelling_nearest(plain, names, n));
	} else if (command == 'S' && strchr("aABCdDGInpSt", word[1])) {
		cli_fail("option %s: perf stat has it, softpmu does not; it counts the program "
		         "that it starts, from beginning to end",
		         word);
	} else {
		cli_fail("option %s: not an option of softpmu %s; softpmu help %s shows them", word,
		         argv[0], argv[0]);
	}
	return -1;
}

int cli_next_option(int argc, char **argv, char command, const char **value)
{
	struct option options[N_ROWS + 1] = { 0 };
	char names[N_ROWS][32], letters[2 * N_ROWS + 3] = "+:";
	size_t n = 0, at = 2;
	int before = optind, c;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (!strchr(rows[i].commands, command))
			continue;
		spell(rows[i].name, names[n]);
		options[n] = (struct option){ names[n],
			                      rows[i].argument ? required_argument : no_argument,
			                      NULL, (int)(OPT_NONE + 1 + i) };
		n++;
		if (!rows[i].letter)
			continue;
		letters[at++] = rows[i].letter;
		if (rows[i].argument)
			letters[at++] = ':';
	}
	letters[at] = 0;
	opterr = 0;
	c = getopt_long(argc, argv, letters, options, NULL);
	*value = optarg;
	if (c == -1)
		return OPT_END;
	if (c == ':') {
		cli_fail("option %s: its argument is missing; softpmu help %s shows what it takes",
		         argv[optind - 1], argv[0]);
		return -1;
	}
	if (c == '?')
		return complain(argc, argv, command, before);
	for (size_t i = 0; i < N_ROWS; i++)
		if (c < OPT_NONE && rows[i].letter == c && strchr(rows[i].commands, command))
			return (int)(OPT_NONE + 1 + i);
	return c;
}

int cli_first_argument(void)
{
	return optind;
}

void cli_skip_argument(void)
{
	optind++;
}

void cli_print_options(char command)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		char name[32], left[80];

		if (!strchr(rows[i].commands, command))
			continue;
		spell(rows[i].name, name);
		if (rows[i].letter)
			snprintf(left, sizeof(left), "-%c, --%s%s%s", rows[i].letter, name,
			         rows[i].argument ? " " : "",
			         rows[i].argument ? rows[i].argument : "");
		else
			snprintf(left, sizeof(left), "    --%s%s%s", name,
			         rows[i].argument ? " " : "",
			         rows[i].argument ? rows[i].argument : "");
		printf("  %-38s %s%s\n", left,
		       strlen(left) > 38 ? "\n                                         " : "",
		       rows[i].text);
	}
}
