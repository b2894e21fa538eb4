/* decode.c -- units ifu, ild and decode in time: fetch blocks, length decoder, decoders.
 *
 * COUNTING RULES   80H: one per aligned 16-byte chunk asked for, once while fetch stays in it; a
 *                  jump asks anew. 87H: the length decoder's clocks per length-changing prefix.
 *                  D0H, E0H: instructions and branches that leave the decoders. 86H: clocks in
 *                  which a fetch block waits for its line or page.
 * MODELLED         fetch blocks of 16 bytes that begin at an instruction; what the block behind a
 *                  jump costs, by decode groups and 16-byte boundaries (measured by Agner Fog);
 *                  three decoders, 4-1-1; the microcode sequencer; a queue of six micro-ops before
 *                  rename, two clocks behind the decoders; one branch a clock.
 * NOT MODELLED     fetching ahead of the decoders while they are busy.
 * SOURCES          Agner Fog 2000 ch. 14 and 15; catalog/p6/params.tsv.
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/fill.h"

/* Where a jump leads: clocks that the block behind it comes late, and how it begins. From Agner Fog
 * 2000, ch. 15. */
static void behind_jump(struct p6_front *f, uint64_t pc, unsigned bytes)
{
	static const struct {
		uint8_t late;
		bool is_aligned;
	} way[2][2][2] = {
	    /* groups of the jump's block: 1 */
	    {{{0, true}, {1, false}}, {{1, true}, {2, false}}},
	    /* 2 */
	    {{{0, false}, {0, false}}, {{0, true}, {1, false}}},
	};
	const bool is_cut = pc >> 4 != (pc + bytes - 1) >> 4;

	f->starts_aligned = false;
	if (f->jump_groups <= 2) {
		f->clk += way[f->jump_groups - 1][f->jump_is_cut][is_cut].late;
		f->starts_aligned = way[f->jump_groups - 1][f->jump_is_cut][is_cut].is_aligned;
	}
}

/* Chunks of the code that the instruction needs and the one before did not. */
static void count_chunks(struct p6 *m, struct p6_front *f, uint64_t pc, unsigned bytes)
{
	for (uint64_t c = pc >> 4; c <= (pc + bytes - 1) >> 4; c++) {
		P6_RAISE_AT(m, IFU_CHUNK, f->clk, c + 1 != f->chunk);
		f->chunk = c + 1;
	}
}

void p6_decode_begin(struct p6_front *f, unsigned size, const struct p6_code *s, uint64_t pc)
{
	f->clk++;
	if (f->is_fresh && f->jump_groups)
		behind_jump(f, pc, s->bytes);
	f->block_begin = f->is_fresh && f->starts_aligned ? pc & ~(uint64_t)(size - 1) : pc;
	if (pc + s->bytes > f->block_begin + size) {
		f->block_begin = pc; /* the block holds no whole instruction */
		f->clk++;
	}
	f->block_end = f->block_begin + size;
	f->groups = 1;
	f->slot = 0;
	f->has_branch = false;
	f->is_fresh = false;
	f->jump_groups = 0;
}

static void next_group(struct p6_front *f)
{
	f->clk++;
	f->groups++;
	f->slot = 0;
	f->has_branch = false;
}

/* Why instruction s is not decoded beside those of the present group; P6_WHY_NONE: it is. */
static enum p6_why refusal(const struct p6_time *t, const struct p6_code *s)
{
	const struct p6_front *f = &t->front;

	if (!f->slot)
		return P6_WHY_NONE;
	if (f->slot >= t->par.decoders)
		return P6_WHY_DECODERS;
	if (s->is_microcoded)
		return P6_WHY_MICROCODE;
	if (s->n_uop > t->par.simple_uops)
		return P6_WHY_FIRST_ONLY;
	if (s->bytes > t->par.simple_bytes)
		return P6_WHY_LONG;
	return s->is_branch && f->has_branch ? P6_WHY_BRANCHES : P6_WHY_NONE;
}

/* For listings: the clocks since the last call went by because of `why`. */
static inline void tell(struct p6_time *t, enum p6_why why)
{
	if (t->on_line)
		p6_line_decode(t, why);
}

/* Decoding begins anew with the next instruction. */
static inline void begin_anew(struct p6_time *t, enum p6_why why)
{
	t->decoding.anew = (uint8_t)why;
}

/* Instruction s begins its fetch block, its group, or goes beside others. Returns what held it up.
 */
static enum p6_why begin(struct p6_time *t, const struct p6_code *s, uint64_t pc)
{
	struct p6_front *f = &t->front;
	enum p6_why why = f->is_fresh ? P6_WHY_TARGET : P6_WHY_BLOCK;

	if (f->is_fresh || pc + s->bytes > f->block_end) {
		p6_decode_begin(f, t->par.fetch_bytes, s, pc);
		return t->decoding.anew ? (enum p6_why)t->decoding.anew : why;
	}
	why = refusal(t, s);
	if (why)
		next_group(f);
	return why;
}

bool p6_decode_wrong(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t before_clk)
{
	struct p6_time *t = &m->time;
	struct p6_front *f = &t->front;

	if (f->is_fresh)
		f->chunk = 0;
	begin(t, s, pc);
	if (f->clk + s->lcp_clk + s->prefix_clk >= before_clk)
		return false;
	count_chunks(m, f, pc, s->bytes);
	P6_RAISE_FOR(m, ILD_STALL, f->clk, s->lcp_clk);
	f->clk += s->lcp_clk + s->prefix_clk;
	f->slot++;
	f->has_branch |= s->is_branch;
	P6_RAISE_AT(m, DECODE_INST, f->clk, 1);
	P6_RAISE_AT(m, DECODE_BRANCH, f->clk, s->is_transfer);
	if (s->is_microcoded) {
		f->slot = (uint8_t)t->par.decoders;
		f->clk += t->par.sequencer_start_clk + s->n_uop / t->par.sequencer_uops;
	}
	return true;
}

uint64_t p6_decode(struct p6 *m, const struct p6_code *s, uint64_t pc, const struct p6_effect *code)
{
	struct p6_time *t = &m->time;
	struct p6_front *f = &t->front;
	uint64_t fetch_clk;

	if (f->is_fresh)
		f->chunk = 0;
	count_chunks(m, f, pc, s->bytes);
	tell(t, begin(t, s, pc));
	fetch_clk = f->clk;
	if (t->watch)
		p6_stages_begin(m);
	if (code->lines | code->walks | code->uc_reads) {
		const uint64_t there = p6_fill_code(m, code, f->clk);

		P6_RAISE_FOR(m, IFU_MEM_STALL, f->clk, there - f->clk);
		p6_stack_front(&t->stack, P6_SLOT_FETCH, there - f->clk);
		f->clk = there;
		tell(t, P6_WHY_CODE);
	}
	if (t->watch && code->ticket)
		p6_stages_end(m, code->ticket, fetch_clk);
	if (s->lcp_clk) {
		P6_RAISE_FOR(m, ILD_STALL, f->clk, s->lcp_clk);
		f->clk += s->lcp_clk;
	}
	f->clk += s->prefix_clk;
	tell(t, P6_WHY_PREFIX);
	p6_stack_front(&t->stack, P6_SLOT_LENGTH, s->lcp_clk + s->prefix_clk);
	/* room in the queue: as many micro-ops back have been renamed; those of the collected group
	 * come first */
	for (unsigned i = t->ren.n; i < t->ren.n + s->n_uop && i < t->par.queue_uops; i++)
		f->clk = p6_later(
		    f->clk, t->ren.queue[(t->ren.queue_at + i + P6_MAX_QUEUE - t->par.queue_uops) %
					 P6_MAX_QUEUE]);
	tell(t, P6_WHY_QUEUE);
	f->slot++;
	f->has_branch |= s->is_branch;
	P6_RAISE_AT(m, DECODE_INST, f->clk, 1);
	P6_RAISE_AT(m, DECODE_BRANCH, f->clk, s->is_transfer);
	if (s->is_microcoded) {
		const uint64_t first = f->clk + t->par.sequencer_start_clk;

		p6_stack_front(&t->stack, P6_SLOT_MICROCODE, t->par.sequencer_start_clk);
		f->slot = (uint8_t)t->par.decoders;
		f->clk =
		    first + (s->n_uop + t->par.sequencer_uops - 1u) / t->par.sequencer_uops - 1;
		tell(t, P6_WHY_MICROCODE);
		return first + t->par.decode_to_rename_clk;
	}
	return f->clk + t->par.decode_to_rename_clk;
}

void p6_decode_jump(struct p6 *m, uint64_t end)
{
	struct p6_front *f = &m->time.front;

	f->jump_groups = (uint8_t)(f->groups < 255 ? f->groups : 255);
	f->jump_is_cut = f->block_begin >> 4 != (end - 1) >> 4;
	f->clk = f->jump_clk = p6_later(f->clk, f->jump_clk + m->time.par.taken_clk);
	f->is_fresh = true;
}

void p6_decode_baclear(struct p6 *m)
{
	struct p6_front *f = &m->time.front;

	p6_stack_front(&m->time.stack, P6_SLOT_BACLEAR, m->time.par.baclear_clk);
	f->clk += m->time.par.baclear_clk - 1u;
	begin_anew(&m->time, P6_WHY_BACLEAR);
	f->is_fresh = true;
	f->starts_aligned = true;
	f->jump_groups = 0;
}

void p6_decode_restart(struct p6 *m, uint64_t done_clk)
{
	struct p6_time *t = &m->time;
	struct p6_front *f = &t->front;
	const uint64_t resume = done_clk + t->par.mispredict_clk - t->par.decode_to_rename_clk;

	t->stack.late_clk = 0;
	p6_stack_front(&t->stack, P6_SLOT_MISPREDICT, resume);
	f->clk = p6_later(f->clk, resume - 1);
	begin_anew(t, P6_WHY_MISPREDICT);
	f->is_fresh = true;
	f->starts_aligned = true;
	f->jump_groups = 0;
	t->ren.recovered_clk = t->retire_clk + 1;
	t->ren.next_clk = p6_later(t->ren.next_clk, t->ren.recovered_clk);
}

void p6_decode_elsewhere(struct p6 *m)
{
	struct p6_front *f = &m->time.front;

	if (f->is_fresh && f->jump_groups == 1 && f->jump_is_cut)
		f->clk++; /* the jump before costs that wherever it leads */
	f->is_fresh = true;
	f->starts_aligned = true;
	f->jump_groups = 0;
	f->chunk = 0;
}

void p6_decode_clear(struct p6 *m, uint64_t retire_clk)
{
	struct p6_time *t = &m->time;
	struct p6_front *f = &t->front;
	const uint64_t rename = retire_clk + t->par.smc_clk,
		       resume = rename - t->par.decode_to_rename_clk;

	p6_stack_front(&t->stack, P6_SLOT_MISPREDICT, t->par.smc_clk);
	f->clk = p6_later(f->clk, resume);
	begin_anew(t, P6_WHY_CLEARED);
	f->is_fresh = true;
	f->starts_aligned = true;
	f->jump_groups = 0;
	t->ren.next_clk = p6_later(t->ren.next_clk, rename);
}
