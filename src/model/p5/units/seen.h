/* seen.h -- what an access saw in caches, TLBs and on the bus: all that its clocks depend on.
 *
 * The functions with `see` in their names change the structures and return this word; clocks are
 * worked out from it and from nothing else (clocks/look.h). So a block's clocks can be kept and
 * used again where every access sees the same word again. An access that depended on something that
 * the word does not say would get the clocks of another one then.
 */
#ifndef SOFTPMU_MODEL_P5_SEEN_H
#define SOFTPMU_MODEL_P5_SEEN_H

/* What an access of data or code saw: one of the kinds, in the three lowest bits, and any of the
 * bits above. 0: it hit, and its page was in the TLB. */
enum p5_seen {
	P5_SEEN_HIT = 0,
	P5_SEEN_FILLING,  /* the line is that which came in last; it may still be coming */
	P5_SEEN_MISS,	  /* a fill; a write goes to the bus */
	P5_SEEN_SHARED,	  /* a write to a line in S */
	P5_SEEN_LOCKED,	  /* a locked read: the bus serves it */
	P5_SEEN_UNCACHED, /* not cacheable */
	P5_SEEN_KIND = 7,
	P5_SEEN_CHUNK_SHIFT = 3, /* 2 bits, P5_SEEN_FILLING: which transfer of the line it wants */
	P5_SEEN_BY_SHIFT = 5,	 /* 2 bits: enum p5_bus_by of its bus cycle */
	P5_SEEN_BACK = 1 << 7,	 /* a modified line leaves */
	P5_SEEN_WALK = 1 << 8,	 /* its page had to be looked up in the tables */
	P5_SEEN_WALK_SHIFT = 9,	 /* 2 times 2 bits: enum p5_bus_by of the reads of levels 1 and 2 */
	P5_SEEN_CUT = 1 << 13,	 /* data: it is the first half of an access */
	P5_SEEN_GRANTED = 1 << 14, /* as P5_BUS_GRANTED, of its first bus cycle */
	P5_SEEN_WAITS_FOR_BACK = 1 << 15,
};

/* What a look at the bus saw (enum p5_bus_seen), as part of what an access saw; and back.
 * P5_BUS_IS_SHARED does not come along, because no clock depends on it: read it before. */
static inline unsigned p5_seen_of_bus(unsigned bus)
{
	return (bus & 3) << P5_SEEN_BY_SHIFT | (bus & 12) * (P5_SEEN_GRANTED / 4);
}

static inline unsigned p5_bus_of_seen(unsigned seen)
{
	return (seen >> P5_SEEN_BY_SHIFT & 3) | (seen / (P5_SEEN_GRANTED / 4) & 12);
}

#endif
