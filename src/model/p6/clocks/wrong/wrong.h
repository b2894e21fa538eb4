/* wrong.h -- what is fetched and decoded behind a mispredicted branch (wrong.c), and executed there
 * (wrong_loads.c). */
#ifndef SOFTPMU_MODEL_P6_WRONG_H
#define SOFTPMU_MODEL_P6_WRONG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/p6/clocks/template.h"

struct p6;
struct p6_pending;
struct x86_block;

/* General registers whose values the records told, and that were not written since. */
struct p6_known {
	uint64_t value[16];
	uint16_t has;
};

/* The branch decoded last was predicted wrongly, and executed in core clock branch_clk: fetch and
 * decode what lies at linear address `wrong` until then, and count it. wrong 0: nobody knows the
 * place, and nothing is done; nor is with --wrong-path off. is_jump: fetch jumped there. time.front
 * is the same afterwards. Caches and TLBs are, too, unless --wrong-path loads is on. All before the
 * branch has retired; p6_decode_restart() comes afterwards. */
void p6_wrong_path(struct p6 *m, uint64_t wrong, bool is_jump, uint64_t branch_clk);

/* The transfer p, which ends what is held, went to `next`, and is about to be predicted: note in
 * time.wrong where the front end would go if it went wrong, 0 if nobody knows. Returns true if the
 * BTB has the transfer; false for what is no transfer. hint: as p6_btb_position(). */
bool p6_time_predict(struct p6 *m, const struct p6_pending *p, uint64_t next, uint16_t *hint);

/* ---- wrong_loads.c: nothing of it runs but with --wrong-path loads --------------------------- */

/* The first n instructions of b were executed with these slots: bring time.known up to date. A
 * block without facts (wrong_facts.h), or one that ends in a system call or the like, makes all
 * registers unknown. */
void p6_wrong_know(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n);

/* Instruction s, at linear address pc, is fetched on a wrong path in core clock clk. Its lines are
 * asked for, and stay in L1I. Returns the clock in which its code is there; clk if L1I had it. */
uint64_t p6_wrong_fetch(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t clk);

/* Instruction i of b was decoded at clk on a wrong path whose branch is executed at before_clk: if
 * it can be dispatched before, count what it executes and do its loads with known addresses.
 * Registers that it writes are unknown in time.known from then on. */
void p6_wrong_execute(struct p6 *m, const struct p6_tblk *b, unsigned i, uint64_t clk,
		      uint64_t before_clk);

#endif
