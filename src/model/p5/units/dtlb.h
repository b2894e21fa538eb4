/* dtlb.h -- unit dtlb: the data TLB, and the walks of both TLBs through the tables of pages.
 *
 * COUNTING RULES   as in dtlb.c.
 */
#ifndef SOFTPMU_MODEL_P5_DTLB_H
#define SOFTPMU_MODEL_P5_DTLB_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/fulltlb.h"
#include "model/parts/large.h"
#include "model/parts/pages.h"
#include "model/parts/tables.h"
#include "model/parts/tlb.h"

struct p5;

/* What caches need to know of a page. */
struct p5_frame {
	uint32_t id, colour;
};

#define P5_WALK_NOTES 1024u

/* A page that was looked up in the tables: its frame, and where the cache of the board had the two
 * entries, by level less 1. */
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
	struct large large; /* large pages of a whole machine; n_sets 0: none */
	struct p5_walk_note note[P5_WALK_NOTES];
};

/* Set up; freed by p5_dtlb_close(), also when this failed. Returns as tlb_open() or, when all
 * entries are compared, fulltlb_open(). */
int p5_dtlb_open(struct p5_dtlb *t, uint32_t entries, unsigned ways, bool is_lru);
void p5_dtlb_close(struct p5_dtlb *t);

/* Drop all entries, and what walks noted. When pages get new frames this must come before the next
 * access: it would use the frame of the old program else. */
void p5_dtlb_empty(struct p5_dtlb *t);

/* A TLB, of data or of code, misses `vpn`. Returns its page. In time it is looked up in the tables:
 * *seen gets P5_SEEN_WALK and who serves the two reads (P5_SEEN_WALK_SHIFT) then. Cost: a few host
 * clocks where the note of the page holds, else up to three looks at the table of pages. */
struct page p5_dtlb_see_walk(struct p5 *m, uint64_t vpn, unsigned *seen);

/* Returns the core clock in which the page of a walk is known that begins at clk; clk itself with
 * --walks off. *seen: what p5_dtlb_see_walk() left there; P5_SEEN_GRANTED is taken out of it,
 * because the walk has paid for the bus then, and the access behind it must not pay again. */
uint64_t p5_dtlb_walk(struct p5 *m, unsigned *seen, uint64_t clk);

/* ---- the tables of a whole machine (dtlb_tables.c), with p5_system.tables -----------------------
 */

/* Make the TLB of large pages, if there is one. Returns 0, or -SPMU_EINVAL for what --set says. */
int p5_tables_open(struct p5 *m);

/* Page vpn, which the TLB of data, or of code, does not have as a page of 4 KB. A walk is counted,
 * and what was found is put in. Where paging is off, and of a large page that is there, it is no
 * walk. *seen as in p5_dtlb_see_walk(). */
struct page p5_tables_data(struct p5 *m, uint64_t vpn, unsigned *seen);
struct page p5_tables_code(struct p5 *m, uint64_t vpn, unsigned *seen);

/* The processor drops pages: vpn with TRC_FLUSH_PAGE. */
void p5_tables_flush(struct p5 *m, enum trc_flush what, uint64_t vpn);

/* p5_system.tables took this: nothing goes by what was there before. Without this call a TLB or a
 * filter would give the page its old frame. */
void p5_tables_mapped(struct p5 *m, const struct tables_taken *taken);

/* The page of linear page number vpn. */
struct page p5_page(struct p5 *m, uint64_t vpn);

#endif
