/* gst.h -- the state of the guest runtime.
 *
 * All of it is one struct at a fixed address in the gs area: the one exception to "no mutable
 * state at file scope". A signal handler and the exits of translated code arrive without any
 * pointer; the address is what they find their way by. What each thread has of its own is in
 * thread.h.
 *
 * COUNTING RULES   the runtime's own instructions are never counted: only translated code
 *                  counts.
 * STATE            while the runtime runs, the program's general registers, flags and pc are in
 *                  struct shr_gs; its x87, vector and mask registers, MXCSR and FS base are live
 *                  in the processor (the runtime is compiled without vector registers).
 */
#ifndef SOFTPMU_GUEST_GST_H
#define SOFTPMU_GUEST_GST_H

#include <stddef.h>
#include <stdint.h>

#include "guest/base/bytes.h"
#include "guest/cpu/eflags.h"
#include "guest/files/hidden.h"
#include "guest/memory/layout.h"
#include "guest/memory/pages.h"
#include "guest/perf/perf_event.h"
#include "guest/threads/sched.h"
#include "guest/signals/signal.h"
#include "guest/signals/step.h"
#include "guest/sys.h"
#include "guest/threads/thread.h"
#include "guest/time/timer.h"
#include "guest/signals/trap_flag.h"
#include "guest/threads/vfork.h"
#include "guest/memory/vma.h"
#include "trace/record.h"
#include "trace/request.h"
#include "trace/share.h"

/* Private areas of the runtime, behind struct shr_gs. Address space, touched as used. */
#define GST_STATE	  (SHR_GS_BASE + 0x100000)
#define GST_STACK	  (SHR_GS_BASE + 0x200000)
#define GST_STACK_TOP	  (SHR_GS_BASE + 0x280000)
#define GST_IB2		  (SHR_GS_BASE + SHR_GS_IB2) /* struct shr_ib2[] */
#define GST_IB2_STRETCHES 256u
#define GST_VMAS	  (SHR_GS_BASE + 0x1000000) /* struct gst_vma[] */
#define GST_VMAS_BYTES	  0x600000ull
#define GST_PAGES	  (SHR_GS_BASE + 0x2000000) /* struct gst_page[] */
#define GST_PAGES_LOG2	  18
#define GST_NAMES	  (SHR_GS_BASE + 0x3000000) /* NUL terminated names of files */
#define GST_NAMES_BYTES	  0x100000ull
#define GST_FILTERS	  (SHR_GS_BASE + 0x3200000) /* seccomp.c */
#define GST_FILTERS_BYTES 0x400000ull
#define GST_LDT		  (SHR_GS_BASE + 0x3600000) /* ldt32.c: struct gst_descriptor[] */
#define GST_LDT_BYTES	  0x20000ull
/* procfs.c: arguments and environment as others see them */
#define GST_TEXT	  (SHR_GS_BASE + 0x3700000)
#define GST_TEXT_BYTES	  0x800000ull
#define GST_SCRATCH	  (SHR_GS_BASE + 0x4000000)
#define GST_SCRATCH_BYTES 0x1000000ull
#define GST_FP_AREA	  (SHR_GS_BASE + 0x380000) /* vector state on its way to or from a frame */
#define GST_FP_AREA_BYTES 0x4000u
#define GST_PRIVATE_BYTES 0x5000000ull
/* table.c: pages of struct gst_table, one behind the other */
#define GST_TABLES	 (SHR_GS_BASE + 0x6000000)
#define GST_TABLES_BYTES 0x1000000ull

/* Offset in struct shr_gs (its pad) of a word that the handler of asynchronous signals sets. The
 * way back to translated code looks at it last and turns round when it is set, so that a signal
 * which came in the runtime is not left waiting. */
#define GST_GS_STOP 0x120

/* Facts from the kernel that are kept when its stack is thrown away. */
struct gst_kernel {
	uint64_t page_bytes, clock_ticks, uid, euid, gid, egid, secure, hwcap2, min_sigstack;
};

/* One loaded ELF file. */
struct gst_elf {
	uint64_t base; /* added to its addresses */
	uint64_t entry;
	uint64_t phdr; /* address of its program headers in memory, 0 = not mapped */
	uint64_t end;  /* end of its highest segment */
	uint32_t n_phdr;
	uint32_t is_dyn;
	uint32_t stack_prot; /* PROT_EXEC when it wants an executable stack */
	char interp[256];    /* path of its interpreter, or empty */
};

struct gst_brk {
	uint64_t start, now, mapped; /* mapped = page-aligned end of the mapped part */
};

struct gst_ring {
	uint64_t at;	/* next byte of the record stream */
	uint64_t chunk; /* start of the current chunk */
	/* elements of REP instructions in chunks that were handed over */
	uint64_t work[SHR_N_CHUNKS];
	int has_maps; /* there are records of mappings that softpmu may not have read */
	struct trc_wait wait;
};

struct gst {
	struct shr_gs *gs;
	struct gst_thread *t; /* the thread that holds the baton */
	struct shr_ctl *ctl;
	const struct shr_tables *tab;
	uint64_t code;	       /* where the code area lies: SHR_CODE_BASE, shifted */
	int counters_are_shut; /* areas.h */
	struct gst_kernel kernel;
	struct gst_layout layout;
	/* 1: this part of the second table of indirect branches is not empty; gst_ib_clear()
	 * empties only these */
	uint8_t ib2_used[GST_IB2_STRETCHES];
	struct gst_ring ring;
	struct gst_vmas vmas;
	struct gst_pages pages;
	uint32_t names_used;
	uint32_t n_shared; /* mappings of shared memory without a file, up to now */
	struct gst_brk brk;
	struct gst_elf program, interp;
	uint64_t stack_low, stack_top; /* range of the main stack */
	/* mlockall(MCL_FUTURE): its flags; 0 = memory is not locked as it is mapped */
	uint32_t lock_future;
	/* flags of personality(2) that the runtime keeps from the kernel */
	uint32_t personality;
	uint64_t auxv, auxv_bytes; /* where the program's auxiliary vector lies */
	const char *exe;	   /* path of the program, as softpmu found it */
	int exe_fd;		   /* the program, open; -1 = open it by its path */
	uint64_t random;	   /* state of the generator */
	const char *exe_path;	   /* path of the program, absolute and without links */
	/* RLIMIT_STACK, RLIMIT_AS and RLIMIT_DATA as the program sees them */
	struct shr_limit stack_limit, space_limit, data_limit;
	/* of a 32-bit program, for which code is translated: bit per enum gst_segment */
	uint32_t null_segments;
	uint32_t n_ldt;		  /* entries of the LDT up to the last that was written */
	uint32_t filter_places;	  /* seccomp.c: places that are taken */
	struct gst_events events; /* sockets that are events, or not */
	char files[128];
	/* reroute.c: directory of softpmu's files; "" = not asked yet */
	char path[512];	     /* a path that was sent elsewhere */
	int has_random_file; /* /dev/random or /dev/urandom was opened once */
	struct gst_timers timers;
	struct gst_sched sched;
	uint32_t n_processes; /* in this memory */
	uint32_t told_key;    /* process.c: key of the last REQ_MATE */
	/* table.c: pages that were used, here or before the fork */
	uint32_t n_tables;
	uint32_t more_pauses;	      /* ask.c: how much longer the next reading pauses */
	uint32_t n_traced;	      /* threads that another process traces */
	uint32_t is_taken_over;	      /* a thread is cleaning up after a killed holder */
	struct gst_thread *replacing; /* of a process that executes another program just now */
	/* does the host's kernel answer INT 80h: 1 yes, -1 no, 0 not asked yet */
	int int80;
	/* narrow.h: gst_call_narrow, for kernels that do not */
	long (*call_narrow)(struct gst *g, const struct gst_thread *t, const uint64_t *words);
	uint64_t narrow_missing[8]; /* narrow.c: calls of i386 that were said to be missing */
	struct gst_signals sig;
	struct gst_step step;
	struct gst_trace trace;
	struct gst_vfork vfork[GST_VFORK_MOST]; /* parents that wait in this memory */
	uint32_t n_vfork;
	int is_vfork_gone; /* the child is executing another program */
};

/* TF while translated code runs: the program steps itself, or an overflow is near. */
static inline uint64_t gst_steps(const struct gst *g)
{
	return g->events.steps ? EFLAGS_TF : g->t->tf;
}

/* Returns what waits for the end of the instruction that begins now: the program's own single step
 * (GST_TRAP_PROGRAM), an overflow (GST_TRAP_EVENT), both as a sum, or 0. */
#define GST_TRAP_PROGRAM 1
#define GST_TRAP_EVENT	 2
static inline int gst_trap_due(const struct gst *g)
{
	return (g->t->tf ? GST_TRAP_PROGRAM : 0) | (g->events.steps ? GST_TRAP_EVENT : 0);
}

#define GST ((struct gst *)GST_STATE)

/* ---- start.S --------------------------------------------------------------------------------- */

/* Enter and leave translated code. gst_entry is what shr_gs.runtime holds; the others never return
 * to their caller. */
void gst_entry(void);
__attribute__((noreturn)) void gst_leave(void);

/* The thread in whose slot this stack pointer lies. */
static inline struct gst_thread *gst_thread_at(uint64_t sp)
{
	return (struct gst_thread *)(sp & ~(GST_SLOT_BYTES - 1));
}

/* ---- exit.c: what happens between two stretches of translated code --------------------------- */

/* Called by gst_entry with the program's state saved; returns when gs.resume is set. */
void gst_exit_taken(void);

/* stream/limit.c: translated code was left with this in r15: the record pointer, or with several
 * threads in tier 1 the quantum. */
void gst_take_r15(struct gst *g, uint64_t r15);

/* Go on at gs->pc: find or ask for its translation and set gs.resume. */
void gst_go(struct gst *g);

/* The source bytes of self-checking block b have changed or are gone. Nothing of b was executed,
 * and gs->pc is its head. Translates it anew and goes on there. */
void gst_source_changed(struct gst *g, const struct shr_block *b);

/* ---- ring.c: the record stream --------------------------------------------------------------- */

/* Take the first chunk. */
void gst_ring_start(struct gst *g);

/* Hand over what the chunk holds and take the next one; waits when all are full.
 * keep   bytes behind ring.at that move to the new chunk (a record in the making).
 * Cost   a futex call when softpmu sleeps. */
void gst_ring_flush(struct gst *g, uint32_t keep);

/* Note that the records up to ring.at are whole. softpmu counts these even if the process is killed
 * before it hands the chunk over. */
void gst_ring_note(struct gst *g);
/* Note that, and have softpmu read these records before it answers question b. Cheaper than
 * gst_ring_flush(), because the chunk stays open. */
void gst_ring_with(struct gst *g, struct req_box *b);
/* Returns 1 when the last record, of `bytes`, may be taken back; 0 when softpmu has read it, or
 * has its chunk. */
int gst_ring_retract(struct gst *g, uint32_t bytes);

/* Write one event: kind is enum trc_kind, payload[bytes], bytes a multiple of 4, at most 1024. */
void gst_ring_event(struct gst *g, uint32_t kind, const void *payload, uint32_t bytes);

/* An event of one 64-bit word. */
void gst_ring_word(struct gst *g, uint32_t kind, uint64_t word);

/* ---- meet.c: where softpmu finds the program standing ---------------------------------------- */

/* The program is about to go on: softpmu may no longer rely on its being in a system call. */
void gst_come_in(struct gst *g);

/* softpmu wants to meet the program at this boundary: wait until it has done what it wants. */
void gst_meet(struct gst *g);

/* No signal of softpmu's is on its way from here to the end of the current system call. */
void gst_no_kicks(struct gst *g);

/* ---- ask.c: questions to softpmu ------------------------------------------------------------- */

/* The box, free for a new question; arguments are zero, no pages, empty text. */
struct req_box *gst_ask_box(struct gst *g);

/* Ask `op` with the contents of the box, and wait. Returns the answer (enum req_answer); result[]
 * is valid then. */
uint32_t gst_ask(struct gst *g, uint32_t op);

/* True when softpmu is gone, by the life pipe in *h. */
int gst_is_abandoned(const struct gst_hidden *h);

/* End the run with a sentence: `what`, then `detail` (may be NULL). */
__attribute__((noreturn)) void gst_refuse(struct gst *g, const char *what, const char *detail);

/* As gst_refuse, with an error number of the kernel (err < 0) after the text. */
__attribute__((noreturn)) void gst_refuse_error(struct gst *g, const char *what, const char *detail,
						long err);

/* Show the user a sentence, `what` and then `detail` (may be NULL), and go on. */
void gst_warn(struct gst *g, const char *what, const char *detail);

/* The program ends with this wait status: flush everything and ask REQ_EXIT. */
void gst_tell_exit(struct gst *g, uint32_t wait_status);

/* ---- miss.c: translations and the pages they come from --------------------------------------- */

/* Code address for guest address pc (main entry), translating when needed. exit_id: the exit to
 * link, or 0. Returns 0 when pc cannot be executed; *fault then is the address at fault. */
uint64_t gst_translate(struct gst *g, uint64_t pc, uint64_t exit_id, uint64_t *fault);

/* Change from counting executions to writing records (REQ_RISE), unless that is so already. The
 * program must stand at a boundary. */
void gst_rise(struct gst *g);

/* 32-bit programs: forget all translations when DS or ES has become null or usable since they were
 * made. Returns 1 when it did. */
int gst_settle_segments(struct gst *g);

/* ---- code_tables.c: where translated code is found ------------------------------------------- */

/* Look pc up in the code map. Returns 0 when it is not there; else 1, with the addresses of its
 * main and indirect entry. */
int gst_map_find(const struct gst *g, uint64_t pc, uint64_t *main, uint64_t *indirect);

/* Indirect branches to pc find these entries from now on. */
void gst_ib_add(struct gst *g, uint64_t pc, uint64_t main, uint64_t indirect);

/* Empty the tables of indirect branches. */
void gst_ib_clear(struct gst *g);

/* Empty the entries of the tables of indirect branches that lead to code in [lo, hi). Cost: a store
 * and a load per byte of code. */
void gst_ib_forget(struct gst *g, uint64_t lo, uint64_t hi);

/* ---- map.c: mapping memory for the program --------------------------------------------------- */

/* As mmap(2) with the placement of softpmu: returns the address or -errno. `kind`: enum
 * gst_vma_kind. */
long gst_map(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t prot, uint32_t flags, int fd,
	     uint64_t off, uint32_t kind);
long gst_unmap(struct gst *g, uint64_t addr, uint64_t bytes);

/* lock.c: the flags that mlockall(2) adds to mmap(2); then, after the call, the locking that
 * these do not do. gst_lock_new() returns 0, or -EAGAIN when that is more than may be locked. */
uint32_t gst_lock_flags(const struct gst *g);
long gst_lock_new(const struct gst *g, uint64_t addr, uint64_t bytes);

/* Add [lo, hi) to the program's mappings if the kernel mapped it at exec. */
void gst_map_kernels(struct gst *g, uint64_t lo, uint64_t hi, uint32_t prot);

/* The device of memory without a file, major << 16 | minor; 0 where the kernel does not say.
 * Cost: three system calls. */
uint32_t gst_memory_device(void);

/* Write a TRC_AREA record of the range that holds addr, as it is now. */
void gst_tell_area(struct gst *g, uint64_t addr);

/* st_dev as struct gst_vma has it. */
uint32_t gst_file_device(uint64_t st_dev);

/* Nothing is mapped in [lo, hi) any more: write a TRC_UNMAP record. */
void gst_unmap_told(struct gst *g, uint64_t lo, uint64_t hi);
long gst_protect(struct gst *g, uint64_t addr, uint64_t bytes, uint32_t prot);
long gst_remap(struct gst *g, uint64_t old, uint64_t old_bytes, uint64_t bytes, uint32_t flags,
	       uint64_t to);

/* Offset of `text` in the pool of names. */
uint32_t gst_name(struct gst *g, const char *text);

/* ---- brk.c ----------------------------------------------------------------------------------- */

/* Place the heap: behind a fixed program, else at SHR_BRK_BASE. */
void gst_brk_start(struct gst *g);
uint64_t gst_brk_move(struct gst *g, uint64_t want);

/* ---- elf.c, stack.c -------------------------------------------------------------------------- */

/* Map the file `path` as the kernel's exec would; refuses the run with a sentence when it
 * cannot. */
void gst_elf_load(struct gst *g, const char *path, struct gst_elf *elf, uint64_t base);

/* Build the initial stack of the program. Returns its stack pointer. */
uint64_t gst_stack_build(struct gst *g);

/* RLIMIT_STACK has changed: the first thread's stack may grow so far from now on, and keeps what
 * it has touched. */
void gst_stack_follow(struct gst *g);

/* ---- call_page.c: 32-bit programs ------------------------------------------------------------ */

/* Places in the page at SHR_CALL_PAGE_32. */
#define GST_CALL_INT80	      0x00u
#define GST_CALL_LANDING      0x10u
#define GST_CALL_SIGRETURN    0x20u
#define GST_CALL_RT_SIGRETURN 0x30u

/* Map that page. */
void gst_call_page_map(struct gst *g);

/* ---- random.c -------------------------------------------------------------------------------- */

/* Returns the next number of the seeded generator; fill memory of the runtime with its bytes. Equal
 * seeds give equal sequences. */
uint64_t gst_random(struct gst *g);
void gst_random_fill(struct gst *g, void *to, size_t bytes);

/* ---- syscall.c ------------------------------------------------------------------------------- */

/* Execute the system call in gs->gpr; gs->pc is the address after it. */
void gst_syscall(struct gst *g);

/* The call in gs->gpr has returned ret: the program, the stream and the digest learn it. */
void gst_syscall_ends(struct gst *g, long ret);

#endif
