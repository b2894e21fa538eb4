/* calls32_memory.c -- the address space of a 32-bit program: calls that x86-64 does not have. */
#include "guest/calls/calls32.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

/* Numbers of the ipc(2) multiplexer and of the calls behind it. */
#define IPC_SHMAT 21u
#define IPC_SHMDT 22u
#define SHMAT_32  397u
#define SHMDT_32  398u

/* Where 32-bit calls reach, in a 64-bit program, too. */
static uint64_t low_flags(const struct gst *g, uint64_t flags)
{
	return g->layout.is_32 ? flags : flags | MAP_32BIT;
}

long gst_call_mmap2(struct gst *g, const uint64_t *a)
{
	const uint64_t words[6] = {a[0], a[1], a[2], low_flags(g, a[3]), a[4], a[5] * GST_PAGE};

	return gst_call_mmap(g, words);
}

long gst_call_mmap_old(struct gst *g, const uint64_t *a)
{
	uint32_t w[6];

	if (gst_copy_in(w, a[0], sizeof(w)))
		return -EFAULT;
	return gst_call_mmap(g,
			     (const uint64_t[]){w[0], w[1], w[2], low_flags(g, w[3]), w[4], w[5]});
}

/* ipc(call, first, second, third, ptr, fifth): shared memory is mapped by us, the rest passes. */
long gst_call_ipc(struct gst *g, const uint64_t *a)
{
	uint64_t words[7] = {0};
	uint32_t at;
	long ret;

	switch ((uint32_t)a[0] & 0xffff) {
	case IPC_SHMAT:
		words[0] = SHMAT_32;
		words[1] = a[1];
		words[2] = a[4];
		words[3] = a[2];
		ret = gst_call_shmat(g, words + 1);
		if (gst_is_error(ret))
			return ret;
		at = (uint32_t)ret;
		return gst_copy_out(a[3], &at, sizeof(at)) ? -EFAULT : 0;
	case IPC_SHMDT:
		words[0] = SHMDT_32;
		words[1] = a[4];
		return gst_call_shmdt(g, words + 1);
	default: return gst_call_wait(g, a);
	}
}

long gst_call_set_thread_area(struct gst *g, const uint64_t *a)
{
	return gst_segment_set(g, a[0]);
}

long gst_call_get_thread_area(struct gst *g, const uint64_t *a)
{
	return gst_segment_get(g, a[0]);
}
