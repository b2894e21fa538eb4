/* clone.c -- what clone(2) and clone3(2) ask for: a thread, or a process in one of three kinds
 * of memory.
 *
 * MODELLED       struct clone_args as the kernel checks it; of numbers that are chosen, groups
 *                to be born into and new time namespaces, those of processes with memory of
 *                their own.
 * NOT MODELLED   these for threads and for processes that have their parent's memory: ENOSYS, as on
 *                a kernel without clone3.
 * SOURCES        clone(2).
 */
#include <linux/sched.h>

#include "guest/call.h"
#include "guest/memory/copy.h"
#include "guest/threads/fork.h"
#include "guest/gst.h"
#include "guest/threads/vfork.h"

#define NEWTIME_FLAG 0x80ull
#define LEAST_BYTES  64u
#define PAGE_BYTES   4096u
#define MOST_IDS     32u
#define MOST_SIGNAL  64u
#define INT_LIMIT    0x7fffffffull

long gst_clone_as(struct gst *g, const struct gst_birth *b)
{
	const uint64_t both = CLONE_PIDFD | CLONE_PARENT_SETTID;

	if ((b->flags & both) == both && b->pidfd == b->parent_tid)
		return -EINVAL;
	if (b->flags & GST_CLONE_THREAD)
		return gst_thread_clone(g, b);
	if ((b->flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
		return gst_process_clone(g, b);
	return b->flags & CLONE_VM ? gst_vfork_start(g, b) : gst_fork(g, b);
}

/* The struct of `bytes` at `at`, as the kernel takes structs that grow: what it does not know
 * must be 0. Returns 0 or -errno. */
static long take_words(uint64_t *w, uint64_t at, uint64_t bytes)
{
	const uint64_t known = GST_CLONE_WORDS * sizeof(*w);

	if (bytes > PAGE_BYTES)
		return -E2BIG;
	if (bytes < LEAST_BYTES)
		return -EINVAL;
	for (uint64_t i = known; i < bytes; i++) {
		uint8_t byte;

		if (gst_copy_in(&byte, at + i, 1))
			return -EFAULT;
		if (byte)
			return -E2BIG;
	}
	return gst_copy_in(w, at, bytes < known ? bytes : known);
}

static int is_good_stack(uint64_t at, uint64_t bytes)
{
	if (!at || !bytes)
		return !at && !bytes;
	return at < GST_TASK_END && bytes <= GST_TASK_END - at;
}

/* Requests that the kernel refuses to every program. */
static int is_good(const uint64_t *w, uint64_t bytes)
{
	const uint64_t flags = w[GST_CLONE_FLAGS];

	if (flags & ~(0xffffffffull | GST_CLONE_CLEAR_SIGHAND | GST_CLONE_INTO_CGROUP))
		return 0;
	if (flags & (CLONE_DETACHED | (CSIGNAL & ~NEWTIME_FLAG)))
		return 0;
	if ((flags & CLONE_SIGHAND) && (flags & GST_CLONE_CLEAR_SIGHAND))
		return 0;
	if (w[GST_CLONE_EXIT_SIGNAL] > MOST_SIGNAL ||
	    (w[GST_CLONE_EXIT_SIGNAL] && (flags & (CLONE_THREAD | CLONE_PARENT))))
		return 0;
	if (w[GST_CLONE_N_IDS] > MOST_IDS || !w[GST_CLONE_IDS] != !w[GST_CLONE_N_IDS])
		return 0;
	if ((flags & GST_CLONE_INTO_CGROUP) &&
	    (w[GST_CLONE_CGROUP] > INT_LIMIT || bytes < GST_CLONE_WORDS * sizeof(*w)))
		return 0;
	return is_good_stack(w[GST_CLONE_STACK], w[GST_CLONE_STACK_BYTES]);
}

long gst_call_clone3(struct gst *g, const uint64_t *a)
{
	uint64_t w[GST_CLONE_WORDS] = {0};
	struct gst_birth b;
	long ret = take_words(w, a[0], a[1]);

	if (ret)
		return ret;
	if (!is_good(w, a[1]))
		return -EINVAL;
	b = (struct gst_birth){
	    .flags = (w[GST_CLONE_FLAGS] & ~(CSIGNAL | GST_CLONE_INTO_CGROUP)) |
		     w[GST_CLONE_EXIT_SIGNAL],
	    .stack = w[GST_CLONE_STACK] + w[GST_CLONE_STACK_BYTES],
	    .parent_tid = w[GST_CLONE_PARENT_TID],
	    .pidfd = w[GST_CLONE_PIDFD],
	    .child_tid = w[GST_CLONE_CHILD_TID],
	    .tls = w[GST_CLONE_TLS],
	};
	if (w[GST_CLONE_N_IDS] || (w[GST_CLONE_FLAGS] & (GST_CLONE_INTO_CGROUP | NEWTIME_FLAG)))
		b.words = w;
	return b.words && (b.flags & CLONE_VM) ? -ENOSYS : gst_clone_as(g, &b);
}
