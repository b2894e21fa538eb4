/* select.c -- a part of a record's processes in place of all. Rules: file.h. */
#include <string.h>

#include "record/file.h"

/* Is p the process with this birth, or a thread of it, or that thread? */
static bool is_of(const struct rec_process *p, const char *birth)
{
	const size_t n = strlen(birth);

	return !strncmp(p->birth, birth, n) && (!p->birth[n] || p->birth[n] == ':');
}

bool rec_has_threads(const struct rec *r)
{
	return r->n_process && strchr(r->process[0].birth, ':');
}

/* A process that is not wanted keeps its place, because others are known by number, and has
 * nothing. */
static void empty(struct rec_process *p)
{
	p->n_place = 0;
	memset(p->machine, 0, p->n_event * sizeof(*p->machine));
	memset(p->total, 0, p->n_event * sizeof(*p->total));
}

uint32_t rec_select(struct rec *r, const char *birth)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->n_process; i++)
		n += is_of(&r->process[i], birth);
	if (!n)
		return 0;
	for (uint32_t e = 0; e < r->n_event; e++)
		r->event[e].total = 0;
	for (uint32_t i = 0; i < r->n_process; i++) {
		struct rec_process *p = &r->process[i];

		if (!is_of(p, birth)) {
			empty(p);
			if (r->paths)
				r->paths[i].n_context = 0;
			if (r->replicas && r->replicas[i].n_event)
				empty(&r->replicas[i]);
		}
		for (uint32_t e = 0; e < r->n_event; e++)
			r->event[e].total += (uint64_t)p->total[e];
	}
	return n;
}
