/* ends.c -- --from and --to by marks: a part of the run begins where the program begins a region,
 * and ends where it ends one. Rules: player.h. */
#include "session/replay/player.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

bool ses_player_has_marks(const struct ses_config *cfg)
{
	return cfg->from_mark.text || cfg->to_mark.text;
}

/* Find the thread among those that are in the region. Returns its place, or r->n. */
static uint32_t find(const struct ses_in_region *r, uint32_t thread)
{
	uint32_t i = 0;

	while (i < r->n && r->thread[i] != thread)
		i++;
	return i;
}

/* A thread did `what` to the region. *opens: it was not open and is now, or begins anew; *closes:
 * it ends. Returns true if it was open. */
static bool follow(struct ses_in_region *r, enum req_region what, uint32_t thread, bool *opens,
		   bool *closes)
{
	const uint32_t at = find(r, thread);
	const bool was_open = at < r->n, toggles = what == REQ_REGION_TOGGLE;

	*opens = what == REQ_REGION_START || (toggles && !was_open);
	*closes = what == REQ_REGION_DUMP || (was_open && (toggles || what == REQ_REGION_STOP));
	if (*opens && !was_open && r->n < SES_MOST_IN_REGION)
		r->thread[r->n++] = thread;
	else if (*closes && was_open)
		r->thread[at] = r->thread[--r->n];
	return was_open;
}

static void begin(struct ses_player *p)
{
	ses_part_copy(p, p->base);
	p->ends.has_begun = true;
	p->next_end = p->cfg->to_insn ? p->cfg->to_insn : UINT64_MAX;
	if (p->next_end > p->position)
		return;
	p->ends.is_late = p->is_over = true; /* nothing lies between */
}

static void end(struct ses_player *p)
{
	struct ses_part *const own = &p->part[p->in.n_process];

	ses_part_copy(p, own);
	ses_part_subtract(p, own, p->base);
	p->is_over = true;
}

/* Keep the name for a sentence. */
static void meet(struct ses_ends *e, const char *name)
{
	const size_t n = strlen(e->met);
	const char *at = strstr(e->met, name);

	if (at && (at == e->met || at[-1] == ' ') && (!at[strlen(name)] || at[strlen(name)] == ','))
		return;
	if (n + strlen(name) + 3 < sizeof(e->met))
		snprintf(e->met + n, sizeof(e->met) - n, "%s%s", n ? ", " : "", name);
}

void ses_player_mark(struct ses_player *p, enum req_region what, uint32_t thread, const char *name)
{
	const struct ses_end_mark *from = &p->cfg->from_mark, *to = &p->cfg->to_mark;
	struct ses_ends *e = &p->ends;
	bool opens, closes;

	if (!ses_player_has_marks(p->cfg) || p->is_over)
		return;
	if (what != REQ_REGION_ZERO)
		meet(e, name);
	mdl_finish(p->model); /* as a run that keeps regions does at each mark */
	if (from->text && !strcmp(from->name, name)) {
		const bool was_open = follow(&e->from, what, thread, &opens, &closes);

		e->n_begin += opens && !was_open;
		if (opens && e->n_begin == (from->n ? from->n : 1))
			begin(p);
	}
	if (to->text && !strcmp(to->name, name)) {
		follow(&e->to, what, thread, &opens, &closes);
		e->n_end += closes;
		if (closes && e->has_begun && !p->is_over && (!to->n || e->n_end == to->n))
			end(p);
	}
}

void ses_player_mark_none(struct ses_player *p)
{
	p->ends.from.n = p->ends.to.n = 0;
}

int ses_player_judge_marks(const struct ses_player *p)
{
	const struct ses_end_mark *from = &p->cfg->from_mark, *to = &p->cfg->to_mark;
	const char *met = *p->ends.met ? p->ends.met : "no region";

	if (!ses_player_has_marks(p->cfg))
		return 0;
	if (p->ends.is_late)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "--from %s and --to %llu: nothing lies between, the region begins "
				 "at the program's instruction %llu",
				 from->text, (unsigned long long)p->cfg->to_insn,
				 (unsigned long long)p->position);
	if (from->text && !p->ends.has_begun)
		return spmu_fail(
		    p->err, SPMU_EINVAL,
		    "--from %s: the program of '%s' did not begin that region so often; "
		    "it marked: %s",
		    from->text, p->path, met);
	if (to->text && !p->is_over)
		return spmu_fail(p->err, SPMU_EINVAL,
				 "--to %s: the program of '%s' did not end that region behind the "
				 "begin of the part; it marked: %s",
				 to->text, p->path, met);
	return 0;
}
