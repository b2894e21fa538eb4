/* Instructions of which mdl_hits() says that they find all in the first-level caches count no more
 * of any event than mdl_bounds_of_hits() says, one by one and block behind block with nothing
 * executed between the looks: samples in a ring rely on it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "random_stream.h"
#include "stream.h"
#include "trace/record.h"

enum { N_STEPS = 5000, MOST_BLOCKS = 6, LEAST_HITS = 100 };

struct looker {
	struct mdl *m;
	struct wires w;
	const struct cat_cpu *cpu;
	const struct stream *s;
	uint64_t before[WIRE_N], backlog;
	unsigned n_hits;
};

static void look(struct looker *k)
{
	uint64_t total[WIRE_N];

	mdl_executions(k->m, total);
	mdl_peek(k->m, total);
	k->backlog = mdl_backlog(k->m);
}

static void check(struct looker *k, const struct mdl_bounds *most, const char *what)
{
	const uint64_t by[] = {[MDL_BY_CLK] = most->clk + k->backlog,
			       [MDL_BY_DATA] = most->data,
			       [MDL_BY_CORE] = most->core,
			       [MDL_BY_LINES] = most->lines,
			       [MDL_BY_ANY] = most->any};
	size_t n;
	const struct cat_event *e = cat_events(&n);

	memcpy(k->before, k->w.total, sizeof(k->before));
	look(k);
	for (size_t i = 0; i < n; i++) {
		const struct mdl_bound b = mdl_bound_of(k->cpu, &e[i], false);
		const uint64_t was = stream_count_of(&e[i], k->before),
			       is = stream_count_of(&e[i], k->w.total);

		if (e[i].family == k->cpu->family && b.by_hits != MDL_BY_NONE && is > was &&
		    is - was > by[b.by_hits] * b.times)
			fail_msg("%s: %s of %s is %llu, at most %llu", k->cpu->name, e[i].name,
				 what, (unsigned long long)(is - was),
				 (unsigned long long)(by[b.by_hits] * b.times));
	}
	k->n_hits++;
}

static void feed(struct looker *k, const uint8_t *p, size_t n)
{
	assert_int_equal(mdl_feed(k->m, p, n), 0);
}

static void say_ahead(struct looker *k, const struct x86_block *b)
{
	const uint32_t ahead[6] = {TRC_SPECIAL + TRC_AHEAD, 16,	   (uint32_t)b->pc,
				   (uint32_t)(b->pc >> 32), b->id, 0};

	feed(k, (const uint8_t *)ahead, sizeof(ahead));
}

/* The block of the record at p, or NULL. */
static const struct x86_block *block_at(const struct looker *k, const uint8_t *p,
					const uint8_t *end)
{
	uint32_t head;

	if (end - p < 4)
		return NULL;
	memcpy(&head, p, 4);
	return head < TRC_SPECIAL ? x86_store_get(k->s->store, trc_block_id(head)) : NULL;
}

static bool will_hit(struct looker *k, const struct x86_block *b, unsigned from, unsigned to,
		     const uint8_t *slots, struct mdl_bounds *most)
{
	mdl_bounds_of_hits(k->m, b, from, to, most);
	return most->clk < MDL_NO_LIMIT && mdl_hits(k->m, b, from, to, slots);
}

/* Blocks from p on that hit, found before any of them is fed; then they are fed. Returns what is
 * behind them, or behind one that does not. */
static const uint8_t *pass_blocks(struct looker *k, const uint8_t *p, const uint8_t *end)
{
	const uint8_t *at = p;
	struct mdl_bounds sum = {0}, most;
	const struct x86_block *b = block_at(k, p, end);
	unsigned n = 0;

	if (b) {
		say_ahead(k, b);
		look(k);
	}
	while (b && n < MOST_BLOCKS && will_hit(k, b, 0, b->n_insn, at + 4, &most)) {
		sum = (struct mdl_bounds){sum.clk + most.clk, sum.data + most.data,
					  sum.core + most.core, sum.lines + most.lines,
					  sum.any + most.any};
		at += trc_record_bytes(at, (size_t)(end - at));
		b = block_at(k, at, end);
		n++;
	}
	if (!n)
		at += trc_record_bytes(at, (size_t)(end - at));
	feed(k, p, (size_t)(at - p));
	if (n && b) {
		say_ahead(k, b);
		check(k, &sum, "blocks");
	}
	return at;
}

/* Each instruction by itself, of a stream that is cut. */
static const uint8_t *pass_piece(struct looker *k, const uint8_t *p, const uint8_t *end)
{
	const size_t size = trc_record_bytes(p, (size_t)(end - p)), ahead = 24;
	uint32_t word[5] = {0}, next = 0;
	const struct x86_block *b;
	struct mdl_bounds most;
	bool hits;

	memcpy(word, p, size < sizeof(word) ? size : sizeof(word));
	if (size < (size_t)(end - p))
		memcpy(&next, p + size, 4);
	if (word[0] != TRC_SPECIAL + TRC_PIECE || next != TRC_SPECIAL + TRC_AHEAD) {
		feed(k, p, size);
		return p + size;
	}
	look(k);
	b = x86_store_get(k->s->store, word[2]);
	hits = will_hit(k, b, word[3], word[3] + 1, p + 24, &most);
	feed(k, p, size + ahead);
	if (hits)
		check(k, &most, x86_mnemonic_name(b->insn[word[3]].mnemonic));
	return p + size + ahead;
}

/* Returns how often something hit. */
static unsigned run(const struct stream *s, const struct mdl_config *cfg,
		    const uint8_t *pass(struct looker *k, const uint8_t *p, const uint8_t *end))
{
	struct looker *k = calloc(1, sizeof(*k));
	unsigned n;

	assert_non_null(k);
	k->s = s;
	k->cpu = cfg->cpu;
	assert_int_equal(mdl_open(cfg, &k->w, &k->m), 0);
	for (const uint8_t *p = s->bytes; p < s->bytes + s->n;)
		p = pass(k, p, s->bytes + s->n);

	n = k->n_hits;
	mdl_close(k->m);
	free(k);
	return n;
}

static void check_cpu(const char *cpu, uint64_t seed)
{
	struct mdl_config cfg;
	struct stream s, cut;

	random_stream(&s, seed, N_STEPS, RANDOM_REAL);
	stream_cut(&s, 1, &cut);
	cfg = stream_config(&s, cpu);
	run(&s, &cfg, pass_blocks);
	run(&cut, &cfg, pass_piece);
	cfg = stream_config_untimed(&s, cpu);
	run(&s, &cfg, pass_blocks);
	run(&cut, &cfg, pass_piece);
	cfg.is_plain = 1;
	run(&cut, &cfg, pass_piece);
	cfg = stream_config(&s, cpu);
	cfg.l1d = cfg.l1i = (struct mdl_geom){512u << 10, 16, 32};
	cfg.dtlb = cfg.itlb = (struct mdl_geom){1024, 16, 0};
	assert_true(run(&s, &cfg, pass_blocks) > LEAST_HITS);
	assert_true(run(&cut, &cfg, pass_piece) > LEAST_HITS);
	free(cut.bytes);
	stream_close(&s);
}

static void hits_count_no_more(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium3-coppermine", "pentiumpro",
					   "celeron-covington"};

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		check_cpu(cpus[i], 540 + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(hits_count_no_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
