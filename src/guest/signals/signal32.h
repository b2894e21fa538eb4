/* signal32.h -- signal frames of 32-bit programs. The rules are in signal.h.
 *
 * MODELLED       both frames as the kernel builds them for i386 programs: sigframe (no
 *                SA_SIGINFO) and rt_sigframe, with FSAVE image, FXSAVE or XSAVE area behind it,
 *                selectors, and the code that returns, for programs that give no SA_RESTORER.
 * NOT MODELLED   switching to the stack in sa_restorer (SS unlike the kernel's); the instruction
 *                pointers of the x87 (zero).
 * SOURCES        asm/sigcontext.h; sigreturn(2); Intel SDM vol. 1 chapters 8 and 10.
 */
#ifndef SOFTPMU_GUEST_SIGNAL32_H
#define SOFTPMU_GUEST_SIGNAL32_H

#include <stdint.h>

struct gst;
struct gst_action;
struct gst_siginfo;
struct gst_trap;

#define GST_SIGINFO32_BYTES 128u
/* FSAVE image in front of the area that frames of both widths have */
#define GST_FSAVE_BYTES 112u

/* siginfo_t of x86-64 -> the 32-bit one; the members that the signal and its code have. */
void gst_siginfo_narrow(uint8_t to[GST_SIGINFO32_BYTES], const struct gst_siginfo *info);

/* As gst_frame_push(), for a 32-bit program. Returns 0, or -EFAULT if the stack cannot be
 * written. */
int gst_frame32_push(struct gst *g, const struct gst_action *act, const struct gst_siginfo *info,
		     const struct gst_trap *trap);

/* sigreturn (is_rt 0) or rt_sigreturn: take the frame at the stack pointer back. Returns 0 or
 * -EFAULT. */
int gst_frame32_pop(struct gst *g, int is_rt);

#endif
