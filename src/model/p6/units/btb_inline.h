/* btb_inline.h -- unit btb: branch prediction: BTB, RSB and the decoder's static rules, resolved at
 * retirement.
 *
 * Inline, because it runs once per block. Each transfer is resolved once, in program order, when
 * the next record says where it went. Another order would teach the histories other outcomes, and
 * the RSB would answer a RET with the return address of another CALL.
 *
 * COUNTING RULES   mispredicted = the final prediction of the front end was wrong in direction or
 *                  target; what the decoder put right (BACLEAR) is right. Conditional branches
 *                  without entry: backward taken, forward not taken. Direct jumps and calls are
 *                  never wrong. Indirect ones go to their last target, without entry they fall
 *                  through. RET goes where the RSB says, with or without a BTB entry; an empty RSB
 *                  is wrong. Every executed transfer has or gets an entry.
 * NOT MODELLED     BTB_MISSES, BR_BOGUS, BACLEARS, decoded branches: they include wrong paths.
 * SOURCES          Agner Fog 2000 ch. 22, Intel 242816-003 2.2.3; choices in docs/MODELS.md "btb".
 */
#ifndef SOFTPMU_MODEL_P6_BTB_INLINE_H
#define SOFTPMU_MODEL_P6_BTB_INLINE_H

#include "model/p6/p6.h"

/* Count what o has, once at the end of a turn; o stays as it is. */
static inline void p6_btb_add(struct p6 *m, const struct p6_outcomes *o)
{
	const uint64_t field = (1u << 21) - 1;

	m->btb.n_taken += o->sums >> P6_O_TAKEN & field;
	P6_RAISE(m, RETIRE_MISPREDICT, o->sums >> P6_O_WRONG & field);
	P6_RAISE(m, RETIRE_MISPREDICT_TAKEN, o->sums >> P6_O_WRONG_TAKEN);
}

static inline void p6_btb_count(struct p6_outcomes *o, bool is_wrong, bool is_taken)
{
	o->sums += (uint64_t)is_wrong << P6_O_WRONG | (uint64_t)(is_wrong & is_taken)
							  << P6_O_WRONG_TAKEN;
}

static inline void p6_rsb_push(struct p6 *m, uint64_t fall)
{
	if (__builtin_expect(m->rules.broken, 0))
		p6_broken_push(m, fall);
	else
		rsb_push(&m->btb.rsb, fall);
}

/* Where a RET that goes to next is predicted to go; 0: the RSB is empty. Takes the entry off. */
static inline uint64_t p6_rsb_pop(struct p6 *m, uint64_t next)
{
	return __builtin_expect(m->rules.broken, 0) ? p6_broken_pop(m, next) : rsb_pop(&m->btb.rsb);
}

/* Position of the branch whose last byte is at `addr`, or BTB_MISS when it has none. Teaches
 * nothing. *hint: any value; it becomes the position that was found. */
static inline uint32_t p6_btb_position(const struct p6 *m, uint64_t addr, uint16_t *hint)
{
	uint32_t at;

	if (__builtin_expect(btb_is_at(&m->btb.table, *hint, addr), 1))
		return *hint;
	at = btb_find(&m->btb.table, addr);
	if (at != BTB_MISS)
		*hint = (uint16_t)at;
	return at;
}

/* The transfer at the end of a block went to `next`: predict, count, teach.
 * term, target, fall: as in struct x86_block, but a conditional branch to the next instruction has
 * a target where nothing lies (P6_NO_TARGET): with its own target it would always count as taken.
 * hint: where the BTB had the branch last, any value; it becomes where it is now. has_btb false:
 * only taken conditional branches are counted. */
static inline __attribute__((always_inline)) void
p6_btb_resolve(struct p6 *m, unsigned term, uint64_t target, uint64_t fall, uint64_t next,
	       uint16_t *hint, struct p6_outcomes *o, const bool has_btb)
{
	/* by what was predicted * 4 + outcome; a counter says taken from 2 on */
	static const uint64_t sums[8] = {0,
					 P6_O_ONE_TAKEN | P6_O_ONE_WRONG | P6_O_ONE_WRONG_TAKEN,
					 0,
					 P6_O_ONE_TAKEN | P6_O_ONE_WRONG | P6_O_ONE_WRONG_TAKEN,
					 P6_O_ONE_WRONG,
					 P6_O_ONE_TAKEN,
					 P6_O_ONE_WRONG,
					 P6_O_ONE_TAKEN};
	const uint64_t addr = fall - 1;
	const bool is_taken = term != X86_TERM_JCC || next == target;
	bool is_new = false;
	uint32_t at = *hint;

	if (!has_btb || !x86_is_transfer(term)) {
		o->sums += term == X86_TERM_JCC && is_taken;
		return;
	}
	if (__builtin_expect(!btb_is_at(&m->btb.table, at, addr), 0)) {
		if (m->rules.broken == P6_RULE_BTB_ENTERS && !is_taken &&
		    btb_find(&m->btb.table, addr) == BTB_MISS) {
			o->sums += sums[4u * (target < fall)];
			return;
		}
		at = btb_find_or_allocate(&m->btb.table, addr, is_taken, &is_new);
		*hint = (uint16_t)at;
		if (__builtin_expect(is_new, 1) && term == X86_TERM_JCC) {
			const bool is_backward = target < fall,
				   is_odd = m->rules.broken == (is_backward ? P6_RULE_BTB_BACKWARD
									    : P6_RULE_BTB_FORWARD);

			o->sums += sums[4u * (is_backward != is_odd) + is_taken];
			return;
		}
	}
	if (__builtin_expect(term == X86_TERM_JCC, 1)) {
		o->sums += sums[btb_teach(&m->btb.table, at, is_taken)];
		return;
	}
	switch (term) {
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND:
		p6_btb_count(o,
			     (is_new ? fall : m->btb.table.target[at]) != next &&
				 !(is_new && m->rules.broken == P6_RULE_BTB_INDIRECT),
			     true);
		if (is_new || m->rules.broken != P6_RULE_BTB_TARGET)
			m->btb.table.target[at] = next;
		if (term == X86_TERM_CALL_IND)
			p6_rsb_push(m, fall);
		break;
	case X86_TERM_RET: p6_btb_count(o, p6_rsb_pop(m, next) != next, true); break;
	case X86_TERM_CALL:
		p6_rsb_push(m, fall);
		p6_btb_count(o, is_new && m->rules.broken == P6_RULE_BTB_DIRECT, true);
		break;
	default: p6_btb_count(o, is_new && m->rules.broken == P6_RULE_BTB_DIRECT, true); break;
	}
}

#endif
