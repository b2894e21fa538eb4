/* bare_places.h -- what each instruction of a machine counted (`softpmu record --kernel`).
 *
 * COUNTING RULES   as places.h, for one process, "machine": all that the processor executes. Its
 *                  objects are "[kernel]", the addresses from the kernel's first one on, and
 *                  "[anon]", those below; both have linear addresses.
 * NOT MODELLED     address spaces: instructions of two processes at one address are one row.
 */
#ifndef SOFTPMU_SESSION_BARE_PLACES_H
#define SOFTPMU_SESSION_BARE_PLACES_H

#include "session/places/places.h"

/* Open accounts as ses_places_open() does. kernel: where the kernel's addresses begin; 0: nowhere.
 */
int ses_bare_places_open(struct ses_places **out, const struct ses_config *cfg, struct mdl *m,
			 const struct x86_store *store, const struct wires *w,
			 const struct ses_places_modes *modes, uint64_t kernel);

/* All block ids are about to be void: take what they counted. */
void ses_bare_places_forget(struct ses_places *p, struct mdl *m);

/* The run is over, and mdl_finish() was called: put the accounts into *result. total: of all wires.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_bare_places_fill(struct ses_places *p, const uint64_t *total, struct ses_result *result);

#endif
