/* procfs.c -- makes the text of the files of /proc that show the process, from the list of
 * mappings. Rules: procfs.h. */
#include "guest/files/procfs.h"

#include <linux/prctl.h>

#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/files/machine_files.h"
#include "guest/files/proc_links.h"

#define O_CLOEXEC_FLAG	02000000ull
#define O_NOFOLLOW_FLAG 0400000ull
#define O_PATH_FLAG	010000000ull
#define PROC_MAGIC	0x9fa0u
#define SYSFS_MAGIC	0x62656572u
#define EXE_PATH_BYTES	4096u
#define EXE_PATH	(SHR_GS_BASE + 0x390000)

static const char *last_part(const char *path)
{
	const char *name = path;

	for (; *path; path++) {
		if (*path == '/')
			name = path + 1;
	}
	return name;
}

void gst_proc_start(struct gst *g)
{
	char *path = (char *)EXE_PATH, link[40];
	struct gst_text t;
	long fd = SYS2(open, g->exe, O_CLOEXEC_FLAG | O_PATH_FLAG), n = -1;

	if (fd >= 0) {
		gst_text_start(&t, link, sizeof(link));
		gst_text_add(&t, "/proc/self/fd/");
		gst_text_dec(&t, fd);
		n = SYS3(readlink, link, path, EXE_PATH_BYTES - 1);
		SYS1(close, fd);
	}
	if (n > 0)
		path[n] = 0;
	g->exe_path = n > 0 ? path : g->exe;
	SYS2(prctl, PR_SET_NAME, last_part(g->exe));
}

const char *gst_proc_own_part(const struct gst *g, const char *path)
{
	const char *p = path + 6;

	if (!gst_begins(path, "/proc/"))
		return NULL;
	if (gst_begins(p, "self/"))
		return p + 5;
	if (gst_begins(p, "thread-self/"))
		return p + 12;
	if (gst_number(p) != g->ctl->guest_pid && gst_number(p) != g->t->process->pid)
		return NULL;
	while (*p >= '0' && *p <= '9')
		p++;
	return *p == '/' ? p + 1 : NULL;
}

int gst_proc_is_exe(const struct gst *g, const char *path)
{
	const char *part = gst_proc_own_part(g, path);

	return part && gst_equal(part, "exe");
}

static void add_line_start(struct gst_text *t, const struct gst_vma *v)
{
	gst_text_hex(t, v->lo, 8);
	gst_text_add(t, "-");
	gst_text_hex(t, v->hi, 8);
	gst_text_add(t, v->prot & PROT_READ ? " r" : " -");
	gst_text_add(t, v->prot & PROT_WRITE ? "w" : "-");
	gst_text_add(t, v->prot & PROT_EXEC ? "x" : "-");
	gst_text_add(t, v->flags & MAP_SHARED ? "s " : "p ");
	gst_text_hex(t, (v->flags & (MAP_ANONYMOUS | MAP_SHARED)) == MAP_ANONYMOUS ? 0 : v->off, 8);
	gst_text_add(t, " ");
	gst_text_hex(t, v->dev >> 16, 2);
	gst_text_add(t, ":");
	gst_text_hex(t, v->dev & 0xffff, 2);
	gst_text_add(t, " ");
	gst_text_dec(t, (int64_t)v->ino);
}

void gst_proc_maps(const struct gst_vmas *l, const char *names, struct gst_text *t)
{
	for (uint32_t i = 0; i < l->n; i++) {
		const struct gst_vma *v = &l->v[i];
		size_t start = t->used;
		const char *name = gst_vma_name(v, names);

		if (v->kind == GST_VMA_ENGINE)
			continue;
		add_line_start(t, v);
		gst_text_add(t, " ");
		while (*name && t->used - start < 73)
			gst_text_add(t, " ");
		gst_text_add(t, name);
		gst_text_add(t, "\n");
	}
}

/* The strings of arguments or environment as the kernel shows them: one after the other. */
static void add_strings(const struct gst *g, struct gst_text *t, int is_env)
{
	const struct shr_start *s = &g->ctl->start;
	unsigned word = g->layout.word;
	uint64_t argv = g->auxv - word * (2ull + s->n_argv + s->n_envp);
	uint64_t p = is_env ? argv + word * (s->n_argv + 1ull) : argv;
	uint32_t n = is_env ? s->n_envp : s->n_argv;
	char *to = t->at + t->used;
	size_t room = t->room - t->used;

	for (uint32_t i = 0; i < n; i++, p += word) {
		uint64_t at = 0;
		long bytes;

		if (gst_copy_in(&at, p, word))
			return;
		bytes = gst_copy_text(to, at, room);
		if (bytes < 0)
			return;
		t->used += (size_t)bytes + 1;
		to += bytes + 1;
		room -= (size_t)bytes + 1;
	}
}

static void add_auxv(const struct gst *g, struct gst_text *t)
{
	if (gst_copy_in(t->at, g->auxv, g->auxv_bytes) == 0)
		t->used = g->auxv_bytes;
}

/* The kernel's text of the process's status, with the processors of the presented machine. */
static void add_status(const struct gst *g, struct gst_text *t, const char *path)
{
	char *text = (char *)GST_SCRATCH + GST_SCRATCH_BYTES / 2, *line, *next;
	long fd = SYS2(open, path, O_CLOEXEC_FLAG), n = -1;

	if (fd >= 0) {
		n = SYS3(read, fd, text, GST_SCRATCH_BYTES / 2 - 1);
		SYS1(close, fd);
	}
	text[n > 0 ? n : 0] = 0;
	for (line = text; *line; line = next) {
		for (next = line; *next && *next != '\n'; next++)
			;
		if (*next)
			*next++ = 0;
		if (gst_begins(line, "Cpus_allowed:")) {
			gst_text_add(t, "Cpus_allowed:\t");
			gst_machine_mask(g, t, g->t->cpus);
		} else if (gst_begins(line, "Cpus_allowed_list:")) {
			gst_text_add(t, "Cpus_allowed_list:\t");
			gst_machine_list(t, g->t->cpus);
		} else {
			gst_text_add(t, line);
			gst_text_add(t, "\n");
		}
	}
}

/* Fill t with the content of `path`. Returns 0 when the path is not ours. */
static int make_file(const struct gst *g, struct gst_text *t, const char *path)
{
	const char *own = gst_proc_own_part(g, path);

	if (own && gst_begins(own, "task/")) {
		for (own += 5; *own >= '0' && *own <= '9';)
			own++;
		own = gst_equal(own, "/maps") ? own + 1 : own;
	}
	if (own && gst_equal(own, "maps"))
		gst_proc_maps(&g->vmas, (const char *)GST_NAMES, t);
	else if (own && gst_equal(own, "cmdline"))
		add_strings(g, t, 0);
	else if (own && gst_equal(own, "environ"))
		add_strings(g, t, 1);
	else if (own && gst_equal(own, "auxv"))
		add_auxv(g, t);
	else if (own && gst_equal(own, "status"))
		add_status(g, t, path);
	else if (own || !gst_proc_other_maps(path, t))
		return gst_machine_file(g, t, path);
	return 1;
}

long gst_proc_open(struct gst *g, const char *path, uint64_t flags)
{
	struct gst_text t;
	size_t done = 0;
	long fd;

	if (!gst_begins(path, "/proc/") && !gst_begins(path, "/sys/devices/system/"))
		return GST_PROC_NOT_OURS;
	if (gst_machine_lacks(g, path))
		return -ENOENT;
	if (gst_proc_is_exe(g, path) && !(flags & O_NOFOLLOW_FLAG))
		return SYS3(open, g->exe_path, flags, 0);
	gst_text_start(&t, (char *)GST_SCRATCH, GST_SCRATCH_BYTES);
	if ((flags & 3) || !make_file(g, &t, path))
		return GST_PROC_NOT_OURS;
	fd = SYS2(memfd_create, last_part(path), flags & O_CLOEXEC_FLAG ? 1 : 0);
	if (fd < 0)
		return fd;
	while (done < t.used) {
		long n = SYS3(write, fd, t.at + done, t.used - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	SYS3(lseek, fd, 0, 0);
	return fd;
}

long gst_proc_path(int fd, char *path, size_t room)
{
	char link[40];
	uint64_t fs[16];
	struct gst_text t;
	long n;

	path[0] = 0;
	if (SYS2(fstatfs, fd, fs) || (fs[0] != PROC_MAGIC && fs[0] != SYSFS_MAGIC))
		return 0;
	gst_text_start(&t, link, sizeof(link));
	gst_text_add(&t, "/proc/self/fd/");
	gst_text_dec(&t, fd);
	n = SYS3(readlink, link, path, room - 1);
	path[n > 0 ? n : 0] = 0;
	return n > 0 ? n : 0;
}

long gst_proc_replace(struct gst *g, long fd, uint64_t flags)
{
	char path[128];
	long own, ret;

	if (!gst_proc_path((int)fd, path, sizeof(path)))
		return fd;
	own = gst_proc_open(g, path, flags & ~O_NOFOLLOW_FLAG);
	if (own == GST_PROC_NOT_OURS)
		return fd;
	if (own < 0) {
		SYS1(close, fd);
		return own;
	}
	ret = SYS3(dup3, own, fd, flags & O_CLOEXEC_FLAG);
	SYS1(close, own);
	return ret;
}

/* The kernel shows private memory only, so the strings are copied. Of code, data and heap it
 * wants to know, too: it shows these numbers in stat and uses none of them for a process whose
 * heap it does not manage. */
void gst_proc_arguments(const struct gst *g)
{
	const struct shr_start *s = &g->ctl->start;
	const char *from = g->exe + gst_length(g->exe) + 1, *text = from;
	const uint64_t heap = g->layout.brk_base;
	struct prctl_mm_map m = {.start_code = g->program.entry,
				 .end_code = g->program.entry + 1,
				 .start_data = heap,
				 .end_data = heap,
				 .start_brk = heap,
				 .brk = heap,
				 .start_stack = g->gs->gpr[4],
				 .arg_start = GST_TEXT,
				 .exe_fd = ~0u};

	for (uint32_t i = 0; i < s->n_argv + s->n_envp; i++) {
		if (i == s->n_argv)
			m.arg_end = GST_TEXT + (uint64_t)(text - from);
		text += gst_length(text) + 1;
	}
	m.env_end = GST_TEXT + (uint64_t)(text - from);
	if (!s->n_envp)
		m.arg_end = m.env_end;
	m.env_start = m.arg_end;
	if ((uint64_t)(text - from) > GST_TEXT_BYTES)
		return;
	memcpy((void *)GST_TEXT, from, (size_t)(text - from));
	SYS6(prctl, PR_SET_MM, PR_SET_MM_MAP, &m, sizeof(m), 0, 0);
}
