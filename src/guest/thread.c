#include "guest/thread.h"

#include "guest/gst.h"

struct gst_thread *gst_thread_slot(struct gst *g, uint32_t i)
{
	uint64_t at = GST_SLOTS + i * GST_SLOT_BYTES;
	long ret = SYS6(mmap, at, GST_SLOT_BYTES, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0);

	return ret == (long)at || ret == -EEXIST ? (struct gst_thread *)at : NULL;
}
