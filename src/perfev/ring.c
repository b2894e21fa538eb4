#include "perfev/ring.h"

#include "perfev/read.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE_BYTES   4096u
#define RECORD_BYTES 1024u /* a longest record */

/* A record in the making. */
struct record {
	uint8_t bytes[RECORD_BYTES];
	uint16_t used;
};

static void put(struct record *r, const void *p, uint16_t n)
{
	if (r->used + n <= RECORD_BYTES)
		memcpy(r->bytes + r->used, p, n);
	r->used += n;
}

static void put_u64(struct record *r, uint64_t n)
{
	put(r, &n, 8);
}

static void put_u32s(struct record *r, uint32_t a, uint32_t b)
{
	put(r, &a, 4);
	put(r, &b, 4);
}

/* A text, filled up to a multiple of 8. */
static void put_text(struct record *r, const char *text)
{
	const uint64_t zero = 0;
	const uint16_t n = (uint16_t)strnlen(text, 500);

	put(r, text, n);
	put(r, &zero, (uint16_t)(8 - n % 8));
}

static void begin(struct record *r, uint32_t kind, uint16_t misc)
{
	const struct perf_event_header h = { .type = kind, .misc = misc };

	r->used = 0;
	put(r, &h, sizeof(h));
}

/* Copy to place `at` of the ring's data, which goes round. */
static void copy(uint8_t *data, uint64_t size, uint64_t at, const uint8_t *from, uint64_t n)
{
	const uint64_t first = size - at % size < n ? size - at % size : n;

	memcpy(data + at % size, from, first);
	memcpy(data, from + first, n - first);
}

static bool has_room(const struct pev_event *e, const struct perf_event_mmap_page *p, uint64_t n)
{
	const uint64_t size = e->map_bytes - PAGE_BYTES;
	const uint64_t tail = __atomic_load_n(&p->data_tail, __ATOMIC_ACQUIRE);

	return !e->is_map_writable ? n <= size : p->data_head - tail + n <= size && p->data_head - tail <= size;
}

static void store(struct pev_local *l, struct pev_event *to, const struct record *r)
{
	struct perf_event_mmap_page *p = (void *)(l->rings + to->map_at);
	uint8_t *data = l->rings + to->map_at + PAGE_BYTES;

	copy(data, to->map_bytes - PAGE_BYTES, p->data_head, r->bytes, r->used);
	__atomic_store_n(&p->data_head, p->data_head + r->used, __ATOMIC_RELEASE);
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
	((struct perf_event_header *)(void *)r->bytes)->size = r->used;
}

/* What was lost is said as soon as there is room again. */
static void tell_lost(struct pev_local *l, struct pev_event *e, struct pev_event *to, const struct pev_stamp *at)
{
	struct record r;

	begin(&r, PERF_RECORD_LOST, 0);
	put_u64(&r, e->id);
	put_u64(&r, to->untold_lost);
	put_id(&r, e, at);
	finish(&r);
	to->untold_lost = 0;
	store(l, to, &r);
}

static void end(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, struct record *r)
{
	struct pev_event *to = &l->board->event[e->output];
	const struct perf_event_mmap_page *p = (void *)(l->rings + to->map_at);

	if (!l->rings || to->map_bytes <= PAGE_BYTES)
		return;
	finish(r);
	if (r->used > RECORD_BYTES || !has_room(to, p, r->used + (to->untold_lost ? 64u : 0u))) {
		to->untold_lost++;
		e->lost++;
		return;
	}
	if (to->untold_lost)
		tell_lost(l, e, to, at);
	store(l, to, r);
}

void pev_put_sample(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, uint64_t ip, uint64_t period)
{
	const uint64_t type = e->attr.sample_type;
	struct record r;

	begin(&r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (type & PERF_SAMPLE_IDENTIFIER)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_IP)
		put_u64(&r, ip);
	if (type & PERF_SAMPLE_TID)
		put_u32s(&r, at->pid, at->tid);
	if (type & PERF_SAMPLE_TIME)
		put_u64(&r, at->ns);
	if (type & PERF_SAMPLE_ADDR)
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_ID)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		put_u64(&r, e->id);
	if (type & PERF_SAMPLE_CPU)
		put_u32s(&r, 0, 0);
	if (type & PERF_SAMPLE_PERIOD)
		put_u64(&r, period);
	if (type & PERF_SAMPLE_READ) {
		uint64_t v[64];
		const int64_t n = pev_read(l->board, (uint32_t)(e - l->board->event), sizeof(v), v);

		put(&r, v, n > 0 ? (uint16_t)n : 0);
	}
	if (type & PERF_SAMPLE_CALLCHAIN) {
		put_u64(&r, 2);
		put_u64(&r, PERF_CONTEXT_USER);
		put_u64(&r, ip);
	}
	if (type & PERF_SAMPLE_RAW)
		put_u32s(&r, 4, 0);
	if (type & PERF_SAMPLE_REGS_USER)
		put_u64(&r, PERF_SAMPLE_REGS_ABI_NONE);
	if (type & PERF_SAMPLE_STACK_USER)
		put_u64(&r, 0);
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_DATA_SRC)
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_TRANSACTION)
		put_u64(&r, 0);
	if (type & PERF_SAMPLE_REGS_INTR)
		put_u64(&r, PERF_SAMPLE_REGS_ABI_NONE);
	for (uint64_t bit = PERF_SAMPLE_PHYS_ADDR; bit < PERF_SAMPLE_MAX; bit <<= 1) /* addresses and sizes: not known */
		if ((type & bit) && bit != PERF_SAMPLE_WEIGHT_STRUCT)
			put_u64(&r, 0);
	end(l, e, at, &r);
}

void pev_put_comm(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, const char *name, bool is_exec)
{
	char comm[16];
	struct record r;

	strncpy(comm, name, sizeof(comm) - 1);
	comm[sizeof(comm) - 1] = 0;
	begin(&r, PERF_RECORD_COMM, is_exec && e->attr.comm_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
	put_u32s(&r, at->pid, at->tid);
	put_text(&r, comm);
	put_id(&r, e, at);
	end(l, e, at, &r);
}

void pev_put_mapping(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, const struct pev_mapping *m)
{
	const bool is_data = !(m->prot & PROT_EXEC);
	struct record r;

	if (is_data ? !e->attr.mmap_data : !e->attr.mmap)
		return;
	begin(&r, e->attr.mmap2 ? PERF_RECORD_MMAP2 : PERF_RECORD_MMAP,
	      (uint16_t)(PERF_RECORD_MISC_USER | (is_data ? PERF_RECORD_MISC_MMAP_DATA : 0)));
	put_u32s(&r, at->pid, at->tid);
	put_u64(&r, m->lo);
	put_u64(&r, m->bytes);
	put_u64(&r, m->off);
	if (e->attr.mmap2) {
		put_u32s(&r, 0, 0); /* device */
		put_u64(&r, 0);
		put_u64(&r, 0);
		put_u32s(&r, m->prot, m->flags);
	}
	put_text(&r, m->path[0] ? m->path : "//anon");
	put_id(&r, e, at);
	end(l, e, at, &r);
}

void pev_put_task(struct pev_local *l, struct pev_event *e, const struct pev_stamp *at, uint32_t kind, uint32_t parent)
{
	struct record r;

	begin(&r, kind, 0);
	put_u32s(&r, at->pid, parent);
	put_u32s(&r, at->tid, parent);
	put_u64(&r, at->ns);
	put_id(&r, e, at);
	end(l, e, at, &r);
}
