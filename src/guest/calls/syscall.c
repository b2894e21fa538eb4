/* syscall.c -- system calls of the program: dispatch, restart, input digest.
 *
 * gst_syscall() handles one call, from the program's registers to its result. The steps and their
 * order are in docs/LIFE_OF_A_CALL.md. Steps before the attempt may change arguments and never
 * answer; in attempt() the first step that answers ends the question: the program's own
 * interception (dispatch.c, seccomp.c) before the runtime's, as a kernel would have it; what came
 * before is undone after it, in whatever way the call ended.
 *
 * INVARIANT      a call that a signal interrupts before it had an effect is either taken back, with
 *                the record of its block, or made again after the handler. So the stream never has
 *                a system call that the program did not see return.
 * MODELLED       the calls of syscalls.def, and for 32-bit code of syscalls32.def; others: ENOSYS.
 */
#include "guest/memory/areas.h"
#include "guest/calls/calls32.h"
#include "guest/time/clock.h"
#include "guest/files/digest.h"
#include "guest/calls/dispatch.h"
#include "guest/gst.h"
#include "guest/signals/child.h"
#include "guest/calls/call_child.h"
#include "guest/calls/output.h"
#include "guest/calls/seccomp.h"
#include "guest/files/proc_links.h"
#include "guest/files/reroute.h"

enum { A = 1, B = 2, C = 4, D = 8, E = 16, F = 32 };

#define N_CALLS 512
static const struct gst_call_row calls[N_CALLS] = {
#define CALL(name, how, scalars, descriptors, digest)                                              \
	[__NR_##name] = {gst_call_##how, (scalars), (descriptors), GST_DIGEST_##digest},
#include "guest/calls/syscalls.def"
#undef CALL
};

const struct gst_call_row *gst_call_row(uint32_t number)
{
	static const struct gst_call_row none;

	return number < N_CALLS ? &calls[number] : &none;
}

long gst_call_nosys(struct gst *g, const uint64_t *a)
{
	return -ENOSYS;
}

long gst_call_eperm(struct gst *g, const uint64_t *a)
{
	return -EPERM;
}

/* Returns 1 for clocks that show the date. The others count from a start (docs/SYSCALLS.md). */
static int is_time_of_day(uint64_t clock)
{
	return clock == 0 /* REALTIME */ || clock == 5 /* its coarse form */ ||
	       clock == 11 /* TAI */;
}

/* Times that the digest leaves out. A program that acts on them may count differently although its
 * digest is equal; time_looks counts these calls for that reason. */
static int is_time_left_out(const struct gst *g, uint64_t nr, const uint64_t *a)
{
	switch (nr) {
	case __NR_times:
	case __NR_getrusage: return 1;
	case __NR_time: return !gst_clock_is_model(g);
	case __NR_clock_gettime: return !gst_clock_is_model(g) && !is_time_of_day(a[0]);
	default: return 0;
	}
}

static void digest(struct gst *g, const struct gst_call_row *c, uint64_t nr, const uint64_t *a,
		   long ret)
{
	uint64_t buf;

	gst_digest_word(g, nr);
	g->ctl->time_looks += (uint64_t)is_time_left_out(g, gst_call_acts_like(g, a[-1]), a);
	if (c->digest == GST_DIGEST_none)
		return;
	for (int i = 0; i < 6; i++) {
		if (c->scalars >> i & 1)
			gst_digest_word(g, a[i]);
	}
	gst_digest_word(g, (uint64_t)ret);
	if (ret == 0 && (c->digest == GST_DIGEST_time_a || c->digest == GST_DIGEST_time_a32) &&
	    a[0])
		gst_digest_memory(g, a[0], c->digest == GST_DIGEST_time_a ? 16 : 8);
	if (ret == 0 && (c->digest == GST_DIGEST_clock || c->digest == GST_DIGEST_clock32) &&
	    is_time_of_day(a[0]))
		gst_digest_memory(g, a[1], c->digest == GST_DIGEST_clock ? 16 : 8);
	if ((c->digest != GST_DIGEST_bytes_a && c->digest != GST_DIGEST_bytes_b) || ret <= 0)
		return;
	buf = c->digest == GST_DIGEST_bytes_a ? a[0] : a[1];
	gst_digest_memory(g, buf, (uint64_t)ret);
}

/* Numbers and registers of the call are those of i386. */
static int has_32(const struct gst *g)
{
	return g->layout.is_32 || g->t->is_call32;
}

/* The program shall execute the instruction at pc - 2, SYSCALL or INT 80h, again. */
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
	case __NR_getdents:
	case __NR_getdents64:
	case __NR_write:
	case __NR_writev:
	case __NR_pwrite64:
	case __NR_pwritev:
	case __NR_pwritev2:
	case __NR_sendfile:
	case __NR_splice:
	case __NR_tee:
	case __NR_vmsplice:
	case __NR_copy_file_range:
	case __NR_sendto:
	case __NR_sendmsg:
	case __NR_sendmmsg:
	case __NR_recvfrom:
	case __NR_recvmsg:
	case __NR_recvmmsg:
	case GST_NO_LIKE: /* a 32-bit program's own: to be on the safe side */ return 1;
	default: return 0;
	}
}

/* A deferred SIGCHLD may keep a call from starting; the call is begun again then, because only
 * gst_call_child_before() decides whether the signal comes first. */
static long run(struct gst *g, const struct gst_call_row *c, const uint64_t *words)
{
	int was_there;
	long ret;

	do {
		was_there = gst_call_child_before(g, words);
		ret = gst_signal_waits(g) ? GST_NOT_STARTED : c->run(g, words + 1);
	} while (ret == GST_NOT_STARTED && gst_child_is_deferred(g) && !gst_signal_waits(g));
	gst_call_child_after(g, words, ret, was_there);
	return ret;
}

/* One attempt at the call. The program must not notice a signal that it neither handles nor dies
 * of: the attempt is repeated then. (The kernel delivers such signals only for the test hook.) */
static long attempt(struct gst *g, const struct gst_call_row *c, const uint64_t *words)
{
	const uint32_t arch = has_32(g) ? GST_AUDIT_I386 : GST_AUDIT_X86_64;
	int is_seen;
	long ret;

	if (gst_dispatch_takes(g, arch, g->t->call_number))
		return GST_NO_ANSWER;
	if (gst_seccomp_stops(g, arch, g->t->call_number, words + 1, &ret))
		return ret;
	if (gst_names_hidden(g, c->descriptors, words + 1))
		return -EBADF;
	ret = gst_event_first(g, words);
	if (ret != GST_NO_EVENT)
		return ret;
	ret = gst_hidden_lists(g, words + 1);
	if (ret != GST_NOT_LISTED)
		return ret;
	gst_signal_quiet(g, may_be_short(g->t->call_like));
	gst_output_open(g, words + 1);
	do {
		ret = run(g, c, words);
		is_seen = ret == GST_NOT_STARTED || ret == GST_RESTARTS ||
			  ret == GST_RESTARTS_ANYWAY || ret == -EINTR;
		/* a call that is never restarted, with its time running: now for good */
		if (ret == -EINTR)
			gst_signal_quiet(g, 1);
	} while (is_seen && gst_signal_drop(g));
	gst_signal_quiet(g, 0);
	return ret;
}

/* Returns the row of the call; words[] receives number and arguments in the order of the kernel. */
static const struct gst_call_row *take_words(struct gst *g, uint64_t words[7])
{
	static const uint8_t order[2][7] = {{0, 7, 6, 2, 10, 8, 9}, {0, 3, 1, 2, 6, 7, 5}};
	static const struct gst_call_row unknown = {gst_call_nosys, 0, 0, GST_DIGEST_value};
	const struct gst_call_row *row;
	uint32_t number = (uint32_t)g->gs->gpr[0], like = number;

	for (unsigned i = 0; i < 7; i++) {
		words[i] = g->gs->gpr[order[has_32(g)][i]];
		if (g->t->is_call32)
			words[i] = (uint32_t)words[i];
	}
	if (has_32(g))
		like = gst_call32_like(number);
	words[0] = like == GST_NO_LIKE ? number : like;
	row = like == GST_NO_LIKE ? gst_call32_row(number) : gst_call_row(like);
	g->t->call_number = number;
	g->t->call_like = like;
	g->t->call_acts_like = gst_call32_acts_like(number);
	return row->run ? row : &unknown;
}

void gst_syscall_ends(struct gst *g, long ret)
{
	uint64_t words[7], event[3];
	const struct gst_call_row *c = take_words(g, words);

	g->gs->gpr[0] = g->layout.is_32 ? (uint32_t)ret : (uint64_t)ret;
	digest(g, c, g->t->call_number, words + 1, ret);
	event[0] = g->t->call_number | (uint64_t)g->t->call_like << 32;
	event[1] = (uint64_t)ret;
	event[2] = g->ctl->input_digest;
	gst_ring_event(g, TRC_SYSCALL, event, sizeof(event));
	g->ctl->n_syscalls++;
	gst_sched_call(g);
}

/* Takes the record of the call's block back. Returns 1 if that was possible, or there is no record
 * (tier 1). */
static int may_take_back(struct gst *g)
{
	return g->ctl->start.tier != SHR_TIER_STREAM ||
	       gst_ring_retract(g, 4 + 8u * g->tab->block[g->t->call_block].n_slot);
}

void gst_syscall(struct gst *g)
{
	uint64_t words[7], rax = g->gs->gpr[0];
	const struct gst_call_row *c = take_words(g, words);
	struct gst_clock_wait wait;
	long ret;
	int shown;

	gst_areas_shut(g, c->scalars, c->digest == GST_DIGEST_bytes_b, words);
	gst_reroute(g, words);
	gst_proc_follow(g, words);
	shown = gst_event_shown(g, words);
	gst_ring_note(g);
	__atomic_store_n(&g->ctl->is_out, 1, __ATOMIC_RELEASE);
	gst_clock_begins(g, words, &wait);
	g->events.n_waits = 0;
	ret = attempt(g, c, words);
	gst_areas_open(g);
	gst_event_unshown(shown);
	gst_clock_ends(g, &wait, ret);
	gst_clock_reaped(g, words, ret);
	gst_event_after(g, words, ret);
	if (ret == GST_NOT_STARTED && (g->t->has_waited || !may_take_back(g)))
		/* others ran: the record of the block lies too far back to be taken back */
		ret = GST_RESTARTS;
	if (ret == GST_NO_ANSWER) {
		g->ctl->n_syscalls++;
		return;
	}
	if (ret == GST_NOT_STARTED) {
		gst_take_back(g, g->t->call_block);
		again(g, rax);
		return;
	}
	if (ret == GST_RESTARTS_ANYWAY || (ret == GST_RESTARTS && gst_signal_restarts(g))) {
		again(g, rax);
		return;
	}
	if (ret == GST_RESTARTS)
		ret = -EINTR;
	gst_syscall_ends(g, ret);
	if (g->events.n_waits)
		gst_event_waited(g);
}
