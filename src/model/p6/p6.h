/* p6.h -- the P6 machine: state of all units, and what they offer each other without time. With time: clocks/time.h.
 *
 * The wings, from the ground up (decision 027):
 *   units/   what the machine does, a file per hardware unit; what lies between a reference and the bus is in memory.h
 *   blocks/  what a block does: compile.c makes of its facts what the loops work on (blk.h); plain.c is the machine in
 *            program order, without any short cut
 *   clocks/  what the machine takes
 *   kept/    clocks that are kept by the state of the machine
 *   host/    machine code for hot blocks, without time (host.h) and with it (time_host.h)
 *   loops/   records in: feed.c without time, time_feed.c with it, events.c what is no block
 *   team/    clocks by several threads
 *
 * COUNTING RULES   program order of the right path: an instruction's code lines, then its
 * references in the order of struct x86_block. What a block does whenever it runs is a vector,
 *                  added once per execution; only what depends on state is done per record.
 * MODELLED         see each unit.
 * NOT MODELLED     bus agents that are no processors, kernel code.
 * SOURCES          docs/MODELS.md has one section per unit with its rules and choices.
 */
#ifndef SOFTPMU_MODEL_P6_P6_H
#define SOFTPMU_MODEL_P6_P6_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "model/ask.h"
#include "model/model.h"
#include "model/p6/blk.h"
#include "model/p6/host/host_state.h"
#include "model/p6/clocks/time.h"
#include "model/parts/btb.h"
#include "model/parts/cache.h"
#include "model/parts/ledger.h"
#include "model/parts/pages.h"
#include "model/parts/reader.h"
#include "model/parts/rsb.h"
#include "model/parts/tlb.h"
#include "model/parts/turns.h"
#include "model/parts/wcbuf.h"
#include "x86/block.h"

/* The fast shape: Pentium II and III have these caches and TLBs. */
#define P6_FAST_LINE_LOG2 5u
#define P6_FAST_WAYS	   4u
#define P6_FAST_SET_LOG2  7u
#define P6_FAST_DTLB_SETS 16u
#define P6_FAST_ITLB_SETS 8u
#define P6_NO_KEY	   UINT64_MAX
#define P6_MOST_STRING_BYTES (1ull << 34) /* of one REP instruction */
#define P6_LIN_MASK	   READER_LIN_MASK

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
			   * match; in the fast shape it points into struct p6_fast_filters. ifu: one key, not used
			   * in the fast shape */
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

/* The filters in the fast shape, where the loop finds them without a pointer. */
struct p6_fast_filters {
	uint64_t dtlb[P6_FAST_DTLB_SETS];
	/* of host code (host.c), which has short displacements up to the beginning of dcu[] */
	uint8_t keep[16], set[16];            /* replacement word by hit mask (1, 2, 4, 8) */
	uint64_t taken_sums[4], fall_sums[4]; /* outcome sums by two-bit counter */
	uint64_t dcu[P6_KINDS << P6_FAST_SET_LOG2];
	uint64_t itlb[P6_FAST_ITLB_SETS];
	/* pages of the DTLB, for host code, which looks at all ways of a set at once: their numbers without the set's, or P6_NO_PAGE_TAG;
	 * as p6.data_at */
	_Alignas(16) uint32_t page_tag[P6_FAST_DTLB_SETS][P6_FAST_WAYS];
	uint64_t page_at[P6_FAST_DTLB_SETS][P6_FAST_WAYS];
};

/* An empty way, and pages of the upper half of addresses. */
#define P6_NO_PAGE_TAG UINT32_MAX

static inline uint32_t p6_page_tag(uint64_t vpn)
{
	_Static_assert(P6_FAST_DTLB_SETS == 16 && PAGE_LOG2 == 12, "bit 47 of an address is bit 35 of its page");
	return (uint32_t)(vpn >> 4) | (uint32_t)-(int32_t)(vpn >> 35 & 1);
}

/* Ranges of linear addresses, as numbers of their first and last lines. */
struct p6_ranges {
	struct mdl_range line[MDL_MAX_UNCACHED];
	unsigned n;
};

/* Requests that L2 serves in place (fast.h): what for, and what it found. */
enum p6_served { P6_SERVED_READ, P6_SERVED_WALK, P6_SERVED_FETCH, P6_SERVED_STORE, P6_N_SERVED };
enum p6_l2_found { P6_L2_M, P6_L2_E, P6_L2_S, P6_N_FOUND };
enum p6_absent { P6_ABSENT_READ, P6_ABSENT_STORE, P6_N_ABSENT };
enum p6_walked { P6_WALKED_DATA, P6_WALKED_CODE, P6_N_WALKED };

/* What becomes of a line, and rules that a test may break: moves.def, rules.def. */
enum p6_move {
#define P6_MOVE(id, i, s, e, m) P6_MOVE_##id,
#include "model/p6/moves.def"
#undef P6_MOVE
	P6_N_MOVES
};
enum p6_rule {
	P6_RULE_NONE,
#define P6_RULE(id, name, text) P6_RULE_##id,
#define P6_SET_RULE(id, name, text) P6_RULE_##id,
#include "model/p6/rules.def"
#undef P6_RULE
#undef P6_SET_RULE
};

struct p6_system;
struct p6_team;

struct p6 {
	struct p6_fast_filters fast;
	/* settings */
	struct p6_system *system;
	const struct cat_cpu *cpu;
	const struct x86_store *store;
	/* what --mutate changes; is_plain, unless it is uops */
	const struct cat_uops *uops; /* rows as cat_uops_table() has them */
	struct cat_uops *own_uops;   /* ... a copy, or NULL */
	uint8_t move[P6_N_MOVES][4]; /* by enum cache_state: the next one, for the paths that are not of the fast shape */
	uint8_t broken;		     /* enum p6_rule */
	bool has_l2, has_walks, is_plain, is_textbook; /* textbook: --replace lru, see l2.c */
	bool has_mem, has_btb;			       /* which parts run */
	struct {
		bool has_mem, has_btb, is_timed;
	} later; /* ... from p6_begin() on */
	struct {
		uint64_t cut, usual, worked_out; /* unaligned references, blocks of usual micro-ops, instructions of blocks worked out */
	} path; /* for mdl_path() */
	bool is_fast_shape; /* caches and TLBs as feed.c has them as constants */
	bool is_fast_l2;    /* four ways of 32-byte lines, a way at least a page: l2.c has it as constants */
	bool is_served;      /* the same, when nobody looks at single clocks: what L2 has is served in place (fast.h) */
	bool is_fast_miss;        /* the same in the fast shape, without clocks, on a bus of its own and with walks: what is usual of a
			      * miss is done in one go and counted as one thing */
	bool has_peers;      /* other processors snoop what this one does on the bus */
	uint8_t line_log2;
	uint64_t string_copied; /* micro-ops of the last REP that copied in its fast form */
	uint64_t string_moves;	/* misses and requests of all REPs: so much work is left to who works clocks out */
	uint64_t most_string_bytes;
	bool (*is_over)(void *ctx); /* as mdl_config */
	void *over_ctx;
	/* units */
	struct p6_l1 dcu, ifu;
	struct p6_tlb dtlb, itlb;
	uint64_t data_at[P6_FAST_DTLB_SETS]; /* address of the first of L2's sets for the page of dtlb.last, with p6.is_served */
	struct cache l2;
	const uint16_t *colour; /* of pages, by id: system->pages.colour */
	struct p6_walk_note *walks; /* P6_WALK_NOTES, see walk.c */
	uint64_t table_pages; /* bit of each page of a table that was noted, by the last six bits of its identity */
	struct btb btb;
	struct rsb rsb;
	struct wcbuf wc;
	struct p6_host host;
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
	uint64_t arena_ready; /* bytes of it that are in memory */
	struct p6_count *counts;
	uint32_t counts_used, counts_size;
	struct tally tally; /* scratch, all zero between uses */
	struct p6_mnemonic *mnemonic;
	uint32_t n_mnemonic;
	struct p6_form *form; /* hash table of retire_uops.c */
	uint32_t n_form, form_slots;
	/* totals */
	uint64_t n_insn;
	uint64_t stop_insn;   /* feeding ends behind the record that comes to so many, and in front of what is not known: p6_feed_known() */
	uint64_t n_taken;     /* conditional branches taken */
	uint64_t n_supplied;  /* lines driven for another processor, which received them */
	struct ledger *ledger; /* what instructions counted, or NULL */
	struct p6_log_writer log;  /* what caches find, for who does the clocks */
	uint64_t dyn[WIRE_N]; /* what was counted per record, less what follows */
	uint64_t served[P6_N_SERVED][P6_N_FOUND]; /* requests that L2 served in place, by state found; each is several
						   * wires, p6_sum_rest() */
	uint64_t walked[P6_N_WALKED]; /* walks of which L2 served both reads in state E; each is several wires, too */
	/* operands of which neither L1D nor L2 had the line, and that put one out of L2: by P6_ABSENT_READ or STORE, and whether the one that
	 * goes from L2 is modified; the same */
	uint64_t absent[P6_N_ABSENT][2];
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
	unsigned memo_percent; /* of what steps may take; 0: all of it */
	uint64_t
	    n_driven_booked;   /* bus clocks whose core clocks were handed out (blocks/ledger.c) */
	uint64_t n_driven_in_contexts; /* the same, by context */
	struct p6_team *team;  /* clocks are worked out by others, cpu[0] has none; or NULL */
};

#define P6_RAISE(m, wire, k) ((m)->dyn[WIRE_P6_##wire] += (k))
#define P6_SET(m, wire, k)   ((m)->dyn[WIRE_P6_##wire] = (k))

/* The state in which a line that is found in `found` goes on. */
static inline enum cache_state p6_next(const struct p6 *m, enum p6_move move, enum cache_state found)
{
	return (enum cache_state)m->move[move][found];
}

/* Set m->uops and m->move, and change what `mutation` says (mdl_config.mutation; NULL: nothing); when caches and predictors are open.
 * Returns 0, -SPMU_EINVAL when there is no such thing, or -SPMU_ENOMEM. Freed by p6_close (mutate.c). */
int p6_mutate(struct p6 *m, const char *mutation);
/* CALL and RET of a machine with p6.broken; next: where it goes. */
void p6_broken_push(struct p6 *m, uint64_t fall);
uint64_t p6_broken_pop(struct p6 *m, uint64_t next);

/* ---- retire*.c, fpu.c, mmx.c, sse.c, seg.c: static facts ------------------------------------------
 */

/* Facts about a mnemonic, found on first use. Never NULL, unless memory is out. */
const struct p6_mnemonic *p6_mnemonic(struct p6 *m, uint16_t number);

/* Add what instruction i of b counts whenever it retires to t. */
/* Is n, of `kinds`, a control transfer for C4H and E0H? INT n, IRET and system calls are; the BTB knows nothing of these. */
bool p6_is_transfer(const struct x86_insn *n, uint32_t kinds);
void p6_retire_count(struct p6 *m, const struct x86_block *b, unsigned i, struct tally *t);

/* Is it counted when an instruction is executed, not when it retires? */
bool p6_is_of_execution(unsigned wire);

/* As mdl_unseen() (time_reading.c). */
uint64_t p6_unseen(struct p6 *m, uint32_t id, unsigned wire);
void p6_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p6_mmx_count(const struct x86_insn *n, uint32_t kinds, unsigned uops_p0123,
		  struct tally *t);
void p6_sse_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p6_seg_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);

/* A block with x87 or MMX instructions was executed; ends: p6_blk.fpmmx. */
void p6_feed_fpmmx(struct p6 *m, unsigned ends);

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
uint64_t p6_uops_rep(const struct p6 *m, const char *name, uint64_t n, unsigned bytes, bool is_fast);

/* Those of the fast form that do the copying: all but its beginning. */
uint64_t p6_uops_copied(const struct p6 *m, const char *name, uint64_t n, unsigned bytes);

/* Data references (load and store micro-ops) of one access of `bytes`: 8 bytes each, m80 two. */
static inline unsigned p6_pieces(unsigned bytes)
{
	return bytes <= 8 ? 1 : (bytes + 7) / 8;
}

/* ---- walk.c ----------------------------------------------------------------------------------
 */

/* The page of `key`, given its frame on first touch. */
struct page p6_page(struct p6 *m, uint64_t key);

/* ---- compile.c --------------------------------------------------------------------------------
 */

/* Compile block `id` of the store. Returns its position, or P6_NO_ENTRY when the block's facts
 * cannot be or memory is out. Cost: below 1 us. */
uint32_t p6_compile(struct p6 *m, uint32_t id);
/* All compiled blocks are void. */
void p6_arena_free(struct p6 *m);

/* Position of block `id`, compiled now when it is new; P6_NO_ENTRY when there is no such block or
 * memory is out. Compiling moves the arena. */
uint32_t p6_meet(struct p6 *m, uint32_t id);

/* What one execution of block `id` always adds to the total of `wire`. */
uint64_t p6_once(struct p6 *m, uint32_t id, unsigned wire);

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

/* Add all that this processor counted to total[WIRE_N]. Cost: proportional to the blocks it met. */
void p6_sum(struct p6 *m, uint64_t *total);

/* The two parts of it: what blocks count by being executed, and the rest. p6_add_once: one block's part, as
 * mdl_add_once(). */
void p6_executions(struct p6 *m, uint64_t *total);
void p6_sum_rest(struct p6 *m, uint64_t *total);
void p6_sum_now(struct p6 *m, uint64_t *total); /* the same without what waits */
void p6_sum_ahead(struct p6 *m, uint64_t *total); /* the same with it, which goes on waiting (peek.c) */
/* As mdl_bounds() ... (bounds.c). p6_note_backlog: the state is that behind all that was executed. */
void p6_bounds(struct p6 *m, const struct x86_block *b, unsigned insn, uint64_t items, struct mdl_bounds *out);
void p6_bounds_of_hits(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to, struct mdl_bounds *out);
void p6_note_backlog(struct p6 *m);
uint64_t p6_backlog(const struct p6 *m);
bool p6_hits(const struct p6 *m, const struct x86_block *b, unsigned from, unsigned to, const uint8_t *slots);
void p6_add_once(struct p6 *m, uint32_t id, uint64_t times, uint64_t *total);

/* As mdl_begin(). */
void p6_begin(struct p6 *m);

/* As mdl_forget_blocks(). */
void p6_forget_blocks(struct p6 *m);

/* As mdl_cannot_occur(). */
const char *p6_cannot_occur(const struct p6 *m, unsigned wire);

/* ---- plain.c: program order, no short cuts ------------------------------------------------------
 */

/* Linear address of reference k of b with the record's slot values. */
static inline uint64_t p6_address(const struct p6 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	return reader_address(b, k, slots, m->fs_base);
}

/* Do what instructions [from, to) of b, or the first n, do to the state, in program order. slots: 8-byte values.
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

/* Count what instructions [from, to) of b count statically, now. */
void p6_count_now(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to);

/* ---- ledger.c -----------------------------------------------------------------------------------
 */

/* Open m->ledger. Returns 0 or -SPMU_ENOMEM. */
int p6_ledger_open(struct p6 *m, const uint8_t *wanted);
/* As mdl_take_ledger(). */
int p6_ledger_take(struct p6 *m, mdl_take_posting *take, void *ctx);
/* As mdl_take_contexts(). */
int p6_ledger_take_contexts(struct p6_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx);

/* With a ledger, book what has moved since the last booking. Without one, each costs a
 * comparison.
 *   insn         to instruction i of b
 *   fpmmx        to the first instruction of b that is x87 or MMX */
static inline void p6_ledger_insn(struct p6 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book(m->ledger, b->id, i);
}
/* To instruction i of b, which may be a copy of a block that was forgotten. */
static inline void p6_ledger_of(struct p6 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_of(m->ledger, b, i);
}
void p6_ledger_fpmmx(struct p6 *m, const struct p6_blk *b);
/* Count the assists of one execution of b, each booked to its instruction. */
void p6_ledger_assists(struct p6 *m, const struct x86_block *b, const uint8_t *slots);

/* Add to m->tally what instruction i of b counts whenever its block runs. */
void p6_always(struct p6 *m, const struct x86_block *b, unsigned i);

/* ---- fpu_assist.c ---------------------------------------------------------------------------------
 */

/* Count those of instructions [from, to) of b that needed an assist, as far as the record has operand
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

/* ---- exec.c -------------------------------------------------------------------------------------
 */

/* The process replaces its program (TRC_EXEC). */
void p6_exec(struct p6 *m);

/* ---- feed.c -------------------------------------------------------------------------------------
 */

/* Records of processor m. Returns as mdl_feed(), or P6_OTHER_CPU. */
int p6_feed(struct p6 *m, const uint8_t *bytes, size_t n);

/* The same from *at up to `end`, or as soon as there were stop_insn instructions, or to an event or a block that was not executed yet: *at is
 * where that is. m->log.is_on. */
int p6_feed_known(struct p6 *m, const uint8_t **at, const uint8_t *end, uint64_t stop_insn);
#define P6_NEVER_STOP (1ull << 62)

#endif
