/* calls_machine.c -- system calls that show the machine: the one that softpmu presents. */
#include <linux/capability.h>

#include "guest/threads/baton.h"
#include "guest/calls/calls.h"
#include "guest/memory/copy.h"
#include "guest/gst.h"

#define RLIMIT_DATA_NUMBER  2
#define RLIMIT_STACK_NUMBER 3
#define RLIMIT_AS_NUMBER    9
#define MOST_HOST_CPUS	    8192u /* as the kernel's largest build */

/* The thread of this memory that sched_setaffinity and the like name; NULL: none. */
static struct gst_thread *named(struct gst *g, int32_t tid)
{
	return tid ? gst_thread_of(g, tid) : g->t;
}

/* Of another process nothing is known but whether it is there. */
static long is_there(uint64_t pid)
{
	uint64_t host[MOST_HOST_CPUS / 64];
	const long ret = SYS3(sched_getaffinity, pid, sizeof(host), host);

	return gst_is_error(ret) ? ret : 0;
}

long gst_affinity(struct gst *g, uint64_t pid, uint64_t *cpus)
{
	const struct gst_thread *t = named(g, (int32_t)pid);

	*cpus = t ? t->cpus : gst_all_cpus(g);
	return t ? 0 : is_there(pid);
}

long gst_call_getaffinity(struct gst *g, const uint64_t *a)
{
	const uint64_t bytes = a[1] < 8 ? a[1] : 8;
	uint64_t mask;
	long ret;

	if ((uint32_t)a[1] & 7 || a[1] < 8)
		return -EINVAL;
	ret = gst_affinity(g, a[0], &mask);
	if (ret)
		return ret;
	return gst_copy_out(a[2], &mask, bytes) ? -EFAULT : (long)bytes;
}

/* Threads of this memory run on the processors that are asked for. Other processes run on any
 * processor: a request to restrict one is refused (EPERM). */
long gst_call_setaffinity(struct gst *g, const uint64_t *a)
{
	struct gst_thread *t = named(g, (int32_t)a[0]);
	uint64_t mask = 0;
	uint32_t was;
	long ret;

	if (gst_copy_in(&mask, a[2], a[1] < 8 ? a[1] : 8))
		return -EFAULT;
	mask &= gst_all_cpus(g);
	ret = t ? 0 : is_there(a[0]);
	if (ret)
		return ret;
	if (!mask)
		return -EINVAL;
	if (!t)
		return mask == gst_all_cpus(g) ? 0 : -EPERM;
	was = gst_thread_cpu(g, t);
	t->cpus = mask;
	if (t == g->t && gst_thread_cpu(g, t) != was)
		gst_sched_moved(g);
	return 0;
}

long gst_call_getcpu(struct gst *g, const uint64_t *a)
{
	const uint32_t cpu = gst_thread_cpu(g, g->t), zero = 0;

	if ((a[0] && gst_copy_out(a[0], &cpu, 4)) || (a[1] && gst_copy_out(a[1], &zero, 4)))
		return -EFAULT;
	return 0;
}

/* struct sysinfo of the kernel. */
struct machine {
	int64_t uptime;
	uint64_t loads[3], ram, free_ram, shared_ram, buffer_ram, swap, free_swap;
	uint16_t procs, pad;
	uint32_t pad2;
	uint64_t high, free_high;
	uint32_t unit;
};

long gst_call_sysinfo(struct gst *g, const uint64_t *a)
{
	struct machine m = {0};
	uint8_t host[128];

	if (SYS1(sysinfo, host) == 0)
		memcpy(&m.uptime, host, 8);
	m.ram = g->ctl->start.memory_bytes;
	m.free_ram = m.ram / 2;
	m.procs = 1;
	m.unit = 1;
	return gst_copy_out(a[0], &m, 112);
}

long gst_call_getrandom(struct gst *g, const uint64_t *a)
{
	uint64_t done = 0, bytes = a[1] > 33554431 ? 33554431 : a[1];
	uint8_t buf[256];

	if (a[2] & ~7ull)
		return -EINVAL;
	while (done < bytes) {
		uint64_t n = bytes - done < sizeof(buf) ? bytes - done : sizeof(buf);

		gst_random_fill(g, buf, n);
		if (gst_copy_out(a[0] + done, buf, n))
			return done ? (long)done : -EFAULT;
		done += n;
	}
	return (long)done;
}

/* CAP_SYS_RESOURCE */
static int may_raise_limits(void)
{
	const struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return SYS2(capget, &head, data) == 0 && data[0].effective >> CAP_SYS_RESOURCE & 1;
}

long gst_limit(struct gst *g, uint64_t which, const uint64_t *set, uint64_t *old)
{
	struct shr_limit *const own = (uint32_t)which == RLIMIT_STACK_NUMBER  ? &g->stack_limit
				      : (uint32_t)which == RLIMIT_AS_NUMBER   ? &g->space_limit
				      : (uint32_t)which == RLIMIT_DATA_NUMBER ? &g->data_limit
									      : NULL;
	uint64_t seen[2];
	long ret;

	if (own) {
		seen[0] = own->now;
		seen[1] = own->most;
		if (set && set[0] > set[1])
			return -EINVAL;
		if (set && set[1] > seen[1] && !may_raise_limits())
			return -EPERM;
		if (set)
			*own = (struct shr_limit){set[0], set[1]};
		if (set && own == &g->stack_limit)
			gst_stack_follow(g);
	} else {
		ret = SYS4(prlimit64, 0, which, set, seen);
		if (ret)
			return ret;
	}
	if (old)
		memcpy(old, seen, sizeof(seen));
	return 0;
}

/* gst_limit() with structs in the program's memory: now, most; 8 bytes each. */
static long limit(struct gst *g, uint64_t which, uint64_t set_at, uint64_t old_at)
{
	uint64_t set[2], old[2];
	long ret;

	if (set_at && gst_copy_in(set, set_at, sizeof(set)))
		return -EFAULT;
	ret = gst_limit(g, which, set_at ? set : NULL, old);
	return ret || !old_at ? ret : gst_copy_out(old_at, old, sizeof(old));
}

long gst_call_getrlimit(struct gst *g, const uint64_t *a)
{
	return limit(g, (uint32_t)a[0], 0, a[1]);
}

long gst_call_setrlimit(struct gst *g, const uint64_t *a)
{
	return a[1] ? limit(g, (uint32_t)a[0], a[1], 0) : -EFAULT;
}

long gst_call_prlimit(struct gst *g, const uint64_t *a)
{
	if (a[0] && !gst_process_of(g, (int32_t)a[0]))
		return gst_call_pass(g, a);
	return limit(g, (uint32_t)a[1], a[2], a[3]);
}
