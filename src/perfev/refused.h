/* refused.h -- events that a program asks for and does not get: a remark for the end of the run,
 * with the reason and what to ask for instead.
 *
 * RULE         one remark for an event, whoever asks and how often. A form that is refused and then
 *              asked for without what was in its way (precise samples, as perf record tries them)
 *              is no remark.
 * LEAVES OUT   events that are opened to learn whether they exist, as perf list opens each of its
 *              names: of every task, or with no way to enable, read or sample them (is_probe()).
 *              Attributes that are wrong on any processor (EINVAL), and branch stacks, which perf
 *              explains.
 */
#ifndef SOFTPMU_PERFEV_REFUSED_H
#define SOFTPMU_PERFEV_REFUSED_H

#include "perfev/local.h"

/* Event e was refused with the error number rc, below 0, of pev_what(), or since its model does not
 * count it (rc -ENOENT, and e->what is known). */
void pev_note_refused(struct ses_server *s, const struct pev_event *e, int rc);

/* Event e was refused because its group has more events than there are counters for them. */
void pev_note_full(const struct pev_local *l, struct ses_server *s, const struct pev_event *e);

/* Event e is counted: that it was refused, as in a group of perf's :W, is no remark any more. */
void pev_note_opened(struct ses_server *s, const struct pev_event *e);

/* Event e was asked for without precise samples: that they were refused is no remark any more. */
void pev_note_plain(struct ses_server *s, const struct pev_event *e);

#endif
