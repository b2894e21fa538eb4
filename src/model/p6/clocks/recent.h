/* recent.h -- what an access has to do with older ones: the last stores it may overlap, the last
 * misses of its line.
 *
 * Asked for most loads. A table by 8 bytes of a page, and one by bits of the line, name the
 * youngest store or miss there, which mostly is too old to matter; else all entries of a ring are
 * compared at once, by what 8 or 16 bits tell. The answer is a number back in program order,
 * however the ring lies.
 *
 * What is added is kept, but only the last `stores` and `misses` are in anybody's way. Who adds
 * raises these two (time_relate.h), to one less than are kept at most: with more, places that are
 * written anew would be asked for. Who forgets lowers them. Numbers are compared by their low 32
 * bits; an entry that is 2^32 older at most costs a look at the ring, which compares in full.
 *
 * COUNTING RULES   accesses overlap as the low 12 bits of their addresses tell. The youngest one
 *                  counts.
 * SOURCES          as in mob.c (Agner Fog 2000 19.4) and fill.c; docs/MODELS.md "mob".
 */
#ifndef SOFTPMU_MODEL_P6_RECENT_H
#define SOFTPMU_MODEL_P6_RECENT_H

#include <stdbool.h>
#include <stdint.h>

/* addresses of stores that are kept, a power of two: as many as two vectors hold */
#define P6_RECENT_STORES 16u
#define P6_RECENT_MISSES 32u  /* lines that were missing, the same */
#define P6_RECENT_EIGHTS 512u /* in the 4096 bytes that count */
#define P6_RECENT_LINES	 256u

/* Addresses of recent stores, and recent misses, in program order. */
struct p6_recent {
	uint64_t n_store, n_miss; /* so far; the last miss has this number */
	unsigned stores,
	    misses; /* so many of the last can be in anybody's way: fewer than are kept */
	_Alignas(16) uint16_t store_at[P6_RECENT_STORES];    /* low 12 bits */
	_Alignas(16) uint16_t store_bytes[P6_RECENT_STORES]; /* 0: it overlaps nothing */
	_Alignas(16) uint8_t miss_hash[P6_RECENT_MISSES];
	uint64_t lin[P6_RECENT_STORES];
	uint64_t line[P6_RECENT_MISSES];
	/* low half of n_store before the youngest store to these 8 bytes of any page */
	uint32_t store_of[P6_RECENT_EIGHTS];
	uint32_t miss_of[P6_RECENT_LINES]; /* of the number of the youngest miss of such a line */
};

/* No line was missed: all are `none`, a number that no line has. */
static inline void p6_recent_forget_lines(struct p6_recent *r, uint64_t none)
{
	const uint8_t hash = (uint8_t)(none ^ none >> 7);

	for (unsigned i = 0; i < P6_RECENT_MISSES; i++) {
		r->line[i] = none;
		r->miss_hash[i] = hash;
	}
}

/* Nothing happened yet. */
static inline void p6_recent_open(struct p6_recent *r, uint64_t none)
{
	*r = (struct p6_recent){.n_store = 0};
	p6_recent_forget_lines(r, none);
	for (unsigned i = 0; i < P6_RECENT_EIGHTS; i++)
		r->store_of[i] = UINT32_MAX / 2;
	for (unsigned i = 0; i < P6_RECENT_LINES; i++)
		r->miss_of[i] = UINT32_MAX / 2;
}

static inline unsigned p6_recent_eighth(uint64_t lin)
{
	return lin >> 3 & (P6_RECENT_EIGHTS - 1);
}

/* Can one of the last r->stores stores overlap an access that begins in the 8 bytes of `first` and
 * ends in the same or the next 8, those of `last`? */
static inline bool p6_recent_may_store(const struct p6_recent *r, uint64_t first, uint64_t last)
{
	const uint32_t now = (uint32_t)r->n_store - 1;

	return now - r->store_of[p6_recent_eighth(first)] < r->stores ||
	       now - r->store_of[p6_recent_eighth(last)] < r->stores;
}

/* Can one of the last r->misses misses be that of `line`? */
static inline bool p6_recent_may_miss(const struct p6_recent *r, uint64_t line)
{
	return (uint32_t)r->n_miss - r->miss_of[line & (P6_RECENT_LINES - 1)] < r->misses;
}

/* As p6_recent_store() and p6_recent_miss(), by a look at all that are kept (recent.c). */
unsigned p6_recent_store_of_all(const struct p6_recent *r, uint64_t lin, uint32_t bytes);
uint64_t p6_recent_miss_of_all(const struct p6_recent *r, uint64_t line);

/* Does the store at place `at` overlap an access? */
static inline bool p6_recent_overlaps(const struct p6_recent *r, unsigned at, uint64_t lin,
				      uint32_t bytes)
{
	const uint16_t ahead = (uint16_t)lin - r->store_at[at];

	return (ahead & 0xfff) < r->store_bytes[at] ||
	       ((-ahead & 0xfff) < bytes && r->store_bytes[at]);
}

/* The youngest of the last r->stores stores (one or more) that an access of `bytes` (below 32768)
 * overlaps, as stores back; 0: none. Cost: mostly a look at the youngest one to these 8 bytes. */
static inline unsigned p6_recent_store(const struct p6_recent *r, uint64_t lin, uint32_t bytes)
{
	const uint32_t back = (uint32_t)r->n_store - r->store_of[p6_recent_eighth(lin)];

	if ((lin & 7) + bytes <= 8 && back - 1 < r->stores &&
	    p6_recent_overlaps(r, (unsigned)(r->n_store - back) & (P6_RECENT_STORES - 1), lin,
			       bytes))
		return back;
	return p6_recent_store_of_all(r, lin, bytes);
}

/* Is that store, `back` (1 to r->stores) back, at the same address, and does it hold all bytes? */
static inline bool p6_recent_forwards(const struct p6_recent *r, unsigned back, uint64_t lin,
				      uint32_t bytes)
{
	const unsigned at = (unsigned)(r->n_store - back) & (P6_RECENT_STORES - 1);

	return r->lin[at] == lin && bytes <= r->store_bytes[at];
}

/* bytes: below 32768. */
static inline void p6_recent_add_store(struct p6_recent *r, uint64_t lin, uint32_t bytes)
{
	const unsigned at = (unsigned)r->n_store & (P6_RECENT_STORES - 1);

	for (uint64_t eight = lin >> 3; bytes && eight <= (lin + bytes - 1) >> 3; eight++)
		r->store_of[eight & (P6_RECENT_EIGHTS - 1)] = (uint32_t)r->n_store;
	r->n_store++;
	r->lin[at] = lin;
	r->store_at[at] = (uint16_t)(lin & 0xfff);
	r->store_bytes[at] = (uint16_t)bytes;
}

static inline uint8_t p6_recent_hash(uint64_t line)
{
	return (uint8_t)(line ^ line >> 7);
}

/* Number of the last miss of `line` among the last r->misses; 0: none. Cost: mostly a look at the
 * youngest one of such a line. */
static inline uint64_t p6_recent_miss(const struct p6_recent *r, uint64_t line)
{
	const uint32_t back = (uint32_t)r->n_miss - r->miss_of[line & (P6_RECENT_LINES - 1)];

	if (back < r->misses && r->line[(r->n_miss - back) & (P6_RECENT_MISSES - 1)] == line)
		return r->n_miss - back;
	return p6_recent_miss_of_all(r, line);
}

static inline void p6_recent_add_miss(struct p6_recent *r, uint64_t line)
{
	const unsigned at = (unsigned)++r->n_miss & (P6_RECENT_MISSES - 1);

	r->line[at] = line;
	r->miss_hash[at] = p6_recent_hash(line);
	r->miss_of[line & (P6_RECENT_LINES - 1)] = (uint32_t)r->n_miss;
}

#endif
