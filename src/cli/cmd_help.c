/* cmd_help.c -- softpmu help [COMMAND] and --help: usage lines from commands.def, options from
 * options.def. Its texts have no copy of their own, so what help says and what is accepted cannot
 * differ.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "rabbit/options.h"

#define COLUMNS	    80
#define MORE_INDENT 12 /* of a command line's second line */

/* A command line, broken between arguments and behind | where it is longer than a line. */
static void print_usage(const struct cli_command *c, int indent)
{
	int at = printf("%*ssoftpmu %s", indent, "", c->name);

	for (const char *s = *c->arguments ? c->arguments : ""; *s;) {
		const int n = (int)strcspn(s, " |") + (s[strcspn(s, " |")] == '|');
		const bool is_word = s == c->arguments || s[-1] == ' ';

		if (at + is_word + n > COLUMNS)
			at = printf("\n%*s", MORE_INDENT, "") - 1;
		else if (is_word)
			at += printf(" ");
		at += printf("%.*s", n, s);
		s += n;
		s += *s == ' ';
	}
	putchar('\n');
}

static int help_all(void)
{
	size_t n;
	const struct cli_command *c = cli_commands(&n);

	printf("softpmu: count the performance events of a Pentium or P6 processor in "
	       "software\n\n");
	for (size_t i = 0; i < n; i++) {
		print_usage(&c[i], 2);
		printf("        %s\n", c[i].text);
	}
	printf("\nsoftpmu help COMMAND shows its options; man softpmu has the rest.\n"
	       "Example: softpmu stat -e inst_retired,dcu_lines_in -- gzip -9 -c FILE "
	       ">/dev/null\n");
	return cli_close_stdout(0);
}

static int help_command(const char *name, bool is_all)
{
	const struct cli_command *c = cli_find_command(name);

	if (!c)
		return CLI_FAILED;
	print_usage(c, 0);
	printf("    %s\n", c->text);
	if (c->letter)
		cli_print_options(c->letter, c->name, is_all);
	else if (c->run == cmd_rabbit)
		rbt_options_help(stdout);
	return cli_close_stdout(0);
}

/* softpmu help [COMMAND] */
int cmd_help(int argc, char **argv)
{
	return argc < 2 ? help_all() : help_command(argv[1], false);
}

int cli_help(const char *command, int option)
{
	return help_command(command, option == OPT_help_all);
}
