/* thread.h -- what the runtime keeps per thread of the program.
 *
 * Threads of the program are threads of the kernel, but only the one that holds the baton
 * (gst.t) runs the program's code or touches the runtime's state; struct shr_gs is its
 * processor, as it were. What a thread needs without the baton, in the handler of a signal above
 * all, is in its own struct, which a handler finds by its stack.
 *
 * LAYOUT   slots of 1 MiB from GST_SLOTS: struct gst_thread, the stack of signal handlers, the
 *          stack of the runtime (the first thread's lies where _start put it). A slot is used
 *          again when its thread is gone.
 */
#ifndef SOFTPMU_GUEST_THREAD_H
#define SOFTPMU_GUEST_THREAD_H

#include <stddef.h>
#include <stdint.h>

#include "guest/call_state.h"
#include "guest/threads/process.h"
#include "guest/memory/segments.h"
#include "guest/signals/signal.h"
#include "trace/share.h"

#define GST_SLOTS	   (SHR_GS_BASE + 0x10000000ull)
#define GST_SLOT_BYTES	   0x100000ull
#define GST_MAX_SLOTS	   SHR_MOST_THREADS
#define GST_SIGSTACK_OFF   0x10000ull
#define GST_SIGSTACK_BYTES 0x40000ull

/* The part of struct shr_gs that changes hands with the baton, in its order. */
struct gst_registers {
	uint64_t gs_base, seg_base[2];
	uint16_t selector[8];
	uint64_t gpr[16], rflags, pc;
};
_Static_assert(offsetof(struct shr_gs, gs_base) + sizeof(struct gst_registers) ==
		   offsetof(struct shr_gs, rt_stack),
	       "struct gst_registers is a part of struct shr_gs");

/* A blocked thread's place in the line of a futex. */
struct gst_wait {
	struct gst_thread *next, *before;
	uint64_t at; /* address of the word */
	/* of the lock with which the wait shall end, or 0 (FUTEX_WAIT_REQUEUE_PI) */
	uint64_t lock;
	uint32_t bits; /* FUTEX_WAIT_BITSET */
	int is_pi, is_queued;
};

/* Descriptors that a blocked thread waits for; as struct pollfd. */
#define GST_MOST_POLL 16u
struct gst_poll {
	int32_t fd;
	int16_t events, revents;
};

struct gst_thread {
	struct gst_thread_signals sig;
	struct gst_seccomp seccomp;
	struct gst_dispatch dispatch;
	/* RDTSC faults (PR_SET_TSC); the kernel's thread is set alike, so that exec keeps it */
	uint32_t is_tsc_closed;
	uint32_t policy; /* of memory (calls_numa.c); 0 = none */
	uint64_t cpus;	 /* processors that it may run on, a bit each; never 0 */
	struct gst_process *process;
	/* the process that began with this thread; other processes may share its tables */
	struct gst_process own;
	struct gst_thread *next; /* the living, by number */
	uint32_t number;	 /* in the order of birth, from 0 */
	int32_t tid;
	int32_t kernel_tid; /* the kernel clears it when the thread is off its stacks */
	/* enum gst_thread_state; changed by the thread and by the holder */
	uint32_t state;
	uint32_t baton;		  /* futex: what it waits for (sched.c) */
	int is_timeout, is_woken; /* how its last wait ended */
	uint64_t due;		  /* when its wait ends, by gst_sched.now; 0 = not by itself */
	/* when its wait ends by the host's clock, while it is blocked; NULL = never */
	const struct gst_deadline *until;
	/* when the wait of the call being made ends, by the modelled clock; 0 = none, or the
	 * host's clock */
	uint64_t wait_ends_ns;
	uint32_t is_overdue; /* the host's clock says that the wait is over */
	int has_waited;	     /* others ran since it left translated code */
	struct gst_poll poll[GST_MOST_POLL];
	uint32_t n_poll;	   /* descriptors that end its wait */
	uint64_t rt_stack;	   /* top of the runtime's stack */
	struct gst_registers regs; /* while another runs */
	uint64_t r15;
	/* FS base that the thread is born with; valid when has_first_fs */
	uint64_t first_fs;
	int has_first_fs;
	uint64_t set_child_tid;	   /* address in the program's memory, or 0 */
	struct gst_wait wait;	   /* futex.c */
	struct gst_thread *tracer; /* ptrace.c; or NULL */
	uint32_t is_stopped;	   /* by its tracer: its turn does not come */
	uint32_t stop_status;	   /* for its tracer's next wait; 0: the tracer has seen all */
	uint32_t is_buried;	   /* its process is gone, or nearly */
	uint64_t fs;		   /* base, while another runs */
	uint64_t robust;	   /* the program's list of robust mutexes, or 0 */
	uint32_t call_block;	   /* the block whose SYSCALL is being executed */
	int can_deliver;	   /* gs->pc is a boundary: signals may be delivered */
	/* no branch of the program leads to gs->pc: the turn does not end there */
	int is_midway;
	/* the program's alignment-check flag: the host's stays clear, because records are not
	 * aligned; 40000h or 0 */
	uint64_t ac;
	uint64_t tf; /* the program's trap flag (trap_flag.h); 100h or 0 */
	/* an instruction that began with TF is complete: gst_trap_due() as it began */
	int is_trap_due;
	struct gst_segments segments; /* 32-bit programs */
	/* 64-bit program: the call being executed was made by INT 80h */
	int is_call32;
	/* Of the system call being executed: the program's own number; the x86-64 call that it is,
	 * GST_NO_LIKE (call.h): none; and the x86-64 call whose arguments it has if it is none. */
	uint32_t call_number;
	uint32_t call_like;
	uint32_t call_acts_like;
	uint64_t clear_child_tid; /* address in the program's memory, or 0 */
};

struct gst;

/* Memory of slot i < GST_MAX_SLOTS, all zero when it is used for the first time; NULL when the
 * kernel gives none. */
struct gst_thread *gst_thread_slot(uint32_t i);

#define GST_CLONE_THREAD	0x10000ull
#define GST_CLONE_CLEAR_SIGHAND 0x100000000ull
#define GST_CLONE_INTO_CGROUP	0x200000000ull

/* struct clone_args of the kernel, which clone3(2) takes. */
enum {
	GST_CLONE_FLAGS,
	GST_CLONE_PIDFD,
	GST_CLONE_CHILD_TID,
	GST_CLONE_PARENT_TID,
	GST_CLONE_EXIT_SIGNAL,
	GST_CLONE_STACK,
	GST_CLONE_STACK_BYTES,
	GST_CLONE_TLS,
	GST_CLONE_IDS,
	GST_CLONE_N_IDS,
	GST_CLONE_CGROUP,
	GST_CLONE_WORDS,
};

/* The program's arguments of clone(2) or clone3(2). */
struct gst_birth {
	uint64_t flags; /* and the signal at its end */
	uint64_t stack; /* where it ends; 0 = the parent's */
	uint64_t parent_tid, pidfd, child_tid, tls;
	/* struct clone_args when the kernel's clone(2) cannot say it, or NULL */
	const uint64_t *words;
};

/* clone.c: start what b asks for, a thread or a process. Returns as clone(2), or
 * GST_NOT_STARTED. */
long gst_clone_as(struct gst *g, const struct gst_birth *b);

/* Start a thread of the program. Returns its thread id or -errno. */
long gst_thread_clone(struct gst *g, const struct gst_birth *b);

/* The two halves of gst_thread_clone(). gst_thread_new() returns a slot with the struct of a new
 * thread, or NULL with -errno in *err. gst_thread_begin() starts the kernel's thread, with these
 * flags and the runtime's own, and returns as gst_thread_clone(). */
struct gst_thread *gst_thread_new(struct gst *g, const struct gst_birth *b, long *err);
long gst_thread_begin(struct gst *g, struct gst_thread *t, const struct gst_birth *b,
		      uint64_t flags);

/* The thread with this thread id, or NULL. */
struct gst_thread *gst_thread_of(struct gst *g, int64_t tid);

/* Returns the modelled processor that a thread runs on: threads are dealt by number over the
 * processors that each may run on. */
uint32_t gst_thread_cpu(const struct gst *g, const struct gst_thread *t);

/* Returns all modelled processors, a bit each. */
uint64_t gst_all_cpus(const struct gst *g);

/* start.S: clone(2) with CLONE_VM; the new thread goes to gst_thread_first on `stack`. */
long gst_clone(uint64_t flags, uint64_t stack, int32_t *parent_tid, int32_t *child_tid);
void gst_thread_first(void); /* loop/arrive.c */

/* In a new thread of the kernel, on its own stack of the runtime: it becomes the program's when its
 * turn comes. Returns the runtime's state, which it holds then. */
struct gst *gst_thread_enter(void);

#endif
