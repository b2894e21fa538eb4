/* miss.c -- from a guest address to translated code.
 *
 * Translated code looks in the runtime's two tables of indirect branches first (shr_gs.ib, struct
 * shr_ib2); only when both miss does it come here. gst_map_find() looks in the code map, which
 * softpmu writes, and gst_translate() asks softpmu when the map has nothing.
 *
 * A question carries the page of the address and its neighbours. softpmu may answer that a block
 * needs another page too, so the question is asked again with that page, until it has all.
 *
 * INVARIANT   the two tables never hold code of a block that was forgotten. Every path that drops
 *             translations empties them or the range in question; else the program would go on in
 *             the old code.
 */
#include "guest/gst.h"
#include "guest/cpu/segments.h"
#include "guest/stream/ring.h"

#define LONGEST_BLOCK 1024u /* bytes of guest code, and some */
#define IB2_STRETCH (SHR_IB2_ENTRIES / GST_IB2_STRETCHES)
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

static struct shr_ib2 *second(void)
{
	return (struct shr_ib2 *)GST_IB2;
}

void gst_ib_add(struct gst *g, uint64_t pc, uint64_t main, uint64_t indirect)
{
	const uint32_t i = shr_ib2_index(pc);

	g->gs->ib[pc & (SHR_IB_ENTRIES - 1)] = indirect;
	if (g->code != SHR_CODE_BASE) /* its addresses have 32 bits */
		return;
	second()[i] = (struct shr_ib2){ .minus_pc = 0 - pc, .code = (uint32_t)main,
					.indirect = (uint32_t)indirect };
	g->ib2_used[i / IB2_STRETCH] = 1;
}

static void clear_second(struct gst *g)
{
	for (uint32_t k = 0; k < GST_IB2_STRETCHES; k++)
		if (g->ib2_used[k])
			memset(second() + k * IB2_STRETCH, 0, IB2_STRETCH * sizeof(struct shr_ib2));
	memset(g->ib2_used, 0, sizeof(g->ib2_used));
	second()[0].minus_pc = 1; /* not the entry for target 0 */
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

		if (second()[i].minus_pc + pc == 0)
			second()[i].minus_pc = i == 0;
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

static int is_sent(struct gst *g, uint64_t addr)
{
	const struct gst_page *p = gst_page_find(g, addr);

	return p && (p->flags & GST_PAGE_SENT);
}

static int is_executable(struct gst *g, uint64_t addr)
{
	const struct gst_vma *v = gst_vma_find(&g->vmas, addr);

	return v && v->kind != GST_VMA_ENGINE && (v->prot & PROT_EXEC);
}

/* Forget all translations. The program must stand at a boundary: then nothing of it depends on an
 * old translation, once the records that name old block ids are handed over. */
static void forget_all(struct gst *g)
{
	gst_ring_flush(g, 0);
	gst_ask_box(g)->arg[0] = g->null_segments;
	gst_ask(g, REQ_FORGET_ALL);
	gst_ib_clear(g);
}

int gst_settle_segments(struct gst *g)
{
	const uint32_t now = gst_segments_null(g);

	if (now == g->null_segments)
		return 0;
	g->null_segments = now;
	forget_all(g);
	return 1;
}

void gst_rise(struct gst *g)
{
	if (g->ctl->start.tier == SHR_TIER_STREAM)
		return;
	g->ctl->wants_records = 0;
	gst_ring_flush(g, 0);
	gst_ask_box(g);
	if (gst_ask(g, REQ_RISE) != REQ_OK)
		return;
	gst_ib_clear(g);
	g->ctl->start.tier = SHR_TIER_STREAM;
	gst_ring_start(g);
}

uint64_t gst_translate(struct gst *g, uint64_t pc, uint64_t exit_id, uint64_t *fault)
{
	uint64_t need = pc, absent = 0;

	for (int n = 0; n < 64; n++) {
		struct req_box *b = gst_ask_box(g);
		uint32_t answer;

		b->arg[0] = pc;
		b->arg[1] = exit_id;
		if (need != pc || !is_sent(g, pc)) {
			gst_page_attach(g, need);
			gst_page_attach_around(g, need);
		}
		if (g->ctl->start.has_places && g->ring.has_maps) /* whose code it is */
			gst_ring_with(g, b);
		answer = gst_ask(g, REQ_TRANSLATE);
		if (answer == REQ_OK) {
			if (b->result[2])
				gst_ring_work(g, b->result[2]);
			return b->result[0];
		}
		if (answer == REQ_FAULT) {
			*fault = b->result[0];
			if (absent == *fault || !is_executable(g, *fault))
				return 0;
			/* perhaps it was not executable when it was asked for last */
			absent = need = *fault;
			continue;
		}
		if (answer == REQ_FULL) {
			forget_all(g);
			exit_id = 0; /* void */
			continue;
		}
		if (answer != REQ_NEED_PAGE)
			break;
		need = b->result[0];
	}
	gst_refuse(g, "softpmu lost track of the program's pages", NULL);
}
