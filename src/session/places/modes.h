/* modes.h -- user mode and kernel mode of a machine, for accounts of events of one mode (X:u, X:k).
 *
 * RULE     The model counts wires of both modes together, and its postings say which mode they
 *          belong to. An event of one mode is counted as if it were of both, and each row takes
 *          what the postings of its mode had. What no instruction caused is the kernel's.
 */
#ifndef SOFTPMU_SESSION_PLACES_MODES_H
#define SOFTPMU_SESSION_PLACES_MODES_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "record/process.h"
#include "session/session.h"
#include "wire/wire.h"

/* Of a machine. Where a pointer to it is NULL, there is one mode, and events are counted whole. */
struct ses_places_modes {
	bool is_known; /* else events of one mode have no counts */
	/* Does the posting belong to user mode? Called once for each. */
	bool (*is_user)(void *ctx, const struct mdl_posting *posting);
	void *ctx;
	const uint64_t *user; /* what the postings of user mode had, by wire; borrowed */
};

/* Count cfg's events on w into count[], those of one mode as if they were of both. */
void ses_modes_count(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     const struct wires *w, struct evt_count *count);

/* Set wanted[wire] for the wires of all events. */
void ses_modes_wires(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     uint8_t *wanted);

/* Returns true if the event is counted in user mode, or else in kernel mode. */
bool ses_modes_has(const struct ses_places_modes *modes, const struct evt_event *e, bool is_user);

/* Totals of the events on `wire`, by wire, into r->total and, for a beginning, r->machine. w: which
 * wires are driven. Returns 0 or -SPMU_ENOMEM. */
int ses_modes_totals(const struct ses_config *cfg, const struct ses_places_modes *modes,
		     const struct wires *w, const uint64_t *wire, struct rec_process *r);

#endif
