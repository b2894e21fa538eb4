/* mates.c -- gives what was counted between two changes of turn to the process that had the
 * turn. Rules: mates.h. */
#include "session/serve/mates.h"

#include <stdlib.h>
#include <string.h>

#include "session/serve/serve.h"
#include "session/serve/tally.h"

static struct ses_mate *find_mate(struct ses_mates *m, uint32_t key)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (m->mate[i].key == key)
			return &m->mate[i];
	return NULL;
}

/* Add the counts since the last change of turn to the process that had the turn. Returns 0 or
 * -SPMU_ENOMEM. */
static int settle(struct ses_server *s)
{
	struct ses_mate *mate = find_mate(&s->mates, s->mates.now);
	struct ses_totals *now = malloc(sizeof(*now)), *more = malloc(sizeof(*more));

	if (now && more) {
		ses_serve_drain(s);
		ses_tally_totals(s, now);
		*more = *now;
		ses_totals_subtract(more, &s->mates.at);
		s->mates.at = *now;
		if (mate) {
			ses_totals_add(&mate->totals, more);
			ses_totals_add(&s->base, more);
		}
	}
	free(now);
	free(more);
	return now && more ? 0 : -SPMU_ENOMEM;
}

static struct ses_mate *add_mate(struct ses_server *s, uint32_t key, uint32_t parent)
{
	struct ses_mates *m = &s->mates;
	struct ses_mate *mate;

	if (m->n == m->room) {
		const uint32_t room = m->room ? 2 * m->room : 4;

		mate = room <= SHR_MOST_THREADS ? realloc(m->mate, room * sizeof(*mate)) : NULL;
		if (!mate)
			return NULL;
		m->mate = mate;
		m->room = room;
	}
	mate = &m->mate[m->n++];
	memset(mate, 0, sizeof(*mate));
	mate->key = key;
	m->now = parent;
	ses_family_name_child(ses_mates_member(s), &mate->member);
	return mate;
}

int ses_mates_turn(struct ses_server *s, uint32_t key, uint32_t parent)
{
	if (settle(s) || (key && !find_mate(&s->mates, key) && !add_mate(s, key, parent)))
		return -SPMU_ENOMEM;
	s->mates.now = key;
	return 0;
}

static void forget(struct ses_mates *m, struct ses_mate *mate)
{
	if (m->now == mate->key)
		m->now = 0;
	*mate = m->mate[--m->n];
}

int ses_mates_end(struct ses_server *s, uint32_t key)
{
	struct ses_mate *mate = find_mate(&s->mates, key);
	struct ses_message *m;

	if (!mate)
		return 0;
	m = calloc(1, sizeof(*m));
	if (!m || settle(s)) {
		free(m);
		return -SPMU_ENOMEM;
	}
	m->kind = SES_MATE;
	m->member = mate->member;
	m->totals = mate->totals;
	ses_family_tell(s->family, m);
	free(m);
	forget(&s->mates, mate);
	return 0;
}

bool ses_mates_leave(struct ses_server *s, struct ses_vfork *as)
{
	struct ses_mate *mate = find_mate(&s->mates, s->mates.now);

	if (!mate || settle(s))
		return false;
	as->child = mate->member;
	as->before = mate->totals;
	forget(&s->mates, mate);
	return true;
}

void ses_mates_skip(struct ses_server *s, const struct ses_totals *others)
{
	ses_totals_add(&s->mates.at, others);
}

struct ses_member *ses_mates_member(struct ses_server *s)
{
	struct ses_mate *mate = find_mate(&s->mates, s->mates.now);

	return mate ? &mate->member : &s->member;
}

int ses_mates_close(struct ses_server *s)
{
	int rc = 0;

	while (s->mates.n && !rc)
		rc = ses_mates_end(s, s->mates.mate[0].key);
	free(s->mates.mate);
	s->mates.mate = NULL;
	s->mates.n = s->mates.room = 0;
	return rc;
}

void ses_mates_born(struct ses_server *s)
{
	free(s->mates.mate);
	memset(&s->mates, 0, sizeof(s->mates));
}
