/* dcache.h -- unit dcache: L1D, and operands as accesses to it.
 *
 * An access is done in two steps (clocks/look.h). The functions with `see` do what it does to the
 * structures and return what was seen; its clocks are worked out from that. p5_dcache_ref() does
 * both. Nothing here can fail. Accesses come in program order: the order decides which lines are
 * replaced. What is seen twice counts twice.
 *
 * KEPT UP          read_filter and write_filter name for each set the line that was used last, for
 *                  writes only while it is M. Whoever takes a line out, or takes state M from it,
 *                  calls p5_dcache_forget(): else a line that is gone would hit.
 *
 * COUNTING RULES   as in dcache.c.
 */
#ifndef SOFTPMU_MODEL_P5_DCACHE_H
#define SOFTPMU_MODEL_P5_DCACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/wires_p5.h"
#include "model/model.h"
#include "model/p5/units/bus.h"
#include "model/parts/cache.h"

struct p5;
struct p5_frame;
struct p5_look;

/* L1D and what the loop asks before it looks the cache up: per linear set number the line used last
 * (key = linear address >> log2 of the way), for writes only while that line is M. */
struct p5_dcache {
	struct cache cache;
	uint64_t *read_filter, *write_filter; /* n_sets each */
	bool has_filter;		      /* linear and physical set numbers are the same */
	/* the line that came in last, and which 8 bytes of it came first: the others follow in the
	 * order i ^ first */
	uint32_t filled_set, filled_tag;
	uint8_t filled_first;
	uint64_t
	    filled_line; /* the same by linear line number, P5_NO_KEY: none that can be found */
	struct p5_fill fill;
	uint64_t n_write_miss_again; /* write misses that only errata count */
	uint64_t n_write_shared;     /* writes that found their line S */
	/* memory that is not cacheable: first and last line, by number; p5_open() sets it */
	unsigned n_uncached;
	struct mdl_range uncached[MDL_MAX_UNCACHED];
};

enum p5_access { P5_READ = 1, P5_WRITE = 2 };

struct p5_operand {
	unsigned bytes;
	uint8_t access; /* enum p5_access, both for a read-modify-write */
	bool is_locked, is_mmx;
	bool is_fst; /* FST or FSTP, and somebody asks */
};

/* Accesses of L1D that an operand of `bytes` is when no part of it is cut. */
static inline unsigned p5_parts(unsigned bytes)
{
	return (bytes + 7) / 8;
}

/* Do accesses to these addresses want the same of the 8 banks of L1D? */
static inline bool p5_dcache_is_same_bank(uint64_t a, uint64_t b)
{
	return !((a ^ b) >> 2 & 7);
}

/* Writes that hit a line in E or M (P5_WRITE_HIT_ME): those of total[WIRE_N] that are neither
 * absent nor shared. The rest of that sum is in total already (system.c). */
static inline uint64_t p5_writes_hit(const uint64_t *total)
{
	return total[WIRE_P5_DCACHE_WRITE] - total[WIRE_P5_DCACHE_WRITE_MISS];
}

/* ---- operands -------------------------------------------------------------------------------- */

/* The data references of one operand at lin: pieces that a cut adds, misses, fills. What p5_parts()
 * says is counted by the caller: without that 00H and 01H would have only what cuts add. In time,
 * m->time.data_clk moves by what the operand waits. */
void p5_dcache_ref(struct p5 *m, uint64_t lin, const struct p5_operand *op);

/* As p5_dcache_ref(), for an operand that is aligned, lies in one line and is not locked, in a
 * machine without clocks: no wait is counted here. */
void p5_dcache_ref_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op);

/* Count what p5_parts() says, as often as `times`, now. */
void p5_dcache_count_parts(struct p5 *m, const struct p5_operand *op, uint64_t times);

/* Is the line of lin not cacheable (--uncached)? */
bool p5_dcache_is_uncached(const struct p5 *m, uint64_t lin);

/* ---- looks: the structures' part of one access ----------------------------------------------- */

/* One access of an operand, or the first half of one that is cut; look says which. Returns what was
 * seen: enum p5_seen. */
unsigned p5_dcache_see(struct p5 *m, uint64_t lin, const struct p5_operand *op,
		       const struct p5_look *look);

/* As p5_dcache_see(), for part 0 of an operand that is aligned, lies in one line and is not locked.
 */
unsigned p5_dcache_see_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op,
			       const struct p5_look *look);

/* As p5_dcache_see_in_line(), in the fast shape, for part 0 of an operand of no MMX instruction.
 * p5_dcache_fast_ways() returns 2 or 4 when L1D has so many ways and that shape: the function to
 * call. It returns 0 when L1D has another one, or when the machine is not in time, is plain, or has
 * other processors, uncacheable lines or another board. The wrong function would look at ways that
 * are not there, or leave out what the machine's other parts must hear of. */
unsigned p5_dcache_fast_ways(const struct p5 *m);
unsigned p5_dcache_see_two(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill);
unsigned p5_dcache_see_four(struct p5 *m, uint64_t lin, bool is_write, bool asks_fill);

/* ---- asked by code and by the bus ------------------------------------------------------------ */

/* The fast path's notes of a set are void: its lines changed from outside. Without this call the
 * next access could hit a line that is gone, or write to one that is not M any more. */
void p5_dcache_forget(struct p5 *m, uint32_t set);

/* In time: code of the line at lin is asked for and is not in L1I: L1D's copy goes. Returns
 * P5_SEEN_BACK when it was modified, else 0. */
unsigned p5_dcache_snoop_code(struct p5 *m, struct p5_frame page, uint64_t lin);

/* In time: a modified line leaves L1D for the bus at clk, a core clock. The bus works in the order
 * of calls, so the cycle that goes first is asked for first; the next line that leaves waits until
 * this one has left. */
void p5_dcache_write_back(struct p5 *m, uint64_t clk);

#endif
