/* narrow_vector.c -- i386 calls with vectors and messages, and those of sockets, on a kernel
 * without INT 80h. Rules: narrow.h.
 *
 * LIMITS  Of a vector the first MOST_PARTS parts are done, of several messages the first one, of
 *         ancillary data MOST_CONTROL bytes: a short answer, which a program must expect.
 */
#include "guest/narrow/narrow.h"

#include "guest/memory/copy.h"

#define MOST_PARTS	256u
#define MOST_CONTROL	1024u
#define UIO_MAX		1024u
#define SOL_SOCKET_CODE 1
#define RECEIVE_TIMEOUT 20u /* with a time of 32 bits, and the one for sending behind it */
#define FILTERS		26u /* a number and a pointer of a program */
#define FILTERS_SHARED	51u
#define MANY_BYTES	32u /* struct mmsghdr: a message and a length */
#define CTRUNC_FLAG	8u

struct part {
	uint64_t at, bytes;
};

/* Returns how many parts were taken, or an error. */
static long take_parts(struct part *to, uint64_t from, uint64_t number)
{
	uint32_t narrow[2];

	if (number > UIO_MAX)
		return -EINVAL;
	if (number > MOST_PARTS)
		number = MOST_PARTS;
	for (uint64_t i = 0; i < number; i++) {
		if (gst_copy_in(narrow, from + i * sizeof(narrow), sizeof(narrow)))
			return -EFAULT;
		if ((int32_t)narrow[1] < 0)
			return -EINVAL;
		to[i] = (struct part){narrow[0], narrow[1]};
	}
	return (long)number;
}

/* A call whose second and third argument are a vector. */
static long by_parts(const struct gst_narrow *n, uint64_t number, uint64_t d, uint64_t e,
		     uint64_t f)
{
	struct part parts[MOST_PARTS];
	const long taken = take_parts(parts, n->a[1], (uint32_t)n->a[2]);

	if (taken < 0)
		return taken;
	return gst_narrow_make(n, number, n->a[0], (uint64_t)parts, (uint64_t)taken, d, e, f);
}

static long other_memory(const struct gst_narrow *n, uint64_t number)
{
	struct part here[MOST_PARTS], there[MOST_PARTS];
	const long n_here = take_parts(here, n->a[1], (uint32_t)n->a[2]);
	const long n_there = take_parts(there, n->a[3], (uint32_t)n->a[4]);

	if (n_here < 0 || n_there < 0)
		return n_here < 0 ? n_here : n_there;
	return gst_narrow_make(n, number, n->a[0], (uint64_t)here, (uint64_t)n_here,
			       (uint64_t)there, (uint64_t)n_there, n->a[5]);
}

/* ---- messages -------------------------------------------------------------------------------- */

struct message32 {
	uint32_t name, name_bytes, parts, n_parts, control, control_bytes, flags;
};

struct message {
	uint64_t name;
	uint32_t name_bytes, pad;
	uint64_t parts, n_parts, control, control_bytes;
	uint32_t flags, pad2;
};

/* The head of ancillary data: bytes with the head, level, type; the data follows. */
#define HEAD32 12u
#define HEAD   16u

static long widen_control(uint8_t *to, uint64_t *bytes, uint64_t from, uint32_t from_bytes)
{
	uint8_t narrow[MOST_CONTROL];
	uint32_t length, at = 0;
	uint64_t out = 0;

	if (from_bytes > MOST_CONTROL)
		return -ENOBUFS;
	if (gst_copy_in(narrow, from, from_bytes))
		return -EFAULT;
	while (at + HEAD32 <= from_bytes) {
		memcpy(&length, narrow + at, 4);
		if (length < HEAD32 || length > from_bytes - at)
			return -EINVAL;
		const uint64_t wide = length - HEAD32 + HEAD;

		memcpy(to + out, &wide, 8);
		memcpy(to + out + 8, narrow + at + 4, 8);
		memcpy(to + out + HEAD, narrow + at + HEAD32, length - HEAD32);
		out += (wide + 7) & ~7ull;
		at += (length + 3) & ~3u;
	}
	*bytes = out;
	return 0;
}

/* Returns the bytes written, or -EFAULT. What has no room is left away, and flagged. */
static long narrow_control(uint64_t to, uint32_t room, const uint8_t *from, uint64_t bytes,
			   uint32_t *flags)
{
	uint8_t narrow[MOST_CONTROL];
	uint64_t at = 0, length;
	uint32_t out = 0;

	while (at + HEAD <= bytes) {
		memcpy(&length, from + at, 8);
		if (length < HEAD || length > bytes - at)
			break;
		const uint32_t small = (uint32_t)(length - HEAD + HEAD32);

		if (out + small > room || out + small > MOST_CONTROL) {
			*flags |= CTRUNC_FLAG;
			break;
		}
		memset(narrow + out, 0, (small + 3) & ~3u);
		memcpy(narrow + out, &small, 4);
		memcpy(narrow + out + 4, from + at + 8, 8);
		memcpy(narrow + out + HEAD32, from + at + HEAD, length - HEAD);
		out += (small + 3) & ~3u;
		at += (length + 7) & ~7ull;
	}
	out = out > room ? room : out;
	return gst_copy_out(to, narrow, out) ? -EFAULT : (long)out;
}

static long message_by(const struct gst_narrow *n, uint64_t number, uint64_t fd, uint64_t at,
		       uint64_t flags)
{
	/* ancillary data grows by 4 bytes and 4 of alignment for each 12 at least */
	uint8_t control[MOST_CONTROL * 2] __attribute__((aligned(8)));
	struct part parts[MOST_PARTS];
	struct message32 s;
	struct message w = {0};
	long ret;

	if (gst_copy_in(&s, at, sizeof(s)))
		return -EFAULT;
	ret = take_parts(parts, s.parts, s.n_parts);
	if (ret < 0)
		return ret == -EINVAL && s.n_parts > UIO_MAX ? -EMSGSIZE : ret;
	w = (struct message){.name = s.name,
			     .name_bytes = s.name_bytes,
			     .parts = (uint64_t)parts,
			     .n_parts = (uint64_t)ret,
			     .flags = s.flags};
	if (s.control && s.control_bytes) {
		w.control = (uint64_t)control;
		w.control_bytes = s.control_bytes > MOST_CONTROL ? sizeof(control)
								 : 2 * (uint64_t)s.control_bytes;
		ret = number == __NR_sendmsg
			  ? widen_control(control, &w.control_bytes, s.control, s.control_bytes)
			  : 0;
		if (ret)
			return ret;
	}
	ret = gst_narrow_make(n, number, fd, (uint64_t)&w, flags, 0, 0, 0);
	if (ret < 0 || number == __NR_sendmsg)
		return ret;
	s.flags = w.flags;
	s.name_bytes = w.name_bytes;
	if (w.control) {
		const long used =
		    narrow_control(s.control, s.control_bytes, control, w.control_bytes, &s.flags);

		if (used < 0)
			return used;
		s.control_bytes = (uint32_t)used;
	} else {
		s.control_bytes = 0;
	}
	return gst_copy_out(at, &s, sizeof(s)) ? -EFAULT : ret;
}

/* The first of several messages. */
static long first_message(const struct gst_narrow *n, uint64_t number, const uint64_t *a)
{
	uint32_t bytes;
	long ret;

	if (!(uint32_t)a[2])
		return 0;
	ret = message_by(n, number, a[0], a[1], a[3]);
	if (ret < 0)
		return ret;
	bytes = (uint32_t)ret;
	return gst_copy_out(a[1] + MANY_BYTES - 4, &bytes, sizeof(bytes)) ? -EFAULT : 1;
}

/* ---- options --------------------------------------------------------------------------------- */

static int is_time(const uint64_t *a)
{
	return (int32_t)a[1] == SOL_SOCKET_CODE && (a[2] | 1) == (RECEIVE_TIMEOUT | 1);
}

static long set_option(const struct gst_narrow *n, const uint64_t *a)
{
	int32_t narrow[2];
	int64_t wide[2];

	if ((int32_t)a[1] == SOL_SOCKET_CODE && (a[2] == FILTERS || a[2] == FILTERS_SHARED)) {
		if (a[4] != sizeof(narrow))
			return -EINVAL;
		if (gst_copy_in(narrow, a[3], sizeof(narrow)))
			return -EFAULT;
		wide[0] = (uint16_t)narrow[0];
		wide[1] = (uint32_t)narrow[1];
		return gst_narrow_make(n, __NR_setsockopt, a[0], a[1], a[2], (uint64_t)wide,
				       sizeof(wide), 0);
	}
	if (!is_time(a))
		return gst_narrow_make(n, __NR_setsockopt, a[0], a[1], a[2], a[3], a[4], 0);
	if (a[4] < sizeof(narrow))
		return -EINVAL;
	if (gst_narrow_take_words(wide, a[3], GST_NARROW_TIME_WORDS))
		return -EFAULT;
	return gst_narrow_make(n, __NR_setsockopt, a[0], a[1], a[2], (uint64_t)wide, sizeof(wide),
			       0);
}

static long get_option(const struct gst_narrow *n, const uint64_t *a)
{
	int64_t wide[2] = {0};
	int32_t narrow[2];
	uint32_t bytes = sizeof(wide), room;
	long ret;

	if (!is_time(a))
		return gst_narrow_make(n, __NR_getsockopt, a[0], a[1], a[2], a[3], a[4], 0);
	if (gst_copy_in(&room, a[4], sizeof(room)))
		return -EFAULT;
	ret = gst_narrow_make(n, __NR_getsockopt, a[0], a[1], a[2], (uint64_t)wide,
			      (uint64_t)&bytes, 0);
	if (ret)
		return ret;
	narrow[0] = (int32_t)wide[0];
	narrow[1] = (int32_t)wide[1];
	if (room > sizeof(narrow))
		room = sizeof(narrow);
	return gst_copy_out(a[3], narrow, room) || gst_copy_out(a[4], &room, sizeof(room)) ? -EFAULT
											   : 0;
}

/* socketcall(call, arguments): one call for all of sockets, which have numbers of their own here.
 */
static long socket_call(const struct gst_narrow *n)
{
	static const struct {
		uint16_t number;
		uint8_t n_args;
	} calls[] = {{0, 0},
		     {__NR_socket, 3},
		     {__NR_bind, 3},
		     {__NR_connect, 3},
		     {__NR_listen, 2},
		     {__NR_accept, 3},
		     {__NR_getsockname, 3},
		     {__NR_getpeername, 3},
		     {__NR_socketpair, 4},
		     {__NR_sendto, 4}, /* send, recv: without an address */
		     {__NR_recvfrom, 4},
		     {__NR_sendto, 6},
		     {__NR_recvfrom, 6},
		     {__NR_shutdown, 2},
		     {__NR_setsockopt, 5},
		     {__NR_getsockopt, 5},
		     {__NR_sendmsg, 3},
		     {__NR_recvmsg, 3},
		     {__NR_accept4, 4},
		     {__NR_recvmmsg, 5},
		     {__NR_sendmmsg, 4}};
	uint32_t narrow[6] = {0};
	uint64_t a[6] = {0};
	const uint64_t call = n->a[0];

	if (call < 1 || call >= sizeof(calls) / sizeof(calls[0]))
		return -EINVAL;
	if (gst_copy_in(narrow, n->a[1], 4u * calls[call].n_args))
		return -EFAULT;
	for (unsigned i = 0; i < 6; i++)
		a[i] = narrow[i];
	switch (calls[call].number) {
	case __NR_setsockopt: return set_option(n, a);
	case __NR_getsockopt: return get_option(n, a);
	case __NR_sendmsg:
	case __NR_recvmsg: return message_by(n, calls[call].number, a[0], a[1], a[2]);
	case __NR_recvmmsg: return first_message(n, __NR_recvmsg, a);
	case __NR_sendmmsg: return first_message(n, __NR_sendmsg, a);
	default: return gst_narrow_make(n, calls[call].number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

long gst_narrow_vector(const struct gst_narrow *n)
{
	const uint64_t *a = n->a;

	switch (n->number) {
	case NR32_readv: return by_parts(n, __NR_readv, 0, 0, 0);
	case NR32_writev: return by_parts(n, __NR_writev, 0, 0, 0);
	case NR32_preadv: return by_parts(n, __NR_preadv, gst_narrow_pair(a + 3), 0, 0);
	case NR32_pwritev: return by_parts(n, __NR_pwritev, gst_narrow_pair(a + 3), 0, 0);
	case NR32_preadv2: return by_parts(n, __NR_preadv2, gst_narrow_pair(a + 3), 0, a[5]);
	case NR32_pwritev2: return by_parts(n, __NR_pwritev2, gst_narrow_pair(a + 3), 0, a[5]);
	case NR32_vmsplice: return by_parts(n, __NR_vmsplice, a[3], 0, 0);
	case NR32_process_madvise: return by_parts(n, __NR_process_madvise, a[3], a[4], 0);
	case NR32_process_vm_readv: return other_memory(n, __NR_process_vm_readv);
	case NR32_process_vm_writev: return other_memory(n, __NR_process_vm_writev);
	case NR32_sendmsg: return message_by(n, __NR_sendmsg, a[0], a[1], a[2]);
	case NR32_recvmsg: return message_by(n, __NR_recvmsg, a[0], a[1], a[2]);
	case NR32_sendmmsg: return first_message(n, __NR_sendmsg, a);
	case NR32_recvmmsg:
	case NR32_recvmmsg_time64: return first_message(n, __NR_recvmsg, a);
	case NR32_setsockopt: return set_option(n, a);
	case NR32_getsockopt: return get_option(n, a);
	case NR32_socketcall: return socket_call(n);
	default: return -ENOSYS;
	}
}
