/* emulate.h -- instructions that the runtime executes for the program (enum shr_emulate). */
#ifndef SOFTPMU_GUEST_EMULATE_H
#define SOFTPMU_GUEST_EMULATE_H

#include <stdint.h>

struct gst;
struct shr_exit;

/* Execute the instruction of exit e; afterwards gs->pc is where the program goes on. */
void gst_emulate(struct gst *g, const struct shr_exit *e);

/* emulate32.c: execute an instruction that only 32-bit programs have. gs->pc is the address after
 * it already. Returns 0 when e is no such instruction, else 1. */
int gst_emulate32(struct gst *g, const struct shr_exit *e);

/* emulate64.c: execute an instruction of 64-bit programs: selectors in FS and GS, far transfers.
 * Returns as gst_emulate32(). */
int gst_emulate64(struct gst *g, const struct shr_exit *e);

/* Address of the memory operand of such an instruction, and of one that stored an x87 state. */
uint64_t gst_operand_address(const struct gst *g, const struct shr_exit *e);

/* The instruction at e->pc does not complete: exception `number` of the processor, error code
 * err. */
void gst_raise32(struct gst *g, const struct shr_exit *e, int sig, unsigned number, uint32_t err);

/* The instruction at e->pc cannot access [at, at + bytes): as gst_signal_memory, and it is taken
 * back. */
void gst_raise_memory(struct gst *g, const struct shr_exit *e, uint64_t at, uint64_t bytes,
		      unsigned how);

/* string32.c: string instructions and masked moves. */
void gst_string32(struct gst *g, const struct shr_exit *e);

/* xsave32.c: XSAVE and its kin. */
void gst_xsave32(struct gst *g, const struct shr_exit *e);

/* far32.c: far call, jump and return, IRET. */
void gst_far(struct gst *g, const struct shr_exit *e);

/* x87_pc.c: the x87 state that was just stored (SHR_EMU_X87_PC) says where the program's
 * instruction is. */
void gst_correct_x87_pc(struct gst *g, const struct shr_exit *e);

/* The program's address for pc, an instruction pointer that the x87 has stored: itself unless it
 * is one of translated code. */
uint64_t gst_x87_pc(const struct gst *g, uint64_t pc);

/* FS base of the program: in the processor and in the record stream. */
void gst_set_fs(struct gst *g, uint64_t base);
uint64_t gst_get_fs(const struct gst *g);

#endif
