/* A model that waits for its stream (mdl_config.is_waiting): partly executed blocks count their
 * instructions and touch nothing; from mdl_begin() on it counts what a new one counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "stream.h"
#include "trace/record.h"

enum { PARTIALS = 7, LOADS = 50, LINE = 32 };

static const char *const cpus[] = {"pentium", "pentium-mmx", "pentiumpro", "pentium3"};

/* Block 0: two instructions, the first of which loads. */
static void kit(struct stream *s)
{
	static struct block_plan p;

	stream_open(s);
	plan_begin(&p, 0x1000);
	plan_insn(&p, "mov", 3, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, NULL, 1, X86_GRP_INT, 0);
	plan_end(&p, s, X86_TERM_FALL, 0);
}

/* A fault at the second instruction, as without records: slots are 0. */
static void partials(struct stream *s)
{
	const struct {
		uint32_t block, insns;
		uint64_t slot;
	} partial = {0, 1, 0};

	for (unsigned i = 0; i < PARTIALS; i++)
		stream_event(s, TRC_PARTIAL, &partial, sizeof(partial));
}

static void loads(struct stream *s)
{
	for (uint64_t i = 0; i < LOADS; i++)
		stream_exec(s, 0, (uint64_t[]){0x10000000 + i * LINE});
}

static void test_nothing_before(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		static struct wires waiting, plain;
		struct mdl_config cfg;
		struct stream s;

		kit(&s);
		partials(&s);
		cfg = stream_config(&s, cpus[i]);
		cfg.is_waiting = 1;
		stream_run(&s, &cfg, &waiting);
		cfg.is_waiting = 0;
		cfg.is_count_only = 1;
		stream_run(&s, &cfg, &plain);
		for (unsigned wire = 0; wire < WIRE_N; wire++)
			assert_true(!plain.driven[wire] ||
				    waiting.total[wire] == plain.total[wire]);
		assert_int_equal(waiting.total[WIRE_P5_DCACHE_READ_MISS] +
				     waiting.total[WIRE_P6_DCU_LINE_IN],
				 0);
		assert_int_equal(waiting.total[WIRE_P5_CORE_CLK] + waiting.total[WIRE_P6_CORE_CLK],
				 0);
		stream_close(&s);
	}
}

static void test_like_new_after(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		static struct wires later, fresh;
		struct stream before, s;
		struct mdl_config cfg;
		struct mdl *m;

		kit(&before);
		kit(&s);
		partials(&before);
		loads(&s);
		cfg = stream_config(&s, cpus[i]);
		stream_run(&s, &cfg, &fresh);
		memset(&later, 0, sizeof(later));
		cfg.is_waiting = 1;
		assert_int_equal(mdl_open(&cfg, &later, &m), 0);
		assert_int_equal(mdl_feed(m, before.bytes, before.n), 0);
		assert_int_equal(mdl_instructions(m), PARTIALS);
		mdl_begin(m);
		mdl_forget_blocks(m);
		assert_int_equal(mdl_feed(m, s.bytes, s.n), 0);
		mdl_finish(m);
		assert_int_equal(mdl_instructions(m), PARTIALS + 2 * LOADS);
		assert_int_equal(later.total[WIRE_P5_DCACHE_READ_MISS],
				 fresh.total[WIRE_P5_DCACHE_READ_MISS]);
		assert_int_equal(later.total[WIRE_P5_CORE_CLK], fresh.total[WIRE_P5_CORE_CLK]);
		assert_int_equal(later.total[WIRE_P6_DCU_LINE_IN],
				 fresh.total[WIRE_P6_DCU_LINE_IN]);
		assert_int_equal(later.total[WIRE_P6_CORE_CLK], fresh.total[WIRE_P6_CORE_CLK]);
		mdl_close(m);
		stream_close(&before);
		stream_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_nothing_before),
	    cmocka_unit_test(test_like_new_after),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
