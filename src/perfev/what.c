/* what.c -- finds the modelled event for type and config of perf_event_open. Rules: what.h. */
#include "perfev/what.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"

/* Hardware events by PERF_COUNT_HW_*; the P6 driver has the first ones. */
static const char *const hardware_name[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};
#define N_GENERIC 8u

const char *pev_name(const struct perf_event_attr *a, char out[PEV_NAME_BYTES])
{
	static const char *const cache_name[PERF_COUNT_HW_CACHE_MAX] = {
	    "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"};
	static const char *const op_name[PERF_COUNT_HW_CACHE_OP_MAX][2] = {
	    {"loads", "load-misses"},
	    {"stores", "store-misses"},
	    {"prefetches", "prefetch-misses"}};
	const uint64_t which = a->config & 0xff, op = a->config >> 8 & 0xff,
		       result = a->config >> 16 & 0xff;

	*out = 0;
	if (a->type == PERF_TYPE_HARDWARE &&
	    a->config < sizeof(hardware_name) / sizeof(hardware_name[0]))
		snprintf(out, PEV_NAME_BYTES, "%s", hardware_name[a->config]);
	else if (a->type == PERF_TYPE_HW_CACHE && which < PERF_COUNT_HW_CACHE_MAX &&
		 op < PERF_COUNT_HW_CACHE_OP_MAX && result < PERF_COUNT_HW_CACHE_RESULT_MAX)
		snprintf(out, PEV_NAME_BYTES, "%s-%s", cache_name[which], op_name[op][result]);
	else if (a->type == PEV_PMU_TYPE)
		snprintf(out, PEV_NAME_BYTES, "r%04llx", (unsigned long long)a->config);
	return out;
}

static struct evt_event plain_event(const struct cat_event *e, unsigned code, unsigned umask)
{
	return (struct evt_event){.event = e,
				  .code = (uint16_t)code,
				  .umask = (uint8_t)umask,
				  .user = true,
				  .kernel = false,
				  .counter = -1,
				  .group = -1};
}

static int take_event(const struct cat_event *e, struct pev_what *out, struct evt_event spelled)
{
	if (!e)
		return -ENOENT;
	*out =
	    (struct pev_what){.kind = PEV_HARDWARE, .event = spelled, .counters = e->counters & 3};
	if (!out->counters)
		out->counters = 3; /* a register of its own: here it takes part as any other */
	snprintf(out->event.name, sizeof(out->event.name), "%s", e->name);
	return 0;
}

static int what_of_name(const struct cat_cpu *cpu, const char *name, struct pev_what *out)
{
	uint8_t umask = 0;
	const struct cat_event *e = cat_find_driver(cpu, name, &umask);

	return take_event(e, out, e ? plain_event(e, e->code, umask) : (struct evt_event){0});
}

static int what_of_code(const struct cat_cpu *cpu, unsigned select, struct pev_what *out)
{
	const struct cat_event *e = cat_find_event_code(cpu, select & 0xff, -1);

	return take_event(e, out, plain_event(e, select & 0xff, select >> 8 & 0xff));
}

static int generic(const struct cat_cpu *cpu, const struct perf_event_attr *a, struct pev_what *out)
{
	char name[PEV_NAME_BYTES];

	if (a->config >= N_GENERIC)
		return -EINVAL;
	return what_of_name(cpu, pev_name(a, name), out);
}

/* Combinations that no processor can have: there is no write to L1I, and no prefetch into a
 * predictor. */
static bool is_nonsense(unsigned which, unsigned op)
{
	switch (which) {
	case PERF_COUNT_HW_CACHE_NODE: return true;
	case PERF_COUNT_HW_CACHE_L1I: return op == PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU: return op != PERF_COUNT_HW_CACHE_OP_READ;
	default: return false;
	}
}

/* The catalog lists what the kernel's P6 driver counts under each generic name. A name that is not
 * in the list has no event. */
static int cache(const struct cat_cpu *cpu, const struct perf_event_attr *a, struct pev_what *out)
{
	char name[PEV_NAME_BYTES];

	if (!*pev_name(a, name) || is_nonsense(a->config & 0xff, a->config >> 8 & 0xff))
		return -EINVAL;
	return what_of_name(cpu, name, out);
}

static int raw_p6(const struct cat_cpu *cpu, uint64_t config, struct pev_what *out)
{
	int rc = what_of_code(cpu, config & 0xffff, out);

	if (rc)
		return rc;
	out->event.edge = config >> 18 & 1;
	out->event.inv = config >> 23 & 1;
	out->event.cmask = config >> 24 & 0xff;
	return 0;
}

static int raw_p5(const struct cat_cpu *cpu, uint64_t config, struct pev_what *out)
{
	const unsigned code = config & 0x3f, counters = config >> 8 & 3;
	const int counter = counters == 1 ? 0 : counters == 2 ? 1 : -1;
	const struct cat_event *e = cat_find_event_code(cpu, code, counter);
	int rc = take_event(e, out, plain_event(e, code, 0));

	if (rc)
		return rc;
	if (counters)
		out->counters &= counters;
	out->event.counter = (int8_t)counter;
	out->event.clock_reading = config >> 16 & 1 ? 1 : config >> 17 & 1 ? 2 : 0;
	return out->counters ? 0 : -EINVAL;
}

static int software(const struct perf_event_attr *a, struct pev_what *out)
{
	if (a->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	switch (a->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK: *out = (struct pev_what){.kind = PEV_CLOCK}; return 0;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		*out = (struct pev_what){.kind = PEV_SWITCHES};
		return 0;
	case PERF_COUNT_SW_PAGE_FAULTS:
		*out = (struct pev_what){.kind = PEV_FAULTS,
					 .faults = PEV_FAULTS_MINOR | PEV_FAULTS_MAJOR};
		return 0;
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
		*out = (struct pev_what){.kind = PEV_FAULTS, .faults = PEV_FAULTS_MINOR};
		return 0;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		*out = (struct pev_what){.kind = PEV_FAULTS, .faults = PEV_FAULTS_MAJOR};
		return 0;
	case PERF_COUNT_SW_BPF_OUTPUT:
	case PERF_COUNT_SW_CGROUP_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
	case PERF_COUNT_SW_DUMMY: *out = (struct pev_what){.kind = PEV_NOTHING}; return 0;
	default: return -ENOENT;
	}
}

int pev_what(const struct cat_cpu *cpu, const struct perf_event_attr *a, struct pev_what *out)
{
	int rc;

	if (a->type == PERF_TYPE_SOFTWARE)
		return software(a, out);
	if (a->type == PERF_TYPE_HARDWARE)
		rc = generic(cpu, a, out);
	else if (a->type == PERF_TYPE_HW_CACHE)
		rc = cache(cpu, a, out);
	else if (a->type == PEV_PMU_TYPE)
		rc = cpu->family == CAT_P5 ? raw_p5(cpu, a->config, out)
					   : raw_p6(cpu, a->config, out);
	else
		return -ENOENT;
	if (rc)
		return rc;
	if (a->precise_ip || (a->sample_type & PERF_SAMPLE_BRANCH_STACK))
		return -EOPNOTSUPP;
	if (a->exclude_user)
		out->event.user = false;
	return 0;
}
