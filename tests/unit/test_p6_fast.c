/* Blocks of real instructions whose clocks are worked out in the usual way take as long as in the
 * general one, to the last count: sizes of registers, flags, units, buffers, microcode, and rare
 * instructions between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "stream.h"
#include "trace/record.h"

enum { N_BLOCKS = 160, NEAR = 8, N_STEPS = 6000, CODE_BYTES = 1 << 16 };

static const uint64_t code_begin = 0x400000;

/* Instructions; where the first byte is not 0, the last one's register fields are made at random:
 * MODRM. */
static const struct encoding {
	uint8_t n, code[5];
	bool has_registers;
} usual[] = {
    {2, {0x01, 0xc0}, true},			/* add r32, r32 */
    {2, {0x00, 0xc0}, true},			/* add r8, r8 */
    {3, {0x66, 0x01, 0xc0}, true},		/* add r16, r16 */
    {2, {0x89, 0xc0}, true},			/* mov r32, r32 */
    {2, {0x88, 0xc0}, true},			/* mov r8, r8 */
    {2, {0x31, 0xc0}, false},			/* xor eax, eax */
    {2, {0x30, 0xdb}, false},			/* xor bl, bl */
    {3, {0x66, 0x29, 0xc9}, false},		/* sub cx, cx */
    {2, {0xb4, 5}, false},			/* mov ah, 5 */
    {3, {0x0f, 0xaf, 0xc0}, true},		/* imul */
    {2, {0xf7, 0xf3}, false},			/* div ebx */
    {3, {0xc1, 0xe0, 5}, false},		/* shl eax, 5 */
    {2, {0xd1, 0xe0}, false},			/* shl eax, 1 */
    {2, {0xd3, 0xe2}, false},			/* shl edx, cl */
    {3, {0x0f, 0x92, 0xc0}, false},		/* setb al */
    {2, {0x11, 0xc0}, true},			/* adc */
    {3, {0x0f, 0x44, 0xc0}, true},		/* cmove */
    {2, {0xff, 0xc3}, false},			/* inc ebx: leaves the carry alone */
    {1, {0xf8}, false},				/* clc */
    {2, {0x85, 0xc0}, true},			/* test */
    {3, {0x0f, 0xb6, 0xc0}, true},		/* movzx r32, r8 */
    {5, {0x66, 0x81, 0xc0, 0x34, 0x12}, false}, /* add ax, imm16: a length-changing prefix */
    {2, {0x8b, 0x06}, false},			/* mov eax, [rsi] */
    {2, {0x8a, 0x0e}, false},			/* mov cl, [rsi] */
    {4, {0x8b, 0x54, 0x1e, 4}, false},		/* mov edx, [rsi+rbx+4] */
    {2, {0x03, 0x06}, false},			/* add eax, [rsi] */
    {2, {0x89, 0x07}, false},			/* mov [rdi], eax */
    {2, {0x88, 0x07}, false},			/* mov [rdi], al */
    {3, {0x66, 0x89, 0x07}, false},		/* mov [rdi], ax */
    {2, {0x01, 0x07}, false},			/* add [rdi], eax */
    {1, {0x50}, false},				/* push rax */
    {1, {0x5b}, false},				/* pop rbx */
    {1, {0xc9}, false},				/* leave */
    {4, {0xc8, 8, 0, 0}, false},		/* enter 8, 0 */
    {2, {0x86, 0xd8}, false},			/* xchg al, bl */
    {1, {0xaa}, false},				/* stosb */
    {3, {0x0f, 0x18, 0x0e}, false},		/* prefetcht0 [rsi] */
    {3, {0x0f, 0x58, 0xc1}, false},		/* addps */
    {3, {0x0f, 0x5e, 0xc1}, false},		/* divps */
    {3, {0x0f, 0x28, 0x06}, false},		/* movaps xmm0, [rsi] */
    {3, {0x0f, 0x29, 0x07}, false},		/* movaps [rdi], xmm0 */
};

static const struct encoding rare[] = {
    {2, {0xd8, 0xc1}, false},	    /* fadd st(0), st(1) */
    {2, {0xd9, 0xc9}, false},	    /* fxch */
    {3, {0x0f, 0xfc, 0xc1}, false}, /* paddb mm0, mm1 */
    {3, {0xf0, 0x01, 0x07}, false}, /* lock add [rdi], eax */
    {2, {0x0f, 0xa2}, false},	    /* cpuid */
    {2, {0xf3, 0xaa}, false},	    /* rep stosb */
};

static uint8_t code[CODE_BYTES];

static const uint8_t *page(void *ctx, uint64_t addr)
{
	return addr - code_begin < CODE_BYTES ? code + (addr - code_begin) : NULL;
}

static unsigned put_insn(uint8_t *to, uint64_t *rng)
{
	const uint64_t x = stream_random(rng);
	const struct encoding *e = x % 64 ? &usual[x / 64 % (sizeof(usual) / sizeof(usual[0]))]
					  : &rare[x / 64 % (sizeof(rare) / sizeof(rare[0]))];

	memcpy(to, e->code, e->n);
	if (e->has_registers)
		to[e->n - 1] |= x >> 40 & 033; /* of eax, ecx, edx, ebx */
	return e->n;
}

/* Each block ends in a jump to anywhere or in a conditional one to a block near it; the next one
 * lies behind it. */
static void write_code(uint64_t *begin, uint64_t *rng)
{
	uint64_t at[N_BLOCKS + 1] = {0}, n = 0;

	for (unsigned i = 0; i < N_BLOCKS; i++) {
		at[i] = begin[i] = n;
		for (unsigned k = 1 + stream_random(rng) % 9; k; k--)
			n += put_insn(code + n, rng);
		if (stream_random(rng) % 3) {
			const uint64_t to = at[i / NEAR * NEAR];
			const int32_t rel = (int32_t)(to - (n + 6));

			code[n] = 0x0f;
			code[n + 1] = 0x85;
			memcpy(code + n + 2, &rel, sizeof(rel));
			n += 6;
		} else {
			code[n++] = 0xff;
			code[n++] = 0xe0;
		}
		begin[i] += code_begin;
	}
	assert_in_range(n, 1, CODE_BYTES - 16);
}

static void add_blocks(struct stream *s, uint32_t *id, uint64_t *rng)
{
	static struct x86_builder builder;
	static const struct x86_code_source source = {page, NULL};
	const struct x86_build_limits limits = {.max_insns = X86_MAX_INSNS, .has_slots = true};
	uint64_t begin[N_BLOCKS];

	memset(code, 0x90, sizeof(code));
	write_code(begin, rng);
	x86_builder_init(&builder, X86_MODE_64);
	for (unsigned i = 0; i < N_BLOCKS; i++) {
		const struct x86_block *b;

		assert_int_equal(x86_block_build(&builder, begin[i], &source, &limits), 0);
		b = x86_store_add(s->store, &builder.block);
		assert_non_null(b);
		id[i] = b->id;
	}
}

/* Few addresses, so that loads meet stores, and now and then one far away. */
static void fill(const struct x86_block *b, uint64_t *slots, uint64_t *rng)
{
	for (unsigned k = 0; k < b->n_slot; k++) {
		const uint64_t x = stream_random(rng);

		slots[k] = 0x10000000 + (x % 16 ? x / 16 % 32 * 4 : x / 16 % 0x8000 * 16);
		slots[k] += x >> 40 & 63 ? 0 : x >> 50 & 31;
	}
}

static void make(struct stream *s, uint64_t seed)
{
	uint64_t rng = seed, slots[X86_MAX_SLOTS];
	uint32_t id[N_BLOCKS];
	unsigned at = 0;

	stream_open(s);
	add_blocks(s, id, &rng);
	for (unsigned step = 0; step < N_STEPS; step++) {
		const struct x86_block *b = x86_store_get(s->store, id[at]);
		const uint64_t x = stream_random(&rng);

		fill(b, slots, &rng);
		stream_exec(s, id[at], slots);
		if (b->term == X86_TERM_JMP_IND)
			at = x % 32 ? at / NEAR * NEAR + (unsigned)(x >> 8) % NEAR
				    : (unsigned)(x >> 8) % N_BLOCKS;
		else if (b->term == X86_TERM_JCC && (x >> 20 & 7 || at + 1 == N_BLOCKS))
			at = at / NEAR * NEAR;
		else if (b->term == X86_TERM_FALL || b->term == X86_TERM_JCC)
			at++;
	}
	slots[0] = 0;
	stream_event(s, TRC_EXIT, slots, 8);
}

static void usual_way_equals_general_one(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium2", "pentiumpro",
					   "pentium3-coppermine"};
	static struct wires usual_way, general;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < 2 * sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct stream s;
		struct mdl_config cfg;

		make(&s, 4711 + i);
		cfg = stream_config(&s, cpus[i / 2]);
		for (size_t k = 0; k < n; k++)
			cfg.wanted[k] = strncmp(wire[k].name, "core.slot_", 10) != 0;
		stream_run(&s, &cfg, &usual_way);
		cfg.has_no_memo = 1;
		stream_run(&s, &cfg, &general);
		assert_true(general.total[WIRE_P6_CORE_CLK] > N_STEPS);
		for (size_t k = 0; k < n; k++)
			if (general.driven[k] && usual_way.total[k] != general.total[k])
				fail_msg(
				    "%s, %u: %s is %llu in the usual way, %llu in the general one",
				    cpus[i / 2], i, wire[k].name,
				    (unsigned long long)usual_way.total[k],
				    (unsigned long long)general.total[k]);
		stream_close(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(usual_way_equals_general_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
