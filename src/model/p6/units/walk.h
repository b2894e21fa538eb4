/* walk.h -- units itlb, dtlb and walk: pages of linear addresses.
 *
 * A TLB (struct p6_tlb) is asked by p6_translate() (walk_inline.h). In the fast shape the DTLB and
 * the ITLB have four ways and dcu.c and ifu.c look them up themselves; they come here on a miss.
 *
 * COUNTING RULES   as in walk.c.
 */
#ifndef SOFTPMU_MODEL_P6_WALK_H
#define SOFTPMU_MODEL_P6_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/units/fast.h"
#include "model/parts/cache.h"
#include "model/parts/large.h"
#include "model/parts/pages.h"
#include "model/parts/tables.h"
#include "model/parts/tlb.h"

struct p6;

/* What caches need to know of a page. */
struct p6_frame {
	uint32_t id, colour;
};

/* A TLB and the page of each set that was used last. In the fast shape host code writes all but
 * the wires, too. */
struct p6_tlb {
	struct tlb tlb;	    /* its pages */
	struct large large; /* large pages of a whole machine */
	/* by set: the linear page number used last, or P6_NO_KEY; in the fast shape it lies in
	 * struct p6_fast_filters */
	uint64_t *filter;
	void *memory;	       /* of the filter outside the fast shape; p6_close() frees it */
	struct p6_frame *last; /* by set: the page of the filter; p6_close() frees it */
	/* what its misses and their walks count; p6_open() sets them */
	unsigned miss_wire, walk_wire;
};

/* Walks that are done in place (p6_walk_fast()): of whose page. */
enum p6_walked { P6_WALKED_DATA, P6_WALKED_CODE, P6_N_WALKED };

/* An entry of the tree (walk.c). */
struct p6_walk_place {
	/* where L2, of the fast shape, had the line when it was walked last */
	struct cache_set_of_four *set;
	uint32_t page;	 /* its page */
	uint8_t in_page; /* number of the line in it */
	uint8_t way;
	uint8_t keep,
	    points; /* what its use does to the replacement word: these bits stay, these are set */
};

/* Which lines a walk of page `vpn` reads: frames never change, so it is found once. */
struct p6_walk_note {
	/* vpn + 1 while L2 has both lines where they are noted, in state E. cache_meta.noted of
	 * their sets says so, and L2 calls p6_walk_lost() before it takes one out. Else 0; always
	 * so without p6.is_fast_miss. */
	uint64_t usual;
	uint64_t vpn_plus_1; /* 0 = empty */
	struct p6_frame page;
	uint64_t page_at;	       /* as p6_walker.data_at for that page, with p6.is_served */
	struct p6_walk_place place[2]; /* PDE, PTE */
};

#define P6_WALK_NOTES 1024u

/* The page walker: what it remembers of walks, and the colours of pages. */
struct p6_walker {
	bool is_on;		   /* walks read their entries; p6_open() sets it (--walks) */
	struct p6_walk_note *note; /* P6_WALK_NOTES of them, by page number; walk.c writes them */
	/* a bit for each page of a table that was noted, by the last six bits of its identity;
	 * walk.c writes it */
	uint64_t tables;
	/* of pages, by identity; p6_system.pages owns it, p6_page() sets it */
	const uint16_t *colour;
	/* by set of the DTLB: address of the first of L2's sets for its page used last, with
	 * p6.is_served; p6_dtlb_note() and host code write it */
	uint64_t data_at[P6_FAST_DTLB_SETS];
	/* walks of which L2 served both reads in state E, as short forms and host code count them;
	 * p6_walk_add_served() adds them to the wires */
	uint64_t n_served[P6_N_WALKED];
	uint64_t n_large; /* walks of large pages, which are one load each */
};

/* Make p6_walker.note, which p6_close() frees. Returns 0 or -SPMU_ENOMEM. */
int p6_walk_open(struct p6 *m);

/* A new address space, or other contents of L2: no page is known. The TLBs are the caller's to
 * empty. Without this call a walk would give a page the frame that it had before. */
void p6_walk_forget(struct p6 *m);

/* L2, in the fast shape, replaces the line in `way` of a set whose cache_meta.noted is not 0: notes
 * of walks that read it hold no more. Without this call a walk would find a line that is gone. */
void p6_walk_lost(struct p6 *m, struct cache_set_of_four *set, unsigned way);

/* The page of `vpn`, which t does not have: walk, count it, and put it in; a page that t has would
 * come to lie in two ways. The caller sets the filter of the set, which still names the page that
 * was used before. */
struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* As p6_walk() for the DTLB in the fast shape. It also sets the filter: afterwards the page is the
 * one of its set that was used last. */
struct p6_frame p6_walk_data_fast(struct p6 *m, uint64_t vpn);

/* As p6_walk() for the ITLB in the fast shape. It also sets the filter. */
struct p6_frame p6_walk_code_fast(struct p6 *m, uint64_t vpn);

/* The page of `vpn`, whose use is noted in t; walks on a miss. Cannot fail. */
struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* The page of `key`, given its frame on first touch; cannot fail. Frames are given in the order of
 * first touches, so whoever asks for a page early changes the frames of the pages that follow. It
 * keeps p6_walker.colour of all processors up to date, because the table of colours may move. */
struct page p6_page(struct p6 *m, uint64_t key);

/* ---- the tables of a whole machine (walk_tables.c), with p6_system.tables -----------------------
 */

struct mdl_config;

/* Make the TLBs of large pages. Returns 0, or -SPMU_EINVAL for what --set says of them. */
int p6_walk_tables_open(struct p6 *m, const struct mdl_config *cfg);

/* The page in physical frame `frame`; as p6_page(). */
struct page p6_page_of_frame(struct p6 *m, uint32_t frame);

/* As p6_walk(), by the machine's tables. Where paging is off, or the TLB of large pages has the
 * page, it is no walk, and t does not get it. */
struct p6_frame p6_walk_tables(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* Does t, or the TLB of large pages beside it, have page vpn? Then *frame is its identity. Changes
 * nothing. */
bool p6_tlb_peek(const struct p6 *m, const struct p6_tlb *t, uint64_t vpn, uint32_t *frame);

/* Put a page into t, which does not have it, in general; host code's copy follows. */
void p6_tlb_fill(struct p6 *m, struct p6_tlb *t, struct page page);

/* The processor drops pages: vpn with TRC_FLUSH_PAGE. */
void p6_walk_flush(struct p6 *m, enum trc_flush what, uint64_t vpn);

/* p6_system.tables took this: nothing goes by what was there before. Without this call a TLB or a
 * filter would give the page its old frame. */
void p6_walk_mapped(struct p6 *m, const struct tables_taken *taken);

/* Add the walks of p6_walker.n_served to total[WIRE_N]: called by p6_l2_add_served() alone. */
void p6_walk_add_served(const struct p6 *m, uint64_t *total);

#endif
