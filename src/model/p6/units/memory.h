/* memory.h -- what lies between a reference or a code line and the bus: L1D and L1I, TLBs and walks, L2, memory that is not
 * cacheable, and what the units ask of each other.
 *
 * COUNTING RULES   each unit's are in its file.
 */
#ifndef SOFTPMU_MODEL_P6_MEMORY_H
#define SOFTPMU_MODEL_P6_MEMORY_H

#include "model/p6/p6.h"

/* ---- dcu.c ------------------------------------------------------------------------------------
 */

/* One data reference of `bytes` at linear address `lin`. flags: enum x86_ref_flag. A locked read
 * asks for ownership. Returns true when it stored into a line that L1I held. */
bool p6_dcu_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked);

/* Its lines alone: its pieces are counted, and the memory is cacheable. */
bool p6_dcu_ref_lines(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags, bool is_locked);

/* The same as p6_dcu_ref() in the fast shape; bytes: 1, 2, 4, 8, 16 or 32; access: not P6_LOCKED (dcu_cut.c). */
bool p6_dcu_ref_unaligned(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access);

/* A locked read and write over a line end, of cacheable memory, whose pieces are counted: by the bus. Returns as p6_dcu_ref(). */
bool p6_bus_locked_ref(struct p6 *m, uint64_t lin, unsigned bytes);

/* The same for an access that lies in one line and has no misaligned piece. */
bool p6_dcu_ref_in_line(struct p6 *m, uint64_t lin, enum p6_access access);

/* The same when the caches have the fast shape (p6.is_fast_shape). */
bool p6_dcu_ref_fast(struct p6 *m, uint64_t lin, enum p6_access access);

/* The same as far as it counts nothing: the DTLB has the page and L1D the line, for a store in state M. Returns true then; else false, and
 * nothing is done but that the use of the page is noted, when the DTLB has it. */
bool p6_dcu_hits(struct p6 *m, uint64_t lin, enum p6_access access);

/* The page of data `vpn` in the fast shape, its use noted; walks on a miss. */
struct p6_frame p6_dcu_page_fast(struct p6 *m, uint64_t vpn);

/* An aligned access of the fast shape, whose page is known and was used last: done when it hits and is no first store, or reads a
 * line that L2 serves into a way that holds a clean one. */
enum p6_dcu_try { P6_DCU_NOT_DONE, P6_DCU_HIT, P6_DCU_SERVED };
enum p6_dcu_try p6_dcu_try_fast(struct p6 *m, uint64_t lin, struct p6_frame page, bool is_read);
/* A read of a line that L1D does not have; page: where it lies, translated before. any_lin may have more than
 * 48 bits. */
void p6_dcu_read_miss_fast(struct p6 *m, uint64_t any_lin, struct p6_frame page);

/* Access the one line of `lin`. Returns true when L1D did not have it; *smc is set when L1I had it
 * and this was the store that made it M. */
bool p6_dcu_line(struct p6 *m, uint64_t lin, bool is_write, bool *smc);

/* Count the pieces of a reference that lie over an 8-byte boundary or a line end. */
void p6_dcu_count_pieces(struct p6 *m, uint64_t lin, unsigned bytes);

/* Empty write-combining buffer i onto the bus. is_full: all of its bytes are written. */
void p6_dcu_flush_buffer(struct p6 *m, int i, bool is_full);

/* Another processor asks for line l on the bus: for itself alone (takes), or to share it. The copy of L1D goes, or
 * becomes S. Returns the state it had. */
enum cache_state p6_dcu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* PREFETCHNTA of a line that L1D does not have: L1D receives it, L2 does not. */
void p6_dcu_fill_only(struct p6 *m, uint64_t lin);

/* A prefetch of the line of `lin`. hint: as in struct x86_ref. */
void p6_dcu_prefetch(struct p6 *m, uint64_t lin, unsigned hint);

/* A weakly ordered store. */
bool p6_dcu_store_weak(struct p6 *m, uint64_t lin, unsigned bytes);

/* Empty all write-combining buffers onto the bus. */
void p6_dcu_flush_weak(struct p6 *m);

/* L2 replaces line l: an M copy in L1D goes too. Returns true when there was one. */
bool p6_dcu_back_invalidate(struct p6 *m, struct cache_line l);

/* Code is fetched from line l: an M copy in L1D is written to L2 first. */
void p6_dcu_code_snoop(struct p6 *m, struct cache_line l);

/* ---- bus_uncached.c -------------------------------------------------------------------------------
 */

/* Take the ranges of --uncached and --defer. */
void p6_ranges_open(struct p6 *m, const struct mdl_config *cfg);
bool p6_ranges_have(const struct p6 *m, const struct p6_ranges *r, uint64_t lin);

/* As p6_dcu_ref(), for an access that begins in memory that is not cacheable. */
void p6_uncached_ref(struct p6 *m, uint64_t lin, unsigned bytes, unsigned flags);

/* The code of an instruction that begins there. */
void p6_uncached_fetch(struct p6 *m, uint64_t pc, unsigned bytes);

/* ---- ifu.c ------------------------------------------------------------------------------------
 */

/* Fetch code line number `line` (linear address >> line_log2). Returns true when L1I did not have
 * it. */
bool p6_ifu_line(struct p6 *m, uint64_t line);

/* The page of code `vpn` in the fast shape, its use noted; walks on a miss. */
struct p6_frame p6_ifu_page_fast(struct p6 *m, uint64_t vpn);
/* Is it in the ITLB? Then its use is noted. */
bool p6_ifu_page_is_in(struct p6 *m, uint64_t vpn);
/* As p6_ifu_line() in the fast shape. */
bool p6_ifu_line_fast(struct p6 *m, uint64_t line);
/* Fetch a line that L1I does not have, in the fast shape. */
void p6_ifu_miss_fast(struct p6 *m, struct cache_line l);

/* Are the page and line of code at lin in ITLB and L1I? Changes nothing. */
bool p6_ifu_has(const struct p6 *m, uint64_t lin);

/* Another processor asks for line l; takes: L1I drops its copy. Returns true when it had one. */
bool p6_ifu_snoop(struct p6 *m, struct cache_line l, bool takes);

/* A store makes line l modified: L1I drops its copy. Returns true when it had one. */
bool p6_ifu_store_snoop(struct p6 *m, struct cache_line l);

/* ---- walk.c: itlb, dtlb, walk
 * --------------------------------------------------------------------- */

/* Set up; freed by p6_close. Returns 0 or -SPMU_ENOMEM. */
int p6_walk_open(struct p6 *m);

/* A new address space: no page is known. */
void p6_walk_forget(struct p6 *m);
/* What `way` of a set of L2 of the fast shape holds goes; the set's cache_meta.noted is not 0. */
void p6_walk_lost(struct p6 *m, struct cache_set_of_four *set, unsigned way);

/* The page of `vpn`, which t does not have: walk, and put it in. */
struct p6_frame p6_walk(struct p6 *m, struct p6_tlb *t, uint64_t vpn);
/* The same for data in the fast shape; the page is the one of its set that was used last. */
struct p6_frame p6_walk_data_fast(struct p6 *m, uint64_t vpn);
/* The same for code. */
struct p6_frame p6_walk_code_fast(struct p6 *m, uint64_t vpn);
struct p6_frame p6_translate_in_full(struct p6 *m, struct p6_tlb *t, uint64_t vpn);

/* Translate: look the page of `vpn` up in t, walking on a miss. */
static inline struct p6_frame p6_translate(struct p6 *m, struct p6_tlb *t, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(&t->tlb, vpn);

	if (t->filter[set] == vpn)
		return t->last[set];
	return p6_translate_in_full(m, t, vpn);
}

/* Number of the last code line of instruction i of b, from that of the block's first byte on. */
static inline unsigned p6_line_in_block(const struct p6 *m, const struct x86_block *b, unsigned i)
{
	const struct x86_insn *in = &b->insn[i];
	const uint64_t last = b->pc + in->pc_off + in->bytes - 1;

	return (unsigned)((last >> m->line_log2) - (b->pc >> m->line_log2)) & 0xff;
}

/* ---- l2.c ---------------------------------------------------------------------------------------
 */

/* From ST on: requests for ownership. UPGRADE: of a line that L1D has in state S. */
enum p6_request {
	P6_REQ_IFETCH,
	P6_REQ_LD,
	P6_REQ_WALK,
	P6_REQ_LD_NO_FILL,
	P6_REQ_ST,
	P6_REQ_UPGRADE,
};

/* One request of L1 or the walker. Returns the state in which L1D receives the line. */
enum cache_state p6_l2_request(struct p6 *m, struct cache_line l, enum p6_request req);

/* Add what the requests that were served in place count on the wires of L1, walks and L2 to total[WIRE_N]. */
void p6_l2_add_served(const struct p6 *m, uint64_t *total);

/* A modified line that leaves L1D. */
void p6_l2_cast_out(struct p6 *m, struct cache_line l);

/* State of l in L2; CACHE_I when absent or without L2. Changes nothing. */
enum cache_state p6_l2_state(const struct p6 *m, struct cache_line l);

/* As p6_dcu_snoop(), for L2. is_m: the copy of L1D was modified. */
enum cache_state p6_l2_snoop(struct p6 *m, struct cache_line l, bool takes, bool is_m);

/* ---- bus.c --------------------------------------------------------------------------------------
 */

/* Line l is read; wire: WIRE_P6_BUS_BRD, _RFO or _IFETCH. Returns true when another processor keeps a
 * copy. */
bool p6_bus_read_line(struct p6 *m, unsigned wire, struct cache_line l);
/* Bus clocks of one line. */
static inline unsigned p6_bus_line_clocks(const struct p6 *m)
{
	return 1u << m->line_log2 >> 3;
}
/* Bus clocks to core clocks. Ratios have halves. */
uint64_t p6_bus_to_core_clocks(const struct p6 *m, uint64_t clocks);
/* Ownership of line l, of which this processor has a copy. */
void p6_bus_invalidate(struct p6 *m, struct cache_line l);
/* A line that was modified here is written back: nobody else can have it. */
void p6_bus_write_back(struct p6 *m);
/* A write-combining buffer of line l leaves: as a full line, or in pieces of 8 bytes. */
void p6_bus_write_line(struct p6 *m, struct cache_line l);
void p6_bus_write_partial(struct p6 *m, struct cache_line l, unsigned pieces);
/* 8 bytes at most are read from memory that is not cacheable. */
void p6_bus_read_partial(struct p6 *m);

#endif
