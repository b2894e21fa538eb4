/* record.h -- the record stream: what a running program did, as bytes.
 *
 * Written by translated code and by the guest runtime, read by the models; the same bytes in the
 * shared ring and in a file. No libc.
 *
 * LAYOUT           little endian, unaligned, back to back:
 *   u32 head < TRC_SPECIAL   one execution of a block: id in bits 0..19, its number of slots in
 *                            bits 20..27 (so that a reader finds the next record without knowing
 *                            the block), followed by that many values of 8 bytes each (what a
 *                            slot means is a static fact of the block).
 *   u32 head >= TRC_SPECIAL  an event: kind = head - TRC_SPECIAL, then u32 size of the payload in
 *                            bytes (a multiple of 4), then the payload.
 * A block record means that every instruction of the block was executed, unless the next record
 * is TRC_PARTIAL for it (see there). Records never straddle two chunks.
 *
 * COUNTING RULES   a conditional branch is taken when the next block record (or the pc of the
 *                  next TRC_GO) is its target and not its fall-through address; where the two
 *                  are one, when TRC_TAKEN follows.
 * TRUST            the reader treats every byte as hostile: ids, sizes and order are checked.
 */
#ifndef SOFTPMU_TRACE_RECORD_H
#define SOFTPMU_TRACE_RECORD_H

#include <stdint.h>

#define TRC_VERSION  7
#define TRC_MEMBERS  6 /* since this version a file has TRC_MEMBER, and since 7 TRC_REGION */
#define TRC_OLDEST   5 /* the oldest version that readers accept */
#define TRC_NO_CALL  0xffffffffu
#define TRC_NO_BLOCK 0xffffffffu
#define TRC_SPECIAL  0xf0000000u
#define TRC_ID_BITS  20u

/* Head of a block record, and its parts. */
static inline uint32_t trc_block_head(uint32_t id, uint32_t n_slot)
{
	return n_slot << TRC_ID_BITS | id;
}
static inline uint32_t trc_block_id(uint32_t head)
{
	return head & ((1u << TRC_ID_BITS) - 1);
}
static inline uint32_t trc_block_bytes(uint32_t head)
{
	return 4 + 8 * (head >> TRC_ID_BITS);
}

/* The head of no record. The writer puts it where the next record will begin, before it writes
 * the head of the current one: so a reader of an unfinished chunk never takes old bytes for a
 * record. */
#define TRC_BLANK 0xffffffffu

/* Size of the record at p, or 0 when n bytes do not hold it. */
static inline uint64_t trc_record_bytes(const uint8_t *p, uint64_t n)
{
	uint64_t bytes;

	if (n < 4)
		return 0;
	if (*(const uint32_t *)(const void *)p < TRC_SPECIAL)
		bytes = trc_block_bytes(*(const uint32_t *)(const void *)p);
	else
		bytes = n < 8 ? n + 1 : 8 + (uint64_t)((const uint32_t *)(const void *)p)[1];
	return bytes <= n ? bytes : 0;
}

/* Returns how many bytes of a chunk hold whole records when its writer was killed. The first
 * `whole` bytes are known to. A record is whole when another one follows it; the last one is left
 * out, because nothing says how far it came. Cost: a look at each record after `whole`. */
static inline uint32_t trc_whole_bytes(const uint8_t *chunk, uint32_t bytes, uint32_t whole)
{
	for (;;) {
		const uint64_t left = whole < bytes ? bytes - whole : 0;
		const uint64_t size =
		    left < 4 || *(const uint32_t *)(const void *)(chunk + whole) == TRC_BLANK
			? 0
			: trc_record_bytes(chunk + whole, left);

		if (size == 0 || size + 4 > bytes - whole ||
		    *(const uint32_t *)(const void *)(chunk + whole + size) == TRC_BLANK)
			return whole;
		whole += (uint32_t)size;
	}
}

/* Kinds of events. Payload after the colon, in order. */
enum trc_kind {
	/* u32 block, u32 insns, then the block's n_slot values (those of instructions >= insns
	 * are undefined): the first `insns` instructions of `block` were executed and no more.
	 * Stands alone: no plain record of this execution exists. Ends by fault, signal or
	 * invalidation. */
	TRC_PARTIAL = 0,
	/* u64 pc: execution goes on at pc although the last block does not say so (first
	 * instruction of the program, signal delivery, sigreturn, after a system call changed
	 * the pc). A handler is preceded by two: where the last block went, and the handler. */
	TRC_GO,
	/* u64 address: FS base from here on (FS-relative references are relative to it). */
	TRC_FS_BASE,
	/* u64 address, u64 bytes, u32 prot, u32 flags, u64 file offset, then the path (NUL
	 * padded to a multiple of 4; empty for anonymous memory). */
	TRC_MAP,
	/* u64 address, u64 bytes. */
	TRC_UNMAP,
	/* u32 number, u32 number of the x86-64 call that it acts like (TRC_NO_CALL: none), u64
	 * result, u64 input digest behind it: one system call of the program returned. */
	TRC_SYSCALL,
	/* u32 signal number, u32 zero: a signal handler is entered. */
	TRC_SIGNAL,
	/* u64 pc, u32 bytes: one instruction was executed by the runtime on behalf of the program
	 * (an emulated instruction belongs to its block and is not repeated here). Used for
	 * instructions that the decoder does not know. */
	TRC_UNKNOWN_INSN,
	/* u32 wait status as wait(2) gives it, u32 zero: the program ended. */
	TRC_EXIT,
	/* u32 DF (0 or 1), u32 zero: the direction flag changed other than by CLD or STD. */
	TRC_DF,
	/* Files only: u32 id, u32 bytes, u64 pc, u32 insns, u32 mode (0: 64-bit code, 1:
	 * 32-bit), then the guest code of the block (padded to a multiple of 4). Precedes the
	 * first use of the id; ids ascend by one. The block's facts follow from its code, mode,
	 * number of instructions and the file's flags. */
	TRC_BLOCK,
	/* u32 number, u32 processor + 1 (0: trc_thread_cpu): what follows is done by this thread
	 * of the program, on this processor; threads are numbered from 0 in the order of their
	 * birth. TRC_GO before it says where the thread that stops goes on; TRC_FS_BASE, TRC_DF
	 * and TRC_GO of the thread that goes on come after it. */
	TRC_THREAD,
	/* No payload: the conditional branch that ends the last block was taken. Written only
	 * where target and fall-through address are one, as the next block shows it otherwise. */
	TRC_TAKEN,
	/* Files only, empty: all ids are void, the next TRC_BLOCK has id 0. */
	TRC_FORGET_ALL,
	/* No payload: the process has replaced itself by a new program, in a new address space.
	 * FS base and DF are 0 from here on. */
	TRC_EXEC,
	/* From the session to a model only: u32 block, u32 from, u32 to, u32 zero, then the
	 * block's n_slot values. Instructions [from, to) of an execution of the block; the pieces
	 * of one execution follow each other. Counts and clocks are those of the whole block. The
	 * exception: mdl_finish() between two pieces ends groups of instructions that would have
	 * gone on; mdl_peek() does not. */
	TRC_PIECE,
	/* u64 address, u64 bytes: the contents of these pages are gone (madvise); the mapping
	 * stays. */
	TRC_DISCARD,
	/* u64 address, u64 bytes: these pages were written for the program before it began, as a
	 * kernel does it. */
	TRC_FILLED,
	/* From the session to a model only: u64 pc, u32 block, u32 insn: the next instruction
	 * that is executed lies at pc, and is number `insn` of `block` (TRC_NO_BLOCK: not known).
	 * The model works out what it had put off until the next record. Counts and clocks are
	 * those that the next record would have brought. */
	TRC_AHEAD,
	/* struct trc_area, then the path as in TRC_MAP (also "[heap]" and its like): a range of
	 * the program's memory as it is after a mapping or a change of protection, with the
	 * neighbours that were merged into it. perf's MMAP2 records are made from it; models
	 * read TRC_MAP. */
	TRC_AREA,
	/* struct trc_input, then the path as the program named it, NUL padded to a multiple of
	 * 4: it has opened this file for the first time, to read it (guest/files/input.h). Only
	 * in runs that keep their inputs. */
	TRC_INPUT,
	/* Files only, empty: totals were asked for here (mdl_finish). */
	TRC_FINISH,
	/* Files only: u64 birth of a process that starts here with a copy of the machine's state.
	 */
	TRC_BIRTH,
	/* Files only: struct trc_member, then the order of birth and the name of the program, each
	 * ended by NUL, NUL padded to a multiple of 4. */
	TRC_MEMBER,
	/* Files only, where the flags have TRC_FILE_MARKS: struct trc_region, then the name, ended
	 * by NUL, NUL padded to a multiple of 4: the program begins, ends or clears a region by a
	 * client request (session/serve/regions.h). The request itself stands before it. */
	TRC_REGION,
	/* From the session to a model only, of a whole machine: u64 pc, u32 enum trc_delivery, u32
	 * zero: the processor delivers an interrupt that no instruction asked for, or an exception,
	 * and goes on at pc, in its handler. TRC_GO stands before it. */
	TRC_INTERRUPT,
	/* From the session to a model only, of a whole machine: u64 pc, u32 enum trc_mask bits, u32
	 * zero: so it is from here on, where execution goes on at pc and nothing was between. */
	TRC_MASK,
	/* From the session to a model only, of a whole machine: u64 pc: privilege changes in front
	 * of pc, where execution goes on. */
	TRC_RING,
	/* From the session to a model only, of a whole machine: u64 pc, where execution goes on,
	 * then struct trc_page: from here on the machine's tables map this page so. */
	TRC_PAGE,
	/* From the session to a model only, of a whole machine: u64 pc, where execution goes on,
	 * u32 enum trc_flush, u32 linear page number: the processor drops entries of its TLBs. */
	TRC_FLUSH,
	TRC_N_KINDS
};

/* A page of a machine. Entries are those that a walk reads, directory first. */
struct trc_page {
	uint32_t page;	   /* linear page number */
	uint32_t frame;	   /* physical page number */
	uint32_t pde, pte; /* physical addresses of the entries, or TRC_NO_ENTRY */
	uint32_t flags;	   /* enum trc_page_flag */
	uint32_t zero;
};
#define TRC_NO_ENTRY 0xffffffffu /* without a PDE the page needs no walk: paging is off */
enum trc_page_flag {
	TRC_PAGE_LARGE = 1,    /* part of a page of 4 MB; there is no PTE */
	TRC_PAGE_PAE = 2,      /* ... of 2 MB */
	TRC_PAGE_GLOBAL = 4,   /* TRC_FLUSH_LOCAL leaves it */
	TRC_PAGE_SETS_PDE = 8, /* the walk set accessed or dirty bits in this entry */
	TRC_PAGE_SETS_PTE = 16,
	TRC_PAGE_FLAGS = 31 /* all of them */
};

enum trc_flush {
	TRC_FLUSH_LOCAL, /* all pages but global ones */
	TRC_FLUSH_ALL,
	TRC_FLUSH_PAGE, /* the page that is named, global or not */
	TRC_N_FLUSHES
};

enum trc_delivery { TRC_DELIVERY_INTERRUPT, TRC_DELIVERY_EXCEPTION };

enum trc_mask {
	TRC_MASK_IS_MASKED = 1,	 /* interrupts are disabled (IF is 0) */
	TRC_MASK_IS_PENDING = 2, /* ... and one waits */
};

/* What TRC_MEMBER says about a process of the run. */
enum trc_member_kind {
	TRC_MEMBER_IS, /* the process of this stream is this one; again where its program changes */
	TRC_MEMBER_VFORK, /* a child runs in its memory from here on, and it waits */
	TRC_MEMBER_BACK,  /* that child has ended; it goes on */
	TRC_MEMBER_EXEC,  /* that child has executed a program, and is a process with a stream */
	TRC_MEMBER_END,	  /* the process of this stream ends; digest: of its inputs */
};
struct trc_member {
	uint32_t kind; /* enum trc_member_kind */
	uint32_t zero;
	uint64_t process; /* its birth, as a hash */
	uint64_t digest;
};

#define TRC_MAP_PATH 40u /* bytes of a record of TRC_MAP before the path */

/* What TRC_REGION says. */
struct trc_region {
	uint32_t what;	 /* enum req_region, below REQ_REGION_GET */
	uint32_t thread; /* of the program */
};

enum trc_input_kind {
	TRC_INPUT_FILE,
	TRC_INPUT_PROGRAM,  /* a program that was loaded, or its interpreter */
	TRC_INPUT_STANDARD, /* standard input of the first process, a file; no path */
	TRC_INPUT_MORE,	    /* no path: the runtime tells of no more files */
	TRC_N_INPUT_KINDS
};
struct trc_input {
	uint64_t bytes, digest;
	uint32_t kind; /* enum trc_input_kind */
	uint32_t zero;
};

struct trc_area {
	uint64_t addr, bytes;
	uint64_t off;	       /* in the file; of private memory without a file: addr */
	uint64_t inode;	       /* 0: there is no file */
	uint32_t major, minor; /* device */
	uint32_t generation;   /* of the inode, where its file system has one */
	uint32_t prot, flags;  /* PROT_*; MAP_SHARED or MAP_PRIVATE, MAP_LOCKED, MAP_HUGETLB */
	uint32_t zero;
};

/* The fixed part of the payload of TRC_BLOCK; the code follows. */
struct trc_block {
	uint32_t id, bytes; /* bytes: of the code, without what it is padded with */
	uint64_t pc;
	uint32_t n_insn, mode;
};

/* What stands before each part of a trace file (session/files/trace_file.h): a skippable frame of
 * Zstandard's (RFC 8878, 3.1.2) with a trc_frame and perhaps a text in it. */
#define TRC_SKIPPABLE 0x184d2a5cu
struct trc_skip {
	uint32_t magic; /* TRC_SKIPPABLE */
	uint32_t bytes; /* behind these 8, to the end of the text */
};

enum trc_frame_kind {
	TRC_FRAME_HEAD,
	TRC_FRAME_RECORDS,
	TRC_FRAME_END,
	TRC_FRAME_OBJECT, /* since version 7 */
	TRC_FRAME_NAMES,  /* since version 7 */
	TRC_N_FRAMES
};
#define TRC_FRAME_TAG "SPMU"
struct trc_frame {
	char tag[4];	  /* TRC_FRAME_TAG */
	uint32_t kind;	  /* enum trc_frame_kind */
	uint64_t process; /* birth of the process, as a hash */
	/* Bytes of the compressed frame behind it, 0: there is none; and of what is in it: of
	 * records their code (session/files/trace_code.h). */
	uint32_t raw, packed;
};
struct trc_frame_head {
	struct trc_skip skip;
	struct trc_frame frame;
};

/* The first bytes of a trace's streams; records follow. */
struct trc_file_head {
	char magic[8];	  /* "SPMUTRC" */
	uint32_t version; /* TRC_VERSION */
	uint32_t flags;	  /* enum trc_file_flag */
};
enum trc_file_flag {
	TRC_FILE_CLASSES = 1,	   /* records hold operand classes of x87 and SSE instructions */
	TRC_FILE_X87_OPERANDS = 2, /* ... the control word and operands of x87 arithmetic */
	TRC_FILE_MMX_OPERANDS = 4, /* ... the operands of MMX instructions that saturate */
	TRC_FILE_X87_CONTROL = 8,  /* ... the control word of x87 divides */
	TRC_FILE_MARKS = 16,	   /* ... the marks of the program's regions */
};
#define TRC_FILE_XSAVE_SHIFT 16 /* above: bytes of an XSAVE area */
#define TRC_FILE_MAGIC	     "SPMUTRC"

/* Returns the processor, below n, that a TRC_THREAD record names: `said` - 1, or when that says
 * nothing the thread's number modulo n. */
static inline uint32_t trc_thread_cpu(uint32_t number, uint32_t said, uint32_t n)
{
	if (said && said <= n)
		return said - 1;
	return n ? number % n : 0;
}

#endif
