/* team_worker.c -- what workers of a team do, and how pieces get to them. */
#include "model/p6/team/team_worker.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "model/p6/loops/events.h"
#include "model/p6/kept/stretch.h"
#include "model/p6/loops/feed.h"
#include "model/p6/units/walk.h"
#include "model/parts/ledger.h"

#define MOST_QUEUED (8u << 20) /* bytes of pieces that wait or are being done: a few stretches */
/* Work in them, as of p6_team.handed: more than a stretch, so that two workers are busy; no more
 * than takes MOST_NS at the pace of late, so that softpmu ends soon after its program. The pace
 * decides when the scout waits, never what is counted. */
#define MOST_WORK  (2u << 20)
#define LEAST_WORK (MOST_WORK / 64)
#define MOST_NS	   100000000u
#define PIECES	   16u /* of all that may wait, a piece has so much */

/* ---- a worker's side ------------------------------------------------------------------------- */

void team_free_start(struct team_start *s)
{
	p6_snapshot_free(s->snapshot);
	free(s->page);
	free(s->block);
	*s = (struct team_start){NULL, NULL, NULL, 0, 0};
}

/* Pages and blocks that others met. */
static int learn(struct p6 *m, const struct team_start *s)
{
	for (size_t i = 0; i < s->n_page; i++)
		p6_page(m, s->page[i]);
	for (size_t i = 0; i < s->n_block; i++)
		if (!p6_template_of(m, x86_store_get(m->store, s->block[i].id), s->block[i].bogus))
			return -SPMU_ENOMEM;
	return 0;
}

int team_begin(struct team_worker *w, const struct team_start *s)
{
	struct p6 *m = team_machine(w);
	const int rc = learn(m, s);

	p6_snapshot_put(m, s->snapshot);
	if (!w->has_begun) {
		p6_stretch_later(m);
		w->first_clk = m->time.retire_clk;
		w->has_begun = true;
	}
	return rc;
}

int team_begin_unit(struct team_worker *w)
{
	struct p6 *m = team_machine(w);

	if (m->ledger)
		ledger_begin_notes(m->ledger);
	return p6_sample_mark(w->team->sample, m, w->team->sample->sum.ahead, &w->from);
}

/* A unit ends here, and the next one may begin. */
static int end_unit(struct team_worker *w, const struct team_piece *p)
{
	struct team_sample *s = w->team->sample;
	const struct sample_mark from = w->from;
	size_t n;
	int rc = p6_sample_mark(s, team_machine(w), s->sum.ahead, &w->to);

	if (rc)
		return rc;
	pthread_mutex_lock(&w->team->lock);
	n = s->n_row;
	rc = p6_sample_keep(s, p->unit, p->logs, &w->from, &w->to, team_machine(w)->ledger);
	if (s->n_row > n)
		p6_sample_count(s);
	pthread_mutex_unlock(&w->team->lock);
	w->from = w->to;
	w->to = from; /* its room is used again */
	return rc;
}

static int do_piece(struct team_worker *w, struct team_piece *p)
{
	struct p6 *m = team_machine(w);
	int rc = 0;

	if (p->start.snapshot)
		rc = team_begin(w, &p->start);
	if (!rc && p->marks)
		rc = team_begin_unit(w);
	if (!rc && p->log)
		p6_log_read_begin(m, p->log);
	if (!rc)
		rc = p6_feed(m, p->bytes, p->n);
	if (!rc)
		rc = p6_log_read_end(m);
	if (!rc && p->logs)
		rc = end_unit(w, p);
	if (rc || !p->ends)
		return rc;
	p6_event_resolve(m, p->next_pc);
	p6_stretch_end(m);
	return m->time.trouble;
}

/* Bytes that it takes. */
static size_t bytes_of(const struct team_piece *p)
{
	return sizeof(*p) + p->room + p->log_room * sizeof(*p->log);
}

static void free_piece(struct team_piece *p)
{
	if (!p)
		return;
	free(p->log);
	free(p);
}

/* Returns the processor time of this thread. */
static uint64_t own_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Note that a piece of `work` took ns. A slower pace replaces the old one at once; a faster one
 * moves it by a quarter, so that one easy piece does not let the queue grow. The lock is held. */
static void note_pace(struct p6_team *t, uint64_t work, uint64_t ns)
{
	const uint64_t now = ns * 1024 / (work ? work : 1);

	if (work < LEAST_WORK / PIECES)
		return;
	t->pace = now > t->pace ? now : t->pace - (t->pace - now) / 4;
}

/* Returns how much work may wait. */
static uint64_t most_work(const struct p6_team *t)
{
	const uint64_t n = MOST_NS * (uint64_t)1024 / (t->pace + 1);

	return n > MOST_WORK ? MOST_WORK : n < LEAST_WORK ? LEAST_WORK : n;
}

/* The first piece of w is done, in ns; the lock is held. */
static void put_away(struct team_worker *w, struct team_piece *p, uint64_t ns)
{
	struct p6_team *t = w->team;

	note_pace(t, p->work, ns);
	w->first = p->next;
	if (!w->first)
		w->last = &w->first;
	w->queued -= bytes_of(p);
	t->queued -= bytes_of(p);
	t->queued_work -= p->work;
	team_free_start(&p->start);
	if (p->room == PIECE_BYTES && t->queued + t->n_unused + bytes_of(p) <= MOST_QUEUED) {
		p->next = t->unused;
		t->unused = p;
		t->n_unused += bytes_of(p);
	} else {
		free_piece(p);
	}
	pthread_cond_signal(&t->done);
}

static void *run(void *arg)
{
	struct team_worker *w = arg;
	struct p6_team *t = w->team;

	pthread_mutex_lock(&t->lock);
	for (;;) {
		struct team_piece *p = w->first;
		uint64_t ns = 0;

		if (!p && w->shall_end)
			break;
		if (!p) {
			pthread_cond_wait(&w->wake, &t->lock);
			continue;
		}
		if (!w->rc) {
			int rc;

			pthread_mutex_unlock(&t->lock);
			ns = own_ns();
			rc = do_piece(w, p);
			ns = own_ns() - ns;
			pthread_mutex_lock(&t->lock);
			w->rc = rc;
		}
		put_away(w, p, ns);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Signals are the caller's. */
static int start_thread(struct team_worker *w)
{
	sigset_t all, old;
	int rc;

	if (w->has_thread)
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->shall_end = false;
	rc = pthread_create(&w->thread, NULL, run, w);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	w->has_thread = rc == 0;
	return rc ? -SPMU_ENOMEM : 0;
}

void team_end_thread(struct team_worker *w)
{
	if (!w->has_thread)
		return;
	pthread_mutex_lock(&w->team->lock);
	w->shall_end = true;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&w->team->lock);
	pthread_join(w->thread, NULL);
	w->has_thread = false;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A piece with room for n bytes. */
static struct team_piece *new_piece(struct p6_team *t, size_t n)
{
	const size_t room = n > PIECE_BYTES ? n : PIECE_BYTES;
	struct team_piece *p = NULL;

	if (room == PIECE_BYTES) {
		pthread_mutex_lock(&t->lock);
		p = t->unused;
		t->unused = p ? p->next : NULL;
		t->n_unused -= p ? bytes_of(p) : 0;
		pthread_mutex_unlock(&t->lock);
	}
	if (!p) {
		p = malloc(sizeof(*p) + room);
		if (p)
			p->log = NULL;
	}
	if (p)
		*p = (struct team_piece){
		    .room = room, .log = p->log, .log_room = p->log ? p->log_room : 0};
	if (p && p->log)
		p->log[0] = P6_LOG_NO_MORE;
	return p;
}

/* Room for n words more, and the end. */
static int make_log_room(struct team_piece *p, size_t n)
{
	const size_t room = p->n_logged + n + 1, least = room + room / 4;
	uint64_t *more;

	if (p->log_room >= room)
		return 0;
	more = realloc(p->log, least * sizeof(*more));
	if (!more)
		return -SPMU_ENOMEM;
	p->log = more;
	p->log_room = least;
	return 0;
}

int team_put(struct p6_team *t, const uint8_t *p, size_t n, const uint64_t *logged, size_t n_logged)
{
	struct team_piece *to = t->open;
	const uint32_t further = (uint32_t)((uintptr_t)(to->bytes + to->n) - (uintptr_t)p);

	memcpy(to->bytes + to->n, p, n);
	to->n += n;
	if (!logged)
		return 0;
	if (make_log_room(to, n_logged))
		return -SPMU_ENOMEM;
	p6_log_copy(to->log + to->n_logged, logged, n_logged, further);
	to->n_logged += n_logged;
	to->log[to->n_logged] = P6_LOG_NO_MORE;
	return 0;
}

/* What is open goes to its worker. */
int team_submit(struct p6_team *t)
{
	struct team_worker *w = t->worker[t->now];
	struct team_piece *p = t->open;
	int rc;

	if (!p || (!p->n && !p->start.snapshot && !p->ends && !p->marks && !p->logs))
		return 0;
	rc = start_thread(w);
	if (rc)
		return rc;
	t->open = NULL;
	p->next = NULL;
	pthread_mutex_lock(&t->lock);
	while (t->queued > MOST_QUEUED || t->queued_work > most_work(t))
		pthread_cond_wait(&t->done, &t->lock);
	t->piece_work = most_work(t) / PIECES;
	*w->last = p;
	w->last = &p->next;
	w->queued += bytes_of(p);
	t->queued += bytes_of(p);
	t->queued_work += p->work;
	rc = w->rc;
	pthread_cond_signal(&w->wake);
	pthread_mutex_unlock(&t->lock);
	return rc;
}

int team_put_work(struct p6_team *t, uint64_t work)
{
	t->open->work += work - t->handed;
	t->handed = work;
	return t->open->work < t->piece_work ? 0 : team_submit(t);
}

/* There is an open piece with room for n bytes. */
int team_make_room(struct p6_team *t, size_t n)
{
	if (t->open && t->open->room - t->open->n >= n)
		return 0;
	if (t->open && (t->open->n || t->open->start.snapshot || t->open->ends || t->open->marks ||
			t->open->logs)) {
		const int rc = team_submit(t);

		if (rc)
			return rc;
	}
	free_piece(t->open);
	t->open = new_piece(t, n);
	return t->open ? 0 : -SPMU_ENOMEM;
}

/* All pieces are done. */
int team_drain(struct p6_team *t)
{
	int rc = team_submit(t);

	pthread_mutex_lock(&t->lock);
	while (t->queued)
		pthread_cond_wait(&t->done, &t->lock);
	for (unsigned i = 0; i < t->n && !rc; i++)
		rc = t->worker[i]->rc;
	pthread_mutex_unlock(&t->lock);
	return rc;
}

void team_free_pieces(struct team_piece *p)
{
	while (p) {
		struct team_piece *next = p->next;

		team_free_start(&p->start);
		free_piece(p);
		p = next;
	}
}
