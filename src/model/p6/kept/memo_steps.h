/* memo_steps.h -- steps from one state of the machine to another: what a block did to the clocks
 * there (memo_steps.c).
 *
 * Most of a run with clocks is looking for steps, in memory that the host's caches do not hold. So
 * what is read each time lies in one line of the host's cache; what is read rarely lies elsewhere;
 * and each step has links to the steps that came behind it.
 *
 * COUNTING RULES   a step counts how often it was used; what it moved is added by p6_steps_take(),
 *                  once for all uses.
 * NOT MODELLED     forgetting single steps: when there is no room, all go.
 */
#ifndef SOFTPMU_MODEL_P6_MEMO_STEPS_H
#define SOFTPMU_MODEL_P6_MEMO_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/p6/clocks/time.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/wrong/wrong_tree.h"

#define P6_LEAP_NEXT   3u
#define P6_LEAP_BEFORE INT16_MIN /* a clock that did not move */

/* A step. Clocks are relative to that of rename before it. */
struct p6_leap {
	uint64_t outcome;
	uint32_t from, block; /* state, and block with how it was left */
	uint32_t next;	      /* state behind it */
	uint32_t times;	      /* uses since p6_steps_take(); P6_LEAP_UNUSED: none */
	uint32_t rest;	      /* where struct p6_leap_rest lies, in words of 4 bytes */
	uint16_t clk;	      /* by which rename moved on */
	int16_t retire_clk, branch_clk, l2_clk; /* P6_LEAP_BEFORE: not moved */
	struct p6_reach reach;
	uint8_t has_front, has_bus;
	/* the steps that came behind it, the last one first: p6_steps_tag() of each, and where it
	 * lies, in bytes behind number 0; 0: none */
	uint16_t tag[P6_LEAP_NEXT];
	uint32_t then[P6_LEAP_NEXT];
	uint32_t later; /* where the step lies that came two behind it the last time: a guess */
};
_Static_assert(sizeof(struct p6_leap) == 64, "one line of the host's cache");
/* Bit 31 of p6_leap.times is set while the step is unused. One use more than 31 bits can count
 * would set it, too: one test of the sign finds both. */
#define P6_LEAP_UNUSED (1u << 31)

/* The steps that begin in one state, the one that was looked for last first. Many steps lead to one
 * state, so this often has a step to which the step before has no link. It is found by the state's
 * number. Two states can share a place: the newer one takes it over, and the steps of the older one
 * are then found in the table of all steps only. */
#define P6_LEAP_MORE 10u
struct p6_leap_more {
	uint32_t owner; /* 0: nobody */
	uint16_t tag[P6_LEAP_MORE];
	uint32_t then[P6_LEAP_MORE];
};
_Static_assert(sizeof(struct p6_leap_more) == 64, "one line of the host's cache");

/* What the external bus did: when it is free, and the entries of its queue that reads took. */
struct p6_leap_bus {
	uint8_t n_read;
	int16_t clk, memory, queue[P6_KEY_READS];
};

/* The front end in front of a wrong path. Clocks and addresses count from those before the step,
 * chunks from its. */
struct p6_leap_front {
	int16_t clk, jump_clk, begin, end, chunk;
	uint16_t groups;
	uint8_t slot, jump_groups;
	bool has_branch : 1, is_fresh : 1, starts_aligned : 1, jump_is_cut : 1;
	struct p6_wrong_first first; /* where that path begins in the tree */
};

/* The reading of a counter by RDPMC, as in struct p6_time; clk P6_LEAP_BEFORE: there was none. */
struct p6_leap_read {
	int16_t clk;
	uint8_t unretired, own;
	struct p6_unread unread;
};

/* A step that leads into a wrong path, and its front. They are neighbours, so that the place of one
 * gives that of the other. */
struct p6_leap_pair {
	struct p6_leap leap;
	struct p6_leap_front front;
};
_Static_assert(sizeof(struct p6_leap_pair) == 2 * sizeof(struct p6_leap), "room of two steps");

/* What is read rarely of a step. */
struct p6_leap_rest {
	struct p6_leap_front front; /* with has_front, in struct p6_leap_pair */
	struct p6_leap_bus bus;	    /* with has_bus */
	struct p6_leap_read read;   /* with P6_GUESS_SETTLED */
};

struct p6_steps {
	struct p6_leap
	    *leap; /* number 0: none; the number behind a step with has_front is its front's */
	uint32_t n_leap, most_leaps;
	uint32_t *rest; /* words: bus, deltas */
	uint32_t n_rest, most_rest;
	uint32_t *of; /* open addressing: numbers, with bits of their hash */
	uint32_t mask;
	struct p6_leap_more *more; /* places, a power of two: */
	uint32_t more_shift;	   /* 32 less its logarithm */
	uint32_t *used;		   /* numbers of those with uses */
	uint32_t n_used;
};

/* Make room for steps in about `bytes` of memory, which is touched as steps come. Returns 0 or
 * -SPMU_ENOMEM; p6_steps_close() may be called in any case. */
int p6_steps_open(struct p6_steps *t, size_t bytes);
void p6_steps_close(struct p6_steps *t);

/* Drop everything. Uses that were not taken are lost. What takes more than about `keep` bytes goes
 * back to the host. */
void p6_steps_flush(struct p6_steps *t, size_t keep);

/* Bytes that they take. */
static inline size_t p6_steps_used(const struct p6_steps *t)
{
	return t->n_leap * sizeof(*t->leap) + t->n_rest * sizeof(*t->rest);
}

/* A wire of the list that the machine keeps, moved by n. */
struct p6_moved {
	uint8_t wire;
	uint32_t n;
};

/* Keep a new step: *l but for times, rest and links, which moved n_moved wires. There must be no
 * step of its from, block and outcome. Returns NULL when there is no room. */
struct p6_leap *p6_steps_add(struct p6_steps *t, const struct p6_leap *l,
			     const struct p6_leap_rest *rest, const struct p6_moved *moved,
			     unsigned n_moved);

/* Returns the list of steps that begin in `state`, or in another state with the same place: compare
 * .owner. Host code works out this place, too. */
#define P6_STEPS_MORE_FACTOR 0x9e3779b1u
static inline struct p6_leap_more *p6_steps_more(const struct p6_steps *t, uint32_t state)
{
	return &t->more[state * P6_STEPS_MORE_FACTOR >> t->more_shift];
}

static inline struct p6_leap *p6_steps_at(const struct p6_steps *t, uint32_t bytes)
{
	return (struct p6_leap *)(void *)((uint8_t *)t->leap + bytes);
}

/* Returns where l lies, as p6_leap.then[] has it. */
static inline uint32_t p6_steps_place(const struct p6_steps *t, const struct p6_leap *l)
{
	return (uint32_t)((const uint8_t *)l - (const uint8_t *)t->leap);
}

/* Prefetch what p6_steps_more() returns for this state. */
static inline void p6_steps_prefetch_more(const struct p6_steps *t, uint32_t state)
{
	__builtin_prefetch(p6_steps_more(t, state));
}

/* Returns the hash by which the table of all steps finds this key. */
static inline uint32_t p6_steps_hash(uint32_t from, uint32_t block, uint64_t outcome)
{
	const uint64_t a = outcome ^ 0x9e3779b97f4a7c15u,
		       b = ((uint64_t)from << 32 | block) ^ 0xd6e8feb86659fd93u;
	const unsigned __int128 product = (unsigned __int128)a * b;

	return (uint32_t)((uint64_t)product ^ (uint64_t)(product >> 64));
}

/* Prefetch the places where a step of this key would be put: in the table of all steps, and in
 * p6_steps_more(t, from). */
void p6_steps_prefetch(const struct p6_steps *t, uint32_t from, uint32_t block, uint64_t outcome);

/* Find the step of this key in p6_steps_more(t, from). Returns NULL when it is not there. `before`
 * is the step that came before it, to which p6_steps_behind() found no link, or number 0; it gets
 * the link. hash: p6_steps_hash(); tag: p6_steps_tag(). Cost: a line or two of the host's cache. */
struct p6_leap *p6_steps_apart(struct p6_steps *t, struct p6_leap *before, uint32_t from,
			       uint32_t block, uint64_t outcome, uint32_t hash, uint16_t tag);

/* Find the step of this key in the table of all steps; call it when p6_steps_apart() returned NULL.
 * Otherwise as p6_steps_apart(). */
struct p6_leap *p6_steps_find(struct p6_steps *t, struct p6_leap *before, uint32_t from,
			      uint32_t block, uint64_t outcome, uint32_t hash, uint16_t tag);

/* Step `to`, of tag `tag`, came behind l, which has no link to it: make the link the first one of
 * l, and forget its last one. */
void p6_steps_link(const struct p6_steps *t, struct p6_leap *l, const struct p6_leap *to,
		   uint16_t tag);

/* Returns the front of step l, which has one. */
static inline struct p6_leap_front *p6_steps_front(struct p6_leap *l)
{
	return &((struct p6_leap_pair *)(void *)l)->front;
}

/* Returns the bus of step l, which has one. */
static inline const struct p6_leap_bus *p6_steps_bus(const struct p6_steps *t,
						     const struct p6_leap *l)
{
	_Static_assert(_Alignof(struct p6_leap_bus) <= 4, "as rests lie");
	return (const struct p6_leap_bus *)(const void *)&t->rest[l->rest];
}

/* Set those parts of *rest that step l has. */
void p6_steps_rest(const struct p6_steps *t, const struct p6_leap *l, struct p6_leap_rest *rest);

/* Add what all uses since the last time moved to total[wire[..]], and forget the uses. Cost: the
 * steps that were used since. */
void p6_steps_take(struct p6_steps *t, const uint16_t *wire, uint64_t *total);

/* Step l is used for the first time since p6_steps_take(). */
static inline void p6_steps_use_first(struct p6_steps *t, struct p6_leap *l)
{
	t->used[t->n_used++] = (uint32_t)(l - t->leap);
	l->times = 0;
}

/* Returns a hash of block and outcome in 16 bits, which is compared before the step itself is read.
 * Host code works it out, too. */
#define P6_STEPS_TAG_OUTCOME 0x9e3779b1u
#define P6_STEPS_TAG_BLOCK   0xd6e8feb9u
static inline uint16_t p6_steps_tag(uint32_t block, uint64_t outcome)
{
	return (uint16_t)(((uint32_t)(outcome ^ outcome >> 32) * P6_STEPS_TAG_OUTCOME +
			   block * P6_STEPS_TAG_BLOCK) >>
			  16);
}

/* Find the step of this key among those that came behind l. Returns NULL when there is none. */
static inline struct p6_leap *p6_steps_behind(const struct p6_steps *t, struct p6_leap *l,
					      uint32_t block, uint64_t outcome, uint16_t tag)
{
	for (unsigned i = 0; i < P6_LEAP_NEXT; i++) {
		struct p6_leap *s = p6_steps_at(t, l->then[i]);

		if (l->tag[i] != tag || s->block != block || s->outcome != outcome)
			continue;
		if (i) { /* one place forward */
			l->then[i] = l->then[i - 1];
			l->tag[i] = l->tag[i - 1];
			l->then[i - 1] = p6_steps_place(t, s);
			l->tag[i - 1] = tag;
		}
		return s;
	}
	return NULL;
}

#endif
