/* software.h -- events that no instruction counts: page faults and context switches.
 *
 * COUNTING RULES   page faults: session/faults/touches.h. All are minor ones. A sample lies at
 *                  the instruction and has the address that it touched. A fault that stops the
 *                  guest, for its signal or for what its sample shows, stops it before the
 *                  instruction, as a kernel does: the registers that it sends when it asks for
 *                  credit tell what it touches next, and it runs no further than they do. A
 *                  context switch is counted by the thread that leaves the processor: when
 *                  another thread of the program goes on, and, in a program with one thread,
 *                  when it waited in a system call. The host's kernel says whether it waited
 *                  (ru_nvcsw around the call). The sample lies at the instruction executed last.
 * NOT MODELLED     several faults of one REP instruction: all stop it before its first
 *                  iteration. A fault after the first element of a repeated comparison, or of an
 *                  operand whose address the registers do not tell (touches_ahead.h): the signal
 *                  comes after the instruction. Switches to other processes because a turn is
 *                  over: each process of the program has a processor to itself. Callers and
 *                  registers of a switch between threads.
 */
#ifndef SOFTPMU_PERFEV_SOFTWARE_H
#define SOFTPMU_PERFEV_SOFTWARE_H

#include "perfev/local.h"

/* Count the faults of one instruction of a block. What came before is settled if an event
 * samples. Without the lock. */
void pev_fault(struct pev_local *l, struct ses_server *s, uint32_t block,
	       const struct ses_touch *touch);

/* The guest stands before `block` and has just sent its registers: where faults stop it, count
 * now, before the next instruction, what that touches for the first time. Without the lock. */
void pev_fault_ahead(struct pev_local *l, struct ses_server *s, uint32_t block);

/* Count a context switch of the thread that ran. What came before is settled. Without the lock. */
void pev_switch(struct pev_local *l, struct ses_server *s);

#endif
