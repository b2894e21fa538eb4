/* memo.h -- what a block did to a machine the last time it started in this state: timings kept and
 * used again.
 *
 * Used by p5 and p6 when clocks are counted. The room knows neither machines nor blocks. It keeps
 * two kinds of things, both found by exact comparison: states, which are strings of bytes that the
 * machine makes of itself, and steps. A step says: from here (a state, or another step), with this
 * block and this outcome, so many clocks passed and such wires moved, and then the machine was in
 * that state. What a machine puts into its state, its outcomes and the bytes that a step carries
 * along is its own matter; for results to be the same with and without the room,
 *   - two states may be equal only if all their futures are, so clocks are written relative to now,
 *     and those that nothing can compare any more as one value;
 *   - block and outcome hold everything that the state does not and on which the time of the block
 *     depends.
 *
 * A machine that looks outside in the middle of a block makes a tree: a step goes on inside another
 * one, aside from it, where a look there has another outcome than the one that it says. Those that
 * go on from one step are few, and in a list.
 *
 * COUNTING RULES   a step counts how often it was used. What it moved is added once for all uses,
 *                  by memo_take(); the first time, when the machine found out, is not a use.
 * MODELLED         nothing.
 * NOT MODELLED     forgetting single states: when the memory is full, everything goes.
 */
#ifndef SOFTPMU_MODEL_PARTS_MEMO_H
#define SOFTPMU_MODEL_PARTS_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMO_NONE      0u
#define MEMO_MAX_STATE 4000u /* bytes of a state */
#define MEMO_MAX_EXTRA 4000u /* bytes that a step carries along */

/* A wire, or whatever else the machine sums up by number, moved by n. */
struct memo_delta {
	uint32_t index;
	uint32_t n;
};

/* A step. Its owner may write then, or_then, own, and the bytes it carries. */
struct memo_step {
	uint64_t outcome;
	uint32_t from;		/* state, or the step from which it goes on */
	uint32_t block;		/* block, or the number of the look there */
	uint32_t next;		/* state behind it */
	uint32_t clk;		/* clocks that passed */
	uint64_t times;		/* uses since the last memo_take() */
	struct memo_step *then; /* the step that came after it last, or NULL: a guess */
	uint32_t aside;		/* the first step that goes on from it, or 0 */
	/* the step that begins in a state from which it goes on in the end; that may be itself */
	uint32_t first;
	uint32_t sibling; /* the next step with the same hash; or that goes on from the same step */
	uint32_t or_then; /* id of one that came after it, too, or 0: a second guess */
	uint32_t bulk;	  /* struct memo_bulk, so many times 8 bytes behind it */
	uint32_t own;	  /* the owner's; 0 in a new step */
};
_Static_assert(sizeof(struct memo_step) == 64, "steps begin at host cache lines");

/* What is seldom looked at lies apart, so that steps that follow each other are neighbours in the
 * host's memory. */
struct memo_bulk {
	uint16_t n_delta, n_extra;
	uint32_t used_next; /* id of the next step with uses, or 0 */
	/* n_extra bytes; then, at a multiple of 8, n_delta of struct memo_delta */
};

struct memo {
	uint8_t *arena;		 /* steps from below, all else from above */
	size_t bytes, low, high; /* offsets: what lies between them is free */
	uint32_t *state_of;	 /* open addressing: ids, with bits of their hash */
	uint32_t *step_of;	 /* heads of chains: ids */
	uint32_t mask;		 /* of both */
	uint32_t used_head;	 /* of the list of steps with uses */
	uint32_t n_states, n_steps, n_flushes;
};

/* Set up with at most `bytes` (1 MiB to 1 GiB) for states and steps, and a 32nd of it for finding
 * them; memory is touched as it is used. Returns 0, -SPMU_EINVAL or -SPMU_ENOMEM; memo_close() may
 * be called in any case. */
int memo_open(struct memo *m, size_t bytes);
void memo_close(struct memo *m);

/* The state that consists of these n bytes (1 to MEMO_MAX_STATE), new or known. The bytes are
 * copied. MEMO_NONE: there is no room; the caller takes what was used (memo_take()), flushes, and
 * begins anew. Ids are not 0. Cost: a hash over the bytes and a comparison. */
uint32_t memo_state(struct memo *m, const void *bytes, unsigned n);

/* memo_state() in two parts, between which the caller can do other things: memo_state_hash()
 * prefetches what memo_state_hashed() reads, and returns the `hash` that it wants. */
uint64_t memo_state_hash(const struct memo *m, const void *bytes, unsigned n);
uint32_t memo_state_hashed(struct memo *m, const void *bytes, unsigned n, uint64_t hash);

/* As memo_state_hashed(), for known states only. Returns MEMO_NONE, and adds nothing, when this one
 * is not known. */
uint32_t memo_state_known(const struct memo *m, const void *bytes, unsigned n, uint64_t hash);

/* The bytes of a state, aligned to 8, valid until memo_flush(); *n receives how many. */
const void *memo_state_bytes(const struct memo *m, uint32_t state, unsigned *n);

/* Prefetch the first bytes of a state. */
static inline void memo_state_prefetch(const struct memo *m, uint32_t state)
{
	const uint8_t *p = m->arena + ((size_t)state << 3);

	__builtin_prefetch(p);
	__builtin_prefetch(p + 64);
	__builtin_prefetch(p + 128);
}

/* What a new step is made of. Arrays are copied. */
struct memo_fact {
	const struct memo_delta *delta;
	unsigned n_delta;
	const void *extra;
	unsigned n_extra;
	uint32_t next, clk;
};

/* Keep a new step; there must be none of this key. NULL: there is no room (or the fact is too
 * long). */
struct memo_step *memo_add(struct memo *m, uint32_t from, uint32_t block, uint64_t outcome,
			   const struct memo_fact *f);

/* The step of this key, or NULL. Cost: a hash and, mostly, two cache lines. */
struct memo_step *memo_find(const struct memo *m, uint32_t from, uint32_t block, uint64_t outcome);

/* As memo_add(), for a step that goes on from step `from` when look number `look` there has this
 * outcome. */
struct memo_step *memo_add_aside(struct memo *m, struct memo_step *from, uint32_t look,
				 uint64_t outcome, const struct memo_fact *f);

/* Returns the step that memo_add_aside() has kept for this look and outcome, or NULL. It becomes
 * the first in the list of `from`. Cost: those before it in the list. */
struct memo_step *memo_aside(struct memo *m, struct memo_step *from, uint32_t look,
			     uint64_t outcome);

/* s, which begins in a state, and all that goes on from it are not found any more; s->from is
 * MEMO_NONE then. Their uses count, and pointers to them stay valid, until memo_flush(). Cost:
 * those with the same hash. */
void memo_drop(struct memo *m, struct memo_step *s);

/* Add what all uses since the last time moved to total[], and forget the uses; each, unless NULL,
 * is called for each step before its uses are added. `clk` is not added: the machine has moved its
 * clock already. Cost: the steps that were used since. */
typedef void memo_each(void *ctx, const struct memo_step *s);
void memo_take(struct memo *m, uint64_t *total, memo_each *each, void *ctx);

/* Drop everything. No id and no step is valid any more; uses that were not taken are lost, and with
 * them what they counted: call memo_take() before. */
void memo_flush(struct memo *m);

/* As memo_flush(), and give the memory of the arena back to the host, but for its last `keep`
 * bytes, which states take first. */
void memo_flush_to(struct memo *m, size_t keep);

/* The id of a step; never that of a state. Id 0 has the room of a step, too, all 0. */
static inline uint32_t memo_id(const struct memo *m, const struct memo_step *s)
{
	return (uint32_t)((size_t)((const uint8_t *)s - m->arena) >> 3);
}

/* The step of an id. */
static inline struct memo_step *memo_step_at(const struct memo *m, uint32_t id)
{
	return (struct memo_step *)(void *)(m->arena + ((size_t)id << 3));
}

static inline struct memo_bulk *memo_bulk(const struct memo_step *s)
{
	return (struct memo_bulk *)(void *)((uint8_t *)s + ((size_t)s->bulk << 3));
}

/* The bytes that a step carries along, aligned to 8, and how many. */
static inline void *memo_extra(const struct memo_step *s)
{
	return memo_bulk(s) + 1;
}

static inline unsigned memo_n_extra(const struct memo_step *s)
{
	return memo_bulk(s)->n_extra;
}

/* Two words as one, whose bits depend on all of theirs: for hashes. */
static inline uint64_t memo_mix(uint64_t a, uint64_t b)
{
	const unsigned __int128 product =
	    (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Bytes in use. */
static inline size_t memo_used(const struct memo *m)
{
	return m->low + (m->bytes - m->high);
}

/* What is left of a room of `all` bytes when other things have taken theirs of it: at least a
 * least_part-th. */
static inline size_t memo_left(size_t all, size_t taken, unsigned least_part)
{
	return taken < all - all / least_part ? all - taken : all / least_part;
}

/* The step is likely to be asked for soon. */
static inline void memo_prefetch(const struct memo_step *s)
{
	__builtin_prefetch(s);
}

/* Count a use. */
static inline void memo_use(struct memo *m, struct memo_step *s)
{
	if (!s->times++) {
		memo_bulk(s)->used_next = m->used_head;
		m->used_head = memo_id(m, s);
	}
}

/* memo_find(), by the guess of the step before first. */
static inline struct memo_step *memo_follow(const struct memo *m, struct memo_step *before,
					    uint32_t from, uint32_t block, uint64_t outcome)
{
	struct memo_step *s = before->then;

	if (s && s->outcome == outcome && s->block == block && s->from == from)
		return s;
	s = memo_find(m, from, block, outcome);
	if (s)
		before->then = s;
	return s;
}

#endif
