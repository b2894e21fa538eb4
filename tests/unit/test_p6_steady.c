/* Branches that go the same way time and again: host code leaves the BTB alone then, and every
 * count is as without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "stream.h"
#include "trace/record.h"

/* Executions of a block of 60 instructions and no branch: a program with few branches so far. */
static void run_straight(struct stream *s)
{
	static struct block_plan p;
	uint32_t id;

	plan_begin(&p, 0x600000);
	for (unsigned i = 0; i < 60; i++)
		plan_insn(&p, "add", 1, X86_GRP_INT, 0);
	id = plan_end(&p, s, X86_TERM_FALL, 0);
	for (unsigned i = 0; i < 5000; i++)
		stream_exec(s, id, NULL);
}

static uint32_t add_branch(struct stream *s, uint64_t pc, unsigned bytes, uint64_t target)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, "add", bytes - 2, X86_GRP_INT, 0);
	plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
	return plan_end(&p, s, X86_TERM_JCC, target);
}

/* By host code that is made when a branch has shown how it goes, and few instructions an entry of
 * the BTB were executed no more; by the loop, plainly. */
static void run_all(const struct stream *s, struct wires w[3])
{
	struct mdl_config cfg = stream_config_untimed(s, "pentium3");

	cfg.host_code_after = 40;
	stream_run(s, &cfg, &w[0]);
	cfg.has_no_host_code = 1;
	stream_run(s, &cfg, &w[1]);
	cfg.is_plain = 1;
	stream_run(s, &cfg, &w[2]);
}

static void assert_wrong(const struct stream *s, uint64_t wrong, uint64_t wrong_taken,
			 uint64_t taken)
{
	static struct wires w[3];

	run_all(s, w);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(w[i].total[WIRE_P6_RETIRE_MISPREDICT], wrong);
		assert_int_equal(w[i].total[WIRE_P6_RETIRE_MISPREDICT_TAKEN], wrong_taken);
		assert_int_equal(w[i].total[WIRE_P6_RETIRE_TAKEN], taken);
	}
}

/* A branch forward with `n` outcomes, one of the other kind, and `n` again. */
static void one_exception(struct stream *s, unsigned n, bool is_taken)
{
	uint32_t from, to[2];

	stream_open(s);
	from = add_branch(s, 0x1000, 8, 0x1020);
	to[0] = add_branch(s, 0x1008, 8, 0x3000); /* never taken */
	to[1] = add_branch(s, 0x1020, 8, 0x3000);
	run_straight(s);
	for (unsigned i = 0; i < 2 * n + 1; i++) {
		stream_exec(s, from, NULL);
		stream_exec(s, to[is_taken ^ (i == n)], NULL);
	}
}

/* The first is wrong, because nothing is known and the branch goes forward; then the exception. Of
 * the four behind it, each finds a counter of a history not met before, which says taken since the
 * branch got its entry. */
static void an_exception_among_taken_ones_is_wrong_once(void **state)
{
	struct stream s;

	one_exception(&s, 100, true);
	assert_wrong(&s, 2, 1, 200);
	stream_close(&s);
}

static void an_exception_among_others_is_wrong_once(void **state)
{
	struct stream s;

	one_exception(&s, 100, false);
	assert_wrong(&s, 1, 1, 1);
	stream_close(&s);
}

/* Two exceptions in a row: the second has the history of one; what is steady must have been given
 * up by then. One wrong each, and two more: the counter of four taken ones says taken still, as do
 * those of the histories in between; the first exception left it at 2. */
static void what_was_steady_is_given_up(void **state)
{
	struct stream s;
	uint32_t a, taken, fall;

	stream_open(&s);
	a = add_branch(&s, 0x1000, 8, 0x1020);
	fall = add_branch(&s, 0x1008, 8, 0x3000);
	taken = add_branch(&s, 0x1020, 8, 0x3000);
	run_straight(&s);
	for (unsigned i = 0; i < 100; i++) {
		stream_exec(&s, a, NULL);
		stream_exec(&s, i == 60 || i == 61 ? fall : taken, NULL);
	}
	/* first; exceptions with histories 1111 (3) and 1110 (2); behind them 1100, 1001, 0011,
	 * 0111, 1111: 2 each */
	assert_wrong(&s, 3, 1, 98);
	stream_close(&s);
}

/* Blocks of which some end with the same branch, more in one set of the BTB than it holds, in runs
 * of the same outcome. */
static void steady_branches_that_are_lost_and_change(void **state)
{
	enum { N = 40 };
	static struct wires w[3];
	uint32_t id[2 * N + 1];
	uint64_t rng = 99;
	struct stream s;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	stream_open(&s);
	for (unsigned i = 0; i < N; i++) {
		id[2 * i] = add_branch(&s, 0x400000 + 512 * i, 12,
				       0x400000 + 512 * i); /* taken: itself again */
		id[2 * i + 1] = add_branch(&s, 0x400004 + 512 * i, 8,
					   0x500000); /* the same branch, entered later */
	}
	id[2 * N] = add_branch(&s, 0x500000, 8, 0x400000);
	run_straight(&s);
	for (unsigned i = 0; i < 6000; i++) {
		const uint64_t x = stream_random(&rng);
		const unsigned reach =
		    i % 500 < 400 ? 8 : N; /* mostly fewer branches than the set holds */
		const uint32_t a = id[2 * (x % reach) + (x >> 8 & 1)],
			       b = id[x >> 9 & 7 ? 2 * (x >> 12) % (2 * N) : 2 * N];

		for (unsigned k = x >> 20 & 31; k; k--) {
			stream_exec(&s, a, NULL);
			if (x >> 30 & 1)
				stream_exec(&s, b, NULL);
		}
	}
	run_all(&s, w);
	assert_true(w[2].total[WIRE_P6_RETIRE_MISPREDICT] > 1000);
	for (unsigned i = 0; i < WIRE_N; i++)
		if (w[0].total[i] != w[2].total[i] || w[1].total[i] != w[2].total[i])
			fail_msg("%s is %llu by host code, %llu by the loop, %llu plainly",
				 wire[i].name, (unsigned long long)w[0].total[i],
				 (unsigned long long)w[1].total[i],
				 (unsigned long long)w[2].total[i]);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_exception_among_taken_ones_is_wrong_once),
	    cmocka_unit_test(an_exception_among_others_is_wrong_once),
	    cmocka_unit_test(what_was_steady_is_given_up),
	    cmocka_unit_test(steady_branches_that_are_lost_and_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
