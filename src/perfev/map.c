/* map.c -- gives mapped events their place in the rings' memory file, and writes the user pages.
 * Rules: map.h. */
#include "perfev/map.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "session/serve/birth.h"

#define RINGS_BYTES (1ull << 30) /* address space; memory is used as it is touched */
#define KILO	    1000ull
/* the counters' own width. Linux says 32 for a P6, but a reader that cuts the offset to that width
 * (PAPI) loses 2^31 steps */
#define PMC_WIDTH 40u
/* steps of a counter: up to so many a reader that assumes 32 bits, whatever the page says, is
 * right */
#define OLD (1ull << 30)
/* of records: in so many it takes fewer than OLD, unless most are REP over megabytes; chosen */
#define AGE_BYTES 0x100000u

/* A memory file of that size; -1 where there can be none. */
static int rings_file(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old;
	int fd = memfd_create("softpmu-rings", MFD_CLOEXEC);

	/* a limit of file sizes (ulimit -f) takes the rings away, and nothing else */
	sigaction(SIGXFSZ, &ignore, &old);
	if (fd >= 0 && ftruncate(fd, (off_t)RINGS_BYTES)) {
		close(fd);
		fd = -1;
	}
	sigaction(SIGXFSZ, &old, NULL);
	return fd;
}

void pev_map_open(struct pev_local *l)
{
	void *p;

	l->rings_fd = rings_file();
	if (l->rings_fd < 0)
		return;
	p = mmap(NULL, RINGS_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, l->rings_fd,
		 0);
	if (p != MAP_FAILED) {
		l->rings = p;
		return;
	}
	close(l->rings_fd);
	l->rings_fd = -1;
}

void pev_map_close(struct pev_local *l)
{
	if (l->rings)
		munmap(l->rings, RINGS_BYTES);
	if (l->rings_fd >= 0)
		close(l->rings_fd);
}

/* The lowest place of so many bytes that no event has. Returns RINGS_BYTES when there is none. */
static uint64_t find_room(const struct pev_board *b, uint64_t bytes)
{
	uint64_t at = 0;
	bool is_taken = true;

	while (is_taken && at + bytes <= RINGS_BYTES) {
		is_taken = false;
		for (uint32_t i = 0; i < b->n_used; i++) {
			const struct pev_event *e = &b->event[i];

			if (e->is_live && e->map_bytes && at < e->map_at + e->map_bytes &&
			    e->map_at < at + bytes) {
				at = e->map_at + e->map_bytes;
				is_taken = true;
			}
		}
	}
	return at + bytes <= RINGS_BYTES ? at : RINGS_BYTES;
}

static int give_memory(struct pev_local *l, struct pev_event *e, uint64_t bytes, bool is_writable)
{
	struct perf_event_mmap_page *page;
	uint64_t at = find_room(l->board, bytes);

	if (at == RINGS_BYTES)
		return -ENOMEM;
	e->map_at = at;
	e->map_bytes = bytes;
	e->is_map_writable = is_writable;
	e->unread = e->unread_bytes = e->untold_lost = 0;
	e->has_overflown = e->is_ring_paused = e->is_unshown = false;
	e->head = 0;
	memset(l->rings + at, 0, bytes < PEV_PAGE_BYTES ? bytes : PEV_PAGE_BYTES);
	page = (void *)(l->rings + at);
	page->size = offsetof(struct perf_event_mmap_page, size);
	page->data_offset = PEV_PAGE_BYTES;
	page->data_size = bytes - PEV_PAGE_BYTES;
	return 0;
}

static struct pev_held *find_held(struct pev_local *l, uint32_t event)
{
	for (uint32_t i = 0; i < l->n_held; i++)
		if (l->held[i].event == event)
			return &l->held[i];
	return NULL;
}

/* The guest maps so many bytes of an event. */
static int hold(struct pev_local *l, uint32_t event, uint64_t bytes)
{
	struct pev_held *h = find_held(l, event);

	if (!h && l->n_held == l->room_held) {
		const uint32_t room = l->room_held ? 2 * l->room_held : 16;
		struct pev_held *p = realloc(l->held, room * sizeof(*p));

		if (!p)
			return -ENOMEM;
		l->held = p;
		l->room_held = room;
	}
	if (!h) {
		h = &l->held[l->n_held++];
		*h = (struct pev_held){.event = event};
	}
	h->bytes += bytes;
	l->board->event[event].mapped_bytes += bytes;
	return 0;
}

/* The last mapping of the event is gone: events that wrote into its ring have no ring now, and the
 * event ends if it has no descriptor. */
static void take_memory(struct pev_local *l, uint32_t event)
{
	struct pev_event *e = &l->board->event[event];

	e->map_bytes = 0;
	for (uint32_t i = 0; i < l->board->n_used; i++)
		if (l->board->event[i].is_live && l->board->event[i].output == event)
			l->board->event[i].output = i;
	if (e->is_closed)
		pev_remove(l, event);
}

/* The guest maps so many bytes less. Under the lock. */
static void let_go_of(struct pev_local *l, uint32_t event, uint64_t bytes)
{
	struct pev_event *e = &l->board->event[event];
	struct pev_held *h = find_held(l, event);

	if (!h)
		return;
	if (bytes > h->bytes)
		bytes = h->bytes;
	h->bytes -= bytes;
	e->mapped_bytes -= bytes;
	if (!h->bytes)
		*h = l->held[--l->n_held];
	if (!e->mapped_bytes)
		take_memory(l, event);
}

int64_t pev_map(struct pev_local *l, struct ses_server *s, struct req_box *b)
{
	const uint64_t bytes = b->arg[2], data = bytes / PEV_PAGE_BYTES - 1;
	struct pev_event *e;
	uint32_t index;
	int64_t rc = 0;

	pev_settle_all(l, s);
	pev_lock(l->board);
	index = pev_board_find(l->board, b->arg[1]);
	e = index == PEV_NONE ? NULL : &l->board->event[index];
	if (!e)
		rc = -EBADF;
	else if (!bytes || bytes % PEV_PAGE_BYTES || (data & (data - 1)) ||
		 (e->cpu == -1 && e->attr.inherit) || (e->map_bytes && e->map_bytes != bytes))
		rc = -EINVAL;
	else if (!l->rings)
		rc = -ENOMEM;
	else if (!e->map_bytes)
		rc = give_memory(l, e, bytes, b->arg[3] & 1);
	if (!rc && hold(l, index, bytes)) {
		rc = -ENOMEM;
		if (!e->mapped_bytes)
			take_memory(l, index);
	}
	if (!rc) {
		pev_pages(l, s);
		b->result[1] = e->map_at;
		rc = ses_send_fds(s->sock, &l->rings_fd, 1) ? -ENOMEM : 0;
		if (rc)
			let_go_of(l, index, bytes);
	}
	pev_unlock(l->board);
	return rc;
}

int64_t pev_unmap(struct pev_local *l, struct ses_server *s, uint64_t at, uint64_t bytes)
{
	pev_settle_all(l, s);
	pev_lock(l->board);
	for (uint32_t i = 0; i < l->board->n_used; i++) {
		const struct pev_event *e = &l->board->event[i];
		const uint64_t from = e->map_at > at ? e->map_at : at, end = at + bytes;
		const uint64_t to = e->map_at + e->map_bytes < end ? e->map_at + e->map_bytes : end;

		if (e->is_live && e->map_bytes && from < to)
			let_go_of(l, i, to - from);
	}
	pev_schedule(l, s);
	pev_unlock(l->board);
	return 0;
}

void pev_unmap_all(struct pev_local *l)
{
	while (l->n_held)
		let_go_of(l, l->held[0].event, l->held[0].bytes);
}

/* ---- the user page --------------------------------------------------------------------------- */

/* From the time-stamp counter to nanoseconds, where both run evenly: ns = ticks * mult >> shift.
 * Returns false where they do not: the counter shows instructions, and time is that of clocks. */
static bool find_rate(const struct pev_local *l, const struct ses_server *s,
		      struct perf_event_mmap_page *p)
{
	const bool is_timed = pev_is_timed(l, s);
	const uint64_t over = s->clock.is_model ? s->clock.mhz : KILO;
	unsigned shift = 31;

	if (s->clock.is_model != is_timed || !over)
		return false;
	while (shift && ((KILO << shift) + over / 2) / over > UINT32_MAX)
		shift--;
	p->time_shift = (uint16_t)shift;
	p->time_mult = (uint32_t)(((KILO << shift) + over / 2) / over);
	return true;
}

static void write_times(const struct pev_local *l, struct ses_server *s,
			struct perf_event_mmap_page *p)
{
	const bool is_even = find_rate(l, s, p);
	const uint64_t now =
	    is_even ? (uint64_t)((unsigned __int128)ses_clock_fed(s).stamp * p->time_mult >>
				 p->time_shift)
		    : 0;

	p->cap_user_time = p->cap_user_time_zero = is_even;
	p->time_offset = 0 - now;
	p->time_zero = l->last_ns - now;
}

static void write_page(const struct pev_local *l, struct ses_server *s, struct pev_link *link,
		       bool is_own)
{
	const struct pev_event *e = &l->board->event[link->event];
	struct perf_event_mmap_page *p = (void *)(l->rings + e->map_at);
	const bool has_rdpmc =
	    e->what.kind == PEV_HARDWARE && ses_areas_ctl(s->areas)->start.rdpmc == SHR_RDPMC_OPEN;

	__atomic_store_n(&p->lock, p->lock + 1, __ATOMIC_SEQ_CST);
	p->index = is_own && link->is_running && link->counter >= 0 && has_rdpmc
		       ? (uint32_t)link->counter + 1
		       : 0;
	p->offset = (int64_t)e->count; /* the counter starts at 0 now */
	link->paged = e->count;
	p->time_enabled = e->enabled_ns;
	p->time_running = e->running_ns;
	p->cap_bit0_is_deprecated = 1;
	p->cap_user_rdpmc = has_rdpmc;
	p->pmc_width = PMC_WIDTH;
	write_times(l, s, p);
	__atomic_store_n(&p->lock, p->lock + 1, __ATOMIC_SEQ_CST);
}

void pev_pages(struct pev_local *l, struct ses_server *s)
{
	const struct evt_event *in[SHR_N_COUNTERS] = {NULL};

	l->fed_bytes = 0;
	for (uint32_t i = 0; i < l->n_link; i++) {
		struct pev_link *link = &l->link[i];
		const struct pev_event *e = &l->board->event[link->event];

		if (e->id != link->id || !e->is_live)
			continue;
		if (link->counter >= 0 && link->is_running)
			in[link->counter] = &e->what.event;
		if (e->map_bytes && l->rings && !link->is_inherited)
			write_page(l, s, link, e->task == 0);
	}
	/* one that no event of the program had yet is as -e left it */
	for (unsigned c = 0; c < SHR_N_COUNTERS; c++) {
		if (in[c] || l->has_programmed[c])
			ses_bank_program(s, c, in[c], 0, l->now_cpu);
		l->has_programmed[c] |= in[c] != NULL;
	}
}

/* Returns true if a counter that a program reads through a page has counted `n` since the page was
 * written. */
static bool has_aged(const struct pev_local *l, uint64_t n)
{
	for (uint32_t i = 0; i < l->n_link; i++) {
		const struct pev_link *link = &l->link[i];
		const struct pev_event *e = pev_event_of(l, link);

		if (pev_is_current(l, link) && link->is_running && link->counter >= 0 &&
		    e->map_bytes && e->count - link->paged >= n)
			return true;
	}
	return false;
}

void pev_pages_age(struct pev_local *l, struct ses_server *s, uint64_t bytes)
{
	l->fed_bytes += bytes;
	if (l->fed_bytes < AGE_BYTES || l->is_in_pieces)
		return;
	l->fed_bytes = 0;
	if (!has_aged(l, 0))
		return;
	pev_look_on(l, s);
	if (!has_aged(l, OLD))
		return;
	pev_lock(l->board);
	pev_pages(l, s);
	pev_unlock(l->board);
}
