/* proc_links.c -- answers calls that read or follow the links of /proc which lead to the
 * runtime. Rules: proc_links.h. */
#include "guest/files/proc_links.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/files/procfs.h"
#include "guest/files/reroute.h"

#define O_CLOEXEC_FLAG		 02000000ull
#define O_NOFOLLOW_FLAG		 0400000ull
#define AT_SYMLINK_NOFOLLOW_FLAG 0x100ull
#define PATH_BYTES		 512u
#define LOADING_LOOKS		 1000
#define NOTHING			 "/proc/self/fd/none"
#define MAPS_LOOKS		 8
#define VMA_BYTES		 (GST_SCRATCH_BYTES / 2 - GST_NAMES_BYTES)
#define MOST_VMAS		 (VMA_BYTES / sizeof(struct gst_vma))

/* Returns 1 if the call looks at the link itself, and does not follow it. */
static int is_at_link(const struct gst *g, const uint64_t *words)
{
	switch (gst_call_acts_like(g, words[0])) {
	case __NR_lstat:
	case __NR_readlink:
	case __NR_readlinkat: return 1;
	case __NR_open: return (words[2] & O_NOFOLLOW_FLAG) != 0;
	case __NR_openat: return (words[3] & O_NOFOLLOW_FLAG) != 0;
	case __NR_newfstatat:
	case __NR_faccessat2: return (words[4] & AT_SYMLINK_NOFOLLOW_FLAG) != 0;
	case __NR_statx: return (words[3] & AT_SYMLINK_NOFOLLOW_FLAG) != 0;
	default: return 0;
	}
}

/* Returns 1 if the path names a descriptor of the runtime. */
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

/* "/proc/17/exe" is "/exe" of the head "/proc/17", when that process runs under softpmu; so is
 * "/proc/17/task/18/exe". Returns 0 when not. */
static int is_of_other(const char *path, const char *what, char *head, size_t room)
{
	char mine[128], its[128];
	const char *p = path + 6;
	struct gst_text t;

	if (!gst_begins(path, "/proc/") || *p < '1' || *p > '9')
		return 0;
	gst_text_start(&t, head, room);
	gst_text_add(&t, "/proc/");
	gst_text_dec(&t, (int64_t)gst_number(p));
	while (*p >= '0' && *p <= '9')
		p++;
	if (gst_begins(p, "/task/"))
		for (p += 6; *p >= '0' && *p <= '9';)
			p++;
	if (!gst_equal(p, what))
		return 0;
	gst_text_start(&t, its, sizeof(its));
	gst_text_add(&t, head);
	gst_text_add(&t, "/exe");
	return read_link("/proc/self/exe", mine, sizeof(mine)) > 0 &&
	       read_link(its, its, sizeof(its)) > 0 && gst_equal(mine, its);
}

static int is_engine(uint64_t at)
{
	return (at >= GST->code && at < GST->code - SHR_CODE_BASE + SHR_LOW_BASE + SHR_LOW_BYTES) ||
	       (at >= SHR_ENGINE_LOW && at < SHR_ENGINE_HIGH);
}

/* The next line of a text of /proc/PID/maps that is not the runtime's, NUL in place of its end;
 * *text: what follows. NULL: there is none, or it is cut short. */
static char *next_line(char **text)
{
	while (**text) {
		char *line = *text, *end = line;
		uint64_t at = 0;

		while (*end && *end != '\n')
			end++;
		if (!*end)
			return NULL;
		*end = 0;
		*text = end + 1;
		for (const char *p = line; *p && *p != '-'; p++)
			at = at << 4 | (uint64_t)(*p <= '9' ? *p - '0' : *p - 'a' + 10);
		if (!is_engine(at))
			return line;
	}
	return NULL;
}

/* Returns the path of the first file in a text of /proc/PID/maps, or NULL. */
static char *first_file(char *text)
{
	char *line;

	while ((line = next_line(&text))) {
		while (*line && *line != '/')
			line++;
		if (*line)
			return line;
	}
	return NULL;
}

/* All of a file, NUL at its end. Returns 0 when it cannot be read. */
static int read_all(const char *path, char *text, size_t room)
{
	long fd = SYS2(open, path, O_CLOEXEC_FLAG), n = 1;
	size_t done = 0;

	if (fd < 0)
		return 0;
	while (n > 0 && done < room - 1) {
		n = SYS3(read, fd, text + done, room - 1 - done);
		done += n > 0 ? (size_t)n : 0;
	}
	SYS1(close, fd);
	text[done] = 0;
	return 1;
}

/* Returns the path of the first file in the file `maps`, or NULL. */
static char *first_mapped_file(const char *maps)
{
	char *text = (char *)GST_SCRATCH + GST_SCRATCH_BYTES / 2;

	return read_all(maps, text, GST_SCRATCH_BYTES / 2) ? first_file(text) : NULL;
}

size_t gst_proc_other_exe(const struct gst *g, const char *path, char *to, size_t room)
{
	const uint64_t pause[2] = {0, 2000000}; /* struct timespec */
	char head[40], maps[48], *found = NULL;
	struct gst_text t;

	if (!is_of_other(path, "/exe", head, sizeof(head)))
		return 0;
	gst_text_start(&t, maps, sizeof(maps));
	gst_text_add(&t, head);
	gst_text_add(&t, "/maps");
	for (int i = 0; i < LOADING_LOOKS && !found; i++) {
		if (i)
			SYS2(nanosleep, pause, NULL); /* it is being loaded */
		found = first_mapped_file(maps);
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

/* Bytes of another process's memory. Returns 0 when they cannot be had: the kernel lets no
 * process read every other. */
static int read_memory(int32_t pid, void *to, uint64_t from, size_t n)
{
	const uint64_t here[2] = {(uint64_t)to, n}, there[2] = {from, n}; /* struct iovec */

	return SYS6(process_vm_readv, pid, here, 1, there, 1, 0) == (long)n;
}

/* Returns 1 if the copy is a sound list, and not one caught in the middle of a change. */
static int is_whole(const struct gst_vmas *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i].lo >= l->v[i].hi || (i && l->v[i].lo < l->v[i - 1].hi) ||
		    l->v[i].name >= GST_NAMES_BYTES)
			return 0;
	return 1;
}

/* Mappings as the other process's runtime knows them: with the permissions that its program gave
 * them, which the kernel's are not. Returns 0 when they cannot be had. */
static int copy_vmas(int32_t pid, struct gst_vmas *l, char *names)
{
	struct gst_vma *to = l->v;
	struct gst_vmas head, again;
	uint64_t magic;
	uint32_t version;

	if (!read_memory(pid, &magic, SHR_CTL_BASE + offsetof(struct shr_ctl, magic),
			 sizeof(magic)) ||
	    magic != SHR_MAGIC ||
	    !read_memory(pid, &version, SHR_CTL_BASE + offsetof(struct shr_ctl, version),
			 sizeof(version)) ||
	    version != SHR_VERSION)
		return 0;
	for (int i = 0; i < MAPS_LOOKS; i++) {
		if (!read_memory(pid, &head, GST_STATE + offsetof(struct gst, vmas),
				 sizeof(head)) ||
		    head.v != (struct gst_vma *)GST_VMAS || !head.n || head.n > MOST_VMAS ||
		    !read_memory(pid, to, GST_VMAS, head.n * sizeof(*to)) ||
		    !read_memory(pid, names, GST_NAMES, GST_NAMES_BYTES) ||
		    !read_memory(pid, &again, GST_STATE + offsetof(struct gst, vmas),
				 sizeof(again)))
			return 0;
		l->n = head.n;
		names[GST_NAMES_BYTES - 1] = 0;
		if (again.n == head.n && is_whole(l))
			return 1;
	}
	return 0;
}

int gst_proc_other_maps(const char *path, struct gst_text *t)
{
	char head[40], *text = (char *)GST_SCRATCH + GST_SCRATCH_BYTES / 2, *line;
	struct gst_vmas l = {(struct gst_vma *)(void *)text, 0, 0};
	char *names = text + MOST_VMAS * sizeof(*l.v);

	if (!is_of_other(path, "/maps", head, sizeof(head)))
		return 0;
	if (copy_vmas((int32_t)gst_number(path + 6), &l, names)) {
		gst_proc_maps(&l, names, t);
		return 1;
	}
	if (!read_all(path, text, GST_SCRATCH_BYTES / 2))
		return 0;
	while ((line = next_line(&text))) {
		gst_text_add(t, line);
		gst_text_add(t, "\n");
	}
	return 1;
}

#define MEMORY_FILE "/memfd:softpmu (deleted)"
#define IMAGE_FILE  "/memfd:softpmu-guest (deleted)"

/* Returns 1 if descriptor n of the process at `head` leads to `file`. */
static int leads_to(const char *head, uint64_t n, const char *file)
{
	char link[64], there[64];
	struct gst_text t;

	gst_text_start(&t, link, sizeof(link));
	gst_text_add(&t, head);
	gst_text_add(&t, "/fd/");
	gst_text_dec(&t, (int64_t)n);
	return read_link(link, there, sizeof(there)) > 0 && gst_equal(there, file);
}

/* They lie one behind the other, in the order of enum shr_fd; of a process that has just been
 * born, the two memory files may not have been put there yet. */
int gst_proc_other_hides(const char *path, uint64_t n)
{
	char head[40];

	if (!is_of_other(path, "/fd", head, sizeof(head)) &&
	    !is_of_other(path, "/fdinfo", head, sizeof(head)))
		return 0;
	for (uint64_t i = 0; i < SHR_N_FDS && i <= n; i++) {
		if (leads_to(head, n - i + SHR_FD_MEMORY, MEMORY_FILE) &&
		    leads_to(head, n - i + SHR_FD_IMAGE, IMAGE_FILE))
			return 1;
	}
	return leads_to(head, n, MEMORY_FILE) || leads_to(head, n, IMAGE_FILE);
}
