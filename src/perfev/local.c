#include "perfev/local.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perfev/faults.h"
#include "perfev/map.h"
#include "perfev/sampling.h"
#include "session/reading.h"
#include "session/tally.h"

/* ---- links --------------------------------------------------------------------------------------- */

static struct pev_event *event_of(const struct pev_local *l, const struct pev_link *link)
{
	return &l->board->event[link->event];
}

static bool is_current(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = event_of(l, link);

	return e->is_live && e->id == link->id;
}

int pev_attach(struct pev_local *l, uint32_t index, uint32_t thread, bool is_inherited)
{
	struct pev_event *e = &l->board->event[index];

	if (l->n_link == l->room_link) {
		const uint32_t room = l->room_link ? 2 * l->room_link : 16;
		struct pev_link *p = realloc(l->link, room * sizeof(*p));

		if (!p)
			return -SPMU_ENOMEM;
		l->link = p;
		l->room_link = room;
	}
	l->link[l->n_link++] = (struct pev_link){ .event = index, .id = e->id, .thread = thread,
		                                  .is_inherited = is_inherited, .is_fresh = true, .counter = -1,
		                                  .period = e->period, .left = e->period, .news = e->news,
		                                  .most = pev_most(l, &e->what) };
	e->n_links++;
	e->was_linked = true;
	return 0;
}

void pev_detach_one(struct pev_local *l, uint32_t i)
{
	if (is_current(l, &l->link[i]))
		event_of(l, &l->link[i])->n_links--;
	memmove(&l->link[i], &l->link[i + 1], (l->n_link - i - 1) * sizeof(l->link[0]));
	l->n_link--;
}

#define TASK_GONE (-2) /* of an event: its number may be another task's by now */

void pev_end_link(struct pev_local *l, uint32_t i)
{
	struct pev_event *e = event_of(l, &l->link[i]);

	if (is_current(l, &l->link[i]) && !l->link[i].is_inherited && e->task > 0)
		e->task = TASK_GONE;
	pev_detach_one(l, i);
}

void pev_detach(struct pev_local *l, uint32_t event)
{
	for (uint32_t i = l->n_link; i-- > 0;)
		if (event == PEV_NONE || l->link[i].event == event)
			pev_detach_one(l, i);
}

static bool has_link(const struct pev_local *l, uint32_t index)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].event == index)
			return true;
	return false;
}

/* Number of the guest's thread with this tid, into *thread. Returns false when it has none. */
static bool find_thread(const struct ses_server *s, pid_t tid, uint32_t *thread)
{
	const struct shr_ctl *c = ses_areas_ctl(s->areas);

	*thread = 0;
	if (tid == (pid_t)c->guest_pid)
		return true;
	for (uint32_t i = 0; i < c->n_slots && i < SHR_MOST_THREADS; i++) {
		if ((pid_t)__atomic_load_n(&c->thread[i].tid, __ATOMIC_ACQUIRE) == tid) {
			*thread = c->thread[i].number;
			return true;
		}
	}
	return false;
}

/* Is event i on a task of this guest, without a link yet? *thread receives which. */
static bool is_new(const struct pev_local *l, const struct ses_server *s, uint32_t i, uint32_t *thread)
{
	const struct pev_event *e = &l->board->event[i];

	*thread = PEV_ANY_THREAD;
	return e->is_live && e->task && (e->task == -1 || (e->task > 0 && find_thread(s, e->task, thread))) &&
	       !has_link(l, i);
}

bool pev_has_new(const struct pev_local *l, const struct ses_server *s)
{
	uint32_t thread;

	for (uint32_t i = 0; i < l->board->n_used; i++)
		if (is_new(l, s, i, &thread))
			return true;
	return false;
}

void pev_adopt(struct pev_local *l, const struct ses_server *s)
{
	uint32_t thread;

	for (uint32_t i = l->n_link; i-- > 0;)
		if (!is_current(l, &l->link[i]))
			pev_detach_one(l, i);
	for (uint32_t i = 0; i < l->board->n_used; i++) {
		if (!is_new(l, s, i, &thread))
			continue;
		pev_attach(l, i, thread, false);
		if (thread < PEV_KNOWN_TIDS)
			l->tid[thread] = (uint32_t)l->board->event[i].task;
	}
}

void pev_reap(struct pev_local *l)
{
	for (uint32_t i = l->n_owned; i-- > 0;) {
		struct pev_owned *o = &l->owned[i];
		struct pollfd p = { .fd = o->fd };

		if (poll(&p, 1, 0) != 1 || !(p.revents & (o->has_hung_up ? POLLERR : POLLERR | POLLHUP)))
			continue;
		close(o->fd);
		pev_detach(l, o->event);
		pev_board_remove(l->board, o->event);
		pev_board_call(l->board);
		memmove(o, o + 1, (l->n_owned - i - 1) * sizeof(*o));
		l->n_owned--;
	}
}

void pev_hang_up(struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_owned; i++) {
		struct pev_owned *o = &l->owned[i];
		const struct pev_event *e = &l->board->event[o->event];

		if (o->has_hung_up || e->n_links || !e->was_linked)
			continue;
		/* A byte that nobody reads: when the program closes its end, ours is told of an error. */
		send(o->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		shutdown(o->fd, SHUT_RDWR);
		o->has_hung_up = true;
	}
}

/* ---- counting ------------------------------------------------------------------------------------ */

bool pev_is_timed(const struct pev_local *l, const struct ses_server *s)
{
	return l->clock.event && s->cfg->model.cpu->core_mhz && ses_read_event(s, &l->clock).status == SES_COUNTED;
}

/* Time of the model in ns. */
static uint64_t model_ns(const struct pev_local *l, struct ses_server *s)
{
	if (pev_is_timed(l, s))
		return (uint64_t)((unsigned __int128)ses_read_event(s, &l->clock).value * 1000 / s->cfg->model.cpu->core_mhz);
	return ses_tally_instructions(s);
}

static uint64_t value_of(const struct pev_local *l, const struct ses_server *s, const struct pev_what *w, uint64_t ns)
{
	switch (w->kind) {
	case PEV_HARDWARE:
		return ses_read_event(s, &w->event).value;
	case PEV_CLOCK:
		return ns;
	case PEV_SWITCHES:
		return l->n_switches;
	case PEV_FAULTS:
		return pev_faults((pid_t)ses_areas_ctl(s->areas)->guest_pid, w->faults);
	default:
		return 0;
	}
}

static void add(uint64_t *to, uint64_t n)
{
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

/* An event of a link with a period has counted n. */
static void take_off(struct pev_link *link, uint64_t n)
{
	if (!link->left || !n)
		return;
	if (n < link->left) {
		link->left -= n;
		return;
	}
	link->was_left = link->left;
	link->n_over += 1 + (n - link->left) / link->period;
	link->left = link->period - (n - link->left) % link->period;
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

void pev_settle(struct pev_local *l, struct ses_server *s)
{
	uint64_t ns, passed;

	if (!l->n_link)
		return;
	ses_read_fed(s);
	ns = model_ns(l, s);
	passed = ns - l->last_ns;
	l->last_ns = ns;
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];
		struct pev_event *e = event_of(l, link);
		uint64_t value;

		if (!is_current(l, link))
			continue;
		value = value_of(l, s, &e->what, ns);
		if (!link->is_fresh && link->is_enabled)
			add(&e->enabled_ns, passed);
		if (!link->is_fresh && link->is_running) {
			add(&e->running_ns, passed);
			add(&e->count, value - link->from);
			take_off(link, value - link->from);
		}
		link->from = value;
		link->is_fresh = false;
	}
}

void pev_settle_all(struct pev_local *l, struct ses_server *s)
{
	ses_serve_drain(s);
	pev_settle(l, s);
	if (l->n_sampled)
		pev_overflows(l, s, PEV_NONE);
}

/* ---- counters -------------------------------------------------------------------------------------- */

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
	struct places p = { .n_counters = l->n_counters && l->n_counters < 2 ? l->n_counters : 2, .owner = { -1, -1 } };
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

/* Does this link count while thread l->now runs? */
static bool is_enabled(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = event_of(l, link);

	return is_current(l, link) && (link->thread == PEV_ANY_THREAD || link->thread == l->now) &&
	       e->run == PEV_ON && l->board->event[e->leader].run == PEV_ON && (!l->n_vfork || e->attr.inherit) &&
	       !(e->attr.exclude_user && e->what.kind == PEV_HARDWARE);
}

/* What has a counter already. */
struct placed {
	uint32_t event[PEV_MOST_PLACED];
	struct pev_link *link[PEV_MOST_PLACED];
	int8_t counter[PEV_MOST_PLACED];
	unsigned n;
};

/* Put the links of one group, enabled ones, beside what is there; returns false when they do not fit, and nothing has
 * changed then. */
static bool place_group(struct pev_local *l, uint32_t leader, struct placed *p)
{
	struct placed more = *p;

	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];

		if (!link->is_enabled || event_of(l, link)->leader != leader)
			continue;
		if (event_of(l, link)->what.kind != PEV_HARDWARE) {
			continue; /* needs none; is_running is set with the others below */
		}
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
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].is_enabled && event_of(l, &l->link[i])->leader == leader)
			l->link[i].is_running = true;
	return true;
}

/* The leaders that have an enabled link here, pinned or flexible ones, in the order of opening. */
static unsigned leaders(const struct pev_local *l, bool is_pinned, uint32_t *out, unsigned room)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];
		const uint32_t leader = event_of(l, link)->leader;
		unsigned at = 0;

		if (!link->is_enabled || l->board->event[leader].attr.pinned != is_pinned)
			continue;
		while (at < n && out[at] != leader)
			at++;
		if (at == n && n < room)
			out[n++] = leader;
	}
	return n;
}

#define MOST_GROUPS 256u

static void place_all(struct pev_local *l, struct placed *p)
{
	uint32_t leader[MOST_GROUPS];
	unsigned n = leaders(l, true, leader, MOST_GROUPS);

	for (unsigned i = 0; i < n; i++)
		if (!place_group(l, leader[i], p))
			l->board->event[leader[i]].run = PEV_ERROR;
	if (!l->has_turns)
		l->turn_ns = l->last_ns;
	n = leaders(l, false, leader, MOST_GROUPS);
	l->has_turns = false;
	for (unsigned i = 0; i < n; i++)
		if (!place_group(l, leader[(i + l->turn) % n], p))
			l->has_turns = true;
}

void pev_schedule(struct pev_local *l, struct ses_server *s)
{
	struct placed p = { .n = 0 };

	ses_areas_ctl(s->areas)->is_watched = l->n_link != 0;

	for (uint32_t i = 0; i < l->n_link; i++) {
		l->link[i].is_enabled = is_enabled(l, &l->link[i]);
		l->link[i].is_running = false;
		l->link[i].counter = -1;
	}
	if (l->n_link)
		place_all(l, &p);
	l->n_sampled = 0;
	l->has_readers = false;
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_event *e = event_of(l, &l->link[i]);

		renew(&l->link[i], e);
		l->n_sampled += l->link[i].is_running && l->link[i].period;
		l->has_readers |= e->attr.mmap || e->attr.mmap_data;
	}
	for (unsigned i = 0; i < p.n; i++)
		p.link[i]->counter = p.counter[i];
	pev_pages(l, s);
}

bool pev_turn(struct pev_local *l, struct ses_server *s)
{
	if (!l->has_turns || l->last_ns - l->turn_ns < PEV_TURN_NS)
		return false;
	l->turn_ns = l->last_ns;
	l->turn++;
	pev_lock(l->board);
	pev_schedule(l, s);
	pev_unlock(l->board);
	return true;
}
