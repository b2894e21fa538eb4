/* fs_base.c -- the program's FS base, in the processor and in the record stream, and the operands
 * that are relative to it.
 */
#include "guest/stream/fs_base.h"

#include "guest/gst.h"

void gst_set_fs(struct gst *g, uint64_t base)
{
	if (g->kernel.hwcap2 & 2)
		__asm__ volatile("wrfsbase %0" : : "r"(base));
	else
		SYS2(arch_prctl, 0x1002 /* ARCH_SET_FS */, base);
	gst_ring_word(g, TRC_FS_BASE, base);
}

uint64_t gst_get_fs(const struct gst *g)
{
	uint64_t base = 0;

	if (g->kernel.hwcap2 & 2)
		__asm__ volatile("rdfsbase %0" : "=r"(base));
	else
		SYS2(arch_prctl, 0x1003 /* ARCH_GET_FS */, &base);
	return base;
}

uint64_t gst_operand_address(const struct gst *g, const struct shr_exit *e)
{
	return g->gs->target + (e->resume == SHR_RELATIVE_FS ? gst_get_fs(g) : 0);
}
