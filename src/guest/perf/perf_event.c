/* perf_event.c -- perf_event_open and what is done with its descriptors: asked of softpmu
 * (REQ_PERF).
 *
 * MODELLED       src/perfev: everything that counts is there.
 * RULE           records are shown with each question, so that counts end at the system call
 *                that asks.
 */
#include "guest/perf/perf_event.h"

#include <linux/prctl.h>

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/stream/receive.h"
#include "guest/gst.h"
#include "guest/signals/signal.h"

#define S_IFMT_BITS	  0170000u
#define S_IFSOCK_BITS	  0140000u
#define F_GETFD_NR	  1
#define F_SETFD_NR	  2
#define FD_CLOEXEC_FLAG	  8u /* PERF_FLAG_FD_CLOEXEC */
#define ATTR_BYTES_FIRST  64u
#define IOC_TYPE_MASK	  0xff00u
#define IOC_TYPE	  0x2400u
#define IOC_PERIOD	  0x40082404u
#define IOC_SET_OUTPUT	  0x2405u
#define IOC_ID		  0x80082407u
#define IOC_FILTER	  0x40082406u
#define IOC_BPF		  0x40042408u
#define IOC_QUERY	  0xc008240au
#define IOC_MODIFY	  0x4008240bu
#define IOC_SIZE_MASK	  0x3fff0000u
#define IOC_SIZE_32	  0x00040000u
#define IOC_SIZE_64	  0x00080000u
#define PERF_FLAGS_ALL	  15u
#define MSG_DONTWAIT_FLAG 0x40
#define O_ASYNC_FLAG	  020000u
#define POLL_IN_CODE	  1
#define POLL_HUP_CODE	  6
#define POLL_HUP_BAND	  0x10

/* Every answer says how far the program may run before the next overflow, and whether an event has
 * ended: take both over. */
static void take_credit(struct gst *g)
{
	const struct req_box *b = &g->ctl->req;
	uint64_t credit = b->result[2];

	if (credit & REQ_CREDIT_BREAK) /* not for a program that steps itself */
		credit = g->t->tf ? credit & ~REQ_CREDIT_BREAK : (uint64_t)REQ_CREDIT_BYTES;
	g->events.is_armed = credit != REQ_CREDIT_FREE;
	g->events.steps = (uint32_t)credit == REQ_CREDIT_STEP;
	g->events.more = g->events.steps ? credit >> REQ_CREDIT_MORE_SHIFT : 0;
	g->events.limit =
	    !g->events.steps && credit >= REQ_CREDIT_BYTES ? g->ring.at + credit : ~0ull;
	if (b->result[3])
		g->events.ended = b->result[3];
	if (g->events.is_armed)
		gst_stop_limit(g);
	gst_event_traps(g);
}

static long ask_perf(struct gst *g, uint64_t op, uint64_t key, uint64_t x, uint64_t y)
{
	struct req_box *b;

	b = gst_ask_box(g);
	gst_ring_with(g, b);
	b->arg[0] = op;
	b->arg[1] = key;
	b->arg[2] = x;
	b->arg[3] = y;
	if (gst_ask(g, REQ_PERF) != REQ_OK)
		return -EINVAL;
	take_credit(g);
	return (long)b->result[0];
}

/* Key of a socket, which may be an event's; 0 = it is none for certain. */
static uint64_t socket_key(const struct gst *g, uint64_t fd)
{
	uint64_t st[18];

	if (g->ctl->start.has_perf != SHR_PERF_USED || SYS2(fstat, (int)fd, st))
		return 0;
	return ((uint32_t)st[3] & S_IFMT_BITS) == S_IFSOCK_BITS ? st[1] : 0; /* st_mode, st_ino */
}

int gst_event_knows(struct gst *g, uint64_t key)
{
	unsigned at = key % GST_EVENT_CACHE;

	if (g->events.key[at] != key) {
		g->events.is_event[at] = ask_perf(g, REQ_PERF_KNOWS, key, 0, 0) == 0;
		g->events.key[at] = key;
	}
	return g->events.is_event[at];
}

uint64_t gst_event_key(struct gst *g, uint64_t fd)
{
	uint64_t key = socket_key(g, fd);

	return key && gst_event_knows(g, key) ? key : 0;
}

int gst_is_event(struct gst *g, uint64_t fd)
{
	return gst_event_key(g, fd) != 0;
}

int gst_event_has_ring(struct gst *g, uint64_t fd)
{
	const uint64_t key = gst_event_key(g, fd);

	return key && ask_perf(g, REQ_PERF_KNOWS, key, 0, 0) == 0 && g->ctl->req.result[1];
}

/* ---- open ------------------------------------------------------------------------------------ */

/* Returns the number of the thread of this process that `pid` names (0: the current one); -1 if it
 * is none of them. */
static int32_t thread_number(struct gst *g, int32_t pid)
{
	struct gst_thread *t = pid == 0 ? g->t : gst_thread_of(g, pid);

	return t ? (int32_t)t->number : -1;
}

/* The program's attributes and their size by its own word. Returns 0 or -errno. */
static long read_attr(struct gst *g, uint64_t from, struct req_box *b, uint32_t *bytes)
{
	uint32_t head[2];
	const uint32_t known = 128;

	if (gst_copy_in(head, from, sizeof(head)))
		return -EFAULT;
	*bytes = head[1] ? head[1] : ATTR_BYTES_FIRST;
	if (*bytes < ATTR_BYTES_FIRST || *bytes > REQ_PAGE_BYTES) {
		gst_copy_out(from + 4, &known, 4);
		return -E2BIG;
	}
	return gst_copy_in(b->pages[1], from, *bytes) ? -EFAULT : 0;
}

long gst_call_perf_event_open(struct gst *g, const uint64_t *a)
{
	struct req_box *b = &g->ctl->req;
	struct req_perf_open o = {
	    .pid = (int32_t)a[1], .cpu = (int32_t)a[2], .flags = (uint32_t)a[4]};
	uint32_t known;
	int fd;
	long ret;

	if (!g->ctl->start.has_perf) {
		if (!g->events.is_refused)
			gst_warn(g,
				 "the program asks for performance events, and this run has "
				 "none for it (perf_event_open: ENOSYS); "
				 "softpmu stat and run have, but for run --tier 1",
				 NULL);
		g->events.is_refused = 1;
		return -ENOSYS;
	}
	if (a[4] & ~(uint64_t)PERF_FLAGS_ALL)
		return -EINVAL;
	gst_rise(g);
	gst_ring_flush(g, 0);
	ret = read_attr(g, a[0], b, &o.attr_bytes);
	if (ret)
		return ret;
	if ((int)a[3] != -1) {
		o.group = gst_event_key(g, a[3]);
		if (!o.group)
			return -EBADF;
		read_attr(g, a[0], b, &o.attr_bytes); /* the question has used the box */
	}
	o.own_pid = (int32_t)g->ctl->guest_pid;
	o.own_tid = g->t->tid;
	o.opener = g->t->number;
	o.thread = o.pid == -1 ? -1 : thread_number(g, o.pid);
	o.may_kernel = SYS0(geteuid) == 0;
	gst_ask_box(g);
	memcpy(b->pages[0], &o, sizeof(o));
	b->arg[0] = REQ_PERF_OPEN;
	if (gst_ask(g, REQ_PERF) != REQ_OK)
		return -ENOSYS;
	take_credit(g);
	ret = (long)b->result[0];
	if (ret == -E2BIG && b->result[1]) { /* else it is the group that is too large */
		known = (uint32_t)b->result[1];
		gst_copy_out(a[0] + 4, &known, 4);
	}
	if (ret)
		return ret;
	ret = gst_receive_fds(g, &fd, 1);
	if (ret)
		return ret;
	if (o.flags & FD_CLOEXEC_FLAG)
		SYS3(fcntl, fd, F_SETFD_NR, 1);
	g->ctl->start.has_perf = SHR_PERF_USED;
	return fd;
}

/* ---- calls on an event's descriptor ---------------------------------------------------------- */

long gst_event_read(struct gst *g, uint64_t fd, uint64_t to, uint64_t room)
{
	uint64_t key = gst_event_key(g, fd);
	long ret;

	if (!key)
		return GST_NO_EVENT;
	ret = ask_perf(g, REQ_PERF_READ, key, room, 0);
	if (ret > 0 && gst_copy_out(to, g->ctl->req.pages[0], (uint64_t)ret))
		return -EFAULT;
	return ret;
}

/* Returns the kernel's number of a request, or 0 if it does not exist. A request whose argument
 * points to a pointer or a struct may carry the size of 32-bit or of 64-bit programs. */
static uint32_t request_of(const struct gst *g, uint32_t request)
{
	static const uint32_t known[] = {0x2400,     0x2401,	     0x2402,	 0x2403,
					 IOC_PERIOD, IOC_SET_OUTPUT, IOC_FILTER, IOC_ID,
					 IOC_BPF,    0x40042409,     IOC_QUERY,	 IOC_MODIFY};
	const uint32_t nr = request & 0xff;

	if (nr >= sizeof(known) / sizeof(known[0]))
		return 0;
	if (g->layout.is_32 && (nr == 6 || nr == 7 || nr >= 10) &&
	    (request & IOC_SIZE_MASK) == IOC_SIZE_32)
		request = (request & ~IOC_SIZE_MASK) | IOC_SIZE_64;
	return request == known[nr] ? request : 0;
}

/* Requests that no event here takes: what a kernel says before it finds that out. MODIFY: *arg
 * becomes the type asked for. */
static long refuse_request(struct gst *g, uint32_t request, uint64_t *arg)
{
	uint32_t head[2];
	uint8_t byte;

	switch (request) {
	case IOC_FILTER: return gst_copy_in(&byte, *arg, 1) ? -EFAULT : 0;
	case IOC_BPF: return SYS2(fcntl, (int)*arg, F_GETFD_NR) < 0 ? -EBADF : 0;
	case IOC_QUERY: return SYS0(geteuid) ? -EPERM : 0;
	case IOC_MODIFY:
		if (gst_copy_in(head, *arg, sizeof(head)))
			return -EFAULT;
		if (head[1] && (head[1] < ATTR_BYTES_FIRST || head[1] > REQ_PAGE_BYTES))
			return -E2BIG;
		*arg = head[0];
	}
	return 0;
}

long gst_event_ioctl(struct gst *g, const uint64_t *a)
{
	uint32_t request = (uint32_t)a[1];
	uint64_t key, arg = a[2];
	long ret;

	if ((request & IOC_TYPE_MASK) != IOC_TYPE)
		return GST_NO_EVENT;
	key = gst_event_key(g, a[0]);
	if (!key)
		return GST_NO_EVENT;
	request = request_of(g, request);
	if (!request)
		return -ENOTTY;
	ret = refuse_request(g, request, &arg);
	if (ret)
		return ret;
	if (request == IOC_PERIOD && gst_copy_in(&arg, a[2], 8))
		return -EFAULT;
	if (request == IOC_SET_OUTPUT) {
		arg = a[2] == ~0ull ? 0 : gst_event_key(g, (uint32_t)a[2]);
		if (!arg && a[2] != ~0ull)
			return -EBADF;
	}
	ret = ask_perf(g, REQ_PERF_IOCTL, key, request & 0xff, arg);
	if (!ret && request == IOC_ID && gst_copy_out(a[2], &g->ctl->req.result[1], 8))
		return -EFAULT;
	return ret;
}

long gst_event_mmap(struct gst *g, const uint64_t *a)
{
	const uint64_t bytes = GST_PAGE_UP(a[1]);
	uint64_t key, at;
	int fd;
	long ret;

	if (a[3] & MAP_ANONYMOUS)
		return GST_NO_EVENT;
	key = gst_event_key(g, a[4]);
	if (!key)
		return GST_NO_EVENT;
	if (!(a[3] & MAP_SHARED) || a[5])
		return -EINVAL;
	ret = ask_perf(g, REQ_PERF_MAP, key, bytes, (a[2] & PROT_WRITE) != 0);
	at = g->ctl->req.result[1];
	if (!ret)
		ret = gst_receive_fds(g, &fd, 1);
	if (ret)
		return ret;
	ret = gst_map(g, a[0], bytes, (uint32_t)a[2], (uint32_t)a[3], fd, at, GST_VMA_EVENT);
	SYS1(close, fd);
	if (gst_is_error(ret))
		ask_perf(g, REQ_PERF_UNMAP, 0, at, bytes);
	else
		SYS3(madvise, ret, bytes, MADV_DONTFORK);
	return ret;
}

void gst_event_unmap(struct gst *g, uint64_t lo, uint64_t hi)
{
	if (g->ctl->start.has_perf != SHR_PERF_USED)
		return;
	for (uint32_t i = gst_vma_at(&g->vmas, lo); i < g->vmas.n && g->vmas.v[i].lo < hi; i++) {
		const struct gst_vma *v = &g->vmas.v[i];
		const uint64_t from = v->lo > lo ? v->lo : lo, to = v->hi < hi ? v->hi : hi;

		if (v->kind == GST_VMA_EVENT)
			ask_perf(g, REQ_PERF_UNMAP, 0, v->off + (from - v->lo), to - from);
	}
}

void gst_event_child(struct gst *g)
{
	for (uint32_t i = g->vmas.n; i-- > 0;) {
		const uint64_t lo = g->vmas.v[i].lo, hi = g->vmas.v[i].hi;

		if (g->vmas.v[i].kind != GST_VMA_EVENT)
			continue;
		gst_vma_cut(&g->vmas, lo, hi);
		gst_unmap_told(g, lo, hi);
	}
}

/* ---- overflows ------------------------------------------------------------------------------- */

/* Bytes that softpmu sent to say something are no content of the descriptor. */
void gst_event_drain(uint64_t fd)
{
	char byte[16];

	while (SYS6(recvfrom, fd, byte, sizeof(byte), MSG_DONTWAIT_FLAG, 0, 0) > 0)
		;
}

void gst_event_signal(struct gst *g, struct gst_siginfo *info)
{
	uint64_t key;
	int fd; /* si_fd, behind si_band at addr */

	if (g->ctl->start.has_perf != SHR_PERF_USED || info->code != POLL_IN_CODE)
		return;
	memcpy(&fd, info->rest, sizeof(fd));
	key = gst_event_key(g, (uint64_t)fd);
	if (!key)
		return;
	gst_event_drain((uint64_t)fd);
	if (key == g->events.ended) {
		info->code = POLL_HUP_CODE;
		info->addr = POLL_HUP_BAND;
		g->events.ended = 0;
	}
}

/* The block at whose head the program stands, translated for that if need be; REQ_PERF_NO_BLOCK:
 * there is none. */
static uint64_t block_here(struct gst *g)
{
	uint64_t main, indirect, fault;
	uint32_t offset;
	const struct shr_block *b;

	if (!gst_map_find(g, g->gs->pc, &main, &indirect))
		main = gst_translate(g, g->gs->pc, 0, &fault);
	b = main ? gst_block_at(g, main, &offset) : NULL;
	return b ? (uint64_t)(b - g->tab->block) : REQ_PERF_NO_BLOCK;
}

int gst_event_heads(struct gst *g)
{
	if (!g->ctl->wants_heads || g->events.has_heads || g->ctl->start.tier != SHR_TIER_STREAM)
		return 0;
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	gst_ask(g, REQ_HEADS);
	gst_ib_clear(g);
	g->events.has_heads = 1;
	gst_event_turns(g);
	return 1;
}

int gst_event_has_room(struct gst *g, uint32_t block)
{
	const struct shr_most *m = &g->tab->most[block];
	struct shr_room *r = &g->ctl->room;
	const uint64_t insns = g->tab->block[block].n_insn;

	if (!m->core || r->insns < insns || r->clk < m->clk || r->data < m->data ||
	    r->core < m->core || r->lines < m->lines || r->any < m->any || r->pages < m->pages)
		return 0;
	r->insns -= insns;
	r->clk -= m->clk;
	r->data -= m->data;
	r->core -= m->core;
	r->lines -= m->lines;
	r->any -= m->any;
	r->pages -= m->pages;
	return 1;
}

void gst_event_credit(struct gst *g, uint64_t block)
{
	const int stands = block == REQ_PERF_NO_BLOCK, has_state = g->ctl->wants_state && stands;
	uint64_t head = stands && g->events.head ? g->events.head - 1 : block;

	g->events.head = 0;
	if (g->events.steps && g->events.more && !g->ctl->wants_credit) {
		g->events.more--;
		return;
	}
	g->ctl->wants_credit = 0;
	if (stands && head == REQ_PERF_NO_BLOCK)
		head = block_here(g);
	gst_ring_flush(g, stands ? 0 : SHR_CHUNK_KEEP);
	if (has_state)
		gst_event_state(g);
	g->ctl->req.count = stands ? g->gs->gpr[1] : ~0ull;
	ask_perf(g, REQ_PERF_CREDIT, head, (uint64_t)has_state, stands ? g->gs->pc : 0);
	SYS0(getppid); /* what softpmu has sent arrives on the way back at the latest */
}

void gst_event_waited(struct gst *g)
{
	const int has_state = g->ctl->wants_state != 0;

	gst_ring_flush(g, 0);
	if (has_state)
		gst_event_state(g);
	ask_perf(g, REQ_PERF_WAITED, g->events.n_waits, (uint64_t)has_state, 0);
}

void gst_event_turns(struct gst *g)
{
	if (!g->events.is_armed)
		return;
	g->events.more = 0;
	g->events.limit = g->ring.at;
	/* what was granted was for the way that the program is leaving */
	g->ctl->room = (struct shr_room){0};
}

void gst_event_flags(struct gst *g, uint64_t fd, uint64_t flags)
{
	uint64_t key = gst_event_key(g, fd);

	if (key)
		ask_perf(g, REQ_PERF_ASYNC, key, (flags & O_ASYNC_FLAG) != 0, 0);
}

void gst_event_closed(struct gst *g)
{
	ask_perf(g, REQ_PERF_CLOSED, 0, 0, 0);
}

void gst_event_task(struct gst *g, int is_on)
{
	if (g->ctl->start.has_perf == SHR_PERF_USED)
		ask_perf(g, REQ_PERF_TASK, g->t->number, (uint64_t)is_on, 0);
}

void gst_event_thread(struct gst *g, uint32_t parent, uint32_t child, uint32_t tid)
{
	if (g->ctl->start.has_perf == SHR_PERF_USED || g->ctl->is_watched)
		ask_perf(g, REQ_PERF_THREAD, parent, child, tid);
}

void gst_event_gone(struct gst *g, uint32_t number)
{
	if (g->ctl->is_watched)
		ask_perf(g, REQ_PERF_GONE, number, 0, 0);
}

void gst_event_named(struct gst *g)
{
	if (!g->ctl->is_watched)
		return;
	gst_ask_box(g);
	SYS2(prctl, PR_GET_NAME, g->ctl->req.pages[0]);
	ask_perf(g, REQ_PERF_NAME, 0, 0, 0);
}
