/* interval_book.c -- collects the intervals of all servers and reports each when it is complete.
 * Rules: interval_book.h. */
#include "session/serve/interval_book.h"

#include <stdlib.h>
#include <string.h>

#include "session/totals/counting.h"
#include "session/serve/serve.h"

/* What the first server knows about one server. About itself it keeps only the counts so far. */
struct entry {
	uint64_t who;  /* ses_member.birth_hash */
	uint64_t done; /* it has left all intervals before this one */
	/* both set: the entry is deleted. Messages of different senders may overtake each other. */
	bool is_born, is_gone;
	uint32_t answer;		     /* turn of ses_alarm.asked */
	uint64_t instructions, wire[WIRE_N]; /* its answer */
};

struct pending {
	uint64_t number, at, wire[WIRE_N], half[WIRE_N];
};

struct ses_book {
	struct entry *entry; /* owned */
	size_t n_entry, room_entry;
	struct pending *pending; /* owned; by number */
	size_t n_pending, room_pending;
	uint64_t n_told, told_at;
	uint32_t answered; /* the request (ses_alarm.asked) that was reported last */
	bool is_short;	   /* memory ran out: ses_book_tell() refuses the run */
};

int ses_book_open(struct ses_book **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -SPMU_ENOMEM;
}

void ses_book_close(struct ses_book *b)
{
	if (!b)
		return;
	free(b->entry);
	free(b->pending);
	free(b);
}

/* Room for one more at the end. Returns the list, or NULL with the old one as it was. */
static void *grow_list(void *list, size_t n, size_t *room, size_t size)
{
	void *more;

	if (n < *room)
		return list;
	more = realloc(list, (*room ? 2 * *room : 4) * size);
	if (more)
		*room = *room ? 2 * *room : 4;
	return more;
}

static struct entry *find_entry(struct ses_book *b, uint64_t who)
{
	struct entry *more;

	for (size_t i = 0; i < b->n_entry; i++)
		if (b->entry[i].who == who)
			return &b->entry[i];
	more = grow_list(b->entry, b->n_entry, &b->room_entry, sizeof(*more));
	if (!more) {
		b->is_short = true;
		return NULL;
	}
	b->entry = more;
	memset(&more[b->n_entry], 0, sizeof(*more));
	more[b->n_entry].who = who;
	return &more[b->n_entry++];
}

static struct pending *find_pending(struct ses_book *b, uint64_t number)
{
	struct pending *more;
	size_t i = b->n_pending;

	while (i && b->pending[i - 1].number > number)
		i--;
	if (i && b->pending[i - 1].number == number)
		return &b->pending[i - 1];
	more = grow_list(b->pending, b->n_pending, &b->room_pending, sizeof(*more));
	if (!more) {
		b->is_short = true;
		return NULL;
	}
	b->pending = more;
	memmove(&more[i + 1], &more[i], (b->n_pending - i) * sizeof(*more));
	memset(&more[i], 0, sizeof(*more));
	more[i].number = number;
	b->n_pending++;
	return &more[i];
}

static void take_interval(struct ses_book *b, const struct ses_message *m)
{
	struct pending *p = find_pending(b, m->interval);

	for (unsigned i = 0; p && i < WIRE_N; i++) {
		p->wire[i] += m->totals.wire[i];
		p->half[i] += m->totals.half[i];
	}
	if (p && m->at > p->at)
		p->at = m->at;
}

void ses_book_take(struct ses_book *b, const struct ses_message *m)
{
	struct entry *e;

	if (!b || (m->kind != SES_BORN && m->kind != SES_NEVER && m->kind != SES_ENDED &&
		   m->kind != SES_LEFT && m->kind != SES_INTERVAL && m->kind != SES_SO_FAR))
		return;
	if (m->kind == SES_INTERVAL)
		take_interval(b, m);
	e = find_entry(b, m->member.birth_hash);
	if (!e)
		return;
	if (m->next_interval > e->done)
		e->done = m->next_interval;
	if (m->kind == SES_BORN)
		e->is_born = true;
	else if (m->kind == SES_SO_FAR) {
		e->answer = m->thread;
		e->instructions = m->totals.instructions;
		memcpy(e->wire, m->totals.wire, sizeof(e->wire));
	} else if (m->kind != SES_INTERVAL) {
		e->is_gone = true;
	}
	if (e->is_born && e->is_gone)
		*e = b->entry[--b->n_entry];
}

static void count_events(const struct ses_server *s, const uint64_t *wire, const uint64_t *half,
			 struct evt_count *out)
{
	const struct evt_event *e = s->cfg->event;
	struct wires w = *s->wires;

	memcpy(w.total, wire, sizeof(w.total));
	memcpy(w.half, half, sizeof(w.half));
	ses_count_events(s->cfg->model.cpu, e, s->cfg->n_event, &w, out);
	for (size_t i = 0; i < s->cfg->n_event; i++)
		if (e[i].software && !e[i].why_not)
			out[i] = (struct evt_count){
			    .status = EVT_NOT_COUNTED,
			    .why = "figures of the host are told at the end of a run"};
}

static void hand_over(struct ses_server *s, const uint64_t *wire, const uint64_t *half,
		      struct ses_interval *interval)
{
	struct evt_count *list = calloc(s->cfg->n_event + 1, sizeof(*list));

	if (!list) {
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
		return;
	}
	count_events(s, wire, half, list);
	interval->count = list;
	s->cfg->intervals->tell(s->cfg->intervals->ctx, interval);
	free(list);
}

/* An interval with no counts and no length: a line ended exactly where an interval did. */
static bool is_something(const struct ses_book *b, const struct pending *p)
{
	for (unsigned i = 0; i < WIRE_N; i++)
		if (p->wire[i])
			return true;
	return p->at > b->told_at;
}

static void tell_first(struct ses_book *b, struct ses_server *s)
{
	const struct pending *p = &b->pending[0];
	struct ses_interval one = {.from = b->told_at, .to = p->at};

	if (is_something(b, p) && (!s->cfg->intervals->most || b->n_told < s->cfg->intervals->most))
		hand_over(s, p->wire, p->half, &one);
	b->n_told++;
	b->told_at = p->at;
	memmove(b->pending, p + 1, --b->n_pending * sizeof(*p));
}

/* All servers have answered: report their counts plus those of processes that ended before. */
static void tell_so_far(struct ses_book *b, struct ses_server *s, uint32_t turn)
{
	struct ses_interval all = {.to = ses_host_ns() - s->start_ns, .is_so_far = true};
	uint64_t wire[WIRE_N] = {0};

	for (size_t i = 0; i < b->n_entry; i++) {
		if (s->cfg->is_alone && b->entry[i].who != s->member.birth_hash)
			continue;
		all.instructions += b->entry[i].instructions;
		for (unsigned k = 0; k < WIRE_N; k++)
			wire[k] += b->entry[i].wire[k];
	}
	all.instructions += s->cfg->is_alone ? 0 : s->family->sum.instructions;
	for (unsigned k = 0; k < WIRE_N && !s->cfg->is_alone; k++)
		wire[k] += s->family->sum.wire[k];
	hand_over(s, wire, s->wires->half, &all);
	b->answered = turn;
}

void ses_book_tell(struct ses_book *b, struct ses_server *s, uint64_t done)
{
	const uint32_t turn = s->family->alarm->asked;
	bool has_all = turn != b->answered && s->intervals.answered == turn;

	if (b->is_short)
		ses_serve_refuse(s, SPMU_ENOMEM, "out of memory");
	if (!b->n_pending && !has_all)
		return;
	ses_family_hear(s->family);
	for (size_t i = 0; i < b->n_entry; i++) {
		const struct entry *e = &b->entry[i];

		if (e->is_gone || e->who == s->member.birth_hash)
			continue;
		/* by the clock the first process alone has them */
		if (!s->cfg->intervals->every_clk)
			done = e->done < done ? e->done : done;
		has_all &= e->answer == turn;
	}
	while (b->n_pending && b->pending[0].number < done)
		tell_first(b, s);
	if (has_all)
		tell_so_far(b, s, turn);
}

void ses_book_end(struct ses_book *b, struct ses_server *s)
{
	while (b && b->n_pending)
		tell_first(b, s);
}
