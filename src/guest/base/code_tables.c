/* code_tables.c -- the tables by which translated code is found: the code map and the two tables
 * of indirect branches.
 *
 * gst_map_find() looks in the code map, which softpmu writes. Translated code itself looks in the
 * tables of indirect branches (shr_gs.ib, struct shr_ib2); the runtime fills and empties them.
 *
 * INVARIANT   the two tables never hold code of a block that was forgotten. Every path that drops
 *             translations empties them or the range in question; else the program would go on in
 *             the old code.
 */
#include "guest/gst.h"

#define LONGEST_BLOCK 1024u /* bytes of guest code, and some */
#define IB2_STRETCH   (SHR_IB2_ENTRIES / GST_IB2_STRETCHES)
/* from so many bytes of code on, emptying the second table costs less than a look-up for each */
#define MANY_BYTES 16384u

int gst_map_find(const struct gst *g, uint64_t pc, uint64_t *main, uint64_t *indirect)
{
	const struct shr_tables *t = g->tab;
	const uint64_t wanted = shr_map_key(pc);
	uint32_t i = shr_map_hash(pc);

	for (uint32_t n = 0; n < SHR_MAP_ENTRIES; n++) {
		uint64_t key = __atomic_load_n(&t->map[i].key, __ATOMIC_ACQUIRE);

		if (key == wanted) {
			*main = g->code + t->map[i].main_off;
			*indirect = g->code + t->map[i].indirect_off;
			return wanted > 1;
		}
		if (key == 0)
			return 0;
		i = (i + 1) & (SHR_MAP_ENTRIES - 1);
	}
	return 0;
}

static struct shr_ib2 *second_table(void)
{
	return (struct shr_ib2 *)GST_IB2;
}

void gst_ib_add(struct gst *g, uint64_t pc, uint64_t main, uint64_t indirect)
{
	const uint32_t i = shr_ib2_index(pc);

	g->gs->ib[pc & (SHR_IB_ENTRIES - 1)] = indirect;
	if (g->code != SHR_CODE_BASE) /* its addresses have 32 bits */
		return;
	second_table()[i] = (struct shr_ib2){
	    .minus_pc = 0 - pc, .code = (uint32_t)main, .indirect = (uint32_t)indirect};
	g->ib2_used[i / IB2_STRETCH] = 1;
}

static void clear_second(struct gst *g)
{
	for (uint32_t k = 0; k < GST_IB2_STRETCHES; k++)
		if (g->ib2_used[k])
			memset(second_table() + k * IB2_STRETCH, 0,
			       IB2_STRETCH * sizeof(struct shr_ib2));
	memset(g->ib2_used, 0, sizeof(g->ib2_used));
	second_table()[0].minus_pc = 1; /* not the entry for target 0 */
}

void gst_ib_clear(struct gst *g)
{
	for (uint32_t i = 0; i < SHR_IB_ENTRIES; i++)
		g->gs->ib[i] = g->code;
	clear_second(g);
}

static void forget_second(uint64_t lo, uint64_t hi)
{
	for (uint64_t pc = lo; pc != hi; pc++) {
		const uint32_t i = shr_ib2_index(pc);

		if (second_table()[i].minus_pc + pc == 0)
			second_table()[i].minus_pc = i == 0;
	}
}

void gst_ib_forget(struct gst *g, uint64_t lo, uint64_t hi)
{
	if (hi - lo >= SHR_IB_ENTRIES - LONGEST_BLOCK) {
		gst_ib_clear(g);
		return;
	}
	lo -= LONGEST_BLOCK;
	for (uint64_t pc = lo; pc != hi; pc++)
		g->gs->ib[pc & (SHR_IB_ENTRIES - 1)] = g->code;
	if (hi - lo > MANY_BYTES)
		clear_second(g);
	else
		forget_second(lo, hi);
}
