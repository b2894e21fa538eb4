/* request.h -- questions of the guest runtime to the softpmu process, and the answers.
 *
 * One question at a time per guest process, in struct req_box of the control area. The guest fills
 * the box, sets state to REQ_ASKED and rings shr_ctl.doorbell if softpmu sleeps. softpmu answers,
 * sets REQ_ANSWERED, and wakes the guest if it sleeps on `state`. The guest takes the answer and
 * sets REQ_IDLE. How the two sleep without missing each other is in share.h, "waiting". No libc.
 *
 * TRUST   softpmu checks every field; a guest that scribbles here harms only its own run.
 */
#ifndef SOFTPMU_TRACE_REQUEST_H
#define SOFTPMU_TRACE_REQUEST_H

#include <stdint.h>

#define REQ_PAGE_BYTES 4096u
#define REQ_MAX_PAGES  16u
#define REQ_TEXT_BYTES 480u

/* Status of a runtime that cannot go on: after REQ_REFUSE, or where not even that can be asked
 * (guest/start/start.S has the number, too). */
#define REQ_GAVE_UP 125

enum req_state { REQ_IDLE = 0, REQ_ASKED = 1, REQ_ANSWERED = 2 };

enum req_op {
	/* Translate the block at arg[0]. arg[1] = exit id to link, or 0. n_pages pages are attached
	 * (page_addr[], page_flags[], pages[]): the page of arg[0] unless sent before, and
	 * neighbours. Every attached page has been made read-only in the guest first.
	 * Answer: REQ_OK, result[0] = main entry, result[1] = indirect entry (code addresses),
	 * result[2] = how much work new blocks are for a model, as elements of REP (shr_gs.work);
	 * REQ_NEED_PAGE, result[0] = page address that must be sent too (ask again with it; the
	 * runtime sends a page flagged REQ_PAGE_ABSENT when it is not mapped executable);
	 * REQ_FAULT: the first instruction of the block lies on an absent page, result[0] = that
	 * address (deliver SIGSEGV). */
	REQ_TRANSLATE = 1,
	/* Forget the pages in [arg[0], arg[0] + arg[1]) and every block that touches them.
	 * arg[2] = 1: the page bounces; blocks from it are self-checking from now on.
	 * Answer: REQ_OK. The runtime clears its indirect-branch table. */
	REQ_INVALIDATE = 2,
	/* The time is asked for. The runtime has flushed its chunk first. Answer: REQ_OK, result[0]
	 * = time-stamp counter; with SHR_CLOCK_MODEL result[1] = nanoseconds since the program
	 * started, [2] = those in which this process ran, [3] = those of the children that it
	 * waited for. */
	REQ_CLOCK = 3,
	/* The run cannot go on: text says why in one sentence; softpmu prints it, kills the guest
	 * and exits 125. No answer. */
	REQ_REFUSE = 4,
	/* Show the user one sentence (text) and go on. Answer: REQ_OK. */
	REQ_WARN = 5,
	/* The program ends with wait status arg[0]; everything is flushed. Answer: REQ_OK, then the
	 * runtime ends the process in the same way. */
	REQ_EXIT = 6,
	/* The program forks: the runtime has flushed its chunk and runs nothing until the
	 * answer. softpmu makes the child's areas (a copy of this process's translations, empty
	 * counters and ring), and sends SHR_N_SENT descriptors over the socket before it
	 * answers. Answer: REQ_OK, result[0] = a number that makes the child's random generator
	 * differ from its parent's; REQ_BAD: there can be no child. softpmu forgets a child that
	 * never starts when the child's end of the life pipe is closed. */
	REQ_FORK = 12,
	/* The process has replaced itself: this is the first question of its new program.
	 * pages[0] holds the absolute path of the new program (NUL terminated), or "" when it is
	 * longer than a page; the start data hold arguments and environment. softpmu forgets all
	 * translations and pages, and fills the rest of the start data anew. Answer: REQ_OK. */
	REQ_EXEC = 13,
	/* A child in this process's memory runs from here on (vfork), and the process waits. The
	 * chunk is flushed. The child is charged with everything up to REQ_VFORK_END. arg[0] = 1:
	 * there is no child; the process itself, which shares its memory with others, executes a
	 * program. Answer: REQ_OK, REQ_BAD. */
	REQ_VFORK = 14,
	/* That child is about to execute another program: as REQ_FORK, but the child's areas
	 * hold no translations, and its counts begin at REQ_VFORK. */
	REQ_VFORK_EXEC = 15,
	/* The process goes on after REQ_VFORK. arg[0] = 1: the child executed another program,
	 * or never began. arg[1]: its number. Answer: REQ_OK. */
	REQ_VFORK_END = 16,
	/* The program starts its first thread: from now on the head of each block counts
	 * gs.quantum down. Every translation is forgotten as by REQ_FORGET_ALL, and made anew
	 * so. Answer: REQ_OK. */
	REQ_THREADS = 20,
	/* An overflow may have to stop the program (shr_ctl.wants_heads): from now on each block
	 * looks at the limit of the record pointer at its head. Every translation is forgotten
	 * as by REQ_FORGET_ALL, and made anew so. Answer: REQ_OK. */
	REQ_HEADS = 8,
	/* RDPMC: the value of counter arg[0] (0 or 1) is asked for. The instruction is all of block
	 * arg[1], and the runtime has handed over its chunk or said that all of it is whole, that
	 * block's record included; the thread runs on processor arg[2]. Answer: REQ_OK, result[0] =
	 * the counter before the instruction itself retires; 40 bits. */
	REQ_COUNTER = 21,
	/* With SHR_CLOCK_MODEL: the program slept until result[1] of REQ_CLOCK is arg[0] at
	 * least. The runtime has flushed its chunk. Answer: as REQ_CLOCK. */
	REQ_SLEPT = 22,
	/* Something about performance events: arg[0] = enum req_perf_op. The runtime has flushed
	 * its chunk, or said that it is whole. Answer: REQ_OK, result[0] = 0 or a result >= 0,
	 * or a negative error number; REQ_BAD: there are none. */
	REQ_PERF = 24,
	/* A client request: do arg[0] (enum req_region) to the region `text` of thread arg[1].
	 * The runtime has flushed its chunk. Answer: REQ_OK, or REQ_BAD when there is no such
	 * region. GET: result[0] = times that it was ended, result[1] = events, whose counts in
	 * this thread are doubles in pages[0], result[2] = seconds, the bits of a double. */
	REQ_REGION = 25,
	/* Code translated from now on makes records (SHR_TIER_STREAM), where it has counted
	 * executions. As REQ_FORGET_ALL otherwise; the runtime writes the new tier into its
	 * start data. REQ_BAD: this run has no model for records. */
	REQ_RISE = 26,
	/* The guest stands at a boundary, as wants_meet asks for. It has flushed its chunk.
	 * Answer: REQ_OK. */
	REQ_MEET = 27,
	/* Several processes share one memory (guest/threads/process.h), and tells_mates is set: a
	 * turn of process arg[0] begins, which process arg[1] started. Processes are named by
	 * their keys; the first one's is 0. The chunk is flushed. Answer: REQ_OK, REQ_BAD. */
	REQ_MATE = 28,
	/* Process arg[0] of these is gone. The chunk is flushed. Answer: REQ_OK, REQ_BAD. */
	REQ_MATE_END = 29,
	/* With SHR_CLOCK_MODEL: the program has waited for process arg[0], which is gone.
	 * Answer: REQ_OK, result[0] = nanoseconds that it and its children ran. */
	REQ_REAPED = 30,
	/* With SHR_LD_CACHE_OWN: the content of /etc/ld.so.cache is asked for. arg[0]: from which
	 * byte on. Answer: REQ_OK, result[0] = bytes of the file, and pages[] hold as many of them
	 * as there is room for; REQ_BAD: there is no such file. arg[1] = 1: no question, the loader
	 * found no library that is called `text`. */
	REQ_LD_CACHE = 31,
	/* Empty the code area, the tables and the counters: no translation exists any more,
	 * block ids start anew. The runtime has handed over its chunk, so that no record names
	 * an old id, and every thread of the program stands where it looks its next block up and
	 * keeps no block id. Pages stay sent. arg[0]: segment registers of a 32-bit program that
	 * are null from now on (bit per number: ES 0, DS 3). Answer: REQ_OK. The runtime clears
	 * its indirect-branch table. */
	REQ_FORGET_ALL = 7,
};

/* Questions under REQ_PERF. An event is named by `key`: the inode of its descriptor, a socket
 * whose other end softpmu has. */
enum req_perf_op {
	/* perf_event_open: struct req_perf_open in pages[0], the program's attributes in
	 * pages[1]. Answer: 0, and the descriptor comes over the socket. -E2BIG: result[1] =
	 * bytes that are known. */
	REQ_PERF_OPEN = 1,
	/* read: arg[1] = key, arg[2] = room in bytes. Answer: bytes, which lie in pages[]; at most
	 * REQ_MAX_PAGES pages. */
	REQ_PERF_READ,
	/* ioctl: arg[1] = key, arg[2] = request number without size bits, arg[3] = argument, or
	 * the u64 that it points to (PERIOD), or the key of another event, 0 = none
	 * (SET_OUTPUT). Answer: 0; ID: result[1]. */
	REQ_PERF_IOCTL,
	/* mmap: arg[1] = key, arg[2] = bytes, arg[3] = bit 0: writable. Answer: 0, result[1] =
	 * offset of the pages in the memory file that comes over the socket. */
	REQ_PERF_MAP,
	/* Thread arg[1] started thread arg[2], whose number in the kernel is arg[3]. */
	REQ_PERF_THREAD,
	/* Thread arg[1] ends. */
	REQ_PERF_GONE,
	/* The directory is asked for that has the files of /sys about the PMU. Answer: 0, and
	 * pages[0] holds a path. */
	REQ_PERF_FILES,
	/* It is asked if arg[1] is the key of an event. Answer: 0, with result[1] = 1 when the
	 * event writes into a ring that is mapped; or -EBADF. */
	REQ_PERF_KNOWS,
	/* Overflows of event arg[1] are signals from now on (arg[2] = 1; its descriptor has
	 * O_ASYNC), or no longer. */
	REQ_PERF_ASYNC,
	/* The guest stands before block arg[1] (REQ_PERF_NO_BLOCK: at some instruction) and has
	 * used up its credit; arg[3] = address of its next instruction. An overflow that has
	 * happened is signalled through the event's socket before the answer comes. arg[2] = 1:
	 * pages[0] holds the struct req_perf_state of this moment, and the stack lies from
	 * pages[1] on. */
	REQ_PERF_CREDIT,
	/* Start (arg[2] = 1) or stop (0) every event that thread arg[1] has opened. */
	REQ_PERF_TASK,
	/* With wants_switches: the program's only thread has waited arg[1] times in the system
	 * call that it just made. arg[2] and what it brings: as in REQ_PERF_CREDIT. */
	REQ_PERF_WAITED,
	/* munmap: arg[3] bytes of the pages at offset arg[2] of the memory file are gone. */
	REQ_PERF_UNMAP,
	/* Descriptors were closed: softpmu ends the events that have none left. */
	REQ_PERF_CLOSED,
	/* The thread that asks has another name: 16 bytes in pages[0]. */
	REQ_PERF_NAME,
};
#define REQ_PERF_NO_BLOCK (~0ull)

/* result[2] of every answer to REQ_PERF: how far the guest may run before it asks again
 * (REQ_PERF_CREDIT). result[3]: key of an event whose last overflow ended it (POLL_HUP), or 0. */
enum req_perf_credit {
	REQ_CREDIT_FREE = 0, /* no event signals its overflows */
	/* run one instruction, and then as many more as bits 32 to 62 say. REQ_CREDIT_BREAK (bit
	 * 63): softpmu has put a breakpoint behind these instructions into the block's code */
	REQ_CREDIT_STEP = 1,
	/* 2 and more: run until so many bytes of records are written; then go on block by block,
	 * as long as shr_ctl.room lasts */
	REQ_CREDIT_BYTES,
};
#define REQ_CREDIT_MORE_SHIFT 32
#define REQ_CREDIT_BREAK      (1ull << 63)

struct req_perf_open {
	uint64_t group;	  /* key of the group's leader, 0 = none */
	int32_t pid, cpu; /* as the program gave them */
	int32_t own_pid, own_tid;
	/* number of the thread that is meant, when it is one of this process; else -1 */
	int32_t thread;
	uint32_t flags;	     /* PERF_FLAG_* */
	uint32_t attr_bytes; /* 64..4096 */
	uint32_t may_kernel; /* the caller has the rights of root */
	uint32_t opener;     /* number of the thread that asks */
	uint32_t zero;
};

/* The program's registers and callers, standing before the instruction at ip. */
#define REQ_MOST_CALLERS 127u
#define REQ_STACK_BYTES	 ((REQ_MAX_PAGES - 1) * REQ_PAGE_BYTES)
struct req_perf_state {
	uint64_t ip, flags;
	/* in the order of their numbers: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 ... */
	uint64_t reg[16];
	uint16_t segment[6]; /* es, cs, ss, ds, fs, gs */
	uint32_t is_32;
	uint32_t n_callers;   /* <= REQ_MOST_CALLERS */
	uint32_t stack_bytes; /* <= REQ_STACK_BYTES */
	/* return addresses, by frame pointers; the innermost first */
	uint64_t caller[REQ_MOST_CALLERS];
};

/* REQ_FULL answers REQ_TRANSLATE only: the areas are full. The runtime asks REQ_FORGET_ALL, after
 * which exit ids are void, and then asks again. */
enum req_answer { REQ_OK = 0, REQ_NEED_PAGE = 1, REQ_FAULT = 2, REQ_BAD = 3, REQ_FULL = 4 };

/* What a program can do to its regions. DUMP: what all threads counted since the last DUMP or ZERO
 * becomes a region of its own. ZERO: such a region begins here. */
enum req_region {
	REQ_REGION_START = 1,
	REQ_REGION_STOP,
	REQ_REGION_TOGGLE,
	REQ_REGION_RESET,
	REQ_REGION_ZERO,
	REQ_REGION_DUMP,
	REQ_REGION_GET
};

enum req_page_flag {
	REQ_PAGE_ABSENT = 1,   /* not mapped, or not executable for the guest; no bytes */
	REQ_PAGE_VOLATILE = 2, /* writable and bouncing: self-checking blocks */
	/* the program may write there: other processes seldom have the same code */
	REQ_PAGE_WRITABLE = 4,
};

struct req_box {
	uint32_t state;	       /* enum req_state; the guest sleeps on it */
	uint32_t guest_sleeps; /* 1 while the guest sleeps on `state` */
	uint32_t op;	       /* enum req_op */
	uint32_t answer;       /* enum req_answer */
	uint32_t n_pages;      /* attached pages, <= REQ_MAX_PAGES */
	/* processor of the host that the guest runs on; UINT32_MAX: not known */
	uint32_t guest_cpu;
	/* not 0: softpmu reads the open chunk this far before it answers; as shr_ctl.open_chunk */
	uint64_t whole;
	uint64_t arg[4];    /* the end of the first cache line: short questions write no other */
	uint64_t result[4]; /* softpmu makes them 0 first */
	/* REQ_PERF_CREDIT: rcx, where the guest stands; else all ones */
	uint64_t count;
	uint64_t page_addr[REQ_MAX_PAGES]; /* guest address, page aligned */
	uint32_t page_flags[REQ_MAX_PAGES];
	char text[REQ_TEXT_BYTES]; /* NUL terminated */
	uint8_t pages[REQ_MAX_PAGES][REQ_PAGE_BYTES] __attribute__((aligned(4096)));
};

#endif
