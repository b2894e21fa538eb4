/* copy.c -- reads and writes the program's memory through functions that may fault. Rules:
 * copy.h. */
#include "guest/memory/copy.h"

#include <asm/errno.h>

#include "guest/call.h"
#include "guest/gst.h"
#include "guest/memory/pages.h"

int gst_is_program(uint64_t at, size_t bytes)
{
	return at < GST_TASK_END && bytes <= GST_TASK_END - at &&
	       (at + bytes <= SHR_ENGINE_LOW || at >= SHR_ENGINE_HIGH);
}

long gst_copy_in(void *to, uint64_t from, size_t bytes)
{
	if (!gst_is_program(from, bytes))
		return -EFAULT;
	return gst_copy_raw(to, (const void *)from, bytes);
}

long gst_copy_out(uint64_t to, const void *from, size_t bytes)
{
	if (!gst_is_program(to, bytes))
		return -EFAULT;
	if (gst_copy_raw((void *)to, from, bytes) == 0)
		return 0;
	/* Perhaps a page that is guarded because code was translated from it. */
	if (!gst_pages_open(GST, to, to + bytes))
		return -EFAULT;
	return gst_copy_raw((void *)to, from, bytes);
}

long gst_copy_text(char *to, uint64_t from, size_t room)
{
	for (size_t i = 0; i < room; i++) {
		if (gst_copy_in(to + i, from + i, 1))
			return -EFAULT;
		if (!to[i])
			return (long)i;
	}
	return -ENAMETOOLONG;
}

uint64_t gst_call_word_at(const struct gst *g, uint64_t at, uint64_t n)
{
	uint64_t value = 0;

	return gst_copy_in(&value, at + n * gst_call_word(g), gst_call_word(g)) ? 0 : value;
}

uint64_t gst_low_copy(struct gst *g, const void *from, uint64_t bytes)
{
	uint64_t at = gst_low_at(g);

	memcpy((void *)at, from, bytes);
	return at;
}
