/* The code side of the P5 in clocks: when D1 can have an instruction, and whose boundaries it
 * knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "model/family.h"
#include "model/p5/p5.h"
#include "stream.h"

enum { CODE = 0x402000, LATER = 10000 };

struct rig {
	struct stream s;
	struct wires w;
	struct p5_system *system;
	struct p5 *m;
};

/* `figure` of catalog/p5/params.tsv (P5_N_PAR: none) set to `value`. */
static void rig_open(struct rig *r, const char *cpu, unsigned figure, uint16_t value)
{
	struct mdl_config cfg;

	memset(r, 0, sizeof(*r));
	stream_open(&r->s);
	cfg = stream_config(&r->s, cpu);
	cfg.p5.n_param = figure < P5_N_PAR;
	cfg.p5.param[0].index = (uint16_t)figure;
	cfg.p5.param[0].value = value;
	assert_int_equal(mdl_p5.open(&cfg, &r->w, (void **)&r->system), 0);
	r->m = r->system->cpu[0];
}

static void rig_close(struct rig *r)
{
	mdl_p5.close(r->system);
	stream_close(&r->s);
}

/* Bring `bytes` of code from `pc` on into L1I. Returns a clock when all is quiet again. */
static uint64_t warm(struct rig *r, uint64_t pc, unsigned bytes, uint64_t clk)
{
	for (uint64_t at = pc; at < pc + bytes; at += 8)
		clk = p5_pf_ready(r->m, at, 8, clk) + 1;
	return clk + LATER;
}

/* Clocks that an instruction at a target waits for its bytes. */
static uint64_t wait_at(struct rig *r, uint64_t pc, unsigned bytes, uint64_t clk)
{
	p5_pf_redirect(r->m, pc, clk, false);
	return p5_pf_ready(r->m, pc, bytes, clk) - clk;
}

/* An instruction over two lines is there at once on the Pentium, whose target is then in the upper
 * half of a line. With MMX one over two halves waits for the second. */
static void instruction_over_two_units(void **state)
{
	struct rig r;
	uint64_t clk;

	(void)state;
	rig_open(&r, "pentium", P5_N_PAR, 0);
	clk = warm(&r, CODE, 128, 0);
	assert_int_equal(wait_at(&r, CODE + 4, 5, clk), 0);
	assert_int_equal(wait_at(&r, CODE + 14, 5, clk + 100), 0);
	assert_int_equal(wait_at(&r, CODE + 30, 5, clk + 200), 0);
	rig_close(&r);
	rig_open(&r, "pentium", P5_PAR_PF_IS_SPLIT, 0);
	clk = warm(&r, CODE, 128, 0);
	assert_int_equal(wait_at(&r, CODE + 30, 5, clk), 1);
	rig_close(&r);
	rig_open(&r, "pentium-mmx", P5_N_PAR, 0);
	clk = warm(&r, CODE, 128, 0);
	assert_int_equal(wait_at(&r, CODE + 4, 5, clk), 0);
	assert_int_equal(wait_at(&r, CODE + 14, 5, clk + 100), 1);
	assert_int_equal(wait_at(&r, CODE + 30, 5, clk + 200), 1);
	rig_close(&r);
}

/* Straight code does not wait, but for the first instruction of a page. */
static void straight_code(void **state)
{
	(void)state;
	for (unsigned mmx = 0; mmx < 2; mmx++) {
		uint64_t clk, waited = 0;
		struct rig r;

		rig_open(&r, mmx ? "pentium-mmx" : "pentium", P5_N_PAR, 0);
		clk = warm(&r, CODE + 0xf00, 0x200, 0);
		p5_pf_redirect(r.m, CODE + 0xf00, clk, false);
		for (uint64_t at = CODE + 0xf00; at < CODE + 0x1100;
		     at += 8) { /* 8 bytes per clock */
			const uint64_t ready = p5_pf_ready(r.m, at, 8, clk);

			waited += ready - clk;
			if (ready != clk)
				assert_int_equal(at, CODE + 0x1000);
			clk = ready + 1;
		}
		assert_int_equal(waited, 1);
		rig_close(&r);
	}
}

/* A cold line: the wanted 8 bytes first; the rest all at once on the Pentium, one after the other
 * with MMX. */
static void cold_line(void **state)
{
	uint64_t wait[2][4];

	(void)state;
	for (unsigned mmx = 0; mmx < 2; mmx++) {
		struct rig r;

		rig_open(&r, mmx ? "pentium-mmx" : "pentium", P5_N_PAR, 0);
		p5_pf_redirect(r.m, CODE + 16, LATER, false);
		/* the upper half of a line comes with the next one */
		assert_int_equal(r.m->dyn[WIRE_P5_ICACHE_READ], mmx ? 1 : 2);
		assert_int_equal(r.m->seen[WIRE_P5_ICACHE_MISS], mmx ? 1 : 2);
		assert_int_equal(r.m->seen[WIRE_P5_ITLB_MISS], 1);
		rig_close(&r);
		rig_open(&r, mmx ? "pentium-mmx" : "pentium", P5_N_PAR, 0);
		p5_pf_redirect(r.m, CODE + 8, LATER, false);
		assert_int_equal(r.m->seen[WIRE_P5_ICACHE_MISS], 1);
		for (unsigned k = 0; k < 4; k++)
			wait[mmx][k] = r.m->time.code_fill.clk[1 ^ k] - LATER;
		rig_close(&r);
	}
	assert_true(wait[0][0] < wait[0][1] && wait[0][1] == wait[0][2] &&
		    wait[0][2] == wait[0][3]);
	assert_true(wait[1][0] < wait[1][1] && wait[1][1] < wait[1][2] && wait[1][2] < wait[1][3]);
}

/* A line that the board's cache has costs what the figures say. */
static void cost_of_a_line(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 3; more++) {
		struct rig r;
		uint64_t clk;

		rig_open(&r, "pentium-60", P5_PAR_ICACHE_MISS_RETURN_CLK,
			 (uint16_t)(1 + more)); /* bus at core clock */
		clk = warm(&r, CODE, 64, 0);
		for (unsigned k = 1; k <= 4;
		     k++) /* CODE leaves L1I, and stays in the board's cache */
			clk = warm(&r, CODE + 0x1000 * k, 32, clk);
		wait_at(&r, CODE + 0x40, 1, clk); /* the page is known again */
		assert_int_equal(wait_at(&r, CODE, 1, clk + 1000),
				 r.m->par[P5_PAR_BUS_TO_BUS_CLK] + r.m->par[P5_PAR_BUS_L2_LEAD] +
				     more);
		rig_close(&r);
	}
}

/* Marks: set when asked, gone with the line. */
static void boundaries(void **state)
{
	struct rig r;
	uint64_t clk;

	(void)state;
	rig_open(&r, "pentium", P5_N_PAR, 0);
	assert_false(p5_icache_is_marked(r.m, CODE, 3)); /* not even there */
	assert_false(p5_icache_is_marked(r.m, CODE, 3));
	clk = warm(&r, CODE, 64, 0);
	assert_false(p5_icache_is_marked(r.m, CODE, 3));
	assert_true(p5_icache_is_marked(r.m, CODE, 3));
	assert_false(p5_icache_is_marked(r.m, CODE + 30, 4)); /* it ends in the next line */
	assert_true(p5_icache_is_marked(r.m, CODE + 30, 4));
	for (unsigned k = 1; k <= 4; k++)
		clk = warm(&r, CODE + 0x1000 * k, 32, clk);
	warm(&r, CODE, 32, clk);
	assert_false(p5_icache_is_marked(r.m, CODE, 3));
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(instruction_over_two_units),
	    cmocka_unit_test(straight_code),
	    cmocka_unit_test(cold_line),
	    cmocka_unit_test(cost_of_a_line),
	    cmocka_unit_test(boundaries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
