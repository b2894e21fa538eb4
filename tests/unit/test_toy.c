/* The toy machine: what a model must do, at its smallest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "gen/wires_toy.h"
#include "stream.h"
#include "trace/record.h"

/* add [m], r ; mov r, [m] ; jmp */
static uint32_t add_block(struct stream *s)
{
	static struct block_plan p;

	plan_begin(&p, 0x1000);
	plan_insn(&p, "add", 2, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ | X86_REF_WRITE);
	plan_insn(&p, "mov", 2, X86_GRP_INT, 0);
	plan_ref(&p, 4, X86_REF_READ);
	plan_insn(&p, "jmp", 2, X86_GRP_INT, X86_I_BRANCH);
	return plan_end(&p, s, X86_TERM_JMP, 0x1000);
}

static void four_wires_count(void **state)
{
	static struct wires w;
	uint64_t slots[2] = {0x5000, 0x6000}, partial[4] = {(uint64_t)1 << 32, 0, 0};
	struct stream s;
	struct mdl_config cfg;
	uint32_t id;

	stream_open(&s);
	id = add_block(&s);
	for (unsigned i = 0; i < 5; i++)
		stream_exec(&s, id, slots);
	stream_event(&s, TRC_PARTIAL, partial, 24);
	cfg = stream_config(&s, "toy");
	stream_run(&s, &cfg, &w);
	assert_int_equal(w.total[WIRE_TOY_CORE_INST], 16);
	assert_int_equal(w.total[WIRE_TOY_CORE_BRANCH], 5);
	assert_int_equal(w.total[WIRE_TOY_MEM_LOAD], 11);
	assert_int_equal(w.total[WIRE_TOY_MEM_STORE], 6);
	assert_false(w.driven[WIRE_P6_RETIRE_INST]);
	stream_close(&s);
}

static void malformed_streams_are_refused(void **state)
{
	static struct wires w;
	uint64_t slots[2] = {1, 2};
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;

	stream_open(&s);
	stream_exec(&s, add_block(&s), slots);
	cfg = stream_config(&s, "toy");
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_int_equal(mdl_feed(m, s.bytes, s.n - 1), -SPMU_EPROTO);
	s.bytes[0] = 9;
	assert_int_equal(mdl_feed(m, s.bytes, s.n), -SPMU_EPROTO);
	assert_null(mdl_cannot_occur(m, WIRE_TOY_MEM_LOAD));
	mdl_close(m);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(four_wires_count),
	    cmocka_unit_test(malformed_streams_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
