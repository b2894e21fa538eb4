#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "report/report.h"

static char option_letter(const char *name)
{
	return !strcmp(name, "stat") ? 'S' : !strcmp(name, "run") ? 'R' : !strcmp(name, "check") ? 'C'
	       : !strcmp(name, "list") ? 'L' : !strcmp(name, "explain") ? 'E'
	       : !strcmp(name, "asm") ? 'A' : 0;
}

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

/* softpmu help [COMMAND], softpmu COMMAND --help */
int cmd_help(int argc, char **argv)
{
	const struct cli_command *c;

	if (argc < 2)
		return help_all();
	c = cli_find_command(argv[1]);
	if (!c)
		return CLI_FAILED;
	printf("softpmu %s%s%s\n    %s\n", c->name, *c->arguments ? " " : "", c->arguments,
	       c->text);
	if (option_letter(c->name)) {
		printf("\n");
		cli_print_options(option_letter(c->name));
	}
	return cli_close_stdout(0);
}
