/* exec.c -- replaces the program by another one: builds the arguments of a new runtime, and
 * hands the process's state over. Rules: exec.h. */
#include "guest/start/exec.h"

#include <linux/elf.h>
#include <linux/fcntl.h>

#include "guest/memory/areas.h"
#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/files/digest.h"
#include "guest/start/exec_file.h"
#include "guest/calls/seccomp.h"
#include "guest/gst.h"
#include "guest/signals/child.h"
#include "guest/signals/signal.h"

#define SIG_IGN_HANDLER 1

/* ---- before: the old program ----------------------------------------------------------------- */

/* Decimal digits of n; returns the text. */
static const char *number(char *to, int n)
{
	struct gst_text t;

	gst_text_start(&t, to, 12);
	gst_text_dec(&t, n);
	return to;
}

/* A vector of pointers under construction in scratch memory. */
struct vector {
	uint64_t *at;
	uint64_t n;
};

static long add_pointer(struct vector *v, uint64_t pointer)
{
	if ((uint64_t)(v->at + v->n) >= GST_SCRATCH + GST_SCRATCH_BYTES)
		return -E2BIG;
	v->at[v->n++] = pointer;
	return 0;
}

/* The program's vector of pointers of `bytes` (4 or 8) each, without the first `skip`, and the 0
 * at its end. *n receives how many there were. */
static long add_all(struct vector *v, uint64_t from, unsigned bytes, unsigned skip, uint64_t *n)
{
	uint64_t p = 0;
	long ret;

	for (*n = 0; from; ++*n) {
		if (gst_copy_in(&p, from + bytes * *n, bytes))
			return -EFAULT;
		if (!p)
			break;
		ret = *n < skip ? 0 : add_pointer(v, p);
		if (ret)
			return ret;
	}
	return 0;
}

/* The argument vector of the image: connections, file, what a script adds, then the program's
 * arguments. Behind it the environment. Returns 0 or -errno. */
static long build(struct gst *g, const struct gst_exec_file *f, const struct gst_exec *e,
		  char (*text)[12], uint64_t **envp)
{
	struct vector v = {(uint64_t *)(GST_SCRATCH + GST_EXEC_SCRATCH), 0};
	uint64_t n;
	long ret;

	add_pointer(&v, (uint64_t) "softpmu-guest");
	for (int k = 0; k < SHR_N_FDS; k++)
		add_pointer(&v, (uint64_t)number(text[k], gst_process_hidden(g)->fd[k]));
	add_pointer(&v, (uint64_t)number(text[SHR_N_FDS], f->fd));
	add_pointer(&v, (uint64_t)f->path);
	for (unsigned k = 0; k < f->n_prefix; k++)
		add_pointer(&v, (uint64_t)f->prefix[k]);
	ret = add_all(&v, e->argv, e->pointer_bytes, f->n_prefix != 0, &n);
	if (!ret && !n && !f->n_prefix)
		ret = add_pointer(&v, (uint64_t) "");
	if (!ret)
		ret = add_pointer(&v, 0);
	*envp = v.at + v.n;
	if (!ret)
		ret = add_all(&v, e->envp, e->pointer_bytes, 0, &n);
	return ret ? ret : add_pointer(&v, 0);
}

/* Give the kernel what the new program inherits through it: ignored signals, timers, the mask, and
 * signals that the runtime held because they were blocked. */
static void hand_over(struct gst *g)
{
	for (int sig = 1; sig <= GST_SIGSEGV; sig++) {
		struct gst_action ignore = {.handler = SIG_IGN_HANDLER};

		if ((GST_BIT(sig) & GST_SYNC_SIGNALS) &&
		    gst_process_actions(g)[sig].handler == SIG_IGN_HANDLER)
			SYS4(rt_sigaction, sig, &ignore, NULL, 8);
	}
	gst_timers_leave(g);
	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &g->t->sig.mask, NULL, 8);
	/* Signals held because they are blocked are the kernel's from now on. */
	for (int sig = 1; sig <= GST_MOST_HELD; sig++) {
		if (g->t->sig.held & GST_BIT(sig))
			SYS3(tgkill, SYS0(getpid), SYS0(gettid), sig);
	}
	g->t->sig.held = 0;
	gst_child_none(g->t);
}

/* The exec failed after all. */
static void take_back(struct gst *g)
{
	for (int sig = 1; sig <= GST_SIGSEGV; sig++) {
		if (GST_BIT(sig) & GST_SYNC_SIGNALS)
			gst_signal_host_action(g, sig);
	}
	gst_timers_return(g);
	gst_signal_host_mask(g);
}

/* All is ready but the arguments: execute the image. */
static long replace(struct gst *g, const struct gst_exec_file *f, const struct gst_exec *e)
{
	char text[SHR_N_FDS + 1][12];
	uint64_t *envp;
	uint64_t words[7] = {__NR_execveat, (uint64_t)gst_process_hidden(g)->fd[SHR_FD_IMAGE],
			     (uint64_t) "", GST_SCRATCH + GST_EXEC_SCRATCH};
	long ret = build(g, f, e, text, &envp);

	gst_no_kicks(g);
	if (!ret)
		ret = gst_seccomp_leave(g, gst_process_hidden(g)->fd[SHR_FD_MEMORY]);
	if (ret)
		return ret;
	words[4] = (uint64_t)envp;
	words[5] = AT_EMPTY_PATH;
	hand_over(g);
	ret = gst_has_mates(g) && !gst_is_vforked(g) ? gst_process_replace(g, words)
						     : gst_call(words, &g->t->sig.waits);
	take_back(g);
	return ret;
}

static long connect_and_replace(struct gst *g, const struct gst_exec_file *f,
				const struct gst_exec *e)
{
	uint64_t all = ~GST_SYNC_SIGNALS;
	struct gst_hidden parents;
	int connects;
	long ret = 0;

	SYS4(rt_sigprocmask, 2, &all, NULL, 8);
	if (gst_signal_waits(g)) {
		gst_signal_host_mask(g);
		return GST_NOT_STARTED;
	}
	gst_ring_flush(g, 0);
	g->ctl->start.stack_limit = g->stack_limit;
	g->ctl->start.cpus = g->t->cpus;
	g->ctl->start.policy = g->t->policy;
	/* the kernel's stay lifted: the next runtime needs room, too */
	g->ctl->start.space_limit = g->space_limit;
	g->ctl->start.data_limit = g->data_limit;
	connects = gst_is_vforked(g) || gst_has_mates(g);
	if (connects)
		ret = gst_is_vforked(g) ? gst_vfork_connect(g, &parents)
					: gst_process_connect(g, &parents);
	if (!ret) {
		ret = replace(g, f, e);
		if (connects)
			gst_vfork_disconnect(g, &parents);
	}
	gst_signal_host_mask(g);
	return ret;
}

long gst_exec(struct gst *g, const struct gst_exec *e)
{
	struct gst_exec_file f;
	long ret = gst_exec_file_open(g, e->dir, e->path, e->flags, &f);

	/* exec ends the sharing: get an own table first, so that the file opened here does not stay
	 * in the shared one */
	if (!ret && gst_process_shares_files(g)) {
		SYS1(close, f.fd);
		gst_process_own_files(g);
		ret = gst_exec_file_open(g, e->dir, e->path, e->flags, &f);
	}
	if (ret)
		return ret;
	ret = connect_and_replace(g, &f, e);
	SYS1(close, f.fd);
	return ret;
}

long gst_call_execve(struct gst *g, const uint64_t *a)
{
	const struct gst_exec e = {
	    .dir = AT_FDCWD, .path = a[0], .argv = a[1], .envp = a[2], .pointer_bytes = 8};

	return gst_exec(g, &e);
}

long gst_call_execveat(struct gst *g, const uint64_t *a)
{
	const struct gst_exec e = {(int)a[0], a[1], a[2], a[3], a[4], 8};

	return gst_exec(g, &e);
}

long gst_call_execve32(struct gst *g, const uint64_t *a)
{
	const struct gst_exec e = {
	    .dir = AT_FDCWD, .path = a[0], .argv = a[1], .envp = a[2], .pointer_bytes = 4};
	const struct gst_exec at = {(int)a[0], a[1], a[2], a[3], a[4], 4};

	return gst_exec(g, a[-1] == 11 ? &e : &at);
}

/* ---- after: the new program ------------------------------------------------------------------ */

/* The arguments and environment, in scratch memory from gst_exec_arrive() to gst_exec_settle(). */
struct arrival {
	uint32_t n_argv, n_envp, text_bytes, zero;
	char text[]; /* in the order of shr_start: path, arguments, environment */
};

static void put_text(struct arrival *a, const char *text)
{
	size_t n = gst_length(text) + 1;

	if (n > SHR_START_BYTES - a->text_bytes)
		gst_fail("the arguments and environment of the program take more than 8 MiB");
	memcpy(a->text + a->text_bytes, text, n);
	a->text_bytes += (uint32_t)n;
}

int gst_exec_arrive(uint64_t argc, const uint64_t *argv)
{
	struct arrival *a = (struct arrival *)GST_SCRATCH;
	const uint64_t *p = argv + 1 + SHR_N_FDS;
	int fd;

	if (argc <= 1 + SHR_N_FDS)
		return -1;
	if (argc < 2 + GST_EXEC_ARGS)
		gst_fail("this is a part of softpmu and not a command");
	a->n_argv = a->n_envp = a->text_bytes = 0;
	fd = (int)gst_number((const char *)p[0]);
	put_text(a, (const char *)p[1]);
	for (p += 2; *p; p++, a->n_argv++)
		put_text(a, (const char *)*p);
	for (p++; *p; p++, a->n_envp++)
		put_text(a, (const char *)*p);
	return fd;
}

void gst_exec_settle(struct gst *g)
{
	const struct arrival *a = (const struct arrival *)GST_SCRATCH;
	struct shr_start *s = &g->ctl->start;
	uint8_t ident[EI_NIDENT];
	struct req_box *b;

	memcpy((void *)(SHR_CTL_BASE + SHR_START_OFF), a->text, a->text_bytes);
	s->n_argv = a->n_argv;
	s->n_envp = a->n_envp;
	s->text_bytes = a->text_bytes;
	s->mode = SYS4(pread64, g->exe_fd, ident, sizeof(ident), 0) == (long)sizeof(ident) &&
			  ident[EI_CLASS] == ELFCLASS32
		      ? SHR_MODE_32
		      : SHR_MODE_64;
	b = gst_ask_box(g);
	if (gst_length(g->exe) < REQ_PAGE_BYTES)
		memcpy(b->pages[0], g->exe, gst_length(g->exe) + 1);
	else
		b->pages[0][0] = 0;
	gst_ask(g, REQ_EXEC);
	gst_digest_word(g, __NR_execve);
	g->ctl->n_syscalls++;
}
