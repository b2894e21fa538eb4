/* memory.h -- what lies between a reference and the bus: its page, and L1I, which must not keep
 * what data accesses change.
 *
 * COUNTING RULES   each unit's are in its file.
 */
#ifndef SOFTPMU_MODEL_P5_MEMORY_H
#define SOFTPMU_MODEL_P5_MEMORY_H

#include "model/p5/p5.h"

/* The page of `vpn`, looked up in full, its use noted; on a miss it is counted, walked for and put
 * in. *seen gets P5_SEEN_WALK and what p5_dtlb_see_walk() says; on a hit it stays. */
struct p5_frame p5_dtlb_look_up(struct p5 *m, uint64_t vpn, unsigned *seen);

/* As p5_dtlb_look_up(), quicker. Cannot fail. The caller starts with *seen 0, else an earlier walk
 * would be paid for again. */
static inline struct p5_frame p5_translate(struct p5 *m, uint64_t vpn, unsigned *seen)
{
	const uint32_t set = (uint32_t)vpn & m->dtlb.set_mask;
	const struct page *e;

	if (m->is_plain)
		return p5_dtlb_look_up(m, vpn, seen);
	if (!m->dtlb.is_full && m->dtlb.filter[set] == vpn)
		return m->dtlb.last[set];
	e = m->dtlb.is_full ? fulltlb_find_again(&m->dtlb.full, vpn) : NULL;
	return e ? (struct p5_frame){e->id, e->colour} : p5_dtlb_look_up(m, vpn, seen);
}

/* A data access at lin missed L1D, or writes through it: L1I's copy of the line goes. Without this
 * call the next fetch of the line would be a hit that the processor does not have. */
static inline void p5_icache_snoop(struct p5 *m, struct p5_frame page, uint64_t lin)
{
	if (m->icache.n_of[page.id & (P5_ICACHE_FRAMES - 1)])
		p5_icache_snoop_frame(m, page, lin);
}

#endif
