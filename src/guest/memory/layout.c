/* layout.c -- sets the address ranges of the program's memory. Rules: layout.h. */
#include "guest/memory/layout.h"

#include "guest/sys.h"
#include "trace/share.h"

#define END_3GB 0xc0000000ull

void gst_layout_set(struct gst_layout *l, int is_32, uint64_t shift)
{
	static const struct gst_layout layout[2] = {
	    {.word = 8,
	     .end = GST_TASK_END,
	     .file_low = SHR_FILE_LOW,
	     .file_high = SHR_FILE_HIGH,
	     .mmap_low = SHR_MMAP_LOW,
	     .mmap_high = SHR_MMAP_HIGH,
	     .more_low = SHR_BRK_BASE * 16,
	     .more_high = SHR_ENGINE_LOW,
	     .brk_base = SHR_BRK_BASE,
	     .stack_high = SHR_STACK_HIGH,
	     .stack_most = 1ull << 30,
	     .strided_most = 2048},
	    {.is_32 = 1,
	     .word = 4,
	     .end = SHR_END_32,
	     .file_low = SHR_FILE_LOW,
	     .file_high = SHR_FILE_HIGH,
	     .mmap_low = SHR_LOW_BASE + SHR_LOW_BYTES,
	     .mmap_high = SHR_MMAP_HIGH_32,
	     .more_low = 0x110000,
	     .more_high = SHR_FILE_HIGH,
	     .brk_base = SHR_BRK_BASE_32,
	     .stack_high = SHR_END_32,
	     .stack_most = 64ull << 20,
	     .strided_most = 256},
	};

	*l = layout[is_32 != 0];
	l->file_low += shift;
	l->file_high += shift;
}

void gst_layout_lower(struct gst_layout *l)
{
	const uint64_t by = SHR_END_32 - END_3GB;

	l->end -= by;
	l->stack_high -= by;
	l->mmap_high -= by;
}
