/* calls_lock.c -- mlockall and munlockall: the program's memory is locked, and not the
 * runtime's.
 *
 * MODELLED       what is there now, what comes later (map.c), or as it is touched;
 *                RLIMIT_MEMLOCK and CAP_IPC_LOCK. mlock, mlock2 and munlock pass; which pages
 *                are locked is noted. A child has no locks, as the kernel has it.
 * NOT MODELLED   the strings of arguments and environment are not locked: they lie far apart
 *                (stack.c).
 * SOURCES        mlock(2).
 */
#include <linux/capability.h>

#include "guest/calls/calls.h"
#include "guest/gst.h"

#define RLIMIT_MEMLOCK_NUMBER 8
#define LOCK_CURRENT	      1u
#define LOCK_FUTURE	      2u
#define LOCK_ONFAULT	      4u
#define MLOCK_ONFAULT_FLAG    1u
/* below the stack pointer: what the kernel's first growth of a stack maps */
#define STACK_IN_USE 0x21000u

/* Returns where the part of this range begins that the kernel would have mapped for the program: a
 * stack is mapped only as far as it has grown. */
static uint64_t start_in_use(const struct gst *g, const struct gst_vma *v)
{
	const uint64_t low = GST_PAGE_DOWN(g->gs->gpr[4]) - STACK_IN_USE;

	return v->kind == GST_VMA_STACK && low > v->lo && low < v->hi ? low : v->lo;
}

static int is_lockable(const struct gst_vma *v)
{
	return v->kind != GST_VMA_ENGINE && v->kind != GST_VMA_EVENT && v->kind != GST_VMA_STRINGS;
}

/* Returns 0 if the program may lock all of its memory, else -errno. */
static long may_lock_all(const struct gst *g, uint64_t flags)
{
	const struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
	uint64_t limit[2] = {~0ull, ~0ull}, sum = 0;

	if (SYS2(capget, &head, data) == 0 && data[0].effective >> CAP_IPC_LOCK & 1)
		return 0;
	SYS4(prlimit64, 0, RLIMIT_MEMLOCK_NUMBER, NULL, limit);
	if (!limit[0])
		return -EPERM;
	for (uint32_t i = 0; flags & LOCK_CURRENT && i < g->vmas.n; i++)
		if (is_lockable(&g->vmas.v[i]))
			sum += g->vmas.v[i].hi - start_in_use(g, &g->vmas.v[i]);
	return sum > limit[0] ? -ENOMEM : 0;
}

/* mlock, mlock2 and munlock: the kernel does it, and says in its records of a range whether its
 * pages are locked. */
static long lock(struct gst *g, const uint64_t *a, int is_locked)
{
	const uint64_t lo = GST_PAGE_DOWN(a[0]), hi = GST_PAGE_UP(a[0] + a[1]);
	const long ret = gst_call_pass(g, a);

	if (!ret && lo < hi && gst_vma_lock(&g->vmas, lo, hi, is_locked))
		gst_refuse(g, "the program has more mappings than softpmu can keep", NULL);
	return ret;
}

long gst_call_mlock(struct gst *g, const uint64_t *a)
{
	return lock(g, a, 1);
}

long gst_call_munlock(struct gst *g, const uint64_t *a)
{
	return lock(g, a, 0);
}

/* Locks the program's memory and not the runtime's. A mapping without access cannot be locked,
 * which is no error. */
long gst_call_mlockall(struct gst *g, const uint64_t *a)
{
	const uint64_t flags = a[0];
	long ret;

	if (!flags || flags & ~(uint64_t)(LOCK_CURRENT | LOCK_FUTURE | LOCK_ONFAULT) ||
	    flags == LOCK_ONFAULT)
		return -EINVAL;
	ret = may_lock_all(g, flags);
	if (ret)
		return ret;
	g->lock_future = flags & LOCK_FUTURE ? (uint32_t)flags : 0;
	for (uint32_t i = 0; flags & LOCK_CURRENT && i < g->vmas.n; i++) {
		struct gst_vma *v = &g->vmas.v[i];
		const uint64_t lo = start_in_use(g, v);

		if (!is_lockable(v))
			continue;
		SYS3(mlock2, lo, v->hi - lo, flags & LOCK_ONFAULT ? MLOCK_ONFAULT_FLAG : 0);
		v->flags |= MAP_LOCKED;
	}
	return 0;
}

long gst_call_munlockall(struct gst *g, const uint64_t *a)
{
	g->lock_future = 0;
	for (uint32_t i = 0; i < g->vmas.n; i++)
		if (is_lockable(&g->vmas.v[i]))
			SYS2(munlock, g->vmas.v[i].lo, g->vmas.v[i].hi - g->vmas.v[i].lo);
	gst_vma_lock(&g->vmas, 0, g->layout.end, 0);
	return 0;
}
