/* output.c -- writes a whole file beside the old one, and puts it in its place. Rules: output.h. */
#include "cli/where/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MOST_PATH 4096

/* Returns true if the name is a pipe or a device, which is written to and not replaced. */
static bool is_written_to(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* Put n bytes into the file `as`. Returns 0 or an exit code after a message about `path`. */
static int put_bytes(const char *command, const char *as, const char *path, const char *bytes,
		     size_t n)
{
	FILE *out = fopen(as, "we");

	if (!out)
		return cli_fail("%s -o %s: cannot write it: %s", command, path, strerror(errno));
	fwrite(bytes, 1, n, out);
	if (ferror(out) | fclose(out))
		return cli_fail("%s -o %s: it could not be written completely: %s", command, path,
				strerror(errno));
	return 0;
}

int cli_save(const char *command, const char *path, const char *bytes, size_t n)
{
	char temporary[MOST_PATH];
	int code;

	if (!strcmp(path, "-")) {
		fwrite(bytes, 1, n, stdout);
		return 0;
	}
	if (is_written_to(path))
		return put_bytes(command, path, path, bytes, n);
	if (snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid()) >=
	    (int)sizeof(temporary))
		return cli_fail("%s -o %.60s...: the name is too long", command, path);
	code = put_bytes(command, temporary, path, bytes, n);
	if (!code && rename(temporary, path))
		code = cli_fail("%s -o %s: cannot write it: %s", command, path, strerror(errno));
	if (code)
		unlink(temporary);
	return code;
}
