/* time_access.h -- what a block does to caches, TLBs and buffers, found out before its clocks
 * (time_access.c, time_log.c). */
#ifndef SOFTPMU_MODEL_P6_TIME_ACCESS_H
#define SOFTPMU_MODEL_P6_TIME_ACCESS_H

#include "model/p6/p6.h"

void p6_access_open(struct p6_time *t);

/* A new address space: no line is on its way to it. */
void p6_access_exec(struct p6_time *t);

/* Nothing is known of how far back stores and misses can be in anybody's way: as far as they are
 * kept. */
void p6_access_look_far(struct p6_time *t);

/* Do what the first n instructions of b do to the structures, in program order, and note it in
 * time.access. blk: b compiled, or NULL. Returns as mdl_feed(). */
int p6_access_run(struct p6 *m, const struct p6_blk *blk, const struct x86_block *b,
		  const struct p6_tblk *tb, const uint8_t *slots, unsigned n);

/* Fetching instruction i did *x, which was not all hits. */
void p6_access_fetched(struct p6_accesses *a, unsigned i, const struct p6_effect *x);

/* The rest of b behind reference k, which stored into code. Returns 1 or a negative error. */
int p6_access_rest(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* In time_log.c, of blocks with P6_B_FAST whose record is in the stream: as p6_access_blk()
 * and p6_access_one(), when another machine says what caches found. */
int p6_log_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots);
int p6_log_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* The same for all of b, which has P6_B_FAST. */
int p6_access_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots);

/* That reference of the block at arena position `position`, aligned, to any_lin, which is not in
 * the page or line used last. */
enum p6_access_look {
	/* that was all it did to caches; what it has to do with older accesses is not noted */
	P6_ACCESS_HIT,
	P6_ACCESS_ALL,	/* it stored into code, and the rest of b has been done, too */
	P6_ACCESS_DONE, /* it is noted */
};
enum p6_access_look p6_access_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what,
				   uint32_t position, const uint8_t *slots);

/* The same when the next word says what it did (log.h). */
void p6_log_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what);

/* That reference, aligned, to any_lin, an ordinary hit: what it has to do with older accesses is
 * noted. */
void p6_access_near(struct p6 *m, uint64_t any_lin, struct p6_access_what what);

/* Reference k of b. Returns 0; 1 when the rest of b has been done too, behind a store into code;
 * or -SPMU_ENOMEM. */
int p6_access_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k);

/* The same in parts: nothing is done yet, then one instruction after the other. */
void p6_access_begin(struct p6_time *t);
int p6_access_insn(struct p6 *m, const struct x86_block *b, const struct p6_tblk *tb,
		   const uint8_t *slots, unsigned i);

/* The codes alone do: bring `ref` up to date with them. */
void p6_access_spell(struct p6_accesses *a);

/* For wrong_loads.c: a load, or fetch of code, goes to the structures. Returns what happened
 * there. */
struct p6_effect p6_time_access(struct p6 *m, uint64_t lin, unsigned bytes, bool is_code);

#endif
