/* run.h -- run a program and count on the machine's own counters: the other backend of softpmu
 * stat.
 *
 * COUNTING RULES   from the program's exec to its end, its children included (unless is_alone).
 *                  Software events count the kernel's part where that is allowed. An event that was
 *                  on a counter for a part of the time is scaled to all of it, and its share is in
 *                  the result.
 * SOURCES          perf_event_open(2).
 */
#ifndef SOFTPMU_HW_RUN_H
#define SOFTPMU_HW_RUN_H

#include "hw/events.h"
#include "session/session.h"

struct hw_config {
	const struct hw_events *events;
	char *const *argv, *const *envp; /* program and arguments, environment; NULL terminated */
	bool is_alone;			 /* its children run uncounted */
};

/* Run the program once and count. Blocks until it ended; SIGINT and SIGTERM go to the program, and
 * the counts so far are the result.
 * result   for ses_result_free(): counts and their shares of time, times, wait_status; all else is
 *          0. Nothing is in it after a failure.
 * Returns 0; -SPMU_ENOTSUP when the machine has no counters for what is asked, or a group does not
 * fit them; -SPMU_ESYS; -SPMU_ENOENT, -SPMU_EEXEC when the program could not be started. err
 * receives the sentence. */
int hw_run(const struct hw_config *cfg, struct ses_result *result, struct spmu_error *err);

/* Can all of these be counted here? Opens and closes each. Returns 0 or as hw_run(). */
int hw_try_events(const struct hw_events *events, struct spmu_error *err);

#endif
