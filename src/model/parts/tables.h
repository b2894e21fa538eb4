/* tables.h -- the page tables of a whole machine, as its stream tells them (TRC_PAGE).
 *
 * Used by the TLBs and the page walker of both families in place of the synthetic tables of
 * pages.h. A page is known by its physical frame: what lies at two linear addresses in one frame is
 * one page to the caches, and tables are pages like others.
 *
 * COUNTING RULES   a page without a directory entry needs no walk and no TLB: paging is off. A
 *                  large page is walked by one load, others by two.
 * MODELLED         4 KB pages and those of 4 MB (with PAE 2 MB); global pages; the mapping of a
 *                  page is the one that was told last.
 * NOT MODELLED     page-directory-pointer tables of PAE; writes of accessed and dirty bits.
 */
#ifndef SOFTPMU_MODEL_PARTS_TABLES_H
#define SOFTPMU_MODEL_PARTS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"

#define TABLES_PAGES 1024u	  /* of one group */
#define TABLES_2M    (1ull << 40) /* in a key of tables_large_key() */

/* How a page is mapped. */
struct tables_page {
	uint32_t frame;	   /* physical page number */
	uint32_t pde, pte; /* physical addresses of the entries, or TRC_NO_ENTRY */
	uint8_t flags;	   /* enum trc_page_flag without what the walk set */
	bool is_known;	   /* the stream has told it */
	bool is_in_code;   /* the caller's: something beside the TLBs remembers the frame */
	bool has_moved;	   /* it was in another frame before */
};

struct tables {
	struct tables_page *group[TABLES_PAGES]; /* owned; NULL: none of its pages was told */
};

/* What a TRC_PAGE changes. NEW: no TLB can have the page yet, or it is as it was but for G.
 * CHANGED: TLBs may have it as it was. */
enum tables_change { TABLES_EQUAL, TABLES_NEW, TABLES_CHANGED };

struct tables_taken {
	struct trc_page page;
	uint64_t pc; /* where execution goes on */
	enum tables_change change;
	bool is_code_stale; /* its frame was remembered (tables_note_code()), and is another now */
};

/* Returns NULL without memory. */
struct tables *tables_open(void);
void tables_close(struct tables *t);

/* The page of linear page number vpn. One that was not told is where paging is off: at its linear
 * address. */
static inline struct tables_page tables_of(const struct tables *t, uint64_t vpn)
{
	const struct tables_page *group =
	    vpn < TABLES_PAGES * TABLES_PAGES ? t->group[vpn / TABLES_PAGES] : NULL;
	const struct tables_page none = {
	    .frame = (uint32_t)vpn, .pde = TRC_NO_ENTRY, .pte = TRC_NO_ENTRY};

	return group && group[vpn % TABLES_PAGES].is_known ? group[vpn % TABLES_PAGES] : none;
}

/* Look at the payload of a TRC_PAGE: *out says what it would change. Returns 0 or -SPMU_EPROTO. */
int tables_look(const struct tables *t, const uint8_t *payload, uint32_t bytes,
		struct tables_taken *out);

/* From here on it is so. Returns 0 or -SPMU_ENOMEM. */
int tables_take(struct tables *t, const struct tables_taken *taken);

/* Note that the frame of vpn is remembered. Returns false where it must not be: it has moved
 * before. */
bool tables_note_code(struct tables *t, uint64_t vpn);

/* Forget all of that. */
void tables_forget_code(struct tables *t);

/* The key of a large page, of 4 MB or 2 MB, by the linear number of a page in it. */
static inline uint64_t tables_large_key(struct tables_page p, uint64_t vpn)
{
	return p.flags & TRC_PAGE_PAE ? vpn >> 9 | TABLES_2M : vpn >> 10;
}

#endif
