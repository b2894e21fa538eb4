/* file_change.c -- files of which code is mapped privately, and that the program changes.
 *
 * RULES            a private mapping shows what the file holds until the program writes to the
 *                  page; pages beyond the file's end are gone, written or not.
 * MODELLED         a mapping made through a descriptor that may write is soft: its blocks
 *                  compare their source each time they start (check.c), as those of shared
 *                  mappings. When the program shortens a file or takes pieces out of it, its
 *                  mappings become soft and their translations go.
 * NOT MODELLED     changes by other processes, and changes through another descriptor than the
 *                  mapping's that do not make the file shorter.
 * SOURCES          mmap(2), ftruncate(2), fallocate(2); POSIX mmap: SIGBUS.
 */
#include "guest/memory/file_change.h"

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define FD_HERE	    -100 /* AT_FDCWD */
#define GET_FLAGS   3	 /* F_GETFL */
#define ACCESS_MODE 3u
#define TRUNCATES   01000u /* O_TRUNC */

int gst_file_is_soft(int fd)
{
	const long flags = SYS2(fcntl, fd, GET_FLAGS);

	return flags >= 0 && ((uint64_t)flags & ACCESS_MODE) != 0;
}

static void has_changed(struct gst *g, const uint64_t *st)
{
	const uint32_t dev = gst_file_device(st[0]);

	for (uint32_t i = 0; i < g->vmas.n; i++) {
		struct gst_vma *v = &g->vmas.v[i];

		if (v->ino != st[1] || v->dev != dev || !v->ino || (v->flags & MAP_SHARED))
			continue;
		v->is_soft = 1;
		gst_pages_drop(g, v->lo, v->hi, GST_DROP_PROTECT);
	}
}

void gst_file_has_changed(struct gst *g, int fd)
{
	uint64_t st[18];

	if (SYS2(fstat, fd, st) == 0)
		has_changed(g, st);
}

long gst_call_shorten(struct gst *g, const uint64_t *a)
{
	const long ret = gst_call_pass(g, a);

	if (ret == 0)
		gst_file_has_changed(g, (int)a[0]);
	return ret;
}

long gst_call_shorten_path(struct gst *g, const uint64_t *a)
{
	const long ret = gst_call_pass(g, a);
	uint64_t st[18];

	if (ret == 0 && SYS4(newfstatat, FD_HERE, a[0], st, 0) == 0)
		has_changed(g, st);
	return ret;
}

long gst_call_creat(struct gst *g, const uint64_t *a)
{
	const long ret = gst_call_pass(g, a);

	if (ret >= 0)
		gst_file_has_changed(g, (int)ret);
	return ret;
}

long gst_call_openat2(struct gst *g, const uint64_t *a)
{
	const long ret = gst_call_pass(g, a);
	uint64_t flags; /* the first word of struct open_how */

	if (ret >= 0 && gst_copy_in(&flags, a[2], sizeof(flags)) == 0 && (flags & TRUNCATES))
		gst_file_has_changed(g, (int)ret);
	return ret;
}
