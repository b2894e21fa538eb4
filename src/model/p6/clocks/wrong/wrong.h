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

/* A branch at the end of what was decoded last was predicted to go to `wrong` (0: nobody knows) and
 * executed at branch_clk: fetch and decode what lies there until then. Changes nothing but counts.
 */
void p6_wrong_path(struct p6 *m, uint64_t wrong, bool is_jump, uint64_t branch_clk);

/* The transfer p, which ends what is held, is about to be predicted: note what the front end makes
 * of it. Returns true when the BTB has it. hint: as p6_btb_position(). */
bool p6_time_predict(struct p6 *m, const struct p6_pending *p, uint64_t next, uint16_t *hint);

/* ---- wrong_loads.c: nothing of it runs but with --wrong-path loads --------------------------- */

/* The first n instructions of b were executed with these slots: what is known of registers now. */
void p6_wrong_know(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned n);

/* Instruction i of b, at pc, is fetched on a wrong path at clk. Returns the clock in which its code
 * is there. */
uint64_t p6_wrong_fetch(struct p6 *m, const struct p6_code *s, uint64_t pc, uint64_t clk);

/* It was decoded at clk, the branch is executed at before_clk: what it does until then. */
void p6_wrong_execute(struct p6 *m, const struct p6_tblk *b, unsigned i, uint64_t clk,
		      uint64_t before_clk);

#endif
