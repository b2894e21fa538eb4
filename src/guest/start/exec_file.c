/* exec_file.c -- opens the file of an exec, follows #! lines, and checks what the kernel checks.
 * Rules: exec_file.h. */
#include "guest/start/exec_file.h"

#include <linux/fcntl.h>

#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/start/elf_headers.h"
#include "guest/gst.h"
#include "guest/files/procfs.h"

#define PATH_MOST	4096u
#define SCRIPT_LINE	256u /* the kernel looks at this much of the first line */
#define SCRIPT_DEPTH	5u
#define MODE_TYPE	0170000u
#define MODE_REGULAR	0100000u
#define O_NONBLOCK_FLAG 04000u
#define O_CLOEXEC_FLAG	02000000u
#define ACCESS_X	1u
#define AT_EACCESS_FLAG 0x200u

/* Room in the text area; NULL when it is full. */
static char *room(struct gst_exec_file *f, size_t bytes)
{
	char *at = f->text;

	if (bytes > GST_SCRATCH + GST_EXEC_SCRATCH - (uint64_t)at)
		return NULL;
	f->text += bytes;
	return at;
}

static const char *keep_text(struct gst_exec_file *f, const char *text, size_t bytes)
{
	char *at = room(f, bytes + 1);

	if (!at)
		return NULL;
	memcpy(at, text, bytes);
	at[bytes] = 0;
	return at;
}

static uint32_t mode_of(int fd)
{
	uint64_t st[18];

	return SYS2(fstat, fd, st) ? 0 : (uint32_t)st[3];
}

/* Returns 0 if the kernel would execute the file, else -errno. */
static long check_access(int dir, const char *path, uint64_t flags)
{
	long ret = SYS4(faccessat2, dir, path, ACCESS_X, AT_EACCESS_FLAG | flags);

	if (ret == -ENOSYS || ret == -EPERM)
		ret = SYS3(faccessat, dir, path, ACCESS_X);
	return ret;
}

/* Open a file to be executed. flags: AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH. */
static long open_file(struct gst *g, int dir, const char *path, uint64_t flags)
{
	char link[40];
	struct gst_text t;
	long ret, fd;

	if (!path[0] && (flags & AT_EMPTY_PATH)) {
		gst_text_start(&t, link, sizeof(link));
		gst_text_add(&t, "/proc/self/fd/");
		gst_text_dec(&t, dir);
		path = link; /* a descriptor of our own: its position and flags are the program's */
		flags = 0;
	}
	ret = check_access(dir, path, flags & AT_SYMLINK_NOFOLLOW);
	if (ret)
		return ret;
	fd = SYS4(openat, dir, path, O_NONBLOCK_FLAG | (flags & AT_SYMLINK_NOFOLLOW ? 0400000u : 0),
		  0);
	if (fd == -EACCES)
		gst_warn(g,
			 "a program may be executed but not read, so it cannot be counted and "
			 "is refused: ",
			 path);
	if (fd == -ENXIO) /* a socket, or a device without a driver */
		return -EACCES;
	if (fd < 0)
		return fd;
	if ((mode_of((int)fd) & MODE_TYPE) != MODE_REGULAR) {
		SYS1(close, fd);
		return -EACCES;
	}
	return fd;
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "#! interpreter [argument]" in line[0..n): the script's interpreter is executed in its place.
 * script: the script's name as the interpreter gets it. Returns the interpreter's name, NULL when
 * there is none. */
static const char *read_script(struct gst_exec_file *f, const char *line, size_t n,
			       const char *script)
{
	size_t at = 2, end = 2, name_end;
	const char *name, *argument = NULL;

	while (end < n && line[end] != '\n' && line[end])
		end++;
	while (end > 2 && is_blank(line[end - 1]))
		end--;
	while (at < end && is_blank(line[at]))
		at++;
	for (name_end = at; name_end < end && !is_blank(line[name_end]);)
		name_end++;
	if (name_end == at || (name_end == n && n == SCRIPT_LINE))
		return NULL; /* none, or cut off */
	name = keep_text(f, line + at, name_end - at);
	while (name_end < end && is_blank(line[name_end]))
		name_end++;
	if (name_end < end)
		argument = keep_text(f, line + name_end, end - name_end);
	if (f->n_prefix + 3 > GST_EXEC_PREFIX)
		return NULL;
	/* The script's own name stands in place of argv[0]; an outer script's interpreter
	 * likewise. */
	if (f->n_prefix) {
		memmove(f->prefix, f->prefix + 1, (f->n_prefix - 1) * sizeof(f->prefix[0]));
		f->n_prefix--;
	}
	memmove(f->prefix + (argument ? 3 : 2), f->prefix, f->n_prefix * sizeof(f->prefix[0]));
	f->prefix[0] = name;
	if (argument)
		f->prefix[1] = argument;
	f->prefix[argument ? 2 : 1] = script;
	f->n_prefix += argument ? 3 : 2;
	return name;
}

/* Returns 0 if the interpreter that the file names at `off` can be opened, else -errno. */
static long check_interpreter(struct gst *g, int fd, uint64_t off, uint64_t bytes)
{
	char name[256];
	uint64_t st[18];
	long ret;

	if (bytes < 2 || bytes > sizeof(name))
		return -ENOEXEC;
	if (SYS4(pread64, fd, name, bytes, off) != (long)bytes)
		return -EIO;
	name[bytes - 1] = 0;
	ret = open_file(g, AT_FDCWD, name, 0);
	if (ret >= 0)
		SYS1(close, ret);
	if (ret == -EMFILE) /* it is opened when the program's own descriptor is closed */
		return SYS4(newfstatat, AT_FDCWD, name, st, 0) ? -ENOENT
		       : (st[3] & MODE_TYPE) != MODE_REGULAR   ? -EACCES
							       : 0;
	return ret < 0 ? ret : 0;
}

/* Other damage is left to the loader, which has a sentence for it. */
static long check_elf(struct gst *g, int fd)
{
	struct gst_elf_headers h;
	const char *why;
	long ret = gst_elf_read_headers(fd, &h, &why);

	if (ret == -E2BIG)
		return 0;
	for (unsigned i = 0; !ret && i < h.head.e_phnum; i++) {
		if (h.phdr[i].p_type == PT_INTERP)
			ret = check_interpreter(g, fd, h.phdr[i].p_offset, h.phdr[i].p_filesz);
	}
	return ret;
}

/* The file's absolute path by /proc, or the name by which it was found if /proc cannot be read. */
static const char *full_path(struct gst_exec_file *f, const char *name)
{
	char link[40], *to = room(f, PATH_MOST);
	struct gst_text t;
	long n;

	if (!to)
		return name;
	gst_text_start(&t, link, sizeof(link));
	gst_text_add(&t, "/proc/self/fd/");
	gst_text_dec(&t, f->fd);
	n = SYS3(readlink, link, to, PATH_MOST - 1);
	if (n <= 0 || to[0] != '/')
		return name;
	to[n] = 0;
	return to;
}

/* Name of the script as its interpreter gets it. */
static const char *script_name(struct gst_exec_file *f, int dir, const char *path)
{
	char *to = room(f, PATH_MOST + 32);
	struct gst_text t;

	if (dir == AT_FDCWD || path[0] == '/' || !to)
		return path;
	gst_text_start(&t, to, PATH_MOST + 32);
	gst_text_add(&t, "/dev/fd/");
	gst_text_dec(&t, dir);
	if (path[0]) {
		gst_text_add(&t, "/");
		gst_text_add(&t, path);
	}
	return to;
}

/* Follow scripts from `path` to an ELF file. */
static long follow(struct gst *g, int dir, const char *path, uint64_t flags,
		   struct gst_exec_file *f)
{
	const char *name = script_name(f, dir, path);

	for (unsigned depth = 0;; depth++) {
		char line[SCRIPT_LINE];
		long n, ret = open_file(g, dir, path, flags);

		if (ret < 0)
			return ret;
		f->fd = (int)ret;
		n = SYS4(pread64, f->fd, line, SCRIPT_LINE, 0);
		if (n < 2 || line[0] != '#' || line[1] != '!')
			return check_elf(g, f->fd);
		SYS1(close, f->fd);
		f->fd = -1;
		if (depth == SCRIPT_DEPTH)
			return -ELOOP;
		path = name = read_script(f, line, (size_t)n, name);
		if (!path)
			return -ENOEXEC;
		dir = AT_FDCWD;
		flags = 0;
	}
}

long gst_exec_file_open(struct gst *g, int dir, uint64_t path_at, uint64_t flags,
			struct gst_exec_file *f)
{
	const char *path = (const char *)GST_SCRATCH;
	long ret = gst_copy_text((char *)GST_SCRATCH, path_at, PATH_MOST);

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->text = (char *)GST_SCRATCH + PATH_MOST;
	if (ret < 0)
		return ret;
	if (flags & ~(uint64_t)(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	if (!path[0] && !(flags & AT_EMPTY_PATH))
		return -ENOENT;
	if (gst_proc_is_exe(g, path))
		path = g->exe_path;
	ret = follow(g, dir, path, flags, f);
	if (ret) {
		if (f->fd >= 0)
			SYS1(close, f->fd);
		return ret;
	}
	f->path = full_path(f, f->n_prefix ? f->prefix[0] : path);
	return 0;
}
