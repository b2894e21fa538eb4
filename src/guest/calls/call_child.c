/* call_child.c -- which calls let a deferred SIGCHLD in, and when.
 *
 * A call that asks for children, and finds one, ends first: its handler runs behind it, as it does
 * when the child ends during the call. So a parent that waits has one order of events, whether its
 * child was faster or slower than it. Before any other call that would wait now the handler runs.
 * Calls that wait for nothing leave the signal deferred. Rules: guest/signals/child.h.
 */
#include "guest/calls/call_child.h"

#include "guest/call.h"
#include "guest/gst.h"
#include "guest/signals/child.h"

#define P_ALL_CODE	  0
#define P_PID_CODE	  1
#define P_PGID_CODE	  2
#define WNOHANG_FLAG	  1u
#define WUNTRACED_FLAG	  2u
#define WEXITED_FLAG	  4u
#define WCONTINUED_FLAG	  8u
#define WNOWAIT_FLAG	  0x01000000u
#define KINDS_OF_CHILDREN 0xe0000000u /* __WNOTHREAD, __WALL, __WCLONE */

/* Calls that give the processor away, or end the program's image. */
static int gives_way(const struct gst *g, uint32_t number)
{
	if (number == GST_NO_LIKE)
		return g->t->call_number == NR32_execve || g->t->call_number == NR32_execveat;
	return number == __NR_sched_yield || number == __NR_execve || number == __NR_execveat;
}

static int asks_for_children(uint32_t number)
{
	return number == __NR_wait4 || number == __NR_waitid;
}

static uint32_t wait_options(uint32_t number, const uint64_t *a)
{
	return (uint32_t)a[number == __NR_waitid ? 3 : 2];
}

/* Returns 1 if there is a child that wait4 or waitid with these arguments asks for, 0 if there is
 * none yet, negative if none can come. */
static int look_for_child(uint32_t number, const uint64_t *a)
{
	const int32_t pid = (int32_t)a[0];
	uint32_t options = wait_options(number, a);
	uint64_t type = a[0], id = a[1];
	struct gst_siginfo found = {0};

	if (number == __NR_wait4) {
		options &= WUNTRACED_FLAG | WCONTINUED_FLAG | KINDS_OF_CHILDREN;
		options |= WEXITED_FLAG;
		type = pid == -1 ? P_ALL_CODE : pid > 0 ? P_PID_CODE : P_PGID_CODE;
		id = pid == 0 ? (uint64_t)SYS1(getpgid, 0)
			      : (uint64_t)(pid < 0 ? -(int64_t)pid : pid);
	}
	options |= WNOHANG_FLAG | WNOWAIT_FLAG;
	if (SYS6(waitid, type, id, &found, options, NULL, 0) < 0)
		return -1;
	return (int32_t)found.addr /* si_pid */ != 0;
}

/* A deferred signal comes before its handler is replaced. */
static int sets_action(const struct gst *g, uint32_t number, const uint64_t *a)
{
	const uint32_t number32 = g->t->call_number;

	if (a[0] != GST_SIGCHLD)
		return 0;
	if (number == GST_NO_LIKE)
		return number32 == NR32_signal ||
		       ((number32 == NR32_sigaction || number32 == NR32_rt_sigaction) && a[1]);
	return number == __NR_rt_sigaction && a[1];
}

static int would_wait(const struct gst *g, const uint64_t *words)
{
	return gst_call_may_wait(g, words) || gives_way(g, gst_call_acts_like(g, words[0]));
}

/* Keeps has_waited: has a call waited, or looked, since the program blocked SIGCHLD? */
static void note_wait(struct gst *g, uint32_t number, const uint64_t *words)
{
	struct gst_child_signal *child = &g->t->sig.child;

	if (!(g->t->sig.mask & GST_BIT(GST_SIGCHLD)))
		child->has_waited = 0;
	else if (!child->has_waited)
		child->has_waited = asks_for_children(number) || number == __NR_rt_sigpending ||
				    would_wait(g, words);
}

static int is_pause(const struct gst *g, uint32_t number)
{
	if (number == GST_NO_LIKE)
		return g->t->call_number == NR32_sigsuspend ||
		       g->t->call_number == NR32_rt_sigsuspend;
	return number == __NR_pause || number == __NR_rt_sigsuspend;
}

int gst_call_child_before(struct gst *g, const uint64_t *words)
{
	const uint32_t number = gst_call_acts_like(g, words[0]);
	const uint64_t *a = words + 1;
	int child;

	note_wait(g, number, words);
	if (!gst_child_is_deferred(g))
		return 0;
	if (asks_for_children(number)) {
		child = look_for_child(number, a);
		if (child == 0 && !(wait_options(number, a) & WNOHANG_FLAG))
			gst_child_let_in(g, 0);
		return child > 0;
	}
	if (sets_action(g, number, a) || would_wait(g, words))
		gst_child_let_in(g, is_pause(g, number));
	return 0;
}

void gst_call_child_after(struct gst *g, const uint64_t *words, long ret, int was_there)
{
	const uint32_t number = gst_call_acts_like(g, words[0]);

	if (!gst_child_is_deferred(g))
		return;
	if (ret == -EINTR || ret == GST_RESTARTS || ret == GST_RESTARTS_ANYWAY) {
		gst_child_let_in(g, is_pause(g, number));
		return;
	}
	/* it ended during the call */
	if (number == __NR_wait4)
		was_there |= ret > 0;
	else if (number == __NR_waitid && !(wait_options(number, words + 1) & WNOHANG_FLAG))
		was_there |= ret == 0;
	if (was_there)
		gst_child_let_in(g, 1);
}
