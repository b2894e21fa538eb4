/* perfev.c -- the service as its server sees it: where the guest's life takes a turn. */
#include "perfev/perfev.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "perfev/files.h"
#include "perfev/local.h"
#include "perfev/map.h"
#include "perfev/ring.h"
#include "perfev/sampling.h"
#include "event/events.h"

#define AWAIT_NS 100000u /* between two looks at the others */
/* until a ring is shown to a reader that makes no system call; chosen */
#define SHOW_NS 200000000u
/* in a system call, until what a guest executed before it is looked at */
#define REST_NS 2000000u

/* ---- feeding --------------------------------------------------------------------------------- */

/* A new process says so once it has a number; so does one that borrows its parent's memory. */
static void tell_birth(struct pev_local *l, uint32_t pid)
{
	struct pev_borrower *b = l->n_vfork ? &l->borrower[l->n_vfork - 1] : NULL;

	if (b ? !b->is_untold || pid == b->pid : !l->is_untold || !pid)
		return;
	pev_lock(l->board);
	if (b)
		pev_tell_birth(l, pid, b->pid, b->tid);
	else
		pev_tell_birth(l, pid, l->parent_pid, l->parent_tid);
	pev_unlock(l->board);
	*(b ? &b->is_untold : &l->is_untold) = false;
}

static int feed(void *ctx, struct ses_server *s, const uint8_t *bytes, size_t n)
{
	tell_birth(ctx, ses_areas_ctl(s->areas)->guest_pid);
	return pev_feed(ctx, s, bytes, n);
}

/* ---- the guest's life ------------------------------------------------------------------------ */

/* A guest that counts executions is to make records from its next instruction on, because there
 * are events on it. Returns false while it does not stand. */
static bool raise(struct pev_local *l, struct ses_server *s)
{
	if (s->tier != SHR_TIER_COUNT || (!l->n_link && !pev_has_new(l, s)))
		return true;
	if (s->cfg->rises)
		__atomic_store_n(&ses_areas_ctl(s->areas)->wants_records, 1, __ATOMIC_SEQ_CST);
	return ses_meet(s);
}

/* Returns true once the guest has a process number; then puts it on the board for all servers. */
static bool is_born(struct pev_local *l, const struct ses_server *s)
{
	const uint32_t pid = __atomic_load_n(&ses_areas_ctl(s->areas)->guest_pid, __ATOMIC_ACQUIRE);

	if (!l->is_unborn)
		return true;
	if (!pid)
		return false;
	pev_board_name(l->board, (pid_t)pid);
	l->is_unborn = false;
	__atomic_sub_fetch(&l->board->n_unborn, 1, __ATOMIC_SEQ_CST);
	return true;
}

/* A reader may wait for samples of a guest that itself waits in a system call, perhaps for that
 * reader. So the model is fed what the guest executed before the call once the call has lasted
 * REST_NS. */
static void look_at_rest(struct pev_local *l, struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	const uint64_t at = __atomic_load_n(&c->open_chunk, __ATOMIC_ACQUIRE);

	if (!__atomic_load_n(&c->is_out, __ATOMIC_ACQUIRE) || (at & SHR_NOTE_TAKEN) ||
	    at != l->rest_at) {
		l->rest_at = at;
		l->rest_since_ns = 0;
		return;
	}
	if (!l->rest_since_ns)
		l->rest_since_ns = ses_host_ns();
	if (ses_host_ns() - l->rest_since_ns < REST_NS)
		return;
	if (!ses_meet_peek(s))
		return; /* it has just gone on */
	pev_end_pieces(l, s);
	pev_look_on(l, s);
	pev_overflows(l, s, PEV_NONE, 0);
}

/* Other servers have put samples into rings that this guest reads: show them on the pages, and wake
 * the readers. */
static void wake_readers(struct pev_local *l, const struct ses_server *s)
{
	const uint32_t wakes = __atomic_load_n(&l->board->wakes, __ATOMIC_ACQUIRE),
		       *is_out = &ses_areas_ctl(s->areas)->is_out;

	if (wakes == l->seen_wakes &&
	    !(__atomic_load_n(is_out, __ATOMIC_ACQUIRE) && pev_has_unshown(l)))
		return;
	pev_lock(l->board);
	if (__atomic_load_n(is_out, __ATOMIC_ACQUIRE)) /* now: for the lock it may have waited */
		pev_show_rings(l);
	pev_wake(l);
	pev_unlock(l->board);
	l->seen_wakes = wakes;
}

/* Show what this server wrote also to readers that make no system call, and for readers that are
 * gone. */
static void show_late(struct pev_local *l)
{
	if (!l->unshown_since_ns || ses_host_ns() - l->unshown_since_ns < SHOW_NS)
		return;
	pev_lock(l->board);
	pev_show_written(l);
	pev_unlock(l->board);
}

/* The guest ends: a process that waits for this finds all records in its rings. */
static void wait_until_shown(struct pev_local *l)
{
	const struct timespec pause = {0, AWAIT_NS};

	for (unsigned i = 0; i < SHOW_NS / AWAIT_NS && !pev_is_shown(l); i++)
		nanosleep(&pause, NULL);
	pev_lock(l->board);
	pev_show_written(l);
	pev_unlock(l->board);
}

/* Counts as of where the guest is. In a block in pieces what the last instruction counts is not
 * known before the next one is, unless the guest waits: then the border lies in front of that
 * instruction. */
static void look_where_it_is(struct pev_local *l, struct ses_server *s)
{
	if (ses_meet_peek(s))
		pev_end_pieces(l, s);
	if (!l->is_in_pieces)
		pev_look_on(l, s);
}

void pev_look(struct pev_local *l, struct ses_server *s)
{
	const uint32_t news = __atomic_load_n(&l->board->news, __ATOMIC_ACQUIRE);

	if (l->is_closed || !is_born(l, s)) /* events on it would not be known as its own */
		return;
	if (l->n_sampled)
		look_at_rest(l, s);
	show_late(l);
	wake_readers(l, s);
	if (news == l->seen)
		return;
	pev_lock(l->board);
	if (!raise(l, s)) {
		pev_unlock(l->board);
		return;
	}
	pev_unlock(l->board);
	look_where_it_is(l, s);
	pev_lock(l->board);
	pev_adopt(l, s);
	if (!l->is_in_pieces)
		pev_look_on(l, s); /* where new links begin */
	pev_schedule(l, s);
	pev_hang_up(l);
	pev_wake(l);
	pev_tell_guest(l, s, true);
	pev_unlock(l->board);
	if (s->tier == SHR_TIER_COUNT)
		ses_meet_end(s);
	else if (ses_areas_ctl(s->areas)->wants_credit)
		ses_meet_kick(s);
	l->seen = news;
	pev_board_seen(l->board, news);
}

void pev_await(struct pev_local *l, struct ses_server *s, unsigned ms)
{
	const uint32_t n = __atomic_load_n(&l->board->news, __ATOMIC_SEQ_CST);
	const struct timespec pause = {0, AWAIT_NS};

	pev_look(l, s);
	for (unsigned i = 0; i < ms * (1000000u / AWAIT_NS) && !pev_board_have_seen(l->board, n);
	     i++) {
		nanosleep(&pause, NULL);
		pev_look(l, s);
	}
}

static void look_at_events(void *ctx, struct ses_server *s)
{
	pev_look(ctx, s);
}

/* Whose child the new process will be: the guest's, or, where that is a child which borrows its
 * parent's memory, or the process itself without others in its memory, what it is already. */
static void set_parent(struct pev_local *l, struct ses_server *s)
{
	const struct pev_stamp now = pev_stamp_now(l, s);
	const struct pev_borrower *b = l->n_vfork ? &l->borrower[l->n_vfork - 1] : NULL;

	l->own_pid = !b ? now.pid : b->pid != now.pid ? b->pid : l->parent_pid;
	l->own_tid = !b ? now.tid : b->pid != now.pid ? b->tid : l->parent_tid;
}

static void forks(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;

	pev_settle_all(l, s);
	if (l->touches && !l->n_vfork)
		ses_touches_fork(l->touches);
	tell_birth(l, ses_areas_ctl(s->areas)->guest_pid);
	set_parent(l, s);
	/* taken off in the new server */
	__atomic_add_fetch(&l->board->n_unborn, 1, __ATOMIC_SEQ_CST);
}

/* In a new server: of its parent's links those stay that a child inherits; descriptors' other
 * ends are the parent's. */
static void born(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;

	for (uint32_t i = 0; i < l->n_owned; i++)
		close(l->owned[i].fd);
	l->n_owned = 0;
	l->n_held = 0;		    /* a child inherits no mapping of an event */
	l->is_untold = !l->n_vfork; /* else its record was written when it borrowed the memory */
	l->n_vfork = 0;
	l->is_beginning = true;
	if (l->touches)
		ses_touches_born(l->touches);
	l->is_closed = false;
	l->is_unborn = true;
	l->parent_pid = l->own_pid;
	l->parent_tid = l->own_tid;
	l->own_pid = l->own_tid = 0;
	memset(l->tid, 0, sizeof(l->tid));
	pev_lock(l->board);
	for (uint32_t i = l->n_link; i-- > 0;) {
		struct pev_link *link = &l->link[i];
		struct pev_event *e = &l->board->event[link->event];
		const bool is_any = link->thread == PEV_ANY_THREAD;

		/* pev_detach() below takes one link off the event's number, and that link is the
		 * parent's. */
		if (e->is_live && e->id == link->id)
			e->n_links++;
		if (is_any ||
		    (link->thread == l->now && e->attr.inherit && !e->attr.inherit_thread)) {
			link->thread = is_any ? PEV_ANY_THREAD : 0;
			link->is_inherited = true;
			/* a period of its own, and what overflowed is the parent's */
			link->left = link->period;
			link->n_over = link->due_clk = link->over_pc = link->over_addr = 0;
		} else {
			pev_detach_one(l, i);
		}
	}
	l->now = 0;
	pev_schedule(l, s);
	pev_tell_guest(l, s, true);
	pev_unlock(l->board);
	pev_board_enter(l->board);
	l->seen = __atomic_load_n(&l->board->news, __ATOMIC_SEQ_CST) - 1; /* look once, at least */
}

static void vfork_turns(void *ctx, struct ses_server *s, bool begins, uint32_t child)
{
	struct pev_local *l = ctx;
	const struct pev_stamp now = pev_stamp_now(l, s);

	pev_settle(l, s);
	if (begins) {
		l->borrower[l->n_vfork++] = (struct pev_borrower){now.pid, now.tid, true};
	} else {
		const struct pev_borrower *b = &l->borrower[l->n_vfork - 1];

		if (child) {
			tell_birth(l, child);
			pev_lock(l->board);
			pev_tell_borrower_gone(l, child, b->pid, b->tid);
			pev_unlock(l->board);
		}
		l->n_vfork--;
	}
	pev_lock(l->board);
	pev_schedule(l, s);
	pev_unlock(l->board);
}

static void slept(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;

	if (!l->n_link)
		return;
	pev_settle(l, s);
	pev_lock(l->board);
	pev_pages(l, s);
	pev_unlock(l->board);
}

static void replaced(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;

	pev_settle(l, s);
	pev_lock(l->board);
	pev_unmap_all(l);
	pev_reap(l);
	pev_adopt(l, s);
	for (uint32_t i = l->n_link; i-- > 0;) {
		struct pev_link *link = &l->link[i];
		struct pev_event *e = &l->board->event[link->event];

		if (link->thread != PEV_ANY_THREAD && link->thread != l->now) {
			pev_end_link(l, i); /* other threads are gone */
			continue;
		}
		if (link->thread != PEV_ANY_THREAD)
			link->thread = 0;
		if (e->attr.remove_on_exec) {
			pev_end_link(l, i);
		} else if (e->attr.enable_on_exec) {
			e->attr.enable_on_exec = 0;
			if (e->run == PEV_OFF)
				e->run = PEV_ON;
		}
	}
	l->now = 0;
	pev_settle(l, s);
	pev_schedule(l, s);
	pev_tell_name(l, s, s->member.program, true);
	pev_tell_guest(l, s, true);
	pev_board_call(l->board);
	pev_unlock(l->board);
}

static void ended(void *ctx, struct ses_server *s)
{
	struct pev_local *l = ctx;

	if (l->is_closed)
		return;
	pev_settle_all(l, s);
	l->is_closed = true;
	if (l->is_unborn)
		__atomic_sub_fetch(&l->board->n_unborn, 1, __ATOMIC_SEQ_CST);
	pev_lock(l->board);
	pev_tell_end(l, s);
	pev_unlock(l->board);
	wait_until_shown(l);
	pev_lock(l->board);
	pev_unmap_all(l);
	for (uint32_t i = l->n_link; i-- > 0;)
		pev_end_link(l, i);
	pev_board_call(l->board);
	pev_unlock(l->board);
	pev_board_leave(l->board);
}

static bool is_busy(void *ctx)
{
	const struct pev_local *l = ctx;

	return __atomic_load_n(&l->board->n_live, __ATOMIC_RELAXED) != 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void find_clock(struct pev_local *l, const struct cat_cpu *cpu)
{
	uint8_t umask = 0;
	const struct cat_event *e = cat_find_generic(cpu, "cycles", &umask);

	if (e)
		l->clock = evt_event_of(e, umask);
	l->instructions = cat_find_generic(cpu, "instructions", &umask);
}

struct ses_service *pev_open(const struct cat_cpu *cpu, unsigned n_counters, struct spmu_error *err)
{
	struct pev_local *l = calloc(1, sizeof(*l));

	if (l)
		l->board = pev_board_open();
	if (!l || !l->board) {
		free(l);
		spmu_fail(err, SPMU_ENOMEM, "out of memory");
		return NULL;
	}
	l->service =
	    (struct ses_service){l,	      pev_ask, feed,	 look_at_events, forks,	 born,
				 vfork_turns, slept,   replaced, ended,		 is_busy};
	l->rings_fd = -1;
	pev_map_open(l);
	l->n_counters = n_counters;
	find_clock(l, cpu);
	pev_board_enter(l->board);
	l->is_unborn = true;
	l->board->n_unborn = 1;
	return &l->service;
}

void pev_set_skid(struct ses_service *service, unsigned clk)
{
	struct pev_local *l = service->ctx;

	l->skid_clk = clk;
}

void pev_close(struct ses_service *service)
{
	struct pev_local *l;

	if (!service)
		return;
	l = service->ctx;
	for (uint32_t i = 0; i < l->n_owned; i++)
		close(l->owned[i].fd);
	if (l->board->first == getpid())
		pev_files_remove(l->board);
	pev_map_close(l);
	pev_board_close(l->board);
	ses_touches_close(l->touches);
	free(l->now_state);
	free(l->before_state);
	free(l->link);
	free(l->owned);
	free(l->held);
	free(l);
}
