/* miss.c -- from a guest address to translated code, when the tables of indirect branches
 * (base/code_tables.c) have none.
 *
 * gst_translate() looks in the code map and asks softpmu when the map has nothing. A question
 * carries the page of the address and its neighbours. softpmu may answer that a block needs
 * another page too, so the question is asked again with that page, until it has all.
 */
#include "guest/gst.h"
#include "guest/memory/segments.h"
#include "guest/stream/ring.h"

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

/* Forget all translations. The program must stand at a boundary: then it depends on no old
 * translation, once the records that name old block ids are handed over. */
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
