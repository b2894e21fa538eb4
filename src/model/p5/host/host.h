/* host.h -- the looks of steps as host code, one program per list of looks.
 *
 * A step (memo.h) that was visited some times gets a program: its looks in their order, each a few
 * host instructions that see what the step says in the usual case and otherwise call a helper; then
 * what the use of a step does; then on to the step that followed last, when the next records are
 * those of its blocks. Where a look sees something else, on to the step that goes on from there.
 * Steps of one block with the same looks share a program, which takes the rest from the step.
 *
 * COUNTING RULES   as memo.h; tests compare counts with and without.
 * RULES            A look in host code does what memo_look.c does, in the same order, or is left
 *                  out for the same reason. What slots without a branch note in the BTB
 *                  (p5_btb_go_on()) is written before something can read it.
 * MODELLED         data: line and page used last in their sets, whether the line is still coming
 *                  in. Code: lines that L1I has, on the page used last. Boundaries: known ones, and
 *                  those that are noted. Slots: the map of the BTB; p5_btb_see() is called.
 * NOT MODELLED     blocks whose records hold operands of saturating MMX instructions, geometries
 *                  that host code is not written for (p5_host_open()): memo.c does them.
 */
#ifndef SOFTPMU_MODEL_P5_HOST_H
#define SOFTPMU_MODEL_P5_HOST_H

#include "model/p5/kept/run.h"

/* Set up. min_uses: visits that make a step hot, 0: P5_HOST_MIN_USES, P5_HOST_FIRST_CODE - 1 at
 * most. Where the host refuses writable code, or caches have another shape than it is written for,
 * m->host.memory stays NULL. */
void p5_host_open(struct p5 *m, uint32_t min_uses);
void p5_host_close(struct p5 *m);

/* All steps are void: drop their code. */
void p5_host_forget(struct p5 *m);

/* Step s is being done: count it, and give it its program when it is time. */
void p5_host_compile(struct p5 *m, const struct p5_run *x, struct memo_step *s);

static inline void p5_host_visit(struct p5 *m, const struct p5_run *x, struct memo_step *s)
{
	if (s->own >= P5_HOST_FIRST_CODE || !m->host.memory)
		return;
	if (++s->own >= m->host.min_uses) {
		s->own = 0;
		p5_host_compile(m, x, s);
	}
}

/* The stream that p5_host_run() is to go through: these n bytes, or a copy of them with room behind
 * it, valid until the next one. Host code reads beyond the record that it does, so that without
 * that room the last records, or all of a short stream, are not for it. */
const uint8_t *p5_host_stream(struct p5 *m, const uint8_t *bytes, size_t n);

/* Nothing is held. Do blocks from the record at *at on while there is host code for them and the
 * record behind is a block's before `end`; *at receives the first record not done. Returns as
 * mdl_feed(). */
int p5_host_run(struct p5 *m, const uint8_t **at, const uint8_t *end);

/* What host code hands to a helper about an access, in a word. */
enum p5_host_access {
	P5_HOST_BYTES_MASK = 0x3ff, /* of its operand */
	P5_HOST_WRITE = 1 << 10,
	P5_HOST_ASKS_FILL = 1 << 11,
	P5_HOST_HALF = 1 << 12,
	P5_HOST_LOCKED = 1 << 13,
	P5_HOST_MMX = 1 << 14,
	P5_HOST_FST = 1 << 15,
	P5_HOST_IN_LINE = 1 << 16, /* one line when it is aligned, and not locked */
	P5_HOST_PART_SHIFT = 17,   /* 7 bits */
	P5_HOST_ALIGN_SHIFT = 24,  /* address bits that are 0 then */
};

/* What host code hands to a helper at a look about slots without a branch, which it has passed and
 * not yet written to the BTB. (For a slot: enum p5_host_slot in btb.h.) */
enum p5_host_noted {
	P5_HOST_AT_MASK = 0xff,	 /* number of the look */
	P5_HOST_N_SHIFT = 8,	 /* 16 bits: to be added to btb.now */
	P5_HOST_PAIR_SHIFT = 30, /* btb.could_pair */
};

/* ---- host_write.c ---------------------------------------------------------------------------- */

/* Is there room for one more program? */
bool p5_host_has_room(const struct p5_host *j);

/* Write the program of step s; is_first: of the first step of the block. Returns its code offset,
 * or 0: it cannot be written. */
uint32_t p5_host_write(struct p5 *m, const struct p5_run *x, struct memo_step *s, bool is_first);

/* Where the head of the record behind is compared, from the code offset of the program of a first
 * step; and where the program begins when it need not be. */
#define P5_HOST_NEXT_HEAD  22u
#define P5_HOST_NO_COMPARE 32u

/* ---- host_frame.c: write the parts that all programs share ----------------------------------- */

void p5_host_write_frame(struct p5 *m);

/* ---- host_cache.c: those that look at caches and TLBs ---------------------------------------- */

struct x86_asm;
void p5_host_write_caches(struct p5 *m, struct x86_asm *a);

/* ---- host_bank.c: those for branches that the BTB of the Pentium with MMX knows -------------- */

void p5_host_write_bank(struct p5 *m, struct x86_asm *a);

/* ---- host_help.c ----------------------------------------------------------------------------- */

/* Fill in the table of helpers. */
void p5_host_helpers(struct p5 *m);

/* m->host.at is a record that is to be done next, in state m->memo.state behind m->memo.last.
 * Returns the address of its host code, with m->host.step set, or that of the part that leaves. */
uint64_t p5_host_next(struct p5 *m);

#endif
