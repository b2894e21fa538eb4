/* bare_pmu.h -- the counters inside a machine whose QEMU asks softpmu for them.
 *
 * COUNTING RULES   a counter has counted all that was executed before the instruction that looks at
 *                  it: WRMSR, RDMSR or RDPMC. What it counts is the event of its register as the
 *                  models count it, in user mode, kernel mode or both, as its bits say.
 *                  The interrupt of a counter that passes its end (INT of PerfEvtSel) comes behind
 *                  the next instruction but one for INST_RETIRED, for other events up to
 *                  SES_BARE_SKID instructions later.
 * MODELLED         the registers of pmu/p6.h and pmu/p5.h; faults of their addresses and of
 *                  reserved bits; RDPMC is no instruction of a Pentium without MMX.
 * NOT MODELLED     counter masks and edges; one mode alone where rings are not
 *                  kept; events that need more than the run's tier: such a counter stands still,
 *                  and `why` says so.
 */
#ifndef SOFTPMU_SESSION_BARE_PMU_H
#define SOFTPMU_SESSION_BARE_PMU_H

#include "bare/stream.h"
#include "model/model.h"
#include "pmu/p5.h"
#include "pmu/p6.h"
#include "pmu/select.h"
#include "session/rings.h"

/* What one counter is set to, and what its event had counted when the counter was brought up to
 * date last. */
struct ses_bare_counter {
	struct pmu_select select; /* P6: user and kernel as the register has them */
	uint64_t user, kernel;	  /* without rings all is in `user` */
};

struct ses_bare_pmu {
	const struct cat_cpu *cpu; /* borrowed */
	struct ses_rings *rings;   /* borrowed; NULL: modes are not kept apart */
	struct pmu_p6 p6;
	struct pmu_p5 p5;
	struct ses_bare_counter counter[2];
	/* The first reason why a counter stands still, and its event, static; NULL: none does. */
	const char *why, *what;
	bool is_used; /* the machine wrote a register */
};

#define SES_BARE_SKID 16u

/* Returns how many instructions may run before QEMU has to ask whether a counter has passed its end
 * (BARE_LOOK); 0: no counter has an interrupt. */
uint64_t ses_bare_pmu_look_in(const struct ses_bare_pmu *p);

/* Set *answer and *value (of a read) for the question. m has been fed what ran before; its wires
 * are w. Returns 0 or -SPMU_ENOMEM. Cost: a walk over all blocks. */
int ses_bare_pmu_answer(struct ses_bare_pmu *p, const struct bare_ask *question, struct mdl *m,
			struct wires *w, enum bare_answer *answer, uint64_t *value);

#endif
