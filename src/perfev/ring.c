/* ring.c -- builds records and writes them into the rings. Rules: ring.h. */
#include "perfev/ring.h"

#include "perfev/read.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RECORD_BYTES 65528u /* a longest record: its size is a number of 16 bits */

#define STACK_ROOM 512u /* of a record, for what follows the stack */

/* A record in the making. */
struct record {
	_Alignas(8) uint8_t bytes[RECORD_BYTES];
	uint32_t used;
};

static void put_bytes(struct record *r, const void *p, uint32_t n)
{
	if (n && r->used + n <= RECORD_BYTES)
		memcpy(r->bytes + r->used, p, n);
	r->used += n;
}

static void put_u64(struct record *r, uint64_t n)
{
	put_bytes(r, &n, 8);
}

static void put_u32s(struct record *r, uint32_t a, uint32_t b)
{
	put_bytes(r, &a, 4);
	put_bytes(r, &b, 4);
}

/* A text, filled up to a multiple of 8. */
static void put_text(struct record *r, const char *text)
{
	const uint64_t zero = 0;
	const uint16_t n = (uint16_t)strnlen(text, 500);

	put_bytes(r, text, n);
	put_bytes(r, &zero, 8u - n % 8u);
}

static void begin_record(struct record *r, uint32_t kind, uint16_t misc)
{
	const struct perf_event_header h = {.type = kind, .misc = misc};

	r->used = 0;
	put_bytes(r, &h, sizeof(h));
}

/* Copy to place `at` of the ring's data, which goes round. */
static void copy(uint8_t *data, uint64_t size, uint64_t at, const uint8_t *from, uint64_t n)
{
	const uint64_t first = size - at % size < n ? size - at % size : n;

	memcpy(data + at % size, from, first);
	memcpy(data, from + first, n - first);
}

void pev_show_ring(struct pev_local *l, struct pev_event *e)
{
	struct perf_event_mmap_page *p = (void *)(l->rings + e->map_at);

	if (e->is_unshown && e->map_bytes > PEV_PAGE_BYTES)
		__atomic_store_n(&p->data_head, e->head, __ATOMIC_RELEASE);
	e->is_unshown = false;
}

void pev_show_rings(struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_owned; i++)
		pev_show_ring(l, &l->board->event[l->owned[i].event]);
}

bool pev_has_unshown(const struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_owned; i++)
		if (l->board->event[l->owned[i].event].is_unshown)
			return true;
	return false;
}

void pev_show_written(struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		pev_show_ring(l, &l->board->event[l->board->event[l->link[i].event].output]);
	l->unshown_since_ns = 0;
}

bool pev_is_shown(const struct pev_local *l)
{
	for (uint32_t i = 0; i < l->n_link; i++)
		if (l->board->event[l->board->event[l->link[i].event].output].is_unshown)
			return false;
	return true;
}

static bool has_room(const struct pev_event *e, const struct perf_event_mmap_page *p, uint64_t n)
{
	const uint64_t size = e->map_bytes - PEV_PAGE_BYTES;
	const uint64_t tail = __atomic_load_n(&p->data_tail, __ATOMIC_ACQUIRE);

	const uint64_t unread = e->attr.write_backward ? tail - e->head : e->head - tail;

	return !e->is_map_writable ? n <= size : unread + n <= size && unread <= size;
}

/* A ring that is written backwards begins with its latest record: its head goes down from 0. */
static void store(struct pev_local *l, struct pev_event *to, const struct record *r)
{
	uint8_t *data = l->rings + to->map_at + PEV_PAGE_BYTES;
	const uint64_t at = to->head - (to->attr.write_backward ? r->used : 0);

	copy(data, to->map_bytes - PEV_PAGE_BYTES, at, r->bytes, r->used);
	to->head = to->attr.write_backward ? at : at + r->used;
	if (to->owner != getpid() && !to->is_unshown) {
		__atomic_add_fetch(&l->board->wakes, 1, __ATOMIC_SEQ_CST);
		l->unshown_since_ns = ses_host_ns();
	}
	to->is_unshown = true;
	if (to->owner == getpid())
		pev_show_ring(l, to);
	to->unread_bytes += r->used;
	to->unread++;
}

static void put_id(struct record *r, const struct pev_event *e, const struct pev_stamp *at)
{
	const uint64_t type = e->attr.sample_type;

	if (!e->attr.sample_id_all)
		return;
	if (type & PERF_SAMPLE_TID)
		put_u32s(r, at->pid, at->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(r, at->ns);
	if (type & PERF_SAMPLE_ID)
		put_u64(r, e->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(r, e->id);
	if (type & PERF_SAMPLE_CPU)
		put_u32s(r, 0, 0);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(r, e->id);
}

static void finish(struct record *r)
{
	((struct perf_event_header *)(void *)r->bytes)->size = (uint16_t)r->used;
}

/* Write how many records were lost. The caller does so as soon as there is room again. */
static void tell_lost(struct pev_local *l, struct pev_event *e, struct pev_event *to,
		      const struct pev_stamp *at)
{
	struct record r;

	begin_record(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, e->id);
	put_u64(&r, to->untold_lost);
	put_id(&r, e, at);
	finish(&r);
	to->untold_lost = 0;
	store(l, to, &r);
}

static void end(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		struct record *r)
{
	struct pev_event *to = &l->board->event[e->output];
	const struct perf_event_mmap_page *p = (void *)(l->rings + to->map_at);

	if (!l->rings || to->map_bytes <= PEV_PAGE_BYTES)
		return;
	finish(r);
	if (r->used > RECORD_BYTES || to->is_ring_paused ||
	    !has_room(to, p, r->used + (to->untold_lost ? 64u : 0u))) {
		to->untold_lost++;
		e->lost++;
		return;
	}
	if (to->untold_lost)
		tell_lost(l, e, to, at);
	store(l, to, r);
}

/* ---- what a sample shows of the program ------------------------------------------------------ */

static void put_callers(struct record *r, const struct pev_event *e, uint64_t ip,
			const struct pev_state *state)
{
	const uint32_t most =
	    e->attr.sample_max_stack ? e->attr.sample_max_stack : PEV_MOST_CALLERS;
	uint32_t n = state ? state->is.n_callers : 0;

	if (e->attr.exclude_callchain_user) {
		put_u64(r, 0);
		return;
	}
	if (n > most - 1)
		n = most - 1;
	put_u64(r, 2 + n);
	put_u64(r, PERF_CONTEXT_USER);
	put_u64(r, ip);
	put_bytes(r, state ? state->is.caller : NULL, 8 * n);
}

/* Register `bit` of a kernel's list (asm/perf_regs.h). */
static uint64_t register_of(const struct req_perf_state *s, unsigned bit)
{
	static const uint8_t number[] = {0, 3, 1, 2, 6, 7, 5, 4}; /* ax bx cx dx si di bp sp */
	static const uint8_t segment[] = {1, 2, 3, 0, 4, 5};	  /* cs ss ds es fs gs */

	if (bit < 8)
		return s->reg[number[bit]];
	if (bit < 10)
		return bit == 8 ? s->ip : s->flags;
	return bit < 16 ? s->segment[segment[bit - 10]] : s->reg[bit - 8];
}

static void put_registers(struct record *r, uint64_t which, const struct pev_state *state)
{
	put_u64(r, !state	     ? PERF_SAMPLE_REGS_ABI_NONE
		   : state->is.is_32 ? PERF_SAMPLE_REGS_ABI_32
				     : PERF_SAMPLE_REGS_ABI_64);
	for (unsigned bit = 0; state && bit < 24; bit++)
		if (which >> bit & 1)
			put_u64(r, register_of(&state->is, bit));
}

/* So many bytes, as far as a record can hold them; what follows them says how many of them are
 * the stack's. */
static void put_stack(struct record *r, uint32_t bytes, const struct pev_state *state)
{
	static const uint8_t none[256];
	uint32_t valid;

	if (!state) {
		put_u64(r, 0);
		return;
	}
	if (bytes > RECORD_BYTES - r->used - STACK_ROOM)
		bytes = RECORD_BYTES - r->used - STACK_ROOM;
	bytes &= ~7u;
	valid = state->is.stack_bytes < bytes ? state->is.stack_bytes : bytes;
	put_u64(r, bytes);
	put_bytes(r, state->stack, valid);
	for (uint32_t i = valid; i < bytes; i += (uint32_t)sizeof(none))
		put_bytes(r, none, bytes - i < sizeof(none) ? bytes - i : (uint32_t)sizeof(none));
	if (bytes)
		put_u64(r, valid);
}

/* Puts what read(2) would return. A record always has room for it: pev_may_join() saw to that. */
static void put_values(struct record *r, const struct pev_board *b, uint32_t event)
{
	const int64_t n = pev_read(b, event, RECORD_BYTES - r->used, r->bytes + r->used);

	r->used += n > 0 ? (uint32_t)n : 0;
}

void pev_put_sample(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		    uint64_t ip, uint64_t period, const struct pev_state *state)
{
	const uint64_t type = e->attr.sample_type;
	struct record r;

	begin_record(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_IP)
		put_u64(&r, ip);
	if (type & PERF_SAMPLE_TID)
		put_u32s(&r, at->pid, at->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(&r, at->ns);
	if (type & PERF_SAMPLE_ADDR)
		put_u64(&r, l->last_addr);
	if (type & PERF_SAMPLE_ID)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_CPU)
		put_u32s(&r, 0, 0);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(&r, period);
	if (type & PERF_SAMPLE_READ)
		put_values(&r, l->board, (uint32_t)(e - l->board->event));
	if (type & PERF_SAMPLE_CALLCHAIN)
		put_callers(&r, e, ip, state);
	if (type & PERF_SAMPLE_RAW)
		put_u32s(&r, 4, 0);
	if (type & PERF_SAMPLE_REGS_USER)
		put_registers(&r, e->attr.sample_regs_user, state);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(&r, e->attr.sample_stack_user, state);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_DATA_SRC)
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_TRANSACTION)
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_registers(&r, e->attr.sample_regs_intr, state);
	/* addresses and sizes: not known */
	for (uint64_t bit = PERF_SAMPLE_PHYS_ADDR; bit < PERF_SAMPLE_MAX; bit <<= 1)
		if ((type & bit) && bit != PERF_SAMPLE_WEIGHT_STRUCT)
			put_u64(&r, 0);
	end(l, e, at, &r);
}

void pev_put_comm(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  const char *name, bool is_exec)
{
	char comm[16];
	struct record r;

	strncpy(comm, name, sizeof(comm) - 1);
	comm[sizeof(comm) - 1] = 0;
	begin_record(&r, PERF_RECORD_COMM,
		     is_exec && e->attr.comm_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32s(&r, at->pid, at->tid);
	put_text(&r, comm);
	put_id(&r, e, at);
	end(l, e, at, &r);
}

void pev_put_area(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  const struct trc_area *area, const char *path)
{
	const bool is_data = !(area->prot & PROT_EXEC);
	struct record r;

	if (is_data ? !e->attr.mmap_data : !e->attr.mmap)
		return;
	begin_record(
	    &r, e->attr.mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
	    (uint16_t)(PERF_RECORD_MISC_USER | (is_data ? PERF_RECORD_MISC_MMAP_DATA : 0)));
	put_u32s(&r, at->pid, at->tid);
	put_u64(&r, area->addr);
	put_u64(&r, area->bytes);
	put_u64(&r, area->off);
	if (e->attr.mmap2) {
		put_u32s(&r, area->major, area->minor);
		put_u64(&r, area->inode);
		put_u64(&r, area->generation);
		put_u32s(&r, area->prot, area->flags);
	}
	put_text(&r, path[0] ? path : "//anon");
	put_id(&r, e, at);
	end(l, e, at, &r);
}

void pev_put_task(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at,
		  uint32_t kind, const struct pev_task *who)
{
	struct record r;

	begin_record(&r, kind, 0);
	put_u32s(&r, who->pid, who->parent_pid);
	put_u32s(&r, who->tid, who->parent_tid);
	put_u64(&r, at->ns);
	put_id(&r, e, at);
	end(l, e, at, &r);
}
