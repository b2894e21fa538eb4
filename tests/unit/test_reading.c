/* Readings of counters in the middle of a stream, with clocks: what is kept of blocks (decisions
 * 016, 017, 020) changes none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "stream.h"
#include "trace/record.h"
#include "x86/build.h"

enum { N_BLOCKS = 48, N_STEPS = 12000, EACH_READS = 6 };

/* Every sixth block is an RDPMC, behind a block that ends with it; the others load, store, compute
 * and branch. */
static void make_blocks(struct stream *s, uint64_t *rng)
{
	static struct block_plan p;
	uint64_t pc = 0x400000;

	for (unsigned i = 0; i < N_BLOCKS; i++) {
		const bool is_read = i % EACH_READS == EACH_READS - 1,
			   is_before = i % EACH_READS == EACH_READS - 2;
		static const char *const names[] = {"mov", "add", "div", "fsqrt", "paddb"};
		static const uint8_t groups[] = {X86_GRP_INT, X86_GRP_INT, X86_GRP_INT, X86_GRP_X87,
						 X86_GRP_MMX};

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
			slots[k] =
			    0x800000 + k * 8 + (x % 3 == 0 ? (x >> 8) % 0x20000 & ~31ull : 0);
		stream_exec(s, round + i % EACH_READS, slots);
		if (x % 1500 == 0)
			stream_event(s, TRC_FS_BASE, &slots[0], 8);
	}
}

/* Loads that wait for loads, stores, divides, x87 and MMX on what they load. */
static const struct {
	unsigned n;
	uint8_t byte[4];
} real_insn[] = {
    {2, {0x8b, 0x06}},		   /* mov eax, [rsi] */
    {3, {0x8b, 0x04, 0x06}},	   /* mov eax, [rsi + rax] */
    {2, {0x89, 0x07}},		   /* mov [rdi], eax */
    {3, {0x89, 0x04, 0x07}},	   /* mov [rdi + rax], eax */
    {2, {0x01, 0x07}},		   /* add [rdi], eax */
    {2, {0x01, 0xc3}},		   /* add ebx, eax */
    {2, {0xf7, 0xf1}},		   /* div ecx */
    {3, {0xd9, 0x04, 0x06}},	   /* fld dword [rsi + rax] */
    {2, {0xd8, 0xc8}},		   /* fmul st, st(0) */
    {4, {0x0f, 0xdc, 0x04, 0x06}}, /* paddusb mm0, [rsi + rax] */
    {3, {0x0f, 0xdc, 0xc8}},	   /* paddusb mm1, mm0 */
};
enum { N_REAL = 8, PAGE = 4096 };

static const uint8_t *real_page(void *page, uint64_t page_addr)
{
	return page_addr == 0x400000 ? page : NULL;
}

/* N_REAL times: some of these, a branch, some more, RDPMC; built into blocks. Returns how many. */
static unsigned make_real_blocks(struct stream *s, uint64_t *rng)
{
	static uint8_t page[PAGE];
	static struct x86_builder builder;
	const struct x86_code_source source = {real_page, page};
	const struct x86_build_limits limits = {.max_insns = 16, .has_slots = true};
	unsigned n = 0, n_block = 0;

	for (unsigned i = 0; i < 2 * N_REAL; i++) {
		for (unsigned k = 1 + stream_random(rng) % 4; k; k--) {
			const unsigned x =
			    stream_random(rng) % (sizeof(real_insn) / sizeof(real_insn[0]));

			memcpy(page + n, real_insn[x].byte, real_insn[x].n);
			n += real_insn[x].n;
		}
		page[n++] = i & 1 ? 0x0f : 0x74; /* RDPMC; JZ to what is behind it */
		page[n++] = i & 1 ? 0x33 : 0;
	}
	x86_builder_init(&builder, X86_MODE_64);
	for (uint64_t pc = 0x400000; pc < 0x400000 + n; pc = builder.block.fall, n_block++) {
		assert_int_equal(x86_block_build(&builder, pc, &source, &limits), 0);
		assert_non_null(x86_store_add(s->store, &builder.block));
	}
	return n_block;
}

/* Rounds over all of it; a load is of a new line now and then, and of one that L2 has. */
static void make_real_stream(struct stream *s, uint64_t seed)
{
	uint64_t rng = seed, slots[X86_MAX_SLOTS + 1];
	unsigned n;

	stream_open(s);
	n = make_real_blocks(s, &rng);
	for (unsigned i = 0; i < N_STEPS; i++) {
		const uint64_t x = stream_random(&rng);

		for (unsigned k = 0; k <= X86_MAX_SLOTS; k++)
			slots[k] =
			    0x800000 + k * 8 +
			    (x % 5 == 0 ? (x >> 8) % (x % 3 ? 0x10000 : 0x1000000) & ~31ull : 0);
		stream_exec(s, i % n, slots);
	}
}

/* What each reading of these wires is, and what an RDPMC does not see of it, into out[]. Returns
 * how many numbers. */
static unsigned read_all(const struct stream *s, struct mdl_config cfg, const unsigned *wire,
			 unsigned n_wire, uint64_t *out)
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
		if (head >= TRC_SPECIAL ||
		    x86_store_get(s->store, trc_block_id(head))->emulate != X86_EMU_RDPMC)
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

/* Kept or not, the same; of the first n_missed wires an RDPMC must miss something now and then. */
static void compare(const char *cpu, void make(struct stream *, uint64_t), const unsigned *wire,
		    unsigned n_wire, unsigned n_missed)
{
	static uint64_t kept[8 * N_STEPS], plain[8 * N_STEPS];
	unsigned missed[WIRE_N] = {0};

	for (unsigned seed = 1; seed <= 8; seed++) {
		struct stream s;
		struct mdl_config cfg;
		unsigned n;

		make(&s, seed);
		cfg = stream_config(&s, cpu);
		memset(cfg.wanted, 0, sizeof(cfg.wanted)); /* who wants all has nothing kept */
		for (unsigned k = 0; k < n_wire; k++)
			cfg.wanted[wire[k]] = 1;
		cfg.host_code_after = 2;
		n = read_all(&s, cfg, wire, n_wire, kept);
		assert_true(n > N_STEPS / EACH_READS * n_wire &&
			    n <= sizeof(kept) / sizeof(kept[0]));
		for (unsigned i = 1; i < n; i += 2)
			missed[i / 2 % n_wire] += kept[i] != 0;
		cfg.has_no_memo = 1;
		assert_int_equal(read_all(&s, cfg, wire, n_wire, plain), n);
		for (unsigned i = 0; i < n; i++)
			if (kept[i] != plain[i])
				fail_msg("%s, seed %u, reading %u, wire %u, %s: %llu, plainly %llu",
					 cpu, seed, i / 2 / n_wire, i / 2 % n_wire,
					 i & 1 ? "unseen" : "total", (unsigned long long)kept[i],
					 (unsigned long long)plain[i]);
		stream_close(&s);
	}
	for (unsigned k = 0; k < n_missed; k++)
		if (missed[k] < 10)
			fail_msg("%s, wire %u: only %u readings miss something", cpu, k, missed[k]);
}

static void readings_of_the_p6(void **state)
{
	static const unsigned wire[] = {WIRE_P6_CORE_CLK, WIRE_P6_RETIRE_INST, WIRE_P6_RETIRE_UOP,
					WIRE_P6_RETIRE_TAKEN, WIRE_P6_RAT_RESOURCE_STALL};

	(void)state;
	compare("pentium3", make_stream, wire, 5, 0);
	compare("pentiumpro", make_stream, wire, 5, 0);
}

static void what_waits_when_the_p6_reads(void **state)
{
	static const unsigned wire[] = {
	    WIRE_P6_DCU_REF,	 WIRE_P6_DCU_LINE_IN, WIRE_P6_L2_LINE_IN,
	    WIRE_P6_BUS_BRD,	 WIRE_P6_BUS_RFO,     WIRE_P6_DCU_MISS_OUTSTANDING,
	    WIRE_P6_FPU_OP_EXEC, WIRE_P6_MMX_EXEC,    WIRE_P6_CORE_CLK};

	(void)state;
	compare("pentium3", make_real_stream, wire, 9, 8);
	compare("pentium2", make_real_stream, wire, 9, 8);
}

static void readings_of_the_p5(void **state)
{
	static const unsigned wire[] = {WIRE_P5_CORE_CLK, WIRE_P5_CORE_INST, WIRE_P5_CORE_V_PIPE,
					WIRE_P5_CORE_TAKEN};

	(void)state;
	compare("pentium-mmx", make_stream, wire, 4, 0);
	compare("pentium", make_stream, wire, 4, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(readings_of_the_p6),
	    cmocka_unit_test(what_waits_when_the_p6_reads),
	    cmocka_unit_test(readings_of_the_p5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
