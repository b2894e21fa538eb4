/* ld_cache.c -- opens the list that softpmu makes, or no file, in place of /etc/ld.so.cache. Rules:
 * ld_cache.h. */
#include "guest/files/ld_cache.h"

#include "guest/gst.h"
#include "guest/files/procfs.h"

#define O_CLOEXEC_FLAG 02000000ull

/* All of the list, from softpmu into fd. Returns 0 when there is none. */
static int fill_file(struct gst *g, int fd)
{
	uint64_t done = 0, bytes = 1;

	while (done < bytes) {
		struct req_box *b = gst_ask_box(g);
		uint64_t n;

		b->arg[0] = done;
		if (gst_ask(g, REQ_LD_CACHE) != REQ_OK)
			return 0;
		bytes = b->result[0];
		n = bytes - done < sizeof(b->pages) ? bytes - done : sizeof(b->pages);
		if (SYS3(write, fd, b->pages, n) != (long)n)
			return 0;
		done += n;
	}
	SYS3(lseek, fd, 0, 0);
	return 1;
}

long gst_ld_cache_open(struct gst *g, const char *path, uint64_t flags)
{
	long fd;

	if (g->ctl->start.ld_cache == SHR_LD_CACHE_HOST || (flags & 3) ||
	    !gst_equal(path, GST_LD_CACHE_PATH))
		return GST_PROC_NOT_OURS;
	if (g->ctl->start.ld_cache == SHR_LD_CACHE_HIDE)
		return -ENOENT;
	fd = SYS2(memfd_create, "ld.so.cache", flags & O_CLOEXEC_FLAG ? 1 : 0);
	if (fd < 0 || fill_file(g, (int)fd))
		return fd;
	SYS1(close, fd);
	return -ENOENT;
}

/* The name of a library in one of the directories in which the loader looks last, or NULL. */
static const char *library(const char *path)
{
	const char *name = path;
	int is_library = 0;

	if (!gst_begins(path, "/usr/lib"))
		return NULL;
	while (*name != '/' || name < path + 8)
		if (!*name++)
			return NULL;
	name++;
	for (const char *p = name; *p; p++) {
		if (*p == '/')
			return NULL;
		is_library |= gst_begins(p, ".so");
	}
	return is_library ? name : NULL;
}

void gst_ld_cache_lacks(struct gst *g, const char *path)
{
	const char *name;
	struct req_box *b;
	struct gst_text t;

	if (g->ctl->start.ld_cache != SHR_LD_CACHE_OWN || !(name = library(path)))
		return;
	b = gst_ask_box(g);
	b->arg[1] = 1;
	gst_text_start(&t, b->text, sizeof(b->text));
	gst_text_add(&t, name);
	gst_ask(g, REQ_LD_CACHE);
}
