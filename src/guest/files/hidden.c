/* hidden.c -- moves the runtime's descriptors up, recognizes them, and keeps the connections to
 * softpmu. Rules: hidden.h. */
#include "guest/files/hidden.h"

#include <linux/poll.h>

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/files/machine_files.h"
#include "guest/files/proc_links.h"
#include "guest/files/procfs.h"
#include "guest/files/table.h"

#define F_DUPFD_NR	 0
#define F_SETFD_NR	 2
#define F_SETFL_NR	 4
#define F_SETOWN_NR	 8
#define F_SETSIG_NR	 10
#define O_ASYNC_FLAG	 020000
#define O_NONBLOCK_FLAG	 04000
#define O_CLOEXEC_FLAG	 02000000
#define PATH_BYTES	 32u
#define RLIMIT_NOFILE_NR 7
#define USUAL_LOW	 1016u /* the last numbers under the usual limit of 1024 */
#define STEP_DOWN	 64u   /* when these are taken */

/* Below the usual limit; with a lower limit, above it where the hard limit allows. */
int gst_hidden_up(int fd)
{
	uint64_t limit[2] = {1024, 1024}, lifted[2];
	long ret;

	SYS4(prlimit64, 0, RLIMIT_NOFILE_NR, NULL, limit);
	if ((uint64_t)fd >= USUAL_LOW || (uint64_t)fd + 8 >= limit[0])
		return fd; /* there already, by an exec */
	if (limit[0] > USUAL_LOW) {
		unsigned low = USUAL_LOW;

		do
			ret = SYS3(fcntl, fd, F_DUPFD_NR, low);
		while (ret < 0 && (low -= STEP_DOWN) > USUAL_LOW / 2);
	} else if (limit[1] >= limit[0] + 8) {
		lifted[0] = limit[0] + 8;
		lifted[1] = limit[1];
		SYS4(prlimit64, 0, RLIMIT_NOFILE_NR, lifted, NULL);
		ret = SYS3(fcntl, fd, F_DUPFD_NR, limit[0]);
		SYS4(prlimit64, 0, RLIMIT_NOFILE_NR, limit, NULL);
	} else {
		ret = SYS3(fcntl, fd, F_DUPFD_NR, limit[0] > 16 ? limit[0] - 8 : 3);
	}
	if (ret < 0)
		return fd; /* it stays where it is */
	SYS1(close, fd);
	return (int)ret;
}

void gst_hidden_start(struct gst *g, const int *fd)
{
	for (int i = 0; i < SHR_N_FDS; i++)
		gst_process_hidden(g)->fd[i] = gst_hidden_up(fd[i]);
	for (int i = SHR_N_FDS; i < GST_N_HIDDEN; i++)
		gst_process_hidden(g)->fd[i] = -1;
}

void gst_hidden_replace(struct gst *g, enum shr_fd which, int fd)
{
	if (SYS3(dup3, fd, gst_process_hidden(g)->fd[which], 0) >= 0) {
		SYS1(close, fd);
		return;
	}
	/* its number is beyond a limit that was lowered since */
	SYS1(close, gst_process_hidden(g)->fd[which]);
	gst_process_hidden(g)->fd[which] = gst_hidden_up(fd);
}

int gst_hidden_nth(const struct gst *g, unsigned n)
{
	const struct gst_hidden *h = gst_process_hidden(g);

	if (h->table)
		return gst_table_nth(h->table, n);
	return n < GST_N_HIDDEN ? h->fd[n] : GST_NO_MORE;
}

int gst_is_hidden(const struct gst *g, uint64_t fd)
{
	int hidden;

	for (unsigned n = 0; (hidden = gst_hidden_nth(g, n)) != GST_NO_MORE; n++)
		if (hidden >= 0 && (uint32_t)fd == (uint32_t)hidden)
			return 1;
	return 0;
}

int gst_names_hidden(const struct gst *g, uint32_t descriptors, const uint64_t *a)
{
	for (int i = 0; i < 6; i++) {
		if ((descriptors >> i & 1) && gst_is_hidden(g, a[i]))
			return 1;
	}
	return 0;
}

long gst_hidden_move(struct gst *g, uint64_t fd)
{
	struct gst_hidden *h = gst_process_hidden(g);

	if (!gst_is_hidden(g, fd))
		return 0;
	for (int i = 0; i < GST_N_HIDDEN; i++) {
		if (h->fd[i] >= 0 && (uint32_t)fd == (uint32_t)h->fd[i]) {
			long ret = SYS3(fcntl, fd, F_DUPFD_NR, fd > 16 ? fd - 8 : 3);

			if (ret < 0)
				return 0;    /* the call says why */
			h->fd[i] = (int)ret; /* the program's call closes the old number */
			gst_table_note(h);
			return 0;
		}
	}
	return -EBADF;
}

void gst_life_of(int fd)
{
	SYS3(fcntl, fd, F_SETOWN_NR, SYS0(getpid));
	SYS3(fcntl, fd, F_SETSIG_NR, GST_SIGKILL);
	SYS3(fcntl, fd, F_SETFL_NR, O_ASYNC_FLAG);
}

void gst_life_listen(struct gst *g)
{
	gst_life_of(gst_process_hidden(g)->fd[SHR_FD_LIFE]);
}

int gst_life_open(struct gst_hidden *in, int is_shared)
{
	char path[PATH_BYTES];
	struct gst_text text;
	int at = SHR_FD_LIFE;
	long fd;

	for (int i = SHR_N_FDS; is_shared && at == SHR_FD_LIFE; i++) {
		if (i == GST_N_HIDDEN)
			return -1;
		if (in->fd[i] < 0)
			at = i;
	}
	gst_text_start(&text, path, sizeof(path));
	gst_text_add(&text, "/proc/self/fd/");
	gst_text_dec(&text, in->fd[SHR_FD_LIFE]);
	fd = SYS3(open, path, O_NONBLOCK_FLAG | (is_shared ? O_CLOEXEC_FLAG : 0), 0);
	if (fd < 0)
		return -1;
	if (!is_shared) {
		if (SYS3(dup3, fd, in->fd[at], 0) < 0)
			at = -1;
		SYS1(close, fd);
	} else {
		in->fd[at] = gst_hidden_up((int)fd);
		SYS3(fcntl, in->fd[at], F_SETFD_NR, 1);
		gst_table_note(in);
	}
	if (at >= 0)
		gst_life_of(in->fd[at]);
	return at;
}

void gst_life_close(struct gst_hidden *in, int at)
{
	SYS1(close, in->fd[at]);
	in->fd[at] = -1;
	gst_table_note(in);
}

void gst_life_close_others(struct gst_hidden *h)
{
	for (int i = SHR_N_FDS; i < GST_N_HIDDEN; i++)
		if (h->fd[i] >= 0)
			gst_life_close(h, i);
}

/* ---- directories of /proc and /sys ----------------------------------------------------------- */

/* Returns 1 if the program must not see this name in the directory at `path`. */
static int is_unseen(const struct gst *g, const char *path, const char *name)
{
	const char *own = gst_proc_own_part(g, path);
	char full[128];
	struct gst_text t;

	if (own && (gst_equal(own, "fd") || gst_equal(own, "fdinfo")))
		return *name >= '0' && *name <= '9' && gst_is_hidden(g, gst_number(name));
	if (!own && *name >= '0' && *name <= '9' && gst_proc_other_hides(path, gst_number(name)))
		return 1;
	gst_text_start(&t, full, sizeof(full));
	gst_text_add(&t, path);
	gst_text_add(&t, "/");
	gst_text_add(&t, name);
	return gst_machine_lacks(g, full);
}

/* Entries of getdents64 or (is_old) getdents lie back to back: size at 16, name at 19 or 18.
 * Take out the names that the program must not see in the directory at `path`. Returns the bytes
 * left. */
static long take_out(const struct gst *g, const char *path, uint64_t at, long bytes, int is_old)
{
	uint64_t from = at, to = at, end = at + (uint64_t)bytes;
	uint8_t entry[64];

	while (end - from >= 24) {
		uint64_t room = end - from < sizeof(entry) ? end - from : sizeof(entry);
		const char *name = (const char *)entry + (is_old ? 18 : 19);
		uint16_t size;

		if (gst_copy_in(entry, from, room))
			break;
		memcpy(&size, entry + 16, 2);
		if (size < 24 || size > end - from)
			break;
		entry[sizeof(entry) - 1] = 0;
		if (!is_unseen(g, path, name)) {
			if (to != from && (size > sizeof(entry) || gst_copy_out(to, entry, size)))
				break;
			to += size;
		}
		from += size;
	}
	return (long)(to - at);
}

long gst_call_getdents(struct gst *g, const uint64_t *a)
{
	char path[64];

	for (;;) {
		long ret = gst_call_pass(g, a);

		if (ret <= 0 || !gst_proc_path((int)a[0], path, sizeof(path)))
			return ret;
		ret = take_out(g, path, a[1], ret, a[-1] == __NR_getdents);
		if (ret > 0)
			return ret; /* nothing left is not the end: go on */
	}
}
