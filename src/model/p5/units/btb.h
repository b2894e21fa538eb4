/* btb.h -- the branch target buffers of the P5: tables, and what one look-up found.
 *
 * Used by btb.c, btb_pair.c (Pentium: keyed by the pair before the branch's) and btb_bank.c
 * (Pentium with MMX: keyed by the branch's last byte, with local histories).
 *
 * Every slot is seen once, in program order, by p5_btb_see() or one of its short forms. A slot that
 * is left out, or seen twice, moves p5_btb.now wrongly, so that outcomes count as too old or too
 * new, and on the Pentium the next slot is looked up by the wrong key.
 *
 * KEPT UP          entry[], low[] and map[] say the same: p5_btb_make(), p5_btb_make_new() and
 *                  p5_btb_drop() alone change keys. A bit of the map that is 0 although there is
 *                  such a key hides its entry, and the slot counts as not predicted; a key in
 *                  entry[] that low[] lacks is not found, and would be made a second time. A hint
 *                  may be wrong: whoever uses it compares the key.
 */
#ifndef SOFTPMU_MODEL_P5_BTB_H
#define SOFTPMU_MODEL_P5_BTB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define P5_NOWHERE UINT64_MAX /* no instruction lies there */

struct p5;
struct p5_slot;

#define P5_BTB_MAX_ENTRIES  1024u
#define P5_BTB_NO_KEY	    UINT64_MAX
#define P5_BTB_LAGS	    6u	/* updates that come too late for a look-up; with MMX */
#define P5_BTB_SEEN	    8u	/* a power of two, P5_BTB_LAGS at least */
#define P5_BTB_HISTORY_MASK 15u /* with MMX: the outcomes that choose a counter */
#define P5_BTB_NOT_FAST	    UINT64_MAX
#define P5_BTB_MAP_BYTES    8192u
#define P5_BTB_HINTS	    4096u
#define P5_BTB_MOST_SLOT    30u /* bytes of a slot */

/* How a branch is to be looked at by the BTB. */
enum p5_branch_kind {
	P5_BR_NONE = 0,
	P5_BR_JCC,  /* conditional near jumps */
	P5_BR_LOOP, /* JCXZ and LOOPcc */
	P5_BR_JMP,  /* direct */
	P5_BR_CALL,
	P5_BR_JMP_IND,
	P5_BR_CALL_IND,
	P5_BR_RET,
	P5_BR_FAR, /* far JMP, CALL and RET, IRET: never predicted, each flushes */
	/* traps into the kernel, serialising instructions, VERR, VERW: no flush, prefetch starts
	 * anew */
	P5_BR_STOP,
};

/* What kind of branch an entry of the Pentium with MMX belongs to (test register TR9). */
enum p5_btb_type { P5_BTB_JCC = 0, P5_BTB_LOOP, P5_BTB_JMP, P5_BTB_CALL, P5_BTB_RET };

struct p5_btb_entry {
	uint64_t key; /* Pentium: U address of the pair before; with MMX: the branch's last byte */
	uint64_t target;   /* where it went last */
	uint32_t counters; /* Pentium: bits 1:0; with MMX: sixteen of 2 bits, by history */
	/* when it was taught: Pentium: slots, the first alone; with MMX: instructions, in a ring */
	uint32_t seen[P5_BTB_SEEN];
	uint16_t outcomes; /* with MMX: newest in bit 0 */
	uint8_t type;	   /* with MMX: enum p5_btb_type */
	bool is_fresh;	   /* Pentium: made by the last outcome */
	uint8_t newest;	   /* with MMX: which of seen[] was the last */
};
_Static_assert(sizeof(struct p5_btb_entry) == 64, "one line of the host's caches");

struct p5_btb {
	struct p5_btb_entry *entry; /* by set and way */
	uint32_t
	    *low; /* by set and lane: the low half of each key without its key_shift lowest bits */
	/* a bit by low bits of each key: 0 = there is none; the first 8 bytes again */
	uint8_t map[P5_BTB_MAP_BYTES + 8];
	/* by low bits of a key: at how many bytes of entry[] its entry may be */
	uint16_t hint[P5_BTB_HINTS];
	uint32_t random; /* state of the replacement sequence */
	uint16_t set_mask;
	uint8_t ways;
	uint16_t lanes;	   /* ways in fours */
	uint8_t key_shift; /* bits of a key below those that choose the set */
	bool is_pair;	   /* Pentium */
	bool is_by_pair;   /* and keys are those of the slot before */
	/* what came before the slot that is looked up */
	uint64_t prev_u;   /* its U address; P5_BTB_NO_KEY: nothing came before */
	uint32_t now;	   /* slots, with MMX instructions, so far (modulo 2^32) */
	uint32_t flush_at; /* `now` of the last flush */
	bool had_flush;	   /* the slot before ended in a flush */
	bool could_pair;   /* the slot before: see struct p5_slot */
	uint16_t reserved; /* host code writes it with the two above */
};

/* What the BTB said of a slot. */
struct p5_guess {
	struct p5_btb_entry *entry; /* of the branch, NULL: none */
	bool is_hit;		    /* a live entry answered, whatever it was worth */
	bool is_taken;		    /* it sent the stream to `target` */
	bool is_false;		    /* although there is no such branch in the slot */
	unsigned index;		    /* with MMX: the counter that was asked */
	uint64_t target;	    /* also when it is not taken; 0: there is none */
};

/* Set up for the processor of m, with its return stack. Returns 0, -SPMU_EINVAL (geometry) or
 * -SPMU_ENOMEM. p5_btb_close() frees the memory and may be called in any case. */
int p5_btb_open(struct p5 *m);
void p5_btb_close(struct p5_btb *b);

/* Forget all branches, as a load of CR3 does; the sequence of replacements goes on. The return
 * stack is the caller's to empty. */
void p5_btb_empty(struct p5_btb *b);

/* kind: enum p5_branch_kind of the branch. */
static inline enum p5_btb_type p5_btb_type_of(unsigned kind)
{
	switch (kind) {
	case P5_BR_JCC: return P5_BTB_JCC;
	case P5_BR_LOOP: return P5_BTB_LOOP;
	case P5_BR_CALL:
	case P5_BR_CALL_IND: return P5_BTB_CALL;
	case P5_BR_RET: return P5_BTB_RET;
	default: return P5_BTB_JMP;
	}
}

/* May there be an entry of `key`? false is certain; true is not, because keys share bits. */
static inline bool p5_btb_may_have(const struct p5_btb *b, uint64_t key)
{
	return b->map[key >> 3 & (P5_BTB_MAP_BYTES - 1)] >> (key & 7) & 1;
}

/* Bits of the map of the keys from `first` on, P5_BTB_MOST_SLOT at least, in bit 0 that of
 * `first`. */
static inline uint64_t p5_btb_bits(const struct p5_btb *b, uint64_t first)
{
	uint64_t bits;

	memcpy(&bits, b->map + (first >> 3 & (P5_BTB_MAP_BYTES - 1)), sizeof(bits));
	return bits >> (first & 7);
}

/* Returns the lowest n of `bits`, which p5_btb_bits() returned. */
static inline uint64_t p5_btb_first(uint64_t bits, unsigned n)
{
	return bits & ((1ull << n) - 1);
}

/* Returns true if no entry can answer for the slot from u_pc to `fall`, the address behind its last
 * instruction. */
static inline bool p5_btb_is_silent(const struct p5_btb *b, uint64_t u_pc, uint64_t fall)
{
	if (b->is_pair)
		return !p5_btb_may_have(b, b->is_by_pair ? b->prev_u : u_pc);
	return !p5_btb_first(p5_btb_bits(b, u_pc), (unsigned)(fall - u_pc));
}

/* Pass a slot of n instructions that has no branch and for which p5_btb_is_silent() returned true;
 * execution goes straight on. p5_btb_see() would do no more. If an entry could answer for the slot,
 * what it says would be lost, with its counts. */
static inline void p5_btb_go_on(struct p5_btb *b, uint64_t u_pc, unsigned n, bool could_pair)
{
	b->now += b->is_pair ? 1 : n;
	b->had_flush = false;
	b->prev_u = u_pc;
	b->could_pair = could_pair;
}

/* Returns the entry that `key` had when it was noted last (p5_btb_hint()). It may be the entry of
 * another key by now: compare its key. */
static inline struct p5_btb_entry *p5_btb_hinted(const struct p5_btb *b, uint64_t key)
{
	_Static_assert((P5_BTB_MAX_ENTRIES - 1) * sizeof(struct p5_btb_entry) <= UINT16_MAX,
		       "a hint has room");
	return (struct p5_btb_entry *)(void *)((uint8_t *)b->entry +
					       b->hint[key & (P5_BTB_HINTS - 1)]);
}

/* Note that the entry of `key` is e, for p5_btb_hinted(). */
static inline void p5_btb_hint(struct p5_btb *b, uint64_t key, const struct p5_btb_entry *e)
{
	b->hint[key & (P5_BTB_HINTS - 1)] =
	    (uint16_t)((const uint8_t *)e - (const uint8_t *)b->entry);
}

/* The entry whose key equals `key` above the lowest key_shift bits; NULL: there is none. With MMX
 * it may be that of another branch in the same 4 bytes, so compare its key before you use it. It
 * lies in b and is that key's until the next p5_btb_make(), p5_btb_make_new() or p5_btb_drop(). */
struct p5_btb_entry *p5_btb_find(const struct p5_btb *b, uint64_t key);

/* An empty entry for `key`: one that is there already for it, a free one, or one chosen at random,
 * whose branch is forgotten. The caller fills it in at once (p5_btb_pair_begin(),
 * p5_btb_bank_begin()): its counter is 0 till then, and on the Pentium the next outcome would count
 * it down past 0. */
struct p5_btb_entry *p5_btb_make(struct p5_btb *b, uint64_t key);

/* As p5_btb_make(), for a key of which p5_btb_find() has said that it has no entry; else the key
 * would have two entries. */
struct p5_btb_entry *p5_btb_make_new(struct p5_btb *b, uint64_t key);

/* Empty the entry, which has a key. */
void p5_btb_drop(struct p5_btb *b, struct p5_btb_entry *e);

/* btb_pair.c, btb_bank.c: look slot s up; then teach what came of it. Teach before the next slot is
 * looked up, because that may give g->entry to another key. p5_btb_see() calls both, and teaches
 * only where an entry answered or the slot has a branch that can be predicted. */
struct p5_guess p5_btb_pair_ask(struct p5 *m, const struct p5_slot *s);
void p5_btb_pair_teach(struct p5 *m, const struct p5_slot *s, const struct p5_guess *g);
struct p5_guess p5_btb_bank_ask(struct p5 *m, const struct p5_slot *s);
void p5_btb_bank_teach(struct p5 *m, const struct p5_slot *s, const struct p5_guess *g);

/* btb_pair.c: returns true if entry e, which is looked up now, sends the stream to its target. Call
 * it once per slot, after `now` was moved on for the slot: it notes that the entry was used. */
bool p5_btb_pair_sends(struct p5 *m, struct p5_btb_entry *e);

/* Entry e answered for a slot that jumps to `next` (is_jump), or does not jump. Move its counter.
 * An entry whose counter comes to 0 is dropped, so read its target before. */
void p5_btb_pair_learn(struct p5_btb *b, struct p5_btb_entry *e, bool is_jump, uint64_t next);

/* Fill in the new entry e, of a slot that jumps to `next`. */
void p5_btb_pair_begin(const struct p5_btb *b, struct p5_btb_entry *e, uint64_t next);

/* A slot as host code knows it when it is written. */
enum p5_host_slot {
	P5_HOST_KIND_MASK = 15, /* enum p5_branch_kind */
	P5_HOST_WITH_V = 1 << 4,
	P5_HOST_COULD_PAIR = 1 << 5,
	P5_HOST_TAKEN = 1 << 6,
	P5_HOST_PASS = 1 << 7,	   /* it is a P5_ACT_PASS */
	P5_HOST_FROM_U_SHIFT = 8,  /* 4 bits: bytes from the first to the last instruction */
	P5_HOST_LENGTH_SHIFT = 12, /* 4 bits: of the last instruction */
};

/* btb_pair.c: the Pentium executes the slot from u_pc on that `what` says (enum p5_host_slot), and
 * goes on at next. Returns as p5_btb_see(), with P5_SLOT_NOT_PASSED for a slot that was to pass, or
 * P5_BTB_NOT_FAST: nothing was done. */
uint64_t p5_btb_see_pair(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what);

/* btb_bank.c: the Pentium with MMX executes the slot from u_pc on that `what` says (enum
 * p5_host_slot), and goes on at next. Returns as p5_btb_see(), or P5_BTB_NOT_FAST: nothing was
 * done. */
uint64_t p5_btb_see_fast(struct p5 *m, uint64_t u_pc, uint64_t next, uint32_t what);

/* btb_bank.c: outcomes of e that came too late for a look-up now: 0 to P5_BTB_LAGS. */
unsigned p5_btb_lag(const struct p5 *m, const struct p5_btb_entry *e);

/* The branch that ends at `last` was taken to next and gets an entry, in place of one for the same
 * 4 bytes. kind: enum p5_branch_kind. */
void p5_btb_bank_begin(struct p5 *m, uint64_t last, uint64_t next, unsigned kind);

/* rsb.c: the return stack of the Pentium with MMX. */
/* Push `fall`, the address to which the return of a CALL goes. */
void p5_rsb_call(struct p5 *m, uint64_t fall);

/* Pop an entry for a RET, of which the BTB has an entry (is_known) or not. Returns where the RET is
 * sent; 0: nowhere. */
uint64_t p5_rsb_ret(struct p5 *m, bool is_known);

/* One issue slot, as the BTB and the front end see it. */
struct p5_slot {
	uint64_t u_pc, v_pc; /* v_pc 0: nothing went down V */
	uint64_t ex_clk;     /* EX of the slot begins */
	uint64_t end_clk;    /* its last EX clock is over */
	/* of the branch: the fetch stage had it in this clock (as p5_pf_ready counts, in clocks
	 * of EX) and can go on where it is predicted to go in the next; 0: in end_clk */
	uint64_t fetch_clk;
	/* nothing went down V for the only reason that the next instruction's boundaries were
	 * not known (first execution): the pair would have been allowed */
	bool could_pair;
	uint8_t insn;	 /* number of the U instruction in its block */
	uint16_t offset; /* of the last instruction in the block */
	/* the branch that ends the slot, if any */
	uint8_t kind; /* enum p5_branch_kind */
	bool is_in_v, is_taken;
	uint8_t bytes; /* of the branch */
	uint64_t pc;   /* of the branch */
	uint64_t next; /* where execution goes on */
	/* behind the last instruction of the slot, branch or not: the slot's bytes are u_pc to
	 * fall */
	uint64_t fall;
};

/* Can the branch at the end of s be predicted? */
static inline bool p5_slot_is_predictable(const struct p5_slot *s)
{
	return s->kind >= P5_BR_JCC && s->kind <= P5_BR_RET;
}

/* After a slot that does not jump, or whose transfer is never predicted: does the stream begin
 * anew? */
static inline bool p5_slot_is_left(const struct p5_slot *s)
{
	const bool is_transfer = s->kind == P5_BR_FAR || s->kind == P5_BR_STOP;

	return is_transfer || (s->next != s->fall && s->next != P5_NOWHERE);
}

/* The structures' part of p5_btb_slot(): looks the slot up, teaches the branch. Returns what was
 * seen: enum p5_slot_seen, as look.h says. */
uint64_t p5_btb_see(struct p5 *m, const struct p5_slot *s);

#endif
