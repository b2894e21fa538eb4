/* turns.c -- which events have a counter, and whose turn it is when there are more of them than
 * counters.
 *
 * COUNTING RULES   pinned groups first, then the others in the order of opening as long as they
 *                  fit (a group fits or does not as a whole; constraints of events as in
 *                  catalog/; an exclusive one fits beside no other, whatever counters there
 *                  are). What does not fit takes turns: with each turn another group is the
 *                  first to be placed. Groups of software events alone have no part in that:
 *                  they always run. Where nothing but read(2) looks at them, turns are without
 *                  end in shortness: each event counts its exact share, so that what clients
 *                  scale by enabled / running time is the count itself, but for rounding
 *                  (docs/decisions/023-turns.md). Where an event samples or its page is mapped,
 *                  a turn is PEV_TURN_NS of model time, and ends behind the instruction that
 *                  reaches its end (without clocks: behind that one's block). Other processes that
 *                  look at this one meanwhile make no difference.
 */
#include "perfev/local.h"
#include "perfev/map.h"

/* A turn of the groups that share the counters. Linux takes 4 ms (perf_event_mux_interval_ms),
 * about a million clocks of these processors, which whole programs do not live for here; at a
 * fortieth of it an estimate still stands on tens of thousands of clocks per turn. */
#define PEV_TURN_NS 100000u
#define MOST_GROUPS 256u

struct places {
	uint8_t may[PEV_MOST_PLACED]; /* counters that each event may have */
	unsigned n, n_counters;
	int owner[2];
};

static bool find_place(struct places *p, int who, unsigned *tried)
{
	for (unsigned c = 0; c < p->n_counters; c++) {
		if (!(p->may[who] >> c & 1) || (*tried >> c & 1))
			continue;
		*tried |= 1u << c;
		if (p->owner[c] < 0 || find_place(p, p->owner[c], tried)) {
			p->owner[c] = who;
			return true;
		}
	}
	return false;
}

bool pev_fits(const struct pev_local *l, const uint32_t *event, unsigned n, int8_t *counter)
{
	struct places p = {.n_counters = l->n_counters && l->n_counters < 2 ? l->n_counters : 2,
			   .owner = {-1, -1}};
	bool fits = true;

	for (unsigned i = 0; i < n; i++)
		counter[i] = -1;
	for (unsigned i = 0; i < n && i < PEV_MOST_PLACED; i++) {
		const struct pev_what *w = &l->board->event[event[i]].what;
		unsigned tried = 0;

		p.may[i] = w->kind == PEV_HARDWARE ? w->counters : 0;
		if (p.may[i] && !find_place(&p, (int)i, &tried))
			fits = false;
	}
	for (unsigned c = 0; c < 2; c++)
		if (p.owner[c] >= 0)
			counter[p.owner[c]] = (int8_t)c;
	return fits || !l->n_counters;
}

/* Returns true if this link counts while thread l->now runs. */
static bool is_enabled(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = pev_event_of(l, link);

	return pev_is_current(l, link) &&
	       (link->thread == PEV_ANY_THREAD || link->thread == l->now) && e->run == PEV_ON &&
	       l->board->event[e->leader].run == PEV_ON && (!l->n_vfork || e->attr.inherit) &&
	       !(e->attr.exclude_user && e->what.kind == PEV_HARDWARE);
}

/* The links that have a counter already. */
struct placed {
	uint32_t event[PEV_MOST_PLACED];
	struct pev_link *link[PEV_MOST_PLACED];
	int8_t counter[PEV_MOST_PLACED];
	unsigned n;
	bool is_exclusive; /* by a group that wants to be alone */
};

/* Give counters to the enabled links of one group, beside the links in *p. Returns false, and
 * changes nothing, if they do not fit. */
static bool place_group(struct pev_local *l, uint32_t leader, struct placed *p)
{
	const bool wants_alone = l->board->event[leader].attr.exclusive;
	struct placed more = *p;

	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];

		if (!link->is_enabled || pev_event_of(l, link)->leader != leader)
			continue;
		if (pev_event_of(l, link)->what.kind != PEV_HARDWARE) {
			continue; /* needs none; it runs when the others do */
		}
		if (p->is_exclusive || (wants_alone && p->n))
			return false;
		more.is_exclusive = wants_alone;
		if (more.n == PEV_MOST_PLACED && !l->n_counters)
			continue; /* all count, those without a number as well */
		if (more.n == PEV_MOST_PLACED)
			return false;
		more.event[more.n] = link->event;
		more.link[more.n++] = link;
	}
	if (!pev_fits(l, more.event, more.n, more.counter))
		return false;
	*p = more;
	return true;
}

/* Returns true if the group has an event that wants a counter, whether it is on or off. */
static bool wants_counters(const struct pev_local *l, uint32_t leader)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		if (pev_event_of(l, &l->link[i])->leader == leader &&
		    pev_event_of(l, &l->link[i])->what.kind == PEV_HARDWARE)
			return true;
	return false;
}

/* Links of the group count all the time, or in so many of l->n_turns turns. */
static void let_run(struct pev_local *l, uint32_t leader, uint32_t turns)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];

		if (!link->is_enabled || pev_event_of(l, link)->leader != leader)
			continue;
		link->is_running = turns == l->n_turns;
		link->turns = turns;
	}
}

/* The leaders that have an enabled link here, pinned or flexible ones, in the order of opening.
 * Groups that want no counters run. */
static unsigned leaders(struct pev_local *l, bool is_pinned, uint32_t *out, unsigned room)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];
		const uint32_t leader = pev_event_of(l, link)->leader;
		unsigned at = 0;

		if (!link->is_enabled || link->is_running ||
		    l->board->event[leader].attr.pinned != is_pinned)
			continue;
		while (at < n && out[at] != leader)
			at++;
		if (at < n)
			continue;
		if (!wants_counters(l, leader))
			let_run(l, leader, l->n_turns);
		else if (n < room)
			out[n++] = leader;
	}
	return n;
}

/* Returns true if it matters at each moment which event has a counter: because an event samples, or
 * a program reads its counter by RDPMC. Then turns take time. */
static bool has_true_turns(const struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_event *e = pev_event_of(l, &l->link[i]);

		if (l->link[i].is_enabled && (e->period || e->attr.freq || e->map_bytes))
			return true;
	}
	return false;
}

/* The flexible groups, n of them, beside p: all of them, or those whose turn it is. */
static void place_by_turns(struct pev_local *l, const uint32_t *leader, unsigned n,
			   struct placed *p)
{
	for (unsigned i = 0; i < n; i++) {
		const uint32_t who = leader[(i + l->turn) % n];

		if (place_group(l, who, p))
			let_run(l, who, l->n_turns);
		else
			l->has_turns = true;
	}
}

/* n groups do not fit at once: each counts the share that it would have of n turns, one after the
 * other, if turns took no time. */
static void place_by_shares(struct pev_local *l, const uint32_t *leader, unsigned n,
			    struct placed *p)
{
	uint32_t turns[MOST_GROUPS] = {0};

	for (unsigned turn = 0; turn < n; turn++) {
		struct placed q = *p;

		for (unsigned i = 0; i < n; i++)
			turns[(i + turn) % n] += place_group(l, leader[(i + turn) % n], &q);
	}
	l->n_turns = n;
	for (unsigned i = 0; i < n; i++) {
		let_run(l, leader[i], turns[i]);
		if (turns[i] == n)
			place_group(l, leader[i], p);
	}
}

static void place_all(struct pev_local *l, struct placed *p)
{
	uint32_t leader[MOST_GROUPS];
	unsigned n = leaders(l, true, leader, MOST_GROUPS);
	struct placed pinned;

	l->n_turns = 1;
	for (unsigned i = 0; i < n; i++) {
		if (place_group(l, leader[i], p))
			let_run(l, leader[i], 1);
		else
			l->board->event[leader[i]].run = PEV_ERROR;
	}
	if (!l->has_turns)
		l->turn_ns = l->last_ns;
	pinned = *p;
	n = leaders(l, false, leader, MOST_GROUPS);
	l->has_turns = false;
	place_by_turns(l, leader, n, p);
	if (!l->has_turns || has_true_turns(l))
		return;
	l->has_turns = false;
	*p = pinned;
	place_by_shares(l, leader, n, p);
}

/* Page faults and switches are counted beside the model: watch them as long as a link counts
 * them. */
static void follow(struct pev_local *l, struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	bool has_faults = false, has_switches = false;

	for (uint32_t i = 0; i < l->n_link; i++) {
		has_faults |= pev_event_of(l, &l->link[i])->what.kind == PEV_FAULTS;
		has_switches |= pev_event_of(l, &l->link[i])->what.kind == PEV_SWITCHES;
	}
	c->wants_switches = has_switches;
	if (has_faults && !l->touches)
		l->touches = ses_touches_open((pid_t)c->guest_pid);
	if (!has_faults && l->touches) {
		ses_touches_close(l->touches);
		l->touches = NULL;
	}
}

/* Another period was asked for. */
static void renew(struct pev_link *link, const struct pev_event *e)
{
	if (link->news == e->news)
		return;
	link->news = e->news;
	if (!e->attr.freq)
		link->period = link->left = e->period;
}

void pev_schedule(struct pev_local *l, struct ses_server *s)
{
	struct placed p = {.n = 0};

	ses_areas_ctl(s->areas)->is_watched = l->n_link != 0;
	follow(l, s);
	for (uint32_t i = 0; i < l->n_link; i++) {
		l->link[i].is_enabled = is_enabled(l, &l->link[i]);
		l->link[i].is_running = false;
		l->link[i].turns = 0;
		l->link[i].counter = -1;
	}
	if (l->n_link)
		place_all(l, &p);
	l->n_sampled = 0;
	l->has_readers = false;
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_event *e = pev_event_of(l, &l->link[i]);

		renew(&l->link[i], e);
		l->n_sampled += l->link[i].is_running && l->link[i].period;
		l->has_readers |= e->attr.mmap || e->attr.mmap_data;
	}
	for (unsigned i = 0; i < p.n; i++)
		p.link[i]->counter = p.counter[i];
	pev_pages(l, s);
}

uint64_t pev_turn_left(const struct pev_local *l)
{
	const uint64_t passed = l->last_ns - l->turn_ns;

	return passed < PEV_TURN_NS ? PEV_TURN_NS - passed : 0;
}

void pev_turn(struct pev_local *l, struct ses_server *s)
{
	if (!l->has_turns || pev_turn_left(l))
		return;
	l->turn_ns = l->last_ns;
	l->turn++;
	pev_lock(l->board);
	pev_schedule(l, s);
	pev_unlock(l->board);
}
