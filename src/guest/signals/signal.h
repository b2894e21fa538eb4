/* signal.h -- signals of the program.
 *
 * RULES
 *   mask          the kernel's mask of the process is the program's mask, so the kernel itself
 *                 keeps what is pending. SEGV, BUS, FPE, ILL and TRAP are never blocked in the
 *                 kernel, because translated code may raise them at any time. When such a signal
 *                 is sent and the program blocks it, the runtime holds it.
 *   waiting       the runtime's handler catches one asynchronous signal and blocks all others
 *                 until that one is delivered; the program sees it at the next instruction
 *                 boundary where nothing is half recorded: a block head (stream), or the next
 *                 block head reached by single steps (counts).
 *   deferred      SIGCHLD for a child's end waits for a call that waits (child.h).
 *   dispositions  what the program ignores or leaves to a harmless default is left to the
 *                 kernel; a default that ends the program goes through the runtime, which
 *                 reports first.
 * MODELLED        rt_sigframe as the kernel builds it, with all that the registers hold
 *                 (fpstate.c), alternate stacks with SS_AUTODISARM, all SA_ flags, restart of
 *                 system calls, masks that last for one call (sigsuspend, ppoll).
 * NOT MODELLED    what fpstate.c and signal32.h name.
 * SOURCES         sigaction(2), sigreturn(2), signal(7); System V ABI AMD64; Intel SDM vol. 1
 *                 ch. 13.
 */
#ifndef SOFTPMU_GUEST_SIGNAL_H
#define SOFTPMU_GUEST_SIGNAL_H

#include <stdint.h>

#define GST_N_SIGNALS 64
#define GST_KICK      65 /* not a signal of the program: softpmu asks it to come to a boundary */

/* si_code of a signal that the runtime sends to one thread for a kill(): the kernel allows no
 * SI_USER there. The handler shows SI_USER. */
#define GST_SI_KILL (-0x5350)

/* si_code in place of SI_KERNEL, for a signal that the kernel would send itself. */
#define GST_SI_KERNEL (-0x5351)

/* si_code in place of TRAP_PERF: an event with sigtrap has overflowed. */
#define GST_SI_PERF   (-0x5352)
#define GST_TRAP_PERF 6

#define GST_SIGINT   2
#define GST_SIGILL   4
#define GST_SIGTRAP  5
#define GST_SIGBUS   7
#define GST_SIGFPE   8
#define GST_SIGKILL  9
#define GST_SIGSEGV  11
#define GST_SIGCHLD  17
#define GST_SIGSTOP  19
#define GST_SIGSYS   31
#define GST_BIT(sig) (1ull << ((sig)-1))
#define GST_SYNC_SIGNALS                                                                           \
	(GST_BIT(GST_SIGILL) | GST_BIT(GST_SIGTRAP) | GST_BIT(GST_SIGBUS) | GST_BIT(GST_SIGFPE) |  \
	 GST_BIT(GST_SIGSEGV))
#define GST_MOST_HELD	GST_SIGCHLD /* the highest signal that the runtime holds */
#define GST_UNBLOCKABLE (GST_BIT(GST_SIGKILL) | GST_BIT(GST_SIGSTOP))

/* The kernel's struct sigaction. */
struct gst_action {
	uint64_t handler, flags, restorer, mask;
};

/* siginfo_t as the kernel passes it; the members that the runtime looks at. */
struct gst_siginfo {
	int32_t sig, err, code, pad;
	uint64_t addr;
	uint8_t rest[128 - 24];
};

/* struct sigevent as the kernel takes it. */
struct gst_sigevent {
	uint64_t value;
	uint32_t sig, notify, thread, rest[11];
};

/* The words that the processor adds to a fault's frame. */
struct gst_trap {
	uint64_t err, number, cr2;
};

struct gst_altstack {
	uint64_t sp;
	uint32_t flags, zero;
	uint64_t bytes;
};

enum gst_fault_kind {
	GST_FAULT_SIGNAL = 1, /* deliver `info` */
	GST_FAULT_STORE,      /* the block wrote into its own page: go on by the map */
	GST_FAULT_STEP,	      /* one native step ended: step.h */
	GST_FAULT_BREAK,      /* nothing wrong: stopped inside a repeated string instruction */
	GST_FAULT_STOP,	      /* nothing wrong: stopped at a block head for a signal */
	/* the block could not read its own source and did nothing: translate it anew */
	GST_FAULT_SOURCE,
};

/* A stop inside translated code, on its way from the host's handler to the runtime. */
struct gst_fault {
	int kind; /* enum gst_fault_kind */
	uint32_t block, insn;
	int is_bumped;
	uint64_t store_lo; /* GST_FAULT_STORE: the address written */
	struct gst_siginfo info;
	struct gst_trap trap;
};

/* A fault as the kernel reported it. */
struct gst_access {
	struct gst_siginfo info;
	struct gst_trap trap;
};

/* A deferred SIGCHLD: child.h. */
struct gst_child_signal {
	int is_deferred; /* held, and no boundary delivers it */
	int is_ordered;	 /* the place where it comes does not depend on the host */
	int has_waited;	 /* a call has waited since the program blocked SIGCHLD */
	int timer_made;	 /* identifier of the kernel's timer that bounds the delay, and one; or 0 */
};

/* Of each thread. */
struct gst_thread_signals {
	uint64_t mask;	    /* the program's */
	uint64_t call_mask; /* valid when has_call_mask: mask of the call that was interrupted */
	int has_call_mask;
	/* test hook: signals that are kept away from the call being executed */
	uint64_t quiet;
	int waits; /* signal number caught and not delivered yet, or 0 */
	struct gst_siginfo info;
	/* synchronous signals sent while blocked, and a SIGCHLD that is deferred (child.h) */
	uint64_t held;
	struct gst_siginfo held_info[GST_MOST_HELD + 1];
	struct gst_child_signal child;
	struct gst_altstack alt;
	/* of the last fault that became a signal: all frames show it, as the kernel's do */
	struct gst_trap last;
	uint64_t fetch;		  /* where gst_fetch_raw jumps to, or 0 */
	struct gst_access access; /* the last fault of gst_copy_raw or gst_fetch_raw */
};

/* Where a component of the vector state lies in an area of the host's processor. */
#define GST_FP_PARTS 8u
struct gst_fp_part {
	uint16_t at, bytes;
};

/* Of the memory: translated code, which one thread at a time is in. */
struct gst_signals {
	struct gst_fault fault;
	int is_stepping;     /* single steps to the next block head (SHR_TIER_COUNT) */
	uint64_t step_rip;   /* where the last step was */
	uint64_t xsave_mask; /* components that the program was shown; 0 = FXSAVE format */
	/* components that the host's kernel has switched on; 0 = it knows FXSAVE only */
	uint64_t host_mask;
	struct gst_fp_part part[GST_FP_PARTS]; /* those of host_mask from 2 on */
};

struct gst;
struct gst_thread;
struct shr_block;
struct shr_exit;

/* ---- signal.c ---- */

/* Install the runtime's handlers; takes over dispositions and mask from the parent process. */
void gst_signal_start(struct gst *g);

/* SIGINT has come, or a call has taken it: note when, for softpmu (shr_ctl.interrupt_ns). */
void gst_signal_note_interrupt(struct gst *g);

/* In a forked child: nothing that was sent to the parent waits. */
void gst_signal_child(struct gst *g);

/* Give the kernel the disposition that goes with act[sig]. Returns 0 or -errno. */
long gst_signal_host_action(struct gst *g, int sig);

/* CLONE_CLEAR_SIGHAND on a table: actions with a handler become the default, ignored signals stay
 * ignored. The kernel's dispositions are left as they are. */
void gst_signal_clear(struct gst_action *act);

/* Give the kernel the mask that goes with the program's mask. */
void gst_signal_host_mask(struct gst *g);

/* True when an asynchronous signal waits for the program to reach a boundary. */
int gst_signal_waits(const struct gst *g);

/* Forget the signal that waits when the program neither handles it nor ends by it.
 * Returns 1 when it was forgotten. */
int gst_signal_drop(struct gst *g);

/* Test hook: keep the signals of SHR_CHAOS_SIGNALS away from here on, or let them come again. Does
 * nothing in other runs. */
void gst_signal_quiet(struct gst *g, int is_quiet);

/* True when nothing happens to thread t's process by this signal. */
int gst_signal_is_harmless(const struct gst_thread *t, int sig);

/* True when the program has a handler with SA_RESTART for the signal that waits, or none at all. */
int gst_signal_restarts(const struct gst *g);

/* Deliver the signal that waits, if any. The program's state must be at a boundary (gs->pc valid).
 * Returns 1 when gs->pc changed. */
int gst_signal_deliver(struct gst *g);

/* A signal came but the program is in the middle of a block: make it stop soon. */
void gst_signal_later(struct gst *g);

/* The instruction at gs->pc raised `sig` with si_code `code` and si_addr `addr`: enter the handler
 * or end the program. */
void gst_signal_raise(struct gst *g, int sig, int code, uint64_t addr);

/* The instruction at gs->pc cannot access [at, at + bytes): raise what the processor and the
 * kernel would. how: bits of GST_MEMORY_. To be called when gst_copy_in or gst_copy_out has just
 * failed there, in this thread. */
#define GST_MEMORY_WRITE 1u
#define GST_MEMORY_STACK 2u /* by way of SS */
void gst_signal_memory(struct gst *g, uint64_t at, uint64_t bytes, unsigned how);

/* The kernel's return to the program fails with #GP: the address is not canonical, or `selector` is
 * not one for CS. */
void gst_signal_no_return(struct gst *g, uint32_t selector);

/* The kernel's own SIGSEGV, of no exception: a frame that it cannot write or take back. */
void gst_signal_kernel(struct gst *g);

/* Raise info->sig as a fault, with this info and trap in the handler's frame; trap NULL: no
 * exception of the processor. If the program blocks or ignores the signal, it ends by it. */
void gst_signal_force(struct gst *g, const struct gst_siginfo *info, const struct gst_trap *trap);

/* The program ends by `sig`, whatever handler it has for that. */
void gst_signal_kill(struct gst *g, int sig);

/* The instruction before gs->pc raised processor exception `number` on purpose (INT 3, INT 4):
 * SI_KERNEL. */
void gst_signal_trap(struct gst *g, int sig, unsigned number);

/* gs->pc cannot be executed because of address `addr`. */
void gst_signal_exec_fault(struct gst *g, uint64_t addr);

/* stream/limit.c: set gs->limit, the lowest of the chunk's end, the limits of overflows and of
 * timers; 0 when a signal waits. */
void gst_stop_limit(struct gst *g);

/* ---- calls_signal.c ---- */

/* The program sets an action (signal 1..64). Returns 0 or -errno. */
long gst_signal_set_action(struct gst *g, int sig, const struct gst_action *act);

/* The program sets (set not NULL) and looks at its alternate stack. Returns 0 or -errno. */
long gst_signal_set_altstack(struct gst *g, const struct gst_altstack *set,
			     struct gst_altstack *shown);

/* For a call with a mask of its own: returns the mask that the program asked for. *mask becomes the
 * one that the kernel gets, which never blocks the signals that translated code may raise. */
uint64_t gst_call_mask(struct gst *g, uint64_t *mask);
/* Make the call in words[7] (its number first) while the program's mask is `set`. Returns as the
 * call. */
long gst_call_masked(struct gst *g, const uint64_t *words, uint64_t set);
/* gst_call_mask() and gst_call_masked(), for the call with arguments a[], of which a[at] points to
 * the mask. Returns as the call. */
long gst_call_with_mask(struct gst *g, const uint64_t *a, int at, uint64_t *mask);

/* ---- signal_host.c ---- */

/* The kernel's entry for every caught signal (start.S: gst_on_signal calls it). */
void gst_host_signal(int sig, struct gst_siginfo *info, void *context);

/* In the handler: make the kernel return to the runtime, which goes on with the stop in
 * g->sig.fault. leave_block: in the middle of b, at code offset off, for which the recovery table
 * has an entry. leave_head: at an entry of b, of which nothing was executed. */
struct sigcontext;
void gst_host_leave_block(struct gst *g, struct sigcontext *c, const struct shr_block *b,
			  uint32_t off, int kind);
void gst_host_leave_head(struct gst *g, struct sigcontext *c, const struct shr_block *b);

/* ---- fault.c ---- */

/* Find the block whose code holds host address rip, or NULL; *offset = distance from its start. */
const struct shr_block *gst_block_at(const struct gst *g, uint64_t rip, uint32_t *offset);

/* The state of the machine in block b at code offset `off`, NULL when it has none. */
const struct shr_recover *gst_recover_at(const struct gst *g, const struct shr_block *b,
					 uint32_t off);

/* loop/arrive.c: go on after a stop inside translated code (start.S: gst_after_fault calls it). */
void gst_fault_dispatch(void);

/* ---- signal_frame.c ---- */

/* True when the stack pointer stands on the alternate stack. */
int gst_is_on_altstack(const struct gst *g, uint64_t sp);

/* True when a frame of which fp_bytes are vector state, at sp, would leave the alternate stack
 * that it is on (is_on_alt): the kernel does not write it. Ends the run when it would have
 * stayed on it had the registers held nothing beyond the shown level. */
int gst_frame_overflows(struct gst *g, int is_on_alt, uint64_t sp, uint32_t fp_bytes);

/* Push the frame of a handler and enter it. trap may be NULL. Returns 0 or -EFAULT when the stack
 * cannot be written. */
int gst_frame_push(struct gst *g, const struct gst_action *act, const struct gst_siginfo *info,
		   const struct gst_trap *trap);

/* rt_sigreturn: take the frame at the stack pointer back. Returns 0 or -EFAULT. */
int gst_frame_pop(struct gst *g);

/* ---- fpstate.c ---- */

/* Learn the format of the program's frames. */
void gst_fp_start(struct gst *g);

#define GST_FXSAVE_BYTES 512u

/* Save the live vector state into an area as the kernel writes it into a frame; area is 64-byte
 * aligned and has GST_FP_AREA_BYTES / 2. Returns the bytes of it that belong into the frame:
 * GST_FXSAVE_BYTES without the kernel's size words. */
uint32_t gst_fp_save(struct gst *g, uint8_t *area);

/* Returns what gst_fp_save() returns while the registers hold nothing beyond the shown level. */
uint32_t gst_fp_shown_bytes(const struct gst *g);

/* Read the vector state of a frame at address fp of the program into an area. Returns 0, or
 * -EFAULT for one that the kernel would not take. */
int gst_fp_fetch(struct gst *g, uint8_t *area, uint64_t fp);

/* Load the live vector state from an area of gst_fp_fetch(), or the initial state if area is
 * NULL. */
void gst_fp_load(struct gst *g, uint8_t *area);

/* Put sticky flags that translated code cleared back into the live state (struct
 * shr_fp_bracket): what the program's status shows is its own from here on. */
void gst_fp_put_back(struct gst *g);

/* ---- x87_pc.c ---- */

/* Exit e has just stored an x87 state (SHR_EMU_X87_PC): put the address of the program's own
 * instruction into it. */
void gst_correct_x87_pc(struct gst *g, const struct shr_exit *e);

/* The program's address for pc, an instruction pointer that the x87 has stored: itself unless it
 * is one of translated code. */
uint64_t gst_x87_pc(const struct gst *g, uint64_t pc);

/* ---- record.c ---- */

/* Put the program's registers, as translated code left them in gs->gpr[], where they belong
 * (enum shr_state). */
void gst_undo_state(struct gst *g, uint32_t state, const struct shr_block *b);

/* The last instruction of `block`, whose record is complete, was not executed after all. */
void gst_take_back(struct gst *g, uint32_t block);

/* Change the program's flags other than by its own instructions: the stream learns about DF. */
void gst_set_flags(struct gst *g, uint64_t rflags);

/* The flags as the program sees them. */
uint64_t gst_get_flags(const struct gst *g);

#endif
