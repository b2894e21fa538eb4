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

/* The way of each micro-op of that iteration, a column per clock, in llvm-mca's characters; on a
 * screen that has not so many columns in parts, some tens of clocks each. Returns false, and prints
 * nothing, when the processor has no micro-ops. */
bool rpt_asm_timeline(const struct asm_result *r, const struct rpt_screen *screen, FILE *out);

/* The table as one object. Returns 0 or -SPMU_ENOMEM. */
int rpt_asm_json(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

/* What limits a listing on a P6, as far as its decoders show. UNKNOWN: the processor is no P6, or
 * the code is not repeated. BEHIND: a stage after rename. */
enum rpt_asm_limit { RPT_ASM_UNKNOWN, RPT_ASM_DECODE, RPT_ASM_RENAME, RPT_ASM_BEHIND };

/* Returns what limits the listing r. */
enum rpt_asm_limit rpt_asm_limit(const struct asm_result *r);

/* Write the limit as a sentence without its full stop into `out`; "" when it is unknown. */
#define RPT_ASM_SENTENCE 128
void rpt_asm_limit_sentence(const struct cat_cpu *cpu, const struct asm_result *r,
			    char out[RPT_ASM_SENTENCE]);

/* That sentence, the decoders' clocks by reason, and which instruction begins which of them.
 * Prints nothing when it is unknown. */
void rpt_asm_decode(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

/* Print what a reason means (`sentence`) and the event that counts it (e, or NULL), in lines of 80
 * columns. The caller has printed the reason's name. */
void rpt_asm_sentence(const char *sentence, const struct cat_event *e, FILE *out);

/* Returns the event of cpu that counts what `reason` (a name of mdl_reason()) costs, or how often
 * it occurred; NULL if none does. */
const struct cat_event *rpt_asm_event(const struct cat_cpu *cpu, const char *reason);

#endif
