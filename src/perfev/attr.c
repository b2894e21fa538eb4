/* attr.c -- reads and checks struct perf_event_attr. Rules: attr.h. */
#include "perfev/attr.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define SAMPLE_KNOWN	(((uint64_t)PERF_SAMPLE_MAX) - 1)
#define FORMAT_KNOWN	(((uint64_t)PERF_FORMAT_MAX) - 1)
#define REGISTERS_KNOWN 0xffffffull

int pev_attr_read(const uint8_t *bytes, uint32_t n, struct perf_event_attr *out)
{
	_Static_assert(sizeof(*out) >= PEV_ATTR_BYTES, "a header that is too old");
	if (n == 0)
		n = PERF_ATTR_SIZE_VER0;
	if (n < PERF_ATTR_SIZE_VER0 || n > 4096)
		return -E2BIG;
	for (uint32_t i = PEV_ATTR_BYTES; i < n; i++)
		if (bytes[i])
			return -E2BIG;
	memset(out, 0, sizeof(*out));
	memcpy(out, bytes, n < PEV_ATTR_BYTES ? n : PEV_ATTR_BYTES);
	out->size = n;
	return 0;
}

static int check_formats(const struct perf_event_attr *a)
{
	if (a->__reserved_1 || a->__reserved_2 || a->__reserved_3)
		return -EINVAL;
	if ((a->sample_type & ~SAMPLE_KNOWN) || (a->read_format & ~FORMAT_KNOWN))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	    (a->branch_sample_type & ~((uint64_t)PERF_SAMPLE_BRANCH_MAX - 1)))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_BRANCH_STACK) &&
	    !(a->branch_sample_type & ~(uint64_t)PERF_SAMPLE_BRANCH_PLM_ALL))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_REGS_USER) &&
	    (!a->sample_regs_user || (a->sample_regs_user & ~REGISTERS_KNOWN)))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_REGS_INTR) &&
	    (!a->sample_regs_intr || (a->sample_regs_intr & ~REGISTERS_KNOWN)))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_STACK_USER) &&
	    (a->sample_stack_user >= 0xffff || a->sample_stack_user % 8))
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_WEIGHT) && (a->sample_type & PERF_SAMPLE_WEIGHT_STRUCT))
		return -EINVAL;
	return 0;
}

int pev_attr_check(const struct perf_event_attr *a, int may_kernel)
{
	int rc = check_formats(a);

	if (rc)
		return rc;
	if ((!a->inherit && a->inherit_thread) || (a->remove_on_exec && a->enable_on_exec) ||
	    (a->sigtrap && !a->remove_on_exec))
		return -EINVAL;
	if (!a->exclude_kernel && !may_kernel)
		return -EACCES;
	if (a->namespaces && !may_kernel)
		return -EACCES;
	if (a->freq ? a->sample_freq > PEV_MOST_RATE : a->sample_period >> 63)
		return -EINVAL;
	if ((a->sample_type & PERF_SAMPLE_PHYS_ADDR) && !may_kernel)
		return -EACCES;
	if (a->inherit && (a->sample_type & PERF_SAMPLE_READ))
		return -EINVAL;
	return 0;
}

int pev_attr_check_late(const struct perf_event_attr *a, int is_interrupted)
{
	if ((a->sample_type & PERF_SAMPLE_CALLCHAIN) && a->sample_max_stack > PEV_MOST_CALLERS)
		return -EOVERFLOW;
	if (a->use_clockid) {
		switch (a->clockid) {
		case CLOCK_MONOTONIC:
		case CLOCK_MONOTONIC_RAW: break;
		case CLOCK_REALTIME:
		case CLOCK_BOOTTIME:
		case CLOCK_TAI:
			if (is_interrupted)
				return -EINVAL;
			break;
		default: return -EINVAL;
		}
	}
	return 0;
}
