/* eflags.h -- the bits of EFLAGS that the runtime looks at, and which of them an instruction or
 * the kernel changes.
 *
 * SOURCES  Intel SDM vol. 1 "EFLAGS Register", vol. 2 POPF and IRET at CPL 3 with IOPL 0; the
 *          kernel's signal frames: which flags it clears on the way into a handler and takes
 *          from the frame on the way back.
 */
#ifndef SOFTPMU_GUEST_EFLAGS_H
#define SOFTPMU_GUEST_EFLAGS_H

#define EFLAGS_CF  0x1u
#define EFLAGS_ONE 0x2u /* always set */
#define EFLAGS_PF  0x4u
#define EFLAGS_AF  0x10u
#define EFLAGS_ZF  0x40u
#define EFLAGS_SF  0x80u
#define EFLAGS_TF  0x100u
#define EFLAGS_IF  0x200u /* always set in user mode */
#define EFLAGS_DF  0x400u
#define EFLAGS_OF  0x800u
#define EFLAGS_NT  0x4000u
#define EFLAGS_RF  0x10000u
#define EFLAGS_AC  0x40000u
#define EFLAGS_ID  0x200000u

/* The flags that LAHF stores, and all flags that arithmetic sets. */
#define EFLAGS_LAHF	  (EFLAGS_SF | EFLAGS_ZF | EFLAGS_AF | EFLAGS_PF | EFLAGS_CF)
#define EFLAGS_ARITHMETIC (EFLAGS_LAHF | EFLAGS_OF)

/* The flags that POPF and IRET change in user mode; with 16-bit operands the lower half of them. */
#define EFLAGS_POPPED                                                                              \
	(EFLAGS_ARITHMETIC | EFLAGS_TF | EFLAGS_DF | EFLAGS_NT | EFLAGS_AC | EFLAGS_ID)

/* Signals: cleared for a handler, taken from its frame by sigreturn. */
#define EFLAGS_CLEARED_FOR_HANDLER (EFLAGS_TF | EFLAGS_DF | EFLAGS_RF)
#define EFLAGS_FROM_FRAME	   (EFLAGS_ARITHMETIC | EFLAGS_DF | EFLAGS_TF | EFLAGS_AC)

#endif
