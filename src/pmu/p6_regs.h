/* p6_regs.h -- the counter registers of the P6 family.
 *
 * PerfEvtSel0 (MSR 186H), PerfEvtSel1 (MSR 187H)
 *
 *   31      24  23  22  21  20  19  18  17  16  15      8  7       0
 *  +----------+---+---+---+---+---+---+---+---+----------+----------+
 *  |  CMASK   |INV|EN | 0 |INT|PC | E |OS |USR|   UMASK  |  EVENT   |
 *  +----------+---+---+---+---+---+---+---+---+----------+----------+
 *
 *   EVENT  what is counted                  E    rises of the condition instead of its clocks
 *   UMASK  which kinds of it                PC   pin control (not visible to software)
 *   USR    privilege levels 1, 2, 3         INT  interrupt on overflow
 *   OS     privilege level 0                EN   both counters run; only in PerfEvtSel0
 *   CMASK  0: add the number of events of a clock; n: add 1 per clock with at least n of them
 *   INV    with CMASK n: per clock with fewer than n
 *
 * PerfCtr0 (MSR C1H), PerfCtr1 (MSR C2H)
 *
 *   63              40 39       32 31                              0
 *  +------------------+-----------+---------------------------------+
 *  |        0         |   high    |               low               |  WRMSR takes the low half and
 *  +------------------+-----------+---------------------------------+  copies bit 31 into the high
 *
 * SOURCES  Intel SDM vol. 3 (2016), 18.22 "performance monitoring (P6 family processor)".
 */
#ifndef SOFTPMU_PMU_P6_REGS_H
#define SOFTPMU_PMU_P6_REGS_H

#include "catalog/p6_msr.h"

#define P6_SEL_EVENT(x) ((uint32_t)(x)&0xffu)
#define P6_SEL_UMASK(x) (((uint32_t)(x)&0xffu) << 8)
#define P6_SEL_USR	(1u << 16)
#define P6_SEL_OS	(1u << 17)
#define P6_SEL_EDGE	(1u << 18)
#define P6_SEL_PC	(1u << 19)
#define P6_SEL_INT	(1u << 20)
#define P6_SEL_ZERO	(1u << 21)
#define P6_SEL_EN	(1u << 22)
#define P6_SEL_INV	(1u << 23)
#define P6_SEL_CMASK(x) (((uint32_t)(x)&0xffu) << 24)

#define P6_CTR_BITS 40
#define P6_CTR_MASK ((UINT64_C(1) << P6_CTR_BITS) - 1)

#endif
