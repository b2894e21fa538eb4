/* fs_base.h -- the program's FS base. */
#ifndef SOFTPMU_GUEST_FS_BASE_H
#define SOFTPMU_GUEST_FS_BASE_H

#include <stdint.h>

struct gst;
struct shr_exit;

/* Set the FS base of the program, in the processor and in the record stream; read it. */
void gst_set_fs(struct gst *g, uint64_t base);
uint64_t gst_get_fs(const struct gst *g);

/* Returns the address of the memory operand of an instruction that the runtime executes, or of one
 * that stored an x87 state. */
uint64_t gst_operand_address(const struct gst *g, const struct shr_exit *e);

#endif
