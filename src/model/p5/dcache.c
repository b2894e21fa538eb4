/* dcache.c -- unit dcache: data references through L1D.
 *
 * COUNTING RULES   an operand is one access per 8 bytes of it (an m80 operand: 8 and 2); an access of 2 or 4
 *                  bytes over a 4-byte boundary, or of 8 over an 8-byte boundary, is cut: it is two
 *                  accesses (00H, 01H) and one misaligned reference (0BH). A read-modify-write is reads,
 *                  then writes, each tested. 03H and 04H count accesses, so a write to a line that is
 *                  absent counts every time.
 * MODELLED         write-back, MESI, no allocation on a write miss: the write goes to the bus and changes
 *                  nothing here. A read miss fills a line E. Pseudo-LRU (which is exact LRU with two
 *                  ways), empty ways first. A locked read takes the line out, modified data is written
 *                  back first (06H), and so the write behind it misses (chosen; a locked read that finds
 *                  its line is no 03H).
 * NOT MODELLED     the code side, so a code fetch never writes a modified line back; banks, stalls and
 *                  buffers, which need time; uncacheable memory.
 * SOURCES          Intel 241428 (1997) 2.5 and 16.4.6; choices in docs/MODELS.md "p5 dcache".
 */
#include "model/p5/p5.h"

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

static void forget(struct p5 *m, uint32_t set)
{
	if (!m->dcache.has_filter)
		return;
	m->dcache.read_filter[set] = P5_NO_KEY;
	m->dcache.write_filter[set] = P5_NO_KEY;
}

static inline void read_line(struct p5 *m, uint64_t lin, uint32_t set, uint32_t tag, int way, bool is_mmx)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0) {
		P5_RAISE(m, DCACHE_READ_MISS, 1);
		P5_RAISE(m, MMX_READ_MISS, is_mmx);
		way = (int)cache_choose(c, set);
		P5_RAISE(m, DCACHE_WRITE_BACK, cache_meta(c, set)->m >> way & 1);
		cache_place(c, set, (unsigned)way, tag, CACHE_E);
	} else {
		cache_touch(c, set, (unsigned)way);
	}
	remember(m, set, lin, cache_state_of(c, set, (unsigned)way) == CACHE_M);
}

static inline void write_line(struct p5 *m, uint64_t lin, uint32_t set, int way, bool is_mmx)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0) {
		P5_RAISE(m, DCACHE_WRITE_MISS, 1);
		P5_RAISE(m, MMX_WRITE_MISS, is_mmx);
		return;
	}
	cache_touch(c, set, (unsigned)way);
	cache_set_state(c, set, (unsigned)way, CACHE_M);
	remember(m, set, lin, true);
}

/* A locked read: served by the bus, the copy goes. */
static void read_locked(struct p5 *m, uint32_t set, int way)
{
	const struct cache *c = &m->dcache.cache;

	if (way < 0) {
		P5_RAISE(m, DCACHE_READ_MISS, 1);
		return;
	}
	P5_RAISE(m, DCACHE_WRITE_BACK, cache_state_of(c, set, (unsigned)way) == CACHE_M);
	cache_drop(c, set, (unsigned)way);
	forget(m, set);
}

/* One access, which lies in one line. */
static inline void access(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	const struct cache *c = &m->dcache.cache;
	const struct p5_frame page = p5_translate(m, lin >> PAGE_LOG2);
	const struct cache_line l = {page.id, page.colour,
				     (uint32_t)(lin & ((1u << PAGE_LOG2) - 1)) >> c->line_log2};
	const uint32_t set = cache_set_of(c, l), tag = cache_tag_of(c, l);
	const int way = find(m, set, tag);

	if (is_write)
		write_line(m, lin, set, way, op->is_mmx);
	else if (op->is_locked)
		read_locked(m, set, way);
	else
		read_line(m, lin, set, tag, way, op->is_mmx);
}

/* All accesses of an operand in one direction. Returns true when one was cut. */
static bool run(struct p5 *m, uint64_t lin, const struct p5_operand *op, bool is_write)
{
	bool is_cut = false;

	for (unsigned left = op->bytes; left;) {
		const unsigned n = left < 8 ? left : 8, container = n <= 4 ? 4 : 8;
		const unsigned first = container - (unsigned)(lin & (container - 1));

		access(m, lin & P5_LIN_MASK, op, is_write);
		if (first < n) {
			access(m, (lin + first) & P5_LIN_MASK, op, is_write);
			is_cut = true;
			P5_RAISE(m, DCACHE_MISALIGNED, 1);
			P5_RAISE(m, MMX_MISALIGNED, op->is_mmx);
			P5_RAISE(m, DCACHE_READ, !is_write);
			P5_RAISE(m, DCACHE_WRITE, is_write);
			P5_RAISE(m, MMX_READ, !is_write && op->is_mmx);
			P5_RAISE(m, MMX_WRITE, is_write && op->is_mmx);
		}
		lin += n;
		left -= n;
	}
	return is_cut;
}

void p5_dcache_ref(struct p5 *m, uint64_t lin, const struct p5_operand *op)
{
	bool is_cut = false;

	if (op->access & P5_READ)
		is_cut = run(m, lin, op, false);
	if (op->is_locked)
		p5_bus_locked(m, is_cut);
	if (op->access & P5_WRITE)
		run(m, lin, op, true);
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
