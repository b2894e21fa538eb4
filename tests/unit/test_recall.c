/* test_recall.c -- an instruction that is recalled is what decoding it gives: the C library entered
 * at every byte, so that sense and nonsense come up, and random bytes behind every opcode. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream.h"
#include "x86/build.h"

#define BASE  0x400000ull
#define TEXT  300000u
#define CASES 400000u

static const uint8_t *code; /* what lies at BASE */
static unsigned n_recalled;

static const uint8_t *page(void *ctx, uint64_t page_addr)
{
	(void)ctx;
	return code + (page_addr - BASE);
}

static int find_text(struct dl_phdr_info *info, size_t size, void *out)
{
	(void)size;
	if (!strstr(info->dlpi_name, "libc.so"))
		return 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X)
			*(const uint8_t **)out =
			    (const uint8_t *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return 1;
}

/* One instruction at pc. What a builder leaves in place from the one before does not count. */
static void build(struct x86_builder *b, uint64_t pc)
{
	const struct x86_code_source source = {page, NULL};
	const struct x86_build_limits limits = {.max_insns = 1, .has_slots = true};

	memset(b->dec, 0, sizeof(*b->dec));
	memset(b->insn, 0xff, sizeof(*b->insn));
	assert_int_equal(x86_block_build(b, pc, &source, &limits), 0);
}

static void compare(struct x86_builder *got, struct x86_builder *want, uint64_t pc)
{
	struct x86_decoded d;
	struct x86_insn insn;

	build(want, pc);
	build(got, pc);
	build(got, pc); /* the second time it is decoded, perhaps, and kept */
	n_recalled += x86_recall(got->recall, pc, code + (pc - BASE), &d, &insn);
	build(got, pc);
	assert_memory_equal(got->dec, want->dec,
			    offsetof(struct x86_decoded, op) +
				want->dec->z.operand_count * sizeof(*want->dec->op));
	assert_memory_equal(got->insn, want->insn, sizeof(*want->insn));
	assert_int_equal(got->block.target, want->block.target);
	assert_int_equal(got->block.term, want->block.term);
	assert_int_equal(got->block.bytes, want->block.bytes);
	assert_int_equal(got->block.n_ref, want->block.n_ref);
	assert_memory_equal(got->ref, want->ref, want->block.n_ref * sizeof(*want->ref));
}

static void two_builders(void (*cases)(struct x86_builder *got, struct x86_builder *want))
{
	struct x86_builder *got = calloc(1, sizeof(*got)), *want = calloc(1, sizeof(*want));
	struct x86_recall *r = x86_recall_open();

	assert_true(got && want && r);
	x86_builder_init(got, X86_MODE_64);
	x86_builder_init(want, X86_MODE_64);
	got->recall = r;
	n_recalled = 0;
	cases(got, want);
	x86_recall_close(r);
	free(got);
	free(want);
}

static void library(struct x86_builder *got, struct x86_builder *want)
{
	dl_iterate_phdr(find_text, &code);
	assert_non_null(code);
	for (unsigned i = 0; i < TEXT; i++)
		compare(got, want, BASE + i);
	assert_true(n_recalled > TEXT / 2);
}

static void test_library(void **state)
{
	(void)state;
	two_builders(library);
}

/* Prefixes, one in three; REX, one in two; an opcode of either map; random bytes, and often the
 * ones before. */
static void random_bytes(struct x86_builder *got, struct x86_builder *want)
{
	static const uint8_t prefix[] = {0x66, 0xf2, 0xf3, 0x2e, 0x3e, 0x64, 0x67, 0xf0};
	static uint8_t bytes[2 * 4096];
	uint64_t rng = 1;

	code = bytes;
	for (unsigned i = 0; i < CASES; i++) {
		uint64_t x = stream_random(&rng);
		unsigned at = 0;

		while (at < 3 && x % 3 == 0) {
			bytes[at++] = prefix[x >> 8 & 7];
			x = stream_random(&rng);
		}
		if (x & 1 << 5)
			bytes[at++] = (uint8_t)(0x40 | (x >> 16 & 15));
		if (x & 1 << 6)
			bytes[at++] = 0x0f;
		bytes[at++] = (uint8_t)(x >> 24);
		if (x & 1 << 7)
			bytes[at] = (uint8_t)(x >> 32);
		if (x & 1 << 8)
			memcpy(bytes + at + 1, &rng, 8);
		compare(got, want, BASE);
	}
	assert_true(n_recalled > CASES / 4);
}

static void test_random(void **state)
{
	(void)state;
	two_builders(random_bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_library),
	    cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
