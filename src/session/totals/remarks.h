/* remarks.h -- what the report says about single processes of a run: each server finds it out
 * about its guest, the first one collects it. */
#ifndef SOFTPMU_SESSION_REMARKS_H
#define SOFTPMU_SESSION_REMARKS_H

#include "session/session.h"
#include "trace/share.h"

/* Add what there is to say of the guest of this control area, when `program` in it has ended or
 * gives way to another. */
void ses_remarks_take(struct ses_remarks *r, const struct shr_ctl *c, const char *program);

/* Remember that a program opened `event`, which this run does not count. Nothing happens unless the
 * event needs a tier above `tier`. */
void ses_remarks_not_counted(struct ses_remarks *r, const struct cat_cpu *cpu,
                             const struct evt_event *event, int tier);

/* Add what is said of another process; of two that say the same kind one stays, whatever their
 * order. */
void ses_remarks_merge(struct ses_remarks *to, const struct ses_remarks *from);

#endif
