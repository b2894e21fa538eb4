/* log.h -- what caches and TLBs of one machine found, told to others that do the clocks of the same records (decision 024).
 *
 * Under the default of --wrong-path what structures do depends on no clock. So the scout of a team (team.h) does them once, and whatever
 * was no ordinary hit becomes words that go with the records to the worker whose stretch it is; the worker does without L1D, L2 and
 * DTLB, and its L1I and ITLB hold what it is told. Most blocks have no word at all.
 *
 *   word   bits 0..31 the low half of the record's address, 32..47 code, 48..55 which, 56..63 enum p6_log_kind; what else a kind has
 *          lies in words behind it
 *
 * COUNTING RULES   none: a worker that is told counts what one machine counts (tests/unit/test_p6_team.c, tests/engine/workers.sh).
 * NOT MODELLED     other shapes of caches and TLBs than the usual one (p6.is_fast_miss): workers do the structures themselves then.
 */
#ifndef SOFTPMU_MODEL_P6_LOG_H
#define SOFTPMU_MODEL_P6_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct p6;
struct p6_touch;
struct p6_frame;
struct x86_block;
struct cache_line;

enum p6_log_kind {
	P6_LOG_REF,   /* reference `which` did what `code` says (time_key.h), but for what it has to do with older ones */
	P6_LOG_REF_AND_MORE, /* the same; it is the first word of its record, and some of those behind it are no P6_LOG_REF */
	P6_LOG_TOUCH, /* the same, as a struct p6_touch */
	P6_LOG_FETCH, /* fetching line `which` of the block, or those up to it, did what `code` says; */
	P6_LOG_FETCH_TOUCH, /* the same, as a struct p6_touch */
	P6_LOG_REP,   /* REP instruction `which`: a struct p6_log_rep; code: it was not all hits */
	P6_LOG_LINE,  /* L1I's set `which` has, in way `code`, a line of the page whose identity is behind it */
	P6_LOG_PAGE,  /* the ITLB's set `which` has, in way `code`, a struct page */
	P6_LOG_DROP,  /* L1I's set `which`: way `code` is empty */
	P6_LOG_END,   /* behind the last one */
	P6_LOG_N_KINDS
};

#define P6_LOG_CODE_AT	 32
#define P6_LOG_WHICH_AT 48
#define P6_LOG_KIND_AT	 56
/* Nothing more is told. No record lies at an odd address. */
#define P6_LOG_NO_MORE ((uint64_t)P6_LOG_END << P6_LOG_KIND_AT | 1u)

static inline uint64_t p6_log_word(uint32_t record, unsigned code, unsigned which, enum p6_log_kind kind)
{
	return record | (uint64_t)code << P6_LOG_CODE_AT | (uint64_t)which << P6_LOG_WHICH_AT | (uint64_t)kind << P6_LOG_KIND_AT;
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

/* n words, all of their records, are copied for records that lie `further` bytes behind; in the first one of a record it is noted when others are
 * no P6_LOG_REF. */
void p6_log_copy(uint64_t *to, const uint64_t *word, size_t n, uint32_t further);

/* Words of this one, itself included. */
unsigned p6_log_words(uint64_t word);

/* ---- the side that tells (log_write.c) ------------------------------------------------------------------- */

/* In tell.code: a part of the reference is in tell.touch. */
#define P6_LOG_MORE (1u << 31)

/* Counts before an access. */
struct p6_log_counts {
	uint64_t lines, l2, walks, walk_l2, cast_outs, write_backs, upgrades, brd, smc, parts, uc_writes;
};

/* Part of struct p6. All 0: nothing is told. */
struct p6_log_writer {
	uint64_t *at, *limit; /* the next word; behind the last one that has room: when it is reached some are lost */
	uint32_t code;	      /* of the reference at hand, so far: host code puts it together */
	uint32_t record;      /* the low half of the address of the record at hand, for what is not host code */
	bool is_on;
	uint64_t *words;
	struct p6_touch *touch;
};

/* m tells from now on. Returns 0 or -SPMU_ENOMEM; p6_log_write_close() may be called in any case. */
int p6_log_write_open(struct p6 *m);
void p6_log_write_close(struct p6 *m);

/* What m told since the last time, *n words: they stay until it is fed again. NULL: there was more than there is room for. */
const uint64_t *p6_log_write_take(struct p6 *m, size_t *n);

/* The record at `record` is at hand. */
static inline void p6_log_write_at(struct p6_log_writer *t, const uint8_t *record)
{
	t->record = (uint32_t)(uintptr_t)record;
}

/* Around an access of data, or of code: what it did is put together for the reference at hand. */
struct p6_log_counts p6_log_write_before(const struct p6 *m, bool is_code);
void p6_log_write_behind(struct p6 *m, const struct p6_log_counts *was);

/* What was put together was reference k. */
void p6_log_write_reference(struct p6 *m, unsigned k);

/* Line number `line` of the block was fetched, or several up to it. */
void p6_log_write_fetched(struct p6 *m, const struct p6_log_counts *was, unsigned line);

/* In full: the code of instruction i of b; its REP; and reference k. Return as the functions of plain.c and strings.c. */
void p6_log_write_plain_fetch(struct p6 *m, const struct x86_block *b, unsigned i);
int p6_log_write_string(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots);
void p6_log_write_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k, const uint8_t *slots);

/* Of L1I and the ITLB; nothing happens when nothing is told. */
void p6_log_write_line(struct p6 *m, uint32_t set, unsigned way, uint32_t page);
void p6_log_write_page(struct p6 *m, uint64_t vpn);
void p6_log_write_drop(struct p6 *m, uint32_t set, unsigned way);

/* ---- the side that is told (log_read.c) ----------------------------------------------------------------- */

/* Part of struct p6_time. */
struct p6_log_reader {
	const uint64_t *at; /* the next word */
	/* the low halves of addresses: of the record whose accesses are at hand, of the one that is fed, and of the block that waits */
	uint32_t record, fed, held;
	bool is_on;
};

/* Nothing is told yet, from now on. */
void p6_log_read_open(struct p6 *m);

/* Words, up to P6_LOG_NO_MORE, for the records that are fed next; and these were fed, and the words go: returns 0, or -SPMU_EPROTO when some
 * were not used. */
void p6_log_read_begin(struct p6 *m, const uint64_t *words);
int p6_log_read_end(struct p6 *m);

/* What is said of L1I and the ITLB in the record at hand, of which nothing else is used. */
void p6_log_read_pass(struct p6 *m);

/* What fetching an instruction of the record at hand did, whose last line is number `line` of its block. Returns false when it was nothing but
 * hits. */
bool p6_log_read_fetched(struct p6 *m, unsigned line, struct p6_touch *x);

/* Reference k of that: returns its code, or -1 when *x says what it did. */
int p6_log_read_reference(struct p6 *m, unsigned k, struct p6_touch *x);

/* REP instruction i. Returns 1 or, when it was all hits, 0; -SPMU_EPROTO. */
int p6_log_read_string(struct p6 *m, unsigned i, struct p6_touch *x, uint64_t *uops, uint64_t *copied);

/* All that was told of the record at hand must be used. Returns 0 or -SPMU_EPROTO. */
int p6_log_read_done(const struct p6 *m);

#endif
