/* time_host.c -- hot blocks in time become host code and run; see time_host.h. */
#include "model/p6/host/time_host_write.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/blank_pages.h"
#include "model/p6/kept/memo.h"
#include "model/p6/kept/memo_steps.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/blocks/compile.h"
#include "trace/record.h"

#define MAX_CODE_BYTES 16384u /* of one block */
#define MAX_TARGETS    (1u << TRC_ID_BITS)

typedef void enter_fn(struct p6 *m, const uint8_t *p, struct p6_leap *steps, uint64_t code);

/* ---- opening --------------------------------------------------------------------------------- */

static void fill_tables(struct p6_time_host *h)
{
	const struct repl tree = {.ways = P6_FAST_WAYS};

	for (unsigned way = 0; way < P6_FAST_WAYS; way++) {
		const uint64_t set = repl_touch(&tree, 0, way);

		h->set[1u << way] = (uint8_t)set;
		h->keep[1u << way] = (uint8_t)(repl_touch(&tree, 0xff, way) & ~set);
	}
}

/* Returns false when there can be no host code, for good. */
static bool open_host(struct p6 *m)
{
	struct p6_time_host *h = &m->time.host;
	struct p6_time_host_writer w = {.code = {&h->out, m, false}, .m = m, .host = h};

	if (h->memory || h->is_off)
		return !h->is_off;
	h->is_off = true;
	h->memory = mmap(NULL, P6_TIME_HOST_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	madvise(h->memory, P6_TIME_HOST_BYTES, MADV_HUGEPAGE); /* if not, it is slower */
	h->target = blank_pages(MAX_TARGETS * sizeof(*h->target));
	if (h->memory == MAP_FAILED || !h->target) {
		p6_time_host_close(m);
		return false;
	}
	h->target[0].head = UINT32_MAX; /* no head, until there is code of block 0 */
	h->out = (struct x86_out){h->memory, 0, 0};
	h->cold = P6_TIME_HOST_COLD_AT;
	h->data_low = P6_TIME_HOST_BYTES;
	fill_tables(h);
	p6_time_host_helpers(h);
	p6_time_host_write_frame(&w);
	if (w.code.is_bad) {
		p6_time_host_close(m);
		return false;
	}
	h->is_off = false;
	return true;
}

void p6_time_host_close(struct p6 *m)
{
	const struct p6_time_host kept = {.is_off = m->time.host.is_off,
					  .min_exec = m->time.host.min_exec};

	if (m->time.host.memory && m->time.host.memory != MAP_FAILED)
		munmap(m->time.host.memory, P6_TIME_HOST_BYTES);
	blank_pages_free(m->time.host.target, MAX_TARGETS * sizeof(*m->time.host.target));
	m->time.host = kept;
}

void p6_time_host_fold(struct p6 *m)
{
	struct p6_time_host *h = &m->time.host;

	for (uint32_t i = 0; i < h->n_target; i++) {
		struct p6_time_host_blk *b = h->target[i].blk;

		if (!b)
			continue;
		p6_blk_at(m, b->blk)->n_exec += b->n_exec;
		b->n_exec = 0;
	}
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Can b be written out, or is it only called? */
static bool is_written(const struct p6 *m, const struct p6_blk *b)
{
	return !(b->flags & (P6_B_WC | P6_B_ZERO)) && b->n_line <= P6_TIME_HOST_MAX_LINES &&
	       b->n_ref <= P6_TIME_HOST_MAX_REFS && p6_blk_fall(b) <= 0x7fffffff &&
	       b->pc >> PAGE_LOG2 == (p6_blk_fall(b) - 1) >> PAGE_LOG2 &&
	       !(m->btb.rsb.size & (m->btb.rsb.size - 1u));
}

static struct p6_time_host_blk *new_data(struct p6_time_host *h)
{
	if (h->n_block == P6_TIME_HOST_MAX_BLOCKS ||
	    h->out.off + MAX_CODE_BYTES > P6_TIME_HOST_COLD_AT ||
	    h->data_low < h->cold + MAX_CODE_BYTES + sizeof(struct p6_time_host_blk)) {
		h->is_full = true;
		return NULL;
	}
	h->data_low -= (uint32_t)((sizeof(struct p6_time_host_blk) + 15) & ~15ul);
	return memset(h->memory + h->data_low, 0, sizeof(struct p6_time_host_blk));
}

/* Its code, from the arrival on. */
static void write(struct p6_time_host_writer *w)
{
	struct x86_out *o = w->code.out;
	uint32_t done, hot;

	p6_time_host_write_arrival(w);
	w->hb->body = o->off;
	if (!is_written(w->m, w->b)) {
		p6_time_host_write_shared(w, w->host->block);
		return;
	}
	p6_time_host_write_lines(w);
	p6_time_host_write_references(w);
	done = o->off;
	p6_time_host_write_end(w);
	hot = o->off;
	o->off = w->host->cold;
	p6_time_host_write_cold(w, done);
	p6_time_host_write_lost(w);
	w->host->cold = o->off;
	o->off = hot;
}

void p6_time_host_compile(struct p6 *m, struct p6_blk *b)
{
	struct p6_time_host *h = &m->time.host;
	const uint32_t id = trc_block_id(b->head);
	struct p6_time_host_writer *w;
	uint32_t start;

	if ((b->flags & (P6_B_KEPT | P6_B_FAST | P6_B_TIMED | P6_B_ASSIST)) !=
		(P6_B_KEPT | P6_B_FAST | P6_B_TIMED) ||
	    b->has_code || h->is_full || !open_host(m))
		return;
	w = calloc(1, sizeof(*w));
	if (!w)
		return;
	*w = (struct p6_time_host_writer){
	    .code = {&h->out, m, false}, .m = m, .host = h, .b = b, .hb = new_data(h)};
	if (!w->hb) {
		free(w);
		return;
	}
	*w->hb = (struct p6_time_host_blk){.entry = &h->nowhere,
					   .target = &h->no_target,
					   .blk = m->blocks.position[id],
					   .id = id,
					   .head = b->head,
					   .record_bytes = trc_block_bytes(b->head)};
	start = h->out.off;
	write(w);
	if (w->code.is_bad) {
		h->out.off = start;
	} else {
		b->has_code = true;
		h->target[id] =
		    (struct p6_time_host_target){(uint64_t)(uintptr_t)(h->memory + start),
						 b->pc & P6_LIN_MASK, b->head, 0, w->hb};
		if (id >= h->n_target)
			h->n_target = id + 1;
		h->n_block++;
	}
	free(w);
}

/* ---- running --------------------------------------------------------------------------------- */

const uint8_t *p6_time_host_run(struct p6 *m, const uint8_t *p, const uint8_t *limit,
				bool *accessed)
{
	struct p6_time_host *h = &m->time.host;
	const struct p6_time_host_blk *first =
	    p6_time_host_find(h, *(const uint32_t *)(const void *)p);
	enter_fn *enter = (enter_fn *)(uintptr_t)h->memory;

	h->limit = (uint64_t)(uintptr_t)limit;
	h->is_accessed = false;
	p6_access_begin(&m->time);
	m->time.code_line = P6_NO_KEY; /* lines are noted as used without it */
	enter(m, p, p6_memo_steps(m)->leap, (uint64_t)(uintptr_t)(h->memory + first->body));
	p6_memo_take_back(m, p6_blk_at(m, h->held->blk)->pc);
	*accessed = h->is_accessed;
	return (const uint8_t *)(uintptr_t)h->at;
}
