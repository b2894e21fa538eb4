/* p5.c -- CESR and the counters of a P5. Rules are in p5.h. */
#include "pmu/p5.h"

#include "pmu/p5_regs.h"

bool pmu_p5_write(struct pmu_p5 *p, uint32_t msr, uint64_t value)
{
	switch (msr) {
	case P5_MSR_CESR:
		if (value >> 32 || value & P5_CESR_ZERO)
			return false;
		p->cesr = (uint32_t)value;
		return true;
	case P5_MSR_CTR0:
	case P5_MSR_CTR1:
		if (value & ~P5_CTR_MASK)
			return false;
		p->ctr[msr - P5_MSR_CTR0] = value;
		p->has_overflowed[msr - P5_MSR_CTR0] = false;
		return true;
	default: return false;
	}
}

bool pmu_p5_read(const struct pmu_p5 *p, uint32_t msr, uint64_t *value)
{
	switch (msr) {
	case P5_MSR_CESR: *value = p->cesr; return true;
	case P5_MSR_CTR0:
	case P5_MSR_CTR1: *value = p->ctr[msr - P5_MSR_CTR0]; return true;
	default: return false;
	}
}

bool pmu_p5_rdpmc(const struct pmu_p5 *p, uint32_t ecx, uint64_t *value)
{
	if (ecx > 1)
		return false;
	*value = p->ctr[ecx];
	return true;
}

uint32_t pmu_p5_code(const struct pmu_p5 *p, unsigned counter)
{
	return P5_CESR_ES(p->cesr >> P5_CESR_SHIFT(counter));
}

void pmu_p5_add(struct pmu_p5 *p, unsigned counter, const struct pmu_p5_pulse *pulse)
{
	const uint32_t half = p->cesr >> P5_CESR_SHIFT(counter);
	const uint64_t n = half & P5_CESR_CC_CLOCKS ? pulse->clocks : pulse->occurrences;

	if (!(half & (pulse->is_level3 ? P5_CESR_CC_CPL3 : P5_CESR_CC_CPL012)))
		return;
	if (n > P5_CTR_MASK - p->ctr[counter])
		p->has_overflowed[counter] = true;
	p->ctr[counter] = (p->ctr[counter] + n) & P5_CTR_MASK;
}
