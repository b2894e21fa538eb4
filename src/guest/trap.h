/* trap.h -- numbers of the processor's exceptions and bits of a page fault's error code, where the runtime raises them itself.
 *
 * SOURCES  Intel SDM vol. 3 table 6-1, figure 4-12.
 */
#ifndef SOFTPMU_GUEST_TRAP_H
#define SOFTPMU_GUEST_TRAP_H

#define TRAP_DIVIDE 0
#define TRAP_OVERFLOW 4
#define TRAP_BOUNDS 5
#define TRAP_TASK 10
#define TRAP_ABSENT 11
#define TRAP_STACK 12
#define TRAP_PROTECTION 13
#define TRAP_PAGE 14

#define TRAP_PAGE_PRESENT 1u
#define TRAP_PAGE_WRITE 2u
#define TRAP_PAGE_USER 4u

#endif
