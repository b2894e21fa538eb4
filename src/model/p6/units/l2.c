/* l2.c -- unit l2: the unified second-level cache, and what it asks of the bus.
 *
 * COUNTING RULES   a request counts under the state that it found before it was served. A load miss
 *                  enters as E, a code line as S, a store miss as M. Every request, every cast-out
 *                  of L1D and every fill is one address on the L2 bus. A cast-out is no request.
 * MODELLED         not strictly inclusive: a victim's clean copy stays in L1D, a modified one is
 *                  pulled out and written to the bus with it; a cast-out that L2 no longer holds is
 *                  allocated. Ownership of a line held in S costs an invalidate on the bus, of a
 *                  line not held a read with ownership. Without L2 (Covington) requests go to the
 *                  bus. Under --replace lru L2 is the textbook's second level: looked up and filled
 *                  by L1 misses only; cast-outs neither allocate nor refresh, victims leave L1D
 *                  alone. Snoops by other processors take lines or make them shared (bus.c).
 * NOT MODELLED     sectors, ECC.
 * SOURCES          Intel 243192 appendix A; choices in docs/MODELS.md "l2".
 */
#include "model/p6/units/bus.h"
#include "model/p6/units/dcu.h"
#include "model/p6/units/dcu_inline.h"
#include "model/p6/units/ifu.h"
#include "model/p6/units/l2.h"
#include "model/p6/units/l2_inline.h"
#include "model/p6/units/line.h"
#include "model/p6/units/walk.h"

#define INLINE inline __attribute__((always_inline))

static bool is_store(enum p6_request req)
{
	return req >= P6_REQ_ST;
}

/* Wires of the requests by state found; order as enum cache_state I S E M. */
static unsigned request_wire(enum p6_request req, enum cache_state found)
{
	static const uint16_t ifetch[4] = {WIRE_P6_L2_IFETCH_I, WIRE_P6_L2_IFETCH_S,
					   WIRE_P6_L2_IFETCH_E, WIRE_P6_L2_IFETCH_M};
	static const uint16_t ld[4] = {WIRE_P6_L2_LD_I, WIRE_P6_L2_LD_S, WIRE_P6_L2_LD_E,
				       WIRE_P6_L2_LD_M};
	static const uint16_t st[4] = {WIRE_P6_L2_ST_I, WIRE_P6_L2_ST_S, WIRE_P6_L2_ST_E,
				       WIRE_P6_L2_ST_M};

	return req == P6_REQ_IFETCH ? ifetch[found] : is_store(req) ? st[found] : ld[found];
}

/* Count `times` requests that found the line in state `found`, in counts: p6.dyn or a
 * total[WIRE_N]. */
static INLINE void count_requests(uint64_t *counts, enum p6_request req, enum cache_state found,
				  uint64_t times)
{
	counts[request_wire(req, found)] += times;
	counts[WIRE_P6_L2_ADS] += times;
	if (req == P6_REQ_WALK)
		counts[WIRE_P6_WALK_L2_LD] += times;
}

/* Count lines that come into L2; in_m: of these, the ones in state M. */
static INLINE void count_in(uint64_t *counts, uint64_t lines, uint64_t in_m)
{
	counts[WIRE_P6_L2_LINE_IN] += lines;
	counts[WIRE_P6_L2_M_LINE_IN] += in_m;
}

/* Count lines that leave L2; out_m: of these, the ones that were modified here or in L1D. */
static INLINE void count_out(uint64_t *counts, uint64_t lines, uint64_t out_m)
{
	counts[WIRE_P6_L2_LINE_OUT] += lines;
	counts[WIRE_P6_L2_M_LINE_OUT] += out_m;
}

/* Functions with `fast` are compiled twice: for any shape, and for four ways of 32-byte lines as
 * the first Pentium II and III have them, with constants. */
static INLINE struct cache shaped(const struct p6 *m, const bool fast)
{
	struct cache c;

	if (!fast)
		return m->l2.cache;
	c = cache_of_shape(&m->l2.cache, P6_FAST_WAYS, m->l2.cache.set_log2, P6_FAST_LINE_LOG2);
	if (c.set_log2 < c.page_lines_log2)
		__builtin_unreachable(); /* p6.is_fast_l2 */
	return c;
}

static int find(const struct p6 *m, uint32_t set, uint32_t tag)
{
	return p6_find_way(m, &m->l2.cache, set, tag, false);
}

/* L1D's copy of a line that goes. Returns true when it was modified. */
static INLINE bool back_invalidate(struct p6 *m, struct cache_line l, const bool fast)
{
	if (fast && m->is_fast_shape && !p6_dcu_has_m(m, l))
		return false;
	return p6_dcu_back_invalidate(m, l);
}

/* Make room in `set` and put `tag` there, which no way of it holds. The order matters. First
 * p6_walk_lost() reads the victim's tag, which cache_place() overwrites at the end. Then L1D loses
 * its copy, and then the bus gets one write for both copies. */
static INLINE void allocate(struct p6 *m, const struct cache *c, uint32_t set, uint32_t tag,
			    enum cache_state state, const bool fast)
{
	unsigned way = cache_choose(c, set);
	uint32_t old = cache_tags(c, set)[way];

	if (old != CACHE_EMPTY) {
		uint32_t page = cache_page_of(c, old);
		struct cache_line gone = {page, m->walker.colour[page],
					  cache_in_page_of(c, set, old)};
		bool is_m = cache_state_of(c, set, way) == CACHE_M;

		if (fast && cache_meta(c, set)->noted)
			p6_walk_lost(m, p6_l2_set_at(m, set), way);
		if (back_invalidate(m, gone, fast))
			is_m = true;
		count_out(m->dyn, 1, is_m);
		if (is_m)
			p6_bus_write_back(m);
	}
	count_in(m->dyn, 1, state == CACHE_M);
	cache_place(c, set, way, tag, state);
}

/* Returns true when another processor keeps a copy. */
static bool read_from_bus(struct p6 *m, struct cache_line l, enum p6_request req)
{
	const unsigned wire = req == P6_REQ_IFETCH ? WIRE_P6_BUS_IFETCH
			      : is_store(req)	   ? WIRE_P6_BUS_RFO
						   : WIRE_P6_BUS_BRD;
	const bool is_shared = p6_bus_read_line(m, wire, l);

	if (req == P6_REQ_WALK)
		P6_RAISE(m, WALK_BRD, 1);
	else
		m->dcu.ref_missed_l2 = true;
	return is_shared;
}

/* The state in which L1D receives a line that L2 found in `found`; is_shared: on the bus. */
static INLINE enum cache_state l1d_state(const struct p6 *m, enum p6_request req,
					 enum cache_state found, bool is_shared)
{
	return p6_next(m,
		       is_store(req) ? P6_MOVE_DCU_WRITE_FILL
		       : is_shared   ? P6_MOVE_DCU_SHARED_FILL
				     : P6_MOVE_DCU_READ_FILL,
		       found);
}

/* What becomes of L2's copy. */
static INLINE enum p6_move l2_move(enum p6_request req, bool is_shared)
{
	switch (req) {
	case P6_REQ_IFETCH: return P6_MOVE_L2_FETCH;
	case P6_REQ_LD_NO_FILL: return P6_MOVE_L2_NTA;
	case P6_REQ_ST: return P6_MOVE_L2_WRITE;
	case P6_REQ_UPGRADE: return P6_MOVE_L2_UPGRADE;
	case P6_REQ_LD:
	case P6_REQ_WALK: break;
	}
	return is_shared	    ? P6_MOVE_L2_SHARED
	       : req == P6_REQ_WALK ? P6_MOVE_L2_WALK
				    : P6_MOVE_L2_READ;
}

/* Without L2. Returns the state in which L1 receives the line. */
static enum cache_state request_from_bus(struct p6 *m, struct cache_line l, enum p6_request req)
{
	if (req != P6_REQ_UPGRADE)
		return l1d_state(m, req, CACHE_I, read_from_bus(m, l, req));
	p6_bus_invalidate(m, l);
	return CACHE_M;
}

static INLINE enum cache_state request(struct p6 *m, struct cache_line l, enum p6_request req,
				       const bool fast)
{
	const struct cache c = shaped(m, fast);
	enum cache_state found = CACHE_I, state;
	uint32_t set, tag;
	bool is_shared;
	int way;

	set = cache_set_of(&c, l);
	tag = cache_tag_of(&c, l);
	way = p6_find_way(m, &c, set, tag, fast);
	if (way >= 0)
		found = cache_state_of(&c, set, (unsigned)way);
	count_requests(m->dyn, req, found, 1);
	if (way >= 0) {
		cache_touch(&c, set, (unsigned)way);
		if (is_store(req) && found == CACHE_S)
			p6_bus_invalidate(m, l);
		if (!fast)
			cache_turn(&c, set, (unsigned)way, p6_next(m, l2_move(req, false), found));
		else if (is_store(req))
			cache_set_state(&c, set, (unsigned)way, CACHE_M);
		return l1d_state(m, req, found, false);
	}
	is_shared = read_from_bus(m, l, req);
	state = p6_next(m, l2_move(req, is_shared), CACHE_I);
	if (state == CACHE_I)
		return l1d_state(m, req, CACHE_I, is_shared);
	P6_RAISE(m, L2_ADS, 1);
	if (req == P6_REQ_WALK)
		P6_RAISE(m, WALK_L2_LINE_IN, 1);
	allocate(m, &c, set, tag, state, fast);
	return l1d_state(m, req, CACHE_I, is_shared);
}

enum cache_state p6_l2_request(struct p6 *m, struct cache_line l, enum p6_request req)
{
	if (m->is_fast_l2)
		return request(m, l, req, true);
	return m->l2.is_there ? request(m, l, req, false) : request_from_bus(m, l, req);
}

void p6_l2_add_served(const struct p6 *m, uint64_t *total)
{
	static const enum cache_state state[P6_N_FOUND] = {CACHE_M, CACHE_E,
							   CACHE_S}; /* enum p6_l2_found */
	const uint64_t *read = m->l2.absent[P6_ABSENT_READ], *store = m->l2.absent[P6_ABSENT_STORE];
	const uint64_t reads = read[0] + read[1], stores = store[0] + store[1], n = reads + stores;

	for (unsigned i = 0; i < P6_N_FOUND; i++) {
		count_requests(total, P6_REQ_LD, state[i], m->l2.served[P6_SERVED_READ][i]);
		count_requests(total, P6_REQ_WALK, state[i], m->l2.served[P6_SERVED_WALK][i]);
		count_requests(total, P6_REQ_IFETCH, state[i], m->l2.served[P6_SERVED_FETCH][i]);
		count_requests(total, P6_REQ_ST, state[i], m->l2.served[P6_SERVED_STORE][i]);
	}
	count_requests(
	    total, P6_REQ_WALK, CACHE_E,
	    2 * (m->walker.n_served[P6_WALKED_DATA] + m->walker.n_served[P6_WALKED_CODE]));
	count_requests(total, P6_REQ_LD, CACHE_I, reads);
	count_requests(total, P6_REQ_ST, CACHE_I, stores);
	count_in(total, n, stores);
	count_out(total, n, read[1] + store[1]);
	total[WIRE_P6_L2_ADS] += n + m->dcu.n_cast_out; /* what fills L2, and what comes from L1D */
	p6_dcu_add_served(m, total);
	p6_ifu_add_served(m, total);
	p6_walk_add_served(m, total);
	p6_bus_add_served(m, total);
}

static INLINE void cast_out(struct p6 *m, struct cache_line l, const bool fast)
{
	const struct cache c = shaped(m, fast);
	enum cache_state next;
	uint32_t set, tag;
	int way;

	set = cache_set_of(&c, l);
	tag = cache_tag_of(&c, l);
	way = p6_find_way(m, &c, set, tag, fast);
	if (way < 0 && m->l2.is_textbook) {
		p6_bus_write_back(m);
		return;
	}
	P6_RAISE(m, L2_ADS, 1);
	next = fast ? CACHE_M
		    : p6_next(m, P6_MOVE_L2_CAST_OUT,
			      way < 0 ? CACHE_I : cache_state_of(&c, set, (unsigned)way));
	if (way < 0) {
		if (next != CACHE_I)
			allocate(m, &c, set, tag, next, fast);
		return;
	}
	cache_turn(&c, set, (unsigned)way, next);
	if (!m->l2.is_textbook && m->rules.broken != P6_RULE_L2_CAST_OUT)
		cache_touch(&c, set, (unsigned)way);
}

void p6_l2_cast_out(struct p6 *m, struct cache_line l)
{
	if (m->is_fast_l2)
		cast_out(m, l, true);
	else if (m->l2.is_there)
		cast_out(m, l, false);
	else
		p6_bus_write_back(m);
}

enum cache_state p6_l2_state(const struct p6 *m, struct cache_line l)
{
	uint32_t set;
	int way;

	if (!m->l2.is_there)
		return CACHE_I;
	set = cache_set_of(&m->l2.cache, l);
	way = find(m, set, cache_tag_of(&m->l2.cache, l));
	return way < 0 ? CACHE_I : cache_state_of(&m->l2.cache, set, (unsigned)way);
}

enum cache_state p6_l2_snoop(struct p6 *m, struct cache_line l, bool takes, bool is_m)
{
	uint32_t set;
	enum cache_state found;
	int way;

	if (!m->l2.is_there)
		return CACHE_I;
	set = cache_set_of(&m->l2.cache, l);
	way = find(m, set, cache_tag_of(&m->l2.cache, l));
	if (way < 0)
		return CACHE_I;
	found = cache_state_of(&m->l2.cache, set, (unsigned)way);
	cache_turn(&m->l2.cache, set, (unsigned)way,
		   p6_next(m, takes ? P6_MOVE_L2_PEER_TAKE : P6_MOVE_L2_PEER_READ, found));
	if (!takes)
		return found;
	count_out(m->dyn, 1, is_m || found == CACHE_M);
	return found;
}
