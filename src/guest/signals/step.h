/* step.h -- instructions that the decoder does not know: executed once where they are, natively.
 *
 * The page of the instruction becomes executable, the processor takes one single step there with
 * the program's registers, and the page is closed again. So it does what this processor does, at
 * its own address; bytes that are no instruction raise SIGILL as they would natively.
 *
 * COUNTING RULES   one instruction; it belongs to its block like every emulated one, and one
 *                  that faults is taken back. Its memory references are not recorded.
 * NOT MODELLED     GS-relative operands of such instructions.
 */
#ifndef SOFTPMU_GUEST_STEP_H
#define SOFTPMU_GUEST_STEP_H

#include <stdint.h>

struct gst;
struct gst_siginfo;
struct ucontext;

/* One native step under way. */
struct gst_step {
	int is_on;
	uint32_t block;
	uint64_t pc;
};

/* Execute the instruction at pc, the last of `block`. Goes on elsewhere: gst_step_finish. */
__attribute__((noreturn)) void gst_step_begin(struct gst *g, uint32_t block, uint64_t pc);

/* In the host's handler: the trap that starts a step; returns 1 when it was one. */
int gst_step_starts(struct gst *g, struct ucontext *uc);

/* In the host's handler: the step ended, by the single-step trap or by a fault. */
void gst_step_ends(struct gst *g, struct ucontext *uc, const struct gst_siginfo *info);

/* Back in the runtime: close the page; the program goes on behind the instruction, or with a
 * signal. */
void gst_step_finish(struct gst *g);

#endif
