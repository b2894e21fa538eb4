/* dcu_cut.c -- unit dcu: references that are not aligned, in the fast shape.
 *
 * COUNTING RULES   as in dcu.c: a piece of 8 bytes over an 8-byte boundary is misaligned, over a line end twice, and is one reference
 *                  more; an operand of which both lines are missing counts one miss.
 */
#include "model/p6/units/fast.h"

#define LINE_BYTES (1u << P6_FAST_LINE_LOG2)

/* What p6_dcu_count_pieces() counts, for 1, 2, 4, 8, 16 or 32 bytes. */
static void count_pieces(struct p6 *m, uint64_t lin, unsigned bytes, bool is_cut, unsigned times)
{
	const unsigned n = bytes < 8 ? 1 : bytes / 8, piece = bytes < 8 ? bytes : 8;

	if ((lin & 7) + piece <= 8)
		return;
	P6_RAISE(m, DCU_MISALIGN, times * (n + is_cut));
	P6_RAISE(m, DCU_REF, times * is_cut);
}

enum has { HAS_NOT, HAS_IT, HAS_SHARED };

/* Does L1D have line `lin` of page `page`, and in state S? */
static enum has l1d_has(const struct p6 *m, uint64_t lin, uint32_t page)
{
	const struct cache c =
	    cache_of_shape(&m->dcu.cache, P6_FAST_WAYS, P6_FAST_SET_LOG2, P6_FAST_LINE_LOG2);
	const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (c.n_sets - 1);
	const unsigned hit = cache_hit_of_four((const uint8_t *)cache_tags(&c, set), page);

	return !hit ? HAS_NOT : cache_meta(&c, set)->s & hit ? HAS_SHARED : HAS_IT;
}

/* References that found their line neither in L1D nor in L2. */
static uint64_t absent(const struct p6 *m)
{
	return m->dyn[WIRE_P6_L2_MISS_REF] + m->absent[P6_ABSENT_READ][0] + m->absent[P6_ABSENT_READ][1] +
	       m->absent[P6_ABSENT_STORE][0] + m->absent[P6_ABSENT_STORE][1];
}

/* Both lines are missing: each counts an operand that missed, of which there is one. Only with p6.is_fast_miss. */
static bool ref_two_missing(struct p6 *m, uint64_t lin, uint64_t end, enum p6_access access)
{
	const uint64_t before = absent(m);
	const bool smc = p6_dcu_ref_fast(m, lin, access);
	const uint64_t between = absent(m);
	const bool end_smc = p6_dcu_ref_fast(m, end, access);

	m->dyn[access == P6_WRITE ? WIRE_P6_DCU_MISS_REF_ST : WIRE_P6_DCU_MISS_REF_LD]--;
	m->dyn[WIRE_P6_L2_MISS_REF] -= between != before && absent(m) != between;
	return smc || end_smc;
}

/* A read or a store over a line end, one line after the other when what is counted for a line is what is counted for the operand: at
 * most one of them is missing, and none is asked for that L1D has, as a store to S does. The lines lie in different sets, so neither access
 * changes what the other finds. */
static bool ref_cut(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access)
{
	const uint64_t end = (lin | (LINE_BYTES - 1)) + 1;
	const bool is_write = access == P6_WRITE;
	enum has first, second;
	uint32_t page;
	bool smc;

	if (!(end & ((1u << PAGE_LOG2) - 1)))
		return p6_dcu_ref_lines(m, lin, bytes, is_write ? X86_REF_WRITE : X86_REF_READ, false);
	if (p6_dcu_hit_fast(m, lin, is_write))
		return p6_dcu_hit_fast(m, end, is_write) ? false : p6_dcu_ref_fast(m, end, access);
	page = p6_dcu_page_fast(m, lin >> PAGE_LOG2).id;
	first = l1d_has(m, lin, page);
	second = l1d_has(m, end, page);
	if (first == HAS_NOT && second == HAS_NOT && m->is_fast_miss)
		return ref_two_missing(m, lin, end, access);
	if ((first == HAS_NOT && second == HAS_NOT) || (is_write && (first == HAS_SHARED || second == HAS_SHARED)))
		return p6_dcu_ref_lines(m, lin, bytes, is_write ? X86_REF_WRITE : X86_REF_READ, false);
	smc = p6_dcu_ref_fast(m, lin, access);
	return p6_dcu_ref_fast(m, end, access) || smc;
}

bool p6_dcu_ref_unaligned(struct p6 *m, uint64_t lin, unsigned bytes, enum p6_access access)
{
	const bool is_cut = (lin & (LINE_BYTES - 1)) + bytes > LINE_BYTES, is_both = access == P6_READ_WRITE;

	m->path.cut++;
	count_pieces(m, lin, bytes, is_cut, 1u + is_both);
	if (!is_cut)
		return p6_dcu_ref_fast(m, lin, access);
	return is_both ? p6_dcu_ref_lines(m, lin, bytes, X86_REF_READ | X86_REF_WRITE, false) : ref_cut(m, lin, bytes, access);
}
