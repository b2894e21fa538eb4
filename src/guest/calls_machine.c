/* calls_machine.c -- system calls that show the machine: the one that softpmu presents. */
#include <linux/capability.h>

#include "guest/calls.h"
#include "guest/copy.h"
#include "guest/gst.h"

#define RLIMIT_STACK_NUMBER 3
#define RLIMIT_AS_NUMBER 9

long gst_call_getaffinity(struct gst *g, const uint64_t *a)
{
	uint64_t mask = g->ctl->start.n_cpus >= 64 ? ~0ull : (1ull << g->ctl->start.n_cpus) - 1;
	uint64_t bytes = a[1] < 8 ? a[1] : 8;

	if (a[0] && a[0] != g->ctl->guest_pid && !gst_thread_of(g, (int32_t)a[0]))
		return gst_call_pass(g, a);
	if ((uint32_t)a[1] & 7 || a[1] < 8)
		return -EINVAL;
	return gst_copy_out(a[2], &mask, bytes) ? -EFAULT : (long)bytes;
}

long gst_call_setaffinity(struct gst *g, const uint64_t *a)
{
	uint64_t mask = 0;

	if (a[0] && a[0] != g->ctl->guest_pid && !gst_thread_of(g, (int32_t)a[0]))
		return gst_call_pass(g, a);
	if (gst_copy_in(&mask, a[2], a[1] < 8 ? a[1] : 8))
		return -EFAULT;
	return mask & ((1ull << (g->ctl->start.n_cpus & 63)) - 1) ? 0 : -EINVAL;
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
	struct machine m = { 0 };
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
	const struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return SYS2(capget, &head, data) == 0 && data[0].effective >> CAP_SYS_RESOURCE & 1;
}

long gst_limit(struct gst *g, uint64_t which, const uint64_t *set, uint64_t *old)
{
	struct shr_limit *const own = (uint32_t)which == RLIMIT_STACK_NUMBER ? &g->stack_limit
				      : (uint32_t)which == RLIMIT_AS_NUMBER  ? &g->space_limit
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
			*own = (struct shr_limit){ set[0], set[1] };
	} else {
		ret = SYS4(prlimit64, 0, which, set, seen);
		if (ret)
			return ret;
	}
	if (old)
		memcpy(old, seen, sizeof(seen));
	return 0;
}

/* The same with the program's own structs: now, most; 8 bytes each. */
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
