/* toy.c -- the smallest complete machine: four wires, no state.
 *
 * The template for a new family (docs/HOWTO_UNIT.md) and the test double for whoever reads wires.
 *
 * COUNTING RULES   every instruction of an executed block is one; a branch is an instruction that
 *                  transfers control; a read-modify-write is a read and a write.
 * MODELLED         instructions, branches, data reads and writes.
 * NOT MODELLED     everything else; a repeated string instruction counts its first element only.
 */
#include <stdlib.h>
#include "base/error.h"
#include "catalog/catalog.h"
#include "gen/wires_toy.h"
#include "model/family.h"
#include "model/parts/reader.h"
#include "trace/record.h"

struct toy {
	const struct x86_store *store;
	struct wires *wires;
	uint64_t total[WIRE_N];
	bool is_count_only;
};

/* The first n instructions of b were executed `times` times. */
static void count(struct toy *t, const struct x86_block *b, unsigned n, uint64_t times)
{
	t->total[WIRE_TOY_CORE_INST] += n * times;
	for (unsigned i = 0; i < n; i++)
		if (b->insn[i].flags & X86_I_BRANCH)
			t->total[WIRE_TOY_CORE_BRANCH] += times;
	for (unsigned k = 0; k < b->n_ref; k++) {
		if (b->ref[k].insn >= n)
			continue;
		if (b->ref[k].flags & X86_REF_READ)
			t->total[WIRE_TOY_MEM_LOAD] += times;
		if (b->ref[k].flags & X86_REF_WRITE)
			t->total[WIRE_TOY_MEM_STORE] += times;
	}
}

static int toy_open(const struct mdl_config *cfg, struct wires *w, void **self)
{
	struct toy *t = calloc(1, sizeof(*t));
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	if (!t)
		return -SPMU_ENOMEM;
	t->store = cfg->store;
	t->wires = w;
	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (wire[i].family == CAT_TOY)
			w->driven[i] = wire[i].need == CAT_NEED_COUNTS ||
				       (wire[i].need == CAT_NEED_STREAM && !cfg->is_count_only);
	*self = t;
	return 0;
}

static void toy_close(void *self)
{
	free(self);
}

/* One event record. Returns its size, or -SPMU_EPROTO. */
static int64_t feed_event(struct toy *t, const uint8_t *p, size_t n)
{
	const int64_t size = reader_event(p, p + n);
	uint32_t id, n_insn;

	if (size < 0)
		return size;
	if (reader_u32(p) - TRC_SPECIAL >= TRC_N_KINDS)
		return -SPMU_EPROTO;
	if (reader_u32(p) == TRC_SPECIAL + TRC_UNKNOWN_INSN)
		t->total[WIRE_TOY_CORE_INST]++;
	if (reader_u32(p) == TRC_SPECIAL + TRC_PARTIAL) {
		if (size < 8)
			return -SPMU_EPROTO;
		id = reader_u32(p + 8);
		n_insn = reader_u32(p + 12);
		if (id >= x86_store_count(t->store) || n_insn > x86_store_get(t->store, id)->n_insn)
			return -SPMU_EPROTO;
		count(t, x86_store_get(t->store, id), n_insn, 1);
	}
	return 8 + size;
}

static int toy_feed(void *self, const uint8_t *p, size_t n)
{
	struct toy *t = self;

	while (n) {
		const struct x86_block *b;
		int64_t size;

		if (n < 4)
			return -SPMU_EPROTO;
		if (reader_u32(p) >= TRC_SPECIAL) {
			size = feed_event(t, p, n);
			if (size < 0)
				return (int)size;
		} else {
			if (trc_block_id(reader_u32(p)) >= x86_store_count(t->store))
				return -SPMU_EPROTO;
			b = x86_store_get(t->store, trc_block_id(reader_u32(p)));
			size = trc_block_bytes(reader_u32(p));
			if ((size_t)size > n || size != 4 + 8 * b->n_slot)
				return -SPMU_EPROTO;
			count(t, b, b->n_insn, 1);
		}
		p += size;
		n -= (size_t)size;
	}
	return 0;
}

static int toy_add_counts(void *self, uint32_t id, uint64_t times, uint64_t taken)
{
	struct toy *t = self;

	if (id >= x86_store_count(t->store))
		return -SPMU_EPROTO;
	count(t, x86_store_get(t->store, id), x86_store_get(t->store, id)->n_insn, times);
	return 0;
}

static uint64_t toy_instructions(const void *self)
{
	return ((const struct toy *)self)->total[WIRE_TOY_CORE_INST];
}

static uint64_t toy_unseen(void *self, uint32_t id, unsigned wire)
{
	struct toy one = {.store = ((const struct toy *)self)->store};

	if (id >= x86_store_count(one.store))
		return 0;
	count(&one, x86_store_get(one.store, id), x86_store_get(one.store, id)->n_insn, 1);
	return one.total[wire];
}

static void toy_finish(void *self)
{
	struct toy *t = self;

	for (unsigned wire = 0; wire < WIRE_N; wire++)
		if (t->wires->driven[wire])
			t->wires->total[wire] = t->total[wire];
}

/* Executions are counted as they come. */
static void toy_executions(void *self, uint64_t *total)
{
	(void)self;
	(void)total;
}

static void toy_add_once(void *self, uint32_t id, uint64_t times, uint64_t *total)
{
	(void)self;
	(void)total;
}

static void toy_finish_with(void *self, const uint64_t *total)
{
	(void)total;
	toy_finish(self);
}

static void toy_begin(void *self)
{
	(void)self;
}

static void toy_forget_blocks(void *self)
{
	(void)self;
}

/* Processors share nothing here, so the stream's are not told apart. */
static void toy_cpu_totals(void *self, unsigned cpu, uint64_t *total)
{
	struct toy *t = self;

	for (unsigned wire = 0; wire < WIRE_N && cpu == 0; wire++)
		total[wire] += t->total[wire];
}

static const char *toy_cannot_occur(const void *self, unsigned wire)
{
	return NULL;
}

const struct mdl_family mdl_toy = {
    .open = toy_open,
    .close = toy_close,
    .feed = toy_feed,
    .add_counts = toy_add_counts,
    .begin = toy_begin,
    .instructions = toy_instructions,
    .unseen = toy_unseen,
    .finish = toy_finish,
    .executions = toy_executions,
    .add_once = toy_add_once,
    .finish_with = toy_finish_with,
    .forget_blocks = toy_forget_blocks,
    .cpu_totals = toy_cpu_totals,
    .cannot_occur = toy_cannot_occur,
};
