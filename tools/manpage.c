/* manpage.c -- print a man page: a text of docs/man/ with what the .def files know put in.
 *
 *     manpage PAGE OPTIONS
 *
 * PAGE is docs/man/softpmu-COMMAND.1.in, or softpmu.1.in for the overview. These lines of it stand
 * for something:
 *     .\" NAME       headings up to the synopsis, by commands.def
 *     .\" OPTIONS    the command's options in their groups, by options.def: what OPTIONS says of
 *                    one in full, else its line; of rabbit those of src/rabbit/options.def
 *     .\" COMMANDS   the list of commands
 * OPTIONS is docs/man/options.man: texts, each below a line `.\" option NAME`, or `.\" option
 * NAME COMMAND` for one command; several such lines share a text.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"

static const struct command {
	const char *name, *arguments, *text;
	char letter;
} commands[] = {
#define COMMAND(name, function, letter, arguments, text) {#name, arguments, text, letter},
#include "cli/commands.def"
#undef COMMAND
};

/* A heading has no commands. */
static const struct option {
	const char *commands, *name, *argument, *text;
	char letter;
} options[] = {
#define OPTION_GROUP(id, heading, is_expert)	       {"", #id, NULL, heading, 0},
#define OPTION(commands, name, letter, argument, text) {commands, #name, argument, text, letter},
#include "cli/options.def"
#undef OPTION
#undef OPTION_GROUP
};

/* rabbit's, as they are typed; a heading has no name. */
static const struct rabbit_option {
	const char *name, *other, *argument, *text;
} rabbit_options[] = {
#define RABBIT_HEADING(text)				     {NULL, NULL, NULL, text},
#define RABBIT_OPTION(id, kind, name, other, argument, text) {name, other, argument, text},
#include "rabbit/options.def"
#undef RABBIT_HEADING
#undef RABBIT_OPTION
};

#define N(array) (sizeof(array) / sizeof((array)[0]))
static const char mark[] = ".\\\" ";

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "manpage: %s: %s\n", name, what);
	exit(1);
}

static char *read_file(const char *name)
{
	FILE *f = fopen(name, "r");
	char *text = calloc(1, 1 << 20);
	size_t n;

	if (!f || !text)
		fail("cannot be read", name);
	n = fread(text, 1, (1 << 20) - 1, f);
	if (n == (1 << 20) - 1)
		fail("is too long", name);
	fclose(f);
	return text;
}

/* Text for roff: no escapes, real minus signs, no request at the start of a line. */
static void print_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '\\')
			printf("\\e");
		else if (*text == '-')
			printf("\\-");
		else
			putchar(*text);
	}
}

/* Constants are C names, options have dashes. A _ at the end is no part of an option's name. */
static void print_name(const char *name)
{
	for (; *name && strcmp(name, "_"); name++)
		printf("%s", *name == '_' ? "\\-" : (char[]){*name, 0});
}

static void print_argument(const char *argument)
{
	if (!argument)
		return;
	printf("%s\\fI", *argument == '[' ? "" : " ");
	print_text(argument);
	printf("\\fR");
}

/* ---- options
 * ------------------------------------------------------------------------------------------ */

/* Is this line `.\" option NAME`, with the name as C spells it, or `.\" option NAME COMMAND`?
 * command: NULL for the former. */
static bool is_entry(const char *line, const char *name, const char *command)
{
	static const char word[] = ".\\\" option ";

	if (strncmp(line, word, sizeof(word) - 1))
		return false;
	line += sizeof(word) - 1;
	if (!name)
		return true;
	for (; *name && strcmp(name, "_"); name++, line++)
		if (*line != (*name == '_' ? '-' : *name))
			return false;
	if (!command)
		return *line == '\n';
	return *line == ' ' && !strncmp(line + 1, command, strlen(command)) &&
	       line[1 + strlen(command)] == '\n';
}

static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/* The full text of an option, the command's own (command: its name) or that of all. Returns
 * false when there is none. */
static bool print_entry(const char *texts, const char *name, const char *command)
{
	const char *line = texts;

	while (*line && !is_entry(line, name, command))
		line = next_line(line);
	if (!*line)
		return false;
	while (is_entry(line, NULL, NULL))
		line = next_line(line);
	for (; *line && !is_entry(line, NULL, NULL); line = next_line(line))
		printf("%.*s\n", (int)strcspn(line, "\n"), line);
	return true;
}

static void print_option(const struct option *o, const char *command, const char *texts)
{
	printf(".TP\n");
	if (o->letter) {
		printf("\\fB\\-%c\\fR", o->letter);
		print_argument(o->argument);
		printf(", ");
	}
	printf("\\fB\\-\\-");
	print_name(o->name);
	printf("\\fR");
	print_argument(o->argument);
	printf("\n");
	if (print_entry(texts, o->name, command) || print_entry(texts, o->name, NULL))
		return;
	print_text(o->text);
	printf("\n");
}

static void print_rabbit_options(void)
{
	for (size_t i = 0; i < N(rabbit_options); i++) {
		const struct rabbit_option *o = &rabbit_options[i];

		if (!o->name) {
			printf(".SS %s\n", o->text);
			continue;
		}
		printf(".TP\n\\fB");
		print_text(o->name);
		if (o->other) {
			printf("\\fR, \\fB");
			print_text(o->other);
		}
		printf("\\fR");
		print_argument(o->argument);
		printf("\n");
		print_text(o->text);
		printf("\n");
	}
}

static void print_options(const struct command *c, const char *texts)
{
	const char *heading = NULL;

	printf(".SH OPTIONS\n");
	if (!strcmp(c->name, "rabbit"))
		print_rabbit_options();
	for (size_t i = 0; i < N(options); i++) {
		if (!*options[i].commands) {
			heading = options[i].text;
		} else if (c->letter && strchr(options[i].commands, c->letter)) {
			if (heading)
				printf(".SS %s\n", heading);
			heading = NULL;
			print_option(&options[i], c->name, texts);
		}
	}
}

/* ---- headings
 * ----------------------------------------------------------------------------------------- */

static void print_synopsis(const struct command *c)
{
	printf(".B softpmu %s\n", c->name);
	if (!*c->arguments)
		return;
	print_text(c->arguments);
	printf("\n");
}

static void print_title(const char *name)
{
	printf(".TH ");
	for (; *name; name++)
		putchar(*name >= 'a' && *name <= 'z' ? *name - 'a' + 'A' : *name);
	printf(" 1 \"\" \"softpmu %s\" \"User Commands\"\n.SH NAME\n", SPMU_VERSION);
}

static void print_names(const struct command *c)
{
	char name[64] = "softpmu";

	if (c)
		snprintf(name, sizeof(name), "softpmu-%s", c->name);
	print_title(name);
	printf("%s \\- %s\n.SH SYNOPSIS\n", name,
	       c ? c->text
		 : "count the performance events of a Pentium or P6 processor in software");
	for (size_t i = 0; i < N(commands); i++) {
		if (c && c != &commands[i])
			continue;
		print_synopsis(&commands[i]);
		if (!c && i + 1 < N(commands))
			printf(".br\n");
	}
}

static void print_commands(void)
{
	for (size_t i = 0; i < N(commands); i++) {
		printf(".TP\n.BR softpmu\\-%s (1)\n", commands[i].name);
		print_text(commands[i].text);
		printf("\n");
	}
}

/* ---- pages
 * -------------------------------------------------------------------------------------------- */

/* The command of softpmu-COMMAND.1.in; NULL for softpmu.1.in. */
static const struct command *command_of(const char *path)
{
	const char *base = strrchr(path, '/');
	char name[80];

	base = base ? base + 1 : path;
	if (!strcmp(base, "softpmu.1.in"))
		return NULL;
	for (size_t i = 0; i < N(commands); i++) {
		snprintf(name, sizeof(name), "softpmu-%s.1.in", commands[i].name);
		if (!strcmp(base, name))
			return &commands[i];
	}
	fail("is no command of src/cli/commands.def", path);
	return NULL;
}

static bool is_mark(const char *line, const char *word)
{
	const size_t n = strlen(word);

	return !strncmp(line, mark, sizeof(mark) - 1) &&
	       !strncmp(line + sizeof(mark) - 1, word, n) && line[sizeof(mark) - 1 + n] == '\n';
}

int main(int argc, char **argv)
{
	const struct command *c;
	char *page, *texts;

	if (argc != 3)
		fail("wants a page and the texts of the options", "usage");
	c = command_of(argv[1]);
	page = read_file(argv[1]);
	texts = read_file(argv[2]);
	for (const char *line = page; *line; line = next_line(line)) {
		if (is_mark(line, "NAME"))
			print_names(c);
		else if (is_mark(line, "OPTIONS") && c)
			print_options(c, texts);
		else if (is_mark(line, "COMMANDS"))
			print_commands();
		else
			printf("%.*s\n", (int)strcspn(line, "\n"), line);
	}
	free(page);
	free(texts);
	return fflush(stdout) || ferror(stdout);
}
