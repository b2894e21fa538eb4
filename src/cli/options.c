/* options.c -- getopt_long's tables from options.def, and the help of options. Rules are in
 * options.h.
 *
 * A row says which commands take the option. getopt_long sees the rows of one command only; a word
 * that it does not know is looked up among those of other commands and of perf stat, so that the
 * message can say where it belongs.
 */
#include "cli/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/spelling.h"
#include "cli/cli.h"

/* Options and, before those that it is for, each heading: a row without commands, whose text is
 * the heading. */
static const struct row {
	const char *commands, *name, *argument, *text;
	char letter;
	bool is_heading, is_expert;
} rows[] = {
#define OPTION_GROUP(id, heading, is_expert) {"", #id, NULL, heading, 0, true, is_expert},
#define OPTION(commands, name, letter, argument, text)                                             \
	{commands, #name, argument, text, letter, false, false},
#include "cli/options.def"
#undef OPTION
#undef OPTION_GROUP
};

#define N_ROWS	    (sizeof(rows) / sizeof(rows[0]))
#define TEXT_COLUMN 29
#define LAST_COLUMN 80

static const struct perf_option {
	const char *name, *text;
	char letter;
} perf_options[] = {
#define PERF_OPTION(letter, name, text) {name, text, letter},
#include "cli/perf_options.def"
#undef PERF_OPTION
};

/* Constants are C names, options have dashes. */
static void spell(const char *name, char out[32])
{
	size_t i = 0;

	for (; name[i] && i < 31; i++)
		out[i] = name[i] == '_' ? '-' : name[i];
	if (i > 1 && out[i - 1] == '-') /* another command has an option of that name */
		i--;
	out[i] = 0;
}

void cli_option_name(int option, char out[32])
{
	spell(rows[option - OPT_NONE - 1].name, out);
}

/* Returns the sentence that says what to use in place of an option of perf stat; NULL if perf does
 * not have the option. */
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

/* Write which commands have the option, "; softpmu record has it", or "". At most three are named.
 */
static const char *other_commands(const char *plain, char *out, size_t room)
{
	size_t n_commands, at = 0, n = 0;
	const struct cli_command *c = cli_commands(&n_commands);
	char spelled[32];

	*out = 0;
	for (size_t i = 0; i < N_ROWS; i++) {
		spell(rows[i].name, spelled);
		for (size_t k = 0; k < n_commands && n < 3 && !strcmp(spelled, plain); k++)
			if (c[k].letter && strchr(rows[i].commands, c[k].letter) && at < room)
				at += (size_t)snprintf(out + at, room - at, "%s%s",
						       n++ ? ", " : "; softpmu ", c[k].name);
	}
	if (n && at < room)
		snprintf(out + at, room - at, n > 1 ? " have it" : " has it");
	return out;
}

static int complain(int argc, char **argv, char command, int at)
{
	const char *word = argv[at < 1 || at >= argc ? 1 : at];
	const char *instead = command == 'S' ? instead_of(word) : NULL;

	if (instead) {
		cli_fail("option %.*s: perf stat has it, softpmu does not: %s",
			 (int)strcspn(word, "="), word, instead);
	} else if (!strncmp(word, "--", 2)) {
		char plain[64], spelled[N_ROWS][32], ask[SPELLING_TEXT], others[96];
		struct spelling_search s = {.word = plain};

		snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(word + 2, "="), word + 2);
		for (size_t i = 0; i < N_ROWS; i++) {
			if (!strchr(rows[i].commands, command))
				continue;
			spell(rows[i].name, spelled[i]);
			spelling_offer(&s, spelled[i]);
		}
		other_commands(plain, others, sizeof(others));
		cli_fail("option --%s: not an option of softpmu %s%s%s (softpmu help "
			 "%s shows them)",
			 plain, argv[0], *others ? others : ", or ambiguous",
			 spelling_ask(&s, "--", ask), argv[0]);
	} else {
		cli_fail("option %s: not an option of softpmu %s; softpmu help %s shows them", word,
			 argv[0], argv[0]);
	}
	return -1;
}

/* An argument in brackets may be left away; it stands behind "=". */
static bool is_optional(const struct row *r)
{
	return r->argument && r->argument[0] == '[';
}

static int argument_kind(const struct row *r)
{
	return !r->argument ? no_argument : is_optional(r) ? optional_argument : required_argument;
}

/* Shown in its help or not. */
static bool takes(const struct row *r, char command)
{
	return strchr(r->commands, command) || strchr(r->commands, tolower((unsigned char)command));
}

int cli_next_option(int argc, char **argv, char command, const char **value)
{
	struct option options[N_ROWS + 1] = {0};
	char names[N_ROWS][32], letters[2 * N_ROWS + 3] = "+:";
	size_t n = 0, at = 2;
	int before = optind, c;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (!takes(&rows[i], command))
			continue;
		spell(rows[i].name, names[n]);
		options[n] = (struct option){names[n], argument_kind(&rows[i]), NULL,
					     (int)(OPT_NONE + 1 + i)};
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
		if (c < OPT_NONE && rows[i].letter == c && takes(&rows[i], command))
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

bool cli_option_at(char command, size_t i, struct cli_option_row *out)
{
	for (size_t k = 0; k < N_ROWS; k++) {
		if (!strchr(rows[k].commands, command) || i--)
			continue;
		spell(rows[k].name, out->name);
		out->letter = rows[k].letter;
		out->option = (int)(OPT_NONE + 1 + k);
		out->has_argument = rows[k].argument && !is_optional(&rows[k]);
		out->text = rows[k].text;
		return true;
	}
	return false;
}

/* Letters of the command's name that `text` begins with, 0 when it begins with none; *is_it: its
 * name is `name`. */
static size_t command_word(const char *text, const char *name, bool *is_it)
{
	size_t n_command;
	const struct cli_command *c = cli_commands(&n_command);

	for (size_t i = 0; i < n_command; i++) {
		const size_t word = strlen(c[i].name);

		if (strncmp(text, c[i].name, word) || !strchr(":,", text[word]))
			continue;
		*is_it |= !strcmp(c[i].name, name);
		return word;
	}
	return 0;
}

/* Returns true if a clause of `n` letters ("run: ...", "stat, check: ...") is about other commands
 * than `name`. Else *skip receives the length of the commands in front of it. */
static bool is_of_another(const char *clause, size_t n, const char *name, size_t *skip)
{
	bool is_it = false;
	size_t at = 0, word;

	*skip = 0;
	while (at < n && (word = command_word(clause + at, name, &is_it)) != 0) {
		at += word;
		if (clause[at + 1] != ' ')
			return false;
		if (clause[at] == ':') {
			*skip = at + 2;
			return !is_it;
		}
		at += 2;
	}
	return false;
}

/* The clauses of an option's text that are about the command, with "; " between them. */
static const char *own_text(const char *text, const char *name, char out[256])
{
	size_t at = 0, skip;

	out[0] = 0;
	while (*text) {
		const char *end = strstr(text, "; ");
		const size_t n = end ? (size_t)(end - text) : strlen(text);

		if (!is_of_another(text, n, name, &skip) && at < 256)
			at += (size_t)snprintf(out + at, 256 - at, "%s%.*s", at ? "; " : "",
					       (int)(n - skip), text + skip);
		text += end ? n + 2 : n;
	}
	return out;
}

/* Prints what an option does, from column TEXT_COLUMN on. `at` columns of the line are already
 * full. */
static void print_text(const char *text, int at)
{
	if (at > TEXT_COLUMN - 2) {
		printf("\n");
		at = 0;
	}
	printf("%*s", TEXT_COLUMN - at, "");
	at = TEXT_COLUMN;
	while (*text) {
		const int n = (int)strcspn(text, " ");

		if (at > TEXT_COLUMN && at + 1 + n > LAST_COLUMN) {
			printf("\n%*s", TEXT_COLUMN, "");
			at = TEXT_COLUMN;
		}
		at += at > TEXT_COLUMN ? printf(" %.*s", n, text) : printf("%.*s", n, text);
		text += n;
		text += strspn(text, " ");
	}
	printf("\n");
}

static void print_option(const struct row *r, const char *command)
{
	char name[32], letter[8] = "    ", text[256];
	int at;

	spell(r->name, name);
	if (r->letter)
		snprintf(letter, sizeof(letter), "-%c, ", r->letter);
	at = printf("  %s--%s%s%s", letter, name, r->argument && !is_optional(r) ? " " : "",
		    r->argument ? r->argument : "");
	print_text(own_text(r->text, command, text), at);
}

void cli_print_options(char command, const char *name, bool is_all)
{
	const struct row *heading = NULL;
	bool is_expert = false;
	unsigned n_hidden = 0;

	for (size_t i = 0; i < N_ROWS; i++) {
		if (rows[i].is_heading) {
			heading = &rows[i];
			is_expert = rows[i].is_expert;
		} else if (strchr(rows[i].commands, command) && is_expert && !is_all) {
			n_hidden++;
		} else if (strchr(rows[i].commands, command)) {
			if (heading)
				printf("\n%s:\n", heading->text);
			heading = NULL;
			print_option(&rows[i], name);
		}
	}
	if (n_hidden)
		printf("\nsoftpmu %s --help-all: %u more, for experts; man softpmu-%s: all.\n",
		       name, n_hidden, name);
}
