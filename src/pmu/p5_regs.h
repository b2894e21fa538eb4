/* p5_regs.h -- the counter registers of the P5 family.
 *
 * CESR (MSR 11H), control and event select
 *
 *   31    26  25  24  22  21    16  15    10   9   8   6  5      0
 *  +--------+---+-------+---------+--------+---+-------+--------+
 *  |   0    |PC1|  CC1  |   ES1   |   0    |PC0|  CC0  |  ES0   |
 *  +--------+---+-------+---------+--------+---+-------+--------+
 *
 *   ESn  event code
 *   CCn  bit 0: count at privilege levels 0, 1, 2   bit 1: at level 3
 *        bit 2: 1 = clocks in which the condition holds, 0 = its occurrences; 000 and 100: off
 *   PCn  pin PMn/BPn: 1 = at overflow, 0 = at each increment (not visible to software)
 *
 * CTR0 (MSR 12H), CTR1 (MSR 13H): 40 bits each. No unit mask, no counter mask, no interrupt.
 *
 * SOURCES  Intel SDM vol. 3 (2016), 18.23 "performance monitoring (Pentium processors)".
 */
#ifndef SOFTPMU_PMU_P5_REGS_H
#define SOFTPMU_PMU_P5_REGS_H

#define P5_MSR_CESR 0x11u
#define P5_MSR_CTR0 0x12u
#define P5_MSR_CTR1 0x13u

#define P5_CESR_ZERO	  0xfc00fc00u	 /* must be written as zero */
#define P5_CESR_SHIFT(n)  ((n) ? 16 : 0) /* counter n's half */
#define P5_CESR_ES(x)	  ((uint32_t)(x)&0x3fu)
#define P5_CESR_CC_CPL012 (1u << 6)
#define P5_CESR_CC_CPL3	  (1u << 7)
#define P5_CESR_CC_CLOCKS (1u << 8)
#define P5_CESR_PC	  (1u << 9)

#define P5_CTR_BITS 40
#define P5_CTR_MASK ((UINT64_C(1) << P5_CTR_BITS) - 1)

#endif
