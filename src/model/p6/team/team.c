/* team.c -- clocks by several threads: who does which stretch. Rules and limits are in team.h.
 *
 * The caller feeds the scout up to where a stretch ends, a block is new or an event comes. It walks
 * over the head of that record, or over those of all records when the scout writes no log. It
 * copies what it fed into pieces that wait for their workers. The snapshot lists pages and blocks
 * that other machines met first, in the order in which they were met.
 */
#include "model/p6/team/team.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/family.h"
#include "model/p6/clocks/templates.h"
#include "model/p6/loops/events.h"
#include "model/p6/host/host.h"
#include "model/p6/team/sample_parts.h"
#include "model/p6/team/sample_places.h"
#include "model/p6/team/team_worker.h"
#include "model/p6/clocks/bogus.h"
#include "model/p6/kept/held.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/loops/feed.h"
#include "trace/record.h"

#define NEW_WORK     32u /* a new block's instruction is as much work as so many that are known */
#define MEMO_PERCENT 88u /* of what one machine may keep, for all workers together */

/* ---- stretches ------------------------------------------------------------------------------- */

/* What worker w has to know to go on where the scout is. */
static int take_start(struct p6_team *t, struct team_worker *w, struct team_start *s)
{
	const struct pages *pages = &t->scout->pages;

	s->n_page = pages->n_order - w->n_page;
	s->n_block = t->walk.n_block - w->n_block;
	s->snapshot = p6_snapshot_take(t->scout->cpu[0]);
	s->page = malloc(s->n_page * sizeof(*s->page) + 1);
	s->block = malloc(s->n_block * sizeof(*s->block) + 1);
	if (!s->snapshot || !s->page || !s->block || pages->is_order_lost) {
		team_free_start(s);
		return -SPMU_ENOMEM;
	}
	if (s->n_page)
		memcpy(s->page, pages->order + w->n_page, s->n_page * sizeof(*s->page));
	if (s->n_block)
		memcpy(s->block, t->walk.block + w->n_block, s->n_block * sizeof(*s->block));
	w->n_page = pages->n_order;
	w->n_block = t->walk.n_block;
	return 0;
}

static unsigned least_busy(struct p6_team *t)
{
	unsigned best = t->now;

	pthread_mutex_lock(&t->lock);
	for (unsigned i = 0; i < t->n; i++)
		if (t->worker[i]->queued < t->worker[best]->queued)
			best = i;
	pthread_mutex_unlock(&t->lock);
	return best;
}

/* The stretch ends; a block at pc begins the next one. */
static int change(struct p6_team *t, uint64_t pc)
{
	int rc = team_make_room(t, 0);

	p6_event_resolve(t->scout->cpu[0], pc);
	team_walk_begin(&t->walk, t->scout->cpu[0]->n_insn);
	if (rc)
		return rc;
	t->open->ends = true;
	t->open->next_pc = pc;
	rc = team_submit(t);
	if (!rc) {
		const unsigned next = least_busy(t);
		const bool is_other = next != t->now;

		t->now = next;
		rc = team_make_room(t, PIECE_BYTES);
		if (!rc && is_other)
			rc = take_start(t, t->worker[next], &t->open->start);
	}
	return rc;
}

/* ---- samples (sample.h) ---------------------------------------------------------------------- */

/* Nobody works out what the scout is fed. */
static bool is_skipping(const struct p6_team *t)
{
	return t->sample && t->sample->phase == SAMPLE_SKIP;
}

/* The part under way of a sampled run ends; a block at pc begins the next one. */
static int change_part(struct p6_team *t, uint64_t pc)
{
	struct team_sample *s = t->sample;
	const enum sample_phase was = s->phase;
	const unsigned distance = s->distance;
	const uint64_t n_insn = t->scout->cpu[0]->n_insn, window = s->window;
	int rc;

	p6_event_resolve(t->scout->cpu[0], pc);
	p6_sample_next(s, n_insn);
	team_walk_until(&t->walk, p6_sample_end(s));
	if (was != SAMPLE_SKIP) {
		rc = team_make_room(t, 0);
		if (rc)
			return rc;
		t->open->logs = was == SAMPLE_WARM_UP ? 0 : distance;
		t->open->unit = window;
		t->open->ends = s->phase == SAMPLE_SKIP;
		t->open->next_pc = pc;
		rc = team_submit(t);
		if (rc || s->phase == SAMPLE_SKIP)
			return rc;
	} else {
		t->now = least_busy(t);
	}
	rc = team_make_room(t, PIECE_BYTES);
	if (!rc && was == SAMPLE_SKIP)
		rc = take_start(t, t->worker[t->now], &t->open->start);
	if (!rc)
		t->open->marks = was == SAMPLE_WARM_UP;
	return rc;
}

/* All workers but the one whose stretch it is go on from here, too, when all pieces are done. */
static int meet(struct p6_team *t)
{
	int rc = team_drain(t);

	for (unsigned i = 0; i < t->n && !rc; i++) {
		struct team_worker *w = t->worker[i];
		struct team_start s;

		if (i == t->now && !is_skipping(t))
			continue;
		rc = take_start(t, w, &s);
		if (!rc)
			rc = team_begin(w, &s);
		team_free_start(&s);
	}
	t->worker[t->now]->n_page = t->scout->pages.n_order; /* it met the last ones itself */
	t->worker[t->now]->n_block = t->walk.n_block;
	return rc;
}

/* The process is about to replace its program: all machines begin cold, and pages are counted
 * anew. */
static int exec(struct p6_team *t)
{
	const int rc = meet(t);

	for (unsigned i = 0; i < t->n && !rc; i++) {
		if (i != t->now || is_skipping(t))
			p6_exec(team_machine(t->worker[i]));
		t->worker[i]->n_page = 0;
	}
	t->scout->pages.n_order = 0;
	return rc;
}

/* A block is new. What is before it is done, but that it follows. */
static int meet_block(struct p6_team *t)
{
	struct p6 *scout = t->scout->cpu[0];
	const struct x86_block *b = x86_store_get(scout->store, t->walk.new_id);

	t->n_new += b->n_insn;
	p6_event_resolve(scout, b->pc);
	return team_walk_meet(&t->walk, p6_bogus_of(scout, b));
}

/* ---- the caller's side ----------------------------------------------------------------------- */

/* The scout was fed records [p, to), none of which ends a stretch: they are their worker's. */
static int hand_on(struct p6_team *t, const uint8_t *p, const uint8_t *to)
{
	const size_t n = (size_t)(to - p);
	struct p6 *scout = t->scout->cpu[0];
	const uint64_t *logged = NULL;
	size_t n_logged = 0;
	int rc = 0;

	if (is_skipping(t)) {
		t->handed = scout->n_insn + scout->strings.n_moves + NEW_WORK * t->n_new;
		return 0;
	}
	if (scout->log.is_on) {
		logged = p6_log_write_take(scout, &n_logged);
		rc = logged ? 0 : -SPMU_ENOMEM;
	}
	if (!rc)
		rc = team_make_room(t, n);
	if (!rc)
		rc = team_put(t, p, n, logged, n_logged);
	return rc ? rc
		  : team_put_work(t, scout->n_insn + scout->strings.n_moves + NEW_WORK * t->n_new);
}

/* As many records from *at on as the scout can be fed without a look at them beforehand, a piece
 * at most. */
static int give_known(struct p6_team *t, const uint8_t **at, const uint8_t *end)
{
	struct p6 *scout = t->scout->cpu[0];
	const uint8_t *const p = *at;
	const uint64_t enough = is_skipping(t) ? UINT64_MAX : scout->n_insn + t->piece_work;
	const int rc = p6_feed_known(scout, at, end,
				     enough < t->walk.stretch_end ? enough : t->walk.stretch_end);

	if (rc || *at == p)
		return rc;
	team_walk_pass(&t->walk, trc_block_id(p6_blk_at(scout, scout->pending_blk)->head),
		       scout->n_insn);
	return hand_on(t, p, *at);
}

/* The records from *at on up to where somebody has to know, or all up to `end`. */
static int give_walked(struct p6_team *t, const uint8_t **at, const uint8_t *end)
{
	struct p6 *scout = t->scout->cpu[0];
	const uint8_t *const p = *at;
	enum team_stop stop;
	int rc = 0;

	*at = team_walk(&t->walk, scout->n_insn, p, end, &stop);
	if (*at != p)
		rc = p6_feed(scout, p, (size_t)(*at - p));
	if (*at != p && !rc)
		rc = hand_on(t, p, *at);
	if (rc || stop == TEAM_ALL)
		return rc;
	if (stop == TEAM_STRETCH && t->sample)
		return change_part(t, t->walk.next_pc);
	return stop == TEAM_STRETCH ? change(t, t->walk.next_pc)
	       : stop == TEAM_BLOCK ? meet_block(t)
				    : exec(t);
}

int p6_team_feed(struct p6_team *t, const uint8_t *p, const uint8_t *end)
{
	const bool can_stop = t->scout->cpu[0]->can_stop;

	while (p < end && !t->rc) {
		const uint64_t bytes = can_stop ? trc_record_bytes(p, (uint64_t)(end - p)) : 0;
		const uint8_t *const from = p;

		if (bytes)
			t->rc = give_known(t, &p, end);
		if (!t->rc && p == from)
			t->rc = give_walked(t, &p, bytes ? p + bytes : end);
	}
	return t->rc;
}

int p6_team_wait(struct p6_team *t)
{
	const int rc = team_drain(t);

	t->rc = t->rc ? t->rc : rc;
	p6_time_settle(p6_team_last(t));
	return t->rc;
}

/* Is a unit under way? */
static bool is_in_unit(const struct team_sample *s)
{
	return s->phase == SAMPLE_IN_FULL || s->phase == SAMPLE_MEASURE;
}

/* What is under way of a unit is kept as one for now. The workers are done. */
static int sum_samples(struct p6_team *t, uint64_t *total, void sum(struct p6 *m, uint64_t *total))
{
	struct team_worker *w = t->worker[t->now];
	const bool has_rest = is_in_unit(t->sample);
	const unsigned distance = t->sample->phase == SAMPLE_IN_FULL ? 1 : t->sample->distance;
	const size_t n = t->sample->n_row;
	int rc = 0;

	if (has_rest)
		rc = p6_sample_mark(t->sample, team_machine(w), sum, &w->to);
	if (has_rest && !rc)
		rc = p6_sample_keep(t->sample, t->sample->window, distance, &w->from, &w->to,
				    team_machine(w)->ledger);
	if (!rc)
		rc = p6_sample_sum(t->sample, t->scout->cpu[0], total, t->scout->wires->half);
	if (t->sample->n_row > n)
		p6_sample_drop(t->sample);
	return rc;
}

/* The units of a sampled run begin anew, so that both sides of a fork have their own. What was
 * skipped until here is estimated now. */
static int begin_anew(struct p6_team *t)
{
	uint64_t total[WIRE_N] = {0};
	struct team_worker *w = t->worker[t->now];
	struct team_start s;
	int rc;

	t->sample->sum.now(t->scout->cpu[0], total);
	rc = sum_samples(t, total, t->sample->sum.ahead);
	if (!rc)
		rc = take_start(t, w, &s);
	if (rc)
		return rc;
	if (t->sample->places)
		p6_sample_places_settle(t->sample->places);
	p6_sample_settle(t->sample, total, t->scout->wires->half);
	p6_sample_begin(t->sample, t->scout->cpu[0]);
	team_walk_until(&t->walk, p6_sample_end(t->sample));
	rc = team_begin(w, &s);
	team_free_start(&s);
	return rc ? rc : team_begin_unit(w);
}

void p6_team_rest(struct p6_team *t)
{
	int rc = team_drain(t);

	if (!rc && t->sample && t->sample->phase != SAMPLE_IN_FULL && !t->sample->parts)
		rc = begin_anew(t);
	t->rc = t->rc ? t->rc : rc;
	for (unsigned i = 0; i < t->n; i++)
		team_end_thread(t->worker[i]);
}

int p6_team_part_begin(struct p6_team *t)
{
	int rc = team_drain(t);

	if (!rc && p6_team_has_parts(t) && t->sample->phase != SAMPLE_IN_FULL)
		rc = begin_anew(t);
	return rc;
}

bool p6_team_has_parts(const struct p6_team *t)
{
	return t->sample && t->sample->parts;
}

int p6_team_part(struct p6_team *t, uint64_t *total, uint64_t *part)
{
	struct team_worker *w = t->worker[t->now];
	struct team_sample *s = t->sample;
	int rc = team_drain(t);

	if (!rc && is_in_unit(s))
		rc = p6_sample_mark(s, team_machine(w), s->sum.rest, &w->to);
	if (!rc && is_in_unit(s))
		rc = p6_sample_cut(s, &w->from, &w->to);
	p6_sample_part(s, t->scout->cpu[0], total, part);
	for (unsigned k = 0; k < s->n_wire; k++)
		total[s->wire[k]] = t->scout->wires->total[s->wire[k]];
	t->rc = t->rc ? t->rc : rc;
	return rc;
}

int p6_team_part_totals(struct p6_team *t, const uint64_t *part, uint64_t *total, uint64_t *half)
{
	uint64_t all[WIRE_N] = {0};
	int rc = 0;

	if (!p6_sample_parts_are_fitted(t->sample->parts, t->sample->n_row)) {
		rc = team_drain(t);
		t->sample->sum.now(t->scout->cpu[0], all);
		rc = rc ? rc : sum_samples(t, all, t->sample->sum.ahead);
	}
	if (!rc)
		p6_sample_part_totals(t->sample, part, total, half);
	return rc;
}

int p6_team_take_ledger(struct p6_team *t, mdl_take_posting *take, void *ctx)
{
	int rc = team_drain(t);

	if (!rc)
		rc = begin_anew(t);
	if (!rc)
		rc = p6_sample_places_take(t->sample->places, t->scout->cpu[0]->store, take, ctx);
	return rc;
}

struct p6 *p6_team_last(struct p6_team *t)
{
	return team_machine(t->worker[t->now]);
}

void p6_team_sum(struct p6_team *t, uint64_t *total, void sum(struct p6 *m, uint64_t *total))
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	int rc = team_drain(t);

	if (!rc && t->sample)
		rc = sum_samples(t, total, sum);
	t->rc = t->rc ? t->rc : rc;
	for (unsigned i = 0; i < t->n && !t->sample; i++) {
		uint64_t own[WIRE_N] = {0};

		sum(team_machine(t->worker[i]), own);
		own[WIRE_P6_CORE_CLK] -= t->worker[i]->first_clk;
		for (unsigned k = 0; k < WIRE_N && k < n; k++)
			if (wire[k].family == CAT_P6 && wire[k].tier == 3)
				total[k] = (i ? total[k] : 0) + own[k];
	}
}

void p6_team_forget(struct p6_team *t)
{
	const int rc = meet(t);

	t->rc = t->rc ? t->rc : rc;
	for (unsigned i = 0; i < t->n; i++) {
		p6_forget_blocks(team_machine(t->worker[i]));
		t->worker[i]->n_block = 0;
	}
	team_walk_forget(&t->walk);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Does m look at single micro-ops or clocks in a way that a team does not? Units add up the slots
 * of the CPI stack, as all else. */
static bool is_watched(const struct p6 *m, const struct mdl_config *cfg)
{
	return m->time.is_watched && (!cfg->p6.sample_every || cfg->on_line || m->time.is_watching);
}

bool p6_team_can(const struct p6 *m, const struct mdl_config *cfg)
{
	const struct p6_time *t = &m->time;

	return cfg->p6.n_worker > (cfg->p6.sample_every ? 0u : 1u) && m->system->n == 1 &&
	       !m->system->tables && t->is_on && !cfg->is_waiting && !m->is_plain &&
	       !is_watched(m, cfg) && !t->watch && !t->timer_period_clk &&
	       t->wrong_mode != MDL_WRONG_LOADS && t->par.stretch_log2 &&
	       (!cfg->has_ledger || cfg->p6.sample_every);
}

void p6_team_scout(struct mdl_config *cfg)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < WIRE_N && i < n; i++)
		cfg->wanted[i] &= wire[i].tier < 3;
	cfg->wanted[WIRE_P6_DCU_REF] = cfg->wanted[WIRE_P6_RETIRE_MISPREDICT] =
	    1; /* with clocks all structures run */
}

static int open_worker(struct p6_team *t, const struct mdl_config *cfg, unsigned i,
		       unsigned *stretch_log2)
{
	struct mdl_config own = *cfg;
	struct team_worker *w = t->worker[i] = calloc(1, sizeof(*w));
	void *self = NULL;
	int rc;

	if (!w)
		return -SPMU_ENOMEM;
	own.p6.n_worker = 0;
	/* a sample meets few states twice, unless much is worked out before */
	own.has_no_memo =
	    cfg->has_no_memo || (t->sample && (!cfg->p6.sample_full || cfg->has_ledger));
	w->team = t;
	w->last = &w->first;
	pthread_cond_init(&w->wake, NULL);
	rc = mdl_p6.open(&own, &w->wires, &self);
	w->system = self;
	if (rc)
		return rc;
	w->has_begun = i == 0;
	w->system->memo_percent = MEMO_PERCENT / t->n;
	if (i) {
		p6_templates_leave(team_machine(w)->time.templates);
		team_machine(w)->time.templates =
		    p6_templates_use(team_machine(t->worker[0])->time.templates);
	}
	*stretch_log2 = team_machine(w)->time.par.stretch_log2;
	team_machine(w)->time.par.stretch_log2 = 0; /* the scout's pieces say where stretches end */
	team_machine(w)->time.stretch_end = UINT64_MAX;
	return 0;
}

/* A scout of the fast shape is fed without a look at records beforehand, and tells workers what its
 * caches find. Of samples that is not worth its price: most of it nobody wants. */
static int begin_telling(struct p6_team *t)
{
	struct p6 *scout = t->scout->cpu[0];
	int rc;

	if (!scout->is_fast_miss)
		return 0;
	scout->can_stop = true;
	rc = t->sample ? 0 : p6_log_write_open(scout);
	if (rc)
		return rc;
	p6_host_again(scout); /* host code that stops and tells */
	for (unsigned i = 0; i < t->n && !t->sample; i++)
		p6_log_read_open(team_machine(t->worker[i]));
	return 0;
}

/* The wires that only clocks count are estimated where cfg says so. */
static int open_sample(struct p6_team *t, const struct mdl_config *cfg, const struct p6_sums *sum)
{
	uint16_t wire[WIRE_N];
	size_t n;
	const struct cat_wire *all = cat_wires(&n);
	unsigned n_wire = 0;
	int rc;

	for (unsigned i = 0; i < WIRE_N && i < n; i++)
		if (all[i].family == CAT_P6 && all[i].tier == 3)
			wire[n_wire++] = (uint16_t)i;
	if (!cfg->p6.sample_every)
		return 0;
	rc = p6_sample_open(sum, cfg->p6.sample_every, cfg->p6.sample_is_open, cfg->p6.sample_seed,
			    cfg->p6.sample_full, wire, n_wire, &t->sample);
	if (!rc)
		t->sample->log = cfg->p6.unit_log;
	if (!rc && cfg->p6.has_parts)
		rc = p6_sample_parts_open(n_wire, &t->sample->parts);
	return rc || !cfg->has_ledger ? rc : p6_sample_places_open(t->sample, &t->sample->places);
}

int p6_team_open(const struct mdl_config *cfg, struct p6_system *scout, const struct p6_sums *sum,
		 struct p6_team **out)
{
	struct p6_team *t = calloc(1, sizeof(*t));
	unsigned stretch_log2 = 0;
	int rc;

	*out = NULL;
	if (!t)
		return -SPMU_ENOMEM;
	t->scout = scout;
	t->piece_work = 1;
	t->n = cfg->p6.n_worker < MDL_MAX_WORKERS ? cfg->p6.n_worker : MDL_MAX_WORKERS;
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->done, NULL);
	rc = open_sample(t, cfg, sum);
	for (unsigned i = 0; i < t->n && !rc; i++)
		rc = open_worker(t, cfg, i, &stretch_log2);
	if (!rc)
		rc = begin_telling(t);
	if (!rc)
		rc = team_walk_open(&t->walk, cfg->store, stretch_log2);
	if (!rc && t->sample) {
		p6_sample_begin(t->sample, scout->cpu[0]);
		team_walk_until(&t->walk, p6_sample_end(t->sample));
		rc = team_begin_unit(t->worker[0]);
	}
	if (rc) {
		p6_team_close(t);
		return rc;
	}
	memcpy(scout->wires->driven, t->worker[0]->wires.driven, sizeof(scout->wires->driven));
	*out = t;
	return 0;
}

void p6_team_close(struct p6_team *t)
{
	if (!t)
		return;
	for (unsigned i = 0; i < t->n; i++) {
		struct team_worker *w = t->worker[i];

		if (!w)
			continue;
		team_end_thread(w);
		mdl_p6.close(w->system);
		team_free_pieces(w->first);
		pthread_cond_destroy(&w->wake);
		free(w->from.y);
		free(w->to.y);
		free(w);
	}
	if (t->open)
		t->open->next = NULL;
	team_free_pieces(t->open);
	team_free_pieces(t->unused);
	team_walk_close(&t->walk);
	p6_sample_close(t->sample);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->done);
	free(t);
}
