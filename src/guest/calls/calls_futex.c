/* calls_futex.c -- futex(2): the scheduler does futexes of this memory alone (threads/futex.h), the
 * kernel those in shared mappings.
 */
#include "guest/call.h"
#include "guest/gst.h"
#include "guest/threads/futex.h"

/* Memory that other processes may have too: the kernel has the queue of its waiters. */
static int is_shared(struct gst *g, const uint64_t *a)
{
	const struct gst_vma *v;

	if (a[1] & GST_OP_PRIVATE)
		return 0;
	v = gst_vma_find(&g->vmas, a[0]);
	return v && (v->flags & MAP_SHARED);
}

static int may_wait(uint32_t op)
{
	return op == GST_OP_WAIT || op == GST_OP_WAIT_BITSET || op == GST_OP_LOCK_PI ||
	       op == GST_OP_LOCK_PI2 || op == GST_OP_WAIT_REQUEUE_PI;
}

long gst_call_futex(struct gst *g, const uint64_t *a)
{
	const uint32_t op = (uint32_t)a[1] & GST_FUTEX_OP;

	if (!g->sched.is_threaded)
		return gst_call_pass(g, a);
	if (is_shared(g, a))
		return may_wait(op) ? gst_call_wait(g, a) : gst_call_pass(g, a);
	return gst_futex_private(g, a);
}
