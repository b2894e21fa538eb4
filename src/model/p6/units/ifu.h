/* ifu.h -- unit ifu: code lines through L1I.
 *
 * COUNTING RULES   as in ifu.c.
 */
#ifndef SOFTPMU_MODEL_P6_IFU_H
#define SOFTPMU_MODEL_P6_IFU_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/units/walk.h"
#include "model/parts/cache.h"

struct p6;

/* L1I. Its lines are in state S. */
struct p6_ifu {
	/* its lines; of a team's worker those that the log says (log_read.c) */
	struct cache cache;
	/* a key for each linear set: the line that was used last, as its linear address >> log2 of
	 * the bytes of a way, or P6_NO_KEY */
	uint64_t *filter;
	void *memory; /* of the filter; p6_close() frees it */
	/* linear and physical set numbers are the same, and the shape is not the fast one, which
	 * does without this filter; p6_open() sets it */
	bool has_filter;
	/* as those of struct p6_dcu */
	uint64_t *common;
	uint32_t common_mask;
	/* changes when a page or line of code was used in full, or goes: without a change the line
	 * that the clocks fetched last is the one last used in its set. ifu.c and walk.c count it
	 * on, and what gives L1I or the ITLB other contents. */
	uint64_t epoch;
};

/* Fetch code line number `line` (linear address >> line_log2), in program order. Returns true when
 * L1I did not have it; then it is there, and the miss is counted. Nothing here can fail. */
bool p6_ifu_line(struct p6 *m, uint64_t line);

/* As p6_ifu_line(), done only when L1I has the line and its page is the one of its ITLB set that
 * was used last. Returns false else, and nothing is done. */
bool p6_ifu_try(struct p6 *m, uint64_t line);

/* The page of code `vpn` in the fast shape, its use noted; walks on a miss. */
struct p6_frame p6_ifu_page_fast(struct p6 *m, uint64_t vpn);

/* Is the page of code `vpn` in the ITLB of the fast shape? Then its use is noted. */
bool p6_ifu_page_is_in(struct p6 *m, uint64_t vpn);

/* As p6_ifu_line() in the fast shape. */
bool p6_ifu_line_fast(struct p6 *m, uint64_t line);

/* Fetch a line that L1I does not have, in the fast shape, after its page was looked up. One that it
 * has would be in two ways. */
void p6_ifu_miss_fast(struct p6 *m, struct cache_line l);

/* Are the page and line of code at lin in ITLB and L1I? Changes nothing, so it may be asked for
 * what is not executed in the end. */
bool p6_ifu_has(const struct p6 *m, uint64_t lin);

/* Another processor asks for line l; takes: L1I drops its copy. Returns true when it had one. */
bool p6_ifu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* A store makes line l modified: L1I drops its copy. Returns true when it had one, and counts
 * ifu.smc: the caller must fetch the rest of the block again, else the miss of its line would not
 * be counted. */
bool p6_ifu_store_snoop(struct p6 *m, struct cache_line l);

/* Add the fetches of p6_l2.served to total[WIRE_N]: called by p6_l2_add_served() alone. */
void p6_ifu_add_served(const struct p6 *m, uint64_t *total);

#endif
