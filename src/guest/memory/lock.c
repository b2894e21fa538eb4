/* lock.c -- new mappings while mlockall(2) with MCL_FUTURE is in force. The calls themselves are in
 * calls/calls_lock.c, with the rules. */
#include <linux/mman.h>

#include "guest/gst.h"

uint32_t gst_lock_flags(const struct gst *g)
{
	return g->lock_future && !(g->lock_future & MCL_ONFAULT) ? MAP_LOCKED : 0;
}

long gst_lock_new(const struct gst *g, uint64_t addr, uint64_t bytes)
{
	if (!(g->lock_future & MCL_ONFAULT) || SYS3(mlock2, addr, bytes, MLOCK_ONFAULT) != -ENOMEM)
		return 0;
	return -EAGAIN;
}
