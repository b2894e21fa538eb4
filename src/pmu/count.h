/* count.h -- from wires to an event's count: the unit mask at work.
 *
 * COUNTING RULES   a bit mask adds every wire that has one of its bits; an exclusive or fixed mask
 *                  adds the wires of exactly that value; the mask of an event without masks is
 *                  ignored. A bit mask of zero selects nothing and counts 0. CMASK, INV and E look
 *                  at single clocks: a model with time counts them on a wire of their own.
 * MODELLED         the count of all clocks together, in user mode; comparisons as far as a model
 *                  has that wire.
 * NOT MODELLED     OS: the kernel's instructions are never run by softpmu.
 * SOURCES          p5_regs.h, p6_regs.h.
 */
#ifndef SOFTPMU_PMU_COUNT_H
#define SOFTPMU_PMU_COUNT_H

#include <stdint.h>

#include "catalog/catalog.h"
#include "pmu/select.h"
#include "wire/wire.h"

enum pmu_status {
	PMU_COUNTED,
	PMU_NOT_MODELLED,
	PMU_CANNOT_OCCUR,
	PMU_UNDEFINED,
	PMU_TOO_FEW_SAMPLES
};

struct pmu_reading {
	uint64_t value; /* valid when status == PMU_COUNTED */
	enum pmu_status status;
	const char *why; /* one line, static; NULL when counted */
	uint64_t half;	 /* of the interval of an estimate, at 95 %; 0 when the value is exact */
};

/* Count of s on the machine `cpu` whose wires are w. Cannot fail; a wire that is selected and not
 * driven gives PMU_NOT_MODELLED or PMU_CANNOT_OCCUR, never a smaller number. */
struct pmu_reading pmu_count(const struct cat_cpu *cpu, const struct pmu_select *s,
			     const struct wires *w);

/* Returns the wire that s reads for `wire`, one of its event's wires: that wire, or with the other
 * setting of CC (P5: clocks for occurrences) the wire that counts so. .wire is WIRE_N if there is
 * none. */
struct cat_reading pmu_reading_of(const struct pmu_select *s, unsigned wire);

/* Returns 1 if the event with this unit mask counts what all agents on the bus do, not only its own
 * processor. The catalog calls such a mask "any". e may be NULL. */
int pmu_is_of_all_agents(const struct cat_event *e, uint8_t umask);

/* Returns 1 if unit mask `umask` selects this row of the event's wire list. */
int pmu_selects(const struct cat_event_wire *row, uint8_t umask);

#endif
