/* remarks.h -- what the report says about single programs of a run. Each server finds it out about
 * its guest, and the first server collects it. */
#ifndef SOFTPMU_SESSION_REMARKS_H
#define SOFTPMU_SESSION_REMARKS_H

#include "session/session.h"
#include "trace/share.h"

/* Add what there is to say about the guest of this control area. `program` in it has ended, or is
 * about to be replaced by another. has_papi: it has PAPI among its libraries. */
void ses_remarks_take(struct ses_remarks *r, const struct shr_ctl *c, const char *program,
		      bool has_papi);

/* Note that a program opened `event`, if the event needs a tier above `tier`, the run's: this run
 * does not count it. */
void ses_remarks_not_counted(struct ses_remarks *r, const struct cat_cpu *cpu,
                             const struct evt_event *event, int tier);

/* Add the remarks of another process. Of two remarks of one kind one is kept; which one does not
 * depend on the order of the calls. */
void ses_remarks_merge(struct ses_remarks *to, const struct ses_remarks *from);

#endif
