/* software.h -- events that no instruction counts: page faults and context switches.
 *
 * COUNTING RULES   page faults: session/touches.h. Their samples lie at the instruction, with the address that it touched; all
 *                  are minor ones. A context switch is counted by the thread that leaves the processor: when another one of the
 *                  program goes on, and, while it has one thread, when it waited in a system call. Whether it waited the host's
 *                  kernel says (ru_nvcsw around the call). The sample lies at the instruction executed last.
 * NOT MODELLED     switches to other processes because a turn is over: each process of the program has a processor to itself.
 *                  Of a switch between threads no callers are known, and none of its registers.
 */
#ifndef SOFTPMU_PERFEV_SOFTWARE_H
#define SOFTPMU_PERFEV_SOFTWARE_H

#include "perfev/local.h"

/* The faults of one instruction of a block. What came before is settled where somebody samples. Without the lock. */
void pev_fault(struct pev_local *l, struct ses_server *s, uint32_t block, const struct ses_touch *touch);

/* The thread that ran gives the processor up. What came before is settled. Without the lock. */
void pev_switch(struct pev_local *l, struct ses_server *s);

#endif
