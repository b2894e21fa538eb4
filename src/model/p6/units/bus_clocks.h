/* bus_clocks.h -- unit bus: clocks of the bus and of the core. */
#ifndef SOFTPMU_MODEL_P6_BUS_CLOCKS_H
#define SOFTPMU_MODEL_P6_BUS_CLOCKS_H

#include "model/p6/p6.h"

/* Bus clocks of one line. */
static inline unsigned p6_bus_line_clocks(const struct p6 *m)
{
	return 1u << m->line_log2 >> 3;
}

/* Returns how many core clocks these bus clocks are. Ratios have halves. */
static inline uint64_t p6_bus_to_core_clocks(const struct p6 *m, uint64_t clocks)
{
	const uint64_t bus_khz = m->cpu->bus_khz ? m->cpu->bus_khz : 1;

	return clocks * ((2000ull * m->cpu->core_mhz + bus_khz / 2) / bus_khz) / 2;
}

#endif
