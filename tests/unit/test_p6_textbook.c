/* Under --replace lru --phys identity --walks off the P6 counts the misses that the textbook's
 * two-level LRU hierarchy has: the one that Cachegrind simulates. Its rules, written down anew: an
 * access to two lines is one access, a miss when either line is missing; read-modify-write is a
 * read; both levels allocate on every miss; the second level is asked only when the first misses,
 * for all lines of the access. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "gen/wires_p6.h"
#include "stream.h"

enum { N_BLOCKS = 400, N_STEPS = 120000, MAX_SETS = 4096, WAYS = 4, LINE_LOG2 = 5 };

struct level {
	uint64_t line[MAX_SETS][WAYS]; /* newest first */
	unsigned sets;
	uint64_t misses;
};

static bool touch(struct level *l, uint64_t line)
{
	uint64_t *way = l->line[line & (l->sets - 1)];
	unsigned k = 0;
	bool hit;

	while (k < WAYS - 1 && way[k] != line + 1)
		k++;
	hit = way[k] == line + 1;
	memmove(way + 1, way, k * sizeof(*way));
	way[0] = line + 1;
	return hit;
}

/* One access; returns whether it was a miss. */
static bool access_level(struct level *l, uint64_t lin, unsigned bytes)
{
	bool miss = false;

	for (uint64_t line = lin >> LINE_LOG2; line <= (lin + bytes - 1) >> LINE_LOG2; line++)
		miss |= !touch(l, line);
	l->misses += miss;
	return miss;
}

static struct level i1, d1, ll;

static void execute(const struct x86_block *b, const uint64_t *slots, uint64_t *reads,
		    uint64_t *writes)
{
	for (unsigned i = 0, k = 0; i < b->n_insn; i++) {
		if (access_level(&i1, b->pc + b->insn[i].pc_off, b->insn[i].bytes))
			access_level(&ll, b->pc + b->insn[i].pc_off, b->insn[i].bytes);
		for (; k < b->n_ref && b->ref[k].insn == i; k++) {
			uint64_t lin = slots[b->ref[k].slot];

			if (!access_level(&d1, lin, b->ref[k].bytes))
				continue;
			*(b->ref[k].flags & X86_REF_READ ? reads : writes) += 1;
			access_level(&ll, lin, b->ref[k].bytes);
		}
	}
}

static void misses_equal_the_textbook(void **state)
{
	static struct block_plan p;
	static struct wires w;
	struct stream s;
	struct mdl_config cfg;
	uint64_t rng = 12345, reads = 0, writes = 0, missed_l2;

	memset(&i1, 0, sizeof(i1));
	memset(&d1, 0, sizeof(d1));
	memset(&ll, 0, sizeof(ll));
	i1.sets = d1.sets = 128;
	ll.sets = 4096;
	stream_open(&s);
	for (unsigned i = 0; i < N_BLOCKS; i++) {
		plan_begin(&p, 0x400000 + stream_random(&rng) % 0x20000);
		for (unsigned n = 1 + stream_random(&rng) % 12; n; n--) {
			static const uint8_t sizes[] = {1, 2, 4, 4, 8, 8, 16, 32};
			uint64_t x = stream_random(&rng);

			plan_insn(&p, "add", 1 + x % 12, X86_GRP_INT, 0);
			if (x >> 8 & 1)
				plan_ref(&p, sizes[x >> 10 & 7], 1 + (unsigned)(x >> 16) % 3);
		}
		plan_end(&p, &s, X86_TERM_FALL, 0);
	}
	for (unsigned i = 0; i < N_STEPS; i++) {
		const struct x86_block *b =
		    x86_store_get(s.store, (uint32_t)(stream_random(&rng) % N_BLOCKS));
		uint64_t slots[X86_MAX_SLOTS];

		for (unsigned k = 0; k < b->n_slot; k++) {
			uint64_t x = stream_random(&rng), spread = x % 9 ? 0x8000 : 0x200000;

			slots[k] = 0x7f0000000000 + (x >> 8) % spread;
			if (x >> 40 & 3)
				slots[k] &= ~15ull;
		}
		stream_exec(&s, b->id, slots);
		execute(b, slots, &reads, &writes);
	}
	cfg = stream_config_untimed(&s, "pentium3");
	cfg.replace = MDL_REPLACE_LRU;
	cfg.phys = MDL_PHYS_IDENTITY;
	cfg.has_walks = 0;
	stream_run(&s, &cfg, &w);
	assert_true(i1.misses > 10000 && reads > 10000 && writes > 1000);
	assert_true(w.total[WIRE_P6_IFU_MISS_REF] == i1.misses);
	assert_true(w.total[WIRE_P6_DCU_MISS_REF_LD] == reads);
	assert_true(w.total[WIRE_P6_DCU_MISS_REF_ST] == writes);
	/* the last level: requests per line, cast-outs kept out; within a thousandth */
	missed_l2 = w.total[WIRE_P6_L2_IFETCH_I] + w.total[WIRE_P6_L2_MISS_REF];
	assert_true(missed_l2 < ll.misses + ll.misses / 1000 + 2);
	assert_true(missed_l2 > ll.misses - ll.misses / 1000 - 2);
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(misses_equal_the_textbook),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
