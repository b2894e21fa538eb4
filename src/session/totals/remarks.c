/* remarks.c -- collects remarks about programs. Rules: remarks.h. Merging chooses by name and
 * never by order of arrival, so the report repeats. */
#include "session/totals/remarks.h"

#include <stdio.h>
#include <string.h>

#include "session/totals/counting.h"
#include "session/totals/last_words.h"

void ses_remarks_take(struct ses_remarks *r, const struct shr_ctl *c, const char *program,
		      bool has_papi)
{
	struct ses_remarks new = { .wants_isa = ses_last_words_isa(c),
				   .shown_isa = (int)c->start.isa_level,
		                   .missed_owner = c->missed_rights & SHR_MISSED_OWNER,
		                   .missed_group = c->missed_rights & SHR_MISSED_GROUP,
				   .missed_capabilities =
					   c->missed_rights & SHR_MISSED_CAPABILITIES,
		                   .n_missed = c->missed_rights != 0 };

	snprintf(new.wants_isa_by, sizeof(new.wants_isa_by), "%s", program);
	if (has_papi && c->start.mode == SHR_MODE_64 && c->start.has_perf == SHR_PERF_USED)
		snprintf(new.papi_by, sizeof(new.papi_by), "%s", program);
	snprintf(new.missed_by, sizeof(new.missed_by), "%s", program);
	ses_remarks_merge(r, &new);
}

void ses_remarks_not_counted(struct ses_remarks *r, const struct cat_cpu *cpu,
                             const struct evt_event *event, int tier)
{
	struct ses_remarks new = { .not_counted_tier = ses_tier_of(cpu, event, 1) };

	if (new.not_counted_tier <= tier || !event->event)
		return;
	snprintf(new.not_counted, sizeof(new.not_counted), "%.63s", event->event->name);
	ses_remarks_merge(r, &new);
}

void ses_remarks_merge(struct ses_remarks *to, const struct ses_remarks *from)
{
	if (from->wants_isa > to->wants_isa ||
	    (from->wants_isa && from->wants_isa == to->wants_isa &&
	     strcmp(from->wants_isa_by, to->wants_isa_by) < 0)) {
		to->wants_isa = from->wants_isa;
		to->shown_isa = from->shown_isa;
		memcpy(to->wants_isa_by, from->wants_isa_by, sizeof(to->wants_isa_by));
	}
	if (from->n_missed && (!to->n_missed || strcmp(from->missed_by, to->missed_by) < 0)) {
		to->missed_owner = from->missed_owner;
		to->missed_group = from->missed_group;
		to->missed_capabilities = from->missed_capabilities;
		memcpy(to->missed_by, from->missed_by, sizeof(to->missed_by));
	}
	to->n_missed += from->n_missed;
	if (from->not_counted_tier > to->not_counted_tier ||
	    (from->not_counted_tier && from->not_counted_tier == to->not_counted_tier &&
	     strcmp(from->not_counted, to->not_counted) < 0)) {
		to->not_counted_tier = from->not_counted_tier;
		memcpy(to->not_counted, from->not_counted, sizeof(to->not_counted));
	}
	if (from->cache_lacks[0] &&
	    (!to->cache_lacks[0] || strcmp(from->cache_lacks, to->cache_lacks) < 0))
		memcpy(to->cache_lacks, from->cache_lacks, sizeof(to->cache_lacks));
	if (from->papi_by[0] && (!to->papi_by[0] || strcmp(from->papi_by, to->papi_by) < 0))
		memcpy(to->papi_by, from->papi_by, sizeof(to->papi_by));
}
