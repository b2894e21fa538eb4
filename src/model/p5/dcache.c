/* dcache.c -- unit dcache: data references through L1D.
 *
 * COUNTING RULES   an operand is one access per 8 bytes of it (an m80 operand: 8 and 2); an access of 2 or 4
 *                  bytes over a 4-byte boundary, or of 8 over an 8-byte boundary, is cut: it is two
 *                  accesses (00H, 01H) and one misaligned reference (0BH). A read-modify-write is reads,
 *                  then writes, each tested. 03H and 04H count accesses, so a write to a line that is
 *                  absent, and any access to memory that is not cacheable, counts every time.
 *                  1AH: core clocks that a read waits: for its page, for its line, behind another fill, and
 *                  because it is cut.
 *                  A write that finds its line S is neither a hit (05H) nor a miss (04H).
 * MODELLED         write-back, MESI, no allocation on a write miss: the write goes to the bus and changes
 *                  nothing here. A read miss fills a line E; a write to a line that was shared goes to
 *                  the bus and makes it E. Pseudo-LRU (which is exact LRU with two
 *                  ways), empty ways first. A locked read takes the line out, modified data is written
 *                  back first (06H), and so the write behind it misses (chosen; a locked read that finds
 *                  its line is no 03H). Time: one line is filled at once (fill.c).
 *                  Errata (--errata): a cut access that misses counts twice in 03H or 04H; a cut read that is
 *                  no miss waits 2 clocks in 1AH; 0BH counts a store of an x87 register that is cut twice.
 *                  A code fetch that misses L1I takes the line out, written back when it is modified (06H), and
 *                  a miss here takes it out of L1I: only while clocks are counted, because it takes prediction
 *                  to know what is fetched.
 * NOT MODELLED     that, without clocks.
 * SOURCES          Intel 241428 (1997) 2.5 and 16.4.6; choices in docs/MODELS.md "p5 dcache".
 */
#include "model/p5/p5.h"

#define PAGE_MASK ((1u << PAGE_LOG2) - 1)

static inline int find(const struct p5 *m, uint32_t set, uint32_t tag)
{
	const struct cache *c = &m->dcache.cache;

	return m->is_plain ? cache_find_plain(c, set, tag) : cache_find(c, set, tag);
}

/* The line of `lin` is the one of `set` that was used last. */
static inline void remember(struct p5 *m, uint32_t set, uint64_t lin, bool is_m)
{
	const uint64_t key = lin >> cache_way_log2(&m->dcache.cache);

	if (!m->dcache.has_filter || m->is_plain)
		return;
	m->dcache.read_filter[set] = key;
	m->dcache.write_filter[set] = is_m ? key : P5_NO_KEY;
}

void p5_dcache_forget(struct p5 *m, uint32_t set)
{
	if (!m->dcache.has_filter)
		return;
	m->dcache.read_filter[set] = P5_NO_KEY;
	m->dcache.write_filter[set] = P5_NO_KEY;
}

/* ---- time: the line that is being filled ----------------------------------------------------------- */

/* When transfer `chunk` of the line that is being filled can be used. */
static uint64_t usable_clk(const struct p5 *m, unsigned chunk)
{
	const struct p5_fill *f = &m->dcache.fill;
	const unsigned n = f->transfer.n;
	const unsigned i = m->fig[P5_FIG_DCACHE_FILL_IS_WHOLE] ? n - 1 : (chunk ^ f->first) & (n - 1);

	return f->transfer.clk[i] + m->fig[P5_FIG_DCACHE_MISS_RETURN_CLK] - 1;
}

static unsigned chunk_of(const struct p5 *m, uint64_t lin)
{
	return (unsigned)(lin >> 3) & ((1u << m->dcache.cache.line_log2) / 8 - 1);
}

/* An access finds its line, which may be the one that is being filled. */
static void wait_for_fill(struct p5 *m, uint64_t lin, uint32_t set, uint32_t tag)
{
	const struct p5_fill *f = &m->dcache.fill;

	if (f->end_clk > m->time.data_clk && f->set == set && f->tag == tag)
		p5_wait_until(m, usable_clk(m, chunk_of(m, lin)), P5_WHY_DATA_MISS);
}

/* A modified line leaves: its page's colour is known to whoever gave it its frame. */
static void write_line_back(struct p5 *m, uint32_t set, uint32_t tag, uint64_t clk)
{
	const struct cache *c = &m->dcache.cache;
	const uint32_t page = cache_page_of(c, tag);
	struct p5_transfer t;

	p5_bus_cycle(m, P5_BUS_WRITE_LINE, (struct p5_frame){page, m->pages.colour[page]},
		     cache_in_page_of(c, set, tag) << c->line_log2, clk, &t);
	m->dcache.fill.back_clk = t.clk[t.n - 1];
}

/* The line of an access comes in, in the place of one with tag `victim`. There is one buffer for a line that
 * comes and one for a line that leaves. */
static void fill_line(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set, uint32_t tag, bool is_back,
		      uint32_t victim)
{
	struct p5_fill *f = &m->dcache.fill;
	uint64_t clk = m->time.data_clk + m->fig[P5_FIG_BUS_TO_BUS_CLK];

	clk = clk < f->end_clk ? f->end_clk : clk;
	if (is_back && clk < f->back_clk)
		clk = f->back_clk;
	p5_bus_cycle(m, P5_BUS_FILL, page, (uint32_t)lin & PAGE_MASK, clk, &f->transfer);
	f->set = set;
	f->tag = tag;
	f->first = (uint8_t)chunk_of(m, lin);
	f->end_clk = f->transfer.clk[f->transfer.n - 1] + m->fig[P5_FIG_DCACHE_MISS_RETURN_CLK];
	if (is_back)
		write_line_back(m, set, victim, clk);
	p5_wait_until(m, f->transfer.clk[0] + m->fig[P5_FIG_DCACHE_MISS_RETURN_CLK] - 1, P5_WHY_DATA_MISS);
}

/* A read that fills nothing. */
static void read_past(struct p5 *m, enum p5_bus_kind kind, uint64_t lin, struct p5_frame page)
{
	struct p5_transfer t;

	p5_bus_cycle(m, kind, page, (uint32_t)lin & PAGE_MASK,
		     m->time.data_clk + m->fig[P5_FIG_BUS_TO_BUS_CLK], &t);
	p5_wait_until(m, t.clk[0] + m->fig[P5_FIG_DCACHE_MISS_RETURN_CLK] - 1, P5_WHY_DATA_MISS);
}

/* ---- accesses --------------------------------------------------------------------------------------- */

static inline void read_line(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set, uint32_t tag, int way,
			     bool is_mmx)
{
	const struct cache *c = &m->dcache.cache;
	bool is_back;
	uint32_t victim;

	if (way < 0) {
		P5_RAISE(m, DCACHE_READ_MISS, 1);
		P5_RAISE(m, MMX_READ_MISS, is_mmx);
		way = (int)cache_choose(c, set);
		is_back = cache_meta(c, set)->m >> way & 1;
		victim = cache_tags(c, set)[way];
		P5_RAISE(m, DCACHE_WRITE_BACK, is_back);
		cache_place(c, set, (unsigned)way, tag, CACHE_E);
		if (m->time.is_on) {
			p5_icache_snoop(m, page, lin);
			fill_line(m, lin, page, set, tag, is_back, victim);
		}
	} else {
		cache_touch(c, set, (unsigned)way);
		if (m->time.is_on)
			wait_for_fill(m, lin, set, tag);
	}
	remember(m, set, lin, cache_state_of(c, set, (unsigned)way) == CACHE_M);
}

static inline void write_line(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set, uint32_t tag,
			      int way, bool is_mmx)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0) {
		P5_RAISE(m, DCACHE_WRITE_MISS, 1);
		P5_RAISE(m, MMX_WRITE_MISS, is_mmx);
		if (m->time.is_on) {
			p5_icache_snoop(m, page, lin);
			p5_wbuf_put(m, P5_BUS_WRITE, page, (uint32_t)lin & PAGE_MASK, is_mmx);
		}
		return;
	}
	cache_touch(c, set, (unsigned)way);
	if (cache_state_of(c, set, (unsigned)way) == CACHE_S) { /* the bus hears of it, once */
		m->dcache.n_write_shared++;
		if (m->time.is_on)
			p5_wbuf_put(m, P5_BUS_WRITE, page, (uint32_t)lin & PAGE_MASK, is_mmx);
		cache_set_state(c, set, (unsigned)way, CACHE_E);
		return;
	}
	if (m->time.is_on) {
		wait_for_fill(m, lin, set, tag);
		p5_wbuf_hit(m, is_mmx);
	}
	cache_set_state(c, set, (unsigned)way, CACHE_M);
	remember(m, set, lin, true);
}

/* A locked read: served by the bus, the copy goes. */
static void read_locked(struct p5 *m, uint64_t lin, struct p5_frame page, uint32_t set, uint32_t tag, int way)
{
	const struct cache *c = &m->dcache.cache;
	bool is_back;

	if (way < 0) {
		P5_RAISE(m, DCACHE_READ_MISS, 1);
	} else {
		is_back = cache_state_of(c, set, (unsigned)way) == CACHE_M;
		P5_RAISE(m, DCACHE_WRITE_BACK, is_back);
		cache_drop(c, set, (unsigned)way);
		p5_dcache_forget(m, set);
		if (m->time.is_on && is_back)
			write_line_back(m, set, tag, m->time.data_clk + m->fig[P5_FIG_BUS_TO_BUS_CLK]);
	}
	if (m->time.is_on)
		read_past(m, P5_BUS_READ, lin, page);
}

bool p5_dcache_is_uncached(const struct p5 *m, uint64_t lin)
{
	const uint64_t line = lin >> m->dcache.cache.line_log2;

	for (unsigned i = 0; i < m->n_uncached; i++)
		if (line >= m->uncached[i].from && line <= m->uncached[i].to)
			return true;
	return false;
}

void p5_dcache_snoop_code(struct p5 *m, struct p5_frame page, uint64_t lin, uint64_t clk)
{
	const struct cache *c = &m->dcache.cache;
	const struct cache_line l = {page.id, page.colour, (uint32_t)(lin & PAGE_MASK) >> c->line_log2};
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	const int way = find(m, set, tag);
	bool is_back;

	if (way < 0)
		return;
	is_back = cache_state_of(c, set, (unsigned)way) == CACHE_M;
	P5_RAISE(m, DCACHE_WRITE_BACK, is_back);
	cache_drop(c, set, (unsigned)way);
	p5_dcache_forget(m, set);
	if (is_back)
		write_line_back(m, set, tag, clk);
}

/* Memory that is not cacheable: nothing is there, nothing comes in. */
static void access_uncached(struct p5 *m, uint64_t lin, struct p5_frame page, bool is_write, bool is_mmx)
{
	if (is_write) {
		P5_RAISE(m, DCACHE_WRITE_MISS, 1);
		P5_RAISE(m, MMX_WRITE_MISS, is_mmx);
		P5_RAISE(m, BUS_UNCACHED_WRITE, 1);
		if (m->time.is_on)
			p5_wbuf_put(m, P5_BUS_WRITE_UC, page, (uint32_t)lin & PAGE_MASK, is_mmx);
		return;
	}
	P5_RAISE(m, DCACHE_READ_MISS, 1);
	P5_RAISE(m, MMX_READ_MISS, is_mmx);
	if (m->time.is_on)
		read_past(m, P5_BUS_READ_UC, lin, page);
}

/* One access, which lies in one line. */
static inline void access(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	const struct cache *c = &m->dcache.cache;
	const struct p5_frame page = p5_translate(m, lin >> PAGE_LOG2);
	const struct cache_line l = {page.id, page.colour, (uint32_t)(lin & PAGE_MASK) >> c->line_log2};
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	int way;

	if (m->n_uncached && p5_dcache_is_uncached(m, lin)) {
		access_uncached(m, lin, page, is_write, op->is_mmx);
		return;
	}
	way = find(m, set, tag);
	if (is_write)
		write_line(m, lin, page, set, tag, way, op->is_mmx);
	else if (op->is_locked)
		read_locked(m, lin, page, set, tag, way);
	else
		read_line(m, lin, page, set, tag, way, op->is_mmx);
}

/* Errata: a cut access that misses is counted again. */
static void miss_again(struct p5 *m, uint64_t reads_before, uint64_t writes_before, bool is_mmx)
{
	const bool is_read_miss = m->dyn[WIRE_P5_DCACHE_READ_MISS] != reads_before;
	const bool is_write_miss = m->dyn[WIRE_P5_DCACHE_WRITE_MISS] != writes_before;

	P5_RAISE(m, DCACHE_READ_MISS, is_read_miss);
	P5_RAISE(m, MMX_READ_MISS, is_read_miss && is_mmx);
	P5_RAISE(m, DCACHE_WRITE_MISS, is_write_miss);
	P5_RAISE(m, MMX_WRITE_MISS, is_write_miss && is_mmx);
	m->dcache.n_write_miss_again += is_write_miss;
}

/* Two accesses of an operand of which `first` bytes lie before a boundary. */
static void access_cut(struct p5 *m, uint64_t lin, unsigned first, const struct p5_operand *op, bool is_write)
{
	const uint64_t reads = m->dyn[WIRE_P5_DCACHE_READ_MISS], writes = m->dyn[WIRE_P5_DCACHE_WRITE_MISS];

	access(m, lin & P5_LIN_MASK, op, is_write);
	if (m->time.is_on)
		p5_wait_until(m, m->time.data_clk + m->fig[P5_FIG_DCACHE_MISALIGNED_CLK], P5_WHY_MISALIGNED);
	access(m, (lin + first) & P5_LIN_MASK, op, is_write);
	P5_RAISE(m, DCACHE_MISALIGNED, 1u + (m->has_errata && op->is_fst));
	P5_RAISE(m, MMX_MISALIGNED, op->is_mmx);
	P5_RAISE(m, DCACHE_READ, !is_write);
	P5_RAISE(m, DCACHE_WRITE, is_write);
	P5_RAISE(m, MMX_READ, !is_write && op->is_mmx);
	P5_RAISE(m, MMX_WRITE, is_write && op->is_mmx);
	if (m->has_errata)
		miss_again(m, reads, writes, op->is_mmx);
}

/* All accesses of an operand in one direction. Returns true when one was cut. */
static bool run(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	bool is_cut = false;

	for (unsigned left = op->bytes; left;) {
		const unsigned n = left < 8 ? left : 8, container = n <= 4 ? 4 : 8;
		const unsigned first = container - (unsigned)(lin & (container - 1));

		if (first < n) {
			access_cut(m, lin, first, op, is_write);
			is_cut = true;
		} else {
			access(m, lin & P5_LIN_MASK, op, is_write);
		}
		lin += n;
		left -= n;
	}
	return is_cut;
}

/* 1AH, of what was lost since: a write is held by the look-up of its page only. */
static void count_read_stall(struct p5 *m, const struct p5_operand *op, uint64_t lost, uint64_t walked, bool is_write,
			     bool is_cut)
{
	uint64_t clocks = is_write ? m->dyn[WIRE_P5_DTLB_STALL] - walked : m->time.lost - lost;

	if (m->has_errata && is_cut && !is_write && clocks && m->dyn[WIRE_P5_DTLB_STALL] == walked)
		clocks--;
	P5_RAISE(m, DCACHE_READ_STALL, clocks);
	P5_RAISE(m, DCACHE_READ_STALL_TIMES, clocks != 0);
	P5_RAISE(m, MMX_READ_STALL, op->is_mmx ? clocks : 0);
	P5_RAISE(m, MMX_READ_STALL_TIMES, op->is_mmx && clocks);
}

/* run(), with what the read stall counts. */
static bool run_in_time(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	const uint64_t lost = m->time.lost, walked = m->dyn[WIRE_P5_DTLB_STALL];
	const bool is_cut = run(m, lin, op, is_write);

	if (m->time.lost != lost)
		count_read_stall(m, op, lost, walked, is_write, is_cut);
	return is_cut;
}

void p5_dcache_ref(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	const uint64_t modify_clk = op->access == (P5_READ | P5_WRITE) ? m->fig[P5_FIG_DCACHE_MODIFY_CLK] : 0;
	bool is_cut = false;

	if (m->debug.has_data)
		p5_debug_data(m, lin, op);
	if (op->access & P5_READ)
		is_cut = m->time.is_on ? run_in_time(m, lin, op, false) : run(m, lin, op, false);
	if (op->is_locked)
		p5_bus_locked(m, is_cut);
	if (!(op->access & P5_WRITE))
		return;
	if (!m->time.is_on) {
		run(m, lin, op, true);
		return;
	}
	m->time.data_clk += modify_clk; /* part of what the instruction takes */
	run_in_time(m, lin, op, true);
	m->time.data_clk -= modify_clk;
}

/* Behind the first part the others find the line where it is, or absent again. */
void p5_dcache_ref_in_line(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	const uint64_t before = m->dyn[WIRE_P5_DCACHE_WRITE_MISS];

	if (op->access & P5_READ)
		access(m, lin, op, false);
	if (!(op->access & P5_WRITE))
		return;
	access(m, lin, op, true);
	if (op->bytes > 8 && m->dyn[WIRE_P5_DCACHE_WRITE_MISS] != before) {
		P5_RAISE(m, DCACHE_WRITE_MISS, p5_parts(op->bytes) - 1);
		P5_RAISE(m, MMX_WRITE_MISS, op->is_mmx ? p5_parts(op->bytes) - 1 : 0);
	}
}

void p5_dcache_count_parts(struct p5 *m, const struct p5_operand *op, uint64_t times)
{
	const uint64_t n = p5_parts(op->bytes) * times;

	P5_RAISE(m, DCACHE_READ, op->access & P5_READ ? n : 0);
	P5_RAISE(m, DCACHE_WRITE, op->access & P5_WRITE ? n : 0);
	P5_RAISE(m, MMX_READ, op->access & P5_READ && op->is_mmx ? n : 0);
	P5_RAISE(m, MMX_WRITE, op->access & P5_WRITE && op->is_mmx ? n : 0);
}
