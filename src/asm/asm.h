/* asm.h -- clocks of a few instructions in steady state: what softpmu asm prints.
 *
 * COUNTING RULES   own loops (the last instruction branches backwards): clocks from the entry
 *                  into EX of the loop's first instruction to that of the next iteration, over
 *                  the later three quarters of the last pass. Straight code: from its first
 *                  instruction's entry into EX to that of the instruction behind it, which takes
 *                  one clock and does not pair; in the last pass. On a P6 from retirement to
 *                  retirement: of a loop's first instruction and of the same in the next
 *                  iteration; of what stands before straight code and of its last instruction.
 *                  See program.h for what is set up.
 */
#ifndef SOFTPMU_ASM_H
#define SOFTPMU_ASM_H

#include "asm/compiled.h"
#include "asm/moves.h"
#include "model/line.h"
#include "session/session.h"

struct asm_config {
	struct mdl_config model; /* processor and settings */
	const char *text;	 /* the snippet; NULL: it is `piece` of `code`, and is not run */
	const struct asm_code *code;
	struct asm_piece piece;
	bool is_file; /* it comes from a file: see text.h */
	bool is_att;
	bool is_not_run;   /* time the decoded form only; always so with 16 bits */
	bool is_data_read; /* read all data before the first pass */
	unsigned bits;	   /* 16, 32, 64; 0: what the text says, or 32 */
	const char *init;  /* instructions at the beginning of each pass, or NULL */
	unsigned n_unroll, n_warm_up;
	unsigned n_loop; /* text with labels: iterations; else rounds of a pass; 0: 64 or 1 */
	uint32_t chaos;
};

/* instructions of a pass; then it is stopped, and measured until then */
#define ASM_MOST_LINES	300000u
#define SES_ASM_REASONS 256u

/* One executed instruction of the iteration that is shown. */
struct asm_line {
	const char *text; /* as typed; owned by the result */
	uint64_t pc;
	uint64_t clk; /* since the first line's entry into EX */
	uint32_t held_clk;
	uint8_t pipe, refused, n_stall;
	/* of straight code, without a partner: nothing of the text follows; refused is 0 */
	bool is_last;
	struct mdl_stall stall[MDL_LINE_STALLS];
	uint8_t n_uop; /* MDL_PIPE_NONE: its micro-ops, clocks as clk */
	uint32_t n_more_uop;
	uint8_t n_decode; /* MDL_PIPE_NONE: what the decoders' clocks before it were for */
	bool is_queue_full;
	struct mdl_stall decode[MDL_LINE_DECODE];
	struct mdl_line_uop uop[MDL_LINE_UOPS];
};

struct asm_result {
	bool is_loop, is_run, is_data_read;
	unsigned n_warm_up; /* passes before the one that is measured */
	/* the text did not end: what was executed until then is measured */
	bool is_cut;
	/* not executed: which registers addresses were made of, and by how much an iteration moved
	 * each */
	uint16_t pointers;
	struct asm_move move[16];
	/* executed instructions that the processor never had; 0 when nothing was executed */
	struct ses_later later;
	/* that the text does not define: they were taken as data; "" or with ", " between; owned */
	char *names;
	unsigned bits;
	uint64_t n_iterations;		  /* that were measured (straight code: copies) */
	uint64_t clocks;		  /* of all of them */
	uint64_t least, most;		  /* of one of them */
	uint64_t n_insn;		  /* of all of them */
	uint64_t n_pairs;		  /* of them went down V */
	uint64_t wait[SES_ASM_REASONS];	  /* clocks lost in all of them, by reason */
	uint64_t decode[SES_ASM_REASONS]; /* clocks of the decoders in all of them, by reason */
	uint64_t n_uop;			  /* micro-ops of all of them, where lines tell them */
	bool is_queue_full;		  /* at times the decoders waited for what is behind them */
	struct asm_line *line;		  /* of one iteration; owned */
	size_t n_line;
	char *texts; /* owned */
};

/* Assemble, run and measure. Returns 0; -SPMU_EINVAL (processor without time, assembler's
 * complaint, a snippet that crashes or never ends), -SPMU_ENOTSUP, -SPMU_ESYS, -SPMU_ENOMEM,
 * each with a sentence. asm_result_free() in every case. Cost: tens of milliseconds for the
 * tools, microseconds per instruction. */
int asm_run(const struct asm_config *cfg, struct asm_result *out, struct spmu_error *err);
void asm_result_free(struct asm_result *r);

#endif
