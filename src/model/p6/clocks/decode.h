/* decode.h -- fetch blocks, length decoder and decoders (decode.c).
 *
 * All functions move time.front on. front.clk is the core clock of the present decode group. On
 * the right path it never goes back. Addresses are linear.
 *
 * ORDER   one p6_decode() per instruction in program order. Behind a branch comes one of
 *         p6_decode_jump(), _baclear() and _restart(), or none when it fell through as predicted.
 *         Without it the next instruction is decoded as if it lay behind the branch.
 */
#ifndef SOFTPMU_MODEL_P6_DECODE_H
#define SOFTPMU_MODEL_P6_DECODE_H

#include "model/p6/p6.h"

/* Take the next instruction in program order through fetch and decoders: count it (80H, 86H, 87H,
 * D0H, E0H) and fetch the lines it lacks. s: its template; pc: its address; code: what fetching it
 * did to caches and TLB, p6_quiet if all was there. The caller owns both. Returns the core clock in
 * which its first micro-op can be renamed. The queue has room then: time.ren must be up to date. */
uint64_t p6_decode(struct p6 *m, const struct p6_code *s, uint64_t pc,
		   const struct p6_effect *code);

/* Take an instruction of a wrong path through fetch and decoders. No line is asked for, and nothing
 * is renamed. Returns true if it is decoded before core clock before_clk; it is counted then.
 * Returns false if not; nothing is counted then, but time.front has moved. The caller restores
 * time.front when the path ends. */
bool p6_decode_wrong(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t before_clk);

/* Begin a fetch block of `size` bytes (a power of two) with instruction s at pc: one clock later,
 * or what a jump in front of it costs. Part of p6_decode(); time_fast.c calls it, too. */
void p6_decode_begin(struct p6_front *f, unsigned size, const struct p6_code *s, uint64_t pc);

/* The branch that ends in front of address `end` was predicted by the BTB to be taken, and was. Two
 * such branches are at least par.taken_clk apart. */
void p6_decode_jump(struct p6 *m, uint64_t end);

/* The BTB did not know the branch decoded last, and the decoder sends fetch to its target. */
void p6_decode_baclear(struct p6 *m);

/* The branch decoded last was predicted wrongly, and was executed in core clock done_clk. Fetch
 * goes on par.mispredict_clk later, less the clocks from decoding to rename; rename behind the last
 * retirement. All micro-ops before it must have retired (p6_rat_flush()), for time.retire_clk is
 * read. */
void p6_decode_restart(struct p6 *m, uint64_t done_clk);

/* Code goes on where no instruction led (a signal, another thread). Fetch begins there. */
void p6_decode_elsewhere(struct p6 *m);

/* A store into code that L1I had retires in core clock retire_clk. All that is younger is fetched
 * and decoded anew: it is renamed par.smc_clk later at the earliest. */
void p6_decode_clear(struct p6 *m, uint64_t retire_clk);

#endif
