#include "cli/options.h"

#include <getopt.h>
#include <stdbool.h>
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

static const struct perf_option {
	const char *name, *text;
	char letter;
} perf_options[] = {
#define PERF_OPTION(letter, name, text) { name, text, letter },
#include "cli/perf_options.def"
#undef PERF_OPTION
};

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

/* What to do instead of an option of perf stat. NULL when perf has no such option. */
static const char *instead_of(const char *word)
{
	bool is_long = word[1] == '-';
	size_t n = strcspn(word + 2, "=");

	for (size_t i = 0; i < sizeof(perf_options) / sizeof(perf_options[0]); i++) {
		const struct perf_option *o = &perf_options[i];

		if (is_long ? strlen(o->name) == n && !strncmp(o->name, word + 2, n)
		            : o->letter && o->letter == word[1])
			return o->text;
	}
	return NULL;
}

static int complain(int argc, char **argv, char command, int at)
{
	const char *word = argv[at < 1 || at >= argc ? 1 : at];
	const char *instead = command == 'S' ? instead_of(word) : NULL;

	if (instead) {
		cli_fail("option %.*s: perf stat has it, softpmu does not: %s", (int)strcspn(word, "="),
		         word, instead);
	} else if (!strncmp(word, "--", 2)) {
		char plain[64], spelled[N_ROWS][32], ask[SPELLING_TEXT];
		struct spelling_search s = { .word = plain };

		snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		for (size_t i = 0; i < N_ROWS; i++) {
			if (!strchr(rows[i].commands, command))
				continue;
			spell(rows[i].name, spelled[i]);
			spelling_offer(&s, spelled[i]);
		}
		cli_fail("option --%s: not an option of softpmu %s, or ambiguous%s (softpmu help %s shows them)",
		         plain, argv[0], spelling_ask(&s, "--", ask), argv[0]);
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
