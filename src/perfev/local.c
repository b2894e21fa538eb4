/* local.c -- links between events and the threads of one guest: they are made, found and removed
 * here. Rules: local.h. */
#include "perfev/local.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perfev/limits.h"
#include "perfev/map.h"
#include "perfev/ring.h"
#include "perfev/sampling.h"
#include "session/serve/reading.h"
#include "session/serve/tally.h"

/* ---- links ----------------------------------------------------------------------------------- */

int pev_attach(struct pev_local *l, const struct ses_server *s, uint32_t index, uint32_t thread,
	       bool is_inherited)
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
	l->link[l->n_link++] = (struct pev_link){.event = index,
						 .id = e->id,
						 .thread = thread,
						 .is_inherited = is_inherited,
						 .is_fresh = true,
						 .counter = -1,
						 .period = e->period,
						 .left = e->period,
						 .news = e->news,
						 .bound = pev_bound(s, &e->what),
						 .is_apart = e->what.kind == PEV_SWITCHES ||
							     e->what.kind == PEV_FAULTS};
	e->n_links++;
	e->was_linked = true;
	return 0;
}

void pev_detach_one(struct pev_local *l, uint32_t i)
{
	if (pev_is_current(l, &l->link[i]))
		pev_event_of(l, &l->link[i])->n_links--;
	memmove(&l->link[i], &l->link[i + 1], (l->n_link - i - 1) * sizeof(l->link[0]));
	l->n_link--;
}

#define TASK_GONE (-2) /* of an event: its number may be another task's by now */

void pev_end_link(struct pev_local *l, uint32_t i)
{
	struct pev_event *e = pev_event_of(l, &l->link[i]);

	if (pev_is_current(l, &l->link[i]) && !l->link[i].is_inherited && e->task > 0)
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

/* Returns true if event i is on a task of this guest and has no link there yet; *thread then
 * receives the task's thread. */
static bool is_new(const struct pev_local *l, const struct ses_server *s, uint32_t i,
		   uint32_t *thread)
{
	const struct pev_event *e = &l->board->event[i];

	*thread = PEV_ANY_THREAD;
	return e->is_live && e->task &&
	       (e->task == -1 || (e->task > 0 && find_thread(s, e->task, thread))) &&
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
		if (!pev_is_current(l, &l->link[i]))
			pev_detach_one(l, i);
	for (uint32_t i = 0; i < l->board->n_used; i++) {
		if (!is_new(l, s, i, &thread))
			continue;
		pev_attach(l, s, i, thread, false);
		if (thread < PEV_KNOWN_TIDS)
			l->tid[thread] = (uint32_t)l->board->event[i].task;
	}
}

void pev_remove(struct pev_local *l, uint32_t event)
{
	pev_detach(l, event);
	pev_board_remove(l->board, event);
	pev_board_call(l->board);
}

void pev_reap(struct pev_local *l)
{
	for (uint32_t i = l->n_owned; i-- > 0;) {
		struct pev_owned *o = &l->owned[i];
		struct pollfd p = {.fd = o->fd};

		if (poll(&p, 1, 0) != 1 ||
		    !(p.revents & (o->has_hung_up ? POLLERR : POLLERR | POLLHUP)))
			continue;
		close(o->fd);
		l->board->event[o->event].key = 0;
		l->board->event[o->event].is_closed = true;
		if (!l->board->event[o->event].mapped_bytes)
			pev_remove(l, o->event);
		memmove(o, o + 1, (l->n_owned - i - 1) * sizeof(*o));
		l->n_owned--;
	}
}

void pev_hang_up(struct pev_local *l)
{
	pev_show_rings(l);
	for (uint32_t i = 0; i < l->n_owned; i++) {
		struct pev_owned *o = &l->owned[i];
		const struct pev_event *e = &l->board->event[o->event];

		if (o->has_hung_up || e->n_links || !e->was_linked)
			continue;
		/* This byte is never read. It makes our end report an error when the program closes
		 * its end. */
		send(o->fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
		shutdown(o->fd, SHUT_RDWR);
		o->has_hung_up = true;
	}
}

/* ---- counting -------------------------------------------------------------------------------- */

bool pev_is_timed(const struct pev_local *l, const struct ses_server *s)
{
	return l->clock.event && s->cfg->model.cpu->core_mhz &&
	       ses_read_event(s, &l->clock).status == EVT_COUNTED;
}

/* Time of the model in ns. */
static uint64_t model_ns(const struct pev_local *l, struct ses_server *s)
{
	if (pev_is_timed(l, s))
		return (uint64_t)((unsigned __int128)ses_read_event(s, &l->clock).value * 1000 /
				  s->cfg->model.cpu->core_mhz);
	return ses_tally_instructions(s);
}

static uint64_t value_of(const struct pev_local *l, const struct ses_server *s,
			 const struct pev_what *w, uint64_t ns)
{
	switch (w->kind) {
	case PEV_HARDWARE: return ses_read_event(s, &w->event).value;
	case PEV_CLOCK: return ns;
	case PEV_SWITCHES: return l->n_switches;
	case PEV_FAULTS: return w->faults & PEV_FAULTS_MINOR ? l->n_faults : 0;
	default: return 0;
	}
}

static void add_shared(uint64_t *to, uint64_t n)
{
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
}

/* An event of a link with a period has counted n, which may be a little less than nothing
 * (mdl_peek). */
static void take_off(struct pev_link *link, int64_t more)
{
	const uint64_t n = (uint64_t)more;

	if (!link->left || !n)
		return;
	if (more < 0 || n < link->left) {
		link->left -= n;
		return;
	}
	link->n_over += 1 + (n - link->left) / link->period;
	link->left = link->period - (n - link->left) % link->period;
}

/* Of n, what falls into the link's turns. *rest: what was left over by the last one, in parts of
 * a turn. */
static uint64_t share(const struct pev_local *l, const struct pev_link *link, uint64_t n,
		      uint64_t *rest)
{
	const unsigned __int128 parts = (unsigned __int128)n * link->turns + *rest;

	*rest = (uint64_t)(parts % l->n_turns);
	return (uint64_t)(parts / l->n_turns);
}

/* Add what the model's totals grew by since the last time to the links that run. */
static void take_totals(struct pev_local *l, struct ses_server *s)
{
	uint64_t ns, passed;

	ns = model_ns(l, s);
	passed = ns - l->last_ns;
	l->last_ns = ns;
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];
		struct pev_event *e = pev_event_of(l, link);
		uint64_t value;

		if (!pev_is_current(l, link))
			continue;
		value = value_of(l, s, &e->what, ns);
		if (!link->is_fresh && link->is_enabled)
			add_shared(&e->enabled_ns, passed);
		if (!link->is_fresh && link->is_running) {
			add_shared(&e->running_ns, passed);
			add_shared(&e->count, value - link->from);
			take_off(link, (int64_t)(value - link->from));
		} else if (!link->is_fresh && link->turns && value >= link->from) {
			add_shared(&e->running_ns, share(l, link, passed, &link->rest_ns));
			add_shared(&e->count, share(l, link, value - link->from, &link->rest));
		}
		link->from = value;
		link->is_fresh = false;
	}
}

void pev_settle(struct pev_local *l, struct ses_server *s)
{
	if (!l->n_link)
		return;
	ses_read_fed(s);
	take_totals(l, s);
}

void pev_look_on(struct pev_local *l, struct ses_server *s)
{
	if (!l->n_link)
		return;
	ses_peek(s);
	take_totals(l, s);
}

void pev_settle_all(struct pev_local *l, struct ses_server *s)
{
	const bool in_call = !l->is_stopped && l->is_step && l->is_told && !l->skid_clk;

	ses_serve_drain(s);
	pev_end_pieces(l, s);
	pev_settle(l, s);
	if (!l->n_sampled)
		return;
	if (in_call) /* the instruction of a system call is all that was executed since now_state */
		l->is_stopped = l->is_ahead = true;
	pev_overflows(l, s, PEV_NONE, 0);
	if (in_call)
		l->is_stopped = l->is_ahead = false;
}
