/* p6.c -- PerfEvtSel0, 1 and the counters of a P6. Rules are in p6.h. */
#include "pmu/p6.h"

#include "pmu/p6_regs.h"

bool pmu_p6_write(struct pmu_p6 *p, uint32_t msr, uint64_t value)
{
	switch (msr) {
	case P6_MSR_PERFEVTSEL0:
	case P6_MSR_PERFEVTSEL1:
		if (value >> 32 || value & P6_SEL_ZERO)
			return false;
		p->sel[msr - P6_MSR_PERFEVTSEL0] = (uint32_t)value;
		return true;
	case P6_MSR_PERFCTR0:
	case P6_MSR_PERFCTR1:
		p->ctr[msr - P6_MSR_PERFCTR0] = (uint64_t)(int64_t)(int32_t)value & P6_CTR_MASK;
		p->has_overflowed[msr - P6_MSR_PERFCTR0] = false;
		return true;
	default: return false;
	}
}

bool pmu_p6_read(const struct pmu_p6 *p, uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case P6_MSR_PERFEVTSEL0:
	case P6_MSR_PERFEVTSEL1: *value = p->sel[msr - P6_MSR_PERFEVTSEL0]; return true;
	case P6_MSR_PERFCTR0:
	case P6_MSR_PERFCTR1: *value = p->ctr[msr - P6_MSR_PERFCTR0]; return true;
	default: return false;
	}
}

bool pmu_p6_rdpmc(const struct pmu_p6 *p, uint32_t ecx, uint64_t *value)
{
	if (ecx > 1)
		return false;
	*value = p->ctr[ecx];
	return true;
}

void pmu_p6_add(struct pmu_p6 *p, unsigned counter, uint64_t n)
{
	if (!(p->sel[0] & P6_SEL_EN))
		return;
	if (n > P6_CTR_MASK - p->ctr[counter])
		p->has_overflowed[counter] = true;
	p->ctr[counter] = (p->ctr[counter] + n) & P6_CTR_MASK;
}
