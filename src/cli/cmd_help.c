#include <stdio.h>
#include <stdbool.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "rabbit/options.h"

static int help_all(void)
{
	size_t n;
	const struct cli_command *c = cli_commands(&n);

	printf("softpmu: count the performance events of a Pentium or P6 processor in "
	       "software\n\n");
	for (size_t i = 0; i < n; i++)
		printf("  softpmu %s%s%s\n        %s\n", c[i].name, *c[i].arguments ? " " : "",
		       c[i].arguments, c[i].text);
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
	printf("softpmu %s%s%s\n    %s\n", c->name, *c->arguments ? " " : "", c->arguments,
	       c->text);
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
