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

/* Note that a program asked for the event of this name and does not get it; why: what the report
 * says behind the name ("the program asked for NAME" and why). Once for a name: the first stays. */
void ses_remarks_refused(struct ses_remarks *r, const char *name, const char *why);

/* Forget it: the program asked for the event in another way. */
void ses_remarks_forget(struct ses_remarks *r, const char *name);

/* Add the remarks of another process. Of two remarks of one kind one is kept; which one does not
 * depend on the order of the calls. */
void ses_remarks_merge(struct ses_remarks *to, const struct ses_remarks *from);

#endif
