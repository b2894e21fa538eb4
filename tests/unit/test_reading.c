/* Readings of counters in the middle of a stream, with clocks: what is kept of blocks (decisions 016, 017, 020) changes none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "stream.h"
#include "trace/record.h"

enum { N_BLOCKS = 48, N_STEPS = 12000, EACH_READS = 6 };

/* Every sixth block is an RDPMC, behind a block that ends with it; the others load, store, compute and branch. */
static void make_blocks(struct stream *s, uint64_t *rng)
{
	static struct block_plan p;
	uint64_t pc = 0x400000;

	for (unsigned i = 0; i < N_BLOCKS; i++) {
		const bool is_read = i % EACH_READS == EACH_READS - 1, is_before = i % EACH_READS == EACH_READS - 2;
		static const char *const names[] = {"mov", "add", "div", "fsqrt", "paddb"};
		static const uint8_t groups[] = {X86_GRP_INT, X86_GRP_INT, X86_GRP_INT, X86_GRP_X87, X86_GRP_MMX};

		plan_begin(&p, pc);
		if (is_read) {
			plan_insn(&p, "rdpmc", 2, X86_GRP_INT, 0);
			p.block.emulate = X86_EMU_RDPMC;
		}
		for (unsigned n = is_read ? 0 : 1 + stream_random(rng) % 5; n; n--) {
			const uint64_t x = stream_random(rng);

			plan_insn(&p, names[x % 5], 2 + x / 8 % 4, groups[x % 5], 0);
			if (x >> 20 & 1)
				plan_ref(&p, 4, 1 + (x >> 24) % 3);
		}
		p.block.is_before_rdpmc = is_before;
		if (!is_read && !is_before && i & 1) {
			plan_insn(&p, "jz", 2, X86_GRP_INT, X86_I_BRANCH | X86_I_COND);
			plan_end(&p, s, X86_TERM_JCC, 0x400000);
		} else {
			plan_end(&p, s, X86_TERM_FALL, 0);
		}
		pc = p.block.fall;
	}
}

/* Rounds over a few blocks, which repeat, with misses that L2 serves. */
static void make_stream(struct stream *s, uint64_t seed)
{
	uint64_t rng = seed, slots[X86_MAX_SLOTS + 1];

	stream_open(s);
	make_blocks(s, &rng);
	for (unsigned i = 0, round = 0; i < N_STEPS; i++) {
		const uint64_t x = stream_random(&rng);

		if (i % 600 == 0)
			round = (unsigned)(x % (N_BLOCKS / EACH_READS)) * EACH_READS;
		for (unsigned k = 0; k <= X86_MAX_SLOTS; k++)
			slots[k] = 0x800000 + k * 8 + (x % 3 == 0 ? (x >> 8) % 0x20000 & ~31ull : 0);
		stream_exec(s, round + i % EACH_READS, slots);
		if (x % 1500 == 0)
			stream_event(s, TRC_FS_BASE, &slots[0], 8);
	}
}

/* What each reading of these wires is, and what an RDPMC does not see of it, into out[]. Returns how many numbers. */
static unsigned read_all(const struct stream *s, struct mdl_config cfg, const unsigned *wire, unsigned n_wire, uint64_t *out)
{
	static struct wires w;
	struct mdl *m;
	unsigned n = 0;

	memset(&w, 0, sizeof(w));
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	for (size_t at = 0; at < s->n;) {
		const size_t size = trc_record_bytes(s->bytes + at, s->n - at);
		uint32_t head;

		memcpy(&head, s->bytes + at, 4);
		assert_int_equal(mdl_feed(m, s->bytes + at, size), 0);
		at += size;
		if (head >= TRC_SPECIAL || trc_block_id(head) % EACH_READS != EACH_READS - 1)
			continue;
		mdl_finish(m);
		for (unsigned k = 0; k < n_wire; k++) {
			out[n++] = w.total[wire[k]];
			out[n++] = mdl_unseen(m, trc_block_id(head), wire[k]);
		}
	}
	mdl_close(m);
	return n;
}

static void compare(const char *cpu, const unsigned *wire, unsigned n_wire)
{
	static uint64_t kept[4 * N_STEPS], plain[4 * N_STEPS];

	for (unsigned seed = 1; seed <= 8; seed++) {
		struct stream s;
		struct mdl_config cfg;
		unsigned n;

		make_stream(&s, seed);
		cfg = stream_config(&s, cpu);
		memset(cfg.wanted, 0, sizeof(cfg.wanted)); /* who wants all has nothing kept */
		for (unsigned k = 0; k < n_wire; k++)
			cfg.wanted[wire[k]] = 1;
		cfg.host_code_after = 2;
		n = read_all(&s, cfg, wire, n_wire, kept);
		assert_int_equal(n, N_STEPS / EACH_READS * 2 * n_wire);
		cfg.has_no_memo = 1;
		assert_int_equal(read_all(&s, cfg, wire, n_wire, plain), n);
		for (unsigned i = 0; i < n; i++)
			if (kept[i] != plain[i])
				fail_msg("%s, seed %u, reading %u, wire %u, %s: %llu, plainly %llu", cpu, seed, i / 2 / n_wire,
				         i / 2 % n_wire, i & 1 ? "unseen" : "total", (unsigned long long)kept[i],
				         (unsigned long long)plain[i]);
		stream_close(&s);
	}
}

static void readings_of_the_p6(void **state)
{
	static const unsigned wire[] = {WIRE_P6_CORE_CLK, WIRE_P6_RETIRE_INST, WIRE_P6_RETIRE_UOP, WIRE_P6_RETIRE_TAKEN,
	                                WIRE_P6_RAT_RESOURCE_STALL};

	(void)state;
	compare("pentium3", wire, 5);
	compare("pentiumpro", wire, 5);
}

static void readings_of_the_p5(void **state)
{
	static const unsigned wire[] = {WIRE_P5_CORE_CLK, WIRE_P5_CORE_INST, WIRE_P5_CORE_V_PIPE, WIRE_P5_CORE_TAKEN};

	(void)state;
	compare("pentium-mmx", wire, 4);
	compare("pentium", wire, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readings_of_the_p6),
	    cmocka_unit_test(readings_of_the_p5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
