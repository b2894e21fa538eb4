/* time_turn.c -- the loop over blocks that met their state before: all of their way in one place.
 *
 * As in time_feed.c a block is done when the next record is there. It stays in the loop as long as
 * blocks are compiled, their templates made, and there is nothing about them that is rare; it asks
 * for nothing but what feed.c knows of a block too.
 *
 * COUNTING RULES   those of time_feed.c, which does the same for everything else; --memo off does
 *                  without this loop.
 */
#include "model/p6/p6.h"

#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/clocks/time_block.h"
#include "model/p6/host/time_turn.h"
#include "model/p6/kept/held.h"
#include "model/p6/kept/stretch.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/mmx.h"
#include "trace/record.h"

/* Nothing needs to be checked as long as the longest block record and the head after it fit. */
#define LONGEST_RECORD (4 + 8 * X86_MAX_SLOTS + 4)
/* How many records before a block is met its facts are asked for. */
#define AHEAD 4

/* Is there anything about b that this loop leaves to time_feed.c? */
static inline bool is_fast(const struct p6 *m, const struct p6_blk *b)
{
	return (b->flags & (P6_B_KEPT | P6_B_FAST | P6_B_ASSIST)) == (P6_B_KEPT | P6_B_FAST) &&
	       !(b->flags & P6_B_WC && m->dcu.wc.n);
}

static inline uint64_t target_of(const struct p6_blk *b)
{
	return p6_blk_fall(b) + (uint64_t)(int64_t)b->target_rel;
}

/* Ask the host for the facts of the block whose record is at p. Returns the next record, p itself
 * when there is none or it is an event. */
static inline const uint8_t *look_ahead(const struct p6 *m, const uint8_t *p, const uint8_t *limit)
{
	uint32_t head;
	const uint8_t *facts;

	if (p > limit)
		return p;
	head = reader_u32(p);
	facts = m->blocks.arena + (size_t)m->blocks.position[trc_block_id(head)] * 16;
	__builtin_prefetch(facts);
	__builtin_prefetch(facts + 64);
	return head < TRC_SPECIAL ? p + trc_block_bytes(head) : p;
}

/* A conditional branch at the end of b, which the BTB has at position b->btb, went to `next`. As
 * resolve(). */
static inline enum p6_guess resolve_known(struct p6 *m, const struct p6_blk *b, uint64_t next,
					  struct p6_outcomes *o)
{
	const uint64_t target = target_of(b) & P6_LIN_MASK, fall = p6_blk_fall(b) & P6_LIN_MASK;
	const bool is_taken = next == target,
		   is_wrong = btb_predict_update(&m->btb.table, b->btb, is_taken) != is_taken;

	o->sums += is_taken;
	p6_btb_count(o, is_wrong, is_taken);
	m->time.wrong = next == fall ? target : fall;
	return is_wrong ? P6_GUESS_WRONG : P6_GUESS_RIGHT;
}

/* The transfer at the end of b went to `next`: predicted, counted, taught. As p6_event_resolve().
 */
static inline enum p6_guess resolve(struct p6 *m, struct p6_blk *b, uint64_t next,
				    struct p6_outcomes *o)
{
	struct p6_outcomes one = {0};
	bool is_known, is_wrong;

	if (b->term == X86_TERM_FALL || b->term >= X86_TERM_SYSCALL)
		return P6_GUESS_RIGHT;
	if (b->term == X86_TERM_JCC && !m->time.has_bogus &&
	    btb_is_at(&m->btb.table, b->btb, (p6_blk_fall(b) & P6_LIN_MASK) - 1))
		return resolve_known(m, b, next, o);
	is_known = p6_time_predict(
	    m,
	    &(struct p6_pending){target_of(b) & P6_LIN_MASK, p6_blk_fall(b) & P6_LIN_MASK, b->term},
	    next, &b->btb);
	p6_btb_resolve(m, b->term, target_of(b) & P6_LIN_MASK, p6_blk_fall(b) & P6_LIN_MASK, next,
		       &b->btb, &one, true);
	o->sums += one.sums;
	is_wrong = one.sums >> P6_O_WRONG;
	if (__builtin_expect(m->time.has_bogus, 0))
		p6_bogus_learn(m, p6_blk_fall(b) - 1);
	if (__builtin_expect(!is_known, 0)) {
		P6_RAISE(m, DECODE_BTB_MISS, 1);
		P6_RAISE(m, DECODE_BACLEAR,
			 !is_wrong && p6_time_is_jump(b->term, next, p6_blk_fall(b)));
	}
	return is_wrong							     ? P6_GUESS_WRONG
	       : is_known || !p6_time_is_jump(b->term, next, p6_blk_fall(b)) ? P6_GUESS_RIGHT
									     : P6_GUESS_BY_DECODER;
}

/* Block b, whose accesses are done. is_known: the state in front of it was; find: p6_memo_find() or
 * p6_memo_find_again(). Returns as mdl_feed(). */
typedef bool find_fn(struct p6 *m, uint64_t pc, uint32_t key, uint64_t next);
static inline __attribute__((always_inline)) int rest_with(struct p6 *m, struct p6_blk *b,
							   const uint8_t *slots, uint64_t next,
							   enum p6_guess guess, bool is_known,
							   find_fn *find)
{
	const bool is_taken = p6_time_is_jump(b->term, next, p6_blk_fall(b));
	const uint32_t id = trc_block_id(b->head);
	const unsigned zero =
	    b->flags & P6_B_ZERO ? p6_zero_asked(m->time.tblk[id], m->time.zero) : 0;

	/* no x87 divide is among its instructions, whose precision would matter */
	if (!is_known || !find(m, b->pc, P6_MEMO_KEY(id, guess, is_taken, P6_PC_64, zero), next)) {
		m->time.held_n = b->n_insn;
		m->time.held_at = slots;
		return p6_time_work_out(m, x86_store_get(m->store, id), next, is_taken, guess,
					is_known);
	}
	m->time.zero = (m->time.zero & b->zero_keep) | b->zero_set;
	if (__builtin_expect(guess == P6_GUESS_WRONG, 0))
		p6_wrong_path(m, m->time.wrong, m->time.wrong != p6_blk_fall(b),
			      m->time.branch_clk);
	return 0;
}

static inline int rest(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		       enum p6_guess guess, bool is_known)
{
	return rest_with(m, b, slots, next, guess, is_known, p6_memo_find);
}

/* Do block b, whose record's slots are at `slots`: execution goes on at `next`. Returns as
 * mdl_feed(). */
static inline int run(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		      enum p6_guess guess)
{
	const bool is_known = p6_memo_enter(m, b->pc);
	int rc;

	if (!is_known) {
		p6_memo_wake(m);
		p6_access_look_far(&m->time);
	} else if (guess == P6_GUESS_WRONG) {
		p6_memo_prefetch_front(m);
	}
	rc = p6_access_blk(m, b, slots);
	return rc ? rc : rest(m, b, slots, next, guess, is_known);
}

enum p6_guess p6_turn_resolve(struct p6 *m, struct p6_blk *b, uint64_t next, struct p6_outcomes *o)
{
	return resolve(m, b, next, o);
}

enum p6_guess p6_turn_lost(struct p6 *m, struct p6_blk *b, bool is_taken)
{
	const uint64_t fall = p6_blk_fall(b) & P6_LIN_MASK;
	const bool is_direct = b->term == X86_TERM_JMP || b->term == X86_TERM_CALL;

	if (!is_direct &&
	    (b->term != X86_TERM_JCC || ((target_of(b) & P6_LIN_MASK) < fall) != is_taken))
		return P6_GUESS_WRONG;
	b->btb = (uint16_t)btb_allocate(&m->btb.table, fall - 1, is_taken);
	P6_RAISE(m, DECODE_BTB_MISS, 1);
	P6_RAISE(m, DECODE_BACLEAR, is_taken);
	return is_taken ? P6_GUESS_BY_DECODER : P6_GUESS_RIGHT;
}

int p6_turn_rest(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		 enum p6_guess guess, bool is_known)
{
	return rest(m, b, slots, next, guess, is_known);
}

int p6_turn_rest_again(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		       enum p6_guess guess)
{
	return rest_with(m, b, slots, next, guess, true, p6_memo_find_again);
}

int p6_turn_block(struct p6 *m, struct p6_blk *b, const uint8_t *slots, uint64_t next,
		  struct p6_outcomes *o)
{
	return run(m, b, slots, next, resolve(m, b, next, o));
}

/* The block at *last_at, which waits, and those behind it as far as there is host code. */
static void run_host(struct p6 *m, struct p6_blk **last, const uint8_t **last_at, const uint8_t **p,
		     const uint8_t *end, struct p6_outcomes *o, bool *accessed)
{
	struct p6_time_host *h = &m->time.host;

	end = p6_stretch_limit(m, *p, end);
	if (!end || m->time.has_bogus || !p6_memo_is_known(m, (*last)->pc) || !p6_memo_lend(m))
		return;
	*last_at = p6_time_host_run(m, *last_at, end, accessed);
	*last = p6_blk_at(m, h->held->blk);
	*p = *last_at + trc_block_bytes((*last)->head);
	o->sums += h->sums;
	h->sums = 0;
}

/* Block b waits, whose record is at p. */
static void hold(struct p6 *m, const struct p6_blk *b, const uint8_t *p)
{
	struct p6_time *t = &m->time;

	t->held = x86_store_get(m->store, trc_block_id(b->head));
	t->held_n = b->n_insn;
	t->held_entry = (uint32_t)((size_t)((const uint8_t *)b - m->blocks.arena) / 16);
	t->held_at = p + 4;
	t->log.held = (uint32_t)(uintptr_t)p;
	m->pending =
	    (struct p6_pending){target_of(b) & P6_LIN_MASK, p6_blk_fall(b) & P6_LIN_MASK, b->term};
	m->pending_blk = t->held_entry;
	P6_SET(m, CORE_CLK, t->retire_clk);
}

int p6_time_turn(struct p6 *m, const uint8_t **at, const uint8_t *end)
{
	struct p6_time *t = &m->time;
	const uint8_t *p = *at, *ahead = p, *last_at;
	struct p6_outcomes o = {0};
	struct p6_blk *last;
	bool accessed = false;
	int rc = 0;

	if (!t->memo || m->ledger || !t->held || t->held_tblk || m->pending_blk == P6_NO_ENTRY ||
	    m->pending_blk != t->held_entry || end - p < LONGEST_RECORD)
		return 0;
	end -= LONGEST_RECORD;
	last = p6_blk_at(m, t->held_entry);
	last_at = t->held_at - 4;
	for (unsigned i = 0; i < AHEAD; i++)
		ahead = look_ahead(m, ahead, end);
	while (p < end && is_fast(m, last)) {
		uint32_t head, entry;
		struct p6_blk *b;
		enum p6_guess guess;

		if (last->has_code) {
			run_host(m, &last, &last_at, &p, end, &o, &accessed);
			rc = t->host.rc;
			ahead = ahead < p ? p : ahead;
			if (rc || p >= end || !is_fast(m, last))
				break;
		}
		head = reader_u32(p);
		entry = m->blocks.position[trc_block_id(head)];
		b = p6_blk_at(m, entry);
		if (entry == P6_NO_ENTRY || b->head != head ||
		    (b->flags & (P6_B_TIMED | P6_B_ASSIST)) != P6_B_TIMED)
			break;
		ahead = look_ahead(m, ahead, end);
		guess = resolve(m, last, b->pc & P6_LIN_MASK, &o);
		rc = accessed ? rest(m, last, last_at + 4, b->pc & P6_LIN_MASK, guess, true)
			      : run(m, last, last_at + 4, b->pc & P6_LIN_MASK, guess);
		accessed = false;
		if (p6_stretch_is_over(t, m->n_insn, last->term))
			p6_stretch_end(m);
		if (__builtin_expect(++b->n_exec == t->host.min_exec, 0))
			p6_time_host_compile(m, b);
		t->last_blocks[t->last_block_at++ % P6_LAST_BLOCKS] = trc_block_id(head) + 1;
		m->n_insn += b->n_insn;
		if (b->flags & P6_B_FPMMX)
			p6_feed_fpmmx(m, b->fpmmx);
		last = b;
		last_at = p;
		p += trc_block_bytes(head);
		if (rc)
			break;
	}
	if (p != *at)
		hold(m, last, last_at);
	t->is_accessed = accessed;
	p6_btb_add(m, &o);
	*at = p;
	return rc;
}
