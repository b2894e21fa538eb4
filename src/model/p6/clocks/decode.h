/* decode.h -- fetch blocks, length decoder and decoders (decode.c). */
#ifndef SOFTPMU_MODEL_P6_DECODE_H
#define SOFTPMU_MODEL_P6_DECODE_H

#include "model/p6/p6.h"

/* The next instruction in program order, at pc, goes through fetch and decoders; code: what
 * fetching it did. Returns the clock in which its first micro-op can be renamed. */
uint64_t p6_decode(struct p6 *m, const struct p6_code *s, uint64_t pc,
		   const struct p6_effect *code);

/* The same on a wrong path: no miss is served, and nothing is renamed. Returns false when it
 * would not be decoded before before_clk: nothing is counted then. */
bool p6_decode_wrong(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t before_clk);

/* Instruction s at pc is the first of a fetch block, of `size` bytes. */
void p6_decode_begin(struct p6_front *f, unsigned size, const struct p6_code *s, uint64_t pc);

/* Behind a taken branch that was predicted; behind one that only the decoder knew to be taken;
 * behind one that was predicted wrongly and executed at done_clk. */
void p6_decode_jump(struct p6 *m, uint64_t end);
void p6_decode_baclear(struct p6 *m);
void p6_decode_restart(struct p6 *m, uint64_t done_clk);
/* Code goes on where no instruction led (a signal, another thread): fetch begins there. */
void p6_decode_elsewhere(struct p6 *m);

/* A store into code that L1I had retires at retire_clk: all that is younger begins anew. */
void p6_decode_clear(struct p6 *m, uint64_t retire_clk);

#endif
