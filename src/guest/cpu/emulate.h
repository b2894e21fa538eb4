/* emulate.h -- instructions that the runtime executes for the program (enum shr_emulate). */
#ifndef SOFTPMU_GUEST_EMULATE_H
#define SOFTPMU_GUEST_EMULATE_H

#include <stdint.h>

#include "guest/stream/fs_base.h"

struct gst;
struct shr_exit;

/* What is left to do for an instruction. System calls and client requests lie above this wing, so
 * the loop makes them. */
enum gst_emulated {
	GST_NOT_EMULATED,     /* it is another instruction (emulate32.c, emulate64.c) */
	GST_EMULATED,	      /* nothing */
	GST_EMULATED_CALL,    /* the system call in the registers */
	GST_EMULATED_CALL32,  /* one by INT 80h in a 64-bit program (gst_call32_is_common) */
	GST_EMULATED_REQUEST, /* a client request */
};

/* Execute the instruction of exit e; afterwards gs->pc is where the program goes on. Never returns
 * GST_NOT_EMULATED. */
enum gst_emulated gst_emulate(struct gst *g, const struct shr_exit *e);

/* emulate32.c: execute an instruction that only 32-bit programs have. gs->pc is the address after
 * it already. Returns GST_NOT_EMULATED, and executes nothing, if e is another instruction. */
enum gst_emulated gst_emulate32(struct gst *g, const struct shr_exit *e);

/* emulate64.c: execute an instruction of 64-bit programs: selectors in FS and GS, far transfers.
 * Returns as gst_emulate32(). */
enum gst_emulated gst_emulate64(struct gst *g, const struct shr_exit *e);

/* The instruction at e->pc does not complete: exception `number` of the processor, error code
 * err. */
void gst_raise32(struct gst *g, const struct shr_exit *e, int sig, unsigned number, uint32_t err);

/* The instruction at e->pc cannot access [at, at + bytes): as gst_signal_memory, and it is taken
 * back. */
void gst_raise_memory(struct gst *g, const struct shr_exit *e, uint64_t at, uint64_t bytes,
		      unsigned how);

/* string32.c: string instructions and masked moves. */
void gst_string32(struct gst *g, const struct shr_exit *e);

/* xsave32.c: XSAVE, XSAVEOPT, XSAVEC and XRSTOR. */
void gst_xsave32(struct gst *g, const struct shr_exit *e);

/* far32.c: far call, jump and return, IRET. */
void gst_far(struct gst *g, const struct shr_exit *e);

#endif
