/* fill.c -- units dcu, l2 and bus in time: lines on their way.
 *
 * COUNTING RULES   48H: clocks from the miss to the last chunk, per line, 2 less when L2 missed
 *                  too. 22H, 23H: clocks of the L2 data bus, a line in either direction, a word per
 *                  load of a page walk. 60H: bus clocks from the request to the last chunk of a
 *                  line that a load reads. 63H: clocks of the transactions of a locked sequence
 *                  that goes to the bus, each from its request to its data.
 * MODELLED         fill buffers, merging of misses to a line on its way; one L2 data bus; an
 *                  external bus with overlapping transactions, one data phase at a time, requests
 *                  on bus clocks; critical chunk first. Memory is busy with a line, read or
 *                  written, for some bus clocks, and serves one after the other. Lines that only L2
 *                  asks for, and what is written past the caches, have a buffer until the bus is
 *                  done with them.
 * NOT MODELLED     partial writes that a fence or an ordinary miss sends out; row hits and refresh
 *                  of the memory; arbitration; snoops of others in time.
 * SOURCES          Don Heller's commentary (transfer patterns); Intel 245127 ch. 1;
 *                  catalog/p6/params.tsv.
 */
#include "model/p6/clocks/fill.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/bus_clocks.h"

/* The first clock >= clk that begins a bus clock, in core clocks. Ratios have halves. */
static uint64_t bus_edge(const struct p6 *m, uint64_t clk)
{
	const uint64_t ratio2 = p6_bus_to_core_clocks(m, 2); /* core clocks of two bus clocks */
	const uint64_t n = (clk * 2 + ratio2 - 1) / ratio2;

	return p6_bus_to_core_clocks(m, n);
}

/* An access of which the clocks may matter is at a stage. */
static inline void stage(struct p6 *m, enum p6_stage s, uint64_t clk)
{
	if (__builtin_expect(m->time.watch != NULL, 0))
		p6_stages_note(m, s, clk);
}

/* L2 is asked in clk. */
static inline void ask_l2(struct p6 *m, uint64_t clk)
{
	stage(m, P6_STAGE_L2, clk);
	stage(m, P6_STAGE_ADS, clk);
}

/* n bus clocks with data, the first at clk, one in `step`. */
static inline void data(struct p6 *m, enum p6_stage s, uint64_t clk, unsigned n, unsigned step)
{
	for (unsigned i = 0; __builtin_expect(m->time.watch != NULL, 0) && i < n; i++)
		p6_stages_data(m, s, clk + p6_bus_to_core_clocks(m, i * step),
			       clk + p6_bus_to_core_clocks(m, i * step + 1));
}

/* 60H for n bus clocks from clk on. */
static void raise_bus_clocks(struct p6 *m, uint64_t clk, uint64_t n)
{
	for (uint64_t i = 0; i < n && m->time.watch; i++)
		p6_watch_at(m, WIRE_P6_BUS_REQ_OUTSTANDING, clk + p6_bus_to_core_clocks(m, i), 1);
	P6_RAISE(m, BUS_REQ_OUTSTANDING, n);
}

/* Memory serves a line, one after the other, whose data have moved when the bus is free again: it
 * is busy with it for mem_line_bus_clk from their first on, n bus clocks of which were the
 * transfer. */
static void memory_line(struct p6 *m, uint64_t n)
{
	struct p6_time *t = &m->time;
	const uint64_t more = t->par.mem_line_bus_clk > n ? t->par.mem_line_bus_clk - n : 0;

	t->memory_clk = t->bus_clk + p6_bus_to_core_clocks(m, more);
}

/* A read of `chunks` times 8 bytes from memory, wanted at clk; is_brd: for a load. Returns the
 * clock of its first data; *last_clk: of its last. late_bus_clk: bus clocks by which memory is
 * later than usual. */
static uint64_t bus_read_late(struct p6 *m, uint64_t clk, unsigned chunks, bool is_brd,
			      unsigned late_bus_clk, uint64_t *last_clk)
{
	struct p6_time *t = &m->time;
	uint64_t *queue = &t->bus_queue[t->bus_queue_at++ % t->par.bus_queue];
	const uint64_t ratio2 = p6_bus_to_core_clocks(m, 2);
	const uint64_t request = bus_edge(m, p6_later(clk, *queue));
	uint64_t first = p6_later(
	    request + p6_bus_to_core_clocks(m, t->par.mem_lead_bus_clk + late_bus_clk), t->bus_clk);

	t->request_clk = request;

	if (chunks > 1)
		first = p6_later(first, t->memory_clk);
	*last_clk = first + p6_bus_to_core_clocks(m, (chunks - 1u) * t->par.mem_step_bus_clk);
	t->bus_clk = first + p6_bus_to_core_clocks(m, (chunks - 1u) * t->par.mem_step_bus_clk + 1u);
	if (chunks > 1)
		memory_line(m, (chunks - 1u) * t->par.mem_step_bus_clk + 1u);
	*queue = t->bus_clk;
	stage(m, P6_STAGE_BUS, request);
	data(m, P6_STAGE_DATA, first, chunks, t->par.mem_step_bus_clk);
	if (is_brd)
		raise_bus_clocks(m, request, ((*last_clk - request) * 2 + ratio2 / 2) / ratio2);
	return first;
}

static uint64_t bus_read(struct p6 *m, uint64_t clk, unsigned chunks, bool is_brd,
			 uint64_t *last_clk)
{
	return bus_read_late(m, clk, chunks, is_brd, 0, last_clk);
}

static void bus_write(struct p6 *m, uint64_t clk)
{
	struct p6_time *t = &m->time;
	const uint64_t first = p6_later(p6_later(bus_edge(m, clk), t->bus_clk), t->memory_clk);

	stage(m, P6_STAGE_WRITE, first);
	data(m, P6_STAGE_DRIVE, first, p6_bus_line_clocks(m), 1);
	t->bus_clk = first + p6_bus_to_core_clocks(m, p6_bus_line_clocks(m));
	memory_line(m, p6_bus_line_clocks(m));
}

/* n partial writes, a transaction with one data clock each. */
static void bus_write_parts(struct p6 *m, uint64_t clk, unsigned n)
{
	struct p6_time *t = &m->time;
	const uint64_t first = p6_later(bus_edge(m, clk), t->bus_clk);

	for (unsigned i = 0; t->watch && i < n; i++)
		stage(m, P6_STAGE_BUS, first + p6_bus_to_core_clocks(m, i));
	data(m, P6_STAGE_DRIVE, first, n, 1);
	t->bus_clk = first + p6_bus_to_core_clocks(m, n);
}

/* The L2 data bus for n clocks from clk on. Returns its first clock. */
static uint64_t l2_bus(struct p6 *m, uint64_t clk, unsigned n, bool is_read)
{
	struct p6_time *t = &m->time;
	const uint64_t from = p6_later(clk, t->l2_clk);

	t->l2_clk = from + n;
	if (is_read)
		P6_RAISE_FOR(m, L2_DBUS_BUSY_RD, from, n);
	else
		P6_RAISE_FOR(m, L2_DBUS_BUSY, from, n);
	return from;
}

static uint64_t walk(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	const struct p6_params *par = &m->time.par;
	unsigned misses = x->walk_misses;
	uint64_t last;

	for (unsigned i = 0; i < x->walks; i++)
		clk += par->walk_clk;
	for (unsigned i = 0; m->walker.is_on && i < 2u * x->walks - x->large_walks; i++) {
		if (misses) {
			misses--;
			ask_l2(m, clk);
			clk = bus_read(m, clk + par->l2_clk - par->load_clk, 4, false, &last);
			stage(m, P6_STAGE_L2_IN, last);
			stage(m, P6_STAGE_ADS, last);
		} else {
			clk = l2_bus(m, clk, par->l2_word_clk, true);
			ask_l2(m, clk);
			clk += par->l2_word_clk;
		}
	}
	return clk;
}

/* A line that L1 asked for at clk. Returns the clock of its first chunk; *last_clk: of its last. */
static uint64_t line(struct p6 *m, uint64_t clk, bool is_in_l2, bool is_brd, bool is_deferred,
		     uint64_t *last_clk)
{
	const struct p6_params *par = &m->time.par;
	const unsigned after =
	    par->l2_clk > par->load_clk ? (unsigned)(par->l2_clk - par->load_clk) : 0;
	uint64_t first;

	if (is_in_l2) {
		first = l2_bus(m, clk, par->l2_line_clk, true);
		ask_l2(m, first);
		first += after;
		*last_clk = first + par->l2_line_clk;
		stage(m, P6_STAGE_IN, *last_clk);
		return first;
	}
	ask_l2(m, clk);
	first = bus_read_late(m, clk + (m->l2.is_there ? after : 1), p6_bus_line_clocks(m), is_brd,
			      is_deferred ? par->defer_bus_clk : 0, last_clk);
	stage(m, P6_STAGE_L2_IN, *last_clk);
	stage(m, P6_STAGE_IN, *last_clk);
	if (m->l2.is_there)
		stage(m, P6_STAGE_ADS, l2_bus(m, *last_clk, par->l2_line_clk, false));
	return first + 1;
}

/* The buffer that is free first; of several the one with the oldest miss. */
static unsigned first_free(const struct p6_time *t)
{
	unsigned best = 0;

	for (unsigned i = 1; i < t->par.fill_buffers; i++) {
		const struct p6_fill *f = &t->fill[i], *b = &t->fill[best];

		if (f->done_clk < b->done_clk || (f->done_clk == b->done_clk && f->miss < b->miss))
			best = i;
	}
	return best;
}

static struct p6_fill *buffer(struct p6_time *t)
{
	return &t->fill[first_free(t)];
}

uint64_t p6_fill_room(const struct p6_time *t)
{
	return t->fill[first_free(t)].done_clk;
}

/* Lines that L2 alone asked for: a buffer each until they are there. */
static void lines_of_l2(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	struct p6_time *t = &m->time;
	const unsigned after =
	    t->par.l2_clk > t->par.load_clk ? (unsigned)(t->par.l2_clk - t->par.load_clk) : 0;

	for (unsigned i = 0; i < x->l2_lines; i++) {
		struct p6_fill *f = buffer(t);
		const uint64_t from = p6_later(clk, f->done_clk);
		uint64_t last;

		ask_l2(m, from);
		bus_read_late(m, from + after, p6_bus_line_clocks(m), true,
			      i < x->deferred ? t->par.defer_bus_clk : 0, &last);
		stage(m, P6_STAGE_L2_IN, last);
		stage(m, P6_STAGE_ADS, l2_bus(m, last, t->par.l2_line_clk, false));
		*f = (struct p6_fill){
		    x->miss + x->lines + i,	 last + 1, last + 1, from, t->request_clk,
		    P6_FILL_MEMORY | P6_FILL_BRD};
		t->fills_clk = p6_later(t->fills_clk, f->done_clk);
	}
}

uint64_t p6_fill_past(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	struct p6_time *t = &m->time;
	const unsigned n = x->wc_lines + (x->wc_parts != 0);

	for (unsigned i = 0; i < n; i++) {
		struct p6_fill *f = buffer(t);

		clk = p6_later(clk, f->done_clk);
		if (i < x->wc_lines)
			bus_write(m, clk);
		else
			bus_write_parts(m, clk, x->wc_parts);
		*f = (struct p6_fill){
		    x->miss + x->lines + x->l2_lines + i, t->bus_clk, t->bus_clk, 0, 0, 0};
		t->fills_clk = p6_later(t->fills_clk, f->done_clk);
	}
	return clk;
}

static void leaving(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	for (unsigned i = 0; i < x->cast_outs; i++) {
		const uint64_t from = l2_bus(m, clk, m->time.par.l2_line_clk, false);

		stage(m, P6_STAGE_OUT, from);
		stage(m, P6_STAGE_ADS, from);
	}
	for (unsigned i = 0; i < x->write_backs; i++)
		bus_write(m, clk);
}

uint64_t p6_fill_data(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	struct p6_time *t = &m->time;
	unsigned misses = x->l2_misses;
	uint64_t ready = clk + t->par.load_clk;

	if (x->walks) {
		clk = walk(m, x, clk);
		ready = clk + t->par.load_clk;
	}
	for (unsigned i = 0; i < x->lines; i++) {
		struct p6_fill *f = buffer(t);
		const uint64_t from = p6_later(clk, f->done_clk);
		const bool is_miss = misses > 0;
		uint64_t last, first = line(m, from, !is_miss, x->is_brd, i < x->deferred, &last);

		misses -= is_miss;
		*f = (struct p6_fill){x->miss + i,
				      first + t->par.load_clk,
				      last + 1,
				      from,
				      t->request_clk,
				      (uint8_t)(P6_FILL_L1 | (is_miss ? P6_FILL_MEMORY : 0) |
						(x->is_brd ? P6_FILL_BRD : 0))};
		t->fills_clk = p6_later(t->fills_clk, f->done_clk);
		P6_RAISE_FOR(m, DCU_MISS_OUTSTANDING, from, last - from - (is_miss ? 2 : 0));
		ready = p6_later(ready, f->ready_clk);
	}
	if (x->upgrades) {
		uint64_t last;

		ready = p6_later(ready, bus_read(m, clk, 1, false, &last));
	}
	lines_of_l2(m, x, clk);
	leaving(m, x, clk);
	return ready;
}

uint64_t p6_fill_code(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	unsigned misses = x->l2_misses;
	uint64_t last;

	if (x->walks)
		clk = walk(m, x, clk);
	for (unsigned i = 0; i < x->lines; i++) {
		clk = line(m, clk, !misses, false, i < x->deferred, &last);
		misses -= misses > 0;
	}
	if (x->uc_reads)
		clk = p6_fill_uncached(m, x->uc_reads, clk);
	leaving(m, x, clk);
	return clk;
}

uint64_t p6_fill_uncached(struct p6 *m, unsigned n, uint64_t clk)
{
	uint64_t last;

	for (unsigned i = 0; i < n; i++)
		clk = bus_read(m, clk, 1, false, &last) + 1;
	return clk;
}

uint64_t p6_fill_lock_clk(const struct p6 *m, unsigned n)
{
	return p6_bus_to_core_clocks(m, (uint64_t)n * (m->time.par.mem_lead_bus_clk + 1u));
}

uint64_t p6_fill_wait(const struct p6_time *t, const struct p6_effect *x, uint64_t clk)
{
	uint64_t ready = P6_NO_KEY;

	for (unsigned i = 0; x->fill && i < t->par.fill_buffers; i++)
		if (t->fill[i].miss == x->fill && t->fill[i].done_clk > clk &&
		    t->fill[i].ready_clk < ready)
			ready = t->fill[i].ready_clk;
	return ready == P6_NO_KEY ? clk : p6_later(clk, ready);
}
