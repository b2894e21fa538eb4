/* p5.h -- the P5 machine: state of all units, and what they offer each other without time. With time: clocks/time.h.
 *
 * The wings, from the ground up (decision 027):
 *   units/   what the machine does, a file per hardware unit
 *   blocks/  what a block does: compile.c makes of its facts what the loops work on; plain.c is the machine in program
 *            order, without any short cut
 *   clocks/  what the machine takes: pipes, pairing, prefetch
 *   kept/    clocks that are kept by the state of the machine
 *   host/    machine code for the looks of such blocks
 *   loops/   records in: feed.c without time, time_feed.c with it, events.c what is no block
 *
 * COUNTING RULES   program order of the right path: references in the order of struct x86_block. What
 *                  a block does whenever it runs is a vector, added once per execution; only what
 *                  depends on state or on an address is done per record.
 * MODELLED         see each unit.
 * NOT MODELLED     time: pairing, prediction, prefetch, and so the code side; uncacheable memory; kernel
 *                  code.
 * SOURCES          Intel 241428 (1997) chapters 2 and 16; docs/MODELS.md has a section per unit.
 */
#ifndef SOFTPMU_MODEL_P5_P5_H
#define SOFTPMU_MODEL_P5_P5_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "gen/p5_params.h"
#include "gen/wires_p5.h"
#include "model/ask.h"
#include "model/model.h"
#include "model/parts/cache.h"
#include "model/parts/direct.h"
#include "model/parts/fulltlb.h"
#include "model/parts/ledger.h"
#include "model/parts/pages.h"
#include "model/parts/reader.h"
#include "model/parts/rsb.h"
#include "model/parts/tally.h"
#include "model/parts/tlb.h"
#include "model/parts/turns.h"
#include "model/p5/units/btb.h"
#include "model/p5/units/icache.h"
#include "model/p5/host/host_state.h"
#include "model/p5/kept/memo.h"
#include "model/p5/clocks/time.h"
#include "x86/block.h"

#define P5_NO_KEY	     UINT64_MAX
#define P5_NOWHERE	     UINT64_MAX /* no block begins there */
#define P5_NO_SLOT	     0xff
#define P5_MOST_STRING_BYTES (1ull << 34) /* of one REP instruction */
#define P5_LIN_MASK READER_LIN_MASK
#define P5_BUS_LINE_BYTES 32u
#define P5_MOST_WBUFS	  8u

/* ---- static counts ---------------------------------------------------------------------------- */

/* What a mnemonic is to the events (units/core_kinds.c). */
enum p5_kind {
	P5_K_FLOP = 1 << 0,	 /* x87 operations of 22H */
	P5_K_INT_MUL = 1 << 1,
	P5_K_TRANSFER = 1 << 2,	 /* leaves the straight line whenever it is executed */
	P5_K_SERIAL = 1 << 3,	 /* treated as a branch by 12H although it is none */
	P5_K_RET = 1 << 4,	 /* near or far, IRET not */
	P5_K_IO = 1 << 5,
	P5_K_OUT = 1 << 6,
	P5_K_MMX_SAT = 1 << 7,
	P5_K_EMMS = 1 << 8,
	P5_K_LATER = 1 << 9,	 /* of a group that the P5 has, but came with a later processor */
	P5_K_TRAP = 1 << 10,	 /* enters the kernel */
	P5_K_FST = 1 << 12,
	P5_K_HOST = 1 << 11,	 /* rounds as the host does, not as an exact rule says */
};

/* ---- compiled blocks -------------------------------------------------------------------------- */

/* What a bus cycle is. From P5_BUS_WRITE on they are writes. */
enum p5_bus_kind {
	P5_BUS_FILL,	   /* a line comes in */
	P5_BUS_READ,	   /* 8 bytes that fill no line; the board's cache may serve them */
	P5_BUS_READ_UC,	   /* not cacheable */
	P5_BUS_WRITE,
	P5_BUS_WRITE_UC,
	P5_BUS_WRITE_LINE, /* a modified line goes out */
};

/* Who serves a bus cycle; writes go to the board's buffers, whatever it is. */
enum p5_bus_by { P5_BUS_BY_L2, P5_BUS_BY_MEMORY, P5_BUS_BY_NEW_ROW };

/* What a look at the bus saw: who serves the cycle, and with several processors bits. */
enum p5_bus_seen {
	P5_BUS_BY = 3,		   /* enum p5_bus_by */
	P5_BUS_GRANTED = 4,	   /* the other processor of the pair had the bus */
	P5_BUS_WAITS_FOR_BACK = 8, /* another processor writes its modified line back first */
	P5_BUS_IS_SHARED = 16,	   /* another processor keeps a copy; no matter of time */
};

enum p5_access { P5_READ = 1, P5_WRITE = 2 };

/* One data reference: linear address = disp + slot value + (value of slot2 << shift) [+ FS base]. */
struct p5_ref {
	uint64_t disp;
	uint16_t bytes;
	uint8_t slot, slot2; /* P5_NO_SLOT: none */
	uint8_t shift;
	uint8_t align_mask;  /* address bits that must be 0 for the fast path */
	uint8_t access;	     /* enum p5_access, both for a read-modify-write */
	bool is_fast;	     /* may take the fast path: one line when aligned, not locked */
	bool has_fs, is_locked, is_mmx, is_fst;
};

struct p5_count {
	uint16_t wire, n;
};

enum p5_blk_flag {
	P5_B_ORDER = 1, /* needs plain order: REP, DF, masked references */
	P5_B_FPMMX = 2, /* has x87 or MMX instructions */
	P5_B_CLIP = 4,	/* its records hold operands of MMX instructions that saturate */
};

/* A compiled block; n_count struct p5_count follow the references. */
struct p5_blk {
	uint64_t n_exec;
	uint64_t pc;
	uint64_t target;  /* of a conditional branch, P5_NOWHERE when the next block does not tell */
	uint32_t head;	  /* of its records */
	uint8_t n_insn, n_ref, n_count;
	uint8_t flags;	  /* enum p5_blk_flag */
	uint8_t fpmmx;	  /* first (bits 0..3) and last (4..7) of enum p5_fpmmx */
	bool is_jcc;
	struct p5_ref ref[];
};

enum p5_fpmmx { P5_FPMMX_X87 = 1, P5_FPMMX_MMX = 2 };

static inline struct p5_count *p5_blk_counts(const struct p5_blk *b)
{
	return (struct p5_count *)(void *)((uintptr_t)(b->ref + b->n_ref));
}

/* ---- the machine ------------------------------------------------------------------------------ */

/* What caches need to know of a page. */
struct p5_frame {
	uint32_t id, colour;
};

/* The transfers of a bus cycle: the core clock behind each. */
struct p5_transfer {
	uint64_t clk[P5_BUS_LINE_BYTES / 8];
	unsigned n;
};

/* The line that comes in, or came in last; and the one that left for it. */
struct p5_fill {
	struct p5_transfer transfer;
	uint64_t end_clk;   /* from here on the next one may come */
	uint64_t back_clk;  /* the buffer of lines that leave is empty again */
};

/* Write buffers: when each, and all, were written. */
struct p5_wbuf {
	uint64_t free_clk[P5_MOST_WBUFS];
	uint64_t last_clk;
};

/* The bus in time. Edges number bus clocks. */
struct p5_bus {
	uint32_t ratio_x2;       /* core clocks of two bus clocks */
	uint64_t address_edge;   /* the next cycle begins not before */
	uint64_t end_edge[2];    /* ends of the last cycle and of that before it */
	uint64_t memory_edge;    /* end of the last cycle that memory served */
	uint64_t busy_edge;      /* what lies before is counted */
};

/* What is behind the bus. */
struct p5_board {
	struct direct l2;        /* tag NULL: there is none */
	uint32_t row;            /* page of memory that is open */
};

/* Breakpoint registers. */
struct p5_debug {
	struct mdl_breakpoint b[4]; /* DR0 to DR3 */
	bool has_execute, has_data; /* some register is set so, and time is on */
};

/* The timer. */
struct p5_int {
	uint64_t period_clk; /* 0: there is none */
	uint64_t next_clk;   /* it asks in this clock */
};

/* L1D and what the loop asks before it looks the cache up: per linear set number the line used last
 * (key = linear address >> log2 of the way), for writes only while that line is M. */
struct p5_dcache {
	struct cache cache;
	uint64_t *read_filter, *write_filter; /* n_sets each */
	bool has_filter; /* linear and physical set numbers are the same */
	/* the line that came in last, and which 8 bytes of it came first: the others follow in the order i ^ first */
	uint32_t filled_set, filled_tag;
	uint8_t filled_first;
	uint64_t filled_line;        /* the same by linear line number, P5_NO_KEY: none that can be found */
	struct p5_fill fill;
	uint64_t n_write_miss_again; /* write misses that only errata count */
	uint64_t n_write_shared;     /* writes that found their line S */
};

#define P5_WALK_NOTES 1024u

/* A page that was looked up in the tables: its frame, and where the cache of the board had the two entries, by level less 1. */
struct p5_walk_note {
	uint64_t vpn; /* P5_NO_KEY: none */
	struct p5_frame page;
	uint32_t place[2], tag[2];
};

/* The data TLB: of sets and ways, or (is_full) one in which every entry is compared. `filter` and
 * `last`: per set the page used last and its frame. Notes are by low bits of the page. */
struct p5_dtlb {
	struct tlb sets;
	uint64_t *filter;
	struct p5_frame *last;
	uint32_t set_mask;
	bool is_full;
	struct fulltlb full;
	struct p5_walk_note note[P5_WALK_NOTES];
};

struct p5_system;

struct p5 {
	/* settings */
	struct p5_system *system;
	const struct cat_cpu *cpu;
	const struct x86_store *store;
	bool is_plain;
	bool has_mem; /* L1D and the data TLB run */
	struct {
		bool has_mem, is_timed;
	} later; /* ... from p5_begin() on */
	bool has_peers; /* other processors see what this one does on the bus */
	bool has_bus;	 /* somebody must know of each bus cycle: time, or peers */
	bool has_walks;	 /* page walks read their tables */
	bool has_errata;
	struct mdl_range uncached[MDL_MAX_UNCACHED]; /* first and last line, by number */
	unsigned n_uncached;
	uint64_t most_string_bytes;
	bool (*is_over)(void *ctx); /* as mdl_config */
	void *over_ctx;
	void (*on_line)(void *ctx, const struct mdl_line *line); /* NULL: nobody wants lines */
	void *line_ctx;
	uint64_t told[P5_N_WHY]; /* of time.wait: what lines have told already */
	/* units */
	struct p5_dcache dcache;
	struct p5_dtlb dtlb;
	struct p5_wbuf wbuf;
	struct p5_bus bus;
	struct p5_icache icache;
	struct p5_itlb itlb;
	struct p5_btb btb;
	struct rsb rsb;	  /* size 0: there is none */
	struct p5_debug debug;
	struct p5_int intr;
	struct pages *pages; /* of the system, as is */
	struct p5_board *board;
	/* state of the program */
	uint64_t fs_base;
	bool df;
	uint8_t fpmmx;	     /* enum p5_fpmmx of the last such instruction */
	bool waits;	     /* a conditional branch waits for the next record to say where it went */
	bool is_to_next;     /* its target is its fall-through address */
	uint64_t waits_for;  /* its target */
	/* blocks by id (TRC_ID_BITS), NULL: not met */
	struct p5_blk **blk;
	uint32_t n_met; /* ids below it may have been met */
	struct tally tally; /* scratch, all zero between uses */
	uint32_t *kinds;       /* by mnemonic; see core_kinds.c */
	uint32_t n_kinds;
	uint16_t par[P5_N_PAR]; /* penalties, sizes, switches: catalog/p5/params.tsv or --set */
	struct p5_time time;
	struct p5_memo memo;
	struct p5_host host;
	/* totals */
	uint64_t n_insn;
	uint64_t n_taken;     /* conditional branches taken */
	struct ledger *ledger; /* what instructions counted, or NULL */
	uint64_t dyn[WIRE_N];  /* what was counted per record */
	uint64_t seen[WIRE_N]; /* and by looks at the structures */
};

/* Processors on one bus, all of one kind. Each has caches, TLBs, predictor, clocks and counts of its own; what they share
 * is memory, and so the frames of pages, and the board. Two are a pair: either sees what the other does, and the bus
 * is handed from one to the other. */
struct p5_system {
	struct p5 *cpu[MDL_MAX_CPUS];
	struct wires *wires;
	struct pages pages;
	struct p5_board board;
	struct turns turns;
	const struct p5 *owner; /* of the bus: who began the last cycle */
};

#define P5_RAISE(m, wire, k) ((m)->dyn[WIRE_P5_##wire] += (k))
/* The same in what looks at the structures: it is done whether clocks are worked out or known (look.h). */
#define P5_SEE(m, wire, k) ((m)->seen[WIRE_P5_##wire] += (k))
/* The data access being done waits until `until`, if that is later. Returns the clocks that nobody
 * else waited: pipes may wait together. */
static inline uint64_t p5_wait_until(struct p5 *m, uint64_t until, enum p5_why why)
{
	struct p5_time *t = &m->time;
	const uint64_t from = t->data_clk > t->waited_to ? t->data_clk : t->waited_to;

	if (until <= t->data_clk)
		return 0;
	t->data_clk = until;
	if (until <= from)
		return 0;
	t->waited_to = until;
	t->wait[why] += until - from;
	t->lost += until - from;
	return until - from;
}

/* Do accesses to these addresses want the same of the 8 banks of L1D? */
static inline bool p5_dcache_is_same_bank(uint64_t a, uint64_t b)
{
	return !((a ^ b) >> 2 & 7);
}

/* Are all boundaries of c known, as far as can be said at once? */
static inline bool p5_code_is_marked(const struct p5 *m, const struct p5_code *c)
{
	return c->was_marked && c->marked_at == m->icache.changes;
}

/* ---- p5.c, system.c ----------------------------------------------------------------------------- */

/* Open one processor of a system, without its pages. Returns as mdl_open(). Marks in the system's wires what is
 * driven. */
int p5_open(const struct mdl_config *cfg, struct p5_system *system, struct p5 **out);
void p5_close(struct p5 *m);

/* Colours of pages that its caches and the board's tell apart, as a power of two. */
unsigned p5_colours_log2(const struct p5 *m);

/* As the functions of model/family.h, of one processor. */
int p5_add_counts(struct p5 *m, uint32_t id, uint64_t times, uint64_t taken);
uint64_t p5_unseen(struct p5 *m, uint32_t id, unsigned wire);
void p5_executions(const struct p5 *m, uint64_t *total);
void p5_add_once(struct p5 *m, uint32_t id, uint64_t times, uint64_t *total);
/* As mdl_begin(). */
void p5_begin(struct p5 *m);
void p5_forget_blocks(struct p5 *m);

/* Add what it counted otherwise than by executions of blocks. Of writes that hit E or M only what must be added to writes
 * less misses. */
void p5_sum_rest(const struct p5 *m, uint64_t *total);

/* The stream goes on at `resume` with this thread, on its processor. FS base and DF go with it, until the stream says
 * otherwise. Returns 0 when it runs already, else TURNS_OTHER. */
int p5_switch(struct p5_system *s, unsigned cpu, const uint8_t *resume);

/* ---- core_kinds.c ---------------------------------------------------------------------------------- */

/* enum p5_kind bits of a mnemonic, looked up on first use. */
uint32_t p5_kinds(struct p5 *m, uint16_t mnemonic);

/* ---- core.c, seg.c, fpu.c, mmx.c, bus.c: static counts of one instruction ------------------------ */

void p5_core_count(const struct p5 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_seg_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_mmx_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);
void p5_bus_count(const struct p5 *m, uint32_t kinds, struct tally *t);

/* What instruction i of b counts whenever it is executed, its references included (compile.c). */
void p5_count_insn(struct p5 *m, const struct x86_block *b, unsigned i, struct tally *t);

/* An x87 or MMX instruction is executed: whose turn it was is compared and noted. */
void p5_mmx_switch(struct p5 *m, enum p5_fpmmx now);

/* Instructions [from, to) of b are executed: those that clipped an element, by the operands in the record. */
void p5_mmx_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from, unsigned to);

/* First and last of a block; the changes between them go to the tally, unless it is NULL. */
uint8_t p5_mmx_ends(struct p5 *m, const struct x86_block *b, struct tally *t);

/* ---- compile.c -------------------------------------------------------------------------------- */

/* Reference r of xb as the quick paths want it. */
struct p5_ref p5_compile_ref(struct p5 *m, const struct x86_block *xb, const struct x86_ref *r);

/* Block `id`, compiled now when it is new; NULL when there is no such block or memory is out. */
struct p5_blk *p5_meet(struct p5 *m, uint32_t id);

/* ---- plain.c: program order, no short cuts -------------------------------------------------------- */

/* Linear address of reference k of b with the record's slot values. */
static inline uint64_t p5_address(const struct p5 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	return reader_address(b, k, slots, m->fs_base);
}

/* Do what the first n instructions of b do to the state. has_fpmmx: changes between x87 and MMX, too.
 * Returns 0, -SPMU_EPROTO (a repeat count that cannot be) or -SPMU_ENOTSUP (one too long to count). */
int p5_run_plain(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned n,
		 bool has_fpmmx);

/* Instruction i of b alone; see p5_run_plain(). */
int p5_run_insn(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned i, bool has_fpmmx);

/* The same for an instruction on its way. */
int p5_run_op(struct p5 *m, const struct p5_fly *f);

/* Its data references alone, of an instruction that keeps the usual order. */
void p5_run_references(struct p5 *m, const struct p5_fly *f);

/* Linear address of r with the record's slot values. */
static inline uint64_t p5_ref_address(const struct p5 *m, const struct p5_ref *r, const uint8_t *slots)
{
	uint64_t lin = r->disp;

	if (r->slot != P5_NO_SLOT)
		lin += reader_slot(slots, r->slot);
	if (r->slot2 != P5_NO_SLOT)
		lin += reader_slot(slots, r->slot2) << r->shift;
	if (r->has_fs)
		lin += m->fs_base;
	return lin & P5_LIN_MASK;
}

/* The line and page of r at lin are those that were used last in their sets, for a write in state M: an access changes nothing,
 * and waits for no fill but one that may still be coming. */
static inline bool p5_ref_is_fast(struct p5 *m, const struct p5_ref *r, uint64_t lin, bool is_write)
{
	const struct p5_dcache *d = &m->dcache;
	const size_t set = lin >> d->cache.line_log2 & (d->cache.n_sets - 1);
	const uint64_t vpn = lin >> PAGE_LOG2;
	const uint64_t *filter = is_write ? d->write_filter : d->read_filter;

	if (!r->is_fast || (filter[set] ^ lin >> cache_way_log2(&d->cache)) | (lin & r->align_mask))
		return false;
	if (m->dtlb.is_full)
		return fulltlb_find_again(&m->dtlb.full, vpn);
	return m->dtlb.filter[vpn & m->dtlb.set_mask] == vpn;
}

/* Count what instructions [from, to) of b count statically, now. */
void p5_count_now(struct p5 *m, const struct x86_block *b, unsigned from, unsigned to);

/* ---- events.c --------------------------------------------------------------------------------- */

/* The event record at p (at least 4 bytes are there). Returns its size, or a negative error. */
int64_t p5_event(struct p5 *m, const uint8_t *p, const uint8_t *end);

/* Execution goes on at `next`: the conditional branch that waits was taken or not. */
void p5_resolve(struct p5 *m, uint64_t next);

/* Was the conditional branch that waits taken, if execution goes on at `next`? */
static inline bool p5_is_taken(const struct p5 *m, uint64_t next)
{
	return m->waits && next == m->waits_for && !m->is_to_next;
}

/* Block b was executed to its end: its branch waits. */
void p5_wait(struct p5 *m, const struct x86_block *b);

/* ---- strings.c, masked.c ---------------------------------------------------------------------- */

/* How many elements the repeated string instruction i of b does. Returns as p5_run_plain(). */
int p5_string_items(const struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots, uint64_t *items);

/* All iterations of the repeated string instruction i of b. Returns as p5_run_plain(). */
int p5_string_run(struct p5 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);

/* Reference k of b, of which the mask says what is touched (X86_REF_PARTS). */
void p5_masked_run(struct p5 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);

/* ---- dcache.c --------------------------------------------------------------------------------- */

struct p5_operand {
	unsigned bytes;
	uint8_t access; /* enum p5_access */
	bool is_locked, is_mmx;
	bool is_fst; /* FST or FSTP, and somebody asks */
};

/* Accesses of L1D that an operand of `bytes` is when no part of it is cut. */
static inline unsigned p5_parts(unsigned bytes)
{
	return (bytes + 7) / 8;
}

/* The fast path's notes of a set are void: its lines changed from outside. */
void p5_dcache_forget(struct p5 *m, uint32_t set);

/* One access of an operand, or the first half of one that is cut: the structures do their part. Returns what was
 * seen (look.h). */
unsigned p5_dcache_see(struct p5 *m, uint64_t lin, const struct p5_operand *op, const struct p5_look *look);

/* The same for part 0 of an operand that is aligned, lies in one line and is not locked. */
unsigned p5_dcache_see_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op, const struct p5_look *look);

/* ---- dcache_fast.c: the same, quicker, for part 0 of an operand of no MMX instruction ------------------ */

/* 2 or 4, when L1D has so many ways and the fast shape; 0: it has another one. */
unsigned p5_dcache_fast_ways(const struct p5 *m);
unsigned p5_dcache_see_two(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill);
unsigned p5_dcache_see_four(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill);

/* ---- dcache.c */

/* The data references of one operand at lin: pieces that a cut adds, misses, fills. What
 * p5_parts() says is counted by the caller. */
void p5_dcache_ref(struct p5 *m, uint64_t lin, const struct p5_operand *op);

/* The same for an operand that is aligned, lies in one line and is not locked. */
void p5_dcache_ref_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op);

/* In time: code of the line at lin is asked for and is not in L1I: L1D's copy goes. Returns P5_SEEN_BACK when it was
 * modified, else 0. */
unsigned p5_dcache_snoop_code(struct p5 *m, struct p5_frame page, uint64_t lin);

/* A modified line leaves L1D for the bus at clk. */
void p5_dcache_write_back(struct p5 *m, uint64_t clk);

/* Is the line of lin not cacheable (--uncached)? */
bool p5_dcache_is_uncached(const struct p5 *m, uint64_t lin);

/* Count what p5_parts() says, as often as `times`, now. */
void p5_dcache_count_parts(struct p5 *m, const struct p5_operand *op, uint64_t times);

/* ---- dtlb.c ----------------------------------------------------------------------------------- */

/* Set up; freed by p5_dtlb_close. Returns as tlb_open(). */
int p5_dtlb_open(struct p5_dtlb *t, uint32_t entries, unsigned ways, bool is_lru);
void p5_dtlb_close(struct p5_dtlb *t);

/* Drop all entries. */
void p5_dtlb_empty(struct p5_dtlb *t);

/* A TLB misses: the page of `vpn`, which in time is looked up in the tables: *seen gets P5_SEEN_WALK and who serves the two
 * reads (P5_SEEN_WALK_SHIFT) then. For data and code alike. Cost: a few host clocks where the note of it holds, else up to three
 * looks at the table of pages. */
struct page p5_dtlb_see_walk(struct p5 *m, uint64_t vpn, unsigned *seen);

/* The clock in which the page of a walk is known that begins at clk. */
uint64_t p5_dtlb_walk(struct p5 *m, unsigned *seen, uint64_t clk);

/* ---- debug.c: in time ------------------------------------------------------------------------------- */

/* Set the registers. */
void p5_debug_open(struct p5 *m, const struct mdl_breakpoint *b);

/* The instruction at pc is executed, in V when m->time.is_in_v. */
void p5_debug_execute(struct p5 *m, uint64_t pc);

/* An operand at lin is accessed. */
void p5_debug_data(struct p5 *m, uint64_t lin, const struct p5_operand *op);

/* ---- int.c: in time ---------------------------------------------------------------------------------- */

void p5_int_open(struct p5 *m, uint32_t timer_hz);

/* The timer's interrupt is accepted before the instruction whose EX is at m->time.data_clk, which moves. */
void p5_int_accept(struct p5 *m);

/* Is there an interrupt to accept? */
static inline bool p5_int_is_due(const struct p5 *m)
{
	return m->intr.period_clk && m->time.data_clk >= m->intr.next_clk && !m->time.is_in_v;
}

/* ---- wbuf.c: in time -------------------------------------------------------------------------------- */

/* A store at m->time.data_clk goes to the bus (seen: what p5_bus_see() said): waits for a buffer. */
void p5_wbuf_put(struct p5 *m, enum p5_bus_kind kind, unsigned seen, bool is_mmx);

/* A store hits an E or M line: waits for the writes before it. */
void p5_wbuf_hit(struct p5 *m, bool is_mmx);

/* ---- bus.c ------------------------------------------------------------------------------------ */

/* Set up from m->cpu and m->par, with the board when it is not yet; that is closed by the system. Returns as
 * cache_open(). */
int p5_bus_open(struct p5 *m);

/* log2 of the bytes of a way of the board's cache: what colours must tell apart. 0: there is none. */
unsigned p5_bus_page_log2(const struct p5 *m);

/* First edge of the bus clock at or behind clk. */
static inline uint64_t p5_bus_edge(const struct p5_bus *b, uint64_t clk)
{
	return (2 * clk + b->ratio_x2 - 1) / b->ratio_x2;
}

/* Another master has the bus for so many bus clocks, from clk on or when it is free. */
void p5_bus_hold(struct p5 *m, uint64_t clk, unsigned bus_clocks);

/* The other processor of a pair grants the bus, `clocks` core clocks after this one asked. Part of a look. */
void p5_bus_grant(struct p5 *m, uint64_t clocks);

/* An inquiry from outside: somebody reads the line, or (is_write) wants it alone. is_twin: the other
 * processor of a pair. Returns the state that the line had in L1D. */
enum cache_state p5_bus_snoop(struct p5 *m, struct p5_frame page, uint32_t offset, bool is_write, bool is_twin);

/* A bus cycle reads or writes what lies at page, offset: the other processors, the board's cache and memory do their part.
 * Returns who serves it (enum p5_bus_by), with bits of it. */
unsigned p5_bus_see(struct p5 *m, enum p5_bus_kind kind, struct p5_frame page, uint32_t offset);

/* The clocks of a cycle of which p5_bus_see() returned `seen`, asked for at clk, after all that were asked for
 * before. The 8 bytes asked for are transferred first. out: the core clocks behind its transfers. */
void p5_bus_cycle(struct p5 *m, enum p5_bus_kind kind, unsigned seen, uint64_t clk, struct p5_transfer *out);

/* A locked sequence; is_cut: its operand is. */
void p5_bus_locked(struct p5 *m, bool is_cut);

/* ---- bounds.c ----------------------------------------------------------------------------------- */

/* As mdl_bounds() and mdl_backlog(). */
void p5_bounds(struct p5 *m, const struct x86_block *b, unsigned insn, uint64_t items, struct mdl_bounds *out);
uint64_t p5_backlog(const struct p5 *m);

/* ---- exec.c ----------------------------------------------------------------------------------- */

/* The process replaces its program (TRC_EXEC). */
void p5_exec(struct p5 *m);

/* ---- feed.c ----------------------------------------------------------------------------------- */

/* As mdl_feed(). */
int p5_feed(struct p5 *m, const uint8_t *bytes, size_t n);

/* ---- ledger.c -----------------------------------------------------------------------------------
 */

/* Open m->ledger. Returns 0 or -SPMU_ENOMEM. */
int p5_ledger_open(struct p5 *m, const uint8_t *wanted);
/* As mdl_take_ledger(). */
int p5_ledger_take(struct p5 *m, mdl_take_posting *take, void *ctx);
/* As mdl_take_contexts(). */
int p5_ledger_take_contexts(struct p5_system *s, const struct mdl_visit *visit, size_t n,
			    mdl_take_posting *take, void *ctx);

/* With a ledger, book what has moved since the last booking. Without one, each costs a comparison.
 *   insn         to instruction i of b
 *   fpmmx        to the first instruction of b that is x87 or MMX
 *   reference    to the instruction of reference r of b; the caller has a ledger */
static inline void p5_ledger_insn(struct p5 *m, const struct x86_block *b, unsigned i)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_of(m->ledger, b, i);
}
/* To the instruction of f, whose block may be a copy of one that was forgotten. */
static inline void p5_ledger_fly(struct p5 *m, const struct p5_fly *f)
{
	if (__builtin_expect(m->ledger != NULL, 0))
		ledger_book_of(m->ledger, f->block, f->insn);
}
void p5_ledger_fpmmx(struct p5 *m, const struct p5_blk *b);
void p5_ledger_reference(struct p5 *m, const struct p5_blk *b, const struct p5_ref *r);

/* As p5_mmx_clip(); with a ledger instruction by instruction. */
void p5_clip(struct p5 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
	     unsigned to);

/* What P5_WRITE_HIT_ME is: writes that are neither absent nor shared; the rest of the sum is in
 * total already (system.c). */
static inline uint64_t p5_writes_hit(const uint64_t *total)
{
	return total[WIRE_P5_DCACHE_WRITE] - total[WIRE_P5_DCACHE_WRITE_MISS];
}

#endif
