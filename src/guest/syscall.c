/* syscall.c -- system calls of the program: dispatch, restart, input digest.
 *
 * MODELLED       single-threaded programs; the list is syscalls.def.
 * RULE           passed calls run with the program's signal mask, in a window that the signal handler
 *                knows (start.S: gst_call), so no signal is lost between looking and sleeping.
 * NOT MODELLED   memory that the kernel writes is no data reference of the program.
 */
#include "guest/calls.h"
#include "guest/digest.h"
#include "guest/gst.h"
#include "guest/output.h"

enum { A = 1, B = 2, C = 4, D = 8, E = 16, F = 32 };
enum { DIGEST_value, DIGEST_bytes_a, DIGEST_bytes_b, DIGEST_time_a, DIGEST_clock, DIGEST_none };

struct call {
	long (*run)(struct gst *g, const uint64_t *a);
	uint8_t scalars, digest;
};

#define N_CALLS 512
static const struct call calls[N_CALLS] = {
#define CALL(name, how, scalars, digest) \
	[__NR_##name] = { gst_call_##how, (scalars), DIGEST_##digest },
#include "guest/syscalls.def"
#undef CALL
};

long gst_call_pass(struct gst *g, const uint64_t *a)
{
	long ret = gst_call(a - 1, &g->t->sig.waits);

	/* The kernel could not write: perhaps into a page that is guarded. Open them and try again. */
	if (ret == -EFAULT && gst_pages_open(g, 0, GST_TASK_END))
		ret = gst_call(a - 1, &g->t->sig.waits);
	return ret;
}

long gst_call_nosys(struct gst *g, const uint64_t *a)
{
	return -ENOSYS;
}

long gst_call_eperm(struct gst *g, const uint64_t *a)
{
	return -EPERM;
}

long gst_call_zero(struct gst *g, const uint64_t *a)
{
	return 0;
}

/* Clocks that tell the date; the others count from the start of something (see docs/SYSCALLS.md). */
static int is_time_of_day(uint64_t clock)
{
	return clock == 0 /* REALTIME */ || clock == 5 /* its coarse form */ || clock == 11 /* TAI */;
}

/* Times that the digest leaves out: whoever acts on them can count otherwise with an equal digest. */
static int is_time_left_out(uint64_t nr, const uint64_t *a)
{
	switch (nr) {
	case __NR_time: case __NR_times: case __NR_getrusage:
		return 1;
	case __NR_clock_gettime:
		return !is_time_of_day(a[0]);
	default:
		return 0;
	}
}

static void digest(struct gst *g, const struct call *c, uint64_t nr, const uint64_t *a, long ret)
{
	uint64_t buf;

	gst_digest_word(g, nr);
	g->ctl->time_looks += (uint64_t)is_time_left_out(nr, a);
	if (c->digest == DIGEST_none)
		return;
	for (int i = 0; i < 6; i++) {
		if (c->scalars >> i & 1)
			gst_digest_word(g, a[i]);
	}
	gst_digest_word(g, (uint64_t)ret);
	if (c->digest == DIGEST_time_a && ret == 0 && a[0])
		gst_digest_memory(g, a[0], 16);
	if (c->digest == DIGEST_clock && ret == 0 && is_time_of_day(a[0]))
		gst_digest_memory(g, a[1], 16);
	if ((c->digest != DIGEST_bytes_a && c->digest != DIGEST_bytes_b) || ret <= 0)
		return;
	buf = c->digest == DIGEST_bytes_a ? a[0] : a[1];
	gst_digest_memory(g, buf, (uint64_t)ret);
}

/* The program shall execute the SYSCALL instruction at pc - 2 again. */
static void again(struct gst *g, uint64_t nr)
{
	g->gs->gpr[0] = nr;
	g->gs->pc -= 2;
	gst_ring_word(g, TRC_GO, g->gs->pc);
}

/* Calls that a signal cuts short: they return what was done so far. */
static int may_be_short(uint64_t nr)
{
	switch (nr) {
	case __NR_getdents: case __NR_getdents64: case __NR_write: case __NR_writev: case __NR_pwrite64:
	case __NR_pwritev: case __NR_pwritev2: case __NR_sendfile: case __NR_splice: case __NR_tee:
	case __NR_vmsplice: case __NR_copy_file_range: case __NR_sendto: case __NR_sendmsg:
	case __NR_sendmmsg: case __NR_recvfrom: case __NR_recvmsg: case __NR_recvmmsg:
		return 1;
	default:
		return 0;
	}
}

/* One attempt at the call. A signal that nobody handles must not be seen: go on as if it had not
 * come. (The kernel asks us only for signals that are handled; the others are the test hook's.) */
static long attempt(struct gst *g, const struct call *c, const uint64_t *words)
{
	int is_seen;
	long ret;

	if (gst_seccomp_stops(g, GST_AUDIT_X86_64, words[0], words + 1, &ret))
		return ret;
	gst_signal_quiet(g, may_be_short(words[0]));
	gst_output_open(g, words + 1);
	do {
		ret = gst_signal_waits(g) ? GST_NOT_STARTED : c->run(g, words + 1);
		is_seen = ret == GST_NOT_STARTED || ret == GST_RESTARTS || ret == -EINTR;
		if (ret == -EINTR) /* a call that is never restarted, with its time running: now for good */
			gst_signal_quiet(g, 1);
	} while (is_seen && gst_signal_drop(g));
	gst_signal_quiet(g, 0);
	return ret;
}

void gst_syscall(struct gst *g)
{
	static const struct call unknown = { gst_call_nosys, 0, DIGEST_value };
	const uint64_t *r = g->gs->gpr;
	uint64_t words[7] = { (uint32_t)r[0], r[7], r[6], r[2], r[10], r[8], r[9] };
	const struct call *c = words[0] < N_CALLS && calls[words[0]].run ? &calls[words[0]] : &unknown;
	uint64_t event[2] = { words[0], 0 };
	long ret;

	ret = attempt(g, c, words);
	if (ret == GST_NOT_STARTED && g->t->has_waited)
		ret = GST_RESTARTS; /* others ran: the record of the block lies too far back to be taken back */
	if (ret == GST_NO_ANSWER) {
		g->ctl->n_syscalls++;
		return;
	}
	if (ret == GST_NOT_STARTED) {
		gst_take_back(g, g->t->call_block);
		again(g, r[0]);
		return;
	}
	if (ret == GST_RESTARTS) {
		if (gst_signal_restarts(g)) {
			again(g, r[0]);
			return;
		}
		ret = -EINTR;
	}
	g->gs->gpr[0] = (uint64_t)ret;
	event[1] = (uint64_t)ret;
	gst_ring_event(g, TRC_SYSCALL, event, sizeof(event));
	g->ctl->n_syscalls++;
	digest(g, c, words[0], words + 1, ret);
}
