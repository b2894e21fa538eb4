/* fpu.h -- unit fpu: what x87 instructions count, their assists, and what divides take. */
#ifndef SOFTPMU_MODEL_P6_FPU_H
#define SOFTPMU_MODEL_P6_FPU_H

#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p6;
struct p6_code;
struct p6_tblk;
struct p6_time;

/* Read from the catalog what x87 divides take, into t, which owns a copy. Before the first divide
 * is timed, whose latency would be 0 else. */
void p6_fpu_open(struct p6_time *t);

/* The precision of instruction c (enum p6_precision); slots: the values in the record of this
 * execution of its block, because the program may change the control word at any time. Without a
 * slot 64 bits. */
unsigned p6_fpu_precision(const struct p6_code *c, const uint8_t *slots);

/* As p6_fpu_precision(), of all divides of the first n instructions of t; P6_N_PRECISION: they
 * differ. What is kept of a block's clocks must be kept by this, too: else a divide would take as
 * long as it took with another control word. */
unsigned p6_fpu_precisions(const struct p6_tblk *t, const uint8_t *slots, unsigned n);

/* Add what n, of `kinds`, counts on this unit's wires whenever it retires to t. */
void p6_fpu_count(const struct x86_insn *n, uint32_t kinds, struct tally *t);

/* Count those of instructions [from, to) of b that needed an assist, as far as the record has
 * operand classes: each counts once, whatever number of its slots says so. slots: the values in the
 * record of this execution. A range that is given twice counts twice. */
void p6_assist_count(struct p6 *m, const struct x86_block *b, const uint8_t *slots, unsigned from,
		     unsigned to);

#endif
