/* The data side and the bus of the P5 in time: what single accesses wait, worked out by hand
 * from the figures. Accesses are made at clocks of the test's choice, without pipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "gen/p5_params.h"
#include "model/family.h"
#include "model/p5/p5.h"
#include "stream.h"

enum { A = 0x10000000, PAGE = 4096 };

struct rig {
	struct stream s;
	struct wires w;
	struct mdl_config cfg;
	struct p5_system *system;
	struct p5 *m;
};

/* A processor on a board without second-level cache whose memory takes lead-step-step-step, rows
 * and walks costing nothing; writes take 4 bus clocks; cycles do not overlap. */
static void rig_open(struct rig *r, const char *cpu, unsigned lead, unsigned step)
{
	memset(r, 0, sizeof(*r));
	stream_open(&r->s);
	r->cfg = stream_config(&r->s, cpu);
	r->cfg.has_walks = 0;
	const struct mdl_param f[] = {
	    {P5_PAR_BUS_L2_KB, 0},
	    {P5_PAR_BUS_MEM_LEAD, (uint16_t)lead},
	    {P5_PAR_BUS_MEM_STEP, (uint16_t)step},
	    {P5_PAR_BUS_MEM_ROW, 0},
	    {P5_PAR_BUS_WRITE_LEAD, 4},
	    {P5_PAR_BUS_WRITE_STEP, 1},
	    {P5_PAR_BUS_IS_PIPELINED, 0},
	};
	memcpy(r->cfg.p5.param, f, sizeof(f));
	r->cfg.p5.n_param = sizeof(f) / sizeof(f[0]);
}

static void rig_set(struct rig *r, unsigned figure, unsigned value)
{
	r->cfg.p5.param[r->cfg.p5.n_param++] =
	    (struct mdl_param){(uint16_t)figure, (uint16_t)value};
}

static void rig_start(struct rig *r)
{
	void *self;

	assert_int_equal(mdl_p5.open(&r->cfg, &r->w, &self), 0);
	r->system = self;
	r->m = r->system->cpu[0];
	assert_true(r->m->time.is_on);
}

static void rig_close(struct rig *r)
{
	mdl_p5.close(r->system);
	stream_close(&r->s);
}

/* Clocks that an operand at lin, in EX at clk, waits. */
static uint64_t operand(struct rig *r, uint64_t clk, uint64_t lin, struct p5_operand op)
{
	r->m->time.data_clk = clk;
	p5_dcache_count_parts(r->m, &op, 1);
	p5_dcache_ref(r->m, lin, &op);
	return r->m->time.data_clk - clk;
}

static uint64_t load(struct rig *r, uint64_t clk, uint64_t lin)
{
	return operand(r, clk, lin, (struct p5_operand){.bytes = 4, .access = P5_READ});
}

static uint64_t store(struct rig *r, uint64_t clk, uint64_t lin)
{
	return operand(r, clk, lin, (struct p5_operand){.bytes = 4, .access = P5_WRITE});
}

static uint64_t count(const struct rig *r, unsigned wire)
{
	return r->m->dyn[wire] + r->m->seen[wire];
}

/* A bus without wait states: a read miss takes 4 clocks on the P5, 8 at ratio 2 on the Pentium
 * with MMX. */
static void a_read_miss_takes_the_published_minimum(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 3);
	assert_int_equal(load(&r, 200, A), 0);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 3);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 5);
	rig_close(&r);
	rig_open(&r, "pentium-60", 2, 1);
	rig_set(&r, P5_PAR_DCACHE_MISS_RETURN_CLK, 0);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 2);
	rig_close(&r);
	rig_open(&r, "pentium-mmx", 2, 1);
	rig_set(&r, P5_PAR_BUS_RATIO_X2, 4);
	rig_start(&r);
	assert_int_equal(load(&r, 101, A), 7);	    /* asked for at 102: an edge */
	assert_int_equal(load(&r, 200, A + 32), 8); /* asked for at 201: 202 is the edge */
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 20);
	rig_close(&r);
}

/* Ratio 1.5: edges at 0, 1.5, 3, 4.5 ...; the core sees 1.5 as 2. */
static void bus_edges_of_half_ratios(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-100", 2, 1);
	rig_start(&r);
	assert_int_equal(load(&r, 300, A), 5); /* asked for at 301: 301.5 to 304.5, seen in 305 */
	assert_int_equal(load(&r, 401, A + 32), 4); /* 402 to 405 */
	rig_close(&r);
}

/* The 8 bytes that are wanted come first: 8, 0, 18, 10. */
static void a_line_arrives_in_pieces(void **state)
{
	static const unsigned wait_mmx[] = {1, 0, 5, 3};
	struct rig r;

	for (unsigned chunk = 0; chunk < 4; chunk++) {
		rig_open(&r, "pentium-mmx", 4, 2);
		rig_set(&r, P5_PAR_BUS_RATIO_X2, 2);
		rig_start(&r);
		/* asked for at 101, 8 bytes behind 105, 107, 109, 111, usable 2 clocks later */
		assert_int_equal(load(&r, 100, A + 8), 7);
		assert_int_equal(load(&r, 108, A + 8 * chunk), wait_mmx[chunk]);
		rig_close(&r);
		rig_open(&r, "pentium-60", 4, 2);
		rig_start(&r);
		assert_int_equal(load(&r, 50, A + 64), 5);
		assert_int_equal(load(&r, 100, A + 8), 5);
		assert_int_equal(load(&r, 106, A + 64), 0); /* another line */
		assert_int_equal(load(&r, 106, A + 8 * chunk),
				 5); /* the whole line is there in 111 */
		assert_int_equal(store(&r, 107, A + 8 * chunk), 4);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 15);
		rig_close(&r);
	}
}

/* A second miss waits until the line before it is there. */
static void one_line_at_a_time(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 4, 2);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 5);	     /* 101: 105 107 109 111; over in 112 */
	assert_int_equal(load(&r, 106, A + 32), 10); /* 112: 116 */
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 20);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY_TIMES), 2);
	rig_close(&r);
}

/* Both pipes wait for the same clocks: they pass once. */
static void clocks_of_a_pair_count_once(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 4, 2);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 5);
	r.m->time.is_in_v = true;
	assert_int_equal(load(&r, 100, A + 16), 11);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 11);
	assert_int_equal(r.m->time.wait[P5_WHY_DATA_MISS], 11);
	rig_close(&r);
}

/* Memory that has another row open takes longer; what the board's cache holds comes fast. */
static void boards_have_rows_and_caches(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 6, 2);
	rig_set(&r, P5_PAR_BUS_MEM_ROW, 3);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 7);
	assert_int_equal(load(&r, 200, A + 32), 7);
	assert_int_equal(load(&r, 300, A + PAGE), 10);
	assert_int_equal(load(&r, 400, A + 64), 10);
	rig_close(&r);
	rig_open(&r, "pentium-60", 6, 2);
	rig_set(&r, P5_PAR_BUS_L2_KB, 64);
	rig_start(&r);
	assert_int_equal(load(&r, 100, A), 7);
	for (unsigned i = 1; i <= 2; i++) /* out of L1D, not out of the board's cache */
		load(&r, 100 + 100 * i, A + PAGE * i);
	assert_int_equal(load(&r, 400, A), 4);
	load(&r, 500, A + 65536); /* its place in the board's cache */
	load(&r, 600, A + PAGE * 3);
	load(&r, 700, A + PAGE * 4);
	assert_int_equal(load(&r, 800, A), 7);
	rig_close(&r);
}

/* Two cycles overlap with NA#: the address of the second goes out 2 bus clocks behind the
 * first's. */
static void pipelined_cycles_share_clocks(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 6, 2);
	rig_set(&r, P5_PAR_BUS_IS_PIPELINED, 1);
	rig_set(&r, P5_PAR_WBUF_ENTRIES, 4);
	rig_set(&r, P5_PAR_WBUF_IS_PER_PIPE, 0);
	rig_start(&r);
	assert_int_equal(store(&r, 100, A), 0);	    /* 101 to 105 */
	assert_int_equal(store(&r, 101, A + 8), 0); /* 103 to 107 */
	assert_int_equal(store(&r, 102, A + 16),
			 0); /* third: not before the end of the first: 105 to 109 */
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 8);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY_TIMES), 1);
	/* a read never passes: 107, data of memory 6 later */
	assert_int_equal(load(&r, 103, A + 64), 10);
	rig_close(&r);
}

/* N stores that miss, one in each clock: all but the first wait for the bus cycle before (P5),
 * or all but four (Pentium with MMX). w bus clocks each. */
static void stores_wait_for_buffers(void **state)
{
	enum { N = 10, W = 4 };
	struct rig r;
	uint64_t clk = 100;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	for (unsigned i = 0; i < N; i++)
		clk += 1 + store(&r, clk, A);
	assert_int_equal(count(&r, WIRE_P5_WBUF_FULL_STALL), (N - 1) * (W - 1));
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 0);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_MISS), N);
	rig_close(&r);
	rig_open(&r, "pentium-mmx", 2, 1);
	rig_set(&r, P5_PAR_BUS_RATIO_X2, 2);
	rig_start(&r);
	clk = 100;
	for (unsigned i = 0; i < N; i++) {
		const struct p5_operand op = {.bytes = 8, .access = P5_WRITE, .is_mmx = true};

		clk += 1 + operand(&r, clk, A, op);
	}
	/* the bus takes N cycles of W clocks; the last four are still in the buffers, but for
	 * their first clock */
	assert_int_equal(count(&r, WIRE_P5_WBUF_FULL_STALL), (N - 4) * W - (N - 1));
	assert_int_equal(count(&r, WIRE_P5_WBUF_FULL_STALL_MMX), (N - 4) * W - (N - 1));
	rig_close(&r);
}

/* On the P5 each pipe has its buffer: a pair of stores finds both free. */
static void each_pipe_has_its_buffer(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	assert_int_equal(store(&r, 100, A), 0); /* 101 to 105 */
	r.m->time.is_in_v = true;
	assert_int_equal(store(&r, 100, A + 8), 0); /* 105 to 109 */
	assert_int_equal(store(&r, 101, A + 16), 7);
	rig_close(&r);
}

/* A store that hits waits for the last clock of the writes before it. */
static void a_store_that_hits_keeps_order(void **state)
{
	struct rig r;

	for (unsigned errata = 0; errata < 2; errata++) {
		rig_open(&r, "pentium-mmx", 2, 1);
		rig_set(&r, P5_PAR_BUS_RATIO_X2, 2);
		r.cfg.p5.has_errata = (uint8_t)errata;
		rig_start(&r);
		load(&r, 50, A);
		assert_int_equal(store(&r, 100, A + PAGE), 0); /* 101 to 105 */
		assert_int_equal(store(&r, 102, A), 2);
		assert_int_equal(store(&r, 105, A), 0);
		assert_int_equal(count(&r, WIRE_P5_WBUF_HIT_STALL), errata ? 0 : 2);
		assert_int_equal(count(&r, WIRE_P5_WBUF_HIT_STALL_TIMES), errata ? 0 : 1);
		assert_int_equal(count(&r, WIRE_P5_WBUF_HIT_STALL_MMX), 0);
		rig_close(&r);
	}
}

/* A modified line leaves behind the line that takes its place. */
static void a_modified_line_leaves_behind_the_new_one(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	load(&r, 100, A);
	store(&r, 120, A);
	load(&r, 140, A + PAGE);
	assert_int_equal(load(&r, 200, A + 2 * PAGE), 3); /* 201 to 206; then 4-1-1-1 to 213 */
	assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_BACK), 1);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 3 * 5 + 7);
	assert_int_equal(load(&r, 208, A + 32), 7); /* the bus is free in 213 */
	rig_close(&r);
}

/* A walk reads two entries; the access waits for both, then for its line. */
static void walks_read_their_tables(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 6, 2);
	r.cfg.has_walks = 1;
	rig_start(&r);
	assert_int_equal(load(&r, 100, A),
			 16 + 7); /* 101 to 107, 108 to 114, and 2; then the line */
	assert_int_equal(count(&r, WIRE_P5_BUS_UNCACHED_READ), 2);
	assert_int_equal(count(&r, WIRE_P5_DTLB_STALL), 16);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 23);
	assert_int_equal(store(&r, 200, A + PAGE), 16);
	assert_int_equal(count(&r, WIRE_P5_DTLB_STALL), 32);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL),
			 39); /* the look-up of a page is a read */
	assert_int_equal(r.m->time.wait[P5_WHY_DATA_TLB], 32);
	rig_close(&r);
}

static void cut_operands_take_longer(void **state)
{
	struct rig r;

	for (unsigned errata = 0; errata < 2; errata++) {
		rig_open(&r, "pentium-60", 2, 1);
		r.cfg.p5.has_errata = (uint8_t)errata;
		rig_start(&r);
		load(&r, 100, A);
		assert_int_equal(load(&r, 120, A + 3), 3);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 3 + (errata ? 2 : 3));
		assert_int_equal(store(&r, 130, A + 3), 3);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_STALL), 3 + (errata ? 2 : 3));
		assert_int_equal(
		    operand(&r, 140, A + 3, (struct p5_operand){.bytes = 4, .access = 3}), 6);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_MISALIGNED), 4);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_MISS), 1);
		load(&r, 200, A + PAGE + 3);
		store(&r, 300, A + 2 * PAGE + 3);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_MISS), errata ? 3 : 2);
		assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_MISS), errata ? 3 : 2);
		operand(&r, 400, A + 3,
			(struct p5_operand){.bytes = 4, .access = P5_WRITE, .is_fst = errata});
		assert_int_equal(count(&r, WIRE_P5_DCACHE_MISALIGNED), errata ? 8 : 7);
		rig_close(&r);
	}
}

static void locked_reads_go_to_the_bus(void **state)
{
	const struct p5_operand op = {.bytes = 4, .access = 3, .is_locked = true};
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	load(&r, 100, A);
	assert_int_equal(operand(&r, 200, A, op), 3); /* read 201 to 203; write asked for at 206 */
	assert_int_equal(operand(&r, 300, A, op), 3);
	assert_int_equal(count(&r, WIRE_P5_BUS_UNCACHED_READ), 2);
	assert_int_equal(count(&r, WIRE_P5_BUS_LOCKED), 2);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 5 + 2 * (2 + 4));
	rig_close(&r);
}

static void uncached_memory_goes_to_the_bus(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	r.cfg.uncached[0] = (struct mdl_range){A + 40, A + 65}; /* its lines: A + 32 to A + 96 */
	r.cfg.n_uncached = 1;
	rig_start(&r);
	load(&r, 100, A);
	assert_int_equal(load(&r, 110, A), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(load(&r, 200 + 20 * i, A + 32), 3);
		assert_int_equal(store(&r, 210 + 20 * i, A + 92), 0);
	}
	load(&r, 300, A + 96);
	assert_int_equal(load(&r, 320, A + 96), 0);
	assert_int_equal(count(&r, WIRE_P5_BUS_UNCACHED_READ), 3);
	assert_int_equal(count(&r, WIRE_P5_BUS_UNCACHED_WRITE), 3);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_READ_MISS), 5);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_MISS), 3);
	rig_close(&r);
}

static void breakpoints_see_what_they_watch(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	r.cfg.p5.breakpoint[0] = (struct mdl_breakpoint){A + 4, 4, MDL_BREAK_ACCESS};
	r.cfg.p5.breakpoint[1] = (struct mdl_breakpoint){A + 4, 1, MDL_BREAK_WRITE};
	r.cfg.p5.breakpoint[3] = (struct mdl_breakpoint){A, 1, MDL_BREAK_EXECUTE};
	rig_start(&r);
	load(&r, 100, A);
	load(&r, 110, A + 1); /* over A + 4 */
	store(&r, 120, A + 4);
	store(&r, 130, A + 6);
	store(&r, 140, A + 8);
	assert_int_equal(count(&r, WIRE_P5_DEBUG_DR0), 3);
	assert_int_equal(count(&r, WIRE_P5_DEBUG_DR1), 1);
	assert_int_equal(count(&r, WIRE_P5_DEBUG_DR2), 0);
	p5_debug_execute(r.m, A);
	p5_debug_execute(r.m, A + 1);
	r.m->time.is_in_v = true;
	p5_debug_execute(r.m, A);
	assert_int_equal(count(&r, WIRE_P5_DEBUG_DR3), 1);
	rig_close(&r);
}

static void the_timer_asks_every_period(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	r.cfg.timer_hz = 1000;
	rig_start(&r);
	assert_int_equal(r.m->intr.period_clk, 60000);
	for (uint64_t clk = 0; clk < 60000 * 10; clk += 7) {
		r.m->time.data_clk = clk;
		if (p5_int_is_due(&r.m->intr, r.m->time.data_clk, r.m->time.is_in_v))
			p5_int_accept(r.m);
	}
	assert_int_equal(count(&r, WIRE_P5_INT_HW), 9);
	assert_int_equal(r.m->time.wait[P5_WHY_FLUSH], 27);
	rig_close(&r);
}

/* The frame of a page that was read. */
static struct p5_frame frame(struct rig *r, uint64_t lin)
{
	const struct page page = pages_get(r->m->pages, lin >> PAGE_LOG2);

	return (struct p5_frame){page.id, page.colour};
}

/* Inquiries: of K lines read, K more written, K that are nowhere; read by the other processor,
 * then written. */
static void inquiries_find_what_is_there(void **state)
{
	enum { K = 20 };
	uint64_t total[WIRE_N] = {0};
	struct rig r;

	rig_open(&r, "pentium-mmx", 2, 1);
	rig_start(&r);
	for (unsigned i = 0; i < 2 * K; i++)
		load(&r, 100 * i, A + 32 * i);
	for (unsigned i = K; i < 2 * K; i++)
		store(&r, 10000 + 100 * i, A + 32 * i);
	for (unsigned i = 0; i < 3 * K; i++)
		assert_int_equal(p5_bus_snoop(r.m, frame(&r, A), 32 * i, false, true),
				 i < K	     ? CACHE_E
				 : i < 2 * K ? CACHE_M
					     : CACHE_I);
	assert_int_equal(count(&r, WIRE_P5_BUS_SNOOP), 3 * K);
	assert_int_equal(count(&r, WIRE_P5_BUS_SNOOP_HIT), 2 * K);
	assert_int_equal(count(&r, WIRE_P5_BUS_SHARE), 2 * K);
	assert_int_equal(count(&r, WIRE_P5_BUS_SHARE_M), K);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_BACK), K);
	store(&r, 20000, A); /* S: the bus hears of the first write only */
	store(&r, 20100, A);
	assert_int_equal(count(&r, WIRE_P5_DCACHE_WRITE_MISS), 0);
	mdl_p5.cpu_totals(r.system, 0, total);
	assert_int_equal(total[WIRE_P5_DCACHE_WRITE_HIT_ME], K + 1);
	assert_int_equal(p5_bus_snoop(r.m, frame(&r, A), 0, true, false), CACHE_M);
	assert_int_equal(p5_bus_snoop(r.m, frame(&r, A), 0, true, false), CACHE_I);
	assert_int_equal(count(&r, WIRE_P5_BUS_SHARE), 2 * K);
	rig_close(&r);
}

/* 18H counts the clocks that another master has the bus, 2EH does not; own cycles wait. */
static void hold_keeps_the_bus_busy(void **state)
{
	struct rig r;

	rig_open(&r, "pentium-60", 2, 1);
	rig_start(&r);
	p5_bus_hold(r.m, 100, 50);
	assert_int_equal(load(&r, 120, A), 150 + 2 - 120);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY), 50 + 5);
	assert_int_equal(count(&r, WIRE_P5_BUS_BUSY_SELF), 5);
	for (unsigned i = 0; i < 10; i++)
		p5_bus_grant(r.m, 7);
	assert_int_equal(count(&r, WIRE_P5_BUS_OWNER_WAIT), 70);
	assert_int_equal(count(&r, WIRE_P5_BUS_OWNER_CHANGE), 10);
	rig_close(&r);
}

static void banks_are_four_bytes_wide(void **state)
{
	assert_true(p5_dcache_is_same_bank(A, A + 1));
	assert_false(p5_dcache_is_same_bank(A + 3, A + 4));
	assert_true(p5_dcache_is_same_bank(A + 4, A + 4 + 32));
	assert_false(p5_dcache_is_same_bank(A, A + 16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_read_miss_takes_the_published_minimum),
	    cmocka_unit_test(bus_edges_of_half_ratios),
	    cmocka_unit_test(a_line_arrives_in_pieces),
	    cmocka_unit_test(one_line_at_a_time),
	    cmocka_unit_test(clocks_of_a_pair_count_once),
	    cmocka_unit_test(boards_have_rows_and_caches),
	    cmocka_unit_test(pipelined_cycles_share_clocks),
	    cmocka_unit_test(stores_wait_for_buffers),
	    cmocka_unit_test(each_pipe_has_its_buffer),
	    cmocka_unit_test(a_store_that_hits_keeps_order),
	    cmocka_unit_test(a_modified_line_leaves_behind_the_new_one),
	    cmocka_unit_test(walks_read_their_tables),
	    cmocka_unit_test(cut_operands_take_longer),
	    cmocka_unit_test(locked_reads_go_to_the_bus),
	    cmocka_unit_test(uncached_memory_goes_to_the_bus),
	    cmocka_unit_test(breakpoints_see_what_they_watch),
	    cmocka_unit_test(the_timer_asks_every_period),
	    cmocka_unit_test(inquiries_find_what_is_there),
	    cmocka_unit_test(hold_keeps_the_bus_busy),
	    cmocka_unit_test(banks_are_four_bytes_wide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
