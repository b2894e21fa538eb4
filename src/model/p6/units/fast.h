/* fast.h -- units dcu, ifu, itlb and dtlb: the fast shape, and the filters that code for it asks.
 *
 * The fast shape is that of Pentium II and III (p6.is_fast_shape): four ways of 128 sets of 32
 * bytes in L1D and L1I, TLBs of four ways. Loops, units and host code have it as constants.
 *
 * KEPT UP          a filter names a line or page only while it is the one of its set that was used
 *                  last: dcu.h, walk_inline.h.
 */
#ifndef SOFTPMU_MODEL_P6_FAST_H
#define SOFTPMU_MODEL_P6_FAST_H

#include <stddef.h>
#include <stdint.h>

#include "model/p6/blk.h"

#define P6_FAST_LINE_LOG2 5u
#define P6_FAST_WAYS	  4u
#define P6_FAST_SET_LOG2  7u
#define P6_FAST_DTLB_SETS 16u
#define P6_FAST_ITLB_SETS 8u
#define P6_NO_KEY	  UINT64_MAX /* in a filter: no line or page is known */

/* The filters in the fast shape, where loops find them without a pointer. It is the first member of
 * struct p6, because host code has short displacements up to the beginning of dcu[]. All bits are
 * set in the beginning. */
struct p6_fast_filters {
	/* by set of the DTLB: the page that was used last, or P6_NO_KEY; p6_dtlb_note() writes it
	 */
	uint64_t dtlb[P6_FAST_DTLB_SETS];
	/* constants of host code (host.c): how a use changes the replacement word of four ways, by
	 * hit mask (1, 2, 4, 8): bits that stay, bits that are set */
	uint8_t keep[16], set[16];
	/* constants of host code: what a conditional branch adds to struct p6_outcomes, by the
	 * two-bit counter that predicted it, when it is taken, and when it falls through */
	uint64_t taken_sums[4], fall_sums[4];
	/* by set of L1D and enum p6_ref_kind: the line used last, as a linear page number, or
	 * P6_NO_KEY; that of a store only while the line is M; p6_dcu_note_fast() writes it */
	uint64_t dcu[P6_KINDS << P6_FAST_SET_LOG2];
	/* by set of the ITLB: the page used last; ifu.c writes it */
	uint64_t itlb[P6_FAST_ITLB_SETS];
	/* pages of the DTLB, for host code, which looks at all ways of a set at once: their numbers
	 * without the set's, or P6_NO_PAGE_TAG; and as p6_walker.data_at; p6_dtlb_put() writes both
	 */
	_Alignas(16) uint32_t page_tag[P6_FAST_DTLB_SETS][P6_FAST_WAYS];
	uint64_t page_at[P6_FAST_DTLB_SETS][P6_FAST_WAYS];
};

/* Make n keys of a filter match nothing. */
static inline void p6_empty_filter(uint64_t *filter, size_t n)
{
	for (size_t i = 0; i < n; i++)
		filter[i] = P6_NO_KEY;
}

#endif
