/* p6.h -- the P6 machine put together, and what opens, reads and closes it.
 *
 * The wings, from the ground up (decision 027):
 *
 *   units/   what the machine does: a file, or a few, and a header per hardware unit
 *   blocks/  what a block does: compile.c makes of its facts what the loops work on (blk.h);
 *            plain.c is the machine in program order, without any short cut
 *   clocks/  what the machine takes
 *   kept/    clocks that are kept by the state of the machine
 *   host/    machine code for hot blocks, without time (host.h) and with it (time_host.h)
 *   loops/   records in: feed.c without time, time_feed.c with it, events.c what is no block
 *   team/    clocks by several threads
 *
 * Each unit declares its own state in its header, which is included here, for a machine holds every
 * struct by value. What of a unit is inlined looks into other units as well. It stands in
 * <unit>_inline.h, line.h and bus_clocks.h, which include this header. Blocks, loops and so on
 * declare what they offer in headers of their own. The state of time is in clocks/time.h.
 *
 * COUNTING RULES   program order of the right path: an instruction's code lines, then its
 *                  references in the order of struct x86_block. What a block does whenever it runs
 *                  is a vector, added once per execution; only what depends on state is done per
 *                  record.
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
#include "model/p6/blocks/strings.h"
#include "model/p6/host/host_state.h"
#include "model/p6/clocks/time.h"
#include "model/p6/mutate.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/fast.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/mmx.h"
#include "model/p6/units/retire.h"
#include "model/p6/units/seg.h"
#include "model/p6/units/walk.h"
#include "model/parts/ledger.h"
#include "model/parts/pages.h"
#include "model/parts/reader.h"
#include "model/parts/tables.h"
#include "model/parts/turns.h"
#include "x86/block.h"

#define P6_LIN_MASK READER_LIN_MASK

/* ---- the machine ----------------------------------------------------------------------------- */

/* The control transfer that waits for the next record to say where it went. */
struct p6_pending {
	uint64_t target, fall;
	uint8_t term; /* X86_TERM_FALL: nothing waits */
};

struct p6_system;
struct p6_team;
struct p6_group;
struct p6_led;

struct p6 {
	struct p6_fast_filters fast; /* the first member: host code counts on it */
	/* settings; p6_open() writes them */
	struct p6_system *system; /* its owner */
	const struct cat_cpu *cpu;
	const struct x86_store *store; /* facts of blocks; the caller's */
	struct p6_rules rules;
	bool is_plain;	       /* units take their general forms alone */
	bool has_mem, has_btb; /* which parts run */
	struct {
		bool has_mem, has_btb, is_timed;
	} later; /* ... from p6_begin() on */
	/* ---- conditions of the fast forms ---- */
	/* L1D, L1I and TLBs have the geometry of Pentium II and III, so that loops, units and
	 * host code have it as constants (fast.h) */
	bool is_fast_shape;
	/* L2 has four ways of 32-byte lines, and a way is at least a page */
	bool is_fast_l2;
	/* is_fast_l2, and no event looks at single clocks (p6_time.watch): a request that finds
	 * its line in L2 is done in place (l2_inline.h) */
	bool is_served;
	/* is_served and is_fast_shape, walks read their entries, and there are no clocks, no other
	 * processors and no deferred lines: an ordinary miss of L1D and L2 is done in one go and
	 * counted as one number */
	bool is_fast_miss;
	uint8_t line_log2; /* of all caches */
	/* units */
	struct p6_dcu dcu;
	struct p6_ifu ifu;
	struct p6_tlb dtlb, itlb;
	struct p6_walker walker;
	struct p6_l2 l2;
	struct p6_btb btb;
	struct p6_bus bus;
	struct p6_seg seg;
	struct p6_mmx mmx;
	struct p6_retire retire;
	/* the other wings */
	struct p6_host host;
	struct p6_blocks blocks;
	struct p6_strings strings;
	struct p6_pending pending; /* the loops write it, and host code where it stops */
	uint32_t pending_blk;	   /* position of the block that it ends, or P6_NO_ENTRY */
	struct p6_time time;
	/* blocks and instructions by the way that they took, for mdl_path(): unaligned references,
	 * blocks of usual micro-ops, instructions of blocks worked out */
	struct {
		uint64_t cut, usual, worked_out;
	} path;
	/* totals */
	uint64_t n_insn; /* instructions of the records that were fed */
	/* feeding ends after the record that reaches so many, and before one that p6_feed_known()
	 * does not know */
	uint64_t stop_insn;
	bool can_stop;		  /* p6_feed_known() is used: host code looks where it ends */
	struct ledger *ledger;	  /* what instructions counted, or NULL */
	struct p6_group *group;	  /* this machine is its front (loops/group.h), or NULL */
	struct p6_log_writer log; /* what caches find, for the machines that work out the clocks */
	/* by wire: what was counted per record; units have more (p6_l2_add_served()) */
	uint64_t dyn[WIRE_N];
};

/* Processors on one bus, all of one kind. Each has caches, TLBs, predictor and counts of its own;
 * what they share is memory, and so the frames of pages. */
struct p6_system {
	struct p6 *cpu[MDL_MAX_CPUS];
	struct wires *wires;
	struct pages pages;
	struct tables *tables; /* of a whole machine, or NULL: those that walk.c makes up */
	unsigned n;
	struct turns turns;
	unsigned memo_percent; /* of what steps may take; 0: all of it */
	/* bus clocks whose core clocks were handed out to instructions, and to contexts
	 * (blocks/ledger.c) */
	uint64_t n_driven_booked;
	uint64_t n_driven_in_contexts;
	struct p6_team *team; /* clocks are worked out by others, cpu[0] has none; or NULL */
	struct p6_led *led;   /* cpu[0] is in a group (system.c), or NULL */
};

#define P6_RAISE(m, wire, k) ((m)->dyn[WIRE_P6_##wire] += (k))
#define P6_SET(m, wire, k)   ((m)->dyn[WIRE_P6_##wire] = (k))

/* ---- p6.c, system.c -------------------------------------------------------------------------- */

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

/* Add the two parts of p6_sum(): what blocks count by being executed, and the rest. p6_sum_rest()
 * first does the execution that is held, and what waits for its clocks. */
void p6_executions(struct p6 *m, uint64_t *total);
void p6_sum_rest(struct p6 *m, uint64_t *total);
/* Add to times[0..n) how often blocks 0 to n - 1 were executed. */
void p6_times(struct p6 *m, uint64_t *times, uint32_t n);
/* As p6_sum_rest(), without what is still held or collected: it goes on waiting. */
void p6_sum_now(struct p6 *m, uint64_t *total);
/* As p6_sum_now(), with what the collected micro-ops would count if they retired now; they go on
 * waiting (peek.c). */
void p6_sum_ahead(struct p6 *m, uint64_t *total);
/* As mdl_add_once(). */
void p6_add_once(struct p6 *m, uint32_t id, uint64_t times, uint64_t *total);

/* As mdl_begin(). */
void p6_begin(struct p6 *m);

/* As mdl_forget_blocks(). */
void p6_forget_blocks(struct p6 *m);

/* As mdl_cannot_occur(). */
const char *p6_cannot_occur(const struct p6 *m, unsigned wire);

/* ---- bounds.c -------------------------------------------------------------------------------- */

/* As mdl_bounds(), mdl_bounds_of_hits(), mdl_hits() and mdl_backlog(). */
void p6_bounds(struct p6 *m, const struct x86_block *b, unsigned insn, uint64_t items,
	       struct mdl_bounds *out);
void p6_bounds_of_hits(struct p6 *m, const struct x86_block *b, unsigned from, unsigned to,
		       struct mdl_bounds *out);
bool p6_hits(const struct p6 *m, const struct x86_block *b, unsigned from, unsigned to,
	     const uint8_t *slots);
uint64_t p6_backlog(const struct p6 *m);
/* Keep what p6_backlog() returns. Call it when the state is the one after all that was executed. */
void p6_note_backlog(struct p6 *m);

#endif
