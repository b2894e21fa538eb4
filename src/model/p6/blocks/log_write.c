/* log_write.c -- what accesses did to the structures, put into words. Rules and limits are in
 * log.h. */
#include "model/p6/log.h"

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/p6/blocks/access_code.h"
#include "model/p6/blocks/plain.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/line.h"

/* touched as it is used; a chunk of records of which every access misses takes less */
#define ROOM_BYTES   (64ul << 20)
#define EFFECT_WORDS ((sizeof(struct p6_effect) + 7) / 8)

unsigned p6_log_words(uint64_t word)
{
	static const uint8_t words[P6_LOG_N_KINDS] = {
	    [P6_LOG_REF] = 1,
	    [P6_LOG_REF_AND_MORE] = 1,
	    [P6_LOG_EFFECT] = 1 + EFFECT_WORDS,
	    [P6_LOG_FETCH] = 1,
	    [P6_LOG_FETCH_EFFECT] = 1 + EFFECT_WORDS,
	    [P6_LOG_REP] = 3 + EFFECT_WORDS,
	    [P6_LOG_LINE] = 2,
	    [P6_LOG_PAGE] = 3,
	    [P6_LOG_DROP] = 1,
	    [P6_LOG_END] = 1,
	};

	return words[p6_log_kind(word)];
}

void p6_log_copy(uint64_t *to, const uint64_t *word, size_t n, uint32_t further)
{
	uint64_t first = P6_LOG_NO_MORE; /* of the record, as it was */
	size_t first_at = 0;

	for (size_t i = 0; i < n;) {
		const uint64_t w = word[i];

		to[i] = (w & ~(uint64_t)UINT32_MAX) | (uint32_t)(p6_log_record(w) + further);
		if (p6_log_record(w) != p6_log_record(first)) {
			first = w;
			first_at = i;
		}
		if (__builtin_expect(p6_log_kind(w) == P6_LOG_REF,
				     1)) { /* no look at how long it is */
			i++;
			continue;
		}
		if (p6_log_kind(first) == P6_LOG_REF)
			to[first_at] |= (uint64_t)P6_LOG_REF_AND_MORE << P6_LOG_KIND_AT;
		for (const size_t end = i + p6_log_words(w); ++i < end;)
			to[i] = word[i];
	}
}

int p6_log_write_open(struct p6 *m)
{
	struct p6_log_writer *t = &m->log;

	t->words = blank_pages(ROOM_BYTES);
	t->effect = calloc(1, sizeof(*t->effect));
	if (!t->words || !t->effect)
		return -SPMU_ENOMEM;
	t->at = t->words;
	t->limit = t->words + ROOM_BYTES / sizeof(*t->words) - 1;
	t->is_on = true;
	return 0;
}

void p6_log_write_close(struct p6 *m)
{
	blank_pages_free(m->log.words, ROOM_BYTES);
	free(m->log.effect);
	m->log = (struct p6_log_writer){.is_on = false};
}

const uint64_t *p6_log_write_take(struct p6 *m, size_t *n)
{
	struct p6_log_writer *t = &m->log;

	if (t->at >= t->limit)
		return NULL;
	*n = (size_t)(t->at - t->words);
	t->at = t->words;
	return t->words;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void put_effect(struct p6_log_writer *t, const struct p6_effect *x)
{
	uint64_t words[EFFECT_WORDS] = {0};

	memcpy(words, x, sizeof(*x));
	for (unsigned i = 0; i < EFFECT_WORDS; i++)
		p6_log_put(t, words[i]);
}

/* ---- what changed ---------------------------------------------------------------------------- */

static uint64_t sum(const uint64_t *n, unsigned to)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < to; i++)
		all += n[i];
	return all;
}

struct p6_log_counts p6_log_write_before(const struct p6 *m, bool is_code)
{
	const uint64_t *n = m->dyn, *read = m->l2.absent[P6_ABSENT_READ],
		       *store = m->l2.absent[P6_ABSENT_STORE];
	const uint64_t reads = read[0] + read[1], stores = store[0] + store[1];
	struct p6_log_counts c = {
	    .l2 = n[WIRE_P6_BUS_BRD] + n[WIRE_P6_BUS_RFO] + n[WIRE_P6_BUS_IFETCH] + reads + stores,
	    .walk_l2 = n[WIRE_P6_WALK_BRD],
	    .cast_outs = n[WIRE_P6_DCU_M_LINE_OUT] + m->dcu.n_cast_out,
	    .write_backs = n[WIRE_P6_BUS_WB] + read[1] + store[1],
	    .upgrades = n[WIRE_P6_BUS_INVAL],
	    .brd = n[WIRE_P6_BUS_BRD] + reads,
	    .smc = n[WIRE_P6_IFU_SMC],
	    .parts = n[WIRE_P6_BUS_PWR],
	};

	if (is_code) {
		c.lines = n[WIRE_P6_IFU_MISS] + sum(m->l2.served[P6_SERVED_FETCH], P6_N_FOUND);
		c.walks = n[WIRE_P6_WALK_ITLB] + m->walker.n_served[P6_WALKED_CODE];
	} else {
		c.lines = n[WIRE_P6_DCU_LINE_IN] + sum(m->l2.served[P6_SERVED_READ], P6_N_FOUND) +
			  sum(m->l2.served[P6_SERVED_STORE], P6_N_FOUND) + reads + stores;
		c.walks = n[WIRE_P6_WALK_DTLB] + m->walker.n_served[P6_WALKED_DATA];
	}
	return c;
}

/* What happened since: *x. Returns false when it was nothing but hits. */
static bool what_happened(const struct p6 *m, const struct p6_log_counts *was, bool is_code,
			  struct p6_effect *x)
{
	const struct p6_log_counts now = p6_log_write_before(m, is_code);
	const uint64_t walk_l2 = now.walk_l2 - was->walk_l2;

	*x = (struct p6_effect){.lines = 0};
	if (now.lines == was->lines && now.walks == was->walks && now.upgrades == was->upgrades &&
	    now.smc == was->smc)
		return false;
	x->lines = (uint32_t)(now.lines - was->lines);
	x->l2_misses = (uint32_t)(now.l2 - was->l2 - walk_l2);
	x->walks = (uint32_t)(now.walks - was->walks);
	x->walk_misses = (uint32_t)walk_l2;
	x->cast_outs = (uint32_t)(now.cast_outs - was->cast_outs);
	x->write_backs = (uint32_t)(now.write_backs - was->write_backs);
	x->upgrades = (uint32_t)(now.upgrades - was->upgrades);
	x->is_smc = now.smc != was->smc;
	x->is_brd = now.brd - was->brd > walk_l2;
	return true;
}

/* And *more after it. */
static void add(struct p6_effect *x, const struct p6_effect *more)
{
	x->lines += more->lines;
	x->l2_misses += more->l2_misses;
	x->walks += more->walks;
	x->walk_misses += more->walk_misses;
	x->cast_outs += more->cast_outs;
	x->write_backs += more->write_backs;
	x->upgrades += more->upgrades;
	x->is_smc |= more->is_smc;
	x->is_brd |= more->is_brd;
}

/* ---- references ------------------------------------------------------------------------------ */

void p6_log_write_behind(struct p6 *m, const struct p6_log_counts *was)
{
	struct p6_log_writer *t = &m->log;
	struct p6_effect x;

	if (!what_happened(m, was, false, &x))
		return;
	if (!(t->code & P6_LOG_MORE))
		*t->effect = (struct p6_effect){.lines = 0};
	t->code |= P6_LOG_MORE;
	add(t->effect, &x);
}

static void put_reference(struct p6_log_writer *t, unsigned k, const struct p6_effect *x)
{
	uint16_t code;

	if (p6_effect_code(x, 0, &code)) {
		if (code)
			p6_log_put_at_hand(t, code, k, P6_LOG_REF);
		return;
	}
	p6_log_put_at_hand(t, 0, k, P6_LOG_EFFECT);
	put_effect(t, x);
}

void p6_log_write_reference(struct p6 *m, unsigned k)
{
	struct p6_log_writer *t = &m->log;
	struct p6_effect x = p6_effect_of_code((uint16_t)t->code, 0);

	if (t->code & P6_LOG_MORE)
		add(&x, t->effect);
	t->code = 0;
	put_reference(t, k, &x);
}

/* What a prefetch, or else a store past the caches, did to the bus, and neither lines nor a walk
 * say: as time_access.c. */
static void what_went_past(const struct p6 *m, const struct p6_log_counts *was, bool is_prefetch,
			   struct p6_effect *x)
{
	const struct p6_log_counts now = p6_log_write_before(m, false);
	const uint32_t missed = (uint32_t)(now.l2 - was->l2 - (now.walk_l2 - was->walk_l2));
	const uint32_t written = (uint32_t)(now.write_backs - was->write_backs);

	x->l2_misses = missed < x->lines ? missed : x->lines;
	x->l2_lines = (uint8_t)(missed - x->l2_misses);
	x->write_backs = is_prefetch || x->lines ? written : 0;
	x->wc_lines = (uint8_t)(written - x->write_backs);
	x->wc_parts = is_prefetch ? 0 : (uint8_t)(now.parts - was->parts);
}

void p6_log_write_plain_reference(struct p6 *m, const struct x86_block *b, unsigned k,
				  const uint8_t *slots)
{
	const struct p6_log_counts was = p6_log_write_before(m, false);
	struct p6_effect x;

	p6_plain_reference(m, b, k, slots);
	what_happened(m, &was, false, &x);
	if (b->ref[k].flags & (X86_REF_PREFETCH | X86_REF_NONTEMPORAL))
		what_went_past(m, &was, b->ref[k].flags & X86_REF_PREFETCH, &x);
	put_reference(&m->log, k, &x);
}

int p6_log_write_string(struct p6 *m, const struct x86_block *b, unsigned i, const uint8_t *slots)
{
	const struct p6_log_counts was = p6_log_write_before(m, false);
	const uint64_t uops = m->dyn[WIRE_P6_RETIRE_UOP_REP];
	const int rc = p6_string_run(m, b, i, slots);
	struct p6_effect x;
	const bool is_more = what_happened(m, &was, false, &x);

	p6_log_put_at_hand(&m->log, is_more, i, P6_LOG_REP);
	put_effect(&m->log, &x);
	p6_log_put(&m->log, m->dyn[WIRE_P6_RETIRE_UOP_REP] - uops);
	p6_log_put(&m->log, m->strings.copied);
	return rc;
}

/* ---- code ------------------------------------------------------------------------------------ */

void p6_log_write_fetched(struct p6 *m, const struct p6_log_counts *was, unsigned line)
{
	struct p6_effect x;
	uint16_t code;

	if (!what_happened(m, was, true, &x))
		return;
	if (p6_fetch_code(&x, &code)) {
		p6_log_put_at_hand(&m->log, code, line, P6_LOG_FETCH);
		return;
	}
	p6_log_put_at_hand(&m->log, 0, line, P6_LOG_FETCH_EFFECT);
	put_effect(&m->log, &x);
}

void p6_log_write_plain_fetch(struct p6 *m, const struct x86_block *b, unsigned i)
{
	const struct p6_log_counts was = p6_log_write_before(m, true);
	const uint64_t pc = b->pc + b->insn[i].pc_off;

	p6_plain_fetch(m, pc, b->insn[i].bytes);
	p6_log_write_fetched(m, &was, p6_line_in_block(m, b, i));
}
