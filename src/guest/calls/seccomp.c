/* seccomp.c -- checks, keeps and runs the program's system-call filters. Rules: seccomp.h. A
 * filter is kept only after the kernel's checks: jumps lead forward, so it ends, and no cell is
 * read before it is written. */
#include "guest/calls/seccomp.h"

#include "guest/memory/areas.h"
#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/threads/robust.h"

#define FILTERS		 ((struct insn *)GST_FILTERS)
#define MAX_INSNS	 (GST_FILTERS_BYTES / sizeof(struct insn))
#define MAX_OF_ONE	 4096u	/* BPF_MAXINSNS */
#define MAX_OF_ALL	 32768u /* per path of the kernel, 4 more per filter */
#define N_MEMORY	 16u
#define FLAG_TSYNC	 1u
#define FLAG_LISTENER	 8u
#define FLAG_TSYNC_ESRCH 16u
#define FLAG_KILLABLE	 32u /* how a listener is waited for */
#define CAP_SYS_ADMIN	 21

/* struct sock_filter. */
struct insn {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

/* A filter lies in memory as this, in the place of one instruction, then its instructions. Place
 * 0 is free. */
struct filter {
	uint32_t before; /* the filter that was there first; 0 none */
	uint32_t n;
};
_Static_assert(sizeof(struct filter) == sizeof(struct insn),
	       "a filter's head takes the place of an instruction");

/* Head of the filters that the memory file carries over exec. The filters follow it, newest first,
 * without their places. */
struct kept {
	uint32_t mode, n_filter, n_insn, zero;
};
_Static_assert(sizeof(struct kept) + (MAX_OF_ALL / 4 + MAX_OF_ALL) * sizeof(struct insn) <=
		   SHR_KEEP_BYTES,
	       "no room for the longest path of filters");

/* struct seccomp_data. */
struct call_facts {
	uint32_t nr, arch;
	uint64_t pc, args[6];
};

/* Answers of a filter, without their low half. */
enum {
	RET_KILL_PROCESS = 0x80000000,
	RET_KILL_THREAD = 0,
	RET_TRAP = 0x00030000,
	RET_ERRNO = 0x00050000,
	RET_USER_NOTIF = 0x7fc00000,
	RET_TRACE = 0x7ff00000,
	RET_LOG = 0x7ffc0000,
	RET_ALLOW = 0x7fff0000,
};

/* Instruction codes. */
enum {
	LD_IMM = 0x00,
	LD_ABS = 0x20,
	LD_MEM = 0x60,
	LD_LEN = 0x80,
	LDX_IMM = 0x01,
	LDX_MEM = 0x61,
	LDX_LEN = 0x81,
	ST = 0x02,
	STX = 0x03,
	ADD = 0x04,
	SUB = 0x14,
	MUL = 0x24,
	DIV = 0x34,
	OR = 0x44,
	AND = 0x54,
	LSH = 0x64,
	RSH = 0x74,
	NEG = 0x84,
	XOR = 0xa4,
	JA = 0x05,
	JEQ = 0x15,
	JGT = 0x25,
	JGE = 0x35,
	JSET = 0x45,
	RET_K = 0x06,
	RET_A = 0x16,
	TAX = 0x07,
	TXA = 0x87,
	SRC_X = 0x08, /* in arithmetic and jumps: the operand is X */
};

/* ---- checking -------------------------------------------------------------------------------- */

static int is_jump(uint16_t code)
{
	code &= (uint16_t)~SRC_X;
	return code == JEQ || code == JGT || code == JGE || code == JSET;
}

/* One instruction with `left` behind it. */
static int is_allowed(const struct insn *i, uint32_t left)
{
	switch (i->code) {
	case LD_ABS: return !(i->k & 3) && i->k < sizeof(struct call_facts);
	case LD_MEM:
	case LDX_MEM:
	case ST:
	case STX: return i->k < N_MEMORY;
	case DIV: return i->k != 0;
	case LSH:
	case RSH: return i->k < 32;
	case LD_IMM:
	case LD_LEN:
	case LDX_IMM:
	case LDX_LEN:
	case NEG:
	case RET_K:
	case RET_A:
	case TAX:
	case TXA:
	case ADD:
	case SUB:
	case MUL:
	case OR:
	case AND:
	case XOR:
	case ADD | SRC_X:
	case SUB | SRC_X:
	case MUL | SRC_X:
	case DIV | SRC_X:
	case OR | SRC_X:
	case AND | SRC_X:
	case LSH | SRC_X:
	case RSH | SRC_X:
	case XOR | SRC_X: return 1;
	case JA: return i->k < left;
	default: return is_jump(i->code) && i->jt < left && i->jf < left;
	}
}

/* No memory cell is read that was not written on every way there. Jumps lead forward only.
 * written[]: the cells that are, per instruction. */
static int reads_what_it_wrote(const struct insn *f, uint32_t n, uint16_t *written)
{
	uint16_t now = 0;

	for (uint32_t i = 0; i < n; i++)
		written[i] = 0xffff;
	for (uint32_t i = 0; i < n; i++) {
		now &= written[i];
		if (f[i].code == ST || f[i].code == STX) {
			now |= (uint16_t)(1u << f[i].k);
		} else if (f[i].code == LD_MEM || f[i].code == LDX_MEM) {
			if (!(now & 1u << f[i].k))
				return 0;
		} else if (f[i].code == JA) {
			written[i + 1 + f[i].k] &= now;
			now = 0xffff;
		} else if (is_jump(f[i].code)) {
			written[i + 1 + f[i].jt] &= now;
			written[i + 1 + f[i].jf] &= now;
			now = 0xffff;
		}
	}
	return 1;
}

static int is_valid(const struct insn *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!is_allowed(&f[i], n - i - 1))
			return 0;
	if (f[n - 1].code != RET_K && f[n - 1].code != RET_A)
		return 0;
	return reads_what_it_wrote(f, n, (uint16_t *)GST_SCRATCH);
}

static int may_install(void)
{
	struct {
		uint32_t version, pid;
	} head = {0x20080522 /* version 3 */, 0};
	uint32_t caps[6] = {0}; /* effective, permitted, inheritable; then the upper halves */

	if (SYS6(prctl, 39 /* PR_GET_NO_NEW_PRIVS */, 0, 0, 0, 0, 0) == 1)
		return 1;
	return SYS2(capget, &head, caps) == 0 && (caps[0] & 1u << CAP_SYS_ADMIN);
}

long gst_seccomp_strict(struct gst *g)
{
	if (g->t->seccomp.mode == 2)
		return -EINVAL;
	g->t->seccomp.mode = 1;
	return 0;
}

/* ---- the filters of a thread ----------------------------------------------------------------- */

static struct filter *filter_at(uint32_t place)
{
	return (struct filter *)&FILTERS[place];
}

/* Returns a place for a filter of n instructions before the newest one of *s, or 0 if there is no
 * room. append_filter() puts it to use. */
static uint32_t take_room(struct gst *g, const struct gst_seccomp *s, uint32_t n)
{
	uint32_t place = g->filter_places ? g->filter_places : 1;

	if (s->n_insn + 4 * s->n_filter + n > MAX_OF_ALL || place + n + 1 > MAX_INSNS)
		return 0;
	*filter_at(place) = (struct filter){s->newest, n};
	return place;
}

static void append_filter(struct gst *g, struct gst_seccomp *s, uint32_t place)
{
	const uint32_t n = filter_at(place)->n;

	g->filter_places = place + n + 1;
	s->newest = place;
	s->n_insn += n;
	s->n_filter++;
	s->mode = 2;
}

static int has_filter(const struct gst_seccomp *s, uint32_t place)
{
	uint32_t at = s->newest;

	while (at && at != place)
		at = filter_at(at)->before;
	return at == place;
}

/* The first thread that has not the calling one's filters or their beginning; NULL: all have. */
static const struct gst_thread *other_filters(const struct gst *g)
{
	const struct gst_thread *t = g->sched.first;

	while (t && t->seccomp.mode != 1 && has_filter(&g->t->seccomp, t->seccomp.newest))
		t = t->next;
	return t;
}

/* Returns 1 if all flags are known and go together. TSYNC and a listener do not, because both use
 * the result, except with TSYNC_ESRCH. */
static int are_flags(uint64_t flags)
{
	const uint64_t both = FLAG_TSYNC | FLAG_LISTENER;

	return !(flags & ~0x3full) && (!(flags & FLAG_KILLABLE) || (flags & FLAG_LISTENER)) &&
	       ((flags & both) != both || (flags & FLAG_TSYNC_ESRCH));
}

long gst_seccomp_add(struct gst *g, uint64_t at, uint64_t flags)
{
	/* struct sock_fprog: length, then a pointer */
	struct {
		uint16_t n;
		uint64_t insns;
	} prog = {0, 0};
	struct gst_seccomp *s = &g->t->seccomp;
	const struct gst_thread *other;
	uint32_t place;
	struct insn *f;

	if (!are_flags(flags))
		return -EINVAL;
	if (gst_copy_in(&prog.n, at, sizeof(prog.n)) ||
	    gst_copy_in(&prog.insns, at + g->layout.word, g->layout.word))
		return -EFAULT;
	if (s->mode == 1 || prog.n == 0 || prog.n > MAX_OF_ONE)
		return -EINVAL;
	if (!may_install())
		return -EACCES;
	place = take_room(g, s, prog.n);
	if (!place)
		return -ENOMEM;
	f = FILTERS + place + 1;
	if (gst_copy_in(f, prog.insns, prog.n * sizeof(*f)))
		return -EFAULT;
	if (!is_valid(f, prog.n))
		return -EINVAL;
	if (flags & FLAG_LISTENER) /* a descriptor for notifications */
		return -EBUSY;
	if (flags & FLAG_TSYNC) {
		other = other_filters(g);
		if (other)
			return flags & FLAG_TSYNC_ESRCH ? -ESRCH : other->tid;
	}
	append_filter(g, s, place);
	for (struct gst_thread *t = g->sched.first; t && (flags & FLAG_TSYNC); t = t->next)
		t->seccomp = *s;
	return 0;
}

/* ---- exec ------------------------------------------------------------------------------------ */

static long put_bytes(int fd, const void *from, uint64_t bytes, uint64_t *at)
{
	long ret = SYS4(pwrite64, fd, from, bytes, *at);

	*at += bytes;
	return ret == (long)bytes ? 0 : ret < 0 ? ret : -ENOMEM;
}

long gst_seccomp_leave(struct gst *g, int fd)
{
	const struct gst_seccomp *s = &g->t->seccomp;
	const struct kept k = {s->mode, s->n_filter, s->n_insn, 0};
	uint64_t at = SHR_KEEP_OFF;
	long ret;

	if (!s->mode)
		return 0;
	ret = put_bytes(fd, &k, sizeof(k), &at);
	for (uint32_t f = s->newest; !ret && f; f = filter_at(f)->before)
		ret = put_bytes(fd, filter_at(f), (filter_at(f)->n + 1) * sizeof(struct insn), &at);
	return ret;
}

void gst_seccomp_arrive(struct gst *g)
{
	const int fd = gst_process_hidden(g)->fd[SHR_FD_MEMORY];
	struct gst_seccomp *s = &g->t->seccomp;
	const struct kept none = {0};
	uint64_t start = SHR_KEEP_OFF, bytes;
	struct kept k;
	uint32_t place = 1;

	if (SYS4(pread64, fd, &k, sizeof(k), start) != sizeof(k) || !k.mode)
		return;
	bytes = (k.n_filter + (uint64_t)k.n_insn) * sizeof(struct insn);
	if (bytes > SHR_KEEP_BYTES - sizeof(k) ||
	    SYS4(pread64, fd, FILTERS + place, bytes, start + sizeof(k)) != (long)bytes ||
	    put_bytes(fd, &none, sizeof(none), &start))
		gst_fail("cannot take the system-call filters over to the new program");
	*s = (struct gst_seccomp){k.mode, k.n_filter ? place : 0, k.n_filter, k.n_insn};
	for (uint32_t left = k.n_filter; left; left--) {
		struct filter *f = filter_at(place);

		place += f->n + 1;
		f->before = left > 1 ? place : 0;
	}
	g->filter_places = place;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Arithmetic: a = a OP b. Returns 0 when it divides by zero. */
static int compute(uint16_t code, uint32_t *a, uint32_t b)
{
	switch (code & ~SRC_X) {
	case ADD: *a += b; break;
	case SUB: *a -= b; break;
	case MUL: *a *= b; break;
	case DIV:
		if (!b)
			return 0;
		*a /= b;
		break;
	case OR: *a |= b; break;
	case AND: *a &= b; break;
	case XOR: *a ^= b; break;
	case LSH: *a <<= b & 31; break;
	case RSH: *a >>= b & 31; break;
	}
	return 1;
}

static int is_true(uint16_t code, uint32_t a, uint32_t b)
{
	switch (code & ~SRC_X) {
	case JEQ: return a == b;
	case JGT: return a > b;
	case JGE: return a >= b;
	default: return (a & b) != 0;
	}
}

/* Run a checked filter. Returns its answer. */
static uint32_t run_filter(const struct insn *f, const struct call_facts *facts)
{
	uint32_t a = 0, x = 0, memory[N_MEMORY] = {0};

	for (;; f++) {
		const uint32_t b = f->code & SRC_X ? x : f->k;

		switch (f->code) {
		case LD_IMM: a = f->k; break;
		case LD_ABS: memcpy(&a, (const uint8_t *)facts + f->k, 4); break;
		case LD_MEM: a = memory[f->k]; break;
		case LD_LEN: a = sizeof(*facts); break;
		case LDX_IMM: x = f->k; break;
		case LDX_MEM: x = memory[f->k]; break;
		case LDX_LEN: x = sizeof(*facts); break;
		case ST: memory[f->k] = a; break;
		case STX: memory[f->k] = x; break;
		case TAX: x = a; break;
		case TXA: a = x; break;
		case NEG: a = 0 - a; break;
		case RET_K: return f->k;
		case RET_A: return a;
		case JA: f += f->k; break;
		default:
			if (is_jump(f->code))
				f += is_true(f->code, a, b) ? f->jt : f->jf;
			else if (!compute(f->code, &a, b))
				return RET_KILL_THREAD;
		}
	}
}

/* The severest answer of all filters; among equals that of the newest. */
static uint32_t verdict(const struct gst *g, const struct call_facts *facts)
{
	uint32_t result = RET_ALLOW;

	for (uint32_t at = g->t->seccomp.newest; at; at = filter_at(at)->before) {
		uint32_t now = run_filter(FILTERS + at + 1, facts);

		if ((int32_t)(now & 0xffff0000u) < (int32_t)(result & 0xffff0000u))
			result = now;
	}
	return result;
}

static void trap(struct gst *g, const struct call_facts *facts, uint32_t data)
{
	struct gst_siginfo info = {.sig = GST_SIGSYS,
				   .err = (int32_t)data,
				   .code = 1 /* SYS_SECCOMP */,
				   .addr = facts->pc};

	memcpy(info.rest, &facts->nr, 4);
	memcpy(info.rest + 4, &facts->arch, 4);
	gst_signal_force(g, &info, NULL);
}

long gst_seccomp_offers(struct gst *g, const uint64_t *a)
{
	uint32_t answer = 0;

	if (!a[1] && !gst_copy_in(&answer, a[2], sizeof(answer)) && answer == RET_USER_NOTIF)
		return -EOPNOTSUPP;
	return gst_call_pass(g, a);
}

static int is_strictly_allowed(uint32_t arch, uint64_t nr)
{
	if (arch == GST_AUDIT_I386)
		return nr == 3 || nr == 4 || nr == 1 || nr == 119 /* read write exit sigreturn */;
	return nr == __NR_read || nr == __NR_write || nr == __NR_exit || nr == __NR_rt_sigreturn;
}

int gst_seccomp_stops(struct gst *g, uint32_t arch, uint64_t nr, const uint64_t *args, long *ret)
{
	struct call_facts facts = {(uint32_t)nr, arch, g->gs->pc, {0}};
	uint32_t answer, data;

	if (!g->t->seccomp.mode)
		return 0;
	*ret = GST_NO_ANSWER;
	if (g->t->seccomp.mode == 1) {
		if (is_strictly_allowed(arch, nr))
			return 0;
		gst_signal_kill(g, GST_SIGKILL);
		return 1;
	}
	memcpy(facts.args, args, sizeof(facts.args));
	answer = verdict(g, &facts);
	data = answer & 0xffff;
	switch (answer & 0xffff0000u) {
	case RET_ALLOW:
	case RET_LOG: return 0;
	case RET_ERRNO: *ret = -(long)(data > 4095 ? 4095 : data); return 1;
	case RET_TRACE:
	case RET_USER_NOTIF: *ret = -ENOSYS; return 1;
	case RET_TRAP: trap(g, &facts, data); return 1;
	case RET_KILL_THREAD:
		if (g->t->process->n_threads > 1) {
			gst_robust_farewell(g);
			gst_sched_leave(g, GST_SIGSYS);
		}
		gst_signal_kill(g, GST_SIGSYS);
		return 1;
	default: /* KILL, and what the kernel does not know either */
		gst_signal_kill(g, GST_SIGSYS);
		return 1;
	}
}
