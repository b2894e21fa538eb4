/* No instruction counts more of any event than mdl_bounds() says: what stops a program in front of
 * an overflow relies on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "random_stream.h"
#include "stream.h"
#include "trace/record.h"

enum { N_STEPS = 12000, TIMER_CLK = 50 };

/* What an event can have counted. */
static uint64_t limit_of(const struct cat_cpu *cpu, const struct cat_event *e,
			 const struct mdl_bounds *m, uint64_t backlog)
{
	const uint64_t by[] = {[MDL_BY_CLK] = m->clk + backlog,
			       [MDL_BY_DATA] = m->data,
			       [MDL_BY_CORE] = m->core,
			       [MDL_BY_LINES] = m->lines,
			       [MDL_BY_ANY] = m->any};
	const struct mdl_bound b = mdl_bound_of(cpu, e, false);

	return by[b.by] * b.times;
}

struct looker {
	struct mdl *m;
	struct wires *w;
	uint64_t before[WIRE_N], backlog;
	const struct x86_block *block; /* whose instruction was fed last, or NULL */
	unsigned insn;
	uint64_t items;
	unsigned n_looks;
};

/* Is it known what the instruction fed last can count? Of REP with more iterations than anybody can
 * foresee it is not. */
static void is_limited(const struct looker *k, const struct mdl_bounds *m)
{
	if (k->block->insn[k->insn].flags & X86_I_REP && k->items >= MDL_NO_LIMIT >> 16)
		return;
	if (m->clk >= MDL_NO_LIMIT || m->data >= MDL_NO_LIMIT || m->core >= MDL_NO_LIMIT ||
	    m->lines >= MDL_NO_LIMIT || m->any >= MDL_NO_LIMIT)
		fail_msg("nobody knows the limits of %s",
			 x86_mnemonic_name(k->block->insn[k->insn].mnemonic));
}

static void look(struct looker *k, const struct cat_cpu *cpu)
{
	uint64_t total[WIRE_N];
	struct mdl_bounds most;
	size_t n;
	const struct cat_event *e = cat_events(&n);

	mdl_executions(k->m, total);
	mdl_peek(k->m, total);
	if (k->block) {
		mdl_bounds(k->m, k->block, k->insn, k->items, &most);
		is_limited(k, &most);
	}
	for (size_t i = 0; i < n && k->block; i++) {
		const uint64_t was = stream_count_of(&e[i], k->before),
			       is = stream_count_of(&e[i], k->w->total);

		if (e[i].family == cpu->family && is > was &&
		    is - was > limit_of(cpu, &e[i], &most, k->backlog))
			fail_msg("%s: %s of %s is %llu, at most %llu (clk %llu, behind %llu)",
				 cpu->name, e[i].name,
				 x86_mnemonic_name(k->block->insn[k->insn].mnemonic),
				 (unsigned long long)(is - was),
				 (unsigned long long)limit_of(cpu, &e[i], &most, k->backlog),
				 (unsigned long long)most.clk, (unsigned long long)k->backlog);
	}
	memcpy(k->before, k->w->total, sizeof(k->before));
	k->backlog = mdl_backlog(k->m);
	k->block = NULL;
	k->n_looks++;
}

/* Iterations of a REP instruction, whose values are at `slots`. */
static uint64_t items_of(const struct x86_block *b, unsigned insn, const uint8_t *slots)
{
	uint64_t count = 0;

	if (b->insn[insn].flags & X86_I_REP && b->rep[b->insn[insn].rep].slot_count < b->n_slot)
		memcpy(&count, slots + 8u * b->rep[b->insn[insn].rep].slot_count, 8);
	return count;
}

/* Each block of the stream instruction by instruction, a look behind each. */
static void check(const struct stream *s, const struct mdl_config *cfg)
{
	static struct wires w;
	struct looker k = {.w = &w};
	struct stream cut;

	stream_cut(s, 1, &cut);
	memset(&w, 0, sizeof(w));
	assert_int_equal(mdl_open(cfg, &w, &k.m), 0);
	for (size_t at = 0, size; at < cut.n; at += size) {
		uint32_t word[4];

		size = trc_record_bytes(cut.bytes + at, cut.n - at);
		memcpy(word, cut.bytes + at, size < sizeof(word) ? size : sizeof(word));
		assert_int_equal(mdl_feed(k.m, cut.bytes + at, size), 0);
		if (word[0] == TRC_SPECIAL + TRC_AHEAD) {
			look(&k, cfg->cpu);
		} else if (word[0] == TRC_SPECIAL + TRC_PIECE) {
			k.block = x86_store_get(s->store, word[2]);
			k.insn = word[3];
			k.items = items_of(k.block, k.insn, cut.bytes + at + 24);
		} else {
			k.block = NULL; /* something else counted, too */
		}
	}
	assert_true(k.n_looks > N_STEPS);
	mdl_close(k.m);
	free(cut.bytes);
}

/* With clocks, with interrupts of a timer every now and then, and without clocks. */
static void check_cpu(const char *cpu, uint64_t seed)
{
	struct mdl_config cfg;
	struct stream s;

	random_stream(&s, seed, N_STEPS, RANDOM_REAL);
	cfg = stream_config(&s, cpu);
	check(&s, &cfg);
	cfg.timer_hz = cfg.cpu->core_mhz * 1000000u / TIMER_CLK;
	check(&s, &cfg);
	cfg = stream_config_untimed(&s, cpu);
	check(&s, &cfg);
	stream_close(&s);
}

static void no_instruction_counts_more(void **state)
{
	static const char *const cpus[] = {"pentium3",	 "pentium3-coppermine",
					   "pentiumpro", "celeron-covington",
					   "pentium",	 "pentium-mmx"};

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		check_cpu(cpus[i], 500 + i);
}

/* A timer's interrupt in front of an instruction is among what that can count. */
static void an_interrupt_is_in_the_limits(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium"};
	static struct wires w;

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct mdl *plain, *timer;
		struct mdl_config cfg;
		struct stream s;

		random_stream(&s, 520, 100, RANDOM_REAL);
		cfg = stream_config(&s, cpus[i]);
		assert_int_equal(mdl_open(&cfg, &w, &plain), 0);
		cfg.timer_hz = 1000;
		assert_int_equal(mdl_open(&cfg, &w, &timer), 0);
		for (uint32_t id = 0; id < x86_store_count(s.store); id++) {
			const struct x86_block *b = x86_store_get(s.store, id);
			struct mdl_bounds without, with;

			mdl_bounds(plain, b, 0, 1, &without);
			mdl_bounds(timer, b, 0, 1, &with);
			assert_true(with.clk > without.clk);
			assert_int_equal(with.any, without.any + 1);
		}
		mdl_close(plain);
		mdl_close(timer);
		stream_close(&s);
	}
}

static void most_of(struct mdl *m, const struct stream *s, struct mdl_bounds *out)
{
	for (uint32_t id = 0; id < x86_store_count(s->store); id++)
		mdl_bounds(m, x86_store_get(s->store, id), 0, 1, &out[id]);
}

/* What a model was asked of blocks that were never executed goes with them: other blocks of the
 * same numbers have their own limits. */
static void blocks_that_were_only_asked_about_are_forgotten(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium", "pentium-mmx"};
	static struct wires w;
	static struct mdl_bounds of_first[4096], again[4096], fresh[4096];

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct stream first, second;
		struct mdl *used, *other;
		struct mdl_config cfg;

		random_stream(&first, 530, 300, RANDOM_REAL);
		random_stream(&second, 531, 300, RANDOM_REAL);
		assert_in_range(x86_store_count(first.store), 1, 4096);
		assert_in_range(x86_store_count(second.store), 1, 4096);
		cfg = stream_config(&first, cpus[i]);
		assert_int_equal(mdl_open(&cfg, &w, &used), 0);
		cfg = stream_config(&second, cpus[i]);
		assert_int_equal(mdl_open(&cfg, &w, &other), 0);
		most_of(used, &first, of_first);
		mdl_forget_blocks(used);
		most_of(used, &second, again);
		most_of(other, &second, fresh);
		assert_memory_equal(again, fresh, x86_store_count(second.store) * sizeof(fresh[0]));
		mdl_close(used);
		mdl_close(other);
		stream_close(&first);
		stream_close(&second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(an_interrupt_is_in_the_limits),
	    cmocka_unit_test(no_instruction_counts_more),
	    cmocka_unit_test(blocks_that_were_only_asked_about_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
