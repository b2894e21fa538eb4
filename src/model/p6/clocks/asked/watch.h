/* watch.h -- comparisons of single clocks; nothing of it is called without p6_time.watch (watch.c).
 */
#ifndef SOFTPMU_MODEL_P6_WATCH_H
#define SOFTPMU_MODEL_P6_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct p6;
struct p6_pend;
struct mdl_config;
struct x86_block;

/* Take the comparisons that somebody wants. Returns 0 or -SPMU_ENOMEM. */
int p6_watch_open(struct p6 *m, const struct mdl_config *cfg);
void p6_watch_close(struct p6 *m);

/* Wire was raised: k times in clk; once in each of n clocks from clk on. */
void p6_watch_at(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k);
void p6_watch_for(struct p6 *m, unsigned wire, uint64_t clk, uint64_t n);

/* Wire was raised k times, which is known already, in clk. */
void p6_watch_put(struct p6 *m, unsigned wire, uint64_t clk, uint64_t k);

/* Take up to max wires that were raised and have no clock yet: wire[i] k[i] times. Returns how
 * many. */
unsigned p6_watch_take(struct p6 *m, uint16_t *wire, uint32_t *k, unsigned max);

/* Micro-op p was dispatched and retires, with what its instruction counts whenever it does. */
void p6_watch_uop(struct p6 *m, const struct p6_pend *p, uint64_t dispatch_clk,
		  uint64_t retire_clk);

/* REP instruction i of b retires at clk, `uops` of them before. */
void p6_watch_rep(struct p6 *m, const struct x86_block *b, unsigned i, uint64_t uops, uint64_t clk);

/* An instruction is done: what else it raised is put into the clock in which the one before it
 * retires. */
void p6_watch_insn(struct p6 *m);

/* n references that were counted as others are those of memory that is not cacheable; their
 * micro-ops say when. */
void p6_watch_uncached(struct p6 *m, unsigned n);

/* What was raised and has no clock yet is held: what is raised from then to p6_watch_skip() has no
 * clock; or it gets none from p6_watch_pass() until p6_watch_release(). */
void p6_watch_hold(struct p6 *m);
void p6_watch_skip(struct p6 *m);
void p6_watch_pass(struct p6 *m);
void p6_watch_release(struct p6 *m);

/* What is put from now on is taken back by the second call. The first returns false, and nothing
 * is, when memory is out. */
bool p6_watch_aside(struct p6 *m);
void p6_watch_back(struct p6 *m);

/* Add what was counted, up to the last retirement, to total. */
void p6_watch_sum(const struct p6 *m, uint64_t *total);

/* P6_RAISE() in time, in clock clk; for n clocks from clk on, once in each. */
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
