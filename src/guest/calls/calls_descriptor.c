/* calls_descriptor.c -- system calls that close, copy and change descriptors. They do not reach the
 * runtime's own (files/hidden.h), and an event ends with its last descriptor (perf/perf_event.h).
 */
#include <linux/close_range.h>
#include <linux/sched.h>

#include "guest/call.h"
#include "guest/files/hidden.h"
#include "guest/files/table.h"
#include "guest/gst.h"
#include "guest/memory/copy.h"

#define F_SETFL_NR	      4
#define SOCKETCALL_SOCKET     1
#define SOCKETCALL_SOCKETPAIR 8

/* In pieces around the hidden ones. */
static long close_pieces(struct gst *g, uint32_t lo, uint32_t hi, uint64_t flags)
{
	for (;;) {
		uint32_t end = hi;
		int hidden;
		long ret;

		while (gst_is_hidden(g, lo)) {
			if (lo++ == hi)
				return 0;
		}
		for (unsigned n = 0; (hidden = gst_hidden_nth(g, n)) != GST_NO_MORE; n++)
			if (hidden >= 0 && (uint32_t)hidden > lo && (uint32_t)hidden <= end)
				end = (uint32_t)hidden - 1;
		ret = SYS3(close_range, lo, end, flags);
		if (ret || end == hi)
			return ret;
		lo = end + 1;
	}
}

long gst_call_close_range(struct gst *g, const uint64_t *a)
{
	static const uint64_t files[6] = {CLONE_FILES};
	const uint32_t lo = (uint32_t)a[0], hi = (uint32_t)a[1];
	struct gst_table_hold hold;
	long ret = 0;

	if (lo > hi || (a[2] & ~(uint64_t)(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)))
		return -EINVAL;
	if (a[2] & CLOSE_RANGE_UNSHARE)
		ret = gst_call_unshare(g, files);
	if (ret)
		return ret;
	hold = gst_table_hold(g);
	ret = close_pieces(g, lo, hi, a[2] & ~(uint64_t)CLOSE_RANGE_UNSHARE);
	gst_table_let_go(hold);
	if (g->ctl->start.has_perf == SHR_PERF_USED && !(a[2] & CLOSE_RANGE_CLOEXEC))
		gst_event_closed(g);
	return ret;
}

long gst_call_close(struct gst *g, const uint64_t *a)
{
	const int was_event = gst_is_event(g, a[0]);
	const struct gst_table_hold hold = gst_table_hold(g);
	const long ret = hold.table && gst_is_hidden(g, a[0]) ? -EBADF : gst_call_pass(g, a);

	gst_table_let_go(hold);
	if (was_event && !ret)
		gst_event_closed(g);
	return ret;
}

long gst_call_dup(struct gst *g, const uint64_t *a)
{
	struct gst_table_hold hold;
	int was_event;
	long ret;

	if (a[-1] == __NR_dup)
		return gst_call_pass(g, a);
	was_event = gst_is_event(g, a[1]);
	hold = gst_table_hold(g);
	ret = gst_hidden_move(g, a[1]);
	if (!ret)
		ret = gst_call_pass(g, a);
	gst_table_let_go(hold);
	if (was_event && ret >= 0)
		gst_event_closed(g);
	return ret;
}

/* socketcall(call, arguments): all but those that make sockets begin with a descriptor. */
long gst_call_socketcall(struct gst *g, const uint64_t *a)
{
	uint32_t fd;

	if (a[0] != SOCKETCALL_SOCKET && a[0] != SOCKETCALL_SOCKETPAIR) {
		if (gst_copy_in(&fd, a[1], sizeof(fd)))
			return -EFAULT;
		if (gst_is_hidden(g, fd))
			return -EBADF;
	}
	return gst_call_wait(g, a);
}

long gst_call_fcntl(struct gst *g, const uint64_t *a)
{
	long ret = gst_call_wait(g, a);

	if (ret == 0 && a[1] == F_SETFL_NR)
		gst_event_flags(g, a[0], a[2]);
	return ret;
}
