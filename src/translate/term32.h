/* term32.h -- how blocks of 32-bit code end: what differs from terminator.c.
 *
 * Indirect branches: the target goes into r8, the program's ecx into r9 and the target into ecx on
 * the way to the table, for the comparison at the entry of the block that it names. Nothing is
 * spilled.
 */
#ifndef SOFTPMU_TRANSLATE_TERM32_H
#define SOFTPMU_TRANSLATE_TERM32_H

#include "trace/share.h"
#include "translate/code32.h"

/* Push the return address `fall`, 32 bits or 16 as d is. A fault leaves ESP as it was. */
void xlt32_push_return(struct x86_out *o, const struct x86_decoded *d, uint64_t fall);

/* r8d = target of an indirect JMP or CALL. */
void xlt32_load_target(struct x86_out *o, const struct x86_decoded *d);

/* r8d = return address, taken off the stack. */
void xlt32_return(struct x86_out *o, const struct x86_decoded *d);

/* Jump to r8d by the table of indirect branches. */
void xlt32_jump_by_table(struct x86_out *o);

/* Entry of the block at pc for such jumps; ends where the main entry may follow. `common`: code
 * offset of xlt32_emit_common()'s code. Returns the code offset of the displacement to it. */
uint32_t xlt32_indirect_entry(struct x86_out *o, uint64_t pc, uint32_t common);

/* An indirect branch that found another block: into the runtime by exit `exit_id`. */
void xlt32_emit_common(struct x86_out *o, uint32_t exit_id);

/* JCXZ and LOOPx with a 16-bit count, up to the test: rcx = the count that is tested, r9d = ecx
 * afterwards. */
void xlt32_count_16(struct x86_out *o, const struct x86_decoded *d);

/* Instructions that the runtime executes: read what memory they need into gs fields; and what the
 * exit says beside their address and length. */
void xlt32_emulate_operands(struct x86_out *o, const struct x86_decoded *d);
void xlt32_describe_exit(struct shr_exit *x, const struct x86_decoded *d);

#endif
