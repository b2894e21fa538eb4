/* host_slot.h -- what both kinds of host code of the P6 (host.h, time_host.h) have in common:
 * values of a record's slots and the addresses made of them. r12 is the record, rdi the value of a
 * slot, rbp an address; rcx is scratch.
 */
#ifndef SOFTPMU_MODEL_P6_HOST_SLOT_H
#define SOFTPMU_MODEL_P6_HOST_SLOT_H

#include <stdint.h>

struct p6_ref;
struct x86_asm;

/* rdi = value of slot. */
void p6_time_host_base(struct x86_asm *a, unsigned slot);

/* rbp = linear address of r, without its FS base. *base_slot: the slot whose value rdi has,
 * P6_NO_SLOT: none; kept up to date. */
void p6_time_host_address(struct x86_asm *a, const struct p6_ref *r, uint8_t *base_slot);

#endif
