/* signal.h -- signals of the program: see signal.c for the rules. */
#ifndef SOFTPMU_GUEST_SIGNAL_H
#define SOFTPMU_GUEST_SIGNAL_H

#include <stdint.h>

struct gst;
struct shr_block;

/* Install the runtime's handlers; takes over dispositions and mask from the parent process. */
void gst_signal_start(struct gst *g);

/* True when an asynchronous signal waits for the program to reach a boundary. */
int gst_signal_waits(const struct gst *g);

/* Deliver what waits; the program's state must be at a boundary (gs->pc valid).
 * Returns 1 when gs->pc changed. */
int gst_signal_deliver(struct gst *g);

/* A signal came but the program is in the middle of a block: make it stop soon. */
void gst_signal_later(struct gst *g);

/* The instruction at gs->pc raised `sig` with si_code `code` and si_addr `addr`: enter the handler
 * or end the program. */
void gst_signal_raise(struct gst *g, int sig, int code, uint64_t addr);

/* gs->pc cannot be executed because of address `addr`. */
void gst_signal_exec_fault(struct gst *g, uint64_t addr);

/* Set gs->limit: end of the chunk, or 0 when a signal waits. */
void gst_stop_limit(struct gst *g);

/* Put the program's registers, as translated code left them in gs->gpr[], where they belong
 * (enum shr_state). */
void gst_undo_state(struct gst *g, uint32_t state, const struct shr_block *b);

/* The last instruction of `block`, whose record is complete, was not executed after all. */
void gst_take_back(struct gst *g, uint32_t block);

#endif
