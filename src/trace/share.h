/* share.h -- memory that the guest runtime, translated code and the softpmu process have in
 * common.
 *
 * The areas lie in one memory file per guest process and are mapped at the same fixed addresses
 * in each of them; softpmu maps them wherever it likes. Sizes are address space: memory is
 * touched only as it is used. No libc.
 *
 *   area     address          guest     softpmu  content
 *   code     SHR_CODE_BASE    r-x       rw-      translated code (bump allocation)
 *   counter  SHR_COUNT_BASE   rw-       rw-      tier 1: one u64 per block and per taken exit
 *   tables   SHR_TAB_BASE     r--       rw-      code map, blocks, exits, recovery
 *   control  SHR_CTL_BASE     rw-       rw-      struct shr_ctl: start data, ring indices, requests
 *   ring     SHR_RING_BASE    rw-       r--      record chunks
 *   gs       SHR_GS_BASE      rw-       -        struct shr_gs, private to the guest
 *
 * The code and counter areas lie below 2 GiB so that rip-relative operands of guest code reach
 * their data from translated code and a return address is a push imm32. Guest code is mapped
 * below 2 GiB, too, if its program can be placed freely. A program may be linked to the addresses
 * of these areas (2 GiB of static data, say): then they, and the place of file mappings, lie a
 * multiple of 4 GiB higher, behind the program (shr_shift()).
 *
 * WHO WRITES WHAT, AND IN WHICH ORDER
 *   one thread     One thread of the guest at a time holds the baton. It alone runs translated
 *                  code, writes records and asks questions. So no two threads of the guest write
 *                  one word at once, but outside_events, to which they add atomically.
 *   code, tables   softpmu writes them while the guest waits for an answer. In the code map it
 *                  writes an entry's offsets first and its key last (release); the runtime reads
 *                  the key first (acquire).
 *   counters       Translated code adds 1 by ordinary instructions. softpmu reads them at any time.
 *                  It sets them to 0 only while the program stands at a boundary.
 *   records        Translated code writes TRC_BLANK where the next record will begin, then the head
 *                  of its own record, then the slots as their values come. The runtime writes
 *                  TRC_BLANK, size and payload, then the head (release). So a record is whole when
 *                  another head than TRC_BLANK stands behind it.
 *   chunks         Chunk number n lies at n % SHR_N_CHUNKS. The guest fills it, sets chunk_bytes,
 *                  and sets produced to n + 1. softpmu reads it, sets reader_cpu, and sets consumed
 *                  to n + 1. produced - consumed is never more than SHR_N_CHUNKS. chunk_turns,
 *                  chunk_inputs and chunk_maps of a chunk are set before the head of the record
 *                  that they speak of.
 *   open chunk     The runtime notes in open_chunk how many bytes of whole records the chunk has
 *                  that is being filled: when it begins a chunk, before a system call, when it
 *                  replaces its last record, and with a question that has req.whole. It may take
 *                  its last record back by a smaller number, until SHR_NOTE_TAKEN is set. softpmu
 *                  sets that bit before it reads the chunk while the guest may run, and the runtime
 *                  sets it with req.whole. Taking back and setting the bit from outside are
 *                  compare-and-exchanges.
 *   waiting        Each side stores what the other waits for, then looks whether the other sleeps.
 *                  A side that wants to sleep says so, then looks once more, then sleeps. All four
 *                  are sequentially consistent, so one of the two sees the other.
 *                    softpmu sleeps on doorbell: it reads doorbell, sets consumer_sleeps, looks at
 *                    produced and req.state. The guest stores one of these; if consumer_sleeps is
 *                    set it adds 1 to doorbell and wakes.
 *                    The guest sleeps on consumed when the ring is full: it sets guest_sleeps and
 *                    looks at consumed. softpmu stores consumed; if guest_sleeps is set and at most
 *                    SHR_REFILL_CHUNKS are left to be read, it wakes.
 *                    The guest sleeps on req.state until the answer is there: req.guest_sleeps.
 *   questions      The box req is the guest's while state is REQ_IDLE or REQ_ANSWERED, and
 *                  softpmu's while it is REQ_ASKED (request.h).
 *   wishes         softpmu sets wants_meet or wants_records, then looks at is_out. The runtime
 *                  clears is_out, then looks at both. So either softpmu sees that the program is in
 *                  a system call, or the runtime sees the wish (guest/loop/meet.c). softpmu clears
 *                  wants_meet; the runtime clears wants_records and wants_credit before it asks.
 *   events         softpmu writes room, trap, n_traps and behind_stop while it answers REQ_PERF.
 *                  Then the runtime takes what blocks can count off room, and sets n_traps to 0.
 *   totals         The runtime alone adds to the digest and to the numbers of calls, signals, looks
 *                  and threads. softpmu only reads them, and at an exec sets last_words.n to 0.
 */
#ifndef SOFTPMU_TRACE_SHARE_H
#define SOFTPMU_TRACE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "trace/request.h"
#include "trace/start.h"

#define SHR_MAGIC   0x554d5054464f53ull /* "SOFTPMU" */
#define SHR_VERSION 5u

/* Fixed addresses in the guest. */
#define SHR_CODE_BASE	0x60000000ull
#define SHR_CODE_BYTES	0x10000000ull /* 256 MiB */
#define SHR_COUNT_BASE	0x70000000ull
#define SHR_COUNT_BYTES 0x02000000ull	  /* 4 Mi counters */
#define SHR_RT_BASE	0x6f0000000000ull /* image of the runtime */
#define SHR_CTL_BASE	0x6f1000000000ull
#define SHR_TAB_BASE	0x6f2000000000ull
#define SHR_RING_BASE	0x6f3000000000ull
#define SHR_GS_BASE	0x6f4000000000ull
#define SHR_ENGINE_LOW	0x6f0000000000ull /* guests get no mapping in [LOW, HIGH) */
#define SHR_ENGINE_HIGH 0x6f5000000000ull

/* Where the runtime puts what the program lets it choose (docs/ARCHITECTURE.md, layout). */
#define SHR_PIE_BASE   0x10000000ull /* position-independent program */
#define SHR_FILE_LOW   0x18000000ull /* file mappings and executable memory, upwards ... */
#define SHR_FILE_HIGH  0x60000000ull
#define SHR_BRK_BASE   0x100000000ull	 /* heap (brk) of programs that are position independent */
#define SHR_MMAP_HIGH  0x7f0000000000ull /* other mappings, downwards; engine areas lie below */
#define SHR_MMAP_LOW   0x700000000000ull
#define SHR_STACK_HIGH 0x7ffffffff000ull /* end of the stack */
/* Returns by how many bytes code, counters and file mappings move up for a 64-bit program that is
 * linked to the fixed addresses [low, high); 0 when these are not in the way. */
static inline uint64_t shr_shift(uint64_t low, uint64_t high)
{
	const uint64_t step = 1ull << 32;

	if (high <= SHR_CODE_BASE || low >= SHR_COUNT_BASE + SHR_COUNT_BYTES ||
	    high > SHR_ENGINE_LOW - 2 * step)
		return 0;
	return (high + step - 1) & ~(step - 1);
}
#define SHR_SHIFT_OF_CHAOS (1ull << 32)

/* Returns 1 if shr_shift() could have returned this value, else 0. */
static inline int shr_is_shift(uint64_t shift)
{
	return !(shift & 0xffffffffu) && shift < SHR_ENGINE_LOW;
}

/* Where things lie for 32-bit programs, when it differs; and a small area of the runtime that the
 * kernel's 32-bit calls reach. */
#define SHR_LOW_BASE	 (SHR_COUNT_BASE + SHR_COUNT_BYTES)
#define SHR_LOW_BYTES	 0x10000ull
#define SHR_BRK_BASE_32	 0x74000000ull
#define SHR_MMAP_HIGH_32 0xf8000000ull
#define SHR_END_32	 0xffffe000ull /* end of the stack and of what the program may map */
#define SHR_CALL_PAGE_32 0xffffe000ull /* the page of int 80h; ret, as the kernel's old vdso */

/* ---- ring ------------------------------------------------------------------------------------ */
#define SHR_CHUNK_BYTES 65536u
#define SHR_N_CHUNKS	8u
/* a guest that found all chunks full goes on when so many are left */
#define SHR_REFILL_CHUNKS 2u
/* One REP instruction can be as much work for a model as a whole chunk of other records:
 * translated code adds the elements that it did to shr_gs.work, the runtime what new blocks are
 * (REQ_TRANSLATE), and a chunk ends when that has reached 1 << SHR_WORK_LOG2. The runtime starts
 * it there less what a chunk may hold, so that translated code need only look whether the bytes
 * above are zero. */
#define SHR_WORK_LOG2 24u
#define SHR_MAX_SLOTS 128u /* per block */
/* Room after the limit. Only some blocks compare the record pointer with the limit, so a chunk may
 * grow past it: by the record of the block that compared, with TRC_TAKEN, by those of blocks that
 * do not compare (src/translate/block.c), by the slots of the next one that does, and by TRC_BLANK.
 * The runtime keeps this room free; without it records would run into the next chunk. */
#define SHR_CHUNK_SLACK 8192u
/* the part of it for blocks that do not compare */
#define SHR_CHUNK_UNLOOKED (SHR_CHUNK_SLACK - 2 * (4 + 8 * SHR_MAX_SLOTS) - 8 - 4)
#define SHR_CHUNK_KEEP	   2048u /* a record in the making: bytes that move to the next chunk */

/* ---- the gs area: one per guest thread --------------------------------------------------------
 * Offsets are part of the contract: emitted code uses them as gs:[offset]. */
#define SHR_IB_ENTRIES 65536u

/* Sticky flags that were cleared so that an instruction's own show (src/translate/assist.c).
 * They are put back before an instruction that reads or writes the status, and by the runtime
 * when it is entered. */
struct shr_fp_bracket {
	uint64_t rcx, rax, flags; /* the program's, while translated code works here */
	uint64_t saved_x87;	  /* flags that were cleared; 0 = none */
	uint64_t saved_sse;
	uint64_t back; /* code address */
	uint32_t status, zero;
	uint8_t env[28], pad[4]; /* as FNSTENV stores it; the status word at 4 */
};
#define SHR_X87_STICKY	 0x52u /* DE UE SF */
#define SHR_MXCSR_STICKY 0x12u /* DE UE */

struct shr_gs {
	uint64_t limit;	      /* 0x00 stop filling the chunk when r15 >= limit; 0 = come at once */
	uint64_t guest_r15;   /* 0x08 the program's r15 */
	uint64_t spill_rcx;   /* 0x10 indirect branches: the program's rcx */
	uint64_t spill_rax;   /* 0x18 flag saving, landing at far addresses: the program's rax */
	uint64_t spill_x;     /* 0x20 the register that stands in for r15 in this block */
	uint64_t spill_y;     /* 0x28 other scratch */
	uint64_t spill_z;     /* 0x30 other scratch */
	uint64_t target;      /* 0x38 guest target of an indirect branch */
	uint64_t exit_id;     /* 0x40 which exit was taken (32 bits used) */
	uint64_t runtime;     /* 0x48 code address of the runtime's entry for exits */
	uint64_t resume;      /* 0x50 code address that the runtime leaves to */
	uint64_t gs_base;     /* 0x58 the program's own GS base */
	uint64_t seg_base[2]; /* 0x60 32-bit program: bases of its FS and GS, below 4 GiB */
	uint16_t selector[8]; /* 0x70 32-bit program: its ES CS SS DS FS GS as a MOV shows them */
	/* State of the program while the runtime runs. Index = hardware number (rax 0 ... r15 15);
	 * gpr[15] is the record pointer, the program's r15 is guest_r15. */
	uint64_t gpr[16];  /* 0x80 */
	uint64_t rflags;   /* 0x100 */
	uint64_t pc;	   /* 0x108 guest pc, valid in the runtime */
	uint64_t rt_stack; /* 0x110 top of the runtime's stack */
	/* 0x118 several threads: instructions left until the next may run; below 0 the hand-over
	 * is due at the next head that a branch reaches. Tier 1: in r15d while translated code
	 * runs, which may write 8 bytes here */
	int32_t quantum;
	uint8_t stop_pad[0x128 - 0x11c]; /* 0x120 is the runtime's (GST_GS_STOP) */
	/* 0x128 elements of REP instructions in this chunk, and where that began (SHR_WORK_LOG2) */
	uint64_t work;
	/* 0x130 64-bit program: the block whose indirect branch gave `target` */
	uint32_t from_block;
	uint8_t pad[0x3f0 - 0x134];
	/* 0x3f0 32-bit program: where the bases of its FS and GS lie; an address that faults
	 * when the register is null */
	uint64_t seg_at[2];
	struct shr_fp_bracket fp; /* 0x400 */
	uint8_t fp_pad[0x200 - sizeof(struct shr_fp_bracket)];
	uint8_t fxsave[512]; /* 0x600: as FXSAVE stores it (src/translate/operands.c) */
	uint8_t more_pad[0x1000 - 0x800];
	/* 0x1000: low 16 bits of target -> code address (indirect entry) */
	uint64_t ib[SHR_IB_ENTRIES];
};

/* Second table of indirect branches, in the gs area at SHR_GS_IB2; index = shr_ib2_index(target).
 * The code at the start of the code area looks here when the entry of shr_gs.ib belongs to another
 * block with the same low bits. It then gives that entry to the block it found, because a target
 * that was used last is the likeliest next one. */
struct shr_ib2 {
	uint64_t minus_pc; /* 0 - target; a free entry has 0, entry 0 is never free: 1 */
	uint32_t code;	   /* code address (main entry) */
	uint32_t indirect; /* what shr_gs.ib holds for it */
};
#define SHR_IB2_ENTRIES 65536u
#define SHR_GS_IB2	0x400000
#define SHR_IB2_HIGH	72u /* neighbours of 64 KiB of code lie so many entries apart */

/* Returns the only entry of the second table that may hold guest address pc. */
static inline uint32_t shr_ib2_index(uint64_t pc)
{
	return ((uint32_t)pc + SHR_IB2_HIGH * (uint32_t)(pc >> 16 & 0xffff)) &
	       (SHR_IB2_ENTRIES - 1);
}

#define SHR_GS_LIMIT	 0x00
#define SHR_GS_R15	 0x08
#define SHR_GS_SPILL_RCX 0x10
#define SHR_GS_SPILL_RAX 0x18
#define SHR_GS_SPILL_X	 0x20
#define SHR_GS_SPILL_Y	 0x28
#define SHR_GS_SPILL_Z	 0x30
#define SHR_GS_TARGET	 0x38
#define SHR_GS_EXIT_ID	 0x40
#define SHR_GS_RUNTIME	 0x48
#define SHR_GS_RESUME	 0x50
#define SHR_GS_GS_BASE	 0x58
#define SHR_GS_SEG_BASE	 0x60
#define SHR_GS_SELECTOR	 0x70
#define SHR_GS_GPR	 0x80
#define SHR_GS_RFLAGS	 0x100
#define SHR_GS_RT_STACK	 0x110
#define SHR_GS_QUANTUM	 0x118
#define SHR_GS_WORK	 0x128
#define SHR_GS_FROM	 0x130
#define SHR_GS_SEG_AT	 0x3f0
#define SHR_GS_FP	 0x400
#define SHR_GS_FXSAVE	 0x600
#define SHR_GS_IB	 0x1000
_Static_assert(offsetof(struct shr_gs, seg_base) == SHR_GS_SEG_BASE, "gs layout");
_Static_assert(offsetof(struct shr_gs, selector) == SHR_GS_SELECTOR, "gs layout");
_Static_assert(offsetof(struct shr_gs, rflags) == SHR_GS_RFLAGS, "gs layout");
_Static_assert(offsetof(struct shr_gs, rt_stack) == SHR_GS_RT_STACK, "gs layout");
_Static_assert(offsetof(struct shr_gs, quantum) == SHR_GS_QUANTUM, "gs layout");
_Static_assert(offsetof(struct shr_gs, work) == SHR_GS_WORK, "gs layout");
_Static_assert(offsetof(struct shr_gs, from_block) == SHR_GS_FROM, "gs layout");
_Static_assert(offsetof(struct shr_gs, seg_at) == SHR_GS_SEG_AT, "gs layout");
_Static_assert(offsetof(struct shr_gs, fp) == SHR_GS_FP, "gs layout");
_Static_assert(offsetof(struct shr_gs, fxsave) == SHR_GS_FXSAVE, "gs layout");
_Static_assert(offsetof(struct shr_gs, gpr) == SHR_GS_GPR, "gs layout");
_Static_assert(offsetof(struct shr_gs, ib) == SHR_GS_IB, "gs layout");

/* ---- tables: written by softpmu, read by the guest ------------------------------------------- */

/* Code map: open addressing, linear probing, hash = shr_map_hash(pc). Blocks of the same
 * 2 KiB of code lie in the same page of the map, so that little of it is touched. */
#define SHR_MAP_ENTRIES (1u << 20)
struct shr_map_entry {
	uint64_t key;	   /* shr_map_key(guest address of the block); 0 = free, 1 = deleted */
	uint32_t main_off; /* offsets into the code area */
	uint32_t indirect_off;
};

/* Returns the key of guest address pc in the code map. No address of code has the keys 0 and 1;
 * address 0 is one like others. */
static inline uint64_t shr_map_key(uint64_t pc)
{
	return ~pc;
}

/* Returns the entry of the code map at which the search for guest address pc begins. */
static inline uint32_t shr_map_hash(uint64_t pc)
{
	uint32_t group = (uint32_t)(((pc >> 11) * 0x9e3779b97f4a7c15ull) >> 52);

	return group << 8 | (uint32_t)(pc >> 3 & 255);
}

/* Tier 1: returns the index in the counter area, as an array of uint64_t, of a counter of block
 * `id`: its executions (which = 0), or how many of them left by the branch target (which = 1).
 * Eight of a kind share a line, as most programs count only the first. */
static inline uint32_t shr_counter(uint32_t id, unsigned which)
{
	return 2 * (id & ~7u) + 8 * which + (id & 7);
}

/* One translated block; index = block id. Ids are given in the order of code addresses. */
#define SHR_MAX_BLOCKS (1u << 19)
struct shr_block {
	uint64_t pc;	      /* guest address */
	uint32_t code_off;    /* first byte of its code, indirect entry included */
	uint32_t code_bytes;  /* hot and cold part together */
	uint32_t recover_off; /* index of its first shr_recover */
	uint16_t n_recover;
	uint16_t n_insn;
	uint16_t n_slot;
	/* hardware number of the register that stands in for r15; 15 = none */
	uint8_t x_reg;
	uint8_t y_reg;	    /* register spilled to spill_y when SHR_ST_Y is set; 15 = none */
	uint32_t flags;	    /* enum shr_block_flag */
	uint32_t check_off; /* self-checking blocks: source bytes at this offset of `bytes` */
	uint32_t guest_bytes;
	/* entry that does not look at the quantum; the main entry when nothing counts it */
	uint32_t fall_off;
};
enum shr_block_flag {
	SHR_BLK_DEAD = 1,    /* forgotten: nothing leads to it any more; its code may still run */
	SHR_BLK_CHECK = 2,   /* self-checking: it compares its source bytes when it starts */
	SHR_BLK_QUANTUM = 4, /* its head takes n_insn off gs.quantum */
};

/* The most that one execution of a block can count: clk in clocks, the next four in occurrences, by
 * the kinds of struct mdl_bounds (model/ask.h); and the pages that it can touch. core 0: softpmu
 * has not been asked yet, and no member holds. */
#define SHR_MOST_UNLIMITED UINT32_MAX /* a bound that is not known */
struct shr_most {
	uint32_t clk, data, core, lines, any, pages;
	/* when all that it touches is in the first-level caches: then no lines */
	uint32_t hit_clk, hit_data, hit_any;
};

/* How much may be counted before an overflow could have happened: instructions, and in the units of
 * struct shr_most. */
struct shr_room {
	uint64_t insns, clk, data, core, lines, any, pages;
};

/* Recovery table: where the program's registers are from code offset `code` of the block up to the
 * next entry. A fault in translated code uses the last entry whose `code` is at most the offset.
 * Without it a fault or signal in the middle of a block could not be shown at an instruction of
 * the program, with the program's registers. */
struct shr_recover {
	uint16_t code;	 /* offset from the block's code_off */
	uint16_t pc_off; /* guest instruction that is being executed: pc + pc_off */
	uint8_t insn;	 /* its index in the block = instructions completed before it */
	uint8_t state;	 /* enum shr_state */
	uint16_t slots;	 /* record slots written so far */
};
#define SHR_MAX_RECOVER (1u << 23)
enum shr_state {
	SHR_ST_X = 1,	    /* the program's r15 is in x_reg, x_reg's own value in spill_x */
	SHR_ST_RCX = 2,	    /* the program's rcx is in spill_rcx */
	SHR_ST_RAX = 4,	    /* the program's rax is in spill_rax */
	SHR_ST_Y = 8,	    /* y_reg's own value is in spill_y */
	SHR_ST_BUMPED = 16, /* r15 is already past this block's record: the record is complete */
	SHR_ST_FLAGS = 32, /* the program's flags are in rax as LAHF/SETO left them (with ST_RAX) */
};

/* Exits from translated code into the runtime: index = exit id. */
#define SHR_MAX_EXITS (1u << 20)
enum shr_exit_kind {
	SHR_EXIT_NONE = 0,
	/* go to `pc`, not translated yet; linking patches this exit away. `insn` 1: the block
	 * was only cut there, no branch leads to `pc` */
	SHR_EXIT_MISS,
	SHR_EXIT_INDIRECT, /* go to gs.target; not in the tables */
	/* chunk full or stop wanted, `insn` instructions of the block done; resume at code
	 * address `resume` after the chunk was changed (the runtime copies SHR_CHUNK_KEEP bytes
	 * behind r15 to the new chunk), or leave the block with TRC_PARTIAL and go on at `pc` */
	SHR_EXIT_FLUSH,
	/* SYSCALL at the end of the block (32-bit program: INT 80h); `pc` = address after it */
	SHR_EXIT_SYSCALL,
	/* instruction at `pc`, `bytes` long, the last of its block: enum shr_emulate */
	SHR_EXIT_EMULATE,
	SHR_EXIT_CHECK, /* head of a self-checking block: compare, then resume at `resume` */
	/* head of a block, nothing of it done: let another thread run, go on at `pc` */
	SHR_EXIT_QUANTUM,
};
struct shr_exit {
	uint64_t pc;
	uint32_t block; /* block it leaves */
	/* offset into the code area; EXIT_EMULATE in 64-bit code: enum shr_relative */
	uint32_t resume;
	uint8_t kind;	  /* enum shr_exit_kind */
	uint8_t insn;	  /* EXIT_FLUSH: instructions done; EXIT_EMULATE: enum shr_emulate */
	uint8_t bytes;	  /* EXIT_EMULATE: length of the instruction */
	uint8_t reg;	  /* EXIT_EMULATE: register operand (hardware number) */
	uint16_t operand; /* EXIT_EMULATE: operand size in bytes, INT: vector */
	uint16_t state;	  /* enum shr_state at the exit */
};

/* What the address gs.target of a memory operand is relative to; SHR_RELATIVE_STACK: to nothing,
 * and the segment is SS. */
enum shr_relative { SHR_RELATIVE_NONE, SHR_RELATIVE_FS, SHR_RELATIVE_GS, SHR_RELATIVE_STACK };

#define SHR_SEG_MEMORY 0x80u
#define SHR_SEG_STACK  0x40u

/* Instructions that the runtime executes for the program. Their block's record is complete (the
 * instruction included) when the exit is taken; one that faults is taken back with TRC_PARTIAL. */
enum shr_emulate {
	SHR_EMU_CPUID = 1,
	SHR_EMU_RDTSC,
	SHR_EMU_RDTSCP,
	SHR_EMU_RDPMC,
	SHR_EMU_XGETBV,
	SHR_EMU_RDRAND, /* reg, operand = 2, 4, 8 */
	SHR_EMU_RDSEED,
	SHR_EMU_RDPID,
	SHR_EMU_INT3,
	SHR_EMU_INT1,
	SHR_EMU_INT,	    /* operand = vector; 80h refused with a sentence in a 64-bit program */
	SHR_EMU_ILLEGAL,    /* SIGILL */
	SHR_EMU_PRIVILEGED, /* SIGSEGV with si_addr 0, as #GP gives */
	SHR_EMU_RDFSBASE,   /* reg, operand */
	SHR_EMU_RDGSBASE,
	SHR_EMU_WRFSBASE,
	SHR_EMU_WRGSBASE,
	SHR_EMU_POPF,  /* operand = 2, 4 or 8: the runtime pops the flags */
	SHR_EMU_PUSHF, /* operand = 2, 4 or 8: the runtime pushes the flags */
	/* 64-bit code: selector in segment register operand & 255 to register `reg` of operand
	 * >> 8 bytes; 0: to the word at gs.target; SHR_SEG_STACK + bytes: to the stack */
	SHR_EMU_STORE_SEG,
	/* 64-bit code: not known to the decoder, executed natively by single step */
	SHR_EMU_STEP,
	/* In 32-bit programs translated code has read memory operands already, into gs fields;
	 * in 64-bit ones the runtime reads them, gs.target has the address. */
	/* segment register `reg` (ES CS SS DS FS GS = 0..5) = selector gs.target; then esp +=
	 * operand (POP). 64-bit: operand 0 as here, SHR_SEG_MEMORY: the selector is the word at
	 * gs.target, SHR_SEG_STACK + bytes: it is popped */
	SHR_EMU_LOAD_SEG,
	/* LES LDS LSS LFS LGS: segment register operand & 255 = selector gs.target, then
	 * register `reg` = offset gs.spill_y of operand >> 8 bytes. 64-bit: both are at
	 * gs.target */
	SHR_EMU_LOAD_FAR,
	/* far call, jump or return, IRET; a far pointer in memory: selector gs.target, offset
	 * gs.spill_y; in 64-bit code it is at gs.target */
	SHR_EMU_FAR,
	SHR_EMU_SYSENTER, /* system call; arguments as the kernel's landing page passes them */
	/* operand = opcode byte: 27 DAA 2F DAS 37 AAA 3F AAS D4 AAM D5 AAD; reg = imm8 */
	SHR_EMU_BCD,
	/* register `reg` against gs.target (low) and gs.spill_y (high); operand = bytes */
	SHR_EMU_BOUND,
	SHR_EMU_INTO,
	/* source `reg`; destination register operand - 256, or a word at gs.target */
	SHR_EMU_ARPL,
	SHR_EMU_STORE_TABLE, /* SGDT (operand 0) or SIDT (1) to gs.target */
	SHR_EMU_XSAVE,	     /* 32-bit code: operand = enum shr_xsave, at gs.target */
	/* translated code has stored an x87 state at gs.target. The runtime corrects the
	 * instruction pointer in it, which is a code address: `reg` bytes at offset `operand` */
	SHR_EMU_X87_PC,
	/* 32-bit code: string instruction or masked move, of which the runtime reads the bytes;
	 * its record ends with the slot of ECX after it, if it has one */
	SHR_EMU_STRING,
	/* the exchange that ends a client request; translated code has done it */
	SHR_EMU_REQUEST,
};

enum shr_xsave { SHR_XSAVE_PLAIN, SHR_XSAVE_OPT, SHR_XSAVE_C, SHR_XSAVE_RSTOR };

struct shr_tables {
	struct shr_map_entry map[SHR_MAP_ENTRIES];
	struct shr_block block[SHR_MAX_BLOCKS];
	struct shr_exit exit[SHR_MAX_EXITS];
	struct shr_recover recover[SHR_MAX_RECOVER];
	/* A guest that runs towards an overflow takes these off shr_ctl.room, block by block
	 * (perfev/credit.h). softpmu fills in the blocks that it was asked about. */
	struct shr_most most[SHR_MAX_BLOCKS];
	uint32_t n_most;	  /* entries behind it are empty */
	uint8_t bytes[64u << 20]; /* source bytes of self-checking blocks */
};

/* ---- control area ---------------------------------------------------------------------------- */

/* A signal that softpmu sends to bring the guest to a boundary: SIGFPE with SI_QUEUE and this
 * value. The runtime catches it at all times, whatever the program does with it. While a signal is
 * pending the kernel drops another one of the same number, even that of a fault. The number must
 * therefore be one whose fault happens again when the program goes on: a divide error does, a
 * breakpoint's SIGTRAP would not. */
#define SHR_KICK_SIGNAL	 8
#define SHR_KICK_VALUE	 0x6b69636b5054ull
#define SHR_MOST_THREADS 8192u	     /* at a time */
#define SHR_NOTE_TAKEN	 0x80000000u /* in open_chunk */

/* The last bytes that the program wrote to descriptors 1 and 2; byte number n lies at index
 * n % SHR_WORDS_BYTES. softpmu shows them when the program ends with an error. */
#define SHR_WORDS_BYTES 1024u
struct shr_words {
	uint64_t n; /* bytes written so far */
	char text[SHR_WORDS_BYTES];
};

/* An event with sigtrap has overflowed in a thread of the guest: what its SIGTRAP says. */
struct shr_trap {
	uint32_t thread; /* number */
	uint32_t type;	 /* perf_event_attr.type */
	uint64_t addr, data;
};
#define SHR_MOST_TRAPS 16u

/* Hashes of the file names that have a TRC_INPUT record, as an open hash table, so that each name
 * is recorded once. The guest alone uses it. A child gets a copy; exec keeps it. */
#define SHR_KNOWN_PLACES 2048u
#define SHR_MOST_KNOWN	 1024u
struct shr_known {
	uint32_t n, has_more;		 /* has_more: TRC_INPUT_MORE was written */
	uint64_t name[SHR_KNOWN_PLACES]; /* 0: free */
};

/* Rights that the kernel would have given the program by the mode or the capabilities of its file,
 * and that softpmu cannot give; a sum of these. */
enum shr_missed { SHR_MISSED_OWNER = 1, SHR_MISSED_GROUP = 2, SHR_MISSED_CAPABILITIES = 4 };

struct shr_ctl {
	uint64_t magic;
	uint32_t version;
	uint32_t guest_pid; /* written by the runtime */
	struct shr_start start;

	/* The ring. The order of all writes is in the head of this file. */
	uint32_t produced __attribute__((aligned(64))); /* guest: chunks handed over */
	uint32_t consumer_sleeps;			/* softpmu sleeps on `doorbell` */
	uint32_t consumed __attribute__((aligned(64))); /* softpmu: chunks read */
	uint32_t guest_sleeps;				/* guest sleeps on `consumed` */
	uint32_t reader_cpu; /* softpmu: processor of the host that read the last chunk */
	/* softpmu: a chunk is full at this many bytes, because its records stand for many
	 * instructions; 0: at its full size */
	uint32_t chunk_most;
	/* guest: adds 1 for a chunk or a question when softpmu sleeps */
	uint32_t doorbell __attribute__((aligned(64)));
	uint32_t chunk_bytes[SHR_N_CHUNKS]; /* guest: by place of the chunk */
	/* guest: by place, 1 + number of the last chunk there that has a TRC_THREAD; 0: none had */
	uint32_t chunk_turns[SHR_N_CHUNKS];
	uint32_t chunk_inputs[SHR_N_CHUNKS]; /* as chunk_turns, for TRC_INPUT */
	uint32_t chunk_maps[SHR_N_CHUNKS];   /* as chunk_turns, for TRC_MAP, TRC_UNMAP, TRC_EXEC */
	/* The chunk that is being filled: number + 1 << 32 | bytes of whole records when the
	 * runtime noted them last; 0: nothing was noted yet. softpmu finds later records by their
	 * heads, when the guest is killed or while it runs. SHR_NOTE_TAKEN: softpmu has read so
	 * far, or will; the runtime can take nothing of that back. */
	uint64_t open_chunk;

	/* Input digest: running hash over system calls and results, 64-bit FNV-1a by words. */
	uint64_t input_digest;
	uint64_t n_syscalls;
	uint64_t n_signals;
	uint64_t clock_looks;	     /* times the program read the time-stamp counter */
	uint64_t time_looks;	     /* times it asked for a time that is not in the digest */
	struct shr_words last_words; /* since exec */
	struct shr_known known;
	/* wait status as of wait(2), set when the program ends; 0 when the guest was killed, too */
	uint32_t end_status;
	uint32_t missed_rights; /* of the program that was started last: enum shr_missed */
	uint64_t n_threads;	/* threads started, the first one included */
	/* softpmu: ask REQ_RISE at the next boundary, because a process of the run has opened an
	 * event on this one */
	uint32_t wants_records;
	/* softpmu: ask REQ_PERF_CREDIT at the next boundary; an overflow must stop the program */
	uint32_t wants_credit;
	/* softpmu: there are events on this process; the runtime asks about births and ends of
	 * threads (REQ_PERF_THREAD, REQ_PERF_GONE) */
	uint32_t is_watched;
	/* softpmu: send struct req_perf_state with every REQ_PERF_CREDIT */
	uint32_t wants_state;
	uint32_t wants_stack; /* softpmu: send so many bytes of the stack with it */
	/* softpmu: an overflow may have to stop the program one day (REQ_HEADS) */
	uint32_t wants_heads;
	/* softpmu, in the answer to REQ_PERF: what may be counted before the guest asks again; the
	 * guest takes off what its blocks count */
	struct shr_room room;
	/* softpmu, in the answer to REQ_PERF: signals that the guest is to send to its threads
	 * now */
	struct shr_trap trap[SHR_MOST_TRAPS];
	uint32_t n_traps;
	/* softpmu: it has put a breakpoint into the code area in front of this offset; 0: there is
	 * none */
	uint32_t behind_stop;
	/* softpmu: report waits in system calls (REQ_PERF_WAITED) */
	uint32_t wants_switches;
	/* Meeting the guest at a boundary (session/serve/meet.h). */
	uint32_t wants_meet; /* softpmu: ask REQ_MEET at the next boundary */
	/* guest: in a system call; nothing of the program is executed before it has cleared this
	 * and then looked at wants_meet and wants_records */
	uint32_t is_out;
	uint32_t running_tid; /* guest: thread that executes the program, or did last */
	uint32_t n_kicks;     /* softpmu: signals sent to bring it to a boundary */
	/* The program's threads, by the runtime's slots; tid 0: the slot is free. */
	uint32_t n_slots;
	struct {
		uint32_t tid, number;
	} thread[SHR_MOST_THREADS];
	/* living processes that share the memory of the first one (guest/threads/process.h) */
	uint32_t n_others;
	/* not 0: its life pipe may be open in other processes, too, so that its end says
	 * nothing; the guest is gone when this process is */
	uint32_t watch_pid;
	/* times a thread came back from the kernel at a moment that instruction counts do not
	 * decide */
	uint64_t outside_events;
	/* of n_signals: from other processes and the kernel, at a moment that the host decides */
	uint64_t host_signals;
	/* guest: the program has a handler for SIGINT, or blocks it to take it by a call */
	uint32_t hears_interrupt;
	uint64_t interrupt_ns; /* guest: CLOCK_MONOTONIC when the last SIGINT came; 0: none did */

	struct req_box req;
	/* followed by start strings at SHR_START_OFF */
};
#define SHR_START_OFF	(1u << 20)
#define SHR_START_BYTES (8u << 20)
_Static_assert(sizeof(struct shr_ctl) <= SHR_START_OFF, "control area too small");
#define SHR_CTL_BYTES ((uint64_t)SHR_START_OFF + SHR_START_BYTES)

/* ---- the memory file: where each area starts in it ------------------------------------------- */
#define SHR_PAGES_UP(x) (((uint64_t)(x) + 4095) & ~4095ull)
#define SHR_TAB_BYTES	SHR_PAGES_UP(sizeof(struct shr_tables))
#define SHR_RING_BYTES	((uint64_t)SHR_CHUNK_BYTES * SHR_N_CHUNKS)
#define SHR_CODE_OFF	0ull
#define SHR_COUNT_OFF	(SHR_CODE_OFF + SHR_CODE_BYTES)
#define SHR_TAB_OFF	(SHR_COUNT_OFF + SHR_COUNT_BYTES)
#define SHR_CTL_OFF	(SHR_TAB_OFF + SHR_TAB_BYTES)
#define SHR_RING_OFF	(SHR_CTL_OFF + SHR_CTL_BYTES)
/* What the runtime carries over exec (system-call filters), by pread and pwrite; neither process
 * maps it. */
#define SHR_KEEP_OFF   (SHR_RING_OFF + SHR_RING_BYTES)
#define SHR_KEEP_BYTES 0x80000ull
#define SHR_MEM_BYTES  (SHR_KEEP_OFF + SHR_KEEP_BYTES)

/* Descriptors that a guest process gets from softpmu, as decimal numbers in argv[1..] of the
 * runtime. They stay open, hidden from the program. */
enum shr_fd {
	SHR_FD_MEMORY, /* the areas above */
	/* softpmu sends descriptors here (REQ_FORK, REQ_EXEC), in the order of this list */
	SHR_FD_SOCKET,
	/* read end of a pipe whose write end only softpmu has: when softpmu dies the pipe ends,
	 * and the kernel's signal for that kills the guest */
	SHR_FD_LIFE,
	SHR_FD_IMAGE, /* the runtime, for exec */
	SHR_N_FDS
};
#define SHR_N_SENT 3u /* memory, socket, life: what softpmu sends for a new process */

#endif
