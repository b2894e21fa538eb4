#include "guest/proc_links.h"

#include "guest/calls32.h"
#include "guest/copy.h"
#include "guest/gst.h"
#include "guest/procfs.h"
#include "guest/reroute.h"

#define O_CLOEXEC_FLAG 02000000ull
#define O_NOFOLLOW_FLAG 0400000ull
#define AT_SYMLINK_NOFOLLOW_FLAG 0x100ull
#define PATH_BYTES 512u
#define LOADING_LOOKS 1000
#define NOTHING "/proc/self/fd/none"

/* Does the call look at the link itself? */
static int is_at_link(const struct gst *g, const uint64_t *words)
{
	switch (gst_call_acts_like(g, words[0])) {
	case __NR_lstat: case __NR_readlink: case __NR_readlinkat:
		return 1;
	case __NR_open:
		return (words[2] & O_NOFOLLOW_FLAG) != 0;
	case __NR_openat:
		return (words[3] & O_NOFOLLOW_FLAG) != 0;
	case __NR_newfstatat: case __NR_faccessat2:
		return (words[4] & AT_SYMLINK_NOFOLLOW_FLAG) != 0;
	case __NR_statx:
		return (words[3] & AT_SYMLINK_NOFOLLOW_FLAG) != 0;
	default:
		return 0;
	}
}

/* Names it a descriptor of the runtime? */
static int is_hidden(const struct gst *g, const char *path)
{
	const char *part = gst_proc_own_part(g, path), *name = NULL;

	if (gst_begins(path, "/dev/fd/"))
		name = path + 8;
	else if (part && gst_begins(part, "fd/"))
		name = part + 3;
	else if (part && gst_begins(part, "fdinfo/"))
		name = part + 7;
	return name && *name >= '0' && *name <= '9' && gst_is_hidden(g, gst_number(name));
}

static long read_link(const char *path, char *to, size_t room)
{
	long n = SYS3(readlink, path, to, room - 1);

	to[n > 0 ? n : 0] = 0;
	return n;
}

/* "/proc/17/exe" -> "/proc/17/"; returns 0 when it is not of this form. */
static int is_exe(const char *path, char *head, size_t room)
{
	struct gst_text t;
	const char *p = path + 6;

	if (!gst_begins(path, "/proc/") || *p < '1' || *p > '9')
		return 0;
	gst_text_start(&t, head, room);
	gst_text_add(&t, "/proc/");
	gst_text_dec(&t, (int64_t)gst_number(p));
	while (*p >= '0' && *p <= '9')
		p++;
	return gst_equal(p, "/exe");
}

static int is_engine(uint64_t at)
{
	return (at >= SHR_CODE_BASE && at < SHR_LOW_BASE + SHR_LOW_BYTES) || at >= SHR_ENGINE_LOW;
}

/* The first file in a text of /proc/PID/maps that is not the runtime's. Returns its path, or NULL. */
static char *first_file(char *text)
{
	char *next;

	for (char *line = text; *line; line = next) {
		uint64_t at = 0;
		char *path = line;

		for (next = line; *next && *next != '\n'; next++)
			;
		if (!*next)
			return NULL; /* cut short */
		*next++ = 0;
		for (const char *p = line; *p && *p != '-'; p++)
			at = at << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
		while (*path && *path != '/')
			path++;
		if (*path && !is_engine(at))
			return path;
	}
	return NULL;
}

/* The same of the file `maps`. */
static char *look(const char *maps)
{
	char *text = (char *)GST_SCRATCH;
	long fd = SYS2(open, maps, O_CLOEXEC_FLAG), n;

	if (fd < 0)
		return NULL;
	n = SYS3(read, fd, text, 4096);
	SYS1(close, fd);
	text[n > 0 ? n : 0] = 0;
	return first_file(text);
}

size_t gst_proc_other_exe(const struct gst *g, const char *path, char *to, size_t room)
{
	const uint64_t pause[2] = { 0, 2000000 }; /* struct timespec */
	char head[40], mine[128], its[128], *found = NULL;
	struct gst_text t;

	if (!is_exe(path, head, sizeof(head)) || read_link("/proc/self/exe", mine, sizeof(mine)) <= 0 ||
	    read_link(path, its, sizeof(its)) <= 0 || !gst_equal(mine, its))
		return 0;
	gst_text_start(&t, mine, sizeof(mine));
	gst_text_add(&t, head);
	gst_text_add(&t, "/maps");
	for (int i = 0; i < LOADING_LOOKS && !found; i++) {
		if (i)
			SYS2(nanosleep, pause, NULL); /* it is being loaded */
		found = look(mine);
	}
	if (!found || gst_length(found) >= room)
		return 0;
	memcpy(to, found, gst_length(found) + 1);
	return gst_length(found);
}

void gst_proc_follow(struct gst *g, uint64_t *words)
{
	const int at = gst_path_argument(g, words[0]);
	char path[64], *to = g->layout.is_32 ? (char *)gst_low_path(g) : g->path;
	const char *there = NULL;

	if (at < 0 || gst_copy_text(path, words[1 + at], sizeof(path)) < 0 ||
	    (!gst_begins(path, "/proc/") && !gst_begins(path, "/dev/fd/")))
		return;
	if (is_hidden(g, path))
		there = NOTHING;
	else if (is_at_link(g, words))
		return;
	else if (gst_proc_is_exe(g, path))
		there = g->exe_path;
	else if (gst_proc_other_exe(g, path, to, PATH_BYTES))
		there = to;
	if (!there || gst_length(there) >= PATH_BYTES)
		return;
	memmove(to, there, gst_length(there) + 1);
	words[1 + at] = (uint64_t)to;
}
