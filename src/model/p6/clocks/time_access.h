/* time_access.h -- what a block does to caches, TLBs and buffers, found out before its clocks
 * (time_access.c, time_log.c).
 *
 * The result is time.access (struct p6_accesses): per reference and per fetched instruction what
 * happened, where it was no ordinary hit. It belongs to the machine and is valid until the next
 * p6_access_begin(), p6_access_run() or p6_access_blk(). time.recent remembers the addresses of
 * recent stores and misses across blocks.
 *
 * slots: the 8-byte values of the block's record, as x86/block.h says; borrowed for the call.
 * Linear addresses may have more bits than the machine; these are cut off.
 *
 * ORDER   all accesses in program order; those of a block before its clocks (time_block.h).
 */
#ifndef SOFTPMU_MODEL_P6_TIME_ACCESS_H
#define SOFTPMU_MODEL_P6_TIME_ACCESS_H

#include "model/p6/p6.h"

/* Nothing is remembered: no store, no miss. t->par is known. */
void p6_access_open(struct p6_time *t);

/* A new address space: misses are forgotten, because no line is on its way to it. */
void p6_access_exec(struct p6_time *t);

/* Look back for stores as far as the store buffers reach, and for misses as far as they are kept.
 * To be called when the state of the machine is not known: a known state allows to look less far
 * back (p6_memo_enter()). */
void p6_access_look_far(struct p6_time *t);

/* Do what the first n instructions of b do to the structures, in program order, and note it in
 * time.access. blk: b compiled, or NULL, which costs speed alone; tb: templates of b. While
 * time.log.is_on the structures are not asked: another machine's log says what they found. Returns
 * 0 or a negative error, as mdl_feed(). */
int p6_access_run(struct p6 *m, const struct p6_blk *blk, const struct x86_block *b,
		  const struct p6_tblk *tb, const uint8_t *slots, unsigned n);

/* Note in a that fetching instruction i did *x, which was not all hits. *x is copied. */
void p6_access_fetched(struct p6_accesses *a, unsigned i, const struct p6_effect *x);

/* Do the rest of b behind reference k, which stored into code: instruction by instruction, because
 * the store may have changed the lines that follow. Returns 1 (it has been done) or a negative
 * error.
 */
int p6_access_rest(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* As p6_access_blk() and p6_access_one() while time.log.is_on: another machine's log says what the
 * caches found. b has P6_B_FAST, and its record lies in the stream (time_log.c). */
int p6_log_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots);
int p6_log_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* As p6_access_run() for all of b, which has P6_B_FAST. Returns 0 or a negative error. */
int p6_access_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots);

/* What p6_access_look() has done. */
enum p6_access_look {
	/* an ordinary hit: caches are done; the caller calls p6_access_near() */
	P6_ACCESS_HIT,
	P6_ACCESS_ALL,	/* it stored into code: it is noted, and the rest of b has been done, too */
	P6_ACCESS_DONE, /* it is noted in time.access */
};

/* For host code: do reference what.k of the block at arena position `position`. It is aligned, to
 * linear address any_lin, and its page or line is not the one used last in its set. If memory is
 * out, time.trouble is set. */
enum p6_access_look p6_access_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what,
				   uint32_t position, const uint8_t *slots);

/* As p6_access_look() when the next word of the log says what the reference did (log.h). It is
 * noted in any case. */
void p6_log_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what);

/* Reference what.k, aligned, to any_lin, was an ordinary hit: note what it has to do with older
 * stores and misses. */
void p6_access_near(struct p6 *m, uint64_t any_lin, struct p6_access_what what);

/* Do reference k of b, which has P6_B_FAST. Returns 0; 1 if it stored into code and the rest of b
 * has been done, too; -SPMU_ENOMEM. */
int p6_access_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* p6_access_run() in parts: p6_access_begin() empties time.access, then p6_access_insn() does one
 * instruction of b after the other. p6_access_insn() returns 0 or a negative error. */
void p6_access_begin(struct p6_time *t);
int p6_access_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		   const uint8_t *slots, unsigned i);

/* Write out what is known as a code alone (a->ref_code) to a->ref and a->code. Whoever reads these
 * calls it first; p6_block_run() is such a reader. A second call does nothing. */
void p6_access_spell(struct p6_accesses *a);

/* For wrong_loads.c: have a load of `bytes` bytes at lin, or with is_code a fetch, go to the
 * structures. Returns what happened there, all 0 for an ordinary hit. Not noted in time.access. */
struct p6_effect p6_time_access(struct p6 *m, uint64_t lin, unsigned bytes, bool is_code);

#endif
