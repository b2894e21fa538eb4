/* ptrace.c -- a thread of the program is stopped and looked at by another process in its memory.
 * Rules: ptrace.h. */
#include "guest/calls/ptrace.h"

#include <linux/elf.h>
#include <linux/ptrace.h>
#include <linux/wait.h>

#include "guest/calls/calls.h"
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/threads/traced.h"

#define STATUS_STOPPED	  0x7fu
#define EVENT_STOP_STATUS (GST_SIGTRAP << 8 | STATUS_STOPPED | PTRACE_EVENT_STOP << 16)
#define SIGCHLD_NUMBER	  17
#define CLD_TRAPPED_CODE  4
#define DATA_64		  0x2bu

/* The kernel's user_regs_struct of x86-64 and of i386. */
struct regs64 {
	uint64_t r15, r14, r13, r12, rbp, rbx, r11, r10, r9, r8, rax, rcx, rdx, rsi, rdi, orig_rax,
	    rip, cs, eflags, rsp, ss, fs_base, gs_base, ds, es, fs, gs;
};
struct regs32 {
	uint32_t ebx, ecx, edx, esi, edi, ebp, eax, ds, es, fs, gs, orig_eax, eip, cs, eflags, esp,
	    ss;
};

/* Of a thread in a system call, the number of that; else -1. */
static uint64_t call_of(const struct gst_thread *t)
{
	return t->state == GST_THREAD_READY ? ~0ull : t->call_number;
}

static void take64(const struct gst_thread *t, struct regs64 *r)
{
	const uint64_t *q = t->regs.gpr;

	*r = (struct regs64){t->r15,
			     q[14],
			     q[13],
			     q[12],
			     q[5],
			     q[3],
			     q[11],
			     q[10],
			     q[9],
			     q[8],
			     q[0],
			     q[1],
			     q[2],
			     q[6],
			     q[7],
			     call_of(t),
			     t->regs.pc,
			     GST_CODE_64,
			     t->regs.rflags,
			     q[4],
			     DATA_64,
			     t->fs,
			     t->regs.gs_base,
			     0,
			     0,
			     t->regs.selector[GST_FS],
			     t->regs.selector[GST_GS]};
}

static void take32(const struct gst_thread *t, struct regs32 *r)
{
	const uint64_t *q = t->regs.gpr;
	const uint16_t *s = t->regs.selector;

	*r = (struct regs32){(uint32_t)q[3],
			     (uint32_t)q[1],
			     (uint32_t)q[2],
			     (uint32_t)q[6],
			     (uint32_t)q[7],
			     (uint32_t)q[5],
			     (uint32_t)q[0],
			     s[GST_DS],
			     s[GST_ES],
			     s[GST_FS],
			     s[GST_GS],
			     (uint32_t)call_of(t),
			     (uint32_t)t->regs.pc,
			     s[GST_CS],
			     (uint32_t)t->regs.rflags,
			     (uint32_t)q[4],
			     s[GST_SS]};
}

/* The registers in the layout of the program's width. Returns their bytes. */
static uint64_t take_registers(const struct gst *g, const struct gst_thread *t, void *to)
{
	if (g->layout.is_32) {
		take32(t, to);
		return sizeof(struct regs32);
	}
	take64(t, to);
	return sizeof(struct regs64);
}

/* GETREGSET: a struct iovec of the program's width. */
static long get_set(struct gst *g, const struct gst_thread *t, uint64_t which, uint64_t at)
{
	const unsigned word = g->layout.word;
	uint64_t base = 0, bytes = 0, all;
	struct regs64 r;

	if (which != NT_PRSTATUS)
		return -EINVAL; /* as a processor without it */
	if (gst_copy_in(&base, at, word) || gst_copy_in(&bytes, at + word, word))
		return -EFAULT;
	all = take_registers(g, t, &r);
	if (bytes > all)
		bytes = all;
	return gst_copy_out(base, &r, bytes) || gst_copy_out(at + word, &bytes, word) ? -EFAULT : 0;
}

/* A word at `from`, where the raw system call puts it. */
static long peek(struct gst *g, uint64_t from, uint64_t to)
{
	uint64_t word;

	if (gst_copy_in(&word, from, g->layout.word))
		return -EIO;
	return gst_copy_out(to, &word, g->layout.word);
}

static long peek_user(struct gst *g, const struct gst_thread *t, uint64_t at, uint64_t to)
{
	struct regs64 r;
	uint64_t bytes = take_registers(g, t, &r), word = 0;

	if (at % g->layout.word)
		return -EIO;
	if (at < bytes)
		memcpy(&word, (const char *)&r + at, g->layout.word);
	return gst_copy_out(to, &word, g->layout.word);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void stop_thread(struct gst_thread *t, uint32_t status)
{
	__atomic_store_n(&t->is_stopped, 1, __ATOMIC_SEQ_CST);
	t->stop_status = status;
}

static long attach(struct gst *g, struct gst_thread *t, int is_seize)
{
	if (t->process == g->t->process || t->tracer)
		return -EPERM;
	t->tracer = g->t;
	g->n_traced++;
	if (!is_seize)
		stop_thread(t, GST_SIGSTOP << 8 | STATUS_STOPPED);
	return 0;
}

static long refuse_trace(struct gst *g)
{
	gst_warn(g,
		 "the program wants to trace (ptrace); refused, because it would see translated "
		 "code",
		 NULL);
	return -EPERM;
}

/* Send what the tracer wants its thread to get, then let that go on. */
static long let_go_with(struct gst *g, struct gst_thread *t, uint64_t sig, int is_last)
{
	if (sig > GST_N_SIGNALS)
		return -EIO;
	if (sig)
		SYS3(tgkill, t->process->pid, t->tid, sig);
	if (is_last)
		gst_traced_detach(g, t);
	else
		gst_traced_go_on(t);
	return 0;
}

/* Do the tracer's request about its thread t, which has stopped. Returns the answer of
 * ptrace(2). */
static long answer_tracer(struct gst *g, struct gst_thread *t, const uint64_t *a)
{
	struct regs64 r;
	uint64_t bytes;

	switch (a[0]) {
	case PTRACE_CONT:
	case PTRACE_DETACH: return let_go_with(g, t, a[3], a[0] == PTRACE_DETACH);
	case PTRACE_PEEKTEXT:
	case PTRACE_PEEKDATA: return peek(g, a[2], a[3]);
	case PTRACE_PEEKUSR: return peek_user(g, t, a[2], a[3]);
	case PTRACE_GETREGS:
		bytes = take_registers(g, t, &r);
		return gst_copy_out(a[3], &r, bytes) ? -EFAULT : 0;
	case PTRACE_GETREGSET: return get_set(g, t, a[2], a[3]);
	default: return refuse_trace(g);
	}
}

long gst_call_ptrace(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t =
	    gst_has_mates(g) && a[0] != PTRACE_TRACEME ? gst_thread_of(g, (int32_t)a[1]) : NULL;

	if (!t)
		return refuse_trace(g);
	if (a[0] == PTRACE_ATTACH || a[0] == PTRACE_SEIZE)
		return attach(g, t, a[0] == PTRACE_SEIZE);
	if (t->tracer != g->t)
		return -ESRCH;
	if (a[0] == PTRACE_INTERRUPT) {
		if (!t->is_stopped)
			stop_thread(t, EVENT_STOP_STATUS);
		return 0;
	}
	return t->is_stopped ? answer_tracer(g, t, a) : -ESRCH;
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Returns 1 if wait4(pid) or, with is_id, waitid(type, pid) asks for thread t. */
static int is_asked_for(const struct gst_thread *t, const uint64_t *a, int is_id)
{
	const int32_t pid = (int32_t)(is_id ? a[1] : a[0]);

	if (is_id)
		return a[0] == P_ALL || (a[0] == P_PID && pid == t->tid);
	return pid == -1 || pid == t->tid;
}

static long show_info(const struct gst *g, const struct gst_thread *t, uint64_t at)
{
	struct gst_siginfo info = {.sig = SIGCHLD_NUMBER, .code = CLD_TRAPPED_CODE};
	const uint32_t status = t->stop_status >> 8;

	if (!at)
		return 0;
	/* si_pid, si_uid, si_status follow the head, which a 64-bit program has padded */
	if (g->layout.is_32) {
		const int32_t word[6] = {info.sig, 0, info.code, t->tid, 0, (int32_t)status};

		return gst_copy_out(at, word, sizeof(word));
	}
	info.addr = (uint32_t)t->tid;
	memcpy(info.rest, &status, 4);
	return gst_copy_out(at, &info, sizeof(info));
}

long gst_ptrace_wait(struct gst *g, const uint64_t *a, int is_id)
{
	const uint64_t options = is_id ? a[3] : a[2];

	for (struct gst_thread *t = g->sched.first; t; t = t->next) {
		if (!t->tracer || t->tracer->process != g->t->process || !t->stop_status ||
		    !is_asked_for(t, a, is_id))
			continue;
		if (is_id ? show_info(g, t, a[2]) : a[1] && gst_copy_out(a[1], &t->stop_status, 4))
			return -EFAULT;
		if (!(is_id && (options & WNOWAIT)))
			t->stop_status = 0;
		return is_id ? 0 : t->tid;
	}
	return GST_NO_STOP;
}
