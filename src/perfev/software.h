/* software.h -- events that no instruction counts: page faults and context switches.
 *
 * COUNTING RULES   page faults: session/faults/touches.h. Their samples lie at the instruction, with the address that it touched; all
 *                  are minor ones. A fault that stops the guest, for its signal or for what its sample shows, finds it in front of the
 *                  instruction, as a kernel does: from the registers with which it asks for credit it is known what it touches next, and it goes no
 *                  further than that is known. A context switch is counted by the thread that leaves the processor: when another one of the
 *                  program goes on, and, while it has one thread, when it waited in a system call. Whether it waited the host's
 *                  kernel says (ru_nvcsw around the call). The sample lies at the instruction executed last.
 * NOT MODELLED     several faults of one REP instruction find it before its first iteration. A fault behind the first element of a repeated comparison,
 *                  and of an operand whose address registers do not say (touches_ahead.h): the signal comes behind the instruction. Switches to other processes because a turn is over: each process of the program has a processor to itself.
 *                  Of a switch between threads no callers are known, and none of its registers.
 */
#ifndef SOFTPMU_PERFEV_SOFTWARE_H
#define SOFTPMU_PERFEV_SOFTWARE_H

#include "perfev/local.h"

/* The faults of one instruction of a block. What came before is settled where somebody samples. Without the lock. */
void pev_fault(struct pev_local *l, struct ses_server *s, uint32_t block, const struct ses_touch *touch);

/* The guest stands before `block` with the registers that it has just sent: what the next instruction touches first faults now, in front of it,
 * where faults stop the guest. Without the lock. */
void pev_fault_ahead(struct pev_local *l, struct ses_server *s, uint32_t block);

/* The thread that ran gives the processor up. What came before is settled. Without the lock. */
void pev_switch(struct pev_local *l, struct ses_server *s);

#endif
