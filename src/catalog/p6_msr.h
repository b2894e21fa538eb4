/* p6_msr.h -- numbers of the P6's performance-monitoring registers, for RDMSR and WRMSR.
 *
 * Used by pmu/p6_regs.h, which has their bits, and by the model in time, which tells them apart by
 * what they cost.
 *
 * SOURCES  Intel SDM vol. 3 (2016), 18.22 "performance monitoring (P6 family processor)".
 */
#ifndef SOFTPMU_CATALOG_P6_MSR_H
#define SOFTPMU_CATALOG_P6_MSR_H

#define P6_MSR_PERFEVTSEL0 0x186u
#define P6_MSR_PERFEVTSEL1 0x187u
#define P6_MSR_PERFCTR0	   0xc1u
#define P6_MSR_PERFCTR1	   0xc2u

#endif
