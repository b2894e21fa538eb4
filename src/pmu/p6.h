/* p6.h -- the register file of a P6: two selects, two counters of 40 bits.
 *
 * COUNTING RULES   EN of PerfEvtSel0 runs or stops both counters. WRMSR to a counter takes 32 bits
 *                  and copies bit 31 upwards. A counter that passes 2^40 goes on at 0.
 * USED BY          softpmu bare with a patched QEMU (session/bare_pmu.c), and tests. The other
 *                  commands count any number of events straight from the wires.
 * MODELLED         read and write of the four registers, RDPMC, overflow.
 * NOT MODELLED     the pins; the APIC's side of the interrupt.
 * SOURCES          p6_regs.h; Intel SDM vol. 2, RDPMC.
 */
#ifndef SOFTPMU_PMU_P6_H
#define SOFTPMU_PMU_P6_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: both counters stand. It owns no memory. */
struct pmu_p6 {
	uint32_t sel[2];
	uint64_t ctr[2]; /* 40 bits used */
	bool has_overflowed[2];
};

/* WRMSR. Returns false where the processor raises a general-protection fault: an address that is no
 * counter register; of a select, a one in the reserved bit or above bit 31. Writing a counter takes
 * its has_overflowed back. */
bool pmu_p6_write(struct pmu_p6 *p, uint32_t msr, uint64_t value);

/* RDMSR; false as above. */
bool pmu_p6_read(const struct pmu_p6 *p, uint32_t msr, uint64_t *value);

/* RDPMC with ecx; false = general-protection fault (all 32 bits of ecx are looked at). */
bool pmu_p6_rdpmc(const struct pmu_p6 *p, uint32_t ecx, uint64_t *value);

/* `n` more of what counter 0 or 1 counts; ignored while EN is clear. Which event that is, CMASK,
 * INV and E are the caller's: n is what they make of it. */
void pmu_p6_add(struct pmu_p6 *p, unsigned counter, uint64_t n);

#endif
