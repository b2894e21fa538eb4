/* signal.c -- dispositions, the signal that waits, delivery and default actions. Rules: signal.h.
 *
 * The runtime's own handler is installed for each signal that the program handles, and for each
 * whose default would end the program. It notes one signal per thread (sig.waits) and blocks all
 * others, so that no second one overwrites the note. gst_signal_deliver() is called at the next
 * boundary: it builds the program's frame, or ends the program, and opens the mask again.
 */
#include "guest/signals/signal.h"

#include "guest/memory/copy.h"
#include "guest/gst.h"
#include "guest/signals/child.h"
#include "guest/stream/ring.h"
#include "guest/signals/trap.h"

#define SI_USER	       0
#define SI_QUEUE       (-1)
#define SI_TKILL       (-6)
#define SI_KERNEL_CODE 0x80
#define SIG_DFL	       0
#define SIG_IGN	       1
#define SA_NOCLDSTOP   1ull
#define SA_NOCLDWAIT   2ull
#define SA_SIGINFO     4ull
#define SA_RESTORER    0x04000000ull
#define SA_ONSTACK     0x08000000ull
#define SA_RESTART     0x10000000ull
#define SA_NODEFER     0x40000000ull
#define SA_RESETHAND   0x80000000ull

#define SIGURG_NUMBER 23
#define TIMER_SIGNALS (GST_BIT(14) | GST_BIT(26) | GST_BIT(27)) /* ALRM, VTALRM, PROF */
#define CHAOS_NS      300000

/* Default: nothing happens to the program (CHLD, CONT, URG, WINCH) or the kernel stops it (STOP,
 * TSTP, TTIN, TTOU). */
#define DEFAULT_IS_HARMLESS                                                                        \
	(GST_BIT(17) | GST_BIT(18) | GST_BIT(23) | GST_BIT(28) | GST_BIT(19) | GST_BIT(20) |       \
	 GST_BIT(21) | GST_BIT(22))
#define DEFAULT_DUMPS_CORE                                                                         \
	(GST_BIT(3) | GST_BIT(4) | GST_BIT(5) | GST_BIT(6) | GST_BIT(7) | GST_BIT(8) |             \
	 GST_BIT(11) | GST_BIT(24) | GST_BIT(25) | GST_BIT(31))

extern const char gst_on_signal[], gst_host_return[];

static long host_action(int sig, uint64_t handler, uint64_t flags)
{
	struct gst_action a = {.handler = handler, .flags = flags};

	if (handler > SIG_IGN) {
		a.flags |= SA_SIGINFO | SA_RESTORER | SA_ONSTACK | SA_RESTART;
		a.restorer = (uint64_t)gst_host_return;
		a.mask = ~0ull;
	}
	return SYS4(rt_sigaction, sig, &a, NULL, 8);
}

/* Test hook: a timer of the runtime interrupts the program by SIGURG. Counts must not change. */
static int is_chaos(const struct gst *g, int sig)
{
	return (g->ctl->start.chaos & SHR_CHAOS_SIGNALS) && sig == SIGURG_NUMBER;
}

static void start_chaos(void)
{
	const struct gst_sigevent event = {.sig = SIGURG_NUMBER}; /* notify 0: SIGEV_SIGNAL */
	int64_t times[4] = {0, CHAOS_NS, 0, CHAOS_NS};
	int32_t id = 0;

	if (SYS3(timer_create, 1 /* CLOCK_MONOTONIC */, &event, &id) == 0)
		SYS4(timer_settime, id, 0, times, NULL);
}

/* Tell softpmu whether the program would do something of its own with SIGINT. */
static void show_hearing(struct gst *g)
{
	g->ctl->hears_interrupt = gst_process_actions(g)[GST_SIGINT].handler > SIG_IGN ||
				  (g->t->sig.mask & GST_BIT(GST_SIGINT));
}

void gst_signal_note_interrupt(struct gst *g)
{
	uint64_t now[2] = {0, 0};

	SYS2(clock_gettime, 1 /* CLOCK_MONOTONIC */, now);
	g->ctl->interrupt_ns = now[0] * 1000000000u + now[1];
}

long gst_signal_host_action(struct gst *g, int sig)
{
	const struct gst_action *a = &gst_process_actions(g)[sig];
	uint64_t flags = a->flags & (SA_NOCLDSTOP | SA_NOCLDWAIT);

	if (sig == GST_SIGINT)
		show_hearing(g);
	if (GST_BIT(sig) & GST_UNBLOCKABLE)
		return 0;
	if (!(GST_BIT(sig) & GST_SYNC_SIGNALS) && !is_chaos(g, sig)) {
		if (a->handler == SIG_IGN)
			return host_action(sig, SIG_IGN, flags);
		if (a->handler == SIG_DFL && (GST_BIT(sig) & DEFAULT_IS_HARMLESS))
			return host_action(sig, SIG_DFL, flags);
	}
	return host_action(sig, (uint64_t)gst_on_signal, flags);
}

void gst_signal_clear(struct gst_action *act)
{
	for (int sig = 1; sig <= GST_N_SIGNALS; sig++)
		act[sig] =
		    (struct gst_action){.handler = act[sig].handler == SIG_IGN ? SIG_IGN : SIG_DFL};
}

void gst_signal_host_mask(struct gst *g)
{
	const struct gst_thread_signals *s = &g->t->sig;
	uint64_t mask = ((s->waits ? ~0ull : s->mask) & ~GST_SYNC_SIGNALS) | s->quiet |
			(s->held & GST_BIT(GST_SIGCHLD));

	show_hearing(g);
	SYS4(rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, NULL, 8);
}

void gst_signal_start(struct gst *g)
{
	struct gst_altstack alt = {.sp = (uint64_t)g->t + GST_SIGSTACK_OFF,
				   .bytes = GST_SIGSTACK_BYTES};

	SYS2(sigaltstack, &alt, NULL);
	SYS4(rt_sigprocmask, 0, NULL, &g->t->sig.mask, 8);
	for (int sig = 1; sig <= GST_N_SIGNALS; sig++) {
		struct gst_action a = {0};

		if (SYS4(rt_sigaction, sig, NULL, &a, 8) == 0 && a.handler == SIG_IGN)
			gst_process_actions(g)[sig].handler = SIG_IGN;
		gst_signal_host_action(g, sig);
	}
	gst_process_actions(g)[GST_KICK].handler = SIG_IGN;
	gst_fp_start(g);
	gst_signal_host_mask(g);
	if (g->ctl->start.chaos & SHR_CHAOS_SIGNALS)
		start_chaos();
}

void gst_signal_child(struct gst *g)
{
	g->t->sig.held = 0;
	gst_child_none(g->t);
	if (g->ctl->start.chaos & SHR_CHAOS_SIGNALS)
		start_chaos();
}

static uint32_t load_word(const void *at)
{
	return *(const volatile uint32_t *)at;
}

/* Held signals that the mask in force lets in: that of an interrupted call, as long as there is
 * one. */
static uint64_t let_in(const struct gst *g)
{
	const struct gst_thread_signals *s = &g->t->sig;
	const uint64_t deferred = gst_child_is_deferred(g) ? GST_BIT(GST_SIGCHLD) : 0;

	return s->held & ~(s->has_call_mask ? s->call_mask : s->mask) & ~deferred;
}

int gst_signal_waits(const struct gst *g)
{
	return load_word(&g->t->sig.waits) != 0 || let_in(g);
}

int gst_signal_restarts(const struct gst *g)
{
	const uint32_t waits = load_word(&g->t->sig.waits);
	const uint64_t held = let_in(g);
	const unsigned sig = waits || !held ? waits & 127 : (unsigned)__builtin_ctzll(held) + 1;
	const struct gst_action *a = &gst_process_actions(g)[sig];

	return a->handler <= SIG_IGN || (a->flags & SA_RESTART);
}

static int is_harmless(const struct gst_action *a, int sig)
{
	return a->handler == SIG_IGN ||
	       (a->handler == SIG_DFL && (GST_BIT(sig) & DEFAULT_IS_HARMLESS));
}

int gst_signal_is_harmless(const struct gst_thread *t, int sig)
{
	return is_harmless(&t->process->actions_of->act[sig], sig);
}

int gst_signal_drop(struct gst *g)
{
	int sig = (int)load_word(&g->t->sig.waits);

	if (!sig || !is_harmless(&gst_process_actions(g)[sig], sig))
		return 0;
	*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 0;
	*(volatile int *)&g->t->sig.waits = 0;
	g->t->sig.has_call_mask = 0;
	gst_stop_limit(g);
	gst_signal_host_mask(g);
	return 1;
}

void gst_signal_quiet(struct gst *g, int is_quiet)
{
	uint64_t quiet =
	    is_quiet && (g->ctl->start.chaos & SHR_CHAOS_SIGNALS) ? GST_BIT(SIGURG_NUMBER) : 0;

	if (quiet == g->t->sig.quiet)
		return;
	g->t->sig.quiet = quiet;
	gst_signal_host_mask(g);
}

void gst_signal_later(struct gst *g)
{
	*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 0;
	gst_stop_limit(g);
}

/* End the program by `sig` as the kernel would: report, then die of it. */
__attribute__((noreturn)) static void die(struct gst *g, int sig)
{
	uint64_t mask = ~0ull;

	SYS4(rt_sigprocmask, 2, &mask, NULL, 8);
	gst_process_end(g, (uint32_t)sig);
	host_action(sig, SIG_DFL, 0);
	SYS2(kill, SYS0(getpid), sig);
	mask = ~GST_BIT(sig);
	SYS4(rt_sigprocmask, 2, &mask, NULL, 8);
	for (;;) /* a signal whose default does not kill cannot come here */
		SYS1(exit_group, 128 + sig);
}

/* Enter the handler for `info`, or do the default. Returns 1 when the pc changed. */
static int enter(struct gst *g, const struct gst_siginfo *info, const struct gst_trap *trap)
{
	int sig = info->sig;
	struct gst_action a = gst_process_actions(g)[sig];
	uint32_t payload[2] = {(uint32_t)sig, 0};

	if (is_harmless(&a, sig)) {
		g->t->sig.has_call_mask = 0;
		return 0;
	}
	/* The last block led here, whatever the handler does. */
	gst_ring_word(g, TRC_GO, g->gs->pc);
	if (a.handler == SIG_DFL)
		die(g, sig);
	if (a.flags & SA_RESETHAND) {
		gst_process_actions(g)[sig].handler = SIG_DFL;
		gst_signal_host_action(g, sig);
	}
	if (gst_frame_push(g, &a, info, trap)) {
		/* No room for the frame. */
		if (sig == GST_SIGSEGV)
			die(g, sig);
		gst_signal_kernel(g);
		return 1;
	}
	if (g->t->sig.has_call_mask)
		g->t->sig.mask = g->t->sig.call_mask;
	g->t->sig.has_call_mask = 0;
	g->t->sig.mask |= a.mask & ~GST_UNBLOCKABLE;
	if (!(a.flags & SA_NODEFER))
		g->t->sig.mask |= GST_BIT(sig);
	g->ctl->n_signals++;
	gst_ring_event(g, TRC_SIGNAL, payload, sizeof(payload));
	gst_ring_word(g, TRC_GO, g->gs->pc);
	return 1;
}

/* Does the host decide when it comes? Timers follow instructions, and what the program sends itself
 * comes at its call. */
static int is_of_host(const struct gst_siginfo *info)
{
	switch (info->code) {
	case SI_USER:
	case SI_QUEUE:
	case SI_TKILL: return (int32_t)info->addr /* si_pid */ != (int32_t)SYS0(getpid);
	case SI_KERNEL_CODE: return !(GST_BIT(info->sig) & TIMER_SIGNALS);
	default: return info->code > 0 && info->sig == GST_SIGCHLD;
	}
}

int gst_signal_deliver(struct gst *g)
{
	int changed = 0;

	for (;;) {
		struct gst_siginfo info;
		uint64_t held = let_in(g);
		int is_ordered = 0;

		*(volatile uint32_t *)((char *)g->gs + GST_GS_STOP) = 0;
		if (load_word(&g->t->sig.waits)) {
			info = g->t->sig.info;
			*(volatile int *)&g->t->sig.waits = 0;
			gst_event_signal(g, &info);
			gst_timers_signal(g, &info);
		} else if (held) {
			int sig = __builtin_ctzll(held) + 1;

			info = g->t->sig.held_info[sig];
			g->t->sig.held &= ~GST_BIT(sig);
			if (sig == GST_SIGCHLD)
				is_ordered = gst_child_delivered(g);
		} else {
			break;
		}
		if (enter(g, &info, NULL)) {
			changed = 1;
			g->ctl->host_signals += (uint64_t)(!is_ordered && is_of_host(&info));
		}
		gst_signal_host_mask(g); /* the next one may come at once: the loop sees it */
	}
	if (changed)
		gst_event_turns(g);
	gst_stop_limit(g);
	return changed;
}

void gst_signal_force(struct gst *g, const struct gst_siginfo *info, const struct gst_trap *trap)
{
	struct gst_action *a = &gst_process_actions(g)[info->sig];

	/* A fault that the program blocks or ignores ends it. */
	if (a->handler == SIG_IGN || (g->t->sig.mask & GST_BIT(info->sig)))
		a->handler = SIG_DFL;
	if (trap) {
		g->t->sig.last.number = trap->number;
		g->t->sig.last.err = trap->err;
		if (trap->number == TRAP_PAGE)
			g->t->sig.last.cr2 = trap->cr2;
	}
	enter(g, info, trap);
	gst_signal_host_mask(g);
}

void gst_signal_kill(struct gst *g, int sig)
{
	const struct gst_siginfo info = {.sig = sig};

	gst_process_actions(g)[sig] = (struct gst_action){0};
	gst_signal_force(g, &info, NULL);
}

static uint64_t trap_number(int sig, int code)
{
	switch (sig) {
	case GST_SIGILL: return TRAP_ILLEGAL;
	case GST_SIGTRAP: return code == SI_KERNEL_CODE ? TRAP_BREAKPOINT : TRAP_DEBUG;
	case GST_SIGFPE: return TRAP_DIVIDE;
	default: return TRAP_PROTECTION;
	}
}

void gst_signal_raise(struct gst *g, int sig, int code, uint64_t addr)
{
	struct gst_siginfo info = {.sig = sig, .code = code, .addr = addr};
	struct gst_trap trap = {.number = trap_number(sig, code)};

	gst_signal_force(g, &info, &trap);
}

void gst_signal_trap(struct gst *g, int sig, unsigned number)
{
	struct gst_siginfo info = {.sig = sig, .code = SI_KERNEL_CODE};
	struct gst_trap trap = {.number = number};

	gst_signal_force(g, &info, &trap);
}

void gst_signal_kernel(struct gst *g)
{
	struct gst_siginfo info = {.sig = GST_SIGSEGV, .code = SI_KERNEL_CODE};

	gst_signal_force(g, &info, NULL);
}

void gst_signal_no_return(struct gst *g, uint32_t selector)
{
	g->t->sig.last.number = TRAP_PROTECTION;
	g->t->sig.last.err = selector & 0xfffc;
	gst_signal_kernel(g); /* the program has executed nothing: no RF */
}

/* A page fault at `at`, of an address that the program cannot have mapped: those of the kernel
 * look as if they were there. */
static void no_page(struct gst *g, uint64_t at, uint64_t err)
{
	struct gst_siginfo info = {.sig = GST_SIGSEGV, .code = 1 /* SEGV_MAPERR */, .addr = at};
	struct gst_trap trap = {.number = TRAP_PAGE,
				.cr2 = at,
				.err = err | TRAP_PAGE_USER |
				       (at >= GST_TASK_END ? TRAP_PAGE_PRESENT : 0)};

	gst_signal_force(g, &info, &trap);
}

void gst_signal_memory(struct gst *g, uint64_t at, uint64_t bytes, unsigned how)
{
	const uint64_t end = at + bytes - 1;
	struct gst_access a = g->t->sig.access;

	if (how & GST_MEMORY_WRITE) /* perhaps a look at it had failed already */
		a.trap.err |= TRAP_PAGE_WRITE;
	if (!gst_is_canonical(at) || !gst_is_canonical(end))
		gst_signal_trap(g, how & GST_MEMORY_STACK ? GST_SIGBUS : GST_SIGSEGV,
				how & GST_MEMORY_STACK ? TRAP_STACK : TRAP_PROTECTION);
	else if (!gst_is_program(at, bytes))
		no_page(g, gst_is_program(at, 1) ? GST_PAGE_DOWN(end) : at,
			how & GST_MEMORY_WRITE ? TRAP_PAGE_WRITE : 0);
	else
		gst_signal_force(g, &a.info, &a.trap);
}

void gst_signal_exec_fault(struct gst *g, uint64_t addr)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, addr);
	struct gst_access a = {
	    .info = {.sig = GST_SIGBUS, .code = 2 /* BUS_ADRERR */, .addr = addr},
	    .trap = {.number = TRAP_PAGE, .err = TRAP_PAGE_FETCH | TRAP_PAGE_USER, .cr2 = addr}};

	if (!gst_is_canonical(addr)) { /* a frame says so: branches do not come here (branch.c) */
		gst_signal_no_return(g, 0);
		return;
	}
	/* no entry, or no way back: no exception */
	if ((addr & ~(GST_PAGE - 1)) == GST_VSYSCALL_PAGE && !g->layout.is_32) {
		a.info = (struct gst_siginfo){.sig = GST_SIGSEGV, .code = SI_KERNEL_CODE};
		gst_signal_force(g, &a.info, &g->t->sig.last);
		return;
	}
	if (!v || v->kind == GST_VMA_ENGINE) {
		no_page(g, addr, TRAP_PAGE_FETCH);
		return;
	}
	/* nor does the host execute it: the processor says whether the page is there */
	if (!(v->prot & PROT_EXEC)) {
		g->t->sig.fetch = addr;
		gst_fetch_raw((const void *)addr);
		g->t->sig.fetch = 0;
		a = g->t->sig.access;
	}
	gst_signal_force(g, &a.info, &a.trap); /* else it lies behind the end of its file */
}
