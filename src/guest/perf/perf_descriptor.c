/* perf_descriptor.c -- what a kernel says of an event's descriptor, where it would say something
 * else of a socket.
 *
 * MODELLED       fstat(2) and its like, also of /proc/PID/fd/N of any process of the run, by
 *                whatever way, and what that leads to: a file without a name or a type, with the
 *                facts that this kernel has for all of them. Calls for sockets (ENOTSOCK),
 *                writes, requests to devices. An event without a ring, its own or another's, has
 *                hung up for poll(2), select(2) and epoll_wait(2).
 * NOT MODELLED   an event without a ring that select(2) is asked about for writing alone; what a
 *                process outside of the run sees.
 */
#include <linux/fcntl.h>

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/perf/perf_event.h"

#define AT_NOFOLLOW   0x100ull
#define AT_EMPTY      0x1000ull
#define LINK_BYTES    40u
#define S_IFMT_BITS   0170000u
#define S_IFSOCK_BITS 0140000u
#define CLOEXEC	      02000000
#define IN_BITS	      0xd9 /* of struct pollfd: what select(2) calls readable, */
#define OUT_BITS      0x30c
#define PRI_BITS      2
#define HUP_BIT	      0x10
#define MOST_SELECTED 1024u
static const uint32_t any_request[] = {0x5450, 0x5451, 0x5421, 0x5452};

static int is_used(const struct gst *g)
{
	return g->ctl->start.has_perf == SHR_PERF_USED;
}

/* ---- links of /proc -------------------------------------------------------------------------- */

#define SOCKET_LINK	  "socket:["
#define SOCKET_LINK_BYTES 8u

int gst_event_is_linked(struct gst *g, int32_t directory, uint64_t path, uint64_t told, long bytes)
{
	char link[LINK_BYTES];
	const size_t n = bytes < (long)SOCKET_LINK_BYTES ? (size_t)bytes : SOCKET_LINK_BYTES;

	if (!g->ctl->start.has_perf || bytes <= 0 || gst_copy_in(link, told, n) ||
	    memcmp(link, SOCKET_LINK, n))
		return 0;
	/* the text may have been cut at the end of the program's buffer */
	bytes = SYS4(readlinkat, directory, path, link, sizeof(link) - 1);
	link[bytes > 0 ? bytes : 0] = 0;
	return gst_begins(link, SOCKET_LINK) &&
	       gst_event_knows(g, gst_number(link + SOCKET_LINK_BYTES));
}

/* Returns 1 if the path may name a descriptor: its last part is digits, and it lies in /proc,
 * /dev/fd or a directory that was opened before. */
static int is_number(const char *path)
{
	const char *p = path, *name = path;

	if (path[0] == '/' && !gst_begins(path, "/proc/") && !gst_begins(path, "/dev/fd/"))
		return 0;
	for (; *p; p++)
		if (*p == '/')
			name = p + 1;
	for (p = name; *p >= '0' && *p <= '9';)
		p++;
	return p > name && !*p;
}

/* Returns 1 if the path leads to an event of the run. */
static int leads_to_event(struct gst *g, int32_t directory, uint64_t path)
{
	uint64_t st[18];

	return !SYS4(newfstatat, directory, path, st, 0) &&
	       ((uint32_t)st[3] & S_IFMT_BITS) == S_IFSOCK_BITS && gst_event_knows(g, st[1]);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* How a call names the file that it asks about. */
enum how { BY_NONE, BY_FD, BY_PATH, BY_BOTH };

static enum how names_file(const struct gst *g, const uint64_t *words, uint64_t *flags)
{
	*flags = 0;
	if (g->t->call_like == GST_NO_LIKE)
		switch (g->t->call_number) {
		case NR32_oldfstat:
		case NR32_fstat:
		case NR32_fstat64: return BY_FD;
		case NR32_oldstat:
		case NR32_stat:
		case NR32_stat64: return BY_PATH;
		case NR32_fstatat64: *flags = words[4]; return BY_BOTH;
		default: return BY_NONE;
		}
	switch (g->t->call_like) {
	case __NR_fstat: return BY_FD;
	case __NR_stat: return BY_PATH;
	case __NR_newfstatat: *flags = words[4]; return BY_BOTH;
	case __NR_statx: *flags = words[3]; return BY_BOTH;
	default: return BY_NONE;
	}
}

/* How the call names an event's file, if it asks for facts of one; *at: by which argument. */
static enum how names_event(struct gst *g, uint64_t *words, uint64_t **at)
{
	uint64_t flags;
	enum how how = g->ctl->start.has_perf ? names_file(g, words, &flags) : BY_NONE;
	char path[64];

	*at = &words[how == BY_BOTH ? 2 : 1];
	if (how == BY_PATH || how == BY_BOTH) {
		if (gst_copy_text(path, **at, sizeof(path)) < 0)
			return BY_NONE;
		if (path[0]) {
			const int32_t directory = how == BY_BOTH ? (int32_t)words[1] : AT_FDCWD;

			return !(flags & AT_NOFOLLOW) && is_number(path) &&
				       leads_to_event(g, directory, **at)
				   ? BY_PATH
				   : BY_NONE;
		}
		how = how == BY_BOTH && flags & AT_EMPTY ? BY_FD : BY_NONE;
		*at = &words[1];
	}
	return how == BY_FD && gst_is_event(g, words[1]) ? BY_FD : BY_NONE;
}

int gst_event_shown(struct gst *g, uint64_t *words)
{
	char *to = g->layout.is_32 ? (char *)gst_low_path(g) : g->path;
	uint64_t *at;
	struct gst_text t;
	int other;
	const enum how how = names_event(g, words, &at);

	if (how == BY_NONE)
		return -1;
	other = (int)SYS2(eventfd2, 0, CLOEXEC);
	if (other < 0)
		return -1; /* no room for it: the socket is seen */
	*at = (uint64_t)other;
	if (how == BY_FD)
		return other;
	gst_text_start(&t, to, LINK_BYTES);
	gst_text_add(&t, "/proc/self/fd/");
	gst_text_dec(&t, other);
	*at = (uint64_t)to;
	return other;
}

void gst_event_unshown(int fd)
{
	if (fd >= 0)
		SYS1(close, fd);
}

/* ---- waits ----------------------------------------------------------------------------------- */

/* Returns 1 if fd is an event without a ring, for which poll(2) never reports data. */
static int is_ringless(struct gst *g, int32_t fd)
{
	return fd >= 0 && gst_is_event(g, (uint64_t)fd) && !gst_event_has_ring(g, (uint64_t)fd);
}

/* Returns what poll(2) reports for fd now. */
static int16_t ready(struct gst *g, int32_t fd, int16_t events)
{
	struct gst_poll p = {.fd = fd, .events = events};

	if (is_ringless(g, fd)) {
		gst_event_drain((uint64_t)fd);
		return HUP_BIT;
	}
	SYS3(poll, &p, 1, 0);
	return p.revents;
}

/* One of them has hung up, so that the call returns at once. */
static long poll_now(struct gst *g, uint64_t list, uint64_t n)
{
	struct gst_poll p;
	int has_hung_up = 0;
	long sum = 0;

	for (uint64_t i = 0;
	     i < n && !has_hung_up && !gst_copy_in(&p, list + i * sizeof(p), sizeof(p)); i++)
		has_hung_up = is_ringless(g, p.fd);
	for (uint64_t i = 0; i < n && has_hung_up; i++) {
		if (gst_copy_in(&p, list + i * sizeof(p), sizeof(p)))
			return -EFAULT;
		p.revents = ready(g, p.fd, p.events);
		sum += p.revents != 0;
		if (gst_copy_out(list + i * sizeof(p), &p, sizeof(p)))
			return -EFAULT;
	}
	return has_hung_up ? sum : GST_NO_EVENT;
}

static long select_now(struct gst *g, uint64_t n, const uint64_t *sets)
{
	static const int16_t bits[3] = {IN_BITS, OUT_BITS, PRI_BITS};
	uint8_t set[3][MOST_SELECTED / 8] = {{0}};
	const uint64_t word = gst_call_word(g), bytes = (n + 8 * word - 1) / (8 * word) * word;
	int has_hung_up = 0;
	long sum = 0;

	if (n > MOST_SELECTED)
		return GST_NO_EVENT;
	for (unsigned k = 0; k < 3; k++)
		if (sets[k] && gst_copy_in(set[k], sets[k], bytes))
			return -EFAULT;
	for (uint64_t fd = 0; fd < n && !has_hung_up; fd++)
		has_hung_up = set[0][fd / 8] >> fd % 8 & 1 && is_ringless(g, (int32_t)fd);
	if (!has_hung_up)
		return GST_NO_EVENT;
	for (uint64_t fd = 0; fd < n; fd++) {
		const uint8_t bit = (uint8_t)(1u << fd % 8),
			      any = (set[0][fd / 8] | set[1][fd / 8] | set[2][fd / 8]) & bit;
		const int16_t is = any ? ready(g, (int32_t)fd, IN_BITS | OUT_BITS | PRI_BITS) : 0;

		for (unsigned k = 0; k < 3; k++) {
			if (!(is & bits[k]))
				set[k][fd / 8] &= (uint8_t)~bit;
			sum += (set[k][fd / 8] & bit) != 0;
		}
	}
	for (unsigned k = 0; k < 3; k++)
		if (sets[k] && gst_copy_out(sets[k], set[k], bytes))
			return -EFAULT;
	return sum;
}

/* epoll_wait: add the events of this epoll instance that have hung up after the entries that the
 * kernel returned. */
static long epoll_now(struct gst *g, int32_t epoll, uint64_t list, uint64_t n)
{
	struct gst_event_watch *w, *end = g->events.watch + GST_EVENT_WATCHES;
	struct {
		uint32_t events;
		uint64_t data;
	} __attribute__((packed)) hung_up = {.events = HUP_BIT};
	long sum = -1;

	for (w = g->events.watch; w < end; w++) {
		if (!w->is_used || w->epoll != epoll || (w->is_once && w->is_told) ||
		    gst_event_key(g, (uint32_t)w->fd) != w->key ||
		    gst_event_has_ring(g, (uint32_t)w->fd))
			continue;
		if (sum < 0)
			sum = SYS4(epoll_wait, epoll, list, n, 0);
		if (sum < 0)
			return sum;
		if ((uint64_t)sum >= n)
			break;
		hung_up.data = w->data;
		if (gst_copy_out(list + (uint64_t)sum * sizeof(hung_up), &hung_up, sizeof(hung_up)))
			return -EFAULT;
		w->is_told = 1;
		sum++;
	}
	return sum < 0 ? GST_NO_EVENT : sum;
}

/* ---- what it is not -------------------------------------------------------------------------- */

static long no_socket(struct gst *g, uint64_t fd)
{
	return gst_is_event(g, fd) ? -ENOTSOCK : GST_NO_EVENT;
}

static long request(struct gst *g, uint64_t fd, uint32_t what)
{
	for (unsigned i = 0; i < sizeof(any_request) / sizeof(any_request[0]); i++)
		if (what == any_request[i])
			return GST_NO_EVENT;
	return (what & 0xff00) != 0x2400 && gst_is_event(g, fd) ? -ENOTTY : GST_NO_EVENT;
}

static long first32(struct gst *g, const uint64_t *words)
{
	uint32_t fd;

	switch (g->t->call_number) {
	case NR32_getsockopt:
	case NR32_setsockopt: return no_socket(g, words[1]);
	case NR32_socketcall: /* all but socket() and socketpair() begin with a descriptor */
		return words[1] == 1 || words[1] == 8 || gst_copy_in(&fd, words[2], sizeof(fd))
			   ? GST_NO_EVENT
			   : no_socket(g, fd);
	case NR32_ioctl: return request(g, words[1], (uint32_t)words[2]);
	case NR32_ppoll: return poll_now(g, words[1], words[2]);
	case NR32__newselect:
	case NR32_pselect6:
	case NR32_pselect6_time64: return select_now(g, words[1], words + 2);
	default: return GST_NO_EVENT;
	}
}

long gst_event_first(struct gst *g, const uint64_t *words)
{
	const uint64_t like = gst_call_acts_like(g, words[0]);

	if (!is_used(g))
		return GST_NO_EVENT;
	switch (like) {
	case __NR_sendto:
	case __NR_recvfrom:
	case __NR_sendmsg:
	case __NR_recvmsg:
	case __NR_sendmmsg:
	case __NR_recvmmsg:
	case __NR_getsockname:
	case __NR_getpeername:
	case __NR_getsockopt:
	case __NR_setsockopt:
	case __NR_connect:
	case __NR_bind:
	case __NR_listen:
	case __NR_accept:
	case __NR_accept4:
	case __NR_shutdown: return no_socket(g, words[1]);
	case __NR_writev: return gst_is_event(g, words[1]) ? -EINVAL : GST_NO_EVENT;
	case __NR_sendfile:
	case __NR_tee:
		return gst_is_event(g, words[1]) || gst_is_event(g, words[2]) ? -EINVAL
									      : GST_NO_EVENT;
	case __NR_splice:
		return gst_is_event(g, words[1]) || gst_is_event(g, words[3]) ? -EINVAL
									      : GST_NO_EVENT;
	case __NR_ioctl: return request(g, words[1], (uint32_t)words[2]);
	case __NR_poll:
	case __NR_ppoll: return poll_now(g, words[1], words[2]);
	case __NR_select:
	case __NR_pselect6: return select_now(g, words[1], words + 2);
	case __NR_epoll_wait:
	case __NR_epoll_pwait:
	case __NR_epoll_pwait2:
		return epoll_now(g, (int32_t)words[1], words[2], (uint32_t)words[3]);
	case GST_NO_LIKE: return first32(g, words);
	default: return GST_NO_EVENT;
	}
}
