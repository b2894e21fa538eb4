/* log.h -- the log of a team: what caches and TLBs of one machine found, written down for the
 * machines that work out the clocks of the same records (decision 024).
 *
 * Under the default of --wrong-path, what caches and TLBs do depends on no clock. So the scout of a
 * team (team.h) does it once. Every access that was no ordinary hit becomes a few words of the log.
 * They go with the records to the worker that works out the clocks of that stretch. A worker that
 * reads a log has no L1D, L2 and DTLB; its L1I and ITLB hold what the log says. Most blocks have no
 * word at all.
 *
 *   word   bits 0..31 the low half of the record's address, 32..47 code, 48..55 which, 56..63 enum
 *          p6_log_kind; what else a kind has lies in the words after it
 *
 * The reader uses the words in the order of the records, and must use all of them: a word that is
 * left over means that the two machines did not do the same (-SPMU_EPROTO).
 *
 * COUNTING RULES   none: a worker with a log counts what one machine counts
 *                  (tests/unit/test_p6_team.c, tests/engine/workers.sh).
 * NOT MODELLED     other shapes of caches and TLBs than the fast one (p6.is_fast_miss): workers do
 *                  the caches themselves then.
 */
#ifndef SOFTPMU_MODEL_P6_LOG_H
#define SOFTPMU_MODEL_P6_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/parts/tlb.h"

struct p6;
struct p6_effect;
struct p6_frame;
struct x86_block;
struct cache_line;

enum p6_log_kind {
	/* reference `which` did what `code` says (time_key.h), but for what it has to do with
	 * older ones */
	P6_LOG_REF,
	/* as P6_LOG_REF; it is the first word of its record, and some of those behind it are no
	 * P6_LOG_REF */
	P6_LOG_REF_AND_MORE,
	P6_LOG_EFFECT, /* reference `which` did what the struct p6_effect behind it says */
	/* fetching line `which` of the block, or several lines up to it, did what `code` says */
	P6_LOG_FETCH,
	P6_LOG_FETCH_EFFECT, /* ... did what the struct p6_effect behind it says */
	P6_LOG_REP, /* REP instruction `which`: a struct p6_log_rep; code: it was not all hits */
	/* L1I's set `which` has, in way `code`, a line of the page whose identity is behind it */
	P6_LOG_LINE,
	P6_LOG_PAGE, /* the ITLB's set `which` has, in way `code`, a struct page */
	P6_LOG_DROP, /* L1I's set `which`: way `code` is empty */
	P6_LOG_END,  /* behind the last one */
	P6_LOG_N_KINDS
};

#define P6_LOG_CODE_AT	32
#define P6_LOG_WHICH_AT 48
#define P6_LOG_KIND_AT	56
/* The word behind the last one of a log. No record lies at an odd address. */
#define P6_LOG_NO_MORE ((uint64_t)P6_LOG_END << P6_LOG_KIND_AT | 1u)

static inline uint64_t p6_log_word(uint32_t record, unsigned code, unsigned which,
				   enum p6_log_kind kind)
{
	return record | (uint64_t)code << P6_LOG_CODE_AT | (uint64_t)which << P6_LOG_WHICH_AT |
	       (uint64_t)kind << P6_LOG_KIND_AT;
}

static inline uint32_t p6_log_record(uint64_t word)
{
	return (uint32_t)word;
}

static inline unsigned p6_log_code(uint64_t word)
{
	return word >> P6_LOG_CODE_AT & 0xffff;
}

static inline unsigned p6_log_which(uint64_t word)
{
	return word >> P6_LOG_WHICH_AT & 0xff;
}

static inline enum p6_log_kind p6_log_kind(uint64_t word)
{
	return (enum p6_log_kind)(word >> P6_LOG_KIND_AT);
}

/* Copy n words, whole records of them, for records whose addresses are `further` bytes higher. The
 * first word of a record becomes a P6_LOG_REF_AND_MORE when one of the others is no P6_LOG_REF. */
void p6_log_copy(uint64_t *to, const uint64_t *word, size_t n, uint32_t further);

/* Returns how many words that of `word` has, itself included. */
unsigned p6_log_words(uint64_t word);

/* ---- writing (log_write.c) ------------------------------------------------------------------- */

/* In p6_log_writer.code: it does not say all of the reference; the rest is in *effect. */
#define P6_LOG_MORE (1u << 31)

/* Counts before an access: what it did is the difference to those after it. */
struct p6_log_counts {
	uint64_t lines, l2, walks, walk_l2, cast_outs, write_backs, upgrades, brd, smc, parts,
	    uc_writes;
};

/* Part of struct p6. All 0: no log is written. */
struct p6_log_writer {
	uint64_t *at, *limit; /* the next word; the end of the room: further words are lost */
	uint32_t code;	      /* of the reference at hand, so far: host code puts it together */
	/* the low half of the address of the record at hand, for what is not host code */
	uint32_t record;
	bool is_on;
	uint64_t *words;
	struct p6_effect *effect;
};

/* m writes a log from now on. Returns 0 or -SPMU_ENOMEM; p6_log_write_close() may be called in any
 * case. */
int p6_log_write_open(struct p6 *m);
void p6_log_write_close(struct p6 *m);

/* Returns the words written since the last call, *n of them; m owns them, and they stay until it is
 * fed again. Returns NULL when there was no room for all of them. */
const uint64_t *p6_log_write_take(struct p6 *m, size_t *n);

/* What is written from now on belongs to the record at `record`. */
static inline void p6_log_write_at(struct p6_log_writer *t, const uint8_t *record)
{
	t->record = (uint32_t)(uintptr_t)record;
}

/* Call the first before an access of data, or of code, and the second after it: what it did is
 * added to what is known of the reference at hand. */
struct p6_log_counts p6_log_write_before(const struct p6 *m, bool is_code);
void p6_log_write_behind(struct p6 *m, const struct p6_log_counts *was);

/* Write what is known of the reference at hand, which is number k, if it was no ordinary hit. The
 * next reference begins. */
void p6_log_write_reference(struct p6 *m, unsigned k);

/* Write what fetching line number `line` of the block did, or several lines up to it. was: the
 * counts before. */
void p6_log_write_fetched(struct p6 *m, const struct p6_log_counts *was, unsigned line);

/* Do and write down, in plain order: fetch the code of instruction i of b; do its REP; do reference
 * k. p6_log_write_string() returns as p6_string_run(). */
void p6_log_write_plain_fetch(struct p6 *m, const struct x86_block *b, unsigned i);
int p6_log_write_string(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);
void p6_log_write_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots);

/* ---- what units write of L1I and the ITLB; nothing happens when no log is written ------------ */

/* One more word. It is lost when there is no room: p6_log_write_take() says so. */
static inline void p6_log_put(struct p6_log_writer *t, uint64_t word)
{
	if (t->at < t->limit)
		*t->at++ = word;
}

/* The first word of something that the record at hand did. */
static inline void p6_log_put_at_hand(struct p6_log_writer *t, unsigned code, unsigned which,
				      enum p6_log_kind kind)
{
	p6_log_put(t, p6_log_word(t->record, code, which, kind));
}

/* A line of the page with that identity came into `way` of L1I's set. */
static inline void p6_log_write_line(struct p6_log_writer *t, uint32_t set, unsigned way,
				     uint32_t page)
{
	if (!t->is_on)
		return;
	p6_log_put_at_hand(t, way, set, P6_LOG_LINE);
	p6_log_put(t, page);
}

/* The line in `way` of L1I's set is gone. */
static inline void p6_log_write_drop(struct p6_log_writer *t, uint32_t set, unsigned way)
{
	if (t->is_on)
		p6_log_put_at_hand(t, way, set, P6_LOG_DROP);
}

/* Page vpn came into the ITLB. */
static inline void p6_log_write_page(struct p6_log_writer *t, const struct tlb *itlb, uint64_t vpn)
{
	const uint32_t set = tlb_set_of(itlb, vpn);
	const struct page *e = itlb->entry + (size_t)set * itlb->ways;

	for (unsigned way = 0; t->is_on && way < itlb->ways; way++) {
		if (e[way].key != vpn)
			continue;
		p6_log_put_at_hand(t, way, set, P6_LOG_PAGE);
		p6_log_put(t, vpn);
		p6_log_put(t, e[way].id | (uint64_t)e[way].colour << 32);
	}
}

/* ---- reading (log_read.c) -------------------------------------------------------------------- */

/* Part of struct p6_time. */
struct p6_log_reader {
	const uint64_t *at; /* the next word */
	/* the low halves of addresses: of the record whose accesses are at hand, of the one that is
	 * fed, and of the block that waits */
	uint32_t record, fed, held;
	bool is_on;
};

/* m reads a log from now on, and has no words yet. */
void p6_log_read_open(struct p6 *m);

/* The first: `words`, up to P6_LOG_NO_MORE, belong to the records that are fed next; they are the
 * caller's and must stay until the second call. The second: these records were fed. Returns 0, or
 * -SPMU_EPROTO when a word was not used. */
void p6_log_read_begin(struct p6 *m, const uint64_t *words);
int p6_log_read_end(struct p6 *m);

/* Take over what the log says of L1I and the ITLB in the record at hand, and pass over the rest of
 * it. */
void p6_log_read_pass(struct p6 *m);

/* *x: what fetching an instruction of the record at hand did, whose last line is number `line` of
 * its block. Returns false when it was nothing but hits. */
bool p6_log_read_fetched(struct p6 *m, unsigned line, struct p6_effect *x);

/* Returns the code (access_code.h) of what reference k of the record at hand did, or -1 when *x
 * says it. */
int p6_log_read_reference(struct p6 *m, unsigned k, struct p6_effect *x);

/* *x: what REP instruction i of the record at hand did, *uops and *copied: its micro-ops, and those
 * that copied. Returns 1; 0 when it was all hits; -SPMU_EPROTO when the log says nothing of it. */
int p6_log_read_string(struct p6 *m, unsigned i, struct p6_effect *x, uint64_t *uops,
		       uint64_t *copied);

/* Returns 0, or -SPMU_EPROTO when a word of the record at hand was not used. */
int p6_log_read_done(const struct p6 *m);

#endif
