/* sampling.c -- periods, overflows and what follows from them: samples and signals. Rules:
 * sampling.h. */
#include "perfev/sampling.h"

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "perfev/limits.h"
#include "perfev/ring.h"
#include "session/totals/counting.h"
#include "session/serve/reading.h"

#define GROWTH 8u /* of a period that follows a frequency */

/* ---- what is asked --------------------------------------------------------------------------- */

int pev_sampling_open(struct pev_event *e, uint32_t other, bool has_ring, uint32_t flags)
{
	if (e->what.kind != PEV_NOTHING && e->attr.sample_period)
		e->period = e->attr.freq ? 1 : e->attr.sample_period;
	if (!(flags & PERF_FLAG_FD_OUTPUT) || other == PEV_NONE)
		return 0;
	e->output = other;
	return has_ring ? 0 : -EINVAL;
}

int pev_sampling_refresh(struct pev_event *e, int64_t n)
{
	if (e->attr.inherit || !e->period)
		return -EINVAL;
	e->refresh += n;
	e->run = PEV_ON;
	return 0;
}

int pev_sampling_period(struct pev_event *e, uint64_t period)
{
	if (!e->period || !period || (e->attr.freq ? period > PEV_MOST_RATE : period >> 63))
		return -EINVAL;
	if (e->attr.freq)
		e->attr.sample_freq = period;
	else
		e->period = period;
	e->news++;
	return 0;
}

bool pev_has_same_clock(const struct pev_event *a, const struct pev_event *b)
{
	return a->attr.use_clockid == b->attr.use_clockid &&
	       (!a->attr.use_clockid || a->attr.clockid == b->attr.clockid);
}

int pev_sampling_output(struct pev_local *l, uint32_t index, uint64_t key)
{
	struct pev_event *e = &l->board->event[index], *to;
	uint32_t other;

	if (!key) {
		e->output = index;
		return 0;
	}
	other = pev_board_find(l->board, key);
	if (other == PEV_NONE || other == index)
		return -EINVAL;
	to = &l->board->event[other];
	if (!pev_has_same_clock(to, e) || to->attr.write_backward != e->attr.write_backward)
		return -EINVAL;
	if (to->cpu != e->cpu ||
	    (e->cpu == -1 && (to->task != e->task || to->thread != e->thread)) || e->map_bytes ||
	    !to->map_bytes)
		return -EINVAL;
	e->output = other;
	return 0;
}

int pev_sampling_pause(struct pev_local *l, uint32_t index, bool is_paused)
{
	struct pev_event *to = &l->board->event[l->board->event[index].output];

	if (to->map_bytes <= PEV_PAGE_BYTES)
		return -EINVAL;
	to->is_ring_paused = is_paused;
	return 0;
}

/* ---- overflow -------------------------------------------------------------------------------- */

uint64_t pev_clocks(const struct pev_local *l, const struct ses_server *s)
{
	return l->clock.event ? ses_read_event(s, &l->clock).value : 0;
}

#define SHOWS_PROGRAM                                                                              \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |                  \
	 PERF_SAMPLE_REGS_INTR)

bool pev_wants_state(const struct pev_local *l, const struct pev_event *e)
{
	return (l->skid_clk || (e->attr.sample_type & SHOWS_PROGRAM)) &&
	       l->board->event[e->output].map_bytes;
}

bool pev_stops(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = &l->board->event[link->event];

	return link->period &&
	       ((e->is_async && !link->is_inherited) || e->attr.sigtrap || pev_wants_state(l, e));
}

bool pev_shows_turns(const struct pev_local *l, const struct pev_link *link)
{
	const struct pev_event *e = &l->board->event[link->event];

	return l->has_turns && link->is_enabled && !link->is_inherited && !e->task &&
	       e->map_bytes && e->what.kind == PEV_HARDWARE;
}

bool pev_stops_for_faults(const struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_event *e = &l->board->event[l->link[i].event];

		if (e->is_live && e->what.kind == PEV_FAULTS && pev_stops(l, &l->link[i]))
			return true;
	}
	return false;
}

void pev_tell_guest(struct pev_local *l, const struct ses_server *s, bool asks)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);
	uint32_t stack = 0;
	/* the registers tell which page the next instruction touches */
	bool wants_state = pev_stops_for_faults(l), stops = false;

	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_event *e = &l->board->event[l->link[i].event];

		stops |= e->is_live && pev_shows_turns(l, &l->link[i]);
		if (!e->is_live || !l->link[i].period)
			continue;
		stops |= pev_stops(l, &l->link[i]);
		wants_state |= pev_wants_state(l, e);
		if ((e->attr.sample_type & PERF_SAMPLE_STACK_USER) &&
		    e->attr.sample_stack_user > stack)
			stack = e->attr.sample_stack_user;
	}
	c->wants_state = wants_state;
	c->wants_stack = stack;
	c->wants_heads = stops;
	if (asks && stops)
		c->wants_credit = 1;
}

void pev_tell_traps(struct pev_local *l, const struct ses_server *s)
{
	struct shr_ctl *c = ses_areas_ctl(s->areas);

	memcpy(c->trap, l->trap, l->n_traps * sizeof(l->trap[0]));
	c->n_traps = l->n_traps;
	l->n_traps = 0;
}

static struct pev_state *room_of_state(struct pev_state **of)
{
	if (!*of)
		*of = calloc(1, sizeof(**of));
	return *of;
}

void pev_take_state(struct pev_local *l, const struct req_box *b)
{
	struct pev_state *s = l->before_state;

	l->before_state = l->now_state;
	l->now_state = s;
	s = room_of_state(&l->now_state);
	if (!s)
		return;
	s->is_valid = b->arg[2] != 0;
	if (!s->is_valid)
		return;
	memcpy(&s->is, b->pages[0], sizeof(s->is));
	if (s->is.n_callers > REQ_MOST_CALLERS)
		s->is.n_callers = REQ_MOST_CALLERS;
	if (s->is.stack_bytes > REQ_STACK_BYTES)
		s->is.stack_bytes = REQ_STACK_BYTES;
	memcpy(s->stack, b->pages[1], s->is.stack_bytes);
}

struct pev_stamp pev_stamp_now(const struct pev_local *l, const struct ses_server *s)
{
	const uint32_t pid = ses_areas_ctl(s->areas)->guest_pid;
	/* a child that borrows the memory has one thread */
	const bool is_known = l->now < PEV_KNOWN_TIDS && l->tid[l->now] && !l->n_vfork;

	return (struct pev_stamp){pid, is_known ? l->tid[l->now] : pid, l->last_ns};
}

uint64_t pev_address_of(const struct pev_local *l, const struct ses_server *s, uint32_t block,
			uint64_t insn)
{
	const struct shr_tables *t = s->areas->map[SES_AREA_TABLES];
	const struct shr_block *b = &t->block[block];

	if (insn == PEV_LAST_INSN && b->pc != l->last_block_pc)
		return l->last_block_pc; /* its id means another one now */
	if (insn == PEV_LAST_INSN)
		insn = l->last_insn;
	for (uint32_t i = 0; i < b->n_recover && b->recover_off + i < SHR_MAX_RECOVER; i++)
		if (t->recover[b->recover_off + i].insn == insn)
			return b->pc + t->recover[b->recover_off + i].pc_off;
	return b->pc;
}

/* The next period of an event with a frequency. */
static uint64_t adapt(const struct pev_event *e, struct pev_link *link, uint64_t ns)
{
	const uint64_t passed = ns - link->sampled_ns ? ns - link->sampled_ns : 1,
		       freq = e->attr.sample_freq;
	unsigned __int128 period;

	if (!e->attr.freq || !freq)
		return e->period;
	period = (unsigned __int128)link->period * 1000000000u / passed / freq;
	if (period > (unsigned __int128)link->period * GROWTH)
		period = link->period * GROWTH;
	return period ? (uint64_t)period : 1;
}

/* The link's overflows and what is left were counted with the period `was`: count them anew with
 * its period now. */
static void recount(struct pev_link *link, uint64_t was)
{
	/* counted since the last sample */
	const uint64_t beyond = link->n_over * was + was - link->left;

	if (link->period == was)
		return;
	link->n_over = (int64_t)beyond < 0 ? 0 : beyond / link->period;
	link->left = link->period * (link->n_over + 1) - beyond;
}

/* Returns the program's state for a sample: that of the interrupt, or, if the guest stopped before
 * the instruction that overflowed, the state which that instruction found. */
static const struct pev_state *state_of(const struct pev_local *l, const struct pev_event *e)
{
	const struct pev_state *s = l->skid_clk || l->is_ahead || !l->is_step || !l->before_state ||
					    !l->before_state->is_valid
					? l->now_state
					: l->before_state;

	return pev_wants_state(l, e) && s && s->is_valid ? s : NULL;
}

/* Note a SIGTRAP for the thread that overflowed. If several come together the thread sees the first
 * one, as the kernel keeps one pending SIGTRAP per thread. */
static void add_trap(struct pev_local *l, const struct pev_link *link,
		     const struct perf_event_attr *a)
{
	for (uint32_t i = 0; i < l->n_traps; i++)
		if (l->trap[i].thread == link->thread)
			return;
	if (l->n_traps < SHR_MOST_TRAPS)
		l->trap[l->n_traps++] =
		    (struct shr_trap){link->thread, a->type, link->over_addr, a->sig_data};
}

/* Counts one overflow against the event's refresh limit. Returns false if that was the last: the
 * event is off then. */
static bool go_on(struct pev_event *e, struct pev_link *link)
{
	if (e->refresh <= 0 || --e->refresh)
		return true;
	e->run = PEV_OFF;
	e->is_hup = true;
	link->is_enabled = link->is_running = false;
	return false;
}

/* The link's count passed the period n_over times at one instruction: so many samples there.
 * With a frequency each sets the period of the next one, and what was counted beyond it is none
 * of its own. */
static void overflow(struct pev_local *l, struct ses_server *s, struct pev_link *link)
{
	struct pev_event *e = &l->board->event[link->event];
	const struct pev_stamp at = pev_stamp_now(l, s);
	const struct pev_state *state = state_of(l, e);
	bool goes_on = true;

	l->last_pc = link->over_pc ? link->over_pc : l->last_block_pc;
	l->last_addr = link->over_addr;
	if (l->skid_clk && state && !link->is_apart)
		l->last_pc = state->is.ip;
	else if (state == l->before_state && state && !link->is_apart)
		l->last_pc = state->is.ip;
	while (link->n_over && goes_on) {
		const uint64_t was = link->period;

		pev_put_sample(l, e, &at, l->last_pc, was, state);
		goes_on = go_on(e, link);
		link->n_over--;
		link->period = adapt(e, link, at.ns);
		link->sampled_ns = at.ns;
		recount(link, was);
	}
	e->has_overflown = true;
	if (e->attr.sigtrap)
		add_trap(l, link, &e->attr);
	link->n_over = link->due_clk = link->over_pc = link->over_addr = 0;
}

/* Returns true if the link's overflow takes effect now. An overflow that must find the guest
 * stopped waits until it stands; with --skid model it also waits for the clock of its interrupt.
 * block: the block that was fed last by itself, or PEV_NONE. */
static bool is_due(struct pev_local *l, const struct ses_server *s, struct pev_link *link,
		   uint32_t block, uint64_t insn)
{
	const struct pev_event *e = &l->board->event[link->event];

	if (!link->n_over || e->id != link->id)
		return false;
	if (block != PEV_NONE && !link->over_pc)
		link->over_pc = pev_address_of(l, s, block, insn);
	if (!pev_stops(l, link) || e->what.kind == PEV_SWITCHES)
		return true;
	if (e->attr.sigtrap && !l->is_asked)
		return false;
	if (link->is_apart)
		return l->is_stopped || !pev_wants_state(l, e);
	if (l->skid_clk && !link->due_clk)
		link->due_clk = pev_clocks(l, s) + l->skid_clk;
	return (l->is_stopped || !pev_wants_state(l, e)) &&
	       (!l->skid_clk || pev_clocks(l, s) >= link->due_clk);
}

void pev_overflows(struct pev_local *l, struct ses_server *s, uint32_t block, uint64_t insn)
{
	bool is_any = false;

	for (uint32_t i = 0; i < l->n_link; i++)
		is_any |= is_due(l, s, &l->link[i], block, insn);
	if (!is_any)
		return;
	pev_lock(l->board);
	for (uint32_t i = 0; i < l->n_link; i++)
		if (is_due(l, s, &l->link[i], block, insn))
			overflow(l, s, &l->link[i]);
	pev_schedule(l, s);
	pev_wake(l);
	pev_unlock(l->board);
}

/* ---- telling the program --------------------------------------------------------------------- */

static bool is_enough(struct pev_event *e)
{
	const uint64_t half = e->map_bytes > 4096 ? (e->map_bytes - 4096) / 2 : UINT64_MAX;

	if (e->is_async && e->has_overflown)
		return true;
	if (e->attr.watermark)
		return e->unread_bytes >=
		       (e->attr.wakeup_watermark ? e->attr.wakeup_watermark : half);
	return e->attr.wakeup_events ? e->unread >= e->attr.wakeup_events : e->unread_bytes >= half;
}

void pev_wake(struct pev_local *l)
{
	for (uint32_t i = 0; i < l->board->n_used; i++) {
		struct pev_event *e = &l->board->event[i];

		if (!e->is_live || !is_enough(e))
			continue;
		e->unread = 0;
		e->unread_bytes = 0;
		e->has_overflown = false;
		e->wants_wake = true;
		if (e->owner != getpid())
			__atomic_add_fetch(&l->board->wakes, 1, __ATOMIC_SEQ_CST);
	}
	for (uint32_t i = 0; i < l->n_owned; i++) {
		struct pev_event *e = &l->board->event[l->owned[i].event];
		int unread = 0;

		if (!e->wants_wake || l->owned[i].has_hung_up)
			continue;
		if (e->is_async)
			pev_show_ring(l, e);
		if (e->is_unshown) /* until then */
			continue;
		e->wants_wake = false;
		if (e->is_async || ioctl(l->owned[i].fd, SIOCOUTQ, &unread) || !unread)
			send(l->owned[i].fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

/* ---- what becomes of the guest --------------------------------------------------------------- */

void pev_tell_name(struct pev_local *l, struct ses_server *s, const char *name, bool is_exec)
{
	const struct pev_stamp at = pev_stamp_now(l, s);

	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].is_enabled && l->board->event[l->link[i].event].attr.comm)
			pev_put_comm(l, &l->board->event[l->link[i].event], &at, name, is_exec);
	pev_wake(l);
}

/* Number of a thread of the guest, as far as it is known. */
static uint32_t tid_of(const struct pev_local *l, uint32_t pid, uint32_t thread)
{
	return thread < PEV_KNOWN_TIDS && l->tid[thread] ? l->tid[thread] : pid;
}

/* To link i's event, if it wants to hear of tasks. */
static void tell_task(struct pev_local *l, uint32_t i, const struct pev_stamp *at, uint32_t kind,
		      const struct pev_task *who)
{
	struct pev_event *e = &l->board->event[l->link[i].event];

	if (e->run == PEV_ON && (e->attr.task || e->attr.comm || e->attr.mmap || e->attr.mmap_data))
		pev_put_task(l, e, at, kind, who);
}

void pev_tell_birth(struct pev_local *l, uint32_t pid, uint32_t parent_pid, uint32_t parent_tid)
{
	const struct pev_task who = {pid, pid, parent_pid, parent_tid};
	const struct pev_stamp at = {parent_pid, parent_tid, l->last_ns};

	for (uint32_t i = 0; i < l->n_link; i++)
		if (!l->n_vfork || l->board->event[l->link[i].event].attr.inherit)
			tell_task(l, i, &at, PERF_RECORD_FORK, &who);
	pev_wake(l);
}

void pev_tell_borrower_gone(struct pev_local *l, uint32_t pid, uint32_t parent_pid,
			    uint32_t parent_tid)
{
	const struct pev_task who = {pid, pid, parent_pid, parent_tid};
	const struct pev_stamp at = {pid, pid, l->last_ns};

	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->board->event[l->link[i].event].attr.inherit)
			tell_task(l, i, &at, PERF_RECORD_EXIT, &who);
	pev_wake(l);
}

void pev_tell_thread(struct pev_local *l, struct ses_server *s, uint32_t parent, uint32_t tid)
{
	const uint32_t pid = ses_areas_ctl(s->areas)->guest_pid;
	const struct pev_stamp at = pev_stamp_now(l, s);
	const struct pev_task who = {pid, tid, pid, tid_of(l, pid, parent)};

	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].thread == parent || l->link[i].thread == PEV_ANY_THREAD)
			tell_task(l, i, &at, PERF_RECORD_FORK, &who);
	pev_wake(l);
}

/* Of link i's thread, or of thread `thread` where it is all of them. */
static void tell_gone(struct pev_local *l, const struct ses_server *s, uint32_t i, uint32_t thread)
{
	const uint32_t pid = ses_areas_ctl(s->areas)->guest_pid;
	const struct pev_task who = {pid, tid_of(l, pid, thread),
				     l->parent_pid ? l->parent_pid : (uint32_t)getpid(),
				     l->parent_tid ? l->parent_tid : (uint32_t)getpid()};
	const struct pev_stamp at = {pid, who.tid, l->last_ns};

	tell_task(l, i, &at, PERF_RECORD_EXIT, &who);
}

void pev_tell_gone(struct pev_local *l, struct ses_server *s, uint32_t thread)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->link[i].thread == thread || l->link[i].thread == PEV_ANY_THREAD)
			tell_gone(l, s, i, thread);
	pev_wake(l);
}

void pev_tell_end(struct pev_local *l, struct ses_server *s)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		tell_gone(l, s, i,
			  l->link[i].thread == PEV_ANY_THREAD ? l->now : l->link[i].thread);
	pev_wake(l);
}
