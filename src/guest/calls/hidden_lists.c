/* hidden_lists.c -- the runtime's descriptors where the program names descriptors in memory; see
 * hidden.h. */
#include <linux/poll.h>

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define MOST_ENTRIES	    0x100000u
#define SOL_SOCKET_NR	    1
#define SCM_RIGHTS_NR	    1
#define SOCKETCALL_SENDMSG  16
#define SOCKETCALL_SENDMMSG 20
#define MOST_MESSAGES	    1024u /* the kernel takes no more at once */
#define MOST_CONTROL	    0x10000u

/* poll: make hidden descriptors among the n entries at `at` negative, so that the kernel passes
 * over them. With is_back, after the call: put them back, with POLLNVAL. Returns how many there
 * are. */
static long turn(struct gst *g, uint64_t at, uint32_t n, int is_back)
{
	struct pollfd p;
	long found = 0;

	for (uint32_t i = 0; i < n && gst_copy_in(&p, at + i * sizeof(p), sizeof(p)) == 0; i++) {
		if (!gst_is_hidden(g, (uint32_t)(is_back ? ~p.fd : p.fd)))
			continue;
		p.fd = ~p.fd;
		p.revents = is_back ? POLLNVAL : 0;
		if (gst_copy_out(at + i * sizeof(p), &p, sizeof(p)))
			break;
		found++;
	}
	return found;
}

static long poll_lists(struct gst *g, const uint64_t *a)
{
	const uint32_t n = (uint32_t)a[1];
	long ret;

	if (n > MOST_ENTRIES || !turn(g, a[0], n, 0))
		return GST_NOT_LISTED;
	ret = SYS3(poll, a[0], n, 0); /* a descriptor that is not open is an answer */
	return turn(g, a[0], n, 1) + (ret > 0 ? ret : 0);
}

/* select: -EBADF if a hidden descriptor below n is in one of the three sets, else
 * GST_NOT_LISTED. */
static long select_lists(const struct gst *g, uint32_t n, const uint64_t *set)
{
	int hidden;

	for (unsigned i = 0; (hidden = gst_hidden_nth(g, i)) != GST_NO_MORE; i++) {
		const uint32_t fd = (uint32_t)hidden;
		uint8_t byte;

		for (int k = 0; k < 3; k++) {
			if (fd < n && set[k] && gst_copy_in(&byte, set[k] + fd / 8, 1) == 0 &&
			    (byte >> fd % 8 & 1))
				return -EBADF;
		}
	}
	return GST_NOT_LISTED;
}

static long select_old_lists(const struct gst *g, uint64_t at)
{
	uint32_t word[4];
	uint64_t set[3];

	if (gst_copy_in(word, at, sizeof(word)))
		return GST_NOT_LISTED;
	for (int k = 0; k < 3; k++)
		set[k] = word[1 + k];
	return select_lists(g, word[0], set);
}

/* sendmsg: -EBADF if it sends a hidden descriptor, else GST_NOT_LISTED. */
static long message_lists(const struct gst *g, uint64_t message)
{
	const unsigned word = gst_call_word(g), head = word + 8; /* bytes, level, type */
	uint64_t at = gst_call_word_at(g, message, 4), end = at + gst_call_word_at(g, message, 5);

	if (end - at > MOST_CONTROL)
		return GST_NOT_LISTED;
	while (at && at + head <= end) {
		const uint64_t bytes = gst_call_word_at(g, at, 0);
		int32_t kind[2], fd;

		if (bytes < head || bytes > end - at || gst_copy_in(kind, at + word, sizeof(kind)))
			break;
		for (uint64_t k = head;
		     kind[0] == SOL_SOCKET_NR && kind[1] == SCM_RIGHTS_NR && k + 4 <= bytes;
		     k += 4) {
			if (gst_copy_in(&fd, at + k, 4) == 0 && gst_is_hidden(g, (uint32_t)fd))
				return -EBADF;
		}
		at += (bytes + word - 1) & ~(uint64_t)(word - 1);
	}
	return GST_NOT_LISTED;
}

/* sendmmsg: send the messages before the first that sends a hidden descriptor, as if that message
 * had failed. */
static long messages_lists(struct gst *g, uint64_t fd, uint64_t list, uint64_t n, uint64_t flags,
			   uint64_t number)
{
	/* struct mmsghdr: a message, and how many bytes of it were sent */
	const uint64_t bytes = 8u * gst_call_word(g);
	uint64_t words[7] = {number, fd, list, 0, flags, 0, 0};

	if (n > MOST_MESSAGES)
		n = MOST_MESSAGES;
	while (words[3] < n && message_lists(g, list + words[3] * bytes) == GST_NOT_LISTED)
		words[3]++;
	if (words[3] == n)
		return GST_NOT_LISTED;
	return words[3] ? gst_call_wait(g, words + 1) : -EBADF;
}

static long socketcall_lists(struct gst *g, uint64_t which, uint64_t at)
{
	if (which == SOCKETCALL_SENDMSG)
		return message_lists(g, gst_call_word_at(g, at, 1));
	if (which == SOCKETCALL_SENDMMSG)
		return messages_lists(g, gst_call_word_at(g, at, 0), gst_call_word_at(g, at, 1),
				      gst_call_word_at(g, at, 2), gst_call_word_at(g, at, 3),
				      NR32_sendmmsg);
	return GST_NOT_LISTED;
}

long gst_hidden_lists(struct gst *g, const uint64_t *a)
{
	if (g->t->call_like == GST_NO_LIKE) {
		switch (g->t->call_number) {
		case NR32_select: return select_old_lists(g, a[0]);
		case NR32__newselect:
		case NR32_pselect6:
		case NR32_pselect6_time64: return select_lists(g, (uint32_t)a[0], a + 1);
		case NR32_sendmsg: return message_lists(g, a[1]);
		case NR32_sendmmsg:
			return messages_lists(g, a[0], a[1], (uint32_t)a[2], a[3], a[-1]);
		case NR32_socketcall: return socketcall_lists(g, a[0], a[1]);
		case NR32_ppoll: return poll_lists(g, a);
		default: return GST_NOT_LISTED;
		}
	}
	switch (g->t->call_like) {
	case __NR_poll:
	case __NR_ppoll: return poll_lists(g, a);
	case __NR_select:
	case __NR_pselect6: return select_lists(g, (uint32_t)a[0], a + 1);
	case __NR_sendmsg: return message_lists(g, a[1]);
	case __NR_sendmmsg: return messages_lists(g, a[0], a[1], (uint32_t)a[2], a[3], a[-1]);
	default: return GST_NOT_LISTED;
	}
}
