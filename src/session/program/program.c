/* program.c -- finds the program's file in PATH, follows #! lines, and reads the facts of the
 * ELF file. Rules: program.h. */
#include "session/program/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session/program/libraries.h"

#define SCRIPT_LINE  256 /* the kernel looks at this much of the first line */
#define SCRIPT_DEPTH 5

/* dir/name into out; false when too long. An empty dir is the current one. */
static bool is_joined(char out[ELF_PATH_BYTES], const char *dir, size_t n_dir, const char *name)
{
	int n = snprintf(out, ELF_PATH_BYTES, "%.*s%s%s", (int)n_dir, dir, n_dir ? "/" : "", name);

	return n > 0 && n < ELF_PATH_BYTES;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

#define COMMAND_LINE_TEXT                                                                          \
	"%s: no program has this name, which holds blanks; write its words apart, as in "          \
	"-- %s, or sh -c '%s'"

/* Returns true if the name is several words in one, as after `stat "ls -l"`. */
static bool is_command_line(const char *name)
{
	return strpbrk(name, " \t") != NULL;
}

static int search(const char *name, const char *path_env, char out[ELF_PATH_BYTES],
		  struct spmu_error *err)
{
	const char *dir = path_env ? path_env : "/bin:/usr/bin";
	char first[ELF_PATH_BYTES] = "";
	struct stat st;

	if (!*name)
		return spmu_fail(err, SPMU_ENOENT,
				 "the program's name is empty; write softpmu stat -- PROGRAM");
	for (;; dir++) {
		size_t n = strcspn(dir, ":");

		if (is_joined(out, dir, n, name)) {
			if (is_program(out))
				return 0;
			if (!first[0] && !stat(out, &st) && S_ISREG(st.st_mode))
				memcpy(first, out, sizeof(first));
		}
		dir += n;
		if (!*dir)
			break;
	}
	if (first[0])
		return spmu_fail(err, SPMU_EEXEC, "%s: no permission to execute it; chmod +x %s",
				 first, first);
	if (is_command_line(name))
		return spmu_fail(err, SPMU_ENOENT, COMMAND_LINE_TEXT, name, name, name);
	return spmu_fail(err, SPMU_ENOENT,
			 "%s: not found in PATH; give its path, as in ./%s, or correct the name",
			 name, name);
}

/* Returns true if the file begins as a program or a script does, or cannot be read. */
static bool begins_as_program(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	char begin[SELFMAG];
	ssize_t n = sizeof(begin);

	if (fd < 0)
		return true;
	n = read(fd, begin, sizeof(begin));
	close(fd);
	return (n >= 2 && !memcmp(begin, "#!", 2)) ||
	       (n == SELFMAG && !memcmp(begin, ELFMAG, SELFMAG));
}

static int not_executable(const char *path, struct spmu_error *err)
{
	if (begins_as_program(path))
		return spmu_fail(err, SPMU_EEXEC, "%s: no permission to execute it; chmod +x %s",
				 path, path);
	return spmu_fail(err, SPMU_EEXEC, "%s: not a program: it begins neither as ELF nor with #!",
			 path);
}

/* Everything about the file that forbids running it before its content is looked at. */
static int check_file(const char *path, const struct stat *st, struct spmu_error *err)
{
	if (S_ISDIR(st->st_mode))
		return spmu_fail(err, SPMU_EEXEC, "%s: a directory, not a program", path);
	if (!S_ISREG(st->st_mode))
		return spmu_fail(err, SPMU_EEXEC, "%s: not a regular file, so not a program", path);
	if (access(path, X_OK))
		return not_executable(path, err);
	return 0;
}

static int open_program(const char *path, struct elf_source *src, struct spmu_error *err)
{
	struct stat st;
	int rc;

	if (stat(path, &st)) {
		int code = errno == ENOENT || errno == ENOTDIR ? SPMU_ENOENT : SPMU_EEXEC;

		if (code == SPMU_ENOENT && is_command_line(path))
			return spmu_fail(err, code, COMMAND_LINE_TEXT, path, path, path);
		return spmu_fail(err, code, "%s: %s", path,
				 code == SPMU_ENOENT ? "no such file; correct the path"
						     : strerror(errno));
	}
	rc = check_file(path, &st, err);
	if (rc)
		return rc;
	src->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (src->fd < 0)
		return spmu_fail(
		    err, SPMU_EEXEC,
		    "%s: cannot be read (%s); softpmu must read a program to translate it", path,
		    strerror(errno));
	src->size = (uint64_t)st.st_size;
	return 0;
}

/* Put s before the prefix that is there. Takes no ownership. */
static int add_front(struct ses_program *p, const char *s, struct spmu_error *err)
{
	char *copy;

	if (p->n_prefix == SES_PROGRAM_PREFIX)
		return spmu_fail(err, SPMU_EEXEC, "%s: #! scripts are nested too deep", p->found);
	copy = strdup(s);
	if (!copy)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the program's arguments");
	memmove(p->prefix + 1, p->prefix, p->n_prefix * sizeof(p->prefix[0]));
	p->prefix[0] = copy;
	p->n_prefix++;
	return 0;
}

/* "#! interpreter [argument]": put both before the prefix and go on with the interpreter.
 * script: path of the script; line: its first bytes, NUL terminated. */
static int read_script(struct ses_program *p, char *line, struct spmu_error *err)
{
	char *interpreter, *argument, *end = strchr(line, '\n');
	int rc;

	if (!end)
		end = line + strlen(line);
	while (end > line + 2 && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
	interpreter = line + 2 + strspn(line + 2, " \t");
	if (!*interpreter)
		return spmu_fail(err, SPMU_EEXEC, "%s: its #! line names no interpreter", p->path);
	argument = interpreter + strcspn(interpreter, " \t");
	if (*argument) {
		*argument++ = 0;
		argument += strspn(argument, " \t");
	}
	if (p->n_prefix) { /* run by another script, as whose interpreter it stands there */
		free(p->prefix[0]);
		memmove(p->prefix, p->prefix + 1, --p->n_prefix * sizeof(p->prefix[0]));
	}
	rc = add_front(p, p->path, err);
	if (!rc && *argument)
		rc = add_front(p, argument, err);
	if (!rc)
		rc = add_front(p, interpreter, err);
	if (!rc)
		snprintf(p->path, sizeof(p->path), "%s", interpreter);
	return rc;
}

static int interpreter_missing(const struct ses_program *p, struct spmu_error *err)
{
	return spmu_fail(err, SPMU_ENOENT, "%s: its interpreter %s cannot be started; install it",
			 p->found, p->interpreter[0] ? p->interpreter : p->path);
}

/* Follow #! lines until an ELF file is open. */
static int open_elf(struct ses_program *p, struct elf_source *src, struct spmu_error *err)
{
	for (int depth = 0;; depth++) {
		char line[SCRIPT_LINE + 1];
		ssize_t n;
		int rc = open_program(p->path, src, err);

		if (rc == -SPMU_ENOENT && depth)
			return interpreter_missing(p, err);
		if (rc)
			return rc;
		n = pread(src->fd, line, SCRIPT_LINE, 0);
		if (n < 2 || line[0] != '#' || line[1] != '!')
			return 0;
		close(src->fd);
		src->fd = -1;
		line[n] = 0;
		if (depth == SCRIPT_DEPTH)
			return spmu_fail(err, SPMU_EEXEC, "%s: #! scripts are nested too deep",
					 p->found);
		rc = read_script(p, line, err);
		if (rc)
			return rc;
	}
}

int ses_find_program(const char *name, const char *path_env, struct ses_program *out,
		     struct spmu_error *err)
{
	struct elf_source src = {.fd = -1};
	struct elf_file elf;
	int rc;

	memset(out, 0, sizeof(*out));
	out->isa_level = 1;
	if (strlen(name) >= sizeof(out->path))
		return spmu_fail(err, SPMU_ENOENT, "the program's name is longer than 4095 bytes");
	if (!strchr(name, '/')) {
		rc = search(name, path_env, out->path, err);
		if (rc)
			return rc;
	} else {
		snprintf(out->path, sizeof(out->path), "%s", name);
	}
	memcpy(out->found, out->path, sizeof(out->found));
	rc = open_elf(out, &src, err);
	if (rc)
		return rc;
	rc = elf_file_read(&src, out->path, &elf, err);
	close(src.fd);
	if (!rc) {
		out->elf_type = elf.type;
		out->is_32 = elf.is_32;
		out->shift = elf.is_32 ? 0 : shr_shift(elf.low, elf.high);
		memcpy(out->interpreter, elf.interpreter, sizeof(out->interpreter));
		if (out->interpreter[0] && !is_program(out->interpreter))
			rc = interpreter_missing(out, err);
	}
	elf_file_free(&elf);
	if (!rc)
		ses_program_libraries(out, NULL);
	return rc;
}

void ses_program_libraries(struct ses_program *p, const char *library_path)
{
	bool has_papi = false;
	int level = p->is_32 ? 1 : ses_libraries_level(p->path, library_path, &has_papi);

	p->has_papi |= has_papi;
	if (level > p->isa_level)
		p->isa_level = level;
}

int ses_program_argv(const struct ses_program *p, char *const argv[], const char *argv0,
		     char ***out, struct spmu_error *err)
{
	size_t n = 0, at = 0;
	char **v;

	while (argv[n])
		n++;
	v = calloc(n + p->n_prefix + 1, sizeof(*v));
	if (!v)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the program's arguments");
	for (size_t i = 0; i < p->n_prefix; i++)
		v[at++] = p->prefix[i];
	for (size_t i = p->n_prefix ? 1 : 0; i < n; i++)
		v[at++] = argv[i];
	if (argv0 && !p->n_prefix)
		v[0] = (char *)argv0;
	*out = v;
	return 0;
}

void ses_program_free(struct ses_program *p)
{
	for (size_t i = 0; i < p->n_prefix; i++)
		free(p->prefix[i]);
	p->n_prefix = 0;
}
