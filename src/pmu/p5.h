/* p5.h -- the register file of a P5: one select register for two counters of 40 bits.
 *
 * COUNTING RULES   CC of a counter's half: bit 0 counts at privilege levels 0 to 2, bit 1 at level
 *                  3, neither stops it; bit 2 counts clocks in which the condition holds, else its
 *                  occurrences: up to two in a clock. A counter that passes 2^40 goes on at 0.
 *                  Writing CESR neither clears nor loads a counter.
 * USED BY          stat --counters, which sends counts through it two at a time; softpmu bare with
 *                  a patched QEMU (session/bare_pmu.c); tests.
 * MODELLED         read and write of CESR, CTR0, CTR1; RDPMC (Pentium with MMX); overflow.
 * NOT MODELLED     the pins (PC), which programs cannot see; there is no interrupt.
 * SOURCES          p5_regs.h; Intel 241428 (1997) 16.4; 243006 (1996) 6.1; Intel SDM vol. 2, RDPMC.
 */
#ifndef SOFTPMU_PMU_P5_H
#define SOFTPMU_PMU_P5_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: both counters are off. It owns no memory. */
struct pmu_p5 {
	uint32_t cesr;
	uint64_t ctr[2]; /* 40 bits used */
	bool has_overflowed[2];
};

/* What one counter's condition did: occurrences, and clocks in which it held, by privilege level.
 */
struct pmu_p5_pulse {
	uint64_t occurrences, clocks;
	bool is_level3; /* at privilege level 3, else 0 to 2 */
};

/* WRMSR. Returns false where the processor raises a general-protection fault: an address that is no
 * counter register, a one in a reserved bit, a bit above 39 of a counter. */
bool pmu_p5_write(struct pmu_p5 *p, uint32_t msr, uint64_t value);

/* RDMSR; false as above. */
bool pmu_p5_read(const struct pmu_p5 *p, uint32_t msr, uint64_t *value);

/* RDPMC with ecx; false = general-protection fault. */
bool pmu_p5_rdpmc(const struct pmu_p5 *p, uint32_t ecx, uint64_t *value);

/* The event that counter 0 or 1 selects by its code did *pulse: add to the counter what its CC asks
 * for. The caller looks up the code (pmu_p5_code()) after each write of CESR: which event it is, is
 * not known here, and the pulse of another one would be added as well. */
void pmu_p5_add(struct pmu_p5 *p, unsigned counter, const struct pmu_p5_pulse *pulse);

/* Code and CC of counter 0 or 1, as CESR has them. */
uint32_t pmu_p5_code(const struct pmu_p5 *p, unsigned counter);

#endif
