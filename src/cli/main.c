/* main.c -- main(): makes standard streams safe, refuses rights of others, finds the command.
 *
 * INVARIANT   descriptors 0 to 2 are open before anything else is: else a file of softpmu's could
 *             become the program's standard output. softpmu never runs with more rights than its
 *             caller has, because it starts any program and writes files by name.
 */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/version.h"

static int version(void)
{
	printf("softpmu %s\n", SPMU_VERSION);
	return cli_close_stdout(0);
}

/* A standard stream that the caller closed must not become one of softpmu's own files: put
 * something there that gives an error when used, and that the program does not inherit. */
static void occupy_streams(void)
{
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", (fd ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
}

/* softpmu runs whatever program it is told to, and writes files by name: with its caller's rights
 * alone. */
static bool has_others_rights(void)
{
	return getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid();
}

/* By its other name, which make install gives it: rabbit OPTIONS is softpmu rabbit OPTIONS. */
static bool is_rabbit(const char *path)
{
	const char *slash = strrchr(path, '/');

	return !strcmp(slash ? slash + 1 : path, "rabbit");
}

int main(int argc, char **argv)
{
	const struct cli_command *command;

	occupy_streams();
	if (has_others_rights())
		return cli_fail("softpmu is installed set-uid, set-gid or with capabilities, and "
				"runs any program that its caller names: it "
				"starts only with its caller's own rights; take the extra ones "
				"away (chmod ug-s, setcap -r)");
	if (argc > 0 && is_rabbit(argv[0]))
		return cmd_rabbit(argc, argv);
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
