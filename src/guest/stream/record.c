/* record.c -- records that are not complete: what the runtime does when a block stops early.
 *
 * RULE   a block record stands for all of its instructions; one that stopped early is written again
 *        as TRC_PARTIAL. Without a record stream (SHR_TIER_COUNT) the event carries zero slots and
 *        softpmu takes the instructions that did not happen off the block's counter.
 */
#include "guest/gst.h"
#include "guest/stream/ring.h"

void gst_ring_partial(struct gst *g, uint32_t block, uint32_t insns, int is_bumped)
{
	struct {
		uint32_t block, insns;
		uint64_t value[SHR_MAX_SLOTS];
	} e = {.block = block, .insns = insns};
	uint32_t n = g->tab->block[block].n_slot;

	/* The head has counted all of the block. */
	if (g->tab->block[block].flags & SHR_BLK_QUANTUM)
		g->gs->quantum += (int32_t)(g->tab->block[block].n_insn - insns);
	if (g->ctl->start.tier != SHR_TIER_STREAM)
		n = 0;
	if (n > SHR_MAX_SLOTS)
		n = SHR_MAX_SLOTS;
	if (is_bumped && g->ctl->start.tier == SHR_TIER_STREAM) {
		g->ring.at -= 4 + 8ull * n;
		gst_ring_note(g); /* the note may have named a record that is no longer whole */
	}
	memcpy(e.value, (const void *)(g->ring.at + 4), 8ull * n);
	if (g->ctl->start.tier == SHR_TIER_STREAM) {
		gst_ring_end(g->ring.at);
		if (insns == 0)
			return; /* no instruction of the block was executed */
	}
	gst_ring_event(g, TRC_PARTIAL, &e, 8 + 8 * n);
}

void gst_take_back(struct gst *g, uint32_t block)
{
	gst_ring_partial(g, block, g->tab->block[block].n_insn - 1u, 1);
}

void gst_set_flags(struct gst *g, uint64_t rflags)
{
	uint32_t df[2] = {(rflags & EFLAGS_DF) != 0, 0};

	if ((g->gs->rflags ^ rflags) & EFLAGS_DF)
		gst_ring_event(g, TRC_DF, df, sizeof(df));
	g->t->ac = rflags & EFLAGS_AC;
	g->t->tf = rflags & EFLAGS_TF;
	g->gs->rflags = rflags & ~(uint64_t)(EFLAGS_AC | EFLAGS_TF);
}

uint64_t gst_get_flags(const struct gst *g)
{
	return (g->gs->rflags & ~(uint64_t)EFLAGS_TF) | g->t->ac | g->t->tf;
}

void gst_undo_state(struct gst *g, uint32_t state, const struct shr_block *b)
{
	struct shr_gs *gs = g->gs;

	if (state & SHR_ST_FLAGS) {
		/* LAHF: AH = SF ZF 0 AF 0 PF 1 CF; SETO: AL = OF. */
		uint64_t rax = gs->gpr[0];

		gs->rflags = (gs->rflags & ~(uint64_t)EFLAGS_ARITHMETIC) |
			     (rax >> 8 & EFLAGS_LAHF) | ((rax & 1) << 11);
	}
	if (state & SHR_ST_X) {
		gs->guest_r15 = gs->gpr[b->x_reg & 15];
		gs->gpr[b->x_reg & 15] = gs->spill_x;
	}
	if (state & SHR_ST_RCX)
		gs->gpr[1] = gs->spill_rcx;
	if (state & SHR_ST_RAX)
		gs->gpr[0] = gs->spill_rax;
	if (state & SHR_ST_Y)
		gs->gpr[b->y_reg & 15] = gs->spill_y;
}
