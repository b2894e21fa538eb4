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

/* What limits a listing of a P6, as far as its decoders know. UNKNOWN: it is another processor's,
 * or code that is not repeated. BEHIND: what stands behind rename. */
enum rpt_asm_limit { RPT_ASM_UNKNOWN, RPT_ASM_DECODE, RPT_ASM_RENAME, RPT_ASM_BEHIND };

/* Returns it. */
enum rpt_asm_limit rpt_asm_limit(const struct asm_result *r);

/* The same as a sentence without its full stop; "" when it is unknown. */
#define RPT_ASM_SENTENCE 128
void rpt_asm_limit_sentence(const struct cat_cpu *cpu, const struct asm_result *r,
			    char out[RPT_ASM_SENTENCE]);

/* That sentence, the decoders' clocks by reason, and which instruction begins which of them.
 * Prints nothing when it is unknown. */
void rpt_asm_decode(const struct cat_cpu *cpu, const struct asm_result *r, FILE *out);

/* What a reason's name means, and the event that counts it (or NULL), in lines of 80 columns. The
 * name stands before it. */
void rpt_asm_sentence(const char *sentence, const struct cat_event *e, FILE *out);

/* The event of cpu that counts what `reason` (its name, mdl_reason()) costs, or how often it
 * was; NULL: none does. */
const struct cat_event *rpt_asm_event(const struct cat_cpu *cpu, const char *reason);

#endif
