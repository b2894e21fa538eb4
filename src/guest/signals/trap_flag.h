/* trap_flag.h -- the program steps itself: TF in its flags.
 *
 * RULES
 *   trap        after every instruction that began with TF set, SIGTRAP with TRAP_TRACE: also
 *               after the one that clears TF, not after the one that sets it. A repeated string
 *               instruction traps after each repetition.
 *   no trap     after SYSCALL and INT 80h, which the kernel leaves by IRET: the next one is
 *               after the instruction behind it. An instruction that raises something else does
 *               not trap. After MOV SS and POP SS the trap comes behind the next instruction.
 *   how         translated code runs with the processor's own TF; the host's handler lets it go
 *               until one instruction of the program is complete: at the recovery point of the
 *               next one, at the head of another block, or where the runtime is entered.
 * NOT MODELLED  DR6.
 * SOURCES       Intel SDM vol. 3 "Single-Step Exception Condition"; sigaction(2) TRAP_TRACE.
 */
#ifndef SOFTPMU_GUEST_TRAP_FLAG_H
#define SOFTPMU_GUEST_TRAP_FLAG_H

#include <stdint.h>

struct gst;
struct shr_block;
struct sigcontext;

/* The stretch of translated code that runs with TF. */
struct gst_trace {
	int is_on;
	int is_inside;		       /* its first instruction was reached */
	const struct shr_block *block; /* where it began */
	uint64_t rip;		       /* of the last trap */
};

/* The runtime is about to leave to translated code: with TF when the program has it set. */
void gst_trace_leave(struct gst *g);

/* In the host's handler: one instruction of the host was executed with TF. */
void gst_trace_trap(struct gst *g, struct sigcontext *c);

/* A breakpoint in translated code (REQ_CREDIT_BREAK): leave there, with the instructions before
 * it done. */
void gst_trace_break(struct gst *g, struct sigcontext *c);

/* The trap that is due, if one is: enters the program's handler or ends the program. Returns 1
 * when gs->pc changed. */
int gst_trace_deliver(struct gst *g);

#endif
