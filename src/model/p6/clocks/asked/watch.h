/* watch.h -- comparisons of single clocks; nothing of it is called without p6_time.watch (watch.c).
 *
 * A comparison is a series: its value in a clock is the sum of its wires in that clock. So each
 * amount that a wire counts must be given a clock. P6_RAISE_AT() and P6_RAISE_FOR() count and give
 * it at once. What is counted by P6_RAISE() alone has no clock yet: it is the difference of the
 * wire's total and of what has one. p6_watch_take() or, at the end of the instruction,
 * p6_watch_insn() takes it.
 *
 * Clocks are core clocks. One that is settled already, and one too far ahead, count as the nearest
 * clock that is open.
 */
#ifndef SOFTPMU_MODEL_P6_WATCH_H
#define SOFTPMU_MODEL_P6_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct p6;
struct p6_pend;
struct mdl_config;
struct x86_block;

/* Open time.watch for the comparisons that cfg->p6.watch and cfg->wanted ask for. Without
 * time.is_watching nothing is opened. Returns 0 or -SPMU_ENOMEM; p6_watch_close() frees it in
 * either case. */
int p6_watch_open(struct p6 *m, const struct mdl_config *cfg);
void p6_watch_close(struct p6 *m);

/* `wire` was raised k times in clk; once in each of n clocks from clk on. Its total has them. */
void p6_watch_at(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k);
void p6_watch_for(struct p6 *m, unsigned wire, uint64_t clk, uint64_t n);

/* Put k of `wire` into clk. p6_watch_take() has taken them, or they are in no total. */
void p6_watch_put(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k);

/* Take what has no clock yet, of at most `max` wires: wire[i] was raised k[i] times. Returns how
 * many wires. The caller puts them into clocks by p6_watch_put(). */
unsigned p6_watch_take(struct p6 *m, uint16_t *wire, uint32_t *k, unsigned max);

/* Micro-op p was dispatched at dispatch_clk and retires at retire_clk: put it, and with the last
 * micro-op of an instruction what that instruction always counts, into these clocks. */
void p6_watch_uop(struct p6 *m, const struct p6_pend *p, uint64_t dispatch_clk,
		  uint64_t retire_clk);

/* REP instruction i of b retires at clk. Its `uops` micro-ops retire in the clocks up to clk, as
 * many as possible in each. */
void p6_watch_rep(struct p6 *m, const struct x86_block *b, unsigned i, uint64_t uops, uint64_t clk);

/* An instruction is done: what it raised and has no clock goes to the clock of the last retirement,
 * which is that of an older one. Clocks before all that can still be raised are settled. */
void p6_watch_insn(struct p6 *m);

/* n references that were counted as DCU_REF are DCU_REF_UC, of memory that is not cacheable:
 * neither wire waits for a clock because of it. Their micro-ops put them into clocks. */
void p6_watch_uncached(struct p6 *m, unsigned n);

/* What an older instruction raised may still wait for its clock when counts are added that need
 * none (executions of blocks), or when the next block begins (the outcome of the branch before it).
 * These four functions keep the two apart.
 *
 * p6_watch_hold()     note what has no clock yet.
 * p6_watch_skip()     what was raised since p6_watch_hold() gets no clock; what was noted waits on.
 * p6_watch_pass()     nothing waits for a clock any more.
 * p6_watch_release()  what was noted by p6_watch_hold() waits for a clock again; call it behind
 *                     p6_watch_pass().
 */
void p6_watch_hold(struct p6 *m);
void p6_watch_skip(struct p6 *m);
void p6_watch_pass(struct p6 *m);
void p6_watch_release(struct p6 *m);

/* Put counts into clocks for a trial: p6_watch_back() takes back all that was put since
 * p6_watch_aside().
 * p6_watch_aside() returns false without memory; then p6_watch_back() must not be called. They do
 * not nest. */
bool p6_watch_aside(struct p6 *m);
void p6_watch_back(struct p6 *m);

/* Add what comparisons have counted, up to the last retirement, to total[WIRE_P6_CORE_WATCH0 + k].
 */
void p6_watch_sum(const struct p6 *m, uint64_t *total);

/* P6_RAISE() with a clock: k times in clk; once in each of n clocks from clk on. Usable without
 * time.watch, too. */
#define P6_RAISE_AT(m, wire, clk, k)                                                               \
	do {                                                                                       \
		P6_RAISE(m, wire, k);                                                              \
		if (__builtin_expect((m)->time.watch != NULL, 0))                                  \
			p6_watch_at(m, WIRE_P6_##wire, clk, k);                                    \
	} while (0)
#define P6_RAISE_FOR(m, wire, clk, n)                                                              \
	do {                                                                                       \
		P6_RAISE(m, wire, n);                                                              \
		if (__builtin_expect((m)->time.watch != NULL, 0))                                  \
			p6_watch_for(m, WIRE_P6_##wire, clk, n);                                   \
	} while (0)

#endif
