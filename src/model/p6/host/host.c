/* host.c -- hot blocks become host code and run; see host.h. */
#include "model/p6/host/host_ledger.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/p6/units/btb.h"
#include "model/p6/units/btb_inline.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/walk.h"
#include "model/p6/host/host_page.h"
#include "trace/record.h"

#define MAX_CODE_BYTES 16384u /* one block, cold part included */
#define DATA_BYTES     ((uint32_t)(sizeof(struct p6_host_blk) + 63) & ~63u)
#define MAX_TARGETS    (1u << TRC_ID_BITS)
#define ROWS_AT	       (P6_HOST_BYTES + P6_HOST_PAGES * sizeof(struct p6_host_page))
#define MEMORY_BYTES   (ROWS_AT + P6_HOST_ROWS * sizeof(struct p6_host_row))

typedef void enter_fn(struct p6 *m, const uint8_t *p, const uint8_t *limit, uint64_t code);

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool qualifies(const struct p6 *m, const struct p6_blk *b)
{
	const uint64_t last = p6_blk_fall(b) - 1;

	if (b->flags || b->n_line > P6_HOST_MAX_LINES || b->n_ref > P6_HOST_MAX_REFS ||
	    last >= 0x7fffffffull || m->btb.rsb.size & (m->btb.rsb.size - 1u))
		return false;
	return true;
}

static struct p6_host_blk *new_data(struct p6_host *j)
{
	if (j->data_low < j->out.off + MAX_CODE_BYTES + DATA_BYTES) {
		j->is_full = true;
		return NULL;
	}
	j->data_low -= DATA_BYTES;
	return memset(j->memory + j->data_low, 0, sizeof(struct p6_host_blk));
}

/* Which pages the code of b lies on. Returns false when one has no place in the table of pages. */
static bool note_pages(struct p6 *m, struct p6_host_blk *jb, const struct p6_blk *b)
{
	for (unsigned k = 0; k < 2; k++) {
		const uint64_t vpn = (k ? p6_blk_fall(b) - 1 : b->pc) >> PAGE_LOG2;
		const struct page page = p6_page(m, vpn);

		if (page.id >= P6_HOST_PAGES)
			return false;
		if (m->system->tables && !tables_note_code(m->system->tables, vpn))
			return false;
		for (unsigned i = 0; i < 4; i++)
			jb->tag[k][i] = page.id;
		if (!m->host.page[page.id].key)
			m->host.page[page.id].key = &m->host.nowhere.tag;
	}
	return true;
}

static struct x86_asm assembler(struct p6 *m)
{
	return (struct x86_asm){&m->host.out, (const uint8_t *)m + P6_HOST_BASE, false};
}

/* The block once more, from the first line on that references come before: line by line in program
 * order. transfer: where its end is. */
static void write_in_order(struct p6_writer *w, uint32_t transfer)
{
	const struct p6_blk *b = w->b;
	const uint8_t *before = p6_blk_lines(b);
	unsigned k = 0;

	if (!w->has_order)
		return;
	x86_land(&w->a, &w->in_order);
	w->is_in_order = true;
	w->base_slot = P6_NO_SLOT;
	for (unsigned i = 0; i < b->n_line; i++) {
		if (!before[i])
			continue;
		for (; k < before[i]; k++)
			p6_write_reference(w, &p6_blk_refs(b)[k], k);
		if (p6_host_is_page_start(b, i))
			p6_write_page(w, i);
		p6_write_line(w, i);
	}
	for (; k < b->n_ref; k++)
		p6_write_reference(w, &p6_blk_refs(b)[k], k);
	x86_jmp_to(&w->a, transfer);
}

void p6_host_compile(struct p6 *m, uint32_t id)
{
	struct p6_host *j = &m->host;
	struct p6_blk *b = p6_blk_at(m, m->blocks.position[id]);
	struct p6_writer *w;
	uint32_t start = j->out.off, transfer;

	if (!j->memory || j->is_full || id >= MAX_TARGETS || j->target[id].code || !qualifies(m, b))
		return;
	w = calloc(1, sizeof(*w));
	if (!w)
		return;
	w->m = m;
	w->a = assembler(m);
	w->b = b;
	w->jb = new_data(j);
	if (!w->jb) {
		free(w);
		return;
	}
	w->jb->entry = &j->nowhere;
	w->jb->target = &j->no_target;
	w->jb->blk = m->blocks.position[id];
	w->jb->head = b->head;
	w->jb->id = id;
	w->jb->n_insn = b->n_insn;
	w->jb->first_in_page = (uint16_t)((b->pc & ((1u << PAGE_LOG2) - 1)) >> P6_FAST_LINE_LOG2);
	w->jb->is_cut = b->is_cut;
	w->jb->record_bytes = trc_block_bytes(b->head);
	w->base_slot = P6_NO_SLOT;
	if (!note_pages(m, w->jb, b)) {
		free(w);
		return;
	}
	w->jb->at[P6_HOST_ALL] = start;
	p6_write_page(w, 0);
	w->jb->at[P6_HOST_SAME_PAGE] = x86_here(&w->a);
	p6_write_line(w, 0);
	w->jb->at[P6_HOST_SAME_LINE] = x86_here(&w->a);
	for (unsigned i = 1; i < b->n_line; i++) {
		if (p6_host_is_page_start(b, i))
			p6_write_page(w, i);
		p6_write_line(w, i);
	}
	w->jb->at[P6_HOST_SAME_LINES] = x86_here(&w->a);
	for (unsigned k = 0; k < b->n_ref; k++)
		p6_write_reference(w, &p6_blk_refs(b)[k], k);
	transfer = x86_here(&w->a);
	p6_write_transfer(w);
	p6_write_transfer_cold(w);
	write_in_order(w, transfer);
	p6_write_cold(w);
	if (w->a.is_bad) {
		j->out.off = start;
	} else {
		b->has_code = true;
		j->target[id] = (struct p6_host_target){(uint64_t)(uintptr_t)(j->memory + start),
							b->pc, b->head, 0, w->jb};
		if (id >= j->n_target)
			j->n_target = id + 1;
		if (++j->n_block > P6_HOST_MAX_BLOCKS)
			j->is_full = true;
	}
	free(w);
}

/* ---- running --------------------------------------------------------------------------------- */

const uint8_t *p6_host_run(struct p6 *m, const uint8_t *p, const uint8_t *limit)
{
	struct p6_host *j = &m->host;
	const uint32_t head = reader_u32(p);
	enter_fn *enter = (enter_fn *)(uintptr_t)j->memory;
	struct p6_outcomes o;
	const struct p6_blk *last;

	memset(m->fast.itlb, 0xff, sizeof(m->fast.itlb));
	j->n_insn = m->n_insn - m->stop_insn;
	enter(m, p, limit, j->target[trc_block_id(head)].code);
	m->n_insn = m->stop_insn + j->n_insn;
	o.sums = j->sums;
	p6_btb_add(m, &o);
	if (p6_host_books(m)) {
		p6_host_ledger_pass(m);
		ledger_wait(m->ledger, j->last);
	}
	last = p6_blk_at(m, m->blocks.position[j->last]);
	m->pending = (struct p6_pending){p6_blk_fall(last) + (uint64_t)(int64_t)last->target_rel,
					 p6_blk_fall(last), last->term};
	m->pending_blk = m->blocks.position[j->last];
	return (const uint8_t *)(uintptr_t)j->at;
}

void p6_host_fold(struct p6 *m)
{
	for (uint32_t i = 0; i < m->host.n_target; i++) {
		struct p6_host_blk *b = m->host.target[i].blk;

		if (!b)
			continue;
		p6_blk_at(m, b->blk)->n_exec += b->n_exec;
		b->n_exec = 0;
		b->cut_exec = 0;
	}
	if (p6_host_books(m))
		p6_host_ledger_fold(m);
}

void p6_host_drop(struct p6 *m)
{
	p6_host_fold(m);
	for (uint32_t i = 0; i < m->host.n_target; i++)
		if (m->host.target[i].blk)
			p6_blk_at(m, m->host.target[i].blk->blk)->has_code = false;
	p6_host_close(m);
}

static void fill_tables(struct p6 *m)
{
	struct p6_host *j = &m->host;
	struct p6_fast_filters *q = &m->fast;
	const struct repl tree = {.ways = P6_FAST_WAYS};

	for (unsigned way = 0; way < P6_FAST_WAYS; way++) {
		uint64_t set = repl_touch(&tree, 0, way);

		q->set[1u << way] = (uint8_t)set;
		q->keep[1u << way] = (uint8_t)(repl_touch(&tree, 0xff, way) & ~set);
	}
	for (uint64_t word = 0; word < 16; word += 2) {
		unsigned way = repl_victim_four(word);

		j->victim[word] = 1u << way | 1u << (way + 16) | 0xffffull << 32;
		j->victim_at[word] = (uint8_t)(way * sizeof(uint32_t));
		j->victim_next[word] = (uint8_t)repl_touch_four(word, 1u << way);
	}
	j->taken_wrong = 1ull << P6_O_WRONG | 1ull << P6_O_WRONG_TAKEN;
	for (uint64_t c = 0; c < 4; c++) {
		uint64_t wrong_taken = c < 2, wrong_fall = c >= 2;

		q->taken_sums[c] = 1ull << P6_O_TAKEN | wrong_taken << P6_O_WRONG |
				   wrong_taken << P6_O_WRONG_TAKEN;
		q->fall_sums[c] = wrong_fall << P6_O_WRONG;
	}
}

int p6_host_open(struct p6 *m, uint32_t min_exec)
{
	struct p6_host *j = &m->host;
	struct p6_writer w = {.m = m, .a = assembler(m)};

	_Static_assert(offsetof(struct p6_host_blk, tag) == 16, "as emitted");
	_Static_assert(offsetof(struct p6, fast) == 0 &&
			   offsetof(struct p6_fast_filters, dcu) < P6_HOST_BASE + 120,
		       "within reach");
	_Static_assert(sizeof(struct cache_meta) == 16 && offsetof(struct cache_meta, order) == 0,
		       "sets as emitted");
	if (!m->is_fast_shape || m->dcu.cache.stride_bytes != 1u << P6_FAST_LINE_LOG2)
		return -SPMU_ENOTSUP;
	j->memory = mmap(NULL, MEMORY_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (j->memory == MAP_FAILED) {
		j->memory = NULL;
		return -SPMU_ENOTSUP;
	}
	j->target = blank_pages(MAX_TARGETS * sizeof(*j->target));
	if (!j->target) {
		p6_host_close(m);
		return -SPMU_ENOMEM;
	}
	j->target[0].head =
	    UINT32_MAX; /* the only block whose head can be 0, as those without host code have it */
	j->min_exec = min_exec ? min_exec : P6_HOST_MIN_EXEC;
	j->out.base = j->memory;
	j->data_low = P6_HOST_BYTES;
	j->page = (struct p6_host_page *)(void *)(j->memory + P6_HOST_BYTES);
	j->target[0].head = UINT32_MAX; /* no head, until there is code of block 0 */
	fill_tables(m);
	j->row = (struct p6_host_row *)(void *)(j->memory + ROWS_AT);
	p6_host_ledger_open(m);
	p6_host_helpers(m);
	p6_write_frame(&w);
	p6_write_enter_parts(&w);
	p6_write_memory_parts(&w);
	if (w.a.is_bad) {
		p6_host_close(m);
		return -SPMU_ENOTSUP;
	}
	return 0;
}

/* If there is host code, end it by `end`, and begin anew. */
static void open_anew(struct p6 *m, void (*end)(struct p6 *))
{
	const uint32_t min_exec = m->host.min_exec;

	if (!m->host.memory)
		return;
	end(m);
	memset(&m->host, 0, sizeof(m->host));
	p6_host_open(m, min_exec);
}

void p6_host_again(struct p6 *m)
{
	open_anew(m, p6_host_close);
}

void p6_host_renew(struct p6 *m)
{
	open_anew(m, p6_host_drop);
}

void p6_host_close(struct p6 *m)
{
	if (m->host.memory)
		munmap(m->host.memory, MEMORY_BYTES);
	blank_pages_free(m->host.target, MAX_TARGETS * sizeof(*m->host.target));
	m->host.memory = NULL;
	m->host.target = NULL;
	m->host.n_target = 0;
	m->host.n_row = 0;
	m->host.is_full = false;
}
