/* log_read.c -- what caches and TLBs found is known: words of log_write.c are read. Rules and
 * limits are in log.h. */
#include "model/p6/log.h"

#include <string.h>

#include "base/error.h"
#include "model/p6/p6.h"
#include "model/p6/clocks/time_key.h"

static const uint64_t nothing[] = {P6_LOG_NO_MORE};

void p6_log_read_open(struct p6 *m)
{
	m->time.log = (struct p6_log_reader){.at = nothing, .is_on = true};
}

void p6_log_read_begin(struct p6 *m, const uint64_t *words)
{
	m->time.log.at = words;
}

int p6_log_read_end(struct p6 *m)
{
	struct p6_log_reader *t = &m->time.log;
	const bool is_end = !t->is_on || *t->at == P6_LOG_NO_MORE;

	t->at = nothing;
	return is_end ? 0 : -SPMU_EPROTO;
}

int p6_log_read_done(const struct p6 *m)
{
	return p6_log_record(*m->time.log.at) == m->time.log.record ? -SPMU_EPROTO : 0;
}

/* ---- L1I and the ITLB ------------------------------------------------------------------------ */

static void put_line(struct p6 *m, uint32_t set, unsigned way, uint32_t page)
{
	cache_tags(&m->ifu.cache, set)[way] = page;
	m->ifu.epoch++;
}

static void put_page(struct p6 *m, uint32_t set, unsigned way, struct page page)
{
	m->itlb.tlb.entry[(size_t)set * m->itlb.tlb.ways + way] = page;
	m->fast.itlb[set] = page.key;
	m->itlb.last[set] = (struct p6_frame){page.id, page.colour};
	m->ifu.epoch++;
}

/* Use what the next words say of L1I and the ITLB. Returns the next other word of the record at
 * hand, or NULL. */
static const uint64_t *next(struct p6 *m)
{
	struct p6_log_reader *t = &m->time.log;

	while (p6_log_record(*t->at) == t->record) {
		const uint64_t *const w = t->at;

		switch (p6_log_kind(*w)) {
		case P6_LOG_LINE:
			put_line(m, p6_log_which(*w), p6_log_code(*w), (uint32_t)w[1]);
			break;
		case P6_LOG_PAGE:
			put_page(m, p6_log_which(*w), p6_log_code(*w),
				 (struct page){w[1], (uint32_t)w[2], (uint32_t)(w[2] >> 32)});
			break;
		case P6_LOG_DROP:
			put_line(m, p6_log_which(*w), p6_log_code(*w), CACHE_EMPTY);
			break;
		default: return w;
		}
		t->at += p6_log_words(*w);
	}
	return NULL;
}

void p6_log_read_pass(struct p6 *m)
{
	for (const uint64_t *w; (w = next(m)) != NULL;)
		m->time.log.at += p6_log_words(*w);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static struct p6_effect fetch_of_code(unsigned code)
{
	const unsigned walk = code >> P6_FETCH_WALK_AT & 3;

	return (struct p6_effect){
	    .lines = code >> P6_FETCH_LINES_AT & 3,
	    .l2_misses = code >> P6_FETCH_MISSES_AT & 3,
	    .walks = walk != 0,
	    .walk_misses = walk ? walk - 1 : 0,
	    .write_backs = code >> P6_FETCH_WB_AT & 3,
	    .cast_outs = code >> P6_FETCH_OUT_AT & 1,
	};
}

bool p6_log_read_fetched(struct p6 *m, unsigned line, struct p6_effect *x)
{
	const uint64_t *first = next(m);
	bool has_happened = false;

	if (!first ||
	    (p6_log_kind(*first) != P6_LOG_FETCH && p6_log_kind(*first) != P6_LOG_FETCH_EFFECT))
		return false;
	*x = (struct p6_effect){.lines = 0};
	for (const uint64_t *w; (w = next(m)) != NULL; m->time.log.at += p6_log_words(*w)) {
		struct p6_effect one;

		if (p6_log_kind(*w) == P6_LOG_FETCH)
			one = fetch_of_code(p6_log_code(*w));
		else if (p6_log_kind(*w) == P6_LOG_FETCH_EFFECT)
			memcpy(&one, w + 1, sizeof(one));
		else
			break;
		if (p6_log_which(*w) > line)
			break;
		x->lines += one.lines;
		x->l2_misses += one.l2_misses;
		x->walks += one.walks;
		x->walk_misses += one.walk_misses;
		x->cast_outs += one.cast_outs;
		x->write_backs += one.write_backs;
		x->is_brd |= one.is_brd;
		has_happened = true;
	}
	return has_happened;
}

int p6_log_read_reference(struct p6 *m, unsigned k, struct p6_effect *x)
{
	const uint64_t *w = next(m);

	if (!w || p6_log_which(*w) != k)
		return 0;
	if (p6_log_kind(*w) <= P6_LOG_REF_AND_MORE) {
		m->time.log.at++;
		return (int)p6_log_code(*w);
	}
	if (p6_log_kind(*w) != P6_LOG_EFFECT)
		return 0;
	memcpy(x, w + 1, sizeof(*x));
	m->time.log.at += p6_log_words(*w);
	return -1;
}

int p6_log_read_string(struct p6 *m, unsigned i, struct p6_effect *x, uint64_t *uops,
		       uint64_t *copied)
{
	const uint64_t *w = next(m);

	if (!w || p6_log_kind(*w) != P6_LOG_REP || p6_log_which(*w) != i)
		return -SPMU_EPROTO;
	memcpy(x, w + 1, sizeof(*x));
	m->time.log.at += p6_log_words(*w);
	*uops = m->time.log.at[-2];
	*copied = m->time.log.at[-1];
	return p6_log_code(*w) != 0;
}
