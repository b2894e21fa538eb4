#include "session/regions.h"

#include <stdlib.h>
#include <string.h>

#include "session/counting.h"
#include "session/reading.h"
#include "session/serve.h"

#define MOST_REGIONS 1024u
#define MOST_OPEN    256u

/* Totals at one moment. */
struct moment {
	uint64_t wire[WIRE_N];
	uint64_t instructions;
};

struct region {
	char name[SES_REGION_NAME];
	uint64_t n_times;
	struct moment sum;
};

struct open_region {
	char name[SES_REGION_NAME];
	uint32_t thread;
	struct moment at;
};

struct ses_regions {
	struct region *region;
	size_t n, room;
	struct open_region *open;
	size_t n_open, room_open;
	struct moment dump_from;
	uint64_t n_dump;
};

int ses_regions_open(struct ses_regions **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -SPMU_ENOMEM;
}

void ses_regions_close(struct ses_regions *r)
{
	if (!r)
		return;
	free(r->region);
	free(r->open);
	free(r);
}

static struct moment now(struct ses_server *s)
{
	struct moment m;

	ses_read(s);
	memcpy(m.wire, s->wires->total, sizeof(m.wire));
	m.instructions = mdl_instructions(s->model);
	return m;
}

/* Room for one more of `bytes` each. Returns the array, or NULL. */
static void *grown(void *array, size_t n, size_t *room, size_t bytes)
{
	void *bigger;

	if (n < *room)
		return array;
	bigger = realloc(array, (*room ? 2 * *room : 8) * bytes);
	if (bigger)
		*room = *room ? 2 * *room : 8;
	return bigger;
}

static struct region *find(const struct ses_regions *r, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->region[i].name, name))
			return &r->region[i];
	return NULL;
}

/* The region of that name, made when there is none. NULL: no room. */
static struct region *find_or_make(struct ses_regions *r, const char *name)
{
	struct region *bigger = find(r, name);

	if (bigger)
		return bigger;
	bigger = r->n < MOST_REGIONS ? grown(r->region, r->n, &r->room, sizeof(*bigger)) : NULL;
	if (!bigger)
		return NULL;
	r->region = bigger;
	bigger = &bigger[r->n++];
	memset(bigger, 0, sizeof(*bigger));
	strcpy(bigger->name, name);
	return bigger;
}

static struct open_region *find_open(const struct ses_regions *r, uint32_t thread, const char *name)
{
	for (size_t i = 0; i < r->n_open; i++)
		if (r->open[i].thread == thread && !strcmp(r->open[i].name, name))
			return &r->open[i];
	return NULL;
}

/* What was counted between two moments belongs to the region. */
static int add(struct ses_regions *r, const char *name, const struct moment *from, const struct moment *to)
{
	struct region *to_region = find_or_make(r, name);

	if (!to_region)
		return r->n < MOST_REGIONS ? -SPMU_ENOMEM : -SPMU_EINVAL;
	for (unsigned i = 0; i < WIRE_N; i++)
		to_region->sum.wire[i] += to->wire[i] - from->wire[i];
	to_region->sum.instructions += to->instructions - from->instructions;
	to_region->n_times++;
	return 0;
}

static int start(struct ses_regions *r, struct ses_server *s, uint32_t thread, const char *name)
{
	struct open_region *o = find_open(r, thread, name), *bigger;

	if (!o) {
		bigger = r->n_open < MOST_OPEN ? grown(r->open, r->n_open, &r->room_open, sizeof(*o)) : NULL;
		if (!bigger)
			return r->n_open < MOST_OPEN ? -SPMU_ENOMEM : -SPMU_EINVAL;
		r->open = bigger;
		o = &r->open[r->n_open++];
		strcpy(o->name, name);
		o->thread = thread;
	}
	o->at = now(s); /* started twice: from here on */
	return 0;
}

static int stop(struct ses_regions *r, struct ses_server *s, uint32_t thread, const char *name)
{
	struct open_region *o = find_open(r, thread, name);
	const struct moment to = now(s);
	int rc;

	if (!o)
		return -SPMU_EINVAL;
	rc = add(r, name, &o->at, &to);
	*o = r->open[--r->n_open];
	return rc;
}

int ses_regions_do(struct ses_regions *r, struct ses_server *s, enum req_region what, uint32_t thread, const char *text)
{
	char name[SES_REGION_NAME];
	struct region *known;
	struct moment to;
	int rc;

	memccpy(name, text, 0, sizeof(name));
	name[sizeof(name) - 1] = 0;
	switch (what) {
	case REQ_REGION_START:
		return start(r, s, thread, name);
	case REQ_REGION_STOP:
		return stop(r, s, thread, name);
	case REQ_REGION_TOGGLE:
		return find_open(r, thread, name) ? stop(r, s, thread, name) : start(r, s, thread, name);
	case REQ_REGION_RESET:
		known = find(r, name);
		if (!known)
			return -SPMU_EINVAL;
		memset(&known->sum, 0, sizeof(known->sum));
		known->n_times = 0;
		return 0;
	case REQ_REGION_ZERO:
		r->dump_from = now(s);
		return 0;
	case REQ_REGION_DUMP:
		to = now(s);
		r->n_dump++;
		rc = add(r, name, &r->dump_from, &to);
		r->dump_from = to;
		return rc;
	default:
		return -SPMU_EINVAL;
	}
}

int ses_regions_end(struct ses_regions *r, const struct ses_config *cfg, const struct wires *w, struct ses_result *result)
{
	struct wires *own = malloc(sizeof(*own));
	int rc = own ? 0 : -SPMU_ENOMEM;

	result->region = calloc(r->n + 1, sizeof(*result->region));
	if (!result->region)
		rc = -SPMU_ENOMEM;
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct ses_region *one = &result->region[i];

		one->count = calloc(cfg->n_event + 1, sizeof(*one->count));
		if (!one->count) {
			rc = -SPMU_ENOMEM;
			break;
		}
		strcpy(one->name, r->region[i].name);
		one->n_times = r->region[i].n_times;
		one->instructions = r->region[i].sum.instructions;
		*own = *w;
		memcpy(own->total, r->region[i].sum.wire, sizeof(own->total));
		ses_count_events(cfg->model.cpu, cfg->event, cfg->n_event, own, one->count);
		result->n_region = i + 1;
	}
	free(own);
	return rc;
}
