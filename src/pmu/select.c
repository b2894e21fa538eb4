/* select.c -- between struct pmu_select and register bits. Rules are in select.h. */
#include "pmu/select.h"

#include "pmu/p5_regs.h"
#include "pmu/p6_regs.h"

uint32_t pmu_p6_encode(const struct pmu_select *s)
{
	return P6_SEL_EVENT(s->code) | P6_SEL_UMASK(s->umask) | P6_SEL_CMASK(s->cmask) |
	       (s->user ? P6_SEL_USR : 0) | (s->kernel ? P6_SEL_OS : 0) |
	       (s->edge ? P6_SEL_EDGE : 0) | (s->inv ? P6_SEL_INV : 0);
}

void pmu_p6_decode(uint32_t value, struct pmu_select *s)
{
	s->code = value & 0xff;
	s->umask = (value >> 8) & 0xff;
	s->cmask = (value >> 24) & 0xff;
	s->edge = value & P6_SEL_EDGE;
	s->inv = value & P6_SEL_INV;
}

uint32_t pmu_p5_encode(const struct pmu_select *s, unsigned counter, bool is_duration)
{
	uint32_t half = P5_CESR_ES(s->code);

	half |= (s->kernel ? P5_CESR_CC_CPL012 : 0) | (s->user ? P5_CESR_CC_CPL3 : 0);
	if (s->clock_reading == 2 || (s->clock_reading == 0 && is_duration))
		half |= P5_CESR_CC_CLOCKS;
	return half << P5_CESR_SHIFT(counter);
}
