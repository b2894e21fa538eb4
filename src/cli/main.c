#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"

static int version(void)
{
	printf("softpmu %s\n", SPMU_VERSION);
	return cli_close_stdout(0);
}

int main(int argc, char **argv)
{
	const struct cli_command *command;

	if (argc < 2) {
		cmd_help(1, argv);
		return CLI_FAILED;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return version();
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return cmd_help(1, argv);
	command = cli_find_command(argv[1]);
	if (!command)
		return CLI_FAILED;
	if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
		return cmd_help(2, argv);
	return command->run(argc - 1, argv + 1);
}
