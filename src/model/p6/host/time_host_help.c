/* time_host_help.c -- what host code of blocks in time leaves to others; see time_host.h. */
#include "model/p6/host/time_host.h"

#include <string.h>

#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/host/time_turn.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/mmx.h"
#include "trace/record.h"

static struct p6_blk *compiled(const struct p6 *m, const struct p6_time_host_blk *hb)
{
	return p6_blk_at(m, hb->blk);
}

/* The block of the record behind that of hb at p; NULL: it has no host code. */
static const struct p6_time_host_target *behind(const struct p6 *m,
						const struct p6_time_host_blk *hb, const uint8_t *p)
{
	const uint32_t head = reader_u32(p + hb->record_bytes);

	return p6_time_host_find(&m->time.host, head) ? &m->time.host.target[trc_block_id(head)]
						      : NULL;
}

/* A block was done, which returned rc: host code goes on if it can. */
static void go_on(struct p6 *m, int rc)
{
	struct p6_time_host *h = &m->time.host;

	h->rc = rc ? rc : h->rc;
	p6_access_begin(&m->time);
	m->time.code_line = P6_NO_KEY;
	if (!p6_memo_lend(m) || m->time.has_bogus || h->rc)
		h->limit = 0;
}

/* Reference k of the block at p, which is not usual. Returns true when the rest of them has been
 * done too. */
static bool reference(struct p6 *m, const struct p6_time_host_blk *hb, uint64_t k, const uint8_t *p)
{
	const int rc = p6_access_one(m, compiled(m, hb), p + 4, (unsigned)k);

	if (rc < 0)
		m->time.host.rc = rc;
	return rc != 0;
}

/* All accesses of the block at p, a line of whose code is not there. */
static void lines(struct p6 *m, const struct p6_time_host_blk *hb, const uint8_t *p)
{
	const int rc = p6_access_blk(m, compiled(m, hb), p + 4);

	m->time.code_line = P6_NO_KEY;
	if (rc < 0)
		m->time.host.rc = rc;
}

/* From now on host code looks for the branch of hb, block b, where the BTB has it. */
static void note_entry(const struct p6 *m, struct p6_time_host_blk *hb, const struct p6_blk *b)
{
	hb->entry = &m->btb.table.entry[b->btb];
	hb->target = &m->btb.table.target[b->btb];
}

/* The branch of hb is not where it was; is_taken: what it did, when it is a conditional one.
 * Returns a key, or P6_TIME_HOST_FOUND or P6_TIME_HOST_WRONG. */
static uint32_t lost(struct p6 *m, struct p6_time_host_blk *hb, uint32_t is_taken)
{
	struct p6_blk *b = compiled(m, hb);
	enum p6_guess guess;

	if (p6_btb_position(m, p6_blk_fall(b) - 1, &b->btb) != BTB_MISS) {
		note_entry(m, hb, b);
		return P6_TIME_HOST_FOUND;
	}
	guess = p6_turn_lost(m, b, is_taken);
	if (guess == P6_GUESS_WRONG)
		return P6_TIME_HOST_WRONG;
	m->time.host.sums += b->term == X86_TERM_JCC && is_taken ? P6_O_ONE_TAKEN : 0;
	note_entry(m, hb, b);
	return P6_MEMO_KEY(hb->id, guess, is_taken, P6_PC_64, 0);
}

/* The block of this key, at p, is resolved, and host code knows where it goes; has_outcome: and
 * what its accesses came to. */
static void find(struct p6 *m, uint32_t key, const uint8_t *p, uint32_t has_outcome)
{
	const struct p6_time_host_blk *hb = m->time.host.target[trc_block_id(key)].blk;
	const struct p6_time_host_target *next = behind(m, hb, p);
	struct p6_blk *b = compiled(m, hb);

	p6_memo_take_back(m, b->pc);
	go_on(m, has_outcome ? p6_turn_rest_again(m, b, p + 4, next->pc, P6_MEMO_GUESS(key))
			     : p6_turn_rest(m, b, p + 4, next->pc, P6_MEMO_GUESS(key), true));
}

static void patch(struct p6_time_host *h, const struct p6_time_host_slot *slot,
		  const struct p6_time_host_target *to)
{
	/* the host begins anew behind what is written into code that runs, even if it was the same
	 * before; a block of this head has one piece */
	if (!slot->jump_at || memcmp(h->memory + slot->head_at, &to->head, 4) == 0)
		return;
	memcpy(h->memory + slot->head_at, &to->head, 4);
	emit_patch(h->memory, slot->jump_at, (uint32_t)(to->code - (uint64_t)(uintptr_t)h->memory));
}

/* From now on host code knows where the branch of hb is in the BTB, and that it goes to `to`. */
static void note(struct p6 *m, struct p6_time_host_blk *hb, const struct p6_blk *b,
		 const struct p6_time_host_target *to)
{
	const bool is_taken = b->term == X86_TERM_JCC && to->pc != (p6_blk_fall(b) & P6_LIN_MASK);

	if (btb_is_at(&m->btb.table, b->btb, p6_blk_fall(b) - 1))
		note_entry(m, hb, b);
	patch(&m->time.host, is_taken ? &hb->taken : &hb->fall, to);
}

/* The accesses of the block at p are done. Returns where to go on, for the record at host.at; 0:
 * host.held waits. */
static uint64_t end(struct p6 *m, struct p6_time_host_blk *hb, const uint8_t *p)
{
	struct p6_time_host *h = &m->time.host;
	const struct p6_time_host_target *next = behind(m, hb, p);
	struct p6_blk *b = compiled(m, hb);
	struct p6_outcomes o = {0};
	enum p6_guess guess;

	h->held = hb;
	h->at = (uint64_t)(uintptr_t)p;
	h->is_accessed = !next;
	if (!next)
		return 0;
	p6_memo_take_back(m, b->pc);
	p6_memo_prefetch_front(m);
	guess = p6_turn_resolve(m, b, next->pc, &o);
	h->sums += o.sums;
	note(m, hb, b, next);
	go_on(m, p6_turn_rest(m, b, p + 4, next->pc, guess, true));
	h->at += hb->record_bytes;
	return next->code;
}

/* As end(), for a block of which nothing is done: also does its accesses. */
static uint64_t whole(struct p6 *m, struct p6_time_host_blk *hb, const uint8_t *p)
{
	struct p6_time_host *h = &m->time.host;
	const struct p6_time_host_target *next = behind(m, hb, p);
	struct p6_blk *b = compiled(m, hb);
	struct p6_outcomes o = {0};

	h->held = hb;
	h->at = (uint64_t)(uintptr_t)p;
	if (!next || (b->flags & P6_B_WC && m->dcu.wc.n))
		return 0;
	p6_memo_take_back(m, b->pc);
	go_on(m, p6_turn_block(m, b, p + 4, next->pc, &o));
	h->sums += o.sums;
	h->at += hb->record_bytes;
	return next->code;
}

static void fpmmx(struct p6 *m, const struct p6_time_host_blk *hb)
{
	p6_feed_fpmmx(m, compiled(m, hb)->fpmmx);
}

void p6_time_host_helpers(struct p6_time_host *h)
{
	h->helper[P6_TIME_HOST_PAGE] = (uint64_t)(uintptr_t)p6_ifu_page_is_in;
	h->helper[P6_TIME_HOST_LOOK] = (uint64_t)(uintptr_t)p6_access_look;
	h->helper[P6_TIME_HOST_LOG] = (uint64_t)(uintptr_t)p6_log_look;
	h->helper[P6_TIME_HOST_NEAR] = (uint64_t)(uintptr_t)p6_access_near;
	h->helper[P6_TIME_HOST_LINES] = (uint64_t)(uintptr_t)lines;
	h->helper[P6_TIME_HOST_LOST] = (uint64_t)(uintptr_t)lost;
	h->helper[P6_TIME_HOST_BUS] = (uint64_t)(uintptr_t)p6_memo_take_bus;
	h->helper[P6_TIME_HOST_OUTCOME] = (uint64_t)(uintptr_t)p6_memo_outcome;
	h->helper[P6_TIME_HOST_REF] = (uint64_t)(uintptr_t)reference;
	h->helper[P6_TIME_HOST_FIND] = (uint64_t)(uintptr_t)find;
	h->helper[P6_TIME_HOST_END] = (uint64_t)(uintptr_t)end;
	h->helper[P6_TIME_HOST_BLOCK] = (uint64_t)(uintptr_t)whole;
	h->helper[P6_TIME_HOST_FPMMX] = (uint64_t)(uintptr_t)fpmmx;
}
