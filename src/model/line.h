/* line.h -- what a model with time tells of one instruction: a line of a listing.
 *
 * A model calls mdl_config.on_line once per executed instruction, in program order, when it knows
 * all of it. Reasons are numbers of the model's family; mdl_reason() gives their texts.
 */
#ifndef SOFTPMU_MODEL_LINE_H
#define SOFTPMU_MODEL_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct x86_block;

enum mdl_pipe { MDL_PIPE_U = 0, MDL_PIPE_V = 1, MDL_PIPE_NONE = 2 }; /* NONE: micro-ops tell */

#define MDL_LINE_STALLS 6u

/* Clocks that one reason cost. */
struct mdl_stall {
	uint8_t why;
	uint32_t clk;
};

/* One micro-op of an instruction: the clocks of its way through a machine that has them. */
struct mdl_line_uop {
	uint64_t decode_clk, rename_clk, dispatch_clk, done_clk, retire_clk;
	uint8_t port; /* MDL_NO_PORT: it needs none */
	/* between rename and its result, longer than it must be: how long, and why; clk 0: not */
	struct mdl_stall wait;
};

#define MDL_LINE_DECODE 4u /* reasons of one instruction: further ones are left away */

#define MDL_LINE_UOPS 8u /* of an instruction; further ones are only counted (n_more_uop) */
#define MDL_NO_PORT   0xff

struct mdl_line {
	const struct x86_block *block; /* valid during the call */
	uint8_t insn;		       /* number in the block */
	uint8_t pipe;		       /* enum mdl_pipe */
	/* in U without a partner: the rule that kept the next instruction from V; else 0 */
	uint8_t refused;
	uint8_t n_stall;
	uint64_t pc;
	/* MDL_PIPE_NONE: it has retired; else: clock in which it (the V half: its pair) enters
	 * EX */
	uint64_t clk;
	/* clocks until its issue slot has left EX, waits inside EX included; for the V half of a
	 * pair the same number as for U. The next slot enters at clk + held_clk, plus the stalls
	 * that its own lines tell. */
	uint32_t held_clk;
	/* waits before EX (AGI, prefix, fetch ...), and those inside it (data miss ...), which
	 * held_clk contains. MDL_PIPE_NONE: waits of its group for rename */
	struct mdl_stall stall[MDL_LINE_STALLS];
	/* MDL_PIPE_NONE: clocks that went by at the decoders between the instruction before this
	 * one and this one, by reason: all of them, so that their sum over a loop is what decoding
	 * takes */
	struct mdl_stall decode[MDL_LINE_DECODE];
	uint8_t n_decode;
	bool is_queue_full; /* some of them waited for room behind the decoders */
	uint8_t n_uop;
	uint32_t n_more_uop; /* further ones, which are not in uop[] */
	struct mdl_line_uop uop[MDL_LINE_UOPS];
};

#endif
