/* remarks.c -- collects remarks about programs. Rules: remarks.h. Merging chooses by name and
 * never by order of arrival, so the report repeats. */
#include "session/totals/remarks.h"

#include <stdio.h>
#include <string.h>

#include "session/totals/last_words.h"

void ses_remarks_take(struct ses_remarks *r, const struct shr_ctl *c, const char *program,
		      bool has_papi)
{
	struct ses_remarks new = {.wants_isa = ses_last_words_isa(c),
				  .shown_isa = (int)c->start.isa_level,
				  .missed_owner = c->missed_rights & SHR_MISSED_OWNER,
				  .missed_group = c->missed_rights & SHR_MISSED_GROUP,
				  .missed_capabilities = c->missed_rights & SHR_MISSED_CAPABILITIES,
				  .n_missed = c->missed_rights != 0};

	snprintf(new.wants_isa_by, sizeof(new.wants_isa_by), "%s", program);
	if (has_papi && c->start.mode == SHR_MODE_64 && c->start.has_perf == SHR_PERF_USED)
		snprintf(new.papi_by, sizeof(new.papi_by), "%s", program);
	snprintf(new.missed_by, sizeof(new.missed_by), "%s", program);
	ses_remarks_merge(r, &new);
}

/* Put x into the list by name, where no event has that name yet. Of more than there is room for the
 * first by name are kept. */
static void add_not_counted(struct ses_remarks *r, const struct ses_not_counted *x)
{
	uint32_t at = r->n_not_counted;

	while (at && strcmp(r->not_counted[at - 1].name, x->name) >= 0)
		at--;
	if (at < r->n_not_counted && !strcmp(r->not_counted[at].name, x->name))
		return;
	r->has_more_not_counted |= r->n_not_counted == SES_MOST_REFUSED;
	if (at == SES_MOST_REFUSED)
		return;
	r->n_not_counted += r->n_not_counted < SES_MOST_REFUSED;
	memmove(&r->not_counted[at + 1], &r->not_counted[at],
		(r->n_not_counted - 1 - at) * sizeof(*x));
	r->not_counted[at] = *x;
}

void ses_remarks_refused(struct ses_remarks *r, const char *name, const char *why)
{
	struct ses_not_counted x = {.name = ""};

	snprintf(x.name, sizeof(x.name), "%s", name);
	snprintf(x.why, sizeof(x.why), "%s", why);
	add_not_counted(r, &x);
}

void ses_remarks_forget(struct ses_remarks *r, const char *name)
{
	for (uint32_t i = 0; i < r->n_not_counted; i++) {
		if (strcmp(r->not_counted[i].name, name))
			continue;
		r->n_not_counted--;
		memmove(&r->not_counted[i], &r->not_counted[i + 1],
			(r->n_not_counted - i) * sizeof(r->not_counted[0]));
		return;
	}
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
	for (uint32_t i = 0; i < from->n_not_counted; i++)
		add_not_counted(to, &from->not_counted[i]);
	to->has_more_not_counted |= from->has_more_not_counted;
	if (from->cache_lacks[0] &&
	    (!to->cache_lacks[0] || strcmp(from->cache_lacks, to->cache_lacks) < 0))
		memcpy(to->cache_lacks, from->cache_lacks, sizeof(to->cache_lacks));
	if (from->papi_by[0] && (!to->papi_by[0] || strcmp(from->papi_by, to->papi_by) < 0))
		memcpy(to->papi_by, from->papi_by, sizeof(to->papi_by));
	if (from->idle_read_by[0] &&
	    (!to->idle_read_by[0] || strcmp(from->idle_read_by, to->idle_read_by) < 0)) {
		memcpy(to->idle_read_by, from->idle_read_by, sizeof(to->idle_read_by));
		to->idle_counter = from->idle_counter;
	}
	if (from->left_over[0])
		memcpy(to->left_over, from->left_over, sizeof(to->left_over));
}
