/* term64.h -- operands of what the runtime does in 64-bit code; 32-bit code: term32.h. */
#ifndef SOFTPMU_TRANSLATE_TERM64_H
#define SOFTPMU_TRANSLATE_TERM64_H

#include "trace/share.h"
#include "x86/insn.h"

struct xlt_emitter;

/* Leave a selector in a register, or the address of a memory operand, in gs.target. */
void xlt64_emulate_operands(struct xlt_emitter *e, const struct x86_decoded *d);

/* What the exit says beside address and length. */
void xlt64_describe_exit(struct shr_exit *x, const struct x86_decoded *d);

#endif
