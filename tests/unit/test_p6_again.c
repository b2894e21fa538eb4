/* A wrong path that was walked goes another way once something was executed on it, and counts what
 * it counts in full. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "stream.h"

enum { ROUNDS = 60 };

/* A block of 8 bytes at pc that ends in `term`. */
static uint32_t add(struct stream *s, uint64_t pc, const char *branch, unsigned term,
		    uint64_t target)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, "add", 3, X86_GRP_INT, 0);
	plan_insn(&p, branch ? branch : "add", 5, X86_GRP_INT, branch ? X86_I_BRANCH : 0);
	return plan_end(&p, s, term, target);
}

/* A call whose return goes elsewhere: what is fetched behind the call is executed once, between
 * `before` and `behind` such calls. */
static void calls(struct stream *s, unsigned before, unsigned behind)
{
	uint32_t call, fall, back, ret, on;

	stream_open(s);
	call = add(s, 0x400000, "call", X86_TERM_CALL, 0x400040);
	fall = add(s, 0x400008, NULL, X86_TERM_FALL, 0);
	back = add(s, 0x400010, "jmp", X86_TERM_JMP, 0x400000);
	ret = add(s, 0x400040, "ret", X86_TERM_RET, 0);
	on = add(s, 0x400080, "jmp", X86_TERM_JMP_IND, 0);
	for (unsigned i = 0; i < 1 + before + 1 + behind; i++) {
		stream_exec(s, call, NULL);
		stream_exec(s, ret, NULL);
		stream_exec(s, on, NULL);
		if (i == 1 + before)
			stream_exec(s, fall, NULL);
		if (i == 0 || i == 1 + before)
			stream_exec(s, back, NULL);
	}
}

/* What slots of rename are for is left out: one thread does it all where that is asked for. */
static void run(const struct stream *s, bool is_in_full, unsigned n_worker, struct wires *w)
{
	struct mdl_config cfg = stream_config(s, "pentium3");
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (size_t i = 0; i < n; i++)
		cfg.wanted[i] = strncmp(wire[i].name, "core.slot_", 10) != 0;
	cfg.host_code_after = 2;
	cfg.has_no_memo = is_in_full;
	cfg.p6.n_worker = (uint8_t)n_worker;
	cfg.p6.setting[0] = (struct mdl_setting){"stretch_log2", 8};
	cfg.p6.n_setting = 1;
	stream_run(s, &cfg, w);
}

static void assert_equal(const struct stream *s)
{
	static struct wires kept, full;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	run(s, true, 0, &full);
	assert_true(full.total[WIRE_P6_RETIRE_MISPREDICT] > 2 * ROUNDS);
	for (unsigned n_worker = 0; n_worker <= 8; n_worker += 2) {
		run(s, false, n_worker, &kept);
		for (unsigned i = 0; i < WIRE_N; i++)
			if (kept.total[i] != full.total[i])
				fail_msg("%s is %llu, %llu in full (%u workers)", wire[i].name,
					 (unsigned long long)kept.total[i],
					 (unsigned long long)full.total[i], n_worker);
	}
}

static void a_path_goes_on_where_it_ended_once_that_was_executed(void **state)
{
	struct stream s;

	(void)state;
	calls(&s, ROUNDS, ROUNDS);
	assert_equal(&s);
	stream_close(&s);
}

/* Now the line behind the call is there, now it is not: for stretches (of 256 instructions) it went
 * while another machine had them. */
static void a_path_ends_where_its_line_went(void **state)
{
	enum { AWAY = 8 }; /* blocks in the line's set, more than it has ways */
	uint32_t call, fall, back, ret, on, away[AWAY];
	struct stream s;

	(void)state;
	stream_open(&s);
	call = add(&s, 0x400018, "call", X86_TERM_CALL, 0x400040);
	fall = add(&s, 0x400020, NULL, X86_TERM_FALL, 0);
	back = add(&s, 0x400028, "jmp", X86_TERM_JMP, 0x400018);
	ret = add(&s, 0x400040, "ret", X86_TERM_RET, 0);
	on = add(&s, 0x400080, "jmp", X86_TERM_JMP_IND, 0);
	for (unsigned i = 0; i < AWAY; i++)
		away[i] = add(&s, 0x401020 + i * 0x1000, "jmp", X86_TERM_JMP_IND, 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < 200; k++) {
			stream_exec(&s, call, NULL);
			stream_exec(&s, ret, NULL);
			stream_exec(&s, on, NULL);
			if (k == 0 && i % 2 == 0) {
				stream_exec(&s, fall, NULL);
				stream_exec(&s, back, NULL);
			}
		}
		for (unsigned k = 0; k < 60 * AWAY; k++)
			stream_exec(&s, away[k % AWAY], NULL);
	}
	assert_equal(&s);
	stream_close(&s);
}

/* And that makes a difference: two instructions more for each call behind it. */
static void what_was_executed_is_decoded_there(void **state)
{
	static struct wires early, late;
	struct stream s;

	(void)state;
	calls(&s, 0, 2 * ROUNDS);
	run(&s, false, 0, &early);
	stream_close(&s);
	calls(&s, 2 * ROUNDS, 0);
	run(&s, false, 0, &late);
	stream_close(&s);
	assert_int_equal(early.total[WIRE_P6_RETIRE_INST], late.total[WIRE_P6_RETIRE_INST]);
	assert_true(early.total[WIRE_P6_DECODE_INST] >=
		    late.total[WIRE_P6_DECODE_INST] + 2 * ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_path_goes_on_where_it_ended_once_that_was_executed),
	    cmocka_unit_test(a_path_ends_where_its_line_went),
	    cmocka_unit_test(what_was_executed_is_decoded_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
