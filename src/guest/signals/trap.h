/* trap.h -- numbers of the processor's exceptions and bits of a page fault's error code, where
 * the runtime raises them itself.
 *
 * MODELLED       faults show what Intel's processors and the kernel show, on every host: vector,
 *                error code, CR2, si_code, si_addr, RIP and RSP (tests/engine/faults).
 * NOT MODELLED   where within an operand of FXSAVE and its kin the address of a page fault lies:
 *                the host's. An exec does not pass the last fault's CR2 on.
 * SOURCES        Intel SDM vol. 3 table 6-1, figure 4-12.
 */
#ifndef SOFTPMU_GUEST_TRAP_H
#define SOFTPMU_GUEST_TRAP_H

#include <stdint.h>

#define TRAP_DIVIDE	0
#define TRAP_DEBUG	1
#define TRAP_BREAKPOINT 3
#define TRAP_OVERFLOW	4
#define TRAP_BOUNDS	5
#define TRAP_ILLEGAL	6
#define TRAP_TASK	10
#define TRAP_ABSENT	11
#define TRAP_STACK	12
#define TRAP_PROTECTION 13
#define TRAP_PAGE	14

/* Of a page fault; PRESENT: the page is there, but does not allow it. USER is always set: the
 * runtime raises faults of user mode alone. */
#define TRAP_PAGE_PRESENT 1u
#define TRAP_PAGE_WRITE	  2u
#define TRAP_PAGE_USER	  4u
#define TRAP_PAGE_FETCH	  16u

/* Does exception `number` point behind its instruction? Then the frame has no RF. */
static inline int trap_is_behind(uint64_t number)
{
	return number == TRAP_DEBUG || number == TRAP_BREAKPOINT || number == TRAP_OVERFLOW;
}

#endif
