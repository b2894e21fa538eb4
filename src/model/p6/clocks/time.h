/* time.h -- the P6 in time: a time line of micro-ops in program order.
 *
 * Every micro-op of the right path is looked at once, in program order, and gets the clocks of its
 * way through the machine: decoded, renamed, dispatched, done, retired. Each clock is the first
 * that all limits allow: the fetch block and decoder it comes from, three renames a clock, room in
 * reorder buffer, reservation station, load and store buffers, its sources, a free port, older
 * stores, the order of retirement. The tables below are the rings and slots that these limits need,
 * and nothing else.
 *
 * FILES            where a stage is modelled, and the units whose clocks it counts:
 *   decode.c       fetch blocks, length decoder, decoders (ifu, ild, decode)
 *   rat.c          rename, register read ports, partial registers (rat)
 *   time_zero.c    registers known to be 0 above what was written last
 *   ports.c        ports, execution units, results (fpu, mmx, sse)
 *   mob.c          load and store buffers, forwarding (mob)
 *   fill.c         lines on their way: fill buffers, L2 and bus (dcu, l2, bus)
 *   rob.c          retirement (core)
 *   template.c     micro-op templates of a block, made once; template_uops.c and template_step.c
 *                  make those of an instruction; templates.c keeps them
 *   time_access.c  what a block does to caches, TLBs and buffers, before its clocks are worked out
 *   time_log.c    the same when another machine has logged what the caches found (log.h)
 *   time_relate.h  and recent.h: how an access relates to older stores and misses
 *   time_key.c     what accesses did, as one word
 *   time_block.c   the clocks of a block; time_fast.c: those of usual instructions in one loop
 *   asked/         what runs on request alone: reasons of waits, shares of slots, comparisons of
 *                  single clocks, what an RDPMC does not see
 *   wrong/         what is fetched and decoded after a mispredicted branch
 *   ../kept/       held.c: a block whose outcome is known; memo.c and memo_steps.c:
 *                  blocks whose clocks are known from this state of the machine; memo_state.c,
 *                  memo_regs.c, memo_rings.c, memo_ports.c: that state as bytes; stretch.c:
 *                  the machine is empty from time to time
 *   ../host/       time_turn.c: blocks with known clocks, in one loop; time_host.c: that loop as
 *                  host code
 *   ../loops/      time_feed.c: records to executions of blocks, one block late, because only the
 *                  next record says where a branch went
 *
 * COUNTING RULES   outcomes (hits, misses, predictions) come from the structures in program order
 *                  and are the same without time; time only adds clocks.
 * CLOCKS           core clocks since the machine was opened. A clock in the past means nothing.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_H
#define SOFTPMU_MODEL_P6_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"
#include "model/line.h"
#include "model/p6/clocks/asked/reasons.h"
#include "model/p6/clocks/asked/stack.h"
#include "model/p6/log.h"
#include "model/p6/clocks/template.h"
#include "model/p6/host/time_host.h"
#include "model/p6/clocks/recent.h"
#include "model/p6/clocks/asked/watch.h"
#include "model/p6/clocks/asked/watch_stages.h"
#include "model/p6/clocks/wrong/wrong.h"
#include "model/parts/btb.h"
#include "x86/block.h"

struct p6;
struct p6_blk;
struct p6_outcomes;
struct mdl_config;
struct p6_pending;

/* The later of two clocks. */
static inline uint64_t p6_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- state ----------------------------------------------------------------------------------- */

/* Rings are as long as the next power of two, so that an index needs no division. */
#define P6_MAX_ROB	128u
#define P6_LAST_BLOCKS	64u /* more than a reorder buffer holds; a power of two */
#define P6_MAX_BUFFERS	32u
#define P6_STATION_CLKS 4096u /* clocks of dispatch that the reservation station tells apart */
#define P6_EMPTY_BYTES	64u
#define P6_MAX_CODES	48u /* references that are no ordinary hits: beyond, the block is complex */
#define P6_PORTS	5u
#define P6_RESULT_PORTS 2u    /* those of units with different latencies */
#define P6_PORT_WORDS	64u   /* window of 4096 clocks */
#define P6_PORT_FAR_CLK 3968u /* so far ahead of rename ports are told apart */

/* Parameters of catalog/p6/params.tsv, read once. */
struct p6_params {
#define P6_PARAM(name) uint16_t name;
#include "model/p6/clocks/params.def"
#undef P6_PARAM
};

/* What an access of memory did to the structures: how many lines came from where; and how it
 * relates to older accesses in program order. Addresses matter no further: clocks follow from
 * this alone. All 0: an ordinary hit. */
struct p6_effect {
	uint32_t lines;	    /* L1 asked for */
	uint32_t l2_misses; /* of these, absent from L2 */
	uint32_t walks;
	uint32_t walk_misses; /* of the walks' loads, absent from L2 */
	uint32_t large_walks; /* of the walks: those of one load */
	uint32_t cast_outs;   /* modified lines from L1D to L2 */
	uint32_t write_backs; /* modified lines from L2 to memory */
	uint32_t upgrades;
	uint32_t deferred; /* of the lines from memory: their data come with a reply of its own */
	uint32_t uc_reads, uc_writes; /* partial transactions with memory that is not cacheable */
	bool is_split;		      /* over two lines */
	bool is_smc;		      /* it changed code that L1I had */
	bool is_brd;		      /* its memory reads are 65H's */
	bool is_forward;	      /* `store` holds all its bytes */
	uint16_t ticket; /* p6_stages_ticket(): what it raised; 0: nothing that somebody watches */
	/* the youngest older store that it overlaps, as stores back (1: the last one); 0: none */
	uint8_t store;
	uint8_t l2_lines; /* lines from memory that only L2 asked for (PREFETCHT1, T2) */
	uint8_t wc_lines; /* written past the caches */
	uint8_t wc_parts; /* partial writes of lines that were written past the caches */
	/* number of the miss that asked for its line last, among recent ones; 0: none */
	uint64_t fill;
	uint64_t miss; /* of the first of its own, when it has lines */
};

extern const struct p6_effect p6_quiet; /* such a hit */

/* What one execution of a block did (time_access.c). */
struct p6_accesses {
	uint64_t loud_code; /* bit per instruction: `code` says what fetching it did */
	/* bit per reference: `ref` says what it did; else it was an ordinary hit */
	uint64_t loud_ref[4];
	bool is_complex;	       /* more happened than a key says: see time_key.h */
	bool has_bus;		       /* something asks for the external bus */
	uint64_t spelt;		       /* bit per code: `ref` or `code` has it already */
	uint64_t n_miss[P6_MAX_CODES]; /* misses before it, where they have not */
	unsigned n_code;	       /* references and fetches that were no ordinary hits, */
	/* their number, or that of the instruction, << 16 and their code */
	uint32_t ref_code[P6_MAX_CODES];
	struct p6_effect code[X86_MAX_INSNS];
	struct p6_effect ref[256];
	struct p6_effect rep[X86_MAX_INSNS]; /* of REP instructions: all of it */
	uint64_t rep_uops[X86_MAX_INSNS];
	/* of these, micro-ops that copy in the fast forms of REP MOVS and STOS */
	uint64_t rep_copied[X86_MAX_INSNS];
};

/* One micro-op on its way to rename. */
struct p6_pend {
	const struct p6_uop *uop;
	const struct p6_step *step;
	uint64_t ready_clk;	       /* rename can take it */
	const struct x86_block *block; /* for listings and comparisons of clocks */
	const struct p6_effect *effect;
	bool is_taken; /* a branch that is */
	bool is_again; /* a load of its instruction brought the lines */
	/* with its instruction's last micro-op: two bits per part written, what is known to be 0
	 * above it */
	uint8_t zero_rest;
	uint8_t precision; /* of an x87 divide: enum p6_precision */
	uint8_t front;	   /* enum p6_slot: what held its instruction in fetch and decode */
	uint8_t insn;	   /* of `block` */
	uint8_t decoded;   /* with on_line: p6_line_decoded() */
};

/* Precision control of the x87. */
enum p6_precision { P6_PC_64, P6_PC_53, P6_PC_24, P6_N_PRECISION };

#define P6_MAX_QUEUE 32u
#define P6_MAX_GROUP 4u

/* Fetch and decode: the present fetch block and decode group. */
struct p6_front {
	uint64_t block_begin, block_end; /* linear; the fetch block */
	uint64_t clk;			 /* clock of the present decode group */
	uint64_t fetch_clk;		 /* the next fetch block is there */
	uint32_t groups;		 /* of the present fetch block so far */
	uint8_t slot;			 /* decoders taken in the present group */
	bool has_branch;		 /* in the present group */
	bool is_fresh;			 /* the next instruction begins a fetch block: */
	/* at a multiple of fetch_bytes (mispredict), or as the rest of the row says: */
	bool starts_aligned;
	uint8_t
	    jump_groups;  /* a taken branch: decode groups of its fetch block, 0: no such branch, */
	bool jump_is_cut; /* a 16-byte boundary lies in that block */
	uint64_t jump_clk; /* clock of the last taken branch */
	uint64_t chunk;	   /* number of the chunk requested last + 1 */
};

/* A group of micro-ops that rename takes in one clock, while it is collected. */
struct p6_rename {
	uint64_t next_clk;	/* the next group at the earliest */
	uint64_t recovered_clk; /* behind a mispredicted branch: its state is restored */
	/* by micro-op renamed last: the clock from which its room in the queue can be decoded
	 * for */
	uint64_t queue[P6_MAX_QUEUE];
	uint32_t queue_at;
	unsigned n; /* collected */
	struct p6_pend pend[P6_MAX_GROUP];
	struct p6_effect
	    kept_effect[P6_MAX_GROUP]; /* of those whose block is done, where it is not p6_quiet */
};

struct p6_reg_state {
	uint64_t ready_clk; /* its value can be used */
	/* from here on it is read through the ports of the register file */
	uint64_t file_clk;
};

struct p6_part_state {
	uint64_t retire_clk; /* of the last writer of a part */
	uint8_t bytes;	     /* what that writer wrote; 4: the whole register */
	bool is_high;
	uint8_t zero; /* enum p6_zero_bits: known to be 0 above it */
};

/* Who wrote flags last. */
struct p6_flag_state {
	uint64_t retire_clk; /* it has retired */
	uint8_t written; /* which of them, and was it a shift by more than one: enum p6_flag_bits */
};

struct p6_store {
	uint64_t data_clk, commit_clk;
};

struct p6_fill {
	uint64_t miss;	    /* its number */
	uint64_t ready_clk; /* its first chunk can be used */
	uint64_t done_clk;  /* the buffer is free again */
	/* for a program that reads counters: */
	uint64_t from_clk;    /* L2 is asked for the line */
	uint64_t request_clk; /* the line is requested on the bus */
	uint8_t what;	      /* enum p6_fill_what */
};

enum p6_fill_what {
	P6_FILL_L1 = 1,	    /* L1D asked for it */
	P6_FILL_MEMORY = 2, /* it comes from memory */
	P6_FILL_BRD = 4,    /* for a load */
};

/* What an RDPMC did not see, when it read, of what older instructions do. */
struct p6_unread {
	uint32_t waiting;	 /* bit per micro-op before it, the last first: not dispatched */
	uint16_t outstanding;	 /* 48H: clocks of lines on their way */
	uint8_t lines, l2_lines; /* lines that are not in L1D, and that are not in L2 */
	uint8_t brd, rfo;	 /* reads that are not requested */
};
#define P6_MAX_WAITING 32u /* micro-ops before it that it asks for, at most */

struct p6_time {
	bool is_on;
	uint8_t wrong_mode; /* enum mdl_wrong_path */
	struct p6_known known,
	    known_right;	  /* with --wrong-path loads; those in front of a wrong path */
	bool is_watching;	  /* an event wants comparisons of single clocks */
	struct p6_watch *watch;	  /* what single clocks count; NULL: no event wants it */
	struct p6_stages *stages; /* what accesses do in single clocks; NULL: no event wants it */
	/* with a ledger: the context of what is held; that of the collected micro-ops by place in
	 * ren.pend, and where each stood when the block began, 1 + a place, or 0 */
	uint32_t held_context, context[P6_MAX_GROUP];
	uint8_t origin[P6_MAX_GROUP];
	bool is_fast;	 /* blocks may be worked out by time_fast.c */
	bool is_watched; /* single micro-ops or clocks are looked at: nothing may be passed over */
	void (*on_line)(void *ctx, const struct mdl_line *line); /* NULL: nobody wants lines */
	void *line_ctx;
	struct p6_decoding decoding; /* with on_line */
	/* the last thing done was a piece of a block, and execution goes on at open_pc: */
	bool is_open;
	uint64_t open_pc; /* no record waits, but micro-ops may wait for their group */
	struct p6_params par;
	/* at the last look ahead: clocks until buses, buffers and fills are done (bounds.c) */
	uint64_t backlog;
	/* room for what follows, up to `recent`, while somebody looks at what it will be (peek.c);
	 * NULL: not yet */
	void *aside;
	uint8_t why;	      /* what the micro-op being dispatched waited for longest */
	struct mdl_line line; /* being written */
	struct p6_stack stack;
	uint64_t seg_clk[4]; /* the last write of ES, DS, FS, GS has retired */
	struct p6_front front;
	struct p6_rename ren;
	struct p6_reg_state reg[P6_N_REGS];
	/* bit per register: it may be ready or retired later than rename; all others are not */
	uint64_t late_regs;
	struct p6_part_state part[16];
	uint32_t zero; /* registers known to be 0 in part, behind the last block (time_zero.h) */
	uint32_t cut_parts; /* bit per register: less than all of it was written last */
	struct p6_flag_state flags;
	uint8_t x87[8]; /* physical register of each position above the stack's base */
	uint8_t x87_top;
	uint64_t done[P6_MAX_UOPS]; /* of the micro-ops of the present instruction */
	unsigned n_done;
	/* buffers, as the clocks at which their entries are free again */
	uint64_t rob[P6_MAX_ROB];
	/* by the same index: when they are dispatched; 0: nothing is counted then, or it is long
	 * ago */
	uint64_t exec[P6_MAX_ROB];
	uint8_t rs_leaving[P6_STATION_CLKS]; /* micro-ops that are dispatched in each clock */
	unsigned rs_used;		     /* micro-ops that are dispatched at rs_clk or later */
	uint64_t rs_clk, rs_last;	     /* last: no micro-op is dispatched behind it */
	uint64_t load[P6_MAX_BUFFERS];
	uint32_t rob_at, load_at, store_at;
	struct p6_store store[P6_MAX_BUFFERS];
	uint64_t addresses_clk; /* all older stores have addresses */
	uint64_t commit_clk;	/* of the last store */
	uint64_t branch_clk;	/* the last branch was executed */
	uint64_t fills_clk;	/* all fills are done */
	/* ports */
	uint64_t port[P6_PORTS][P6_PORT_WORDS]; /* bit per clock: taken */
	uint64_t port_base;			/* clock of the window's begin, a multiple of 64 */
	uint8_t port_taken;			/* by the micro-op being dispatched */
	uint64_t port_last[P6_PORTS];		/* no clock behind it is taken */
	/* bit per clock: the last of an execution, a result leaves the port */
	uint64_t result[P6_RESULT_PORTS][P6_PORT_WORDS];
	uint64_t result_last[P6_RESULT_PORTS];
	uint64_t unit_clk[CAT_P6_N_UNITS];
	struct cat_p6_timing divide[P6_N_PRECISION]; /* FDIV */
	/* lines */
	struct p6_fill fill[P6_MAX_BUFFERS];
	uint64_t l2_clk;     /* the L2 data bus is free */
	uint64_t bus_clk;    /* the data phase of the external bus is free */
	uint64_t memory_clk; /* memory has done with the line before */
	uint64_t bus_queue[P6_MAX_BUFFERS];
	uint32_t bus_queue_at;
	uint64_t request_clk; /* of the read before; means nothing from one line to the next */
	uint32_t bus_ratio2;  /* core clocks of two bus clocks */
	/* the last RDPMC: when it read, how many micro-ops before it had not retired then, and
	 * how many of its own had */
	uint64_t read_clk;
	unsigned read_unretired, read_own;
	struct p6_unread unread;
	/* how many micro-ops before an RDPMC may still wait when it reads; 0: the program
	 * has executed no RDPMC so far */
	unsigned n_readable;
	/* blocks executed last, their ids + 1; 0 behind which nothing is in flight */
	uint32_t last_blocks[P6_LAST_BLOCKS];
	unsigned last_block_at;
	/* retirement */
	uint64_t retire_clk; /* of the youngest micro-op */
	uint8_t retired;     /* in that clock */
	struct p6_recent recent;
	struct p6_accesses access;
	struct p6_memo *memo; /* NULL: off, or not needed yet */
	struct p6_time_host host;
	bool wants_memo;
	uint64_t code_line,
	    code_epoch; /* the line that was fetched last, and the epoch it was in */
	/* the block that is held: its record was read, and it is done when the next record says
	 * where execution went */
	const struct x86_block *held;
	struct p6_tblk
	    *held_tblk; /* its templates, when all others were forgotten meanwhile; else NULL */
	struct x86_store *kept; /* its facts then */
	uint32_t held_entry;	/* where it lies in the arena; P6_NO_ENTRY: not known */
	const uint8_t *held_at; /* its slots: in the stream, or in held_slots */
	uint8_t held_slots[8 * X86_MAX_SLOTS];
	unsigned held_from, held_n; /* instructions of it: from the first to before the second */
	bool is_accessed;	    /* what it does to the structures is done */
	struct p6_log_reader log;   /* what caches found, if another machine says so */
	int trouble;		    /* what doing it returned, if not 0 */
	/* bit per BTB entry: the decoder found out that it is no branch */
	uint64_t bogus_seen[BTB_MAX_ENTRIES / 64];
	bool has_bogus;				   /* one of them is set */
	uint64_t timer_period_clk, timer_next_clk; /* 0: no timer */
	uint32_t int_mask;			   /* enum trc_mask */
	uint64_t int_mask_clk; /* clocks up to this one are counted as that says */
	/* stretches (stretch.c) */
	uint64_t stretch_end; /* instructions of this processor behind which the present one ends */
	bool is_behind_event; /* the last record was no block's, */
	bool is_due;	      /* or was, and TRC_AHEAD found that the stretch ends behind it */
	uint8_t empty[P6_EMPTY_BYTES]; /* the state of the empty machine (memo_state.c) */
	/* what was executed, by address: a hash table for wrong paths */
	uint64_t by_pc_changes; /* see wrong_blocks.h */
	struct p6_tblk **by_pc;
	uint32_t n_by_pc, by_pc_slots;
	struct p6_wrong_tree *wrong_tree;   /* NULL: none are kept */
	struct p6_wrong_first *wrong_first; /* of the step just taken; or NULL */
	uint64_t wrong; /* where the branch that waits was predicted to go, 0: nowhere known */
	struct p6_templates *templates; /* where templates are kept */
	struct p6_tblk **tblk;		/* those of blocks that this machine has met, by id */
	uint32_t n_tblk;
};

#endif
