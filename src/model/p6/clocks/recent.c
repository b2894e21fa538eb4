/* recent.c -- stores and misses that are kept, all compared at once. Rules and limits are in
 * recent.h. */
#include "model/p6/clocks/recent.h"

#include <emmintrin.h>

/* Eight stores from number `i` on: all ones where one overlaps. */
static __m128i eight(const struct p6_recent *r, unsigned i, __m128i at, __m128i bytes)
{
	const __m128i store_bytes =
	    _mm_load_si128((const __m128i *)(const void *)&r->store_bytes[i]);
	const __m128i low = _mm_set1_epi16(0xfff);
	const __m128i ahead =
	    _mm_sub_epi16(at, _mm_load_si128((const __m128i *)(const void *)&r->store_at[i]));
	const __m128i behind = _mm_sub_epi16(_mm_setzero_si128(), ahead);
	const __m128i in_store = _mm_cmplt_epi16(_mm_and_si128(ahead, low), store_bytes);
	const __m128i in_load = _mm_cmplt_epi16(_mm_and_si128(behind, low), bytes);

	return _mm_or_si128(
	    in_store, _mm_and_si128(in_load, _mm_cmpgt_epi16(store_bytes, _mm_setzero_si128())));
}

__attribute__((noinline)) unsigned p6_recent_store_of_all(const struct p6_recent *r, uint64_t lin,
							  uint32_t bytes)
{
	const __m128i at = _mm_set1_epi16((short)(lin & 0xfff)), n = _mm_set1_epi16((short)bytes);
	const unsigned by_place =
	    (unsigned)_mm_movemask_epi8(_mm_packs_epi16(eight(r, 0, at, n), eight(r, 8, at, n)));
	/* the last one is bit 31, the one before it bit 30 */
	const uint32_t by_age = (by_place << 16 | by_place)
				    << (-(unsigned)r->n_store & (P6_RECENT_STORES - 1)) &
				0xffff0000u & ~(UINT32_MAX >> r->stores);

	return by_age ? (unsigned)__builtin_clz(by_age) + 1 : 0;
}

__attribute__((noinline)) uint64_t p6_recent_miss_of_all(const struct p6_recent *r, uint64_t line)
{
	const __m128i want = _mm_set1_epi8((char)p6_recent_hash(line)),
		      *hash = (const __m128i *)(const void *)r->miss_hash;
	const uint32_t by_place =
	    (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(hash), want)) |
	    (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(hash + 1), want)) << 16;
	const unsigned turn = (unsigned)(r->n_miss + 1) & (P6_RECENT_MISSES - 1);
	/* the last one is bit 31 */
	uint32_t by_age = (by_place >> turn | by_place << (-turn & (P6_RECENT_MISSES - 1))) &
			  ~(UINT32_MAX >> r->misses);

	while (by_age) {
		const unsigned back = (unsigned)__builtin_clz(by_age);

		if (r->line[(r->n_miss - back) & (P6_RECENT_MISSES - 1)] == line)
			return r->n_miss - back;
		by_age &= ~(0x80000000u >> back);
	}
	return 0;
}
