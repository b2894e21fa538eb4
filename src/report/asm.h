/* asm.h -- layouts of what softpmu asm found out. */
#ifndef SOFTPMU_REPORT_ASM_H
#define SOFTPMU_REPORT_ASM_H

#include <stdio.h>

#include "asm/asm.h"
#include "report/screen.h"

/* A table of the iteration's instructions, clocks per iteration, clocks lost by reason, in lines
 * that fit the screen. Returns 0 or -SPMU_ENOMEM. The caller checks ferror(). */
int rpt_asm_human(const struct cat_cpu *cpu, const struct asm_result *r,
		  const struct rpt_screen *screen, FILE *out);

/* The same as one object. Returns 0 or -SPMU_ENOMEM. */
int rpt_asm_json(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

/* The event of cpu that counts what `reason` (its name, mdl_reason()) costs, or how often it
 * was; NULL: none does. */
const struct cat_event *rpt_asm_event(const struct cat_cpu *cpu, const char *reason);

#endif
