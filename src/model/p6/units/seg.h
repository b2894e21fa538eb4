/* seg.h -- unit seg: loads of segment registers, and in time copies of them. */
#ifndef SOFTPMU_MODEL_P6_SEG_H
#define SOFTPMU_MODEL_P6_SEG_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/tally.h"
#include "x86/block.h"

struct p6;
struct p6_step;

/* Segment registers. Copies of them in time are p6_time.seg_clk. */
struct p6_seg {
	uint64_t fs_base; /* base of FS; the stream says it (events.c), 0 for a new program */
	bool is_machine;  /* the stream is that of a whole machine */
};

/* Step s writes a renamed segment register: s->seg_wire is that of p6_seg_wire() and not 0, else
 * what lies in front of p6.time.seg_clk would be used.
 *   room    returns the first core clock from clk on in which s finds a free copy of the register;
 *           one that is later than clk is a stall, which is counted once, so ask once for a write
 *   retire  s retired in retire_clk, which frees a copy for the clock after it; in program order,
 *           and before the room of the next write is asked for, which would else not wait */
uint64_t p6_seg_room(struct p6 *m, const struct p6_step *s, uint64_t clk);
void p6_seg_retire(struct p6 *m, const struct p6_step *s, uint64_t retire_clk);

/* Add what n, of `kinds`, counts on this unit's wires whenever it retires to t. */
void p6_seg_count(const struct p6 *m, const struct x86_insn *n, uint32_t kinds, struct tally *t);

/* Wire of a stall of what n writes: WIRE_P6_SEG_STALL_ES and on; 0 when it writes no renamed
 * segment register, and on a Pentium Pro. */
uint8_t p6_seg_wire(const struct p6 *m, const struct x86_insn *n, uint32_t kinds);

#endif
