/* p6.h -- the P6 machine without time: state of all units, and what they offer each other.
 *
 * One file per hardware unit, named as in catalog/p6/wires.tsv: retire ifu itlb dcu dtlb walk l2
 * bus btb fpu mmx sse seg. compile.c turns static block facts into the compact form that feed.c,
 * the loop over records, works on; plain.c is the same machine without any short cut.
 *
 * COUNTING RULES   program order of the right path: an instruction's code lines, then its
 * references in the order of struct x86_block. What a block does whenever it runs is a vector,
 *                  added once per execution; only what depends on state is done per record.
 * MODELLED         see each unit.
 * NOT MODELLED     time, wrong paths, bus agents that are no processors, uncacheable memory, kernel code.
 * SOURCES          docs/MODELS.md has one section per unit with its rules and choices.
 */
#ifndef SOFTPMU_MODEL_P6_P6_H
#define SOFTPMU_MODEL_P6_P6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "model/model.h"
#include "model/p6/jit_state.h"
#include "model/p6/time.h"
#include "model/parts/btb.h"
#include "model/parts/cache.h"
#include "model/parts/pages.h"
#include "model/parts/reader.h"
#include "model/parts/rsb.h"
#include "model/parts/tlb.h"
#include "model/parts/turns.h"
#include "model/parts/wcbuf.h"
#include "x86/block.h"

/* The usual shape: Pentium II and III have these caches and TLBs. */
#define P6_USUAL_LINE_LOG2 5u
#define P6_USUAL_WAYS	   4u
#define P6_USUAL_SET_LOG2  7u
#define P6_USUAL_DTLB_SETS 16u
#define P6_USUAL_ITLB_SETS 8u
#define P6_NO_KEY	   UINT64_MAX
#define P6_MOST_STRING_BYTES (1ull << 34) /* of one REP instruction */
#define P6_LIN_MASK	   READER_LIN_MASK

/* ---- static counts ----------------------------------------------------------------------------
 */

/* A sparse vector over wires while it is being summed. */
struct p6_tally {
	uint32_t n[WIRE_N];
	uint16_t touched[WIRE_N];
	unsigned n_touched;
};

static inline void p6_tally_add(struct p6_tally *t, unsigned wire, uint32_t n)
{
	if (!n)
		return;
	if (!t->n[wire])
		t->touched[t->n_touched++] = (uint16_t)wire;
	t->n[wire] += n;
}

struct p6_count {
	uint16_t wire, n;
};

/* What a mnemonic is to the operation-kind events (kinds.c). */
enum p6_kind {
	P6_K_FP_OP =
	    1 << 0,	   /* x87 computational: add sub mul div rem sqrt compare, transcendental */
	P6_K_MUL = 1 << 1, /* integer or x87 multiply */
	P6_K_DIV = 1 << 2, /* integer or x87 divide */
	P6_K_INT_MULDIV = 1 << 3,
	P6_K_MMX_MUL = 1 << 4, /* classes of B3H */
	P6_K_MMX_SHIFT = 1 << 5,
	P6_K_MMX_PACK = 1 << 6,
	P6_K_MMX_UNPACK = 1 << 7,
	P6_K_MMX_LOGICAL = 1 << 8,
	P6_K_MMX_ARITH = 1 << 9,
	P6_K_MMX_SAT = 1 << 10,
	P6_K_MMX_MOVE = 1 << 11, /* MOVD, MOVQ */
	P6_K_EMMS = 1 << 12,
	P6_K_SSE_SCALAR = 1 << 13,
	P6_K_SSE_PACKED = 1 << 14,
	P6_K_SSE_COMP = 1 << 15,
	P6_K_FENCE = 1 << 16, /* SFENCE, LFENCE, MFENCE and serialising instructions */
	P6_K_TRAP_CALL =
	    1 << 17, /* INT n, INT3, SYSCALL, SYSENTER, far transfers: retired as branches */
	P6_K_STRING_MOVS = 1 << 18,
	P6_K_STRING_STOS = 1 << 19,
	P6_K_SEG_FS = 1 << 20, /* LFS, LGS: the segment register is not an operand */
	P6_K_SEG_GS = 1 << 21,
	P6_K_PRE_NTA = 1 << 22, /* prefetches by hint */
	P6_K_PRE_T0 = 1 << 23,
	P6_K_PRE_T1 = 1 << 24,
	P6_K_PRE_T2 = 1 << 25,
	P6_K_NT_STORE = 1 << 26, /* weakly ordered stores */
	P6_K_HOST = 1 << 27,	 /* rounds as the host does, not as an exact rule says */
};

/* What the model keeps per mnemonic, found out when it is first met. */
struct p6_mnemonic {
	const char *name;
	uint32_t kinds;
	bool is_known; /* false: not looked up yet */
};

struct p6_form;

/* ---- compiled blocks --------------------------------------------------------------------------
 */

/* One data reference: linear address = disp + slot value (unless P6_NO_SLOT) + rest; rest, when
 * is_more: (value of slot2 << shift, unless P6_NO_SLOT) + FS base (P6_MORE_FS). */
#define P6_NO_SLOT 0xff
struct p6_ref {
	int32_t disp;
	uint8_t slot, slot2;
	uint8_t align_mask; /* address bits that must be 0 for the quick path */
	uint8_t is_more;    /* P6_MORE_* bits and the shift */
	uint8_t access;	    /* enum p6_access */
	uint8_t kind;	    /* enum p6_ref_kind */
	uint8_t role;	    /* enum p6_role; in time, from P6_B_TIMED on */
};

#define P6_MORE	      1u /* any of the following */
#define P6_MORE_FS    2u
#define P6_MORE_SHIFT 4 /* scale of slot2 as a shift in bits 4 and 5 */

enum p6_access { P6_READ, P6_WRITE, P6_READ_WRITE, P6_LOCKED };

/* P6_NEVER: of unusual size. P6_FAR: the same, and disp does not hold its displacement. */
enum p6_ref_kind { P6_QUICK_READ, P6_QUICK_WRITE, P6_NEVER, P6_FAR };
#define P6_KINDS 4u

enum p6_blk_flag {
	P6_B_ORDER = 1, /* needs plain order: REP, weak stores, prefetches, DF */
	P6_B_WC = 2, /* fence, lock or serialising instruction: empties write-combining buffers */
	P6_B_FPMMX = 4, /* has x87 or MMX instructions */
	P6_B_ASSIST = 8, /* its record has operand classes */
	P6_B_TIMED = 16, /* in time: its templates are made */
	P6_B_QUICK = 32, /* in time: time_access.c can do it at once in the usual shape */
	P6_B_ZERO = 128, /* in time: it asks what is known of the upper parts of registers */
	P6_B_KEPT = 64, /* in time: steps can be kept of it by what it does to the structures alone */
};

/* Header of a compiled block; then n_ref struct p6_ref, then n_line bytes: per code line the number
 * of references of instructions before the first one that touches it; in time, then that one's number, for each. */
struct p6_blk {
	uint64_t n_exec;
	uint64_t pc;	    /* 48-bit linear */
	int32_t target_rel; /* target of a direct transfer, relative to the end of the block */
	uint32_t head;	    /* of its records */
	uint32_t counts;    /* first struct p6_count */
	uint32_t zero_keep, zero_set; /* from P6_B_TIMED on: those of its templates (time_zero.h) */
	uint16_t bytes;	    /* of code */
	uint16_t btb;	    /* position where the BTB had the branch last */
	uint8_t n_count;
	uint8_t n_insn, n_ref;
	uint8_t n_line;
	uint8_t term;	/* enum x86_term */
	uint8_t flags;	/* enum p6_blk_flag */
	uint8_t fpmmx;	/* first (bits 0..3) and last (4..7) of enum p6_fpmmx */
	uint8_t is_cut : 1;   /* its first instruction lies in two lines */
	uint8_t has_code : 1; /* it has host code (jit.h) */
};

/* Target of a conditional branch to the next instruction: no block lies there, TRC_TAKEN does. */
#define P6_NO_TARGET INT32_MAX

enum p6_fpmmx { P6_FPMMX_X87 = 1, P6_FPMMX_MMX = 2 };

/* Address after the block; the last byte of its branch is one below. */
static inline uint64_t p6_blk_fall(const struct p6_blk *b)
{
	return b->pc + b->bytes;
}

static inline const struct p6_ref *p6_blk_refs(const struct p6_blk *b)
{
	return (const struct p6_ref *)(const void *)(b + 1);
}

/* What host code says of reference k, r. */
static inline struct p6_access_what p6_access_what(const struct p6_ref *r, unsigned k)
{
	return (struct p6_access_what){(uint8_t)k, r->access == P6_READ, r->role, r->align_mask};
}

static inline const uint8_t *p6_blk_lines(const struct p6_blk *b)
{
	return (const uint8_t *)(p6_blk_refs(b) + b->n_ref);
}

/* By code line, in time: the instruction that reaches it first. */
static inline const uint8_t *p6_blk_line_insns(const struct p6_blk *b)
{
	return p6_blk_lines(b) + b->n_line;
}

#define P6_NO_ENTRY 0u

/* ---- the machine ------------------------------------------------------------------------------
 */

/* The control transfer that waits for the next record to say where it went. */
struct p6_pending {
	uint64_t target, fall;
	uint8_t term; /* X86_TERM_FALL: nothing waits */
};

/* A level-1 cache and what the loop asks before it looks the cache up: which line of each set was
 * used last (key = linear address >> log2 of the way), by linear set number. */
struct p6_l1 {
	struct cache cache;
	uint64_t *filter; /* dcu: P6_KINDS keys per set, one for each enum p6_ref_kind, the last two never
			   * match; in the usual shape it points into struct p6_quick. ifu: one key, not used
			   * in the usual shape */
	void *memory;	  /* of the filter */
	bool has_filter;  /* linear and physical set numbers are the same */
};

/* What caches need to know of a page. */
struct p6_frame {
	uint32_t id, colour;
};

/* A TLB and the page of each set that was used last. */
struct p6_tlb {
	struct tlb tlb;
	uint64_t *filter;      /* n_sets linear page numbers */
	void *memory;	       /* of the filter */
	struct p6_frame *last; /* n_sets: the page of the filter */
	unsigned miss_wire, walk_wire;
};

/* The filters in the usual shape, where the loop finds them without a pointer. */
struct p6_quick {
	uint64_t dtlb[P6_USUAL_DTLB_SETS];
	/* of host code (jit.c), which has short displacements up to the beginning of dcu[] */
	uint8_t keep[16], set[16];            /* replacement word by hit mask (1, 2, 4, 8) */
	uint64_t taken_sums[4], fall_sums[4]; /* outcome sums by two-bit counter */
	uint64_t dcu[P6_KINDS << P6_USUAL_SET_LOG2];
	uint64_t itlb[P6_USUAL_ITLB_SETS];
};

/* Ranges of linear addresses, as numbers of their first and last lines. */
struct p6_ranges {
	struct mdl_range line[MDL_MAX_UNCACHED];
	unsigned n;
};

/* Requests that L2 serves in place (usual.h): what for, and what it found. */
enum p6_served { P6_SERVED_READ, P6_SERVED_WALK, P6_SERVED_FETCH, P6_SERVED_STORE, P6_N_SERVED };
enum p6_l2_found { P6_L2_M, P6_L2_E, P6_L2_S, P6_N_FOUND };
enum p6_walked { P6_WALKED_DATA, P6_WALKED_CODE, P6_N_WALKED };

struct p6_system;

struct p6 {
	struct p6_quick quick;
	/* settings */
	struct p6_system *system;
	const struct cat_cpu *cpu;
	const struct x86_store *store;
	bool has_l2, has_walks, is_plain, is_textbook; /* textbook: --replace lru, see l2.c */
	bool has_mem, has_btb;			       /* which parts run */
	struct {
		bool has_mem, has_btb, is_timed;
	} later; /* ... from p6_begin() on */
	bool is_usual_shape; /* caches and TLBs as feed.c has them as constants */
	bool is_usual_l2;    /* four ways of 32-byte lines, a way at least a page: l2.c has it as constants */
	bool is_served;      /* the same, when nobody looks at single clocks: what L2 has is served in place (usual.h) */
	bool is_flat;        /* the same in the usual shape, without clocks, on a bus of its own and with walks: what is usual of a
			      * miss is done in one go and counted as one thing */
	bool has_peers;      /* other processors snoop what this one does on the bus */
	uint8_t line_log2;
	uint64_t string_copied; /* micro-ops of the last REP that copied in its fast form */
	uint64_t most_string_bytes;
	/* units */
	struct p6_l1 dcu, ifu;
	struct p6_tlb dtlb, itlb;
	uint64_t data_at[P6_USUAL_DTLB_SETS]; /* address of the first of L2's sets for the page of dtlb.last, with p6.is_served */
	struct cache l2;
	const uint16_t *colour; /* of pages, by id: system->pages.colour */
	struct p6_walk_note *walks; /* P6_WALK_NOTES, see walk.c */
	struct btb btb;
	struct rsb rsb;
	struct wcbuf wc;
	struct p6_jit jit;
	struct p6_ranges uncached, deferred; /* with either the machine is plain */
	bool is_deferred; /* the line that is asked for now lies in such a range */
	/* state of the program */
	uint64_t fs_base;
	bool df;
	uint8_t fpmmx; /* enum p6_fpmmx of the last such instruction */
	struct p6_pending pending;
	uint32_t pending_blk; /* position of the block that it ends, or P6_NO_ENTRY */
	uint64_t code_epoch; /* changes when a page or line of code was used in full, or goes: without a change the
			      * line that time_feed.c fetched last is the one last used in its set */
	bool ref_missed_l2;  /* a request of the present reference was absent from L2 */
	struct p6_time time;
	/* compiled blocks */
	uint32_t
	    *position; /* by block id (TRC_ID_BITS): offset in the arena / 16, or P6_NO_ENTRY */
	uint32_t n_compiled; /* ids below it may have been compiled */
	uint8_t *arena;	     /* compiled blocks, each at a multiple of 16 bytes */
	size_t arena_used, arena_size;
	struct p6_count *counts;
	uint32_t counts_used, counts_size;
	struct p6_tally tally; /* scratch, all zero between uses */
	struct p6_mnemonic *mnemonic;
	uint32_t n_mnemonic;
	struct p6_form *form; /* hash table of uops.c */
	uint32_t n_form, form_slots;
	/* totals */
	uint64_t n_insn;
	uint64_t n_taken;     /* conditional branches taken */
	uint64_t n_supplied;  /* lines driven for another processor, which received them */
	uint64_t dyn[WIRE_N]; /* what was counted per record, less what follows */
	uint64_t served[P6_N_SERVED][P6_N_FOUND]; /* requests that L2 served in place, by state found; each is several
						   * wires, p6_sum_rest() */
	uint64_t walked[P6_N_WALKED]; /* walks of which L2 served both reads in state E; each is several wires, too */
	uint64_t n_read_clean; /* reads of which L1D and L2 had no line, that put a clean line out of either; the same */
	uint64_t n_read_dirty; /* the same when the line that goes from L2 was modified */
	uint64_t n_cast_out;   /* modified lines that L1D put out and L2 had; the same */
};

/* Processors on one bus, all of one kind. Each has caches, TLBs, predictor and counts of its own; what
 * they share is memory, and so the frames of pages. */
struct p6_system {
	struct p6 *cpu[MDL_MAX_CPUS];
	struct wires *wires;
	struct pages pages;
	unsigned n;
	struct turns turns;
};

#define P6_RAISE(m, wire, k) ((m)->dyn[WIRE_P6_##wire] += (k))
/* The same in time, in clock clk; for n clocks from clk on, once in each. */
#define P6_RAISE_AT(m, wire, clk, k)                                                           \
	do {                                                                                   \
		P6_RAISE(m, wire, k);                                                          \
		if (__builtin_expect((m)->time.watch != NULL, 0))                              \
			p6_watch_at(m, WIRE_P6_##wire, clk, k);                                \
	} while (0)
#define P6_RAISE_FOR(m, wire, clk, n)                                                          \
	do {                                                                                   \
		P6_RAISE(m, wire, n);                                                          \
		if (__builtin_expect((m)->time.watch != NULL, 0))                              \
			p6_watch_for(m, WIRE_P6_##wire, clk, n);                               \
	} while (0)
#define P6_SET(m, wire, k)   ((m)->dyn[WIRE_P6_##wire] = (k))

/* ---- kinds.c, retire.c, uops.c, fpu.c, mmx.c, sse.c, seg.c: static facts ------------------------
 */

/* Facts about a mnemonic, found on first use. Never NULL, unless memory is out. */
const struct p6_mnemonic *p6_mnemonic(struct p6 *m, uint16_t number);
uint32_t p6_kinds_of(const char *name);

/* Add what instruction i of b counts whenever it retires to t. */
void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct p6_tally *t);

/* As mdl_unseen(). */
uint64_t p6_retire_unseen(struct p6 *m, uint32_t id, unsigned wire);
void p6_fpu_count(const struct x86_insn *n, uint32_t kinds, struct p6_tally *t);
void p6_mmx_count(const struct x86_insn *n, uint32_t kinds, unsigned uops_p0123,
		  struct p6_tally *t);
void p6_sse_count(const struct x86_insn *n, uint32_t kinds, struct p6_tally *t);
void p6_seg_count(const struct x86_insn *n, uint32_t kinds, struct p6_tally *t);

/* Wire of a stall of what n writes: WIRE_P6_SEG_STALL_ES and on; 0 when it writes no renamed segment register. */
uint8_t p6_seg_wire(const struct p6 *m, const struct x86_insn *n, uint32_t kinds);

/* Micro-ops of an instruction; 0 for REP forms. *p0123 receives those not on port 4. */
unsigned p6_uops(struct p6 *m, const struct x86_insn *n, unsigned *p0123);

/* Micro-ops of an instruction by ports. */
struct p6_split {
	uint16_t uops;
	uint16_t p0, p1, p01, p2, p3, p4; /* they add up to uops, less what LOCK and second halves of compound classes
					   * add, when is_known */
	bool is_known;
};

/* Micro-ops of an instruction by ports, and the latency of what it computes. */
void p6_uops_split(struct p6 *m, const struct x86_insn *n, struct p6_split *s, struct cat_p6_timing *timing);

/* Micro-ops of a REP string instruction of n iterations of `bytes` each; fast: its fast form
 * applies. */
uint64_t p6_uops_rep(const char *name, uint64_t n, unsigned bytes, bool is_fast);

/* Those of the fast form that do the copying: all but its beginning. */
uint64_t p6_uops_copied(const char *name, uint64_t n, unsigned bytes);

/* Data references (load and store micro-ops) of one access of `bytes`: 8 bytes each, m80 two. */
static inline unsigned p6_pieces(unsigned bytes)
{
	return bytes <= 8 ? 1 : (bytes + 7) / 8;
}

/* ---- compile.c --------------------------------------------------------------------------------
 */

/* Compile block `id` of the store. Returns its position, or P6_NO_ENTRY when the block's facts
 * cannot be or memory is out. Cost: below 1 us. */
uint32_t p6_compile(struct p6 *m, uint32_t id);

/* Position of block `id`, compiled now when it is new; P6_NO_ENTRY when there is no such block or
 * memory is out (p6.c). Compiling moves the arena. */
uint32_t p6_meet(struct p6 *m, uint32_t id);

static inline struct p6_blk *p6_blk_at(const struct p6 *m, uint32_t position)
{
	return (struct p6_blk *)(void *)(m->arena + (size_t)position * 16);
}

/* ---- p6.c, system.c ---------------------------------------------------------------------------
 */

/* Open one processor of a system, without its colours (p6_system). Returns as mdl_open(). Marks in
 * the system's wires what is driven. */
int p6_open(const struct mdl_config *cfg, struct p6_system *system, struct p6 **out);
void p6_close(struct p6 *m);

/* Colours of pages that its caches tell apart, as a power of two. */
unsigned p6_colours_log2(const struct p6 *m);

/* Block `id` was executed `times` times. Returns 0 or -SPMU_EPROTO. */
int p6_add_counts(struct p6 *m, uint32_t id, uint64_t times, uint64_t taken);

/* What one execution of block `id` always adds to the total of `wire`. */
uint64_t p6_once(struct p6 *m, uint32_t id, unsigned wire);

/* Add all that this processor counted to total[WIRE_N]. Cost: proportional to the blocks it met. */
void p6_sum(struct p6 *m, uint64_t *total);

/* The two parts of it: what blocks count by being executed, and the rest. p6_add_once: one block's part, as
 * mdl_add_once(). */
void p6_executions(struct p6 *m, uint64_t *total);
void p6_sum_rest(struct p6 *m, uint64_t *total);
void p6_add_once(struct p6 *m, uint32_t id, uint64_t times, uint64_t *total);

/* As mdl_begin(). */
void p6_begin(struct p6 *m);

/* As mdl_forget_blocks(). */
void p6_forget_blocks(struct p6 *m);

/* As mdl_cannot_occur(). */
const char *p6_cannot_occur(const struct p6 *m, unsigned wire);

/* The stream goes on at `resume` with this thread, on its processor. FS base and DF go with it, until the stream says otherwise: in a
 * forked process the thread that forked becomes thread 0. Returns 0 when it runs already, else TURNS_OTHER. */
int p6_switch(struct p6_system *s, unsigned thread, const uint8_t *resume);

/* The page of `key`, given its frame on first touch. */
struct page p6_page(struct p6 *m, uint64_t key);

/* ---- plain.c: program order, no short cuts ------------------------------------------------------
 */

/* Linear address of reference k of b with the record's slot values. */
static inline uint64_t p6_address(const struct p6 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	return reader_address(b, k, slots, m->fs_base);
}

/* Do what the first n instructions of b do to the state, in program order. slots: 8-byte values.
 * has_fpmmx: changes between x87 and MMX, and assists, too. Returns 0 or -SPMU_EPROTO (a repeat count that cannot
 * be). */
int p6_run_some(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from, unsigned to, bool has_fpmmx);
int p6_run_plain(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx);

/* Parts of p6_run_plain(), for one instruction alone: its code lines; what it does to write-combining buffers; a
 * change between x87 and MMX; reference k of b; the direction flag. */
void p6_plain_fetch(struct p6 *m, uint64_t pc, unsigned bytes);
int p6_plain_before(struct p6 *m, const struct x86_insn *in);
void p6_plain_fpmmx(struct p6 *m, unsigned group);
void p6_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);
void p6_plain_after(struct p6 *m, const struct x86_insn *in);

/* Code lines and references of b from reference `from` (> 0) on, in program order: the rest of a
 * block that stored into a line of L1I with reference from - 1. */
void p6_run_rest(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from);

/* Count what the first n instructions of b count statically, now. */
void p6_count_now(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to);

/* ---- assist.c ---------------------------------------------------------------------------------
 */

/* Count those of the first n instructions of b that needed an assist, as far as the record has operand
 * classes. */
void p6_assist_count(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from, unsigned to);

/* ---- masked.c ---------------------------------------------------------------------------------
 */

/* Reference k of b, of which the mask says what is touched (X86_REF_PARTS). */
void p6_masked_run(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);

/* ---- strings.c --------------------------------------------------------------------------------
 */

/* All iterations of the repeated string instruction i of b. Returns 0 or -SPMU_EPROTO. */
int p6_string_run(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);

/* ---- dcu.c ------------------------------------------------------------------------------------
 */

/* One data reference of `bytes` at linear address `lin`. flags: enum x86_ref_flag. A locked read
 * asks for ownership. Returns true when it stored into a line that L1I held. */
bool p6_dcu_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked);

/* The same in the usual shape; access: not P6_LOCKED. */
bool p6_dcu_ref_unaligned(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access);

/* The same for an access that lies in one line and has no misaligned piece. */
bool p6_dcu_ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access);

/* The same when the caches have the usual shape (p6.is_usual_shape). */
bool p6_dcu_ref_usual(struct p6 *m, uint64_t lin, enum p6_access access);

/* The page of data `vpn` in the usual shape, its use noted; walks on a miss. */
struct p6_frame p6_dcu_page_usual(struct p6 *m, uint64_t vpn);

/* An aligned access of the usual shape, whose page is known and was used last: done when it hits and is no first store, or reads a
 * line that L2 serves into a way that holds a clean one. */
enum p6_dcu_try { P6_DCU_NOT_DONE, P6_DCU_HIT, P6_DCU_SERVED };
enum p6_dcu_try p6_dcu_try_usual(struct p6 *m, uint64_t lin, struct p6_frame page, bool is_read);
/* A read of a line that L1D does not have; page: where it lies, translated before. any_lin may have more than
 * 48 bits. */
void p6_dcu_read_miss_usual(struct p6 *m, uint64_t any_lin, struct p6_frame page);

/* Access the one line of `lin`. Returns true when L1D did not have it; *smc is set when L1I had it
 * and this was the store that made it M. */
bool p6_dcu_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc);

/* Count the pieces of a reference that lie over an 8-byte boundary or a line end. */
void p6_dcu_count_pieces(struct p6 *m, uint64_t lin, unsigned bytes);

/* Empty write-combining buffer i onto the bus. is_full: all of its bytes are written. */
void p6_dcu_flush_buffer(struct p6 *m, int i, bool is_full);

/* Another processor asks for line l on the bus: for itself alone (takes), or to share it. The copy of L1D goes, or
 * becomes S. Returns the state it had. */
enum cache_state p6_dcu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* PREFETCHNTA of a line that L1D does not have: L1D receives it, L2 does not. */
void p6_dcu_fill_only(struct p6 *m, uint64_t lin);

/* A prefetch of the line of `lin`. hint: as in struct x86_ref. */
void p6_dcu_prefetch(struct p6 *m, uint64_t lin, unsigned hint);

/* A weakly ordered store. */
bool p6_dcu_store_weak(struct p6 *m, uint64_t lin, unsigned bytes);

/* Empty all write-combining buffers onto the bus. */
void p6_dcu_flush_weak(struct p6 *m);

/* L2 replaces line l: an M copy in L1D goes too. Returns true when there was one. */
bool p6_dcu_back_invalidate(struct p6 *m, struct cache_line l);

/* Code is fetched from line l: an M copy in L1D is written to L2 first. */
void p6_dcu_code_snoop(struct p6 *m, struct cache_line l);

/* ---- uncached.c -------------------------------------------------------------------------------
 */

/* Take the ranges of --uncached and --defer. */
void p6_ranges_open(struct p6 *m, const struct mdl_config *cfg);
bool p6_ranges_have(const struct p6 *m, const struct p6_ranges *r, uint64_t lin);

/* As p6_dcu_ref(), for an access that begins in memory that is not cacheable. */
void p6_uncached_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags);

/* The code of an instruction that begins there. */
void p6_uncached_fetch(struct p6 *m, uint64_t pc, unsigned bytes);

/* ---- ifu.c ------------------------------------------------------------------------------------
 */

/* Fetch code line number `line` (linear address >> line_log2). Returns true when L1I did not have
 * it. */
bool p6_ifu_line(struct p6 *m, uint64_t line);

/* The page of code `vpn` in the usual shape, its use noted; walks on a miss. */
struct p6_frame p6_ifu_page_usual(struct p6 *m, uint64_t vpn);
/* Is it in the ITLB? Then its use is noted. */
bool p6_ifu_page_is_in(struct p6 *m, uint64_t vpn);
/* As p6_ifu_line() in the usual shape. */
bool p6_ifu_line_usual(struct p6 *m, uint64_t line);
/* Fetch a line that L1I does not have, in the usual shape. */
void p6_ifu_miss_usual(struct p6 *m, struct cache_line l);

/* Are the page and line of code at lin in ITLB and L1I? Changes nothing. */
bool p6_ifu_has(const struct p6 *m, uint64_t lin);

/* Another processor asks for line l; takes: L1I drops its copy. Returns true when it had one. */
bool p6_ifu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* A store makes line l modified: L1I drops its copy. Returns true when it had one. */
bool p6_ifu_store_snoop(struct p6 *m, struct cache_line l);

/* ---- walk.c: itlb, dtlb, walk
 * --------------------------------------------------------------------- */

/* Set up; freed by p6_close. Returns 0 or -SPMU_ENOMEM. */
int p6_walk_open(struct p6 *m);

/* A new address space: no page is known. */
void p6_walk_forget(struct p6 *m);

/* The page of `vpn`, which t does not have: walk, and put it in. */
struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn);
/* The same for data in the usual shape; the page is the one of its set that was used last. */
struct p6_frame p6_walk_data_usual(struct p6 *m, uint64_t vpn);
/* The same for code. */
struct p6_frame p6_walk_code_usual(struct p6 *m, uint64_t vpn);
struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* Translate: look the page of `vpn` up in t, walking on a miss. */
static inline struct p6_frame p6_translate(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);

	if (t->filter[set] == vpn)
		return t->last[set];
	return p6_translate_in_full(m, t, vpn);
}

/* ---- l2.c ---------------------------------------------------------------------------------------
 */

/* From ST on: requests for ownership. UPGRADE: of a line that L1D has in state S. */
enum p6_request {
	P6_REQ_IFETCH,
	P6_REQ_LD,
	P6_REQ_WALK,
	P6_REQ_LD_NO_FILL,
	P6_REQ_ST,
	P6_REQ_UPGRADE,
};

/* One request of L1 or the walker. Returns the state in which L1D receives the line. */
enum cache_state p6_l2_request(struct p6 *m, struct cache_line l, enum p6_request req);

/* Add what the requests that were served in place count on the wires of L1, walks and L2 to total[WIRE_N]. */
void p6_l2_add_served(const struct p6 *m, uint64_t *total);

/* A modified line that leaves L1D. */
void p6_l2_cast_out(struct p6 *m, struct cache_line l);

/* State of l in L2; CACHE_I when absent or without L2. Changes nothing. */
enum cache_state p6_l2_state(const struct p6 *m, struct cache_line l);

/* As p6_dcu_snoop(), for L2. is_m: the copy of L1D was modified. */
enum cache_state p6_l2_snoop(struct p6 *m, struct cache_line l, bool takes, bool is_m);

/* ---- bus.c --------------------------------------------------------------------------------------
 */

/* Line l is read; wire: WIRE_P6_BUS_BRD, _RFO or _IFETCH. Returns true when another processor keeps a
 * copy. */
bool p6_bus_read_line(struct p6 *m, unsigned wire, struct cache_line l);
/* Bus clocks of one line. */
static inline unsigned p6_bus_line_clocks(const struct p6 *m)
{
	return 1u << m->line_log2 >> 3;
}
/* Bus clocks to core clocks. Ratios have halves. */
uint64_t p6_bus_to_core_clocks(const struct p6 *m, uint64_t clocks);
/* Ownership of line l, of which this processor has a copy. */
void p6_bus_invalidate(struct p6 *m, struct cache_line l);
/* A line that was modified here is written back: nobody else can have it. */
void p6_bus_write_back(struct p6 *m);
/* A write-combining buffer of line l leaves: as a full line, or in pieces of 8 bytes. */
void p6_bus_write_line(struct p6 *m, struct cache_line l);
void p6_bus_write_partial(struct p6 *m, struct cache_line l, unsigned pieces);
/* 8 bytes at most are read from memory that is not cacheable. */
void p6_bus_read_partial(struct p6 *m);

/* ---- exec.c -------------------------------------------------------------------------------------
 */

/* The process replaces its program (TRC_EXEC). */
void p6_exec(struct p6 *m);

/* ---- feed.c -------------------------------------------------------------------------------------
 */

/* A block with x87 or MMX instructions was executed; ends: p6_blk.fpmmx. */
void p6_feed_fpmmx(struct p6 *m, unsigned ends);

/* Records of processor m. Returns as mdl_feed(), or P6_OTHER_CPU. */
int p6_feed(struct p6 *m, const uint8_t *bytes, size_t n);

#endif
