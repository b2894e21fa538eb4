/* calls_file.c -- system calls about files whose content or facts softpmu fixes. */
#include <linux/fcntl.h>

#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/memory/file_change.h"
#include "guest/gst.h"
#include "guest/calls/last_words.h"
#include "guest/files/input.h"
#include "guest/files/ld_cache.h"
#include "guest/files/proc_links.h"
#include "guest/files/procfs.h"
#include "guest/time/timer_file.h"

#define RWF_NOWAIT_FLAG	  8u
#define MOST_PIECES	  1024u /* struct iovec of one call */
#define SHOWN_BLOCK_BYTES 4096u
#define DEVICE_RANDOM	  0x108u /* 1:8 */
#define DEVICE_URANDOM	  0x109u /* 1:9 */

/* The path in the program's memory, or an empty text when it is no path we could know. */
static void path_of(char *path, size_t room, uint64_t at)
{
	if (gst_copy_text(path, at, room) < 0)
		path[0] = 0;
}

/* Returns 1 if this path may lead to a file of /proc or /sys, even if its text does not name it: a
 * relative path, or one with "..". */
static int is_detour(const char *path)
{
	if (path[0] != '/' || gst_begins(path, "/proc/") || gst_begins(path, "/sys/"))
		return 1;
	for (; *path; path++) {
		if (gst_begins(path, "/.."))
			return 1;
	}
	return 0;
}

/* The path that `path` in directory fd has, when that lies in /proc or /sys; else an empty text. */
static void join(char *full, size_t room, int fd, const char *path)
{
	struct gst_text t;
	const long n = gst_proc_path(fd, full, room);

	if (!n)
		return;
	gst_text_start(&t, full + n, room - (size_t)n);
	gst_text_add(&t, "/");
	gst_text_add(&t, path);
}

/* directory: of a path that does not begin with /. */
static long open_path(struct gst *g, const uint64_t *a, int directory, uint64_t path_at,
		      uint64_t flags)
{
	char path[128], full[192];
	long ret;

	path_of(path, sizeof(path), path_at);
	if (gst_begins(path, "/dev/") &&
	    (gst_equal(path + 5, "urandom") || gst_equal(path + 5, "random")))
		g->has_random_file = 1;
	ret = path[0] == '/' ? gst_proc_open(g, path, flags) : GST_PROC_NOT_OURS;
	if (ret != GST_PROC_NOT_OURS)
		return ret;
	ret = gst_ld_cache_open(g, path, flags);
	if (ret != GST_PROC_NOT_OURS) {
		gst_input_file(g, ret, path, TRC_INPUT_FILE);
		return ret;
	}
	ret = gst_call_wait(g, a);
	gst_input_opened(g, ret, directory, path_at, flags);
	if (ret >= 0 && (flags & O_TRUNC))
		gst_file_has_changed(g, (int)ret);
	if (ret >= 0)
		return is_detour(path) ? gst_proc_replace(g, ret, flags) : ret;
	if (ret == -ENOENT)
		gst_ld_cache_lacks(g, path);
	if (ret != -ENOENT || !path[0] || path[0] == '/' || directory < 0)
		return ret;
	join(full, sizeof(full), directory, path); /* of a processor, say, that this host has not */
	ret = gst_proc_open(g, full, flags);
	return ret == GST_PROC_NOT_OURS ? -ENOENT : ret;
}

long gst_call_open(struct gst *g, const uint64_t *a)
{
	return open_path(g, a, -1, a[0], a[1]);
}

long gst_call_openat(struct gst *g, const uint64_t *a)
{
	return open_path(g, a, (int)a[0], a[1], a[2]);
}

static int is_random_file(uint64_t fd)
{
	uint64_t st[18];

	if (SYS2(fstat, fd, st) || ((st[3] & 0170000) != 0020000)) /* st_mode: low half of st[3] */
		return 0;
	return st[5] == DEVICE_RANDOM || st[5] == DEVICE_URANDOM;
}

/* Reads of /dev/random and /dev/urandom come from the seeded generator. */
long gst_call_read(struct gst *g, const uint64_t *a)
{
	uint64_t args[3] = {a[1], a[2], 0};
	long ret = gst_call_acts_like(g, a[-1]) == __NR_read ? gst_event_read(g, a[0], a[1], a[2])
							     : GST_NO_EVENT;

	if (ret != GST_NO_EVENT)
		return ret;
	if (g->has_random_file && is_random_file(a[0]))
		return gst_call_getrandom(g, args);
	ret = gst_call_wait(g, a);
	gst_timer_file_read(g, (int)a[0], a[1], ret);
	return ret;
}

long gst_call_write(struct gst *g, const uint64_t *a)
{
	long ret;

	if (gst_is_event(g, a[0]))
		return -EINVAL;
	ret = gst_call_wait(g, a);
	gst_last_words(g, a[0], a[1], ret);
	return ret;
}

long gst_call_writev(struct gst *g, const uint64_t *a)
{
	const long ret = gst_call_wait(g, a);

	gst_last_words_vector(g, a[0], a[1], a[2], ret);
	return ret;
}

/* An event fills each piece with what it has, as if read one by one; a piece that is too small
 * ends it. */
long gst_call_readv(struct gst *g, const uint64_t *a)
{
	const unsigned word = g->layout.word; /* struct iovec: address, bytes */
	long sum = 0;

	if (a[2] < 1 || a[2] > MOST_PIECES || !gst_is_event(g, a[0])) {
		const long ret = gst_call_wait(g, a);
		uint64_t at = 0;

		/* a timerfd fills the first piece, or none */
		if (ret == 8 && g->timers.n && !gst_copy_in(&at, a[1], word))
			gst_timer_file_read(g, (int)a[0], at, ret);
		return ret;
	}
	for (uint64_t i = 0; i < a[2]; i++) {
		const uint64_t piece = a[1] + i * 2 * word;
		uint64_t at = 0, bytes = 0;
		long ret;

		ret = gst_copy_in(&at, piece, word) || gst_copy_in(&bytes, piece + word, word)
			  ? -EFAULT
			  : gst_event_read(g, a[0], at, bytes);
		if (ret < 0)
			return sum ? sum : ret;
		sum += ret;
		if ((uint64_t)ret < bytes)
			break;
	}
	return sum;
}

/* preadv2 from the place where the file stands is readv; an event has no other. */
long gst_call_preadv2(struct gst *g, const uint64_t *a)
{
	const int is_here =
	    g->layout.is_32 ? (uint32_t)a[3] == ~0u && (uint32_t)a[4] == ~0u : a[3] == ~0ull;

	if (!is_here || !gst_is_event(g, a[0]))
		return gst_call_pass(g, a);
	return a[5] & RWF_NOWAIT_FLAG ? -EOPNOTSUPP : gst_call_readv(g, a);
}

static long fix_block_bytes(long ret, uint64_t stat_at)
{
	uint64_t shown = SHOWN_BLOCK_BYTES;

	if (ret == 0)
		gst_copy_out(stat_at + 56, &shown, 8); /* st_blksize */
	return ret;
}

long gst_call_stat(struct gst *g, const uint64_t *a)
{
	return fix_block_bytes(gst_call_pass(g, a), a[1]);
}

long gst_call_fstatat(struct gst *g, const uint64_t *a)
{
	return fix_block_bytes(gst_call_pass(g, a), a[2]);
}

long gst_call_statx(struct gst *g, const uint64_t *a)
{
	uint32_t shown = SHOWN_BLOCK_BYTES;
	long ret = gst_call_pass(g, a);

	if (ret == 0)
		gst_copy_out(a[4] + 4, &shown, 4); /* stx_blksize */
	return ret;
}

static long read_link(struct gst *g, const uint64_t *a, int32_t directory, const uint64_t *by)
{
	const uint64_t to = by[1], room = by[2];
	char path[128];
	const char *exe = g->exe_path;
	uint64_t bytes;
	long ret;

	path_of(path, sizeof(path), by[0]);
	if (!gst_proc_is_exe(g, path)) {
		exe = g->path;
		if (!gst_proc_other_exe(g, path, g->path, sizeof(g->path))) {
			ret = gst_call_pass(g, a);
			if (!gst_event_is_linked(g, directory, by[0], to, ret))
				return ret;
			exe = GST_EVENT_LINK;
		}
	}
	if ((int)room <= 0)
		return -EINVAL;
	bytes = gst_length(exe);
	if (bytes > room)
		bytes = room;
	return gst_copy_out(to, exe, bytes) ? -EFAULT : (long)bytes;
}

long gst_call_readlink(struct gst *g, const uint64_t *a)
{
	return read_link(g, a, AT_FDCWD, a);
}

long gst_call_readlinkat(struct gst *g, const uint64_t *a)
{
	return read_link(g, a, (int32_t)a[0], a + 1);
}
