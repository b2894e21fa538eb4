/* debug.h -- unit debug: the breakpoint registers, in time.
 *
 * COUNTING RULES   as in debug.c.
 */
#ifndef SOFTPMU_MODEL_P5_DEBUG_H
#define SOFTPMU_MODEL_P5_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/config.h"

struct p5;
struct p5_operand;

struct p5_debug {
	struct mdl_breakpoint b[4]; /* DR0 to DR3 */
	bool has_execute, has_data; /* some register is set so, and time is on */
};

/* Set the registers to b[0] to b[3], which are copied. Once, and only in time: has_execute and
 * has_data are never taken back. */
void p5_debug_open(struct p5 *m, const struct mdl_breakpoint *b);

/* The instruction at pc is executed, in V when m->time.is_in_v. */
void p5_debug_execute(struct p5 *m, uint64_t pc);

/* An operand at lin is accessed. Once per operand, not once per part of it: each call counts. */
void p5_debug_data(struct p5 *m, uint64_t lin, const struct p5_operand *op);

#endif
