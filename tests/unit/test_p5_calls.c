/* CALL and RET as host code: the return stack of the Pentium with MMX counts what it counts in
 * full, at every depth. */
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

enum { DEEPEST = 7, STACK = 4, N_TIMES = 4000, CODE = 0x400000, APART = 64 };

/* Functions that call each other: block 2 i calls (i even: through a register), block 2 i + 1,
 * behind it, returns; 2 DEEPEST is one that only returns, the next one jumps back to the first. */
static void make_functions(struct stream *s)
{
	static struct block_plan p;

	for (unsigned i = 0; i <= 2 * DEEPEST + 1; i++) {
		const bool is_call = i % 2 == 0 && i < 2 * DEEPEST, is_jump = i == 2 * DEEPEST + 1;

		plan_begin(&p, CODE + i / 2 * APART + (is_jump ? APART : i % 2 * 6));
		plan_insn(&p, "add", is_call ? 3 : 1 + i % 5, X86_GRP_INT, 0);
		plan_insn(&p,
			  is_call   ? "call"
			  : is_jump ? "jmp"
				    : "ret",
			  is_call ? 3 : 2, X86_GRP_INT, X86_I_BRANCH);
		if (is_call && i % 4)
			plan_end(&p, s, X86_TERM_CALL, CODE + (i / 2 + 1) * APART);
		else if (is_jump)
			plan_end(&p, s, X86_TERM_JMP, CODE);
		else
			plan_end(&p, s, is_call ? X86_TERM_CALL_IND : X86_TERM_RET, 0);
	}
}

/* So many calls within each other, and all returns; one in `odd` is left by a jump of several
 * levels. */
static void call(struct stream *s, unsigned depth, uint64_t *rng, unsigned odd)
{
	const uint64_t none = 0;

	for (unsigned i = 0; i < depth; i++)
		stream_exec(s, 2 * i, &none);
	stream_exec(s, 2 * DEEPEST, &none);
	for (unsigned i = depth; i--;)
		if (!odd || stream_random(rng) % odd)
			stream_exec(s, 2 * i + 1, &none);
	stream_exec(s, 2 * DEEPEST + 1, &none);
}

static void run(const struct stream *s, const struct mdl_config *cfg, struct wires *w,
		uint64_t *by_host_code)
{
	struct p5_system *m;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_p5.open(cfg, w, (void **)&m), 0);
	assert_int_equal(mdl_p5.feed(m, s->bytes, s->n), 0);
	mdl_p5.finish(m);
	*by_host_code = m->cpu[0]->host.n_bytes;
	mdl_p5.close(m);
}

static void assert_same(const struct stream *s, struct mdl_config cfg, struct wires *host)
{
	static struct wires full;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);
	uint64_t bytes, none;

	cfg.host_code_after = 3;
	run(s, &cfg, host, &bytes);
	cfg.has_no_memo = 1;
	run(s, &cfg, &full, &none);
	assert_true(bytes > s->n / 2 || !bytes); /* 0: the host refuses */
	for (unsigned i = 0; i < WIRE_N; i++)
		if (host->total[i] != full.total[i])
			fail_msg("%s: %llu and %llu", wire[i].name,
				 (unsigned long long)host->total[i],
				 (unsigned long long)full.total[i]);
}

/* Behind the first time, in which the BTB learns: the stack holds four, so deeper calls overwrite,
 * and their returns find nothing. The function that only returns is one return more. */
static void depths_are_counted_to_the_last_return(void **state)
{
	(void)state;
	for (unsigned depth = 1; depth <= DEEPEST; depth += 2) {
		const unsigned lost = depth > STACK ? depth - STACK : 0;
		static struct wires w;
		struct stream s;
		uint64_t rng = 1;

		stream_open(&s);
		make_functions(&s);
		for (unsigned i = 0; i < N_TIMES; i++)
			call(&s, depth, &rng, 0);
		assert_same(&s, stream_config(&s, "pentium-mmx"), &w);
		assert_int_equal(w.total[WIRE_P5_RSB_OVERFLOW], lost * N_TIMES);
		assert_true(w.total[WIRE_P5_RSB_PREDICTED] <= (depth - lost) * (uint64_t)N_TIMES);
		assert_true(w.total[WIRE_P5_RSB_PREDICTED] >=
			    (depth - lost) * (uint64_t)(N_TIMES - 2));
		stream_close(&s);
	}
}

static void returns_that_are_left_out_count_the_same(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 12; round++) {
		static struct wires w;
		struct mdl_config cfg;
		uint64_t rng = round + 1;
		struct stream s;

		stream_open(&s);
		make_functions(&s);
		for (unsigned i = 0; i < N_TIMES; i++)
			call(&s, i / 16 % 2 ? 1 + stream_random(&rng) % 4 * 2 : round % 4 * 2 + 1,
			     &rng, round < 4 ? 0 : 37);
		cfg = stream_config(&s, round == 11 ? "pentium" : "pentium-mmx");
		assert_same(&s, cfg, &w);
		stream_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(depths_are_counted_to_the_last_return),
	    cmocka_unit_test(returns_that_are_left_out_count_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
