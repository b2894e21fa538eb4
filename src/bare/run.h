/* run.h -- one run of a stretch: which instructions of it were executed, and which access is whose.
 *
 * QEMU says when a stretch is begun, how many of its counted instructions began, and every access
 * with the number of a stretch and an instruction. It says nothing when a stretch is left early (an
 * interrupt, a fault, a device): that follows from these and from where execution went on.
 *
 * TRUST   the words come from QEMU's process: numbers that name nothing are left out.
 */
#ifndef SOFTPMU_BARE_RUN_H
#define SOFTPMU_BARE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bare/blocks.h"

#define BARE_NOWHERE UINT64_MAX /* nothing follows */
#define BARE_NO_INSN (BARE_MOST_INSNS * 4)

/* What is known of a run. All pointers are borrowed. */
struct bare_run {
	struct bare_stretch *s;
	const struct bare_blocks *blocks;
	uint32_t number; /* of the stretch */
	uint32_t begun;	 /* counted instructions that began */
	const uint64_t *access;
	size_t n_access;
	uint64_t next; /* where execution went on; BARE_NOWHERE */
};

/* The instruction of the run that made the access. BARE_NO_INSN: none did. */
unsigned bare_run_insn_of(const struct bare_run *r, uint64_t access);

/* Was the end of the stretch reached, as far as its counted instructions tell? */
bool bare_run_is_all_begun(const struct bare_run *r);

/* The last instruction of the run that began. */
unsigned bare_run_last_begun(const struct bare_run *r);

/* The address behind instruction `insn` of a stretch. */
uint32_t bare_run_address_behind(const struct bare_stretch *s, unsigned insn);

/* Does the code of the stretch itself say that execution may go on at r->next? */
bool bare_run_leads_to_next(const struct bare_run *r);

/* How many instructions of the run were executed. stop: the last one that began. */
unsigned bare_run_executed(const struct bare_run *r, unsigned stop);

/* Find the access of each slot in front of instruction `end`: value[n_slot] receives addresses,
 * from[n_slot] numbers of accesses (n_access: none), used[n_access] is 1 for those that were found
 * a slot. Returns the number of slots without an access. */
unsigned bare_run_match(const struct bare_run *r, unsigned end, uint32_t *value, size_t *from,
			uint8_t *used);

/* Keep in s which access went where (from[], as above), for the next run that has the same
 * accesses. Returns 0 or -SPMU_ENOMEM. */
int bare_run_learn(struct bare_stretch *s, const struct bare_run *r, const size_t *from);

#endif
