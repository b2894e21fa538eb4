/* ifu.c -- unit ifu: code lines through L1I.
 *
 * COUNTING RULES   a line that L1I does not have is one miss (81H) and one request to L2 (28H),
 *                  however many 16-byte chunks of it are used. ifu.miss_ref counts instructions of
 *                  which a line was missing.
 * MODELLED         every line of every instruction in program order; a store that makes a line
 *                  modified takes it out of L1I (ifu.smc); code fetched from a line that is
 *                  modified in L1D writes it to L2 first.
 * NOT MODELLED     fetch ahead of a predicted or wrong path, the stream buffer, the victim cache,
 *                  chunks (80H needs time).
 * KEPT UP          a line that comes in or goes moves p6_ifu.epoch on: the clocks keep what they
 *                  know of a code line, and of lines on a wrong path, until it changes. A line that
 *                  goes leaves filter[] of its set, too. Without either a line that is gone would
 *                  hit.
 * SOURCES          Intel 242816-003; choices in docs/MODELS.md "ifu".
 */
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/dcu_inline.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/l2_inline.h"
#include "model/p6/units/line.h"
#include "model/p6/units/walk.h"
#include "model/p6/units/walk_inline.h"

static int find(const struct p6 *m, uint32_t set, uint32_t tag)
{
	return p6_find_way(m, &m->ifu.cache, set, tag, false);
}

/* Count n lines that L1I does not have. */
static inline void count_missed(uint64_t *counts, uint64_t n)
{
	counts[WIRE_P6_IFU_MISS] += n;
}

void p6_ifu_add_served(const struct p6 *m, uint64_t *total)
{
	for (unsigned found = 0; found < P6_N_FOUND; found++)
		count_missed(total, m->l2.served[P6_SERVED_FETCH][found]);
}

/* A line comes in that was not there. The log of a team hears of it, as of each line that goes: a
 * worker's L1I holds what the log says, and would miss or hit at other lines else. */
static void place(struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag)
{
	const unsigned way = cache_choose(c, set);

	if (p6_next(m, P6_MOVE_IFU_FETCH, CACHE_I) == CACHE_I)
		return;
	cache_place(c, set, way, tag, CACHE_S);
	p6_log_write_line(&m->log, set, way, tag);
}

bool p6_ifu_line(struct p6 *m, uint64_t line)
{
	struct cache *c = &m->ifu.cache;
	const unsigned page_lines_log2 = PAGE_LOG2 - m->line_log2;
	struct p6_frame page = p6_translate(m, &m->itlb, line >> page_lines_log2);
	struct cache_line l = {page.id, page.colour,
			       (uint32_t)line & ((1u << page_lines_log2) - 1)};
	uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	int way = find(m, set, tag);
	bool is_miss = way < 0;

	if (is_miss) {
		count_missed(m->dyn, 1);
		p6_dcu_code_snoop(m, l);
		m->bus.is_deferred =
		    m->bus.deferred.n && p6_ranges_have(m, &m->bus.deferred, line << m->line_log2);
		p6_l2_request(m, l, P6_REQ_IFETCH);
		m->bus.is_deferred = false;
		place(m, c, set, tag);
	} else {
		cache_touch(c, set, (unsigned)way);
		if (p6_next(m, P6_MOVE_IFU_FETCH, CACHE_S) == CACHE_I)
			cache_drop(c, set, (unsigned)way);
	}
	if (m->ifu.has_filter)
		m->ifu.filter[set] = line >> c->set_log2;
	m->ifu.epoch++;
	return is_miss;
}

bool p6_ifu_try(struct p6 *m, uint64_t line)
{
	const struct cache *const c = &m->ifu.cache;
	const unsigned page_lines_log2 = PAGE_LOG2 - m->line_log2;
	const uint64_t vpn = line >> page_lines_log2;
	const uint32_t page_set = tlb_set_of(&m->itlb.tlb, vpn);
	struct cache_line l;
	uint32_t set;
	int way;

	if (m->itlb.filter[page_set] != vpn)
		return false;
	l = (struct cache_line){m->itlb.last[page_set].id, m->itlb.last[page_set].colour,
				(uint32_t)line & ((1u << page_lines_log2) - 1)};
	set = cache_set_of(c, l);
	way = cache_find(c, set, cache_tag_of(c, l));
	if (way < 0)
		return false;
	cache_touch(c, set, (unsigned)way);
	if (m->ifu.has_filter)
		m->ifu.filter[set] = line >> c->set_log2;
	m->ifu.epoch++;
	return true;
}

/* Is page `vpn` in the ITLB? Then note its use. */
static inline __attribute__((always_inline)) bool is_page_in(struct p6 *m, uint64_t vpn,
							     struct p6_frame *page)
{
	const struct tlb t = tlb_of_shape(&m->itlb.tlb, P6_FAST_WAYS, P6_FAST_ITLB_SETS);
	const uint32_t set = tlb_set_of(&t, vpn);
	const struct page *e = t.entry + (size_t)set * P6_FAST_WAYS;
	unsigned hit;

	if (m->fast.itlb[set] == vpn) {
		*page = m->itlb.last[set];
		return true;
	}
	hit = (unsigned)(e[1].key == vpn) + 2 * (unsigned)(e[2].key == vpn) +
	      3 * (unsigned)(e[3].key == vpn);
	if (e[hit].key != vpn)
		return false;
	t.order[set] = repl_touch(&t.repl, t.order[set], hit);
	m->fast.itlb[set] = vpn;
	*page = m->itlb.last[set] = (struct p6_frame){e[hit].id, e[hit].colour};
	return true;
}

struct p6_frame p6_ifu_page_fast(struct p6 *m, uint64_t vpn)
{
	struct p6_frame page;

	return is_page_in(m, vpn, &page) ? page : p6_walk_code_fast(m, vpn);
}

bool p6_ifu_page_is_in(struct p6 *m, uint64_t vpn)
{
	struct p6_frame page;

	return is_page_in(m, vpn, &page);
}

void p6_ifu_miss_fast(struct p6 *m, struct cache_line l)
{
	const struct cache c = p6_fast_l1(&m->ifu.cache);
	struct cache_meta *const meta = cache_meta(&c, l.in_page);
	unsigned way;

	m->ifu.epoch++;
	if (p6_dcu_has_m(m, l))
		p6_dcu_code_snoop(m, l);
	if (!m->is_served || p6_l2_serve(m, l, P6_SERVED_FETCH) < 0) {
		count_missed(m->dyn, 1);
		p6_l2_request(m, l, P6_REQ_IFETCH);
	}
	if (__builtin_expect(meta->n_empty, 0)) {
		place(m, &c, l.in_page, l.page);
		return;
	}
	way = repl_victim_four(meta->order); /* code lines are in state S, as the one that goes */
	cache_tags(&c, l.in_page)[way] = l.page;
	meta->order = repl_touch_four(meta->order, 1u << way);
	p6_log_write_line(&m->log, l.in_page, way, l.page);
}

bool p6_ifu_line_fast(struct p6 *m, uint64_t line)
{
	const struct cache c = p6_fast_l1(&m->ifu.cache);
	const uint64_t vpn = line >> (PAGE_LOG2 - P6_FAST_LINE_LOG2);
	const uint32_t set = (uint32_t)line & (c.n_sets - 1);
	struct cache_meta *const meta = cache_meta(&c, set);
	struct p6_frame page;
	unsigned hit;

	page = p6_ifu_page_fast(m, vpn);
	hit = p6_hit_of_four(&c, set, page.id);
	if (hit)
		meta->order = repl_touch_four(meta->order, hit);
	else
		p6_ifu_miss_fast(m, (struct cache_line){page.id, page.colour, set});
	return !hit;
}

bool p6_ifu_has(const struct p6 *m, uint64_t lin)
{
	const struct cache *c = &m->ifu.cache;
	const uint64_t vpn = (lin & P6_LIN_MASK) >> PAGE_LOG2;
	const uint32_t page_set = (uint32_t)vpn & (P6_FAST_ITLB_SETS - 1);
	struct cache_line l;
	uint32_t page;

	if (m->is_fast_shape && !m->is_plain && m->fast.itlb[page_set] == vpn) {
		const struct cache fast = p6_fast_l1(c);
		const uint32_t set = (uint32_t)(lin >> P6_FAST_LINE_LOG2) & (fast.n_sets - 1);

		return p6_hit_of_four(&fast, set, m->itlb.last[page_set].id);
	}
	if (!p6_tlb_peek(m, &m->itlb, vpn, &page))
		return false;
	l = (struct cache_line){page, m->walker.colour[page],
				(uint32_t)(lin & ((1u << PAGE_LOG2) - 1)) >> m->line_log2};
	return cache_find_plain(c, cache_set_of(c, l), cache_tag_of(c, l)) >= 0;
}

/* As p6_ifu_snoop(), for what move says. */
static bool snoop(struct p6 *m, struct cache_line l, enum p6_move move)
{
	struct cache *c = &m->ifu.cache;
	uint32_t set = cache_set_of(c, l);
	int way = find(m, set, cache_tag_of(c, l));

	if (way < 0)
		return false;
	if (p6_next(m, move, CACHE_S) != CACHE_I)
		return true;
	cache_drop(c, set, (unsigned)way);
	p6_log_write_drop(&m->log, set, (unsigned)way);
	if (m->ifu.has_filter)
		m->ifu.filter[set] = P6_NO_KEY;
	if (m->ifu.common)
		m->ifu.common[set & m->ifu.common_mask] = P6_NO_KEY;
	m->ifu.epoch++;
	return true;
}

bool p6_ifu_snoop(struct p6 *m, struct cache_line l, bool takes)
{
	return snoop(m, l, takes ? P6_MOVE_IFU_PEER_TAKE : P6_MOVE_IFU_PEER_READ);
}

bool p6_ifu_store_snoop(struct p6 *m, struct cache_line l)
{
	if (!snoop(m, l, P6_MOVE_IFU_STORE))
		return false;
	P6_RAISE(m, IFU_SMC, 1);
	return true;
}
