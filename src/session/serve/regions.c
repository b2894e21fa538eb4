/* regions.c -- keeps the counts of regions by thread and name. Rules: regions.h. A region's
 * count is the difference of two moments of its thread's account. */
#include "session/serve/regions.h"

#include <stdlib.h>
#include <string.h>

#include "session/totals/counting.h"
#include "event/events.h"
#include "session/session.h"
#include "session/totals/threads.h"

#define MOST_REGIONS 8192u
#define MOST_OPEN    1024u
#define ALL_THREADS  UINT32_MAX
/* of a program that was executed before: for the report alone */
#define NO_THREAD (UINT32_MAX - 1)

/* Totals at one moment. */
struct moment {
	uint64_t wire[WIRE_N];
	uint64_t half[WIRE_N]; /* of sums of processes alone */
	uint64_t instructions;
	uint64_t part[MDL_PART_ROOM]; /* what estimates are made of */
};

struct region {
	char name[SES_REGION_NAME];
	uint32_t thread;
	uint64_t n_times;
	struct moment sum;
};

struct open_region {
	char name[SES_REGION_NAME];
	uint32_t thread;
	struct moment at;
};

struct ses_regions {
	struct mdl *model;
	unsigned n_part; /* numbers of moment.part that are in use; 0: clocks are exact */
	struct region *region;
	size_t n, room;
	struct open_region *open;
	size_t n_open, room_open;
	struct moment dump_from;
	uint64_t n_dump;
};

int ses_regions_open(struct mdl *m, struct ses_regions **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -SPMU_ENOMEM;
	(*out)->model = m;
	(*out)->n_part = mdl_has_parts(m) ? MDL_PART_ROOM : 0;
	return 0;
}

void ses_regions_close(struct ses_regions *r)
{
	if (!r)
		return;
	free(r->region);
	free(r->open);
	free(r);
}

/* *m becomes the counts so far of one thread, or of all threads (ALL_THREADS). Returns 0 or
 * -SPMU_ENOMEM. */
static int look(const struct ses_regions *r, struct ses_threads *threads, uint32_t thread,
		struct moment *m)
{
	struct ses_totals *t = malloc(sizeof(*t));
	uint32_t n;

	memset(m, 0, sizeof(*m));
	if (!t || ses_threads_settle(threads)) {
		free(t);
		return -SPMU_ENOMEM;
	}
	n = ses_threads_n(threads);
	for (uint32_t i = 0; i < n; i++) {
		if (thread != ALL_THREADS && i != (thread < n ? thread : n - 1))
			continue;
		ses_threads_totals(threads, i, t);
		for (unsigned k = 0; k < WIRE_N; k++)
			m->wire[k] += t->wire[k];
		for (unsigned k = 0; k < r->n_part; k++)
			m->part[k] += t->part[k];
		m->instructions += t->instructions;
	}
	free(t);
	return 0;
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

static struct region *find_region(const struct ses_regions *r, uint32_t thread, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->region[i].thread == thread && !strcmp(r->region[i].name, name))
			return &r->region[i];
	return NULL;
}

/* The thread's region of that name, made when there is none. NULL: no room. */
static struct region *find_or_make(struct ses_regions *r, uint32_t thread, const char *name)
{
	struct region *bigger = find_region(r, thread, name);

	if (bigger)
		return bigger;
	bigger = r->n < MOST_REGIONS ? grown(r->region, r->n, &r->room, sizeof(*bigger)) : NULL;
	if (!bigger)
		return NULL;
	r->region = bigger;
	bigger = &bigger[r->n++];
	memset(bigger, 0, sizeof(*bigger));
	strcpy(bigger->name, name);
	bigger->thread = thread;
	return bigger;
}

static struct open_region *find_open(const struct ses_regions *r, uint32_t thread, const char *name)
{
	for (size_t i = 0; i < r->n_open; i++)
		if (r->open[i].thread == thread && !strcmp(r->open[i].name, name))
			return &r->open[i];
	return NULL;
}

bool ses_regions_are_open(const struct ses_regions *r, uint32_t thread, const char *name)
{
	return find_open(r, thread, name) != NULL;
}

/* Add the counts between two moments to the region, which is made if it is new. Returns 0,
 * -SPMU_ENOMEM, or -SPMU_EINVAL if there are too many regions. */
static int add_region(struct ses_regions *r, uint32_t thread, const char *name,
		      const struct moment *from, const struct moment *to)
{
	struct region *to_region = find_or_make(r, thread, name);

	if (!to_region)
		return r->n < MOST_REGIONS ? -SPMU_ENOMEM : -SPMU_EINVAL;
	for (unsigned i = 0; i < WIRE_N; i++)
		to_region->sum.wire[i] += to->wire[i] - from->wire[i];
	for (unsigned i = 0; i < r->n_part; i++)
		to_region->sum.part[i] += to->part[i] - from->part[i];
	to_region->sum.instructions += to->instructions - from->instructions;
	to_region->n_times++;
	return 0;
}

static int start(struct ses_regions *r, struct ses_threads *t, uint32_t thread, const char *name)
{
	struct open_region *o = find_open(r, thread, name), *bigger;
	struct moment at;

	if (look(r, t, thread, &at))
		return -SPMU_ENOMEM;
	if (!o) {
		bigger = r->n_open < MOST_OPEN
			     ? grown(r->open, r->n_open, &r->room_open, sizeof(*o))
			     : NULL;
		if (!bigger)
			return r->n_open < MOST_OPEN ? -SPMU_ENOMEM : -SPMU_EINVAL;
		r->open = bigger;
		o = &r->open[r->n_open++];
		strcpy(o->name, name);
		o->thread = thread;
	}
	o->at = at; /* started twice: from here on */
	return 0;
}

static int stop_region(struct ses_regions *r, struct ses_threads *t, uint32_t thread,
		       const char *name)
{
	struct open_region *o = find_open(r, thread, name);
	struct moment to;
	int rc;

	if (look(r, t, thread, &to))
		return -SPMU_ENOMEM;
	if (!o)
		return -SPMU_EINVAL;
	rc = add_region(r, thread, name, &o->at, &to);
	*o = r->open[--r->n_open];
	return rc;
}

/* The clocks of *m, where they are estimates: those of the part of the run that it is. Returns 0 or
 * -SPMU_ENOMEM. */
static int estimate(const struct ses_regions *r, struct moment *m)
{
	return mdl_part_totals(r->model, m->part, m->wire, m->half);
}

/* Counts of all events in a copy of the wires. */
static void count_events(const struct ses_config *cfg, const struct wires *w,
			 const struct moment *m, struct wires *own, const struct evt_event *event,
			 size_t n, struct evt_count *out)
{
	*own = *w;
	memcpy(own->total, m->wire, sizeof(own->total));
	memcpy(own->half, m->half, sizeof(own->half));
	ses_count_events(cfg->model.cpu, event, n, own, out);
}

/* Seconds of the model: its clocks where the run counts them, else a nanosecond per instruction. */
static double seconds_of(const struct ses_config *cfg, const struct wires *w,
			 const struct moment *m, struct wires *own)
{
	const struct cat_cpu *cpu = cfg->model.cpu;
	struct evt_event clocks;
	struct evt_count c = {.status = EVT_NOT_MODELLED};
	uint8_t umask = 0;
	const struct cat_event *e = cat_find_generic(cpu, "cycles", &umask);

	if (e) {
		clocks = evt_event_of(e, umask);
		count_events(cfg, w, m, own, &clocks, 1, &c);
	}
	if (c.status == EVT_COUNTED && cpu->core_mhz)
		return (double)c.value / (cpu->core_mhz * 1e6);
	return (double)m->instructions / 1e9;
}

int ses_regions_get(const struct ses_regions *r, const struct ses_config *cfg,
		    const struct wires *w, uint32_t thread, const char *name, double *counts,
		    size_t room, struct ses_region_answer *answer)
{
	const struct region *region = find_region(r, thread, name);
	struct evt_count *c = calloc(cfg->n_event + 1, sizeof(*c));
	struct wires *own = malloc(sizeof(*own));
	struct moment *m = malloc(sizeof(*m));
	int rc = !region ? -SPMU_EINVAL : c && own && m ? 0 : -SPMU_ENOMEM;

	if (!rc) {
		*m = region->sum;
		rc = estimate(r, m);
	}
	if (!rc) {
		count_events(cfg, w, m, own, cfg->event, cfg->n_event, c);
		for (size_t i = 0; i < cfg->n_event && i < room; i++)
			counts[i] = c[i].status == EVT_COUNTED ? (double)c[i].value : 0;
		answer->n_times = region->n_times;
		answer->n_events = cfg->n_event;
		answer->seconds = seconds_of(cfg, w, m, own);
	}
	free(c);
	free(own);
	free(m);
	return rc;
}

/* The region is empty again, if there is one. */
static int reset(struct ses_regions *r, uint32_t thread, const char *name)
{
	struct region *known = find_region(r, thread, name);

	if (!known)
		return -SPMU_EINVAL;
	memset(&known->sum, 0, sizeof(known->sum));
	known->n_times = 0;
	return 0;
}

static int dump(struct ses_regions *r, struct ses_threads *t, const char *name)
{
	struct moment to;
	int rc;

	if (look(r, t, ALL_THREADS, &to))
		return -SPMU_ENOMEM;
	r->n_dump++;
	rc = add_region(r, ALL_THREADS, name, &r->dump_from, &to);
	r->dump_from = to;
	return rc;
}

int ses_regions_do(struct ses_regions *r, struct ses_threads *t, enum req_region what,
		   uint32_t thread, const char *text)
{
	char name[SES_REGION_NAME];

	memccpy(name, text, 0, sizeof(name));
	name[sizeof(name) - 1] = 0;
	switch (what) {
	case REQ_REGION_START: return start(r, t, thread, name);
	case REQ_REGION_STOP: return stop_region(r, t, thread, name);
	case REQ_REGION_TOGGLE:
		return find_open(r, thread, name) ? stop_region(r, t, thread, name)
						  : start(r, t, thread, name);
	case REQ_REGION_RESET: return reset(r, thread, name);
	case REQ_REGION_ZERO: return look(r, t, ALL_THREADS, &r->dump_from);
	case REQ_REGION_DUMP: return dump(r, t, name);
	default: return -SPMU_EINVAL;
	}
}

void ses_regions_born(struct ses_regions *r, uint32_t forker)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_open; i++)
		if (r->open[i].thread == forker)
			r->open[n++] = r->open[i];
	for (size_t i = 0; i < n; i++) {
		r->open[i].thread = 0;
		memset(&r->open[i].at, 0, sizeof(r->open[i].at));
	}
	r->n_open = n;
	r->n = 0;
	r->n_dump = 0;
	memset(&r->dump_from, 0, sizeof(r->dump_from));
}

int ses_regions_replaced(struct ses_regions *r, struct ses_threads *t)
{
	r->n_open = 0;
	for (size_t i = 0; i < r->n; i++)
		r->region[i].thread = NO_THREAD;
	return look(r, t, ALL_THREADS, &r->dump_from);
}

int ses_regions_tell(struct ses_regions *r, int (*tell)(void *ctx, const struct ses_message *m),
		     void *ctx, struct ses_message *m)
{
	int rc = 0;

	m->kind = SES_REGION;
	for (size_t i = 0; i < r->n && !rc; i++) {
		struct region *one = &r->region[i];

		if (estimate(r, &one->sum))
			return -SPMU_ENOMEM;
		memset(&m->totals, 0, sizeof(m->totals));
		memcpy(m->region, one->name, sizeof(m->region));
		memcpy(m->totals.wire, one->sum.wire, sizeof(m->totals.wire));
		memcpy(m->totals.half, one->sum.half, sizeof(m->totals.half));
		m->totals.instructions = one->sum.instructions;
		m->n_times = one->n_times;
		rc = tell(ctx, m);
	}
	memset(&m->totals, 0, sizeof(m->totals));
	return rc;
}

/* ---- the report ------------------------------------------------------------------------------ */

/* Sum of threads and processes, by name. */
static int add_sum(struct ses_regions *sums, const char *name, uint64_t n_times,
		   const uint64_t *wire, const uint64_t *half, uint64_t instructions)
{
	struct region *to = find_or_make(sums, ALL_THREADS, name);

	if (!to)
		return sums->n < MOST_REGIONS ? -SPMU_ENOMEM : 0; /* the rest is not listed */
	for (unsigned i = 0; i < WIRE_N; i++) {
		to->sum.wire[i] += wire[i];
		to->sum.half[i] += half[i];
	}
	to->sum.instructions += instructions;
	to->n_times += n_times;
	return 0;
}

/* Process by process, each in its own order. */
static int by_birth(const void *a, const void *b)
{
	const struct ses_ended *const *s = a, *const *t = b;
	const int births = ses_compare_births((*s)->member.birth, (*t)->member.birth);

	return births ? births : *s < *t ? -1 : *s > *t;
}

static int add_all(struct ses_regions *sums, struct ses_regions *own, const struct ses_family *f,
		   bool is_alone)
{
	const struct ses_ended **list =
	    malloc((f->n_regions + 1) * sizeof(const struct ses_ended *));
	int rc = list ? 0 : -SPMU_ENOMEM;

	for (size_t i = 0; !rc && i < own->n; i++) {
		struct region *one = &own->region[i];

		rc = estimate(own, &one->sum);
		rc = rc ? rc
			: add_sum(sums, one->name, one->n_times, one->sum.wire, one->sum.half,
				  one->sum.instructions);
	}
	for (size_t i = 0; list && i < f->n_regions; i++)
		list[i] = &f->regions[i];
	if (list)
		qsort(list, f->n_regions, sizeof(list[0]), by_birth);
	for (size_t i = 0; !rc && !is_alone && i < f->n_regions; i++)
		rc = add_sum(sums, list[i]->region, list[i]->n_times, list[i]->totals.wire,
			     list[i]->totals.half, list[i]->totals.instructions);
	free(list);
	return rc;
}

int ses_regions_end(struct ses_regions *r, const struct ses_config *cfg, const struct wires *w,
		    const struct ses_family *f, struct ses_result *result)
{
	struct ses_regions sums = {.n = 0};
	struct wires *own = malloc(sizeof(*own));
	int rc = own ? add_all(&sums, r, f, cfg->is_alone) : -SPMU_ENOMEM;

	result->region = calloc(sums.n + 1, sizeof(*result->region));
	if (!result->region)
		rc = -SPMU_ENOMEM;
	for (size_t i = 0; i < sums.n && !rc; i++) {
		struct ses_region *one = &result->region[i];

		one->count = calloc(cfg->n_event + 1, sizeof(*one->count));
		if (!one->count) {
			rc = -SPMU_ENOMEM;
			break;
		}
		strcpy(one->name, sums.region[i].name);
		one->n_times = sums.region[i].n_times;
		one->instructions = sums.region[i].sum.instructions;
		count_events(cfg, w, &sums.region[i].sum, own, cfg->event, cfg->n_event,
			     one->count);
		result->n_region = i + 1;
	}
	free(own);
	free(sums.region);
	return rc;
}
