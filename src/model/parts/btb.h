/* btb.h -- branch target buffer: which branches are known, their two-level history, last targets.
 *
 * Used by p6/btb. Positions are numbers below BTB_MAX_ENTRIES; a caller may keep a position as a
 * hint and ask btb_is_at() before it searches: another branch may have been given the place since.
 *
 * COUNTING RULES   look-up is by the address of the last byte of the branch: bits 4 to 8 choose the
 *                  set.
 * MODELLED         sets x ways of processors.tsv (P6: 32 x 16), per entry a 4-bit history of
 *                  outcomes that selects one of 16 two-bit counters, and the last target;
 *                  replacement by a fixed pseudo-random sequence, empty ways first.
 * NOT MODELLED     aliasing: the tag is the whole address (the hardware keeps 28 bits of it), so an
 *                  entry never answers for another branch.
 * SOURCES          geometry and history length measured by Agner Fog; start state of a new entry is
 *                  chosen (docs/MODELS.md "btb").
 */
#ifndef SOFTPMU_MODEL_PARTS_BTB_H
#define SOFTPMU_MODEL_PARTS_BTB_H

#include <stdbool.h>
#include <stdint.h>

#define BTB_MAX_ENTRIES 4096u
#define BTB_MISS	UINT32_MAX

struct btb_entry {
	uint64_t tag;	     /* address of the branch's last byte; 0 = empty */
	uint8_t counter[16]; /* 0..3, chosen by the history */
	uint32_t history;    /* last four outcomes, newest in bit 0 */
	/* Set by host code alone, 0 = nothing known; btb_steady_key() of the branch and an outcome:
	 * the last four outcomes were this one, and so firmly predicted that once more of it
	 * changes nothing here. */
	uint32_t steady;
};

/* What a test may break (btb.odd). */
enum btb_odd {
	BTB_ODD_SET = 1,      /* other bits of the address choose the set */
	BTB_ODD_EMPTY = 2,    /* empty ways are not looked for */
	BTB_ODD_RANDOM = 4,   /* the first way goes */
	BTB_ODD_COUNTER = 8,  /* a new entry predicts strongly */
	BTB_ODD_HISTORY = 16, /* its history is of the other outcome */
	BTB_ODD_SHORT = 32,   /* a history is three outcomes long */
	BTB_ODD_NEXT = 64     /* a counter moves otherwise: btb.odd_next */
};

struct btb {
	struct btb_entry *entry;
	uint32_t *key;	    /* low half of each tag, for a quick search */
	uint16_t *used;	    /* by set: ways that were filled, in order */
	uint64_t *target;   /* last target of an indirect branch */
	uint64_t n_entered; /* branches that got an entry */
	uint32_t random;    /* state of the replacement sequence */
	uint16_t sets, ways;
	uint16_t odd;	  /* enum btb_odd, 0 outside of tests */
	uint8_t odd_next; /* which of the eight moves of a counter */
};

/* What a branch at addr below 2 GiB, which has been taken or not time and again, has in
 * btb_entry.steady. */
static inline uint32_t btb_steady_key(uint64_t addr, bool is_taken)
{
	return (uint32_t)addr | (is_taken ? 0 : 1u << 31);
}

/* Make an empty buffer. Returns 0; -SPMU_EINVAL for an impossible geometry; -SPMU_ENOMEM. */
int btb_open(struct btb *b, unsigned entries, unsigned ways);
/* Free it; also one that btb_open() refused. */
void btb_close(struct btb *b);

/* Forget all branches; the sequence of replacements goes on. */
void btb_empty(struct btb *b);

/* Does position `at` hold the branch that ends at `addr`? Any `at` is allowed. */
static inline bool btb_is_at(const struct btb *b, uint32_t at, uint64_t addr)
{
	return b->entry[at & (BTB_MAX_ENTRIES - 1)].tag == addr;
}

/* Position of the branch that ends at `addr`, or BTB_MISS. */
uint32_t btb_find(const struct btb *b, uint64_t addr);

/* Give the branch, which has none, an entry whose history and counters say `outcome` weakly.
 * Returns its position. Its target is 0 until the caller sets it. In a full set another branch is
 * forgotten.
 */
uint32_t btb_allocate(struct btb *b, uint64_t addr, bool outcome);

/* Both at once: position of the branch, which gets an entry as by btb_allocate() when it has none;
 * *is_new says so. Cost: below 20 ns. */
uint32_t btb_find_or_allocate(struct btb *b, uint64_t addr, bool outcome, bool *is_new);

/* Teach the entry at `at`, which btb_is_at() or btb_find() found, `outcome`. Returns what it had
 * said and the outcome, as counter * 2 + outcome. Once per execution and in program order, else the
 * history is of other outcomes. */
static inline unsigned btb_teach(struct btb *b, uint32_t at, bool outcome)
{
	static const uint8_t next[8] = {0, 1, 0, 2, 1, 3, 2, 3}; /* by counter * 2 + outcome */
	struct btb_entry *e = &b->entry[at];
	uint8_t *c = &e->counter[e->history];
	const unsigned old = *c * 2u + outcome;

	*c = next[old];
	e->history = (e->history * 2 + outcome) & 15;
	e->steady = 0;
	if (__builtin_expect(b->odd, 0)) {
		if (b->odd & BTB_ODD_NEXT && old == b->odd_next)
			*c ^= 1;
		if (b->odd & BTB_ODD_SHORT)
			e->history &= 7;
	}
	return old;
}

/* Predict with the entry at `at`, then teach it `outcome`. Returns the prediction. */
static inline bool btb_predict_update(struct btb *b, uint32_t at, bool outcome)
{
	return btb_teach(b, at, outcome) >> 2;
}

#endif
