/* marks.c -- regions in a replay. Rules: marks.h. */
#include "session/replay/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "session/replay/player.h"
#include "session/serve/gate.h"
#include "trace/record.h"

static const char *counted_region(const struct ses_player *p)
{
	return p->cfg->gate ? p->cfg->gate->region : NULL;
}

/* Accounts of threads and places stop, or go on. */
static void shut_accounts(struct ses_player *p, bool shuts)
{
	struct ses_accounts *a = &p->accounts;

	if (ses_threads_shut(a->threads, shuts))
		a->marks.is_lost = true;
	if (a->places)
		ses_places_shut(a->places, shuts);
}

int ses_marks_open(struct ses_player *p)
{
	struct ses_marks *m = &p->accounts.marks;

	if (!p->cfg->keeps_regions)
		return 0;
	if (ses_regions_open(p->model, &m->regions))
		return -SPMU_ENOMEM;
	if (counted_region(p)) {
		shut_accounts(p, true);
		m->is_shut = true;
	}
	return m->is_lost ? -SPMU_ENOMEM : 0;
}

void ses_marks_close(struct ses_player *p)
{
	ses_regions_close(p->accounts.marks.regions);
}

static void flip(struct ses_player *p, bool shuts)
{
	struct ses_marks *m = &p->accounts.marks;
	struct ses_totals t;

	mdl_finish(p->model);
	ses_part_totals(p, &t);
	shut_accounts(p, shuts);
	if (shuts) {
		m->from = t;
	} else {
		ses_totals_subtract(&t, &m->from);
		ses_totals_add(&m->off, &t);
	}
	m->is_shut = shuts;
}

void ses_marks_follow(struct ses_player *p, uint32_t thread)
{
	struct ses_marks *m = &p->accounts.marks;
	const char *name = counted_region(p);

	if (m->regions && name && ses_regions_are_open(m->regions, thread, name) == m->is_shut)
		flip(p, !m->is_shut);
}

int ses_marks_region(struct ses_player *p, const uint8_t *payload, size_t n)
{
	const char *name = (const char *)payload + sizeof(struct trc_region);
	struct ses_accounts *a = &p->accounts;
	struct trc_region say;
	int rc;

	if (n <= sizeof(say))
		return -SPMU_EPROTO;
	memcpy(&say, payload, sizeof(say));
	if (say.what < REQ_REGION_START || say.what >= REQ_REGION_GET ||
	    strnlen(name, n - sizeof(say)) >= n - sizeof(say) || strlen(name) >= SES_REGION_NAME)
		return -SPMU_EPROTO;
	ses_player_mark(p, (enum req_region)say.what, say.thread, name);
	if (!a->marks.regions)
		return 0;
	rc = ses_regions_do(a->marks.regions, a->threads, (enum req_region)say.what, say.thread,
			    name);
	if (!rc)
		ses_marks_follow(p, say.thread);
	return rc == -SPMU_ENOMEM || a->marks.is_lost ? -SPMU_ENOMEM : 0;
}

void ses_marks_born(struct ses_player *p, bool was_vfork)
{
	struct ses_accounts *a = &p->accounts;

	if (!a->marks.regions)
		return;
	memset(&a->marks.off, 0, sizeof(a->marks.off));
	a->marks.from = p->base->totals;
	ses_regions_born(a->marks.regions, was_vfork ? UINT32_MAX : ses_threads_now(a->threads));
}

int ses_marks_replaced(struct ses_player *p)
{
	struct ses_accounts *a = &p->accounts;

	ses_player_mark_none(p);
	if (!a->marks.regions)
		return 0;
	if (ses_regions_replaced(a->marks.regions, a->threads))
		return -SPMU_ENOMEM;
	ses_marks_follow(p, 0);
	return a->marks.is_lost ? -SPMU_ENOMEM : 0;
}

void ses_marks_off(const struct ses_player *p, const struct ses_totals *now, struct ses_totals *off)
{
	const struct ses_marks *m = &p->accounts.marks;
	struct ses_totals rest = *now;

	*off = m->off;
	if (!m->is_shut)
		return;
	ses_totals_subtract(&rest, &m->from);
	ses_totals_add(off, &rest);
}

/* A region's message, to the book. */
static int tell_one(void *ctx, const struct ses_message *m)
{
	return ses_accounts_tell(ctx, m);
}

int ses_marks_tell(const struct ses_player *p, struct ses_message *m)
{
	const struct ses_marks *marks = &p->accounts.marks;

	return marks->regions
		   ? ses_regions_tell(marks->regions, tell_one, (void *)(uintptr_t)&p->accounts, m)
		   : 0;
}
