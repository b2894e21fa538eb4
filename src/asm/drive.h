/* drive.h -- time a snippet from its decoded form, without executing it.
 *
 * COUNTING RULES   conditional branches backwards are taken as often as a loop shall run, forwards
 *                  never; calls and their returns are followed. Registers keep the values of the
 *                  beginning, except that PUSH, POP, CALL and RET move the stack pointer, and
 *                  constants those that moves.h says. Of compiled code addresses are multiples of
 *                  their operands' sizes, as far as one base register has one size.
 * NOT MODELLED     indirect branches; data-dependent times (operands count as ordinary ones).
 */
#ifndef SOFTPMU_ASM_DRIVE_H
#define SOFTPMU_ASM_DRIVE_H

#include "asm/asm.h"
#include "asm/lines.h"
#include "asm/program.h"

/* Feed the model of cfg->model with the blocks of l->program, pass by pass; lines go to l,
 * how registers moved to `out`. Returns 0, -SPMU_EINVAL, -SPMU_ENOMEM with a sentence. */
int asm_drive(const struct asm_config *cfg, const struct asm_settings *s, struct asm_lines *l,
	      struct asm_result *out, struct spmu_error *err);

#endif
