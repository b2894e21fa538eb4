/* translate.c -- the translator's front: pages in, blocks out; see translate.h. */
#include "translate/internal.h"

#include <stdlib.h>

#include "base/error.h"

#define DEFAULT_LOOKAHEAD 12u
#define MIN_GARBAGE	  16384u /* dead blocks that are not worth forgetting everything */

static const uint8_t *page_bytes(void *ctx, uint64_t page_addr)
{
	struct xlt_page *p = xlt_find_page(ctx, page_addr);

	return p ? p->bytes : NULL;
}

/* No block yet. */
static void start(struct xlt *x)
{
	x->out.off = 0;
	x->cold.off = XLT_COLD_OFF;
	x->open_fall = XLT_NONE;
	memset(x->ready, 0, sizeof(x->ready));
	xlt_emit_common(x);
}

int xlt_open(const struct xlt_config *cfg, struct xlt **out)
{
	struct xlt *x = calloc(1, sizeof(*x));

	if (!x)
		return -SPMU_ENOMEM;
	x->cfg = *cfg;
	if (!x->cfg.max_insns)
		x->cfg.max_insns = X86_MAX_INSNS;
	if (!x->cfg.lookahead)
		x->cfg.lookahead = DEFAULT_LOOKAHEAD;
	x->out.base = x->cold.base = cfg->code;
	x->out.at = x->cold.at = SHR_CODE_BASE + cfg->shift;
	x->builder = malloc(sizeof(*x->builder));
	x->exit = malloc(SHR_MAX_EXITS * sizeof(*x->exit));
	x->incoming = malloc(SHR_MAX_BLOCKS * sizeof(*x->incoming));
	x->counted_at = malloc(SHR_MAX_BLOCKS);
	x->fallen_from = malloc(SHR_MAX_BLOCKS * sizeof(*x->fallen_from));
	x->map_block = malloc(SHR_MAP_ENTRIES * sizeof(*x->map_block));
	x->next_of_page = malloc(2 * SHR_MAX_BLOCKS * sizeof(*x->next_of_page));
	x->waiting = calloc(1u << XLT_WAITING_LOG2, sizeof(*x->waiting));
	if (!x->waiting || !x->builder || !x->exit || !x->incoming || !x->fallen_from ||
	    !x->map_block || !x->counted_at || !x->next_of_page)
		goto fail;
	x86_builder_init(x->builder, cfg->mode);
	x->builder->recall = x->recall = cfg->decodes_all ? NULL : x86_recall_open();
	start(x);
	*out = x;
	return 0;
fail:
	xlt_close(x);
	return -SPMU_ENOMEM;
}

void xlt_close(struct xlt *x)
{
	if (!x)
		return;
	xlt_pages_free(x);
	free(x->waiting);
	x86_recall_close(x->recall);
	free(x->builder);
	free(x->exit);
	free(x->incoming);
	free(x->fallen_from);
	free(x->map_block);
	free(x->next_of_page);
	free(x->counted_at);
	free(x);
}

bool xlt_wants_forgetting(const struct xlt *x)
{
	return x->is_full || (x->n_dead > MIN_GARBAGE && x->n_dead > x->n_block / 2);
}

void xlt_forget_all(struct xlt *x)
{
	const uint32_t n_most =
	    *(const volatile uint32_t *)&x->cfg.tables->n_most; /* the guest may write there */

	xlt_pages_forget_blocks(x);
	xlt_forget_waiting(x);
	x->stats.blocks += x->n_block;
	x->stats.exits += x->n_exit;
	x->stats.code_bytes += x->out.off + x->cold.off - XLT_COLD_OFF;
	memset(x->cfg.tables->most, 0,
	       (n_most < SHR_MAX_BLOCKS ? n_most : SHR_MAX_BLOCKS) *
		   sizeof(x->cfg.tables->most[0]));
	x->cfg.tables->n_most = 0;
	x->n_block = x->n_exit = x->n_recover = x->n_check_bytes = x->n_dead = 0;
	x->is_full = false;
	start(x);
}

void xlt_start_sharing(struct xlt *x)
{
	if (x->is_sharing || !x->cfg.shelf ||
	    x->cfg.shift) /* what is on the shelf knows one place of the areas */
		return;
	x->is_sharing = true;
	xlt_pages_tell_shelf(x);
}

void xlt_start_quantum(struct xlt *x)
{
	x->has_quantum = true;
	xlt_pages_change_kind(x);
}

void xlt_start_heads(struct xlt *x)
{
	x->has_heads = true;
	xlt_pages_change_kind(x);
}

void xlt_start_stream(struct xlt *x)
{
	x->cfg.tier = SHR_TIER_STREAM;
	xlt_pages_change_kind(x);
}

void xlt_set_null_segments(struct xlt *x, unsigned null_segments)
{
	if (x->null_segments == null_segments)
		return;
	x->null_segments = (uint8_t)null_segments;
	xlt_pages_change_kind(x);
}

void xlt_set_xsave_bytes(struct xlt *x, uint16_t bytes)
{
	x->cfg.xsave_bytes = bytes;
}

void xlt_restart(struct xlt *x, enum x86_mode mode, uint64_t shift)
{
	xlt_pages_free(x);
	x->cfg.mode = mode;
	x->cfg.shift = shift;
	x->out.at = x->cold.at = SHR_CODE_BASE + shift;
	x->is_sharing = x->is_sharing && !shift;
	x->has_quantum = x->has_heads = false;
	x->null_segments = 0;
	x86_builder_init(x->builder, mode);
	x->builder->recall = x->recall;
	xlt_forget_all(x);
}

unsigned xlt_counted_at(const struct xlt *x, uint32_t id)
{
	return x->counted_at[id];
}

static bool is_volatile_at(const struct xlt *x, uint64_t pc)
{
	const struct xlt_page *p = xlt_find_page(x, pc & ~(uint64_t)(XLT_PAGE_BYTES - 1));

	return p && p->flags & REQ_PAGE_VOLATILE;
}

/* Build and emit the block at pc. When it needs more registers than there are, a shorter one. */
static int translate_one(struct xlt *x, uint64_t pc, enum xlt_entry entry, uint32_t *id)
{
	struct x86_code_source src = {.page = page_bytes, .ctx = x};
	const bool is_stream = x->cfg.tier == SHR_TIER_STREAM;
	bool is_volatile = is_volatile_at(x, pc);
	struct x86_build_limits lim = {.max_insns = x->cfg.max_insns,
				       .is_single_store = is_volatile,
				       .has_slots = is_stream,
				       .has_assists = is_stream && x->cfg.has_assists,
				       .has_x87_operands = is_stream && x->cfg.has_x87_operands,
				       .has_x87_control = is_stream && x->cfg.has_x87_control,
				       .has_mmx_operands = is_stream && x->cfg.has_mmx_operands,
				       .null_segments = x->null_segments,
				       .xsave_bytes = x->cfg.xsave_bytes};
	int rc = xlt_take_from_shelf(x, pc, id);

	if (rc)
		return rc < 0 ? rc : 0;
	for (;;) {
		const struct x86_block *b = &x->builder->block;

		rc = x86_block_build(x->builder, pc, &src, &lim);
		if (rc != 0)
			return rc;
		if (!is_volatile && is_volatile_at(x, b->pc + b->bytes - 1)) {
			is_volatile = lim.is_single_store = true;
			continue;
		}
		rc = xlt_emit_block(x, is_volatile, entry, id);
		if (rc != -SPMU_EINVAL || x->builder->block.n_insn == 1)
			return rc;
		lim.max_insns = x->builder->block.n_insn / 2u;
	}
}

/* Translate the block at pc, and what follows it in memory when it may fall through, so that the
 * pieces of straight code lie behind each other. end: number of blocks to stop at. Returns as
 * translate_one for the first block; -SPMU_ENOMEM also for later ones. */
static int translate_chain(struct xlt *x, uint64_t pc, enum xlt_entry entry, uint32_t end,
			   uint32_t *first)
{
	int rc = translate_one(x, pc, entry, first);

	while (rc == 0 && x->n_block < end) {
		const struct x86_block *b = x86_store_get(x->cfg.store, x->n_block - 1);
		uint32_t id;

		if ((b->term != X86_TERM_JCC && b->term != X86_TERM_FALL) ||
		    xlt_map_find(x, b->fall))
			break;
		rc = translate_one(x, b->fall, XLT_ENTRY_COLD, &id);
		if (rc != 0 && rc != -SPMU_ENOMEM)
			return 0; /* only its page is not here */
	}
	return rc;
}

/* Translate blocks that block `first` and its successors reach statically, breadth first, as far as
 * their pages are known and until there are `end` blocks. */
static void look_ahead(struct xlt *x, uint32_t first, uint32_t end)
{
	for (uint32_t next = first; next < x->n_block && x->n_block < end; next++) {
		const struct x86_block *b = x86_store_get(x->cfg.store, next);
		uint64_t pc[2] = {0, 0};
		enum xlt_entry entry = XLT_ENTRY_COLD;
		uint32_t id;

		switch (b->term) {
		case X86_TERM_JCC:
		case X86_TERM_JMP: pc[0] = b->target; break;
		case X86_TERM_CALL:
			pc[0] = b->fall;
			pc[1] = b->target;
			entry = XLT_ENTRY_HOT; /* of the return site */
			break;
		case X86_TERM_CALL_IND:
			pc[0] = b->fall;
			entry = XLT_ENTRY_HOT;
			break;
		case X86_TERM_SYSCALL: pc[0] = b->fall; break;
		default: break;
		}
		for (unsigned i = 0; i < 2 && x->n_block < end; i++) {
			if (pc[i] > 1 && !xlt_map_find(x, pc[i]) &&
			    translate_chain(x, pc[i], entry, end, &id) == -SPMU_ENOMEM)
				return;
			entry = XLT_ENTRY_COLD;
		}
	}
}

static int missing_page(struct xlt *x, uint64_t page, struct xlt_answer *answer)
{
	const struct xlt_page *p = xlt_find_page(x, page);

	answer->page = page;
	return p && p->flags & REQ_PAGE_ABSENT ? -SPMU_EEXEC : -SPMU_ENOENT;
}

int xlt_translate(struct xlt *x, uint64_t pc, uint32_t exit_id, struct xlt_answer *answer)
{
	struct shr_map_entry *m = xlt_map_find(x, pc);
	uint32_t id;
	int rc;

	if (exit_id >= x->n_exit)
		return -SPMU_EPROTO;
	if (!m && x->is_sharing) {
		struct xlt_page *p = xlt_find_page(x, pc & ~(uint64_t)(XLT_PAGE_BYTES - 1));

		x->open_fall = XLT_NONE;
		rc = p ? xlt_take_page_from_shelf(x, p) : 0;
		if (rc)
			return rc;
		m = xlt_map_find(x, pc);
	}
	if (!m) {
		uint32_t end = x->n_block + x->cfg.lookahead;

		x->open_fall = XLT_NONE;
		rc = translate_chain(
		    x, pc, exit_id <= XLT_EXIT_INDIRECT ? XLT_ENTRY_HOT : XLT_ENTRY_COLD, end, &id);
		if (rc == -SPMU_ENOENT)
			return missing_page(x, x->builder->missing_page, answer);
		if (rc != 0)
			return rc;
		look_ahead(x, id, end);
		m = xlt_map_find(x, pc);
		if (!m)
			return -SPMU_ENOMEM;
	}
	answer->main_entry = x->out.at + m->main_off;
	answer->indirect_entry = x->out.at + m->indirect_off;
	return 0;
}

uint32_t xlt_n_blocks(const struct xlt *x)
{
	return x->n_block;
}

void xlt_get_stats(const struct xlt *x, struct xlt_stats *out)
{
	*out = x->stats;
	out->blocks += x->n_block;
	out->code_bytes += x->out.off + x->cold.off - XLT_COLD_OFF;
	out->exits += x->n_exit;
}
