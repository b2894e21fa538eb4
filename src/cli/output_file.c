/* output_file.c -- names, locks and gives their names to files of -o. Rules: output_file.h. */
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"

/* How many ranks this one is of, and the variable that tells them apart; 1: it is alone. Slurm's is
 * set by srun alone, not in the script that calls it. */
static long ranks(const char **which)
{
	static const char *const known[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
					       {"PMI_SIZE", "PMI_RANK"},
					       {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *size = getenv(known[i][0]);

		*which = known[i][1];
		if (size && getenv(*which) && atol(size) > 1)
			return atol(size);
	}
	return 1;
}

/* Append what "%q{VAR}" at p stands for. Returns its length, or 0 after a message. */
static size_t put_variable(struct text *name, const char *pattern, const char *p)
{
	const size_t n = p[2] == '{' ? strcspn(p + 3, "}") : 0;
	char variable[128];
	const char *value;

	if (!n || p[3 + n] != '}' || n >= sizeof(variable)) {
		cli_fail("-o %s: %%q wants the name of a variable in braces, as %%q{RANK}",
			 pattern);
		return 0;
	}
	snprintf(variable, sizeof(variable), "%.*s", (int)n, p + 3);
	value = getenv(variable);
	if (!value || !*value || strchr(value, '/')) {
		cli_fail("-o %s: the environment variable %s %s", pattern, variable,
			 value && *value ? "has a slash, so that it is no part of a name"
					 : "is not set, or empty");
		return 0;
	}
	text_printf(name, "%s", value);
	return n + 4;
}

/* Append what the '%' at p stands for. Returns the length of that, or 0 after a message. */
static size_t put_mark(struct text *name, const char *pattern, const char *p, bool has_own_p)
{
	char host[256] = "";

	switch (p[1]) {
	case '%': text_printf(name, "%%"); return 2;
	case 'p':
		if (has_own_p)
			text_printf(name, "%%p");
		else
			text_printf(name, "%d", (int)getpid());
		return 2;
	case 'h':
		gethostname(host, sizeof(host) - 1);
		text_printf(name, "%s", host);
		return 2;
	case 'q': return put_variable(name, pattern, p);
	default:
		cli_fail("-o %s: behind %% stands p (this process), h (this host), q{VAR} (a "
			 "variable of the environment) or another %%",
			 pattern);
		return 0;
	}
}

char *cli_output_name(const char *pattern, bool has_own_p)
{
	struct text name = {0};

	for (const char *p = pattern; *p;) {
		const size_t plain = strcspn(p, "%");
		size_t mark = 0;

		text_printf(&name, "%.*s", (int)plain, p);
		p += plain;
		if (*p && !(mark = put_mark(&name, pattern, p, has_own_p))) {
			text_free(&name);
			return NULL;
		}
		p += mark;
	}
	if (name.has_failed || !name.bytes) {
		cli_fail("-o '%s': a name is wanted", pattern);
		text_free(&name);
		return NULL;
	}
	return name.bytes;
}

int cli_output_refuse_ranks(const char *pattern, bool has_own_p)
{
	const char *which;
	const long n = ranks(&which);

	if (n < 2 || !strncmp(pattern, "/dev/", 5))
		return 0;
	for (const char *p = strchr(pattern, '%'); p && p[1]; p = strchr(p + 2, '%'))
		if (p[1] == 'q' || (p[1] == 'p' && !has_own_p))
			return 0;
	return cli_fail("-o %s: %ld ranks would write this one file; write %%q{%s} into its name",
			pattern, n, which);
}

static FILE *busy(const char *path)
{
	cli_fail(
	    "-o %s: another softpmu is writing this file; nothing was run. Give each a name of "
	    "its own: %%p, %%h and %%q{VAR} stand for process, host and a variable",
	    path);
	return NULL;
}

static FILE *is_there(const char *path)
{
	cli_fail("-o %s: there is such a file, and --no-clobber never writes over one; nothing was "
		 "run",
		 path);
	return NULL;
}

static FILE *cannot(const char *path)
{
	cli_fail("-o %s: %s; nothing was run", path, strerror(errno));
	return NULL;
}

/* A file that only this process writes, emptied. */
static FILE *open_alone(const char *path, const char *name)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	struct stat own, now;
	FILE *file;

	if (fd < 0)
		return cannot(name);
	if (!fstat(fd, &own) && S_ISREG(own.st_mode)) {
		if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
			close(fd);
			return busy(name);
		}
		if (stat(path, &now) || now.st_ino != own.st_ino || now.st_dev != own.st_dev) {
			close(fd); /* the other one has just finished */
			return busy(name);
		}
		if (ftruncate(fd, 0)) {
			close(fd);
			return cannot(name);
		}
	}
	file = fdopen(fd, "w");
	return file ? file : cannot(name);
}

FILE *cli_output_open(struct cli_output *o, const char *pattern, bool is_append, bool is_once)
{
	if (!is_append && cli_output_refuse_ranks(pattern, false))
		return NULL;
	o->path = cli_output_name(pattern, false);
	if (!o->path)
		return NULL;
	if (is_append) {
		o->file = fopen(o->path, "ae");
		return o->file ? o->file : cannot(o->path);
	}
	if (!is_once)
		return o->file = open_alone(o->path, o->path);
	if (!access(o->path, F_OK))
		return is_there(o->path);
	if (asprintf(&o->part, "%s.part", o->path) < 0) {
		o->part = NULL;
		return cannot(o->path);
	}
	o->file = open_alone(o->part, o->path);
	if (o->file && !access(o->path, F_OK)) { /* written between the two looks */
		unlink(o->part);
		fclose(o->file);
		o->file = NULL;
		return is_there(o->path);
	}
	return o->file;
}

/* FILE.part becomes FILE. */
static int give_name(const struct cli_output *o)
{
	if (!link(o->part, o->path))
		return 0;
	if (errno != EEXIST && !renameat2(AT_FDCWD, o->part, AT_FDCWD, o->path, RENAME_NOREPLACE))
		return 0; /* a file system without links */
	return cli_fail("-o %s: the results could not be put there: %s", o->path, strerror(errno));
}

int cli_output_close(struct cli_output *o, bool is_whole, bool is_said)
{
	int has_failed, why, code = 0;

	if (!o->file)
		return 0;
	has_failed = fflush(o->file) || ferror(o->file);
	why = errno;
	if (has_failed)
		code = cli_fail("%s: the results could not be written completely: %s", o->path,
				strerror(why));
	else if (o->part && is_whole)
		code = give_name(o);
	else if (o->part && !is_said)
		cli_fail("-o %s: not written, because the run did not come to its end", o->path);
	if (o->part)
		unlink(o->part);
	flock(fileno(o->file), LOCK_UN); /* also for processes that were forked meanwhile */
	if (fclose(o->file) && !code)
		code = cli_fail("%s: the results could not be written completely: %s", o->path,
				strerror(errno));
	o->file = NULL;
	free(o->path);
	free(o->part);
	o->path = o->part = NULL;
	return code;
}
