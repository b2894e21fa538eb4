/* time_key.c -- what the accesses of a block did, as a word by which its clocks are found again.
 *
 * A code per access that was no ordinary hit (access_code.c), in program order. Mostly these are
 * none to three, which fit into the word; more are kept as a list, and the word is its number.
 * Beside the external bus there is room for one code, or the number of a pair.
 *
 * The clocks of the external bus are part of no state: most blocks leave it alone, and it counts in
 * clocks of its own. A block that needs it has them in its list: the phase of the bus clock, when
 * the data phase and memory are free, and the entries of the queue that its reads will wait for.
 * Nor is that of the L2 data bus, which casts lines out for long behind the last miss: a block with
 * a line or a walk, or with collected micro-ops that have one, says when it is free. Data are asked
 * for behind the next rename; a fetch that misses at the clock of the decoders, which may be before
 * that.
 *
 * COUNTING RULES   equal words, equal clocks: all that p6_fill_data() and p6_fill_code() look at is
 *                  here or in the state.
 */
#include "model/p6/clocks/time_key.h"

#include "model/p6/p6.h"
#include "model/parts/memo.h"

/* six of the reference's or instruction's number, 15 of its code */
#define BITS_PER_CODE P6_OUTCOME_CODE_BITS
#define LONG_OUTCOME  (1ull << 63)
_Static_assert(P6_OUTCOME_LATE_AT >= 2 * BITS_PER_CODE &&
		   P6_OUTCOME_MOST_LATE < 1u << (62 - P6_OUTCOME_LATE_AT),
	       "as they lie");

struct list {
	uint32_t kind; /* no machine's bytes begin so */
	uint32_t n_code;
	uint32_t word[P6_MAX_CODES + 4 + P6_KEY_READS];
};

static uint32_t behind(uint64_t clk, uint64_t from)
{
	if (clk <= from)
		return 0;
	return clk - from < UINT32_MAX ? (uint32_t)(clk - from) : UINT32_MAX;
}

static unsigned bus_reads(const struct p6_accesses *a, const struct p6_reach *reach)
{
	unsigned n = reach->bus;

	for (uint64_t left = a->loud_code; left; left &= left - 1)
		n += p6_bus_wanted(&a->code[__builtin_ctzll(left)]);
	for (unsigned i = 0; i < a->n_code; i++)
		if (!(a->spelt >> i & 1))
			n += p6_code_wants_bus(a->ref_code[i]);
		else if (!(a->ref_code[i] & P6_CODE_FETCH && !(a->ref_code[i] & 15)))
			n += p6_bus_wanted(&a->ref[a->ref_code[i] >> 16]);
	return n;
}

/* How the external bus looks to `reads` that may ask for it from clock `from` on. */
struct bus {
	uint32_t phase, clk, memory;
	uint32_t queue[P6_KEY_READS];
};

static inline void look_at_bus(const struct p6_time *t, unsigned reads, uint64_t from,
			       struct bus *b)
{
	uint32_t at = t->bus_queue_at % t->par.bus_queue;

	/* what is written in parts is not read as a whole: the host would wait for that */
	b->phase = (uint32_t)(t->ren.next_clk % t->bus_ratio2);
	b->clk = behind(t->bus_clk, from);
	b->memory = t->memory_clk > t->bus_clk ? behind(t->memory_clk, from) : 0;
	for (unsigned i = 0; i < P6_KEY_READS; i++) {
		b->queue[i] = i < reads ? behind(t->bus_queue[at], from) : 0;
		at = at + 1 == t->par.bus_queue ? 0 : at + 1;
	}
}

/* With two codes at most, and a queue that is free behind its first entry: 21 bits of the code or
 * the number of the pair, 2 of reads - 1, 4 of the phase, 9 each of the bus, memory and `late`, 7
 * of the queue. */
#define BUS_OUTCOME (3ull << 62)
#define IS_PAIR	    (1ull << 61)
#define PLACES	    8u /* where a pair can be */

int p6_pair_number(struct p6_pairs *t, uint32_t first, uint32_t second)
{
	const uint64_t pair = (uint64_t)first << 32 | second;
	const uint32_t hash = (uint32_t)(pair * 0x9e3779b97f4a7c15u >> 54);

	for (uint32_t i = 0; i < PLACES; i++) {
		const uint32_t number = (hash + i) % P6_PAIRS;

		if (!t->of[number])
			t->of[number] = pair;
		if (t->of[number] == pair)
			return (int)number;
	}
	return -1;
}

/* The codes of a, two at most, in 21 bits, and IS_PAIR; 0: none. false: they do not fit. */
static inline bool codes_in_short(const struct p6_accesses *a, struct p6_pairs *pairs,
				  uint64_t *codes, uint64_t *is_pair)
{
	*codes = *is_pair = 0;
	if (a->n_code == 1) {
		*codes = a->ref_code[0] >> 16 << 15 | (a->ref_code[0] & 0x7fff);
		return a->ref_code[0] >> 16 < 64;
	}
	if (a->n_code == 2) {
		const int number = p6_pair_number(pairs, a->ref_code[0], a->ref_code[1]);

		*codes = (unsigned)number;
		*is_pair = IS_PAIR;
		return number >= 0;
	}
	return !a->n_code;
}

static bool outcome_of_bus(const struct p6_accesses *a, struct p6_pairs *pairs, const struct bus *b,
			   unsigned late, unsigned reads, uint64_t *outcome)
{
	uint64_t v, is_pair;

	_Static_assert(P6_KEY_READS == 4, "two bits");
	_Static_assert(P6_PAIRS <= 1u << BITS_PER_CODE, "as a code");
	if (late > 511 || b->phase > 15 || b->clk > 511 || b->memory > 511 || b->queue[0] > 127 ||
	    (b->queue[1] | b->queue[2] | b->queue[3]) || !codes_in_short(a, pairs, &v, &is_pair))
		return false;
	v = v << 2 | (reads - 1);
	v = v << 4 | b->phase;
	v = v << 9 | b->clk;
	v = v << 9 | b->memory;
	v = v << 7 | b->queue[0];
	*outcome = BUS_OUTCOME | is_pair | v << 9 | late;
	return true;
}

static bool outcome_of_list(const struct p6_time *t, struct memo *room, struct p6_pairs *pairs,
			    unsigned late, unsigned reads, uint64_t from, uint64_t *outcome)
{
	const struct p6_accesses *a = &t->access;
	struct list l; /* as much of it as is used */
	unsigned n = 0;
	uint32_t state;

	if (reads) {
		struct bus b;

		look_at_bus(t, reads, from, &b);
		if (outcome_of_bus(a, pairs, &b, late, reads, outcome))
			return true;
		l.word[n++] = b.phase;
		l.word[n++] = b.clk;
		l.word[n++] = b.memory;
		for (unsigned i = 0; i < reads; i++)
			l.word[n++] = b.queue[i];
	}
	l.kind = UINT32_MAX;
	l.n_code = a->n_code;
	for (unsigned i = 0; i < a->n_code; i++)
		l.word[n++] = a->ref_code[i];
	l.word[n++] = late;
	state = memo_state(room, &l, (2 + n) * (unsigned)sizeof(uint32_t));
	*outcome = LONG_OUTCOME | state;
	return state != MEMO_NONE;
}

/* How late the L2 data bus is for what is asked of it; 0: it is free, or nobody asks. */
static unsigned l2_late(const struct p6_time *t, const struct p6_reach *reach)
{
	const struct p6_accesses *a = &t->access;
	const uint64_t from =
	    a->loud_code ? t->ren.next_clk - reach->front_lag : t->ren.next_clk + 1;
	uint32_t asked = reach->has_l2 ? P6_CODE_LINE : 0;

	if (t->l2_clk <= from)
		return 0;
	for (unsigned i = 0; i < a->n_code; i++)
		asked |= a->ref_code[i];
	return a->loud_code || asked & P6_CODE_ASKS_L2 ? behind(t->l2_clk, from) : 0;
}

bool p6_outcome(const struct p6 *m, struct memo *room, struct p6_pairs *pairs,
		const struct p6_reach *reach, uint64_t *outcome)
{
	const struct p6_time *t = &m->time;
	const struct p6_accesses *a = &t->access;
	uint64_t v = 0;
	unsigned late, reads = reach->bus;

	if (a->is_complex)
		return false;
	if (!(a->n_code | reads | reach->has_l2)) {
		*outcome = 0;
		return true;
	}
	if (a->has_bus)
		reads = bus_reads(a, reach);
	if (reads > P6_KEY_READS || (a->loud_code && reach->front_lag == 255))
		return false;
	late = l2_late(t, reach);
	if (reads || a->n_code > 3 || (late && a->n_code > 2) || late > P6_OUTCOME_MOST_LATE)
		return outcome_of_list(
		    t, room, pairs, late, reads,
		    a->loud_code ? t->ren.next_clk - reach->front_lag : t->ren.next_clk, outcome);
	for (unsigned i = 0; i < a->n_code; i++) {
		if (a->ref_code[i] >> 16 >= (a->n_code == 3 ? 32u : 64u))
			return outcome_of_list(t, room, pairs, late, reads, t->ren.next_clk,
					       outcome);
		v = v << BITS_PER_CODE | a->ref_code[i] >> 16 << 15 | (a->ref_code[i] & 0x7fff);
	}
	*outcome = late ? v | P6_OUTCOME_HAS_LATE | (uint64_t)late << P6_OUTCOME_LATE_AT : v;
	return true;
}
