/* time_near.h -- what an access has to do with older ones: the last stores it may overlap, the last misses of its line.
 *
 * Asked for most loads. A table by 8 bytes of a page, and one by bits of the line, name the youngest store or miss there, which
 * mostly is too old to matter; else all entries of a ring are compared at once, by what 8 or 16 bits tell. The answer is a number
 * back in program order, however the ring lies.
 *
 * COUNTING RULES   accesses overlap as the low 12 bits of their addresses tell. The youngest one counts.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_NEAR_H
#define SOFTPMU_MODEL_P6_TIME_NEAR_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define P6_RECENT_STORES 16u /* addresses of stores that are kept, a power of two: as many as two vectors hold */
#define P6_RECENT_MISSES 32u /* lines that were missing, the same */
#define P6_NEAR_EIGHTS	 512u /* in the 4096 bytes that count */
#define P6_NEAR_LINES	 256u

/* Addresses of recent stores, and recent misses, in program order. */
struct p6_near {
	uint64_t n_store, n_miss; /* so far; the last miss has this number */
	unsigned stores, misses;  /* so many of the last can be in anybody's way: fewer than are kept */
	_Alignas(16) uint16_t store_at[P6_RECENT_STORES]; /* low 12 bits */
	_Alignas(16) uint16_t store_bytes[P6_RECENT_STORES]; /* 0: it overlaps nothing */
	_Alignas(16) uint8_t miss_hash[P6_RECENT_MISSES];
	uint64_t lin[P6_RECENT_STORES];
	uint64_t line[P6_RECENT_MISSES];
	uint32_t store_of[P6_NEAR_EIGHTS]; /* low half of n_store before the youngest store to these 8 bytes of any page */
	uint32_t miss_of[P6_NEAR_LINES];   /* of the number of the youngest miss of such a line */
};

/* No line was missed. Lines are compared with `none`. */
static inline void p6_near_forget_lines(struct p6_near *r, uint64_t none)
{
	const uint8_t hash = (uint8_t)(none ^ none >> 7);

	for (unsigned i = 0; i < P6_RECENT_MISSES; i++) {
		r->line[i] = none;
		r->miss_hash[i] = hash;
	}
}

/* Nothing happened yet. */
static inline void p6_near_open(struct p6_near *r, uint64_t none)
{
	*r = (struct p6_near){.n_store = 0};
	p6_near_forget_lines(r, none);
	for (unsigned i = 0; i < P6_NEAR_EIGHTS; i++)
		r->store_of[i] = UINT32_MAX / 2;
	for (unsigned i = 0; i < P6_NEAR_LINES; i++)
		r->miss_of[i] = UINT32_MAX / 2;
}

static inline unsigned p6_near_eighth(uint64_t lin)
{
	return lin >> 3 & (P6_NEAR_EIGHTS - 1);
}

/* Can one of the last r->stores stores overlap an access that begins in the 8 bytes of `first` and ends in the same or the next 8,
 * those of `last`? */
static inline bool p6_near_may_store(const struct p6_near *r, uint64_t first, uint64_t last)
{
	const uint32_t now = (uint32_t)r->n_store - 1;

	return now - r->store_of[p6_near_eighth(first)] < r->stores || now - r->store_of[p6_near_eighth(last)] < r->stores;
}

/* Can one of the last r->misses misses be that of `line`? */
static inline bool p6_near_may_miss(const struct p6_near *r, uint64_t line)
{
	return (uint32_t)r->n_miss - r->miss_of[line & (P6_NEAR_LINES - 1)] < r->misses;
}

/* Eight stores from number `i` on: all ones where one overlaps. */
static inline __m128i p6_near_eight(const struct p6_near *r, unsigned i, __m128i at, __m128i bytes)
{
	const __m128i store_bytes = _mm_load_si128((const __m128i *)(const void *)&r->store_bytes[i]);
	const __m128i low = _mm_set1_epi16(0xfff);
	const __m128i ahead = _mm_sub_epi16(at, _mm_load_si128((const __m128i *)(const void *)&r->store_at[i]));
	const __m128i behind = _mm_sub_epi16(_mm_setzero_si128(), ahead);
	const __m128i in_store = _mm_cmplt_epi16(_mm_and_si128(ahead, low), store_bytes);
	const __m128i in_load = _mm_cmplt_epi16(_mm_and_si128(behind, low), bytes);

	return _mm_or_si128(in_store, _mm_and_si128(in_load, _mm_cmpgt_epi16(store_bytes, _mm_setzero_si128())));
}

/* The youngest of the last r->stores stores (one or more) that an access of `bytes` (below 32768) overlaps, as stores back; 0:
 * none. */
static inline unsigned p6_near_store(const struct p6_near *r, uint64_t lin, uint32_t bytes)
{
	const __m128i at = _mm_set1_epi16((short)(lin & 0xfff)), n = _mm_set1_epi16((short)bytes);
	const unsigned by_place =
	    (unsigned)_mm_movemask_epi8(_mm_packs_epi16(p6_near_eight(r, 0, at, n), p6_near_eight(r, 8, at, n)));
	/* the last one is bit 31, the one before it bit 30 */
	const uint32_t by_age = (by_place << 16 | by_place) << (-(unsigned)r->n_store & (P6_RECENT_STORES - 1)) & 0xffff0000u &
				~(UINT32_MAX >> r->stores);

	return by_age ? (unsigned)__builtin_clz(by_age) + 1 : 0;
}

/* Is that store, `back` back, at the same address, and does it hold all bytes? */
static inline bool p6_near_forwards(const struct p6_near *r, unsigned back, uint64_t lin, uint32_t bytes)
{
	const unsigned at = (unsigned)(r->n_store - back) & (P6_RECENT_STORES - 1);

	return r->lin[at] == lin && bytes <= r->store_bytes[at];
}

/* bytes: below 32768. */
static inline void p6_near_add_store(struct p6_near *r, uint64_t lin, uint32_t bytes)
{
	const unsigned at = (unsigned)r->n_store & (P6_RECENT_STORES - 1);

	for (uint64_t eight = lin >> 3; bytes && eight <= (lin + bytes - 1) >> 3; eight++)
		r->store_of[eight & (P6_NEAR_EIGHTS - 1)] = (uint32_t)r->n_store;
	r->n_store++;
	r->lin[at] = lin;
	r->store_at[at] = (uint16_t)(lin & 0xfff);
	r->store_bytes[at] = (uint16_t)bytes;
}

static inline uint8_t p6_near_hash(uint64_t line)
{
	return (uint8_t)(line ^ line >> 7);
}

/* Number of the last miss of `line` among the last r->misses; 0: none. */
static inline uint64_t p6_near_miss(const struct p6_near *r, uint64_t line)
{
	const __m128i want = _mm_set1_epi8((char)p6_near_hash(line)), *hash = (const __m128i *)(const void *)r->miss_hash;
	const uint32_t by_place = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(hash), want)) |
				  (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128(hash + 1), want)) << 16;
	const unsigned turn = (unsigned)(r->n_miss + 1) & (P6_RECENT_MISSES - 1);
	/* the last one is bit 31 */
	uint32_t by_age = (by_place >> turn | by_place << (-turn & (P6_RECENT_MISSES - 1))) & ~(UINT32_MAX >> r->misses);

	while (by_age) {
		const unsigned back = (unsigned)__builtin_clz(by_age);

		if (r->line[(r->n_miss - back) & (P6_RECENT_MISSES - 1)] == line)
			return r->n_miss - back;
		by_age &= ~(0x80000000u >> back);
	}
	return 0;
}

static inline void p6_near_add_miss(struct p6_near *r, uint64_t line)
{
	const unsigned at = (unsigned)++r->n_miss & (P6_RECENT_MISSES - 1);

	r->line[at] = line;
	r->miss_hash[at] = p6_near_hash(line);
	r->miss_of[line & (P6_NEAR_LINES - 1)] = (uint32_t)r->n_miss;
}

#endif
