/* dcu.h -- unit dcu: L1D, and the write-combining buffers that are emptied through it.
 *
 * A reference is one load or store micro-op. These are the ways to make one; dcu.c has the rules.
 *
 * In any geometry:
 *   p6_dcu_ref             of any kind
 *   p6_dcu_ref_lines       its pieces are counted already
 *   p6_dcu_ref_in_line     aligned
 *   p6_dcu_line            one line of a reference
 *   p6_dcu_try             one line, only when it hits or L2 serves it at once
 *
 * In the fast shape (p6.is_fast_shape):
 *   p6_dcu_ref_unaligned   not aligned, of cacheable memory
 *   p6_dcu_ref_fast        aligned
 *   p6_dcu_hits            the same, only when it hits
 *   p6_dcu_hit_fast        the same, only when its page is the one used last, too (dcu_inline.h)
 *   p6_dcu_try_fast        its page is looked up already; only when it hits or L2 serves it at once
 *   p6_dcu_read_miss_fast  a read, found missing already
 *
 * Both lists leave the caches in the same state and count the same. What is done "only when"
 * returns early else, with nothing done, and the caller makes the reference in full. A caller that
 * did not would lose the reference, and one that makes it in full although it was done would count
 * it twice. None of these functions can fail. References come in program order: the order decides
 * which lines are replaced.
 *
 * KEPT UP          L1D's filter names for each set the line that was used last, for stores only
 *                  while it is M. Whoever hits by it looks nothing up, so whoever takes a line out
 *                  of L1D, or takes state M from it, must clear the filter of its set
 *                  (dcu_snoop.c), else a line that is gone would hit, or a store would miss its
 *                  ownership.
 *
 * COUNTING RULES   as in dcu.c.
 */
#ifndef SOFTPMU_MODEL_P6_DCU_H
#define SOFTPMU_MODEL_P6_DCU_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/blk.h"
#include "model/p6/units/walk.h"
#include "model/parts/cache.h"
#include "model/parts/wcbuf.h"

struct p6;

/* L1D and the write-combining buffers. */
struct p6_dcu {
	struct cache cache; /* its lines; of the units only this one changes them */
	/* P6_KINDS keys for each linear set, one for each enum p6_ref_kind: the line that was used
	 * last, as its linear address >> log2 of the bytes of a way, or P6_NO_KEY. The last two
	 * kinds never match. In the fast shape it is p6_fast_filters.dcu, and host code writes it,
	 * too. */
	uint64_t *filter;
	void *memory;	 /* of the filter outside the fast shape; p6_close() frees it */
	bool has_filter; /* linear and physical set numbers are the same; p6_open() sets it */
	/* a request of the reference at hand was absent from L2; l2.c sets it, dcu.c clears it */
	bool ref_missed_l2;
	/* The filter of the front of the group that this machine is in, or NULL: a line that goes
	 * leaves it, too. It has common_mask + 1 sets, no more than the cache. p6_group_lead() sets
	 * both. */
	uint64_t *common;
	uint32_t common_mask;
	struct wcbuf wc; /* one buffer, four of a Pentium III; dcu_weak.c writes it */
	/* modified lines that went to L2, which had them, as short forms and host code count them;
	 * p6_dcu_add_served() adds them to the wires */
	uint64_t n_cast_out;
};

/* One data reference of `bytes` at linear address `lin`; none when bytes is 0. flags: enum
 * x86_ref_flag. is_locked: its read asks for ownership. Returns true when it stored into a line
 * that L1I held: the caller must fetch the rest of the block again. */
bool p6_dcu_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked);

/* The lines of a reference to cacheable memory whose pieces are counted, by
 * p6_dcu_count_pieces(): without that 05H, and 43H for a cut, would lack them. Returns as
 * p6_dcu_ref(). */
bool p6_dcu_ref_lines(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked);

/* A reference to cacheable memory that lies in one line and has no misaligned piece. Returns as
 * p6_dcu_ref(). */
bool p6_dcu_ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access);

/* Access the one line of `lin`; no operand is counted. Returns true when L1D did not have it. *smc
 * becomes true when this is the store that makes the line M and L1I held it, else it stays: the
 * caller sets it to false before the first line of an operand. */
bool p6_dcu_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc);

/* Count the pieces of a reference that lie over an 8-byte boundary or a line end; nothing for an
 * aligned one. Once for a reference in one direction: a read-modify-write has two. */
void p6_dcu_count_pieces(struct p6 *m, uint64_t lin, unsigned bytes);

/* An access to one line in any geometry, whose pieces are counted. Done when L1D has the line, for
 * a store not in S, and when L2 serves a line that L1D does not have to a read or a plain store.
 * Else P6_DCU_NOT_DONE, and nothing is done but the look-up of its page. P6_DCU_STORED_CODE: done,
 * and as p6_dcu_ref() returns true. */
enum p6_dcu_try { P6_DCU_NOT_DONE, P6_DCU_HIT, P6_DCU_SERVED, P6_DCU_STORED_CODE };
enum p6_dcu_try p6_dcu_try(struct p6 *m, uint64_t lin, enum p6_access access);

/* ---- in the fast shape ----------------------------------------------------------------------- */

/* As p6_dcu_ref_in_line(). */
bool p6_dcu_ref_fast(struct p6 *m, uint64_t lin, enum p6_access access);

/* As p6_dcu_ref() for 1, 2, 4, 8, 16 or 32 bytes of cacheable memory; access: not P6_LOCKED. */
bool p6_dcu_ref_unaligned(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access);

/* As p6_dcu_ref_fast() when the DTLB has the page and L1D the line, for a store in state M. Returns
 * true then: nothing is counted. Else false; nothing is done but that the use of the page is noted
 * when the DTLB has it. */
bool p6_dcu_hits(struct p6 *m, uint64_t lin, enum p6_access access);

/* An aligned access to `page`, which is the one of its DTLB set that was used last: with another
 * page the DTLB would not hear of its use, and would replace it too early. Done when it
 * hits and is no first store to its line; or when it reads a line that L2 serves into a way that
 * holds a clean one. Else P6_DCU_NOT_DONE, and nothing is done. */
enum p6_dcu_try p6_dcu_try_fast(struct p6 *m, uint64_t lin, struct p6_frame page, bool is_read);

/* A read of a line that L1D does not have, on `page`, which is the one of its DTLB set that was
 * used last. A line that L1D does have could come to lie in two ways. Bits of any_lin above 47 are
 * ignored. */
void p6_dcu_read_miss_fast(struct p6 *m, uint64_t any_lin, struct p6_frame page);

/* The page of data `vpn`, its use noted; walks on a miss. */
struct p6_frame p6_dcu_page_fast(struct p6 *m, uint64_t vpn);

/* ---- asked by L2, code fetches and the bus (dcu_snoop.c) ------------------------------------- */

/* L2 replaces line l: a modified copy of L1D goes too, a clean one stays, and under --replace lru
 * any copy stays. Returns true when it was modified: then the line counts as a modified one that
 * leaves L2, and L2 writes it to the bus. */
bool p6_dcu_back_invalidate(struct p6 *m, struct cache_line l);

/* Code is fetched from line l: a modified copy in L1D is written to L2 first. Called before the
 * fetch asks L2, which would else count the state that L2 had before. */
void p6_dcu_code_snoop(struct p6 *m, struct cache_line l);

/* Another processor asks for line l on the bus: for itself alone (takes), or to share it. The copy
 * of L1D goes, or becomes S. Returns the state it had, CACHE_I when there was none. */
enum cache_state p6_dcu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* ---- prefetches and weakly ordered stores (dcu_weak.c) --------------------------------------- */

/* PREFETCHNTA of a line that L1D does not have: L1D receives it, L2 does not (dcu.c). A line that
 * L1D does have would come to lie in two ways. */
void p6_dcu_fill_only(struct p6 *m, uint64_t lin);

/* A prefetch of the line of `lin`. hint: as in struct x86_ref. */
void p6_dcu_prefetch(struct p6 *m, uint64_t lin, unsigned hint);

/* A weakly ordered store. Returns as p6_dcu_ref(). The caller calls p6_dcu_flush_weak() before a
 * fence, a locked or a serialising instruction, and at the end of the program: bytes that wait in a
 * buffer then would be missing among the writes on the bus. */
bool p6_dcu_store_weak(struct p6 *m, uint64_t lin, unsigned bytes);

/* Empty write-combining buffer i, one of those in use, onto the bus: one write of a line when
 * is_full, which says that all of its bytes are written, else a partial one per 8-byte piece. The
 * buffers behind it move down, so numbers that the caller kept are void. */
void p6_dcu_flush_buffer(struct p6 *m, int i, bool is_full);

/* Empty all write-combining buffers onto the bus. */
void p6_dcu_flush_weak(struct p6 *m);

/* ---- counts ---------------------------------------------------------------------------------- */

/* Add to total[WIRE_N] what the short forms and host code counted on L1D's wires as one number for
 * several: p6_l2.served, p6_l2.absent and p6_dcu.n_cast_out. The caller is p6_l2_add_served(), once
 * per total: a second call would count all of it again, because the numbers stay as they are. */
void p6_dcu_add_served(const struct p6 *m, uint64_t *total);

#endif
