/* placed.c -- sorts accounts by place by their order of birth. Rules: placed.h. */
#include "session/serve/placed.h"

#include <stdlib.h>
#include <string.h>

static int by_birth(const void *a, const void *b)
{
	return ses_compare_births(((const struct ses_placed *)a)->birth,
				  ((const struct ses_placed *)b)->birth);
}

/* Are these accounts of the process born as `own`, or of a thread of it? */
static bool is_of(const char *own, const struct ses_ended_places *e)
{
	const size_t n = strlen(own);

	return !strncmp(e->birth, own, n) && (!e->birth[n] || e->birth[n] == ':');
}

int ses_placed_fill(const struct ses_config *cfg, const struct ses_family *f,
		    const struct ses_places *places, const char *own, struct ses_result *out)
{
	if (!places)
		return 0;
	out->placed = calloc(1 + f->n_places, sizeof(*out->placed));
	for (size_t i = 0; out->placed && i < f->n_places; i++) {
		const struct ses_ended_places *e = &f->places[i];
		struct ses_placed *p = &out->placed[out->n_placed];

		if (cfg->is_alone && !is_of(own, e))
			continue;
		memcpy(p->birth, e->birth, sizeof(p->birth));
		p->n = e->at.bytes;
		p->pid = e->at.pid;
		p->n_path = e->at.path_bytes;
		p->n_replicate = e->at.replicate_bytes;
		p->bytes = ses_places_read(places, e->at);
		out->n_placed++;
		if (!p->bytes || !e->at.bytes)
			return -SPMU_ENOMEM;
	}
	if (!out->placed || ses_places_are_lost(places))
		return -SPMU_ENOMEM;
	qsort(out->placed, out->n_placed, sizeof(*out->placed), by_birth);
	return 0;
}
