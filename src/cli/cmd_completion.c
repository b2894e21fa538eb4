/* cmd_completion.c -- softpmu completion: scripts that let a shell complete softpmu's command line.
 *
 * The scripts (completion.bash, .zsh, .fish) know no command, no option and no event. They ask
 *
 *     softpmu completion words KIND [COMMAND]
 *
 * KIND is commands, options (of COMMAND), lists, lessons, events, cpus, groups or metrics. A line
 * is a word, a tab and a text; of an option the word's argument stands between them: a KIND, "file"
 * for anything else, "" when it takes none.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "lab/lesson.h"
#include "rabbit/options.h"

extern const char cli_completion_bash[], cli_completion_zsh[],
    cli_completion_fish[]; /* texts.S, each ends with a 0 byte */

/* Which kind of word follows an option. */
static const char *argument_of(const struct cli_option_row *o)
{
	switch (o->option) {
	case OPT_event: return "events";
	case OPT_cpu:
	case OPT_cpuid: return "cpus";
	case OPT_group: return "groups";
	case OPT_metrics: return "metrics";
	default: return o->has_argument ? "file" : "";
	}
}

/* rabbit's options have one dash, and a table of their own. */
static void print_rabbit_options(void)
{
	const char *name, *argument, *text;

	for (size_t i = 0; rbt_option_at(i, &name, &argument, &text); i++)
		printf("%s\t%s\t%s\n", name,
		       !argument		  ? ""
		       : !strcmp(name, "--e")	  ? "events"
		       : !strcmp(name, "-g")	  ? "groups"
		       : !strcmp(argument, "CPU") ? "cpus"
						  : "file",
		       text);
}

static int print_options(const char *command)
{
	const struct cli_command *c = cli_find_command(command);
	struct cli_option_row o;

	if (!c)
		return CLI_FAILED;
	if (c->run == cmd_rabbit)
		print_rabbit_options();
	for (size_t i = 0; c->letter && cli_option_at(c->letter, i, &o); i++) {
		printf("--%s\t%s\t%s\n", o.name, argument_of(&o), o.text);
		if (o.letter)
			printf("-%c\t%s\t%s\n", o.letter, argument_of(&o), o.text);
	}
	return 0;
}

static void print_events(void)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);
	const struct cat_generic *g;
	const struct cat_software *s;

	for (size_t i = 0; i < n; i++)
		if (e[i].family != CAT_TOY)
			printf("%s\t%s\n", e[i].name, e[i].meaning);
	g = cat_generics(&n);
	for (size_t i = 0; i < n; i++)
		if (g[i].family == CAT_P6)
			printf("%s\t%s\n", g[i].name, g[i].text);
	s = cat_softwares(&n);
	for (size_t i = 0; i < n; i++)
		printf("%s\t%s\n", s[i].name, s[i].text);
}

/* Families have groups and metrics of one name: the first is printed. */
static void print_groups(void)
{
	size_t n;
	const struct cat_group *g = cat_groups(&n);

	for (size_t i = 0; i < n; i++) {
		bool is_known = g[i].family == CAT_TOY;

		for (size_t k = 0; k < i && !is_known; k++)
			is_known = !strcmp(g[k].name, g[i].name) && g[k].family != CAT_TOY;
		if (!is_known)
			printf("%s\t%s\n", g[i].name, g[i].text);
	}
}

static void print_metrics(void)
{
	size_t n;
	const struct cat_metric *m = cat_metrics(&n);

	for (size_t i = 0; i < n; i++) {
		bool is_known = m[i].family == CAT_TOY;

		for (size_t k = 0; k < i && !is_known; k++)
			is_known = !strcmp(m[k].name, m[i].name) && m[k].family != CAT_TOY;
		if (!is_known)
			printf("%s\t%s\n", m[i].name, m[i].text);
	}
}

static void print_cpus(void)
{
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);

	for (size_t i = 0; i < n; i++)
		if (cpu[i].family != CAT_TOY)
			printf("%s\t%s\n", cpu[i].name, cpu[i].text);
}

static void print_lessons(void)
{
	struct lab_lesson l;
	struct spmu_error err;

	for (unsigned i = 1; i <= lab_n_lessons(); i++) {
		if (!lab_lesson_open(i, &l, &err))
			printf("%u\t%s\n", i, l.title);
		lab_lesson_free(&l);
	}
}

static int print_words(const char *kind, const char *command)
{
	if (!strcmp(kind, "options") && command)
		return print_options(command);
	if (!strcmp(kind, "commands")) {
		size_t n;
		const struct cli_command *c = cli_commands(&n);

		for (size_t i = 0; i < n; i++)
			printf("%s\t%s\n", c[i].name, c[i].text);
	} else if (!strcmp(kind, "lists")) {
		for (size_t i = 0; cli_list_topic(i); i++)
			printf("%s\n", cli_list_topic(i));
	} else if (!strcmp(kind, "lessons")) {
		print_lessons();
	} else if (!strcmp(kind, "events")) {
		print_events();
	} else if (!strcmp(kind, "cpus")) {
		print_cpus();
	} else if (!strcmp(kind, "groups")) {
		print_groups();
	} else if (!strcmp(kind, "metrics")) {
		print_metrics();
	} else {
		return cli_fail("completion words %s: there are commands, options COMMAND, lists, "
				"lessons, events, cpus, groups and metrics",
				kind);
	}
	return 0;
}

int cmd_completion(int argc, char **argv)
{
	const char *shell = argc > 1 ? argv[1] : "";
	int code = 0;

	if (!strcmp(shell, "words") && argc > 2)
		code = print_words(argv[2], argc > 3 ? argv[3] : NULL);
	else if (!strcmp(shell, "bash"))
		fputs(cli_completion_bash, stdout);
	else if (!strcmp(shell, "zsh"))
		fputs(cli_completion_zsh, stdout);
	else if (!strcmp(shell, "fish"))
		fputs(cli_completion_fish, stdout);
	else
		return cli_fail("completion: for which shell? write softpmu completion bash, zsh "
				"or fish, as in "
				"source <(softpmu completion bash)");
	return cli_close_stdout(code);
}
