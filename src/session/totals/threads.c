/* threads.c -- accounts of threads: the difference of the totals since the last change of
 * thread. Rules: threads.h. */
#include "session/totals/threads.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

struct account {
	uint64_t total[WIRE_N];
	uint64_t instructions;
};

/* What estimates of an account are made of (model/part.h). */
struct part {
	uint64_t number[MDL_PART_ROOM];
};

struct ses_threads {
	struct mdl *model;
	const struct wires *wires;
	struct account *account;
	struct part *part; /* of each account, where the model has any; else NULL */
	uint32_t n, room;
	uint32_t now;				     /* the thread that runs */
	bool is_shut;				     /* nothing counts */
	void (*changed)(void *ctx, uint32_t thread); /* or NULL */
	void *changed_ctx;
	struct account before; /* totals when it began */
	struct part part_before;
};

int ses_threads_open(struct mdl *m, const struct wires *w, struct ses_threads **out)
{
	struct ses_threads *t = calloc(1, sizeof(*t));

	if (!t)
		return -SPMU_ENOMEM;
	t->model = m;
	t->wires = w;
	*out = t;
	return 0;
}

void ses_threads_close(struct ses_threads *t)
{
	if (!t)
		return;
	free(t->account);
	free(t->part);
	free(t);
}

void ses_threads_watch(struct ses_threads *t, void (*changed)(void *ctx, uint32_t thread),
		       void *ctx)
{
	t->changed = changed;
	t->changed_ctx = ctx;
}

static int make_part(struct ses_threads *t, uint32_t number, uint32_t room)
{
	struct part *now;

	if (!mdl_has_parts(t->model))
		return 0;
	now = realloc(t->part, room * sizeof(*now));
	if (!now)
		return -SPMU_ENOMEM;
	memset(now + t->n, 0, (number + 1 - t->n) * sizeof(*now));
	t->part = now;
	return 0;
}

static int make_account(struct ses_threads *t, uint32_t number)
{
	struct account *now;
	uint32_t room = t->room;

	if (number < t->n)
		return 0;
	while (room <= number)
		room = room ? room * 2 : 8;
	now = room == t->room ? t->account : realloc(t->account, room * sizeof(*now));
	if (!now)
		return -SPMU_ENOMEM;
	memset(now + t->n, 0, (number + 1 - t->n) * sizeof(*now));
	t->account = now;
	if (make_part(t, number, room))
		return -SPMU_ENOMEM;
	t->room = room;
	t->n = number + 1;
	return 0;
}

/* Bring what was counted until now onto the wires; where the model has parts, set *part, which is
 * left alone otherwise. Returns 0 or -SPMU_ENOMEM. */
static int look(const struct ses_threads *t, struct part *part)
{
	if (mdl_has_parts(t->model))
		return mdl_part_now(t->model, part->number);
	mdl_finish(t->model);
	return 0;
}

/* Add what a part counted since the last look to thread t->now. */
static void add_part(struct ses_threads *t, const struct part *now)
{
	for (unsigned i = 0; i < MDL_PART_ROOM; i++)
		t->part[t->now].number[i] += now->number[i] - t->part_before.number[i];
	t->part_before = *now;
}

int ses_threads_settle(struct ses_threads *t)
{
	uint64_t instructions;
	struct account *a;
	struct part now;

	if (make_account(t, t->now))
		return -SPMU_ENOMEM;
	if (t->is_shut) {
		ses_threads_skip(t);
		return 0;
	}
	a = &t->account[t->now];
	if (look(t, &now))
		return -SPMU_ENOMEM;
	if (t->part)
		add_part(t, &now);
	for (unsigned i = 0; i < WIRE_N; i++) {
		a->total[i] += t->wires->total[i] - t->before.total[i];
		t->before.total[i] = t->wires->total[i];
	}
	instructions = mdl_instructions(t->model);
	a->instructions += instructions - t->before.instructions;
	t->before.instructions = instructions;
	return 0;
}

int ses_threads_feed(struct ses_threads *t, const uint8_t *bytes, size_t n)
{
	size_t begin = 0, at = 0;
	int rc = 0;

	while (rc == 0 && n - at >= 12) {
		uint32_t word[3];
		size_t size;

		memcpy(word, bytes + at, sizeof(word));
		size = word[0] < TRC_SPECIAL ? trc_block_bytes(word[0]) : 8 + (size_t)word[1];
		if (size > n - at)
			break; /* damaged: the model says so */
		if (word[0] == TRC_SPECIAL + TRC_THREAD && word[1] >= 4) {
			rc = mdl_feed(t->model, bytes + begin, at - begin);
			begin = at;
			if (rc == 0)
				rc = ses_threads_settle(t);
			t->now = word[2] < SES_MOST_THREADS ? word[2] : SES_MOST_THREADS - 1;
			if (t->changed)
				t->changed(t->changed_ctx, t->now);
		}
		at += size;
	}
	return rc ? rc : mdl_feed(t->model, bytes + begin, n - begin);
}

int ses_threads_shut(struct ses_threads *t, bool is_shut)
{
	const int rc = ses_threads_settle(t);

	t->is_shut = is_shut;
	return rc;
}

void ses_threads_skip(struct ses_threads *t)
{
	(void)look(t, &t->part_before); /* the model keeps the error */
	memcpy(t->before.total, t->wires->total, sizeof(t->before.total));
	t->before.instructions = mdl_instructions(t->model);
}

void ses_threads_restart(struct ses_threads *t, const struct ses_totals *from)
{
	t->n = 0;
	t->now = 0;
	memcpy(t->before.total, from->wire, sizeof(t->before.total));
	t->before.instructions = from->instructions;
	memcpy(t->part_before.number, from->part, sizeof(from->part));
}

uint32_t ses_threads_now(const struct ses_threads *t)
{
	return t->now;
}

uint32_t ses_threads_n(const struct ses_threads *t)
{
	return t->n;
}

void ses_threads_totals(const struct ses_threads *t, uint32_t i, struct ses_totals *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->wire, t->account[i].total, sizeof(out->wire));
	out->instructions = t->account[i].instructions;
	if (!t->part)
		return;
	memcpy(out->part, t->part[i].number, sizeof(out->part));
}

int ses_threads_estimate(const struct ses_threads *t, struct ses_totals *out)
{
	return t->part ? mdl_part_totals(t->model, out->part, out->wire, out->half) : 0;
}

void ses_threads_replace(struct ses_threads *t, uint32_t i, const struct ses_totals *by)
{
	memcpy(t->account[i].total, by->wire, sizeof(by->wire));
	t->account[i].instructions = by->instructions;
	if (t->part)
		memcpy(t->part[i].number, by->part, sizeof(by->part));
}
