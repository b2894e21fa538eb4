/* lines.h -- the lines that a model tells while a snippet runs, pass by pass, and what they say of
 * it. */
#ifndef SOFTPMU_ASM_LINES_H
#define SOFTPMU_ASM_LINES_H

#include "asm/asm.h"
#include "asm/program.h"

/* One pass: the lines from the snippet's beginning to the instruction behind it. */
struct asm_pass {
	struct asm_line *line;
	size_t n, room;
	bool is_complete;
	uint64_t begin_clk;		       /* of the line before it */
	uint64_t end_clk;		       /* the instruction behind it enters EX */
	struct mdl_stall end[MDL_LINE_STALLS]; /* what that one waited for */
	uint8_t n_end;
};

struct asm_lines {
	const struct asm_program *program;
	uint64_t last_pc;	 /* of the snippet's last instruction */
	uint64_t head;		 /* where its loop begins; 0: it has none */
	size_t most_lines;	 /* of a pass: then it is enough */
	struct asm_pass pass[2]; /* the one that runs, and the last complete one, in turns */
	unsigned now, n_pass;	 /* n_pass: that ended */
	uint64_t before_clk;	 /* of the last line outside */
	bool is_inside;
	bool is_enough;	 /* nothing more is looked at */
	bool has_failed; /* out of memory */
};

/* The callback of mdl_config; ctx: struct asm_lines. */
void asm_lines_take(void *ctx, const struct mdl_line *line);

/* Measure the last complete pass (else the one that was cut off). Fills *out without the texts of
 * lines. Returns 0, -SPMU_EINVAL when the snippet was not executed as a whole, -SPMU_ENOMEM; with a
 * sentence. */
int asm_lines_measure(const struct asm_lines *l, unsigned n_unroll, struct asm_result *out,
		      struct spmu_error *err);

void asm_lines_free(struct asm_lines *l);

#endif
