/* asm.h -- layouts of what softpmu asm found out. */
#ifndef SOFTPMU_REPORT_ASM_H
#define SOFTPMU_REPORT_ASM_H

#include <stdio.h>

#include "asm/asm.h"

/* A table of the iteration's instructions, clocks per iteration, clocks lost by reason. The caller checks ferror(). */
void rpt_asm_human(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

/* The same as one object. Returns 0 or -SPMU_ENOMEM. */
int rpt_asm_json(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

#endif
