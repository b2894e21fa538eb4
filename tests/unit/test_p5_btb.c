/* Branch prediction of the P5: published behaviour, and what entries do to code that has no branch.
 * Issue slots are made here; nothing executes. */
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

enum { CODE = 0x401000, MILLION = 1000000 };

struct rig {
	struct stream s;
	struct wires w;
	struct p5_system *system;
	struct p5 *m;
	uint64_t clk;
	unsigned lost; /* clocks by the last slot */
};

/* `figure` of catalog/p5/params.tsv (P5_N_PAR: none) set to `value`. */
static void rig_open_with(struct rig *r, const char *cpu, unsigned figure, uint16_t value)
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

static void rig_open(struct rig *r, const char *cpu)
{
	rig_open_with(r, cpu, P5_N_PAR, 0);
}

static void rig_close(struct rig *r)
{
	mdl_p5.close(r->system);
	stream_close(&r->s);
}

static void issue(struct rig *r, struct p5_slot *s)
{
	s->ex_clk = r->clk;
	s->end_clk = r->clk + 1;
	r->lost = p5_btb_slot(r->m, s);
	r->clk = s->end_clk + r->lost;
}

/* Two instructions of 2 bytes that are no branches. */
static void pair(struct rig *r, uint64_t pc)
{
	struct p5_slot s = {.u_pc = pc, .v_pc = pc + 2, .fall = pc + 4, .next = pc + 4};

	issue(r, &s);
}

/* `n` pairs one behind the other. Returns the address behind them. */
static uint64_t pairs(struct rig *r, uint64_t pc, unsigned n)
{
	for (; n; n--, pc += 4)
		pair(r, pc);
	return pc;
}

/* A branch of 2 bytes, alone in U or with a 2-byte instruction before it. Goes to `target` when
 * taken. */
static void branch(struct rig *r, uint64_t pc, enum p5_branch_kind kind, bool is_in_v,
		   bool is_taken, uint64_t target)
{
	const uint64_t at = is_in_v ? pc + 2 : pc;
	struct p5_slot s = {.u_pc = pc,
			    .v_pc = is_in_v ? at : 0,
			    .kind = (uint8_t)kind,
			    .is_in_v = is_in_v,
			    .is_taken = is_taken,
			    .bytes = 2,
			    .pc = at,
			    .fall = at + 2};

	s.next = is_taken ? target : s.fall;
	issue(r, &s);
}

static uint64_t flushes(const struct rig *r)
{
	return r->m->dyn[WIRE_P5_CORE_FLUSH_BRANCH];
}

/* A branch in the middle of a loop of 12 slots whose own branch is always taken. */
static void long_loop(struct rig *r, bool is_taken)
{
	uint64_t pc = pairs(r, CODE, 5);

	branch(r, pc, P5_BR_JCC, false, is_taken, CODE + 0x100);
	pc = pairs(r, is_taken ? CODE + 0x100 : pc + 2, 5);
	branch(r, pc, P5_BR_JMP, false, true, CODE);
}

/* Flushes of `n` runs through the pattern, after as much again to warm up. */
static uint64_t flushes_of_pattern(struct rig *r, const char *pattern, unsigned n)
{
	uint64_t before;

	for (unsigned i = 0; i < 20; i++)
		for (const char *p = pattern; *p; p++)
			long_loop(r, *p == '1');
	before = flushes(r);
	for (unsigned i = 0; i < n; i++)
		for (const char *p = pattern; *p; p++)
			long_loop(r, *p == '1');
	return flushes(r) - before;
}

/* Case O34: state 0 goes to 3, so each rare taken costs three; the other way round it is one. */
static void pentium_prefers_taken(void **state)
{
	static const char *const rare[] = {"0001", "00001", "00000001"};
	static const char *const often[] = {"1110", "11110", "11111110"};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct rig r;

		rig_open(&r, "pentium");
		assert_int_equal(flushes_of_pattern(&r, rare[i], MILLION / 8), 3 * (MILLION / 8));
		rig_close(&r);
		rig_open(&r, "pentium");
		assert_int_equal(flushes_of_pattern(&r, often[i], MILLION / 8), MILLION / 8);
		rig_close(&r);
	}
}

/* Case O37: a slot that jumps to itself lies in the shadow of its own flush. */
static void pentium_loop_of_one_slot_never_learns(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "pentium");
	for (unsigned i = 0; i < MILLION; i++)
		branch(&r, CODE, P5_BR_JCC, true, true, CODE);
	assert_int_equal(flushes(&r), MILLION);
	assert_int_equal(r.m->dyn[WIRE_P5_CORE_FLUSH_BRANCH_WB], MILLION);
	assert_int_equal(r.lost, 4);
	rig_close(&r);
}

/* Case O35, first half: every pattern of period up to 5. */
static void mmx_learns_short_patterns(void **state)
{
	(void)state;
	for (unsigned period = 1; period <= 5; period++) {
		for (unsigned bits = 0; bits < 1u << period; bits++) {
			char pattern[6] = "";
			struct rig r;

			for (unsigned k = 0; k < period; k++)
				pattern[k] = (char)('0' + (bits >> k & 1));
			rig_open(&r, "pentium-mmx");
			assert_int_equal(flushes_of_pattern(&r, pattern, 1000), 0);
			rig_close(&r);
		}
	}
}

/* A loop of `trips` with `n_pairs` pairs before its own pair of instruction and branch; called from
 * an outer one, 20000 times. Flushes of the inner branch per call, once warm. */
static double flushes_of_loop(unsigned trips, unsigned n_pairs)
{
	const uint64_t outer = CODE, inner = CODE + 40;
	uint64_t before = 0;
	struct rig r;

	rig_open(&r, "pentium-mmx");
	for (unsigned i = 0; i < 21000; i++) {
		if (i == 1000)
			before = flushes(&r);
		pairs(&r, outer, 10);
		for (unsigned k = 1; k <= trips; k++)
			branch(&r, pairs(&r, inner, n_pairs), P5_BR_JCC, true, k < trips, inner);
		branch(&r, inner + 0x80, P5_BR_JMP, false, true, outer);
	}
	before = flushes(&r) - before;
	rig_close(&r);
	return (double)before / 20000;
}

/* Case O35, second half. */
static void mmx_tight_loops_know_six_trips(void **state)
{
	(void)state;
	assert_true(flushes_of_loop(5, 4) == 0);
	assert_true(flushes_of_loop(6, 4) >= 1);
	assert_true(flushes_of_loop(6, 3) >= 1); /* 8 instructions */
	assert_true(flushes_of_loop(6, 2) == 0); /* 6 instructions */
	assert_true(flushes_of_loop(6, 1) == 0);
	assert_true(flushes_of_loop(6, 0) == 0);
	assert_true(flushes_of_loop(8, 2) >= 1);
	assert_true(flushes_of_loop(2, 0) > 0); /* learnt by longer loops */
	assert_true(flushes_of_loop(2, 4) == 0);
}

/* Case O36. */
static void mmx_random_outcomes(void **state)
{
	static const struct {
		double p, missed;
	} row[] = {{.10, .110}, {.25, .300}, {.40, .462}, {.50, .500}};

	(void)state;
	for (unsigned i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint64_t rng = 12345 + i;
		struct rig r;
		double missed;

		rig_open(&r, "pentium-mmx");
		for (unsigned k = 0; k < MILLION; k++) {
			const uint64_t x = stream_random(&rng) >> 8 & 0xffffff;

			long_loop(&r, (double)x / 0x1000000 < row[i].p);
		}
		missed = (double)flushes(&r) / MILLION;
		if (missed < row[i].missed - .005 || missed > row[i].missed + .005)
			fail_msg("p = %.2f: %.4f, published %.3f", row[i].p, missed, row[i].missed);
		rig_close(&r);
	}
}

/* A branch taken in state 0 goes to 3; met again within 4 slots, to 1, and so is mispredicted once
 * more. */
static void pentium_tight_loop_starts_late(void **state)
{
	(void)state;
	for (unsigned slots = 2; slots <= 7; slots++) {
		struct rig r;

		rig_open(&r, "pentium");
		pair(&r, CODE - 4);
		for (unsigned k = 0; k < 10; k++)
			branch(&r, pairs(&r, CODE, slots - 1), P5_BR_JCC, true, true, CODE);
		assert_int_equal(flushes(&r), slots <= 4 ? 2 : 1);
		rig_close(&r);
	}
}

/* A loop of 6 pairs, N passes, nothing known before: 13H and 14H. */
static void hits_of_a_cold_loop(void **state)
{
	enum { N = 100 };

	(void)state;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		struct rig r;

		rig_open(&r, cpu ? "pentium-mmx" : "pentium");
		for (unsigned k = 1; k <= N; k++) {
			uint64_t pc = CODE;

			for (unsigned i = 0; i < 5; i++, pc += 4) {
				struct p5_slot s = {
				    .u_pc = pc, .v_pc = pc + 2, .fall = pc + 4, .next = pc + 4};

				s.could_pair = !cpu && k == 1; /* the first pass does not pair */
				issue(&r, &s);
			}
			branch(&r, pc, P5_BR_JCC, true, k < N, CODE);
		}
		assert_int_equal(r.m->dyn[WIRE_P5_BTB_HIT], cpu ? N - 1 : N - 2);
		assert_int_equal(r.m->dyn[WIRE_P5_BTB_TAKEN_OR_HIT], N);
		rig_close(&r);
	}
}

/* Clocks that a wrong stream costs, by pipe and kind. */
static void penalties(void **state)
{
	(void)state;
	for (unsigned more = 0; more < 2; more++) {
		struct rig r;
		uint64_t pc;

		rig_open(&r, more ? "pentium-mmx" : "pentium");
		branch(&r, pairs(&r, CODE, 8), P5_BR_JCC, false, true, CODE + 0x100);
		assert_int_equal(r.lost, 3 + more);
		branch(&r, pairs(&r, CODE + 0x100, 8), P5_BR_JCC, true, true, CODE + 0x200);
		assert_int_equal(r.lost, 4 + more);
		branch(&r, pairs(&r, CODE + 0x200, 8), P5_BR_CALL, true, true, CODE + 0x300);
		assert_int_equal(r.lost, 3 + more);
		pc = pairs(&r, CODE + 0x300, 8);
		branch(&r, pc, P5_BR_JCC, true, false, CODE);
		assert_int_equal(r.lost, 0);
		branch(&r, pairs(&r, CODE + 0x100, 8), P5_BR_JCC, true, true, CODE + 0x200);
		assert_int_equal(r.lost, 0);
		rig_close(&r);
	}
}

/* An entry behind a jump that sometimes falls through is applied to what the jump leads to: 3
 * clocks, until it is worn out. */
static void pentium_entry_of_no_branch(void **state)
{
	struct rig r;
	uint64_t lost = 0;

	(void)state;
	rig_open(&r, "pentium");
	for (unsigned i = 0; i < 40;
	     i++) { /* jb L1 is taken three times of four, jmp L2 follows it */
		uint64_t pc = pairs(&r, CODE, 8);
		const bool is_taken = i % 8 != 0;

		branch(&r, pc, P5_BR_JCC, true, is_taken, CODE + 0x100);
		if (!is_taken) {
			branch(&r, pc + 4, P5_BR_JMP, false, true, CODE + 0x200);
		} else {
			pair(&r, CODE + 0x100);
			lost += r.lost;
		}
		pairs(&r, CODE + 0x200, 3);
		branch(&r, CODE + 0x20c, P5_BR_JMP, false, true, CODE);
	}
	assert_true(r.m->dyn[WIRE_P5_BTB_FALSE_ENTRY] > 0);
	assert_int_equal(lost, 3 * r.m->dyn[WIRE_P5_BTB_FALSE_ENTRY]);
	assert_int_equal(r.m->dyn[WIRE_P5_CORE_FLUSH],
			 flushes(&r) + r.m->dyn[WIRE_P5_BTB_FALSE_ENTRY]);
	rig_close(&r);
}

/* No entry while a pair was missed; no prediction in the slot behind a flush. */
static void pentium_when_entries_are_made(void **state)
{
	struct p5_slot missed = {
	    .u_pc = CODE, .fall = CODE + 4, .next = CODE + 4, .could_pair = true};
	struct rig r;

	(void)state;
	rig_open(&r, "pentium");
	for (unsigned i = 0; i < 5; i++) {
		issue(&r, &missed);
		branch(&r, CODE + 4, P5_BR_JMP, false, true, CODE);
	}
	assert_int_equal(r.m->dyn[WIRE_P5_BTB_HIT], 0);
	missed.could_pair = false;
	for (unsigned i = 0; i < 8; i++) {
		issue(&r, &missed);
		branch(&r, CODE + 4, P5_BR_JMP, false, true, CODE);
	}
	assert_int_equal(r.lost, 0);
	rig_close(&r);
}

/* Code that is overwritten leaves an entry; the Pentium with MMX finds out once. */
static void mmx_entry_of_no_branch(void **state)
{
	struct rig r;

	(void)state;
	rig_open(&r, "pentium-mmx");
	for (unsigned i = 0; i < 50; i++)
		branch(&r, CODE + 0x44 * i, P5_BR_JMP, false, true, CODE + 0x44 * (i + 1));
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < 50; i++) {
			pair(&r, CODE + 0x44 * i - 2); /* the entry's byte is the last of it */
			assert_int_equal(r.lost, pass ? 0 : 4);
		}
		assert_int_equal(r.m->dyn[WIRE_P5_BTB_FALSE_ENTRY], 50);
	}
	assert_int_equal(r.m->dyn[WIRE_P5_CORE_FLUSH], 100);
	assert_int_equal(flushes(&r), 50);
	rig_close(&r);
}

/* Two branches that end in one dword push each other out. In two passes the first is unknown when
 * it is taken, its new entry says taken when it is not, and the second is unknown. */
static void mmx_branches_in_one_dword(void **state)
{
	uint64_t before;
	struct rig r;

	(void)state;
	rig_open(&r, "pentium-mmx");
	for (unsigned gap = 0; gap < 2; gap++) {
		before = 0;
		for (unsigned i = 0; i < 200; i++) {
			if (i == 20)
				before = flushes(&r);
			pairs(&r, CODE + 0x80, 4);
			branch(&r, CODE, P5_BR_JCC, false, i % 2, CODE + 0x40);
			if (!(i % 2))
				branch(&r, CODE + 2 + 2 * gap, P5_BR_JCC, false, true, CODE + 0x60);
		}
		assert_int_equal(flushes(&r) - before, gap ? 0 : 270);
		p5_btb_empty(&r.m->btb);
	}
	rig_close(&r);
}

/* 4 entries, then the oldest is lost; what is left is predicted right. */
static void mmx_return_stack(void **state)
{
	(void)state;
	for (unsigned depth = 1; depth <= 7; depth++) {
		const unsigned lost = depth > 4 ? depth - 4 : 0;
		struct rig r;
		uint64_t was[3] = {0};

		rig_open(&r, "pentium-mmx");
		for (unsigned pass = 0; pass < 12; pass++) {
			if (pass == 2) {
				was[0] = r.m->dyn[WIRE_P5_RSB_MISS];
				was[1] = r.m->seen[WIRE_P5_RSB_PREDICTED];
				was[2] = r.m->seen[WIRE_P5_RSB_OVERFLOW];
			}
			for (unsigned d = 0; d < depth; d++)
				branch(&r, CODE + 0x40 * d, P5_BR_CALL, false, true,
				       CODE + 0x40 * (d + 1));
			for (unsigned d = depth; d--;) {
				pairs(&r, CODE + 0x40 * (d + 1) + 8, 2);
				branch(&r, CODE + 0x40 * (d + 1) + 16, P5_BR_RET, false, true,
				       CODE + 0x40 * d + 2);
			}
		}
		assert_int_equal(r.m->dyn[WIRE_P5_RSB_MISS] - was[0], 10 * lost);
		assert_int_equal(r.m->seen[WIRE_P5_RSB_PREDICTED] - was[1], 10 * (depth - lost));
		assert_int_equal(r.m->seen[WIRE_P5_RSB_OVERFLOW] - was[2], 10 * lost);
		rig_close(&r);
	}
}

/* The Pentium predicts a RET by where it went last. */
static void pentium_has_no_return_stack(void **state)
{
	uint64_t before = 0;
	struct rig r;

	(void)state;
	rig_open(&r, "pentium");
	for (unsigned i = 0; i < 110; i++) {
		const uint64_t from = CODE + 0x400 * (i % 2);

		if (i == 10)
			before = flushes(&r);
		branch(&r, pairs(&r, from, 3), P5_BR_CALL, false, true, CODE + 0x200);
		branch(&r, pairs(&r, CODE + 0x200, 3), P5_BR_RET, false, true, from + 14);
		pairs(&r, from + 14, 3);
	}
	assert_int_equal(flushes(&r) - before, 100);
	rig_close(&r);
}

/* More branches of one set than ways, in turn: most of them are unknown. As many as ways: all are
 * known. */
static void sets_and_ways(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		for (unsigned n = 4; n <= 8; n += 4) {
			uint64_t before = 0;
			struct rig r;

			rig_open(&r, cpu ? "pentium-mmx" : "pentium");
			for (unsigned i = 0; i < 110 * n; i++) {
				const uint64_t pc = CODE + 0x1000 * (i % n);

				if (i == 10 * n)
					before = flushes(&r);
				pairs(&r, pc, 3);
				branch(&r, pc + 12, P5_BR_JMP, false, true,
				       CODE + 0x1000 * ((i + 1) % n));
			}
			if (n == 4)
				assert_int_equal(flushes(&r) - before, 0);
			else
				assert_true(flushes(&r) - before > 200);
			rig_close(&r);
		}
	}
}

/* 16 branches 256 bytes apart: one bank of 16 ways keeps them, one set of 4 ways does not. */
static void mmx_banks_or_ways(void **state)
{
	(void)state;
	for (unsigned is_banked = 0; is_banked < 2; is_banked++) {
		uint64_t before = 0;
		struct rig r;

		rig_open_with(&r, "pentium-mmx", P5_PAR_BTB_IS_BANKED, (uint16_t)is_banked);
		for (unsigned i = 0; i < 40 * 16; i++) {
			if (i == 20 * 16)
				before = flushes(&r);
			branch(&r, CODE + 256 * (i % 16), P5_BR_JMP, false, true,
			       CODE + 256 * ((i + 1) % 16));
		}
		if (is_banked)
			assert_true(flushes(&r) - before > 100);
		else
			assert_int_equal(flushes(&r) - before, 0);
		rig_close(&r);
	}
}

/* Addresses from a hostile stream: the last bytes of the address space. */
static void mmx_at_the_end_of_addresses(void **state)
{
	struct p5_slot s = {.u_pc = UINT64_MAX - 3, .fall = 0, .next = 0, .kind = P5_BR_NONE};
	struct rig r;

	(void)state;
	rig_open(&r, "pentium-mmx");
	branch(&r, CODE, P5_BR_JMP, false, true, UINT64_MAX - 3);
	issue(&r, &s);
	branch(&r, UINT64_MAX - 1, P5_BR_JMP, false, true, CODE);
	branch(&r, UINT64_MAX - 1, P5_BR_JMP, false, true, CODE);
	assert_int_equal(flushes(&r), 3); /* the very last byte stands for no entry */
	rig_close(&r);
}

/* Looked up by its own slot, a branch shares its entry with nothing that follows another one. */
static void pentium_keyed_by_its_own_slot(void **state)
{
	(void)state;
	for (unsigned is_by_pair = 0; is_by_pair < 2; is_by_pair++) {
		struct rig r;

		rig_open_with(&r, "pentium", P5_PAR_BTB_IS_BY_PAIR, (uint16_t)is_by_pair);
		for (unsigned i = 0; i < 40; i++) {
			uint64_t pc = pairs(&r, CODE, 8);
			const bool is_taken = i % 8 != 0;

			branch(&r, pc, P5_BR_JCC, true, is_taken, CODE + 0x100);
			if (is_taken)
				pair(&r, CODE + 0x100);
			else
				branch(&r, pc + 4, P5_BR_JMP, false, true, CODE + 0x200);
			pairs(&r, CODE + 0x200, 3);
			branch(&r, CODE + 0x20c, P5_BR_JMP, false, true, CODE);
		}
		assert_true((r.m->dyn[WIRE_P5_BTB_FALSE_ENTRY] > 0) == is_by_pair);
		rig_close(&r);
	}
}

/* Random slots in a small piece of code: the quick way past a slot changes nothing. */
static void passing_is_asking(void **state)
{
	(void)state;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		uint64_t rng = 99 + cpu, pc = CODE;
		unsigned n_passed = 0;
		struct rig all, some;

		rig_open(&all, cpu ? "pentium-mmx" : "pentium");
		rig_open(&some, cpu ? "pentium-mmx" : "pentium");
		all.m->is_plain = true;
		for (unsigned i = 0; i < 200000; i++) {
			const uint64_t x = stream_random(&rng);
			const bool has_v = x & 1, is_branch = !(x >> 1 & 3);
			const unsigned bytes = has_v ? 4 : 2;
			struct p5_slot s = {
			    .u_pc = pc, .v_pc = has_v ? pc + 2 : 0, .fall = pc + bytes, .bytes = 2};

			s.pc = s.fall - 2;
			s.could_pair = !has_v && !(x >> 3 & 15);
			s.is_in_v = has_v;
			s.kind = is_branch ? (uint8_t)(P5_BR_JCC + (x >> 8) % 7) : P5_BR_NONE;
			s.is_taken = is_branch && (s.kind > P5_BR_LOOP || (x >> 16 & 3));
			s.next = s.is_taken ? CODE + 2 * ((x >> 24) % 1500) : s.fall;
			pc = s.next;
			issue(&all, &s);
			n_passed += !is_branch && p5_btb_is_silent(&some.m->btb, s.u_pc, s.fall);
			issue(&some, &s);
		}
		assert_true(n_passed > 1000);
		assert_true(all.clk == some.clk);
		assert_memory_equal(all.m->dyn, some.m->dyn, sizeof(all.m->dyn));
		assert_true(all.m->dyn[WIRE_P5_BTB_FALSE_ENTRY] > 1000);
		rig_close(&all);
		rig_close(&some);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(pentium_prefers_taken),
	    cmocka_unit_test(pentium_loop_of_one_slot_never_learns),
	    cmocka_unit_test(mmx_learns_short_patterns),
	    cmocka_unit_test(mmx_tight_loops_know_six_trips),
	    cmocka_unit_test(mmx_random_outcomes),
	    cmocka_unit_test(pentium_tight_loop_starts_late),
	    cmocka_unit_test(hits_of_a_cold_loop),
	    cmocka_unit_test(penalties),
	    cmocka_unit_test(pentium_entry_of_no_branch),
	    cmocka_unit_test(pentium_when_entries_are_made),
	    cmocka_unit_test(mmx_entry_of_no_branch),
	    cmocka_unit_test(mmx_branches_in_one_dword),
	    cmocka_unit_test(mmx_return_stack),
	    cmocka_unit_test(pentium_has_no_return_stack),
	    cmocka_unit_test(sets_and_ways),
	    cmocka_unit_test(mmx_banks_or_ways),
	    cmocka_unit_test(mmx_at_the_end_of_addresses),
	    cmocka_unit_test(pentium_keyed_by_its_own_slot),
	    cmocka_unit_test(passing_is_asking),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
