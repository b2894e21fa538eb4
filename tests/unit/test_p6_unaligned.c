/* References that are not aligned: pieces over 8-byte boundaries and line ends, and operands of
 * which one line or both are missing, as predicted here; by host code, by the loop, plainly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "stream.h"

#define BASE  0x800000u
#define SPACE 0x3000u /* less than L1D holds */
#define LINE  32u

struct expected {
	uint64_t refs, misaligned, miss_ld, miss_st, lines;
};

/* Is line `at` of the space new? It is not from then on. */
static bool is_new(bool *seen, uint64_t at)
{
	bool was = seen[at / LINE];

	seen[at / LINE] = true;
	return !was;
}

/* One reference of n bytes at `at`. */
static void expect(struct expected *e, bool *seen, uint64_t at, unsigned n, unsigned flags)
{
	const unsigned times = flags == (X86_REF_READ | X86_REF_WRITE) ? 2 : 1;
	unsigned new_lines = 0;

	for (unsigned done = 0; done < n; done += 8) {
		const unsigned piece = n < 8 ? n : 8;
		const bool is_cut = (at + done) / LINE != (at + done + piece - 1) / LINE;

		e->refs += times * (1 + is_cut);
		if ((at + done) % 8 + piece > 8)
			e->misaligned += times * (1 + is_cut);
	}
	for (uint64_t line = at / LINE; line <= (at + n - 1) / LINE; line++)
		new_lines += is_new(seen, line * LINE);
	e->lines += new_lines;
	e->miss_ld += new_lines && flags & X86_REF_READ;
	e->miss_st += new_lines && !(flags & X86_REF_READ);
}

static uint32_t add_block(struct stream *s, uint64_t pc, unsigned bytes, unsigned flags)
{
	static struct block_plan p;

	plan_begin(&p, pc);
	plan_insn(&p, "mov", 4, X86_GRP_INT, 0);
	plan_ref(&p, bytes, flags);
	return plan_end(&p, s, X86_TERM_FALL, 0);
}

static void assert_expected(const struct stream *s, const struct expected *e, unsigned way)
{
	static struct wires w;
	struct mdl_config cfg = stream_config_untimed(s, "pentium3");

	cfg.host_code_after = 2;
	cfg.has_no_host_code = way == 1;
	cfg.is_plain = way == 2;
	stream_run(s, &cfg, &w);
	assert_int_equal(w.total[WIRE_P6_DCU_REF], e->refs);
	assert_int_equal(w.total[WIRE_P6_DCU_MISALIGN], e->misaligned);
	assert_int_equal(w.total[WIRE_P6_DCU_MISS_REF_LD], e->miss_ld);
	assert_int_equal(w.total[WIRE_P6_DCU_MISS_REF_ST], e->miss_st);
	assert_int_equal(w.total[WIRE_P6_DCU_LINE_IN], e->lines);
}

/* A walk through the space in steps of `step` bytes, twice. */
static void walk_through(unsigned bytes, unsigned flags, unsigned step)
{
	static bool seen[SPACE / LINE];
	struct expected e = {0};
	struct stream s;
	uint32_t id;

	memset(seen, 0, sizeof(seen));
	stream_open(&s);
	id = add_block(&s, 0x1000, bytes, flags);
	for (unsigned round = 0; round < 2; round++) {
		for (unsigned at = 0; at + bytes <= SPACE; at += step) {
			expect(&e, seen, at, bytes, flags);
			stream_exec(&s, id, (uint64_t[]){BASE + at});
		}
	}
	for (unsigned way = 0; way < 3; way++)
		assert_expected(&s, &e, way);
	stream_close(&s);
}

static void each_size_counts_its_pieces(void **state)
{
	static const unsigned flags[] = {X86_REF_READ, X86_REF_WRITE, X86_REF_READ | X86_REF_WRITE};
	static const unsigned steps[] = {1,  7, 12, 24,
					 37, 61}; /* with the last two both lines may be missing */

	(void)state;
	for (unsigned bytes = 1; bytes <= 64; bytes *= 2)
		for (unsigned i = 0; i < 3; i++)
			for (unsigned k = 0; k < 6; k++)
				walk_through(bytes, flags[i], steps[k]);
}

/* Everything else is the same, too, where lines and pages go and come and code is stored into. */
static void every_wire_is_the_same(void **state)
{
	static struct wires w[3];
	static const unsigned flags[] = {X86_REF_READ, X86_REF_WRITE, X86_REF_READ | X86_REF_WRITE};
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	(void)state;
	for (unsigned seed = 0; seed < 4; seed++) {
		struct mdl_config cfg;
		struct stream s;
		uint32_t id[18];
		uint64_t rng = 91 + seed;

		stream_open(&s);
		for (unsigned i = 0; i < 18; i++)
			id[i] = add_block(&s, 0x1000 + 0x24 * i, 2u << i / 3, flags[i % 3]);
		for (unsigned k = 0; k < 60000; k++) {
			const uint64_t x = stream_random(&rng);
			const uint64_t at = BASE + (x >> 8) % (seed & 1 ? 0x5000 : 0x80000);

			stream_exec(&s, id[x % 18],
				    (uint64_t[]){x >> 50 & 0x3ff ? at : 0x1000 + at % 0x200});
		}
		cfg = stream_config_untimed(&s, "pentium3");
		if (seed > 1) /* with two ways, lines in state S that L2 has lost are stored into */
			cfg.l2 = (struct mdl_geom){seed == 2 ? 32 << 10 : 16 << 10,
						   seed == 2 ? 4 : 2, 0};
		cfg.host_code_after = 2;
		stream_run(&s, &cfg, &w[0]);
		cfg.has_no_host_code = 1;
		stream_run(&s, &cfg, &w[1]);
		cfg.is_plain = 1;
		stream_run(&s, &cfg, &w[2]);
		for (unsigned i = 0; i < WIRE_N; i++)
			if (w[0].total[i] != w[2].total[i] || w[1].total[i] != w[2].total[i])
				fail_msg(
				    "%u: %s is %llu by host code, %llu by the loop, %llu plainly",
				    seed, wire[i].name, (unsigned long long)w[0].total[i],
				    (unsigned long long)w[1].total[i],
				    (unsigned long long)w[2].total[i]);
		stream_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_size_counts_its_pieces),
	    cmocka_unit_test(every_wire_is_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
