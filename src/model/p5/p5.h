/* p5.h -- the P5 machine: the state of all units. That of time is in clocks/time.h.
 *
 * The wings, from the ground up (decision 027):
 *
 *   units/   what the machine does, a file per hardware unit
 *   blocks/  what a block does: compile.c makes of its facts what the loops work on; plain.c is the
 *            machine in program order, without any short cut
 *   clocks/  what the machine takes: pipes, pairing, prefetch
 *   kept/    clocks that are kept by the state of the machine
 *   host/    machine code for the looks of such blocks
 *   loops/   records in: feed.c without time, time_feed.c with it, events.c what is no block
 *
 * A unit's header has the struct of its state and its functions. Few units share one: itlb and the
 * prefetch buffers are in icache.h, the return stack in btb.h, seg and fpu in core.h. This header
 * includes them all, for a machine holds every struct by value. What needs the whole machine is
 * declared apart: blocks/plain.h, blocks/ledger.h, loops/feed.h.
 *
 * COUNTING RULES   program order of the right path: references in the order of struct x86_block.
 *                  What a block does whenever it runs is a vector, added once per execution; only
 *                  what depends on state or on an address is done per record.
 * MODELLED         see each unit.
 * NOT MODELLED     kernel code. Pairing, prediction, prefetch and L1I run only when a wire needs
 *                  clocks (p5_time.is_on).
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
#include "model/p5/blocks/blk.h"
#include "model/p5/blocks/strings.h"
#include "model/p5/clocks/time.h"
#include "model/p5/host/host_state.h"
#include "model/p5/kept/memo.h"
#include "model/p5/units/btb.h"
#include "model/p5/units/bus.h"
#include "model/p5/units/core.h"
#include "model/p5/units/dcache.h"
#include "model/p5/units/debug.h"
#include "model/p5/units/dtlb.h"
#include "model/p5/units/icache.h"
#include "model/p5/units/int.h"
#include "model/p5/units/mmx.h"
#include "model/p5/units/wbuf.h"
#include "model/parts/ledger.h"
#include "model/parts/pages.h"
#include "model/parts/reader.h"
#include "model/parts/rsb.h"
#include "model/parts/tally.h"
#include "model/parts/turns.h"
#include "x86/block.h"

#define P5_NO_KEY   UINT64_MAX
#define P5_LIN_MASK READER_LIN_MASK

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
	} later;	/* ... from p5_begin() on */
	bool has_peers; /* other processors see what this one does on the bus */
	bool has_bus;	/* each bus cycle is worked out, because of clocks or peers */
	bool has_walks; /* page walks read their tables */
	bool has_errata;
	void (*on_line)(void *ctx, const struct mdl_line *line); /* NULL: the caller wants none */
	void *line_ctx;
	/* time.wait[] as it was after the last line: a line gets the difference */
	uint64_t told[P5_N_WHY];
	/* units */
	struct p5_dcache dcache;
	struct p5_dtlb dtlb;
	struct p5_wbuf wbuf;
	struct p5_bus bus;
	struct p5_icache icache;
	struct p5_itlb itlb;
	struct p5_btb btb;
	struct rsb rsb; /* size 0: there is none */
	struct p5_debug debug;
	struct p5_int intr;
	struct p5_core core;
	struct p5_seg seg;
	struct p5_mmx mmx;
	struct p5_strings strings;
	struct pages *pages;	/* p5_system.pages */
	struct p5_board *board; /* p5_system.board */
	/* the transfer at the end of the block at hand */
	bool waits;	 /* a conditional branch waits for the next record to say where it went */
	bool is_to_next; /* its target is its fall-through address */
	uint64_t waits_for; /* its target */
	/* blocks by id (TRC_ID_BITS), NULL: not met */
	struct p5_blk **blk;
	uint32_t n_met;		/* ids below it may have been met */
	struct tally tally;	/* scratch, all zero between uses */
	uint16_t par[P5_N_PAR]; /* penalties, sizes, switches: catalog/p5/params.tsv or --set */
	struct p5_time time;
	struct p5_memo memo;
	struct p5_host host;
	/* totals */
	uint64_t n_insn;
	uint64_t n_taken;      /* conditional branches taken */
	struct ledger *ledger; /* what instructions counted, or NULL */
	uint64_t dyn[WIRE_N];  /* what was counted per record */
	uint64_t seen[WIRE_N]; /* what looks counted (P5_SEE()) */
};

/* Processors on one bus, all of one kind. Each has caches, TLBs, predictor, clocks and counts of
 * its own; what they share is memory, and so the frames of pages, and the board. Two are a pair:
 * either sees what the other does, and the bus is handed from one to the other. */
struct p5_system {
	struct p5 *cpu[MDL_MAX_CPUS];
	struct wires *wires;
	struct pages pages;
	struct tables *tables; /* of a whole machine, or NULL: those that dtlb.c makes up */
	struct p5_board board;
	struct turns turns;
	const struct p5 *owner; /* of the bus: who began the last cycle */
};

/* Count k on a wire of a machine. */
#define P5_RAISE(m, wire, k) ((m)->dyn[WIRE_P5_##wire] += (k))
/* Count k on a wire in a look at the structures, which is done whether the clocks of its block are
 * worked out or known (look.h). */
#define P5_SEE(m, wire, k) ((m)->seen[WIRE_P5_##wire] += (k))

/* ---- p5.c, system.c -------------------------------------------------------------------------- */

/* Open one processor of a system, without its pages. Returns as mdl_open(). Marks in the system's
 * wires what is driven. */
int p5_open(const struct mdl_config *cfg, struct p5_system *system, struct p5 **out);
void p5_close(struct p5 *m);

/* Colours of pages that its caches and the board's tell apart, as a power of two. */
unsigned p5_colours_log2(const struct p5 *m);

/* As the functions of model/family.h, of one processor. */
int p5_add_counts(struct p5 *m, uint32_t id, uint64_t times, uint64_t taken);
uint64_t p5_unseen(struct p5 *m, uint32_t id, unsigned wire);
void p5_executions(const struct p5 *m, uint64_t *total);
void p5_add_once(struct p5 *m, uint32_t id, uint64_t times, uint64_t *total);
/* Add to times[0..n) how often blocks 0 to n - 1 were executed. */
void p5_times(const struct p5 *m, uint64_t *times, uint32_t n);
/* As mdl_begin(). */
void p5_begin(struct p5 *m);
void p5_forget_blocks(struct p5 *m);

/* Add what it counted otherwise than by executions of blocks. Of writes that hit a line in E or M
 * (WIRE_P5_DCACHE_WRITE_HIT_ME) it adds a part: the caller adds p5_writes_hit() of the whole sum
 * (dcache.h, system.c). */
void p5_sum_rest(const struct p5 *m, uint64_t *total);

/* The stream goes on at `resume` with this thread, on its processor. FS base and DF go with it,
 * until the stream says otherwise. Returns 0 when it runs already, else TURNS_OTHER. */
int p5_switch(struct p5_system *s, unsigned cpu, const uint8_t *resume);

/* ---- bounds.c -------------------------------------------------------------------------------- */

/* As mdl_bounds() and mdl_backlog(). */
void p5_bounds(struct p5 *m, const struct x86_block *b, unsigned insn, uint64_t items,
	       struct mdl_bounds *out);
uint64_t p5_backlog(const struct p5 *m);

#endif
