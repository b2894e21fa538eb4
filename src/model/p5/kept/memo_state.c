/* memo_state.c -- the state of what clocks move, as bytes.
 *
 * CLOCKS           relative to now_clk, 2 bytes. One that cannot be told from a clock in the past
 *                  any more is 0: those of x87, MMX, write buffers and fills of L1D are compared
 *                  with EX of later slots, which is now_clk at least; those of prefetch and bus
 *                  with requests of the prefetcher, too, which lies behind D1 (oldest_request()).
 *                  What happens in a clock is often the same as when it happens a clock earlier, so
 *                  some of the next clock are past, too. Where the state of a unit is all past, its
 *                  bytes are left out.
 * MODELLED         an instruction that waits for a partner, when it has nothing in memory, is not
 *                  of x87 or MMX, and execution goes on behind it: which one it is, and what is
 *                  known of it. registers of x87 are written from the top of the stack on, the
 *                  queue of the Pentium with MMX from its next place on, because only these orders
 *                  matter; write buffers that all stores share in the order of their clocks, and of
 *                  the bus what the next cycle compares.
 * NOT MODELLED     what looks (look.h) read and write: caches, TLBs, BTB, return stack, the open
 *                  row of memory.
 */
#include "model/p5/p5.h"

#include <string.h>

#define BIAS 0x8000u
#define IDLE 0u

/* A field more or less: does the state hold it? */
_Static_assert(sizeof(struct p5_stages) == 88, "write_stages(), read_stages()");
_Static_assert(sizeof(struct p5_fpu_time) == 120, "write_fpu(), read_fpu()");
_Static_assert(sizeof(struct p5_mmx_time) == 72, "write_mmx(), read_mmx()");
_Static_assert(sizeof(struct p5_pf) == 96, "write_pf(), read_pf()");
_Static_assert(sizeof(struct p5_icache_fill) == 48, "write_code_fill(), read_code_fill()");
_Static_assert(sizeof(struct p5_fill) == 56, "write_fill(), read_fill()");
_Static_assert(sizeof(struct p5_wbuf) == 72, "write_wbuf(), read_wbuf()");
_Static_assert(sizeof(struct p5_bus) == 48, "write_bus(), read_bus()");

enum part {
	HAS_LATE = 1 << 0, /* registers written in the clock before now_clk */
	HAS_FPU = 1 << 1,
	HAS_MMX = 1 << 2,
	HAS_CODE_FILL = 1 << 3,
	HAS_FILL = 1 << 4,
	HAS_WBUF = 1 << 5,
	HAS_BUS = 1 << 6,
	IS_MMX = 1 << 7, /* m->mmx.last */
};

/* Beside the phase of the bus clock, in 2 bytes: an instruction waits for a partner; it comes last.
 */
#define WAITS 0x8000u

struct out {
	uint8_t *at;
	uint64_t now;
	bool is_bad; /* a clock is too far away */
};

struct in {
	const uint8_t *at;
	uint64_t now;
};

static void put8(struct out *o, unsigned v)
{
	*o->at++ = (uint8_t)v;
}

static void put16(struct out *o, unsigned v)
{
	const uint16_t w = (uint16_t)v;

	memcpy(o->at, &w, 2);
	o->at += 2;
}

static void put64(struct out *o, uint64_t v)
{
	memcpy(o->at, &v, 8);
	o->at += 8;
}

/* A clock, or an edge of the bus, that is never past. */
static void put_near(struct out *o, uint64_t clk, uint64_t now)
{
	const uint64_t v = clk - now + BIAS;

	o->is_bad |= v == IDLE || v > UINT16_MAX;
	put16(o, (unsigned)v);
}

/* One that is past up to `past`. */
static void put_clk(struct out *o, uint64_t clk, uint64_t past)
{
	if (clk <= past)
		put16(o, IDLE);
	else
		put_near(o, clk, o->now);
}

static unsigned get8(struct in *i)
{
	return *i->at++;
}

static unsigned get16(struct in *i)
{
	uint16_t v;

	memcpy(&v, i->at, 2);
	i->at += 2;
	return v;
}

static uint64_t get64(struct in *i)
{
	uint64_t v;

	memcpy(&v, i->at, 8);
	i->at += 8;
	return v;
}

static uint64_t get_near(struct in *i, uint64_t now)
{
	const unsigned v = get16(i);

	return v == IDLE ? 0 : now + v - BIAS;
}

static uint64_t get_clk(struct in *i)
{
	return get_near(i, i->now);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t before(uint64_t clk, uint64_t n)
{
	return clk > n ? clk - n : 0;
}

/* ---- core, d1 -------------------------------------------------------------------------------- */

static void write_queue(const struct p5_stages *s, struct out *o)
{
	put_near(o, s->push_clk, o->now);
	put8(o, ((s->n_taken - s->n_pushed) & 3u) | (s->may_share ? 4u : 0u) |
		    (s->was_single ? 8u : 0u));
	if (s->was_single)
		put_near(o, s->single_clk, o->now);
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t clk = s->taken_clk[(s->n_pushed + i) & 3];

		put_clk(o, clk, earlier(s->push_clk, before(s->d2_clk, 1)));
	}
}

static void write_stages(const struct p5 *m, struct out *o)
{
	const struct p5_stages *s = &m->time.stages;

	put_near(o, s->d2_clk, o->now);
	put_clk(o, s->ex_clk, s->d2_clk + 1);
	put_clk(o, m->time.waited_to, o->now);
	if (s->late_clk == o->now)
		put16(o, s->late);
	if (m->cpu->has_mmx)
		write_queue(s, o);
}

static void read_stages(struct p5 *m, struct in *i, bool has_late)
{
	struct p5_stages *s = &m->time.stages;
	unsigned bits;

	memset(s, 0, sizeof(*s));
	s->d2_clk = get_clk(i);
	s->ex_clk = get_clk(i);
	m->time.waited_to = get_clk(i);
	if (has_late) {
		s->late_clk = i->now;
		s->late = (uint16_t)get16(i);
	}
	if (!m->cpu->has_mmx)
		return;
	s->push_clk = get_clk(i);
	bits = get8(i);
	s->n_taken = bits & 3;
	s->may_share = bits & 4;
	s->was_single = bits & 8;
	if (s->was_single)
		s->single_clk = get_clk(i);
	for (unsigned k = 0; k < 4; k++)
		s->taken_clk[k] = get_clk(i);
}

/* ---- x87, MMX -------------------------------------------------------------------------------- */

static void write_fpu(const struct p5 *m, struct out *o)
{
	const struct p5_fpu_time *f = &m->time.fpu;
	const uint64_t stored = before(o->now, m->par[P5_PAR_FPU_STORE_EARLY_CLK]);

	for (unsigned k = 0; k < 8; k++)
		put_clk(o, f->ready_clk[(f->top + k) & 7], stored);
	put_clk(o, f->free_clk, o->now);
	put_clk(o, f->mul_clk, o->now);
	put_clk(o, f->done_clk, o->now);
	put_clk(o, f->status_clk, o->now);
	put_clk(o, f->unsafe_clk, o->now);
	put8(o, f->exchanged_clk != o->now ? 0u : f->is_exchange_unsafe ? 2u : 1u);
	o->is_bad |= f->exchanged_clk > o->now;
}

static void read_fpu(struct p5 *m, struct in *i)
{
	struct p5_fpu_time *f = &m->time.fpu;
	unsigned exchange;

	for (unsigned k = 0; k < 8; k++)
		f->ready_clk[k] = get_clk(i);
	f->free_clk = get_clk(i);
	f->mul_clk = get_clk(i);
	f->done_clk = get_clk(i);
	f->status_clk = get_clk(i);
	f->unsafe_clk = get_clk(i);
	exchange = get8(i);
	f->exchanged_clk = exchange ? i->now : 0;
	f->is_exchange_unsafe = exchange == 2;
}

static bool is_fpu_idle(const struct p5 *m, uint64_t now)
{
	const struct p5_fpu_time *f = &m->time.fpu;
	const uint64_t stored = before(now, m->par[P5_PAR_FPU_STORE_EARLY_CLK]);
	uint64_t latest = 0;

	for (unsigned k = 0; k < 8; k++)
		latest = f->ready_clk[k] > latest ? f->ready_clk[k] : latest;
	return latest <= stored && f->free_clk <= now && f->mul_clk <= now && f->done_clk <= now &&
	       f->status_clk <= now && f->unsafe_clk <= now && f->exchanged_clk < now;
}

static uint64_t mmx_past(const struct p5 *m, uint64_t now)
{
	return before(now, m->par[P5_PAR_MMX_STORE_EARLY_CLK]);
}

static void write_mmx(const struct p5 *m, struct out *o)
{
	const struct p5_mmx_time *x = &m->time.mmx;
	const uint64_t past = mmx_past(m, o->now);
	unsigned by_mul = 0;

	for (unsigned k = 0; k < 8; k++) {
		put_clk(o, x->ready_clk[k], past);
		by_mul |= x->ready_clk[k] > past ? x->by_mul & 1u << k : 0;
	}
	put8(o, by_mul);
}

static void read_mmx(struct p5 *m, struct in *i)
{
	struct p5_mmx_time *x = &m->time.mmx;

	for (unsigned k = 0; k < 8; k++)
		x->ready_clk[k] = get_clk(i);
	x->by_mul = (uint8_t)get8(i);
}

static bool is_mmx_idle(const struct p5 *m, uint64_t now)
{
	const uint64_t past = mmx_past(m, now);

	for (unsigned k = 0; k < 8; k++)
		if (m->time.mmx.ready_clk[k] > past)
			return false;
	return true;
}

/* ---- prefetch -------------------------------------------------------------------------------- */

/* No clock before which D1 asks for bytes, or a branch in D1 for those of its target. */
static uint64_t oldest_question(const struct p5 *m)
{
	const struct p5_stages *s = &m->time.stages;
	const struct p5_fly *waits = &m->time.pending;
	uint64_t clk = s->d2_clk;

	if (m->cpu->has_mmx)
		clk = earlier(clk, s->push_clk);
	if (m->cpu->has_mmx && waits->op && waits->is_fetched)
		clk = earlier(clk, waits->ready_clk);
	return clk + P5_D1_TO_EX;
}

/* Does the prefetcher wait for D1, so that next_clk matters no more when it lies before D1's next
 * question? */
static bool is_pf_waiting(const struct p5_pf *f)
{
	return f->n == f->n_buffers ||
	       !((f->first + f->n) << f->unit_log2 & ((1u << PAGE_LOG2) - 1));
}

/* No clock before which code is asked for. */
static uint64_t oldest_request(const struct p5 *m)
{
	const struct p5_pf *f = &m->time.pf;
	const uint64_t d1 = oldest_question(m);

	return is_pf_waiting(f) ? d1 : earlier(d1, f->next_clk);
}

static unsigned chunks_of(const struct p5_pf *f)
{
	const unsigned n = f->n << f->unit_log2 >> 3;

	return n > P5_PF_CHUNKS ? P5_PF_CHUNKS : n;
}

static void write_pf(const struct p5 *m, struct out *o)
{
	const struct p5_pf *f = &m->time.pf;
	const uint64_t past = oldest_question(m), chunk = f->first << f->unit_log2 >> 3;

	put64(o, f->first);
	put8(o, f->n);
	if (is_pf_waiting(f))
		put_clk(o, f->next_clk, past);
	else
		put_near(o, f->next_clk, o->now);
	for (unsigned k = 0; k < chunks_of(f); k++)
		put_clk(o, f->ready[(chunk + k) & (P5_PF_CHUNKS - 1)], past);
}

static void read_pf(struct p5 *m, struct in *i)
{
	struct p5_pf *f = &m->time.pf;
	uint64_t chunk;

	memset(f->ready, 0, sizeof(f->ready));
	f->settled_clk = 0;
	f->first = get64(i);
	f->n = get8(i);
	f->next_clk = get_clk(i);
	chunk = f->first << f->unit_log2 >> 3;
	for (unsigned k = 0; k < chunks_of(f); k++) {
		uint64_t *ready = &f->ready[(chunk + k) & (P5_PF_CHUNKS - 1)];

		*ready = get_clk(i);
		f->settled_clk = *ready > f->settled_clk ? *ready : f->settled_clk;
	}
}

/* No line is asked for before `request`: what comes in the clock behind it comes as soon as what
 * was there. */
static bool is_code_fill_idle(const struct p5 *m, uint64_t request)
{
	return m->time.code_fill.end_clk <= request + (m->par[P5_PAR_BUS_TO_BUS_CLK] != 0);
}

static void write_code_fill(const struct p5 *m, struct out *o, uint64_t request)
{
	const struct p5_icache_fill *f = &m->time.code_fill;

	put64(o, f->line);
	for (unsigned k = 0; k < 4; k++)
		put_clk(o, f->clk[k], request + 1);
	put_near(o, f->end_clk, o->now);
}

static void read_code_fill(struct p5 *m, struct in *i)
{
	struct p5_icache_fill *f = &m->time.code_fill;

	f->line = get64(i);
	for (unsigned k = 0; k < 4; k++)
		f->clk[k] = get_clk(i);
	f->end_clk = get_clk(i);
}

/* ---- dcache, wbuf ---------------------------------------------------------------------------- */

/* Until when a line that comes in makes no difference: its bytes can be used in the clock before it
 * is all there, and the next one is asked for to_bus_clk behind the access that misses. */
static uint64_t fill_past(const struct p5 *m, uint64_t now)
{
	return now + (m->par[P5_PAR_BUS_TO_BUS_CLK] != 0);
}

/* As fill_past(), for the buffer of lines that leave: one leaves when the next comes. */
static uint64_t back_past(const struct p5 *m, uint64_t now)
{
	const uint64_t next = now + m->par[P5_PAR_BUS_TO_BUS_CLK];

	return next > m->dcache.fill.end_clk ? next : m->dcache.fill.end_clk;
}

static bool is_fill_idle(const struct p5 *m, uint64_t now)
{
	return m->dcache.fill.end_clk <= fill_past(m, now) &&
	       m->dcache.fill.back_clk <= back_past(m, now);
}

static void write_fill(const struct p5 *m, struct out *o)
{
	const struct p5_fill *f = &m->dcache.fill;
	const unsigned last = P5_BUS_LINE_BYTES / 8 - 1,
		       first = m->par[P5_PAR_DCACHE_FILL_IS_WHOLE] ? last : 0;

	put_clk(o, f->end_clk, fill_past(m, o->now));
	put_clk(o, f->back_clk, back_past(m, o->now));
	if (f->end_clk <= fill_past(m, o->now))
		return;
	for (unsigned k = first; k <= last; k++)
		put_clk(o, f->transfer.clk[k],
			before(o->now + 1, m->par[P5_PAR_DCACHE_MISS_RETURN_CLK]));
}

static void read_fill(struct p5 *m, struct in *i)
{
	struct p5_fill *f = &m->dcache.fill;

	memset(f, 0, sizeof(*f));
	f->end_clk = get_clk(i);
	f->back_clk = get_clk(i);
	f->transfer.n = P5_BUS_LINE_BYTES / 8;
	if (!f->end_clk)
		return;
	for (unsigned k = m->par[P5_PAR_DCACHE_FILL_IS_WHOLE] ? P5_BUS_LINE_BYTES / 8 - 1 : 0;
	     k < P5_BUS_LINE_BYTES / 8; k++)
		f->transfer.clk[k] = get_clk(i);
}

/* A store waits until the clock before the buffer is free, or the last write done. */
static uint64_t wbuf_past(uint64_t now)
{
	return now + 1;
}

/* Of several buffers a store takes the one that is free first: which one has which clock does not
 * matter. Those that there are not are free always. */
static void sort(uint64_t *clk, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		for (unsigned k = i; k && clk[k] > clk[k - 1]; k--) {
			const uint64_t c = clk[k];

			clk[k] = clk[k - 1];
			clk[k - 1] = c;
		}
}

static void write_wbuf(const struct p5 *m, struct out *o)
{
	uint64_t clk[P5_MOST_WBUFS];

	memcpy(clk, m->wbuf.free_clk, sizeof(clk));
	if (!m->par[P5_PAR_WBUF_IS_PER_PIPE])
		sort(clk, P5_MOST_WBUFS);
	put_clk(o, m->wbuf.last_clk, wbuf_past(o->now));
	for (unsigned k = 0; k < P5_MOST_WBUFS; k++)
		put_clk(o, clk[k], wbuf_past(o->now));
}

static void read_wbuf(struct p5 *m, struct in *i)
{
	m->wbuf.last_clk = get_clk(i);
	for (unsigned k = 0; k < P5_MOST_WBUFS; k++)
		m->wbuf.free_clk[k] = get_clk(i);
}

static bool is_wbuf_idle(const struct p5 *m, uint64_t now)
{
	for (unsigned k = 0; k < P5_MOST_WBUFS; k++)
		if (m->wbuf.free_clk[k] > wbuf_past(now))
			return false;
	return m->wbuf.last_clk <= wbuf_past(now);
}

/* ---- bus ------------------------------------------------------------------------------------- */

/* What a later cycle can tell of the edges of the bus clock. It begins behind `past`, and not
 * before `begin`, whichever of two edges that is. */
struct edges {
	uint64_t begin, end, memory, busy;
};

static struct edges edges_of(const struct p5 *m, uint64_t past)
{
	const struct p5_bus *b = &m->bus;
	const uint64_t last = b->end_edge[m->par[P5_PAR_BUS_IS_PIPELINED] ? 1 : 0];
	struct edges e = {last > b->address_edge ? last : b->address_edge, b->end_edge[0],
			  b->memory_edge, b->busy_edge};
	const uint64_t start = e.begin > past ? e.begin : past + 1;

	e.begin = e.begin > past + 1 ? e.begin : 0;
	if (e.memory <= start ||
	    e.memory + m->par[P5_PAR_BUS_MEM_NEXT] <= start + m->par[P5_PAR_BUS_MEM_LEAD] ||
	    e.memory + m->par[P5_PAR_BUS_MEM_NEXT] + m->par[P5_PAR_BUS_MEM_ROW] <= e.end + 1)
		e.memory = 0;
	e.busy = e.busy > past ? e.busy : 0;
	e.end = e.end > past ? e.end : 0;
	return e;
}

static void write_bus(const struct p5 *m, struct out *o, uint64_t past)
{
	const struct edges e = edges_of(m, past);
	const uint64_t edge[] = {e.begin, e.end, e.memory, e.busy};
	const uint64_t now = p5_bus_edge(&m->bus, o->now);

	for (unsigned k = 0; k < sizeof(edge) / sizeof(edge[0]); k++) {
		if (!edge[k])
			put16(o, IDLE);
		else
			put_near(o, edge[k], now);
	}
}

static void read_bus(struct p5 *m, struct in *i)
{
	struct p5_bus *b = &m->bus;
	const uint64_t now = p5_bus_edge(b, i->now);

	b->address_edge = get_near(i, now);
	b->end_edge[0] = get_near(i, now);
	b->end_edge[1] = 0;
	b->memory_edge = get_near(i, now);
	b->busy_edge = get_near(i, now);
}

static bool is_bus_idle(const struct p5 *m, uint64_t past)
{
	const struct edges e = edges_of(m, past);

	return !(e.begin | e.end | e.memory | e.busy);
}

/* ---- an instruction that waits for a partner ------------------------------------------------- */

/* Can it be written? What it has in memory is looked up when it is issued, by a record that is gone
 * then. */
static bool is_simple(const struct p5 *m, const struct p5_fly *f)
{
	return !(f->op->flags & (P5_OP_UNUSUAL | P5_OP_MEMORY)) && !f->op->n_ref &&
	       f->next == f->pc + f->bytes && f->code == m->time.code[f->block->id];
}

static void write_waiting(const struct p5 *m, struct out *o)
{
	const struct p5_fly *f = &m->time.pending;

	o->is_bad |= !is_simple(m, f);
	put16(o, f->block->id & 0xffff);
	put16(o, f->block->id >> 16);
	put8(o, f->insn);
	put8(o, (f->is_fetched ? 1u : 0u) | (f->is_asked ? 2u : 0u) | (f->is_marked ? 4u : 0u));
	if (f->is_fetched)
		put_near(o, f->ready_clk, o->now);
}

static void read_waiting(struct p5 *m, struct in *i)
{
	const uint32_t low = get16(i), high = get16(i);
	const struct p5_code *c = m->time.code[low | high << 16];
	struct p5_fly f = {
	    .block = c->block, .code = c, .slots = m->time.pending_slots, .insn = (uint8_t)get8(i)};
	const unsigned known = get8(i);

	f.op = &c->op[f.insn];
	f.pc = c->block->pc + c->block->insn[f.insn].pc_off;
	f.bytes = (uint8_t)p5_op_length(f.op);
	f.next = f.pc + f.bytes;
	f.is_fetched = known & 1;
	f.is_asked = known & 2;
	f.is_marked = known & 4;
	f.ready_clk = f.is_fetched ? get_clk(i) : 0;
	m->time.pending = f;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Clocks from a request, or a data access, to the first clock in which its bus cycle can begin. */
static unsigned soonest_cycle(const struct p5 *m)
{
	const unsigned read = m->par[P5_PAR_BUS_TO_BUS_CLK], write = m->par[P5_PAR_WBUF_TO_BUS_CLK];

	return read < write ? read : write;
}

unsigned p5_state_write(const struct p5 *m, uint8_t *out)
{
	const uint64_t now = m->time.now_clk, request = earlier(oldest_request(m), now);
	const uint64_t edge = before(p5_bus_edge(&m->bus, request + soonest_cycle(m)), 1);
	struct out o = {out, now, false};
	unsigned has = 0;

	has |= m->time.stages.late_clk == now ? HAS_LATE : 0u;
	has |= !is_fpu_idle(m, now) ? HAS_FPU : 0u;
	has |= !is_mmx_idle(m, now) ? HAS_MMX : 0u;
	has |= !is_code_fill_idle(m, request) ? HAS_CODE_FILL : 0u;
	has |= !is_fill_idle(m, now) ? HAS_FILL : 0u;
	has |= !is_wbuf_idle(m, now) ? HAS_WBUF : 0u;
	has |= !is_bus_idle(m, edge) ? HAS_BUS : 0u;
	has |= m->mmx.last == P5_FPMMX_MMX ? IS_MMX : 0u;
	put8(&o, has);
	o.is_bad |= m->bus.ratio_x2 > WAITS;
	put16(&o, (unsigned)(2 * now % m->bus.ratio_x2) | (m->time.pending.op ? WAITS : 0u));
	write_stages(m, &o);
	write_pf(m, &o);
	if (has & HAS_FPU)
		write_fpu(m, &o);
	if (has & HAS_MMX)
		write_mmx(m, &o);
	if (has & HAS_CODE_FILL)
		write_code_fill(m, &o, request);
	if (has & HAS_FILL)
		write_fill(m, &o);
	if (has & HAS_WBUF)
		write_wbuf(m, &o);
	if (has & HAS_BUS)
		write_bus(m, &o, edge);
	if (m->time.pending.op)
		write_waiting(m, &o);
	return o.is_bad ? 0 : (unsigned)(o.at - out);
}

void p5_state_read(struct p5 *m, const uint8_t *bytes)
{
	struct in i = {bytes, m->time.now_clk};
	const unsigned has = get8(&i), phase = get16(&i); /* which now_clk says, too */

	read_stages(m, &i, has & HAS_LATE);
	read_pf(m, &i);
	memset(&m->time.fpu, 0, sizeof(m->time.fpu));
	memset(&m->time.mmx, 0, sizeof(m->time.mmx));
	memset(&m->dcache.fill, 0, sizeof(m->dcache.fill));
	memset(&m->wbuf, 0, sizeof(m->wbuf));
	m->time.code_fill = (struct p5_icache_fill){.line = P5_NO_KEY};
	m->bus.address_edge = m->bus.end_edge[0] = m->bus.end_edge[1] = 0;
	m->bus.memory_edge = m->bus.busy_edge = 0;
	m->mmx.last = has & IS_MMX ? P5_FPMMX_MMX : P5_FPMMX_X87;
	if (has & HAS_FPU)
		read_fpu(m, &i);
	if (has & HAS_MMX)
		read_mmx(m, &i);
	if (has & HAS_CODE_FILL)
		read_code_fill(m, &i);
	if (has & HAS_FILL)
		read_fill(m, &i);
	if (has & HAS_WBUF)
		read_wbuf(m, &i);
	if (has & HAS_BUS)
		read_bus(m, &i);
	m->time.pending.op = NULL;
	if (phase & WAITS)
		read_waiting(m, &i);
}

bool p5_state_waits(const uint8_t *bytes)
{
	struct in i = {bytes + 1, 0};

	return get16(&i) & WAITS;
}
