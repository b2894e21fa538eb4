/* thread.h -- what the runtime keeps per thread of the program.
 *
 * Threads of the program are threads of the kernel, but only the one that holds the baton (gst.t) runs
 * the program's code or touches the runtime's state; struct shr_gs is its processor, as it were. What a
 * thread needs without the baton, in the handler of a signal above all, is in its own struct, which a
 * handler finds by its stack.
 *
 * LAYOUT   slots of 1 MiB from GST_SLOTS: struct gst_thread, the stack of signal handlers, the stack of
 *          the runtime (the first thread's lies where _start put it). A slot is used again when its
 *          thread is gone.
 */
#ifndef SOFTPMU_GUEST_THREAD_H
#define SOFTPMU_GUEST_THREAD_H

#include <stdint.h>

#include "guest/signal.h"
#include "trace/share.h"

#define GST_SLOTS          (SHR_GS_BASE + 0x10000000ull)
#define GST_SLOT_BYTES     0x100000ull
#define GST_MAX_SLOTS      8192u
#define GST_SIGSTACK_OFF   0x10000ull
#define GST_SIGSTACK_BYTES 0x40000ull

struct gst_thread {
	struct gst_thread_signals sig;
	uint32_t number;          /* in the order of birth, from 0 */
	int32_t tid;
	uint32_t call_block;      /* the block whose SYSCALL is being executed */
	int can_deliver;          /* gs->pc is a boundary: signals may be delivered */
	uint64_t clear_child_tid; /* address in the program's memory, or 0 */
};

/* The thread in whose slot this stack pointer lies. */
static inline struct gst_thread *gst_thread_at(uint64_t sp)
{
	return (struct gst_thread *)(sp & ~(GST_SLOT_BYTES - 1));
}

struct gst;

/* Memory of slot i < GST_MAX_SLOTS, all zero when it is used for the first time; NULL when the kernel
 * gives none. */
struct gst_thread *gst_thread_slot(struct gst *g, uint32_t i);

#endif
