/* accounts.c -- threads, processes and places of a replay. Rules: accounts.h. */
#include "session/replay/accounts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "session/replay/player.h"
#include "session/serve/placed.h"
#include "session/totals/result.h"
#include "trace/record.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Another thread of the program runs. */
static void change_thread(void *ctx, uint32_t thread)
{
	struct ses_player *p = ctx;

	if (p->accounts.places && p->cfg->keeps_threads)
		ses_places_thread(p->accounts.places, thread);
	ses_marks_follow(p, thread);
}

int ses_accounts_open(struct ses_player *p)
{
	const struct ses_config *cfg = p->cfg;
	struct ses_accounts *a = &p->accounts;
	int rc = 0;

	a->is_wanted =
	    cfg->keeps_threads || cfg->keeps_processes || cfg->keeps_places || cfg->keeps_regions;
	a->splits =
	    p->in.has_members && (a->is_wanted || (cfg->is_alone && !ses_player_has_range(p)));
	if (!a->splits)
		return 0;
	a->vfork = calloc(SES_VFORK_MOST, sizeof(*a->vfork));
	a->vfork_also = calloc(SES_VFORK_MOST, sizeof(*a->vfork_also));
	if (!a->vfork || !a->vfork_also)
		return -SPMU_ENOMEM;
	if (!a->is_wanted)
		return 0;
	a->book = mmap(NULL, sizeof(*a->book), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->book == MAP_FAILED)
		a->book = NULL;
	if (!a->book)
		return -SPMU_ENOMEM;
	if (cfg->keeps_threads || cfg->keeps_regions)
		rc = ses_threads_open(p->model, p->wires[0], &a->threads);
	if (!rc && cfg->keeps_places)
		rc = ses_places_open(&a->places, cfg, p->model, p->store, p->wires[0], NULL);
	if (!rc && a->threads)
		ses_threads_watch(a->threads, change_thread, p);
	return rc ? rc : ses_marks_open(p);
}

void ses_accounts_close(struct ses_player *p)
{
	struct ses_accounts *a = &p->accounts;

	ses_marks_close(p);
	ses_threads_close(a->threads);
	ses_places_close(a->places);
	if (a->book)
		munmap(a->book, sizeof(*a->book));
	free(a->vfork);
	free(a->vfork_also);
	*a = (struct ses_accounts){.vfork = NULL};
}

/* ---- records --------------------------------------------------------------------------------- */

static int feed_model(struct ses_player *p, const uint8_t *bytes, size_t n)
{
	return p->accounts.threads ? ses_threads_feed(p->accounts.threads, bytes, n)
				   : mdl_feed(p->model, bytes, n);
}

int ses_accounts_feed(struct ses_player *p, const uint8_t *bytes, size_t n)
{
	struct ses_places *places = p->accounts.places;
	int rc = 0;

	if (places)
		ses_places_feed(places, bytes, n);
	else
		rc = feed_model(p, bytes, n);
	while (places && n && !rc) {
		const size_t some = ses_places_stretch(places, bytes, n);

		rc = feed_model(p, bytes, some);
		bytes += some;
		n -= some;
	}
	return !rc && p->accounts.marks.is_lost ? -SPMU_ENOMEM : rc;
}

void ses_accounts_forget(struct ses_player *p)
{
	if (!p->accounts.places)
		return;
	ses_places_take(p->accounts.places);
	ses_places_forget(p->accounts.places);
}

/* ---- processes ------------------------------------------------------------------------------- */

int ses_accounts_tell(struct ses_accounts *a, const struct ses_message *m)
{
	const uint32_t at = __atomic_fetch_add(&a->book->n, 1, __ATOMIC_SEQ_CST);

	if (at >= SES_MOST_ACCOUNTS) {
		__atomic_store_n(&a->book->n, SES_MOST_ACCOUNTS + 1, __ATOMIC_SEQ_CST);
		return -SPMU_ENOMEM;
	}
	a->book->message[at] = *m;
	return 0;
}

/* A child begins in the memory of the process. Returns 0, -SPMU_EPROTO or -SPMU_ENOMEM. */
static int begin_vfork(struct ses_player *p, const struct ses_member *child)
{
	struct ses_accounts *a = &p->accounts;

	if (a->n_vfork == SES_VFORK_MOST)
		return -SPMU_EPROTO;
	if (a->threads && ses_threads_settle(a->threads))
		return -SPMU_ENOMEM;
	if (a->threads) {
		a->vfork_also[a->n_vfork].thread_number = ses_threads_now(a->threads);
		ses_threads_totals(a->threads, ses_threads_now(a->threads),
				   &a->vfork_also[a->n_vfork].thread);
	}
	ses_part_copy(p, &a->vfork[a->n_vfork]);
	ses_marks_off(p, &a->vfork[a->n_vfork].totals, &a->vfork_also[a->n_vfork].off);
	a->child[a->n_vfork++] = *child;
	if (a->places) {
		ses_places_take(a->places);
		ses_places_enter(a->places);
	}
	return 0;
}

/* Tell what a child in the memory of the process counted; it had no stream of its own. */
static int tell_vfork(struct ses_player *p, struct ses_message *m)
{
	const bool has_threads = p->cfg->keeps_threads;
	struct ses_accounts *a = &p->accounts;
	char birth[SES_BIRTH_BYTES];
	int rc = 0;

	ses_family_thread_birth(m, birth);
	if (a->places)
		m->places = ses_places_end(a->places, has_threads ? birth : m->member.birth,
					   m->member.program, m->totals.wire);
	m->kind = SES_THREAD;
	if (has_threads) {
		rc = ses_accounts_tell(a, m);
		m->places = (struct ses_places_at){0};
	}
	m->kind = SES_ENDED;
	return rc ? rc : ses_accounts_tell(a, m);
}

/* The child ends, or goes on as a process with a stream of its own (has_exec). */
static int end_vfork(struct ses_player *p, bool has_exec)
{
	struct ses_accounts *a = &p->accounts;
	struct ses_part *counted = calloc(1, sizeof(*counted));
	struct ses_message *m = calloc(1, sizeof(*m));
	struct ses_totals off;
	int rc = counted && m ? 0 : -SPMU_ENOMEM;

	if (!rc && !a->n_vfork)
		rc = -SPMU_EPROTO;
	if (!rc) {
		a->n_vfork--;
		ses_part_copy(p, counted);
		ses_marks_off(p, &counted->totals, &off);
		ses_totals_subtract(&off, &a->vfork_also[a->n_vfork].off);
		ses_part_subtract(p, counted, &a->vfork[a->n_vfork]);
		ses_totals_subtract(&counted->totals, &off);
		if (a->threads) {
			ses_threads_skip(a->threads);
			ses_threads_replace(a->threads, a->vfork_also[a->n_vfork].thread_number,
					    &a->vfork_also[a->n_vfork].thread);
		}
		if (a->places)
			ses_places_take(a->places);
		m->member = a->child[a->n_vfork];
		m->totals = counted->totals;
		if (a->places)
			ses_places_region(a->places, &m->totals);
		if (!has_exec && a->book)
			rc = tell_vfork(p, m);
		if (a->places)
			ses_places_leave(a->places);
		ses_part_add(p, p->base, counted);
		for (uint32_t i = 0; i < a->n_vfork; i++)
			ses_part_add(p, &a->vfork[i], counted);
	}
	free(counted);
	free(m);
	return rc;
}

/* Names of *m and what else the payload says. Returns 0 or -SPMU_EPROTO. */
static int read_member(const uint8_t *payload, size_t n, struct trc_member *say,
		       struct ses_member *m)
{
	const char *birth = (const char *)payload + sizeof(*say), *program;
	size_t births, programs;

	memset(m, 0, sizeof(*m));
	if (n <= sizeof(*say))
		return -SPMU_EPROTO;
	memcpy(say, payload, sizeof(*say));
	n -= sizeof(*say);
	births = strnlen(birth, n);
	if (births >= n || births >= sizeof(m->birth))
		return -SPMU_EPROTO;
	program = birth + births + 1;
	programs = strnlen(program, n - births - 1);
	if (programs >= n - births - 1 || programs >= sizeof(m->program))
		return -SPMU_EPROTO;
	memcpy(m->birth, birth, births);
	memcpy(m->program, program, programs);
	m->birth_hash = say->process;
	return 0;
}

/* The process is this one; it was that before, when it executes another program. */
static int be_member(struct ses_player *p, const struct ses_member *m)
{
	struct ses_accounts *a = &p->accounts;
	const bool is_other = a->now.birth[0] && a->now.birth_hash == m->birth_hash;

	a->now = *m;
	return is_other ? ses_marks_replaced(p) : 0;
}

int ses_accounts_member(struct ses_player *p, const uint8_t *payload, size_t n)
{
	struct ses_accounts *a = &p->accounts;
	struct trc_member say;
	struct ses_member m;

	if (read_member(payload, n, &say, &m))
		return -SPMU_EPROTO;
	switch (say.kind) {
	case TRC_MEMBER_IS: return be_member(p, &m);
	case TRC_MEMBER_END: a->digest = say.digest; return 0;
	case TRC_MEMBER_VFORK: return a->splits ? begin_vfork(p, &m) : 0;
	case TRC_MEMBER_BACK:
	case TRC_MEMBER_EXEC: return a->splits ? end_vfork(p, say.kind == TRC_MEMBER_EXEC) : 0;
	default: return -SPMU_EPROTO;
	}
}

void ses_accounts_born(struct ses_player *p, uint64_t child)
{
	struct ses_accounts *a = &p->accounts;
	const uint32_t top = a->n_vfork - 1;
	const bool was_vfork = a->n_vfork && a->child[top].birth_hash == child;

	if (was_vfork)
		*p->base = a->vfork[top];
	else
		ses_part_copy(p, p->base);
	a->n_vfork = 0;
	a->digest = 0;
	ses_marks_born(p, was_vfork);
	if (a->threads)
		ses_threads_restart(a->threads, &p->base->totals);
	if (a->places)
		ses_places_born(a->places, was_vfork);
	ses_marks_follow(p, 0);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Hand *m, of the process that is played, to take() for each of its threads. Returns 0 or
 * -SPMU_ENOMEM. */
static int end_threads(struct ses_player *p, struct ses_message *m, struct ses_family *family)
{
	struct ses_accounts *a = &p->accounts;
	int rc = 0;

	if (!p->cfg->keeps_threads)
		return 0;
	if (ses_threads_settle(a->threads))
		return -SPMU_ENOMEM;
	if (a->places)
		ses_places_take(a->places);
	m->kind = SES_THREAD;
	for (m->thread = 0; m->thread < ses_threads_n(a->threads) && !rc; m->thread++) {
		char birth[SES_BIRTH_BYTES];

		ses_threads_totals(a->threads, m->thread, &m->totals);
		ses_family_thread_birth(m, birth);
		if (a->places)
			m->places = ses_places_end_thread(a->places, m->thread, birth,
							  m->member.program, &m->totals);
		if (a->places && ses_places_is_function(a->places))
			ses_threads_replace(a->threads, m->thread, &m->totals);
		if (!family)
			rc = ses_accounts_tell(a, m);
		else if (a->places)
			ses_family_keep_places(family, m);
	}
	m->thread = 0;
	m->places = (struct ses_places_at){0};
	return rc;
}

/* With threads each of them has its places. */
static void end_places(struct ses_player *p, struct ses_message *m)
{
	struct ses_accounts *a = &p->accounts;

	if (!a->places || p->cfg->keeps_threads)
		return;
	ses_places_take(a->places);
	m->places = ses_places_end(a->places, m->member.birth, m->member.program, m->totals.wire);
}

void ses_accounts_take_off(struct ses_player *p, struct ses_totals *t)
{
	struct ses_totals off;

	ses_marks_off(p, t, &off);
	ses_totals_subtract(t, &off);
}

void ses_accounts_function(struct ses_player *p, struct ses_totals *t)
{
	struct ses_places *places = p->accounts.places;

	if (!places || !ses_places_is_function(places))
		return;
	ses_places_take(places);
	ses_places_region(places, t);
}

int ses_accounts_end(struct ses_player *p, struct ses_part *part)
{
	struct ses_accounts *a = &p->accounts;
	struct ses_message *m = a->book ? calloc(1, sizeof(*m)) : NULL;
	int rc = 0;

	if (!a->book)
		return 0;
	if (!m)
		return -SPMU_ENOMEM;
	m->member = a->now;
	m->input_digest = a->digest;
	rc = end_threads(p, m, NULL);
	rc = rc ? rc : ses_marks_tell(p, m);
	ses_accounts_function(p, &part->totals);
	m->kind = SES_ENDED;
	m->totals = part->totals;
	end_places(p, m);
	rc = rc ? rc : ses_accounts_tell(a, m);
	free(m);
	return rc;
}

/* Keep the places of the first process, which counted *own. Returns 0 or -SPMU_ENOMEM. */
static int keep_own(struct ses_player *p, struct ses_family *family, const struct ses_totals *own)
{
	struct ses_accounts *a = &p->accounts;
	struct ses_message *m = calloc(1, sizeof(*m));
	int rc;

	if (!m)
		return -SPMU_ENOMEM;
	m->member = a->now;
	rc = end_threads(p, m, family);
	m->kind = SES_ENDED;
	m->totals = *own;
	end_places(p, m);
	if (!p->cfg->keeps_threads)
		ses_family_keep_places(family, m);
	free(m);
	return rc;
}

int ses_accounts_fill(struct ses_player *p, struct ses_family *family, const struct ses_totals *own,
		      struct ses_result *out)
{
	const struct ses_accounts *a = &p->accounts;
	int rc = a->places ? keep_own(p, family, own) : 0;

	if (!rc && p->cfg->keeps_threads)
		rc = ses_result_threads(p->cfg, &a->now, a->threads, family, p->wires[0], out);
	if (!rc)
		rc = ses_placed_fill(p->cfg, family, a->places, a->now.birth, out);
	if (!rc && a->places)
		out->n_function_calls = ses_places_n_calls(a->places);
	if (!rc && a->marks.regions)
		rc = ses_regions_end(a->marks.regions, p->cfg, p->wires[0], family, out);
	return rc;
}

int ses_accounts_hear(const struct ses_player *p, struct ses_family *family)
{
	const struct ses_account_book *book = p->accounts.book;

	if (!book)
		return 0;
	memset(&family->sum, 0, sizeof(family->sum));
	for (uint32_t i = 0; i < book->n && i < SES_MOST_ACCOUNTS; i++)
		ses_family_take(family, &book->message[i]);
	return book->n > SES_MOST_ACCOUNTS || family->refusal.code ? -SPMU_ENOMEM : 0;
}
