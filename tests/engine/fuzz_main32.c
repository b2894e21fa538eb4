/* fuzz_main32.c -- calls the cases that fuzz_insn32.c wrote and prints a hash of what each leaves
 * behind.
 *
 * prog [FIRST [END [x]]]: as fuzz_main.c. The program's GS points into the lower arena.
 */
#include "bare32.h"

#define ARENA_LOW   0x2000f00ul
#define ARENA_HIGH  0xb0000f00ul
#define ARENA_BYTES 512u
#define FLAGS_SEEN  0xcd5u /* CF PF AF ZF SF DF OF; stepping sets TF in what PUSHF stores */

extern void (*const cases[])(void);
extern const uint32_t n_cases;

/* Offsets are known to fuzz_insn32.c: 8 registers, flags, MXCSR, then MMX at 64 and XMM at 128. */
uint32_t out[256 / 4];
uint32_t saved_esp;
uint32_t mxcsr_in = 0x1f80;
uint64_t vec_in[32];

void call_case(void (*f)(void));
__asm__(".text\n.globl call_case\ncall_case:\n"
	"\tpush %ebx\n\tpush %ebp\n\tpush %esi\n\tpush %edi\n"
	"\tcall *20(%esp)\n"
	"\tpop %edi\n\tpop %esi\n\tpop %ebp\n\tpop %ebx\n\tret\n");

static void fill(uint32_t *p, unsigned n, uint32_t x)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = x += 0x9e3779b9u;
}

static uint32_t hash(uint32_t h, const uint32_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x01000193u + (h >> 15);
	return h;
}

/* Everything that a case left behind, a word per line: to find out what differs. */
static void dump(void)
{
	char line[18] = "                 ";

	line[17] = '\n';
	for (unsigned i = 0; i < sizeof(out) / 4 + 2 * ARENA_BYTES / 4; i++) {
		unsigned k = i - sizeof(out) / 4;

		bare_hex(line, i);
		line[8] = ' ';
		bare_hex(line + 9, i < sizeof(out) / 4 ? out[i]
				   : k < ARENA_BYTES / 4
				       ? ((uint32_t *)ARENA_LOW)[k]
				       : ((uint32_t *)ARENA_HIGH)[k - ARENA_BYTES / 4]);
		bare_write(line, 18);
	}
}

/* Segment descriptor with base ARENA_LOW + 200, into GS. */
static int set_gs(void)
{
	uint32_t descriptor[4] = {(uint32_t)-1, ARENA_LOW + 200, 0xfffff,
				  0x51 /* 32-bit, pages, usable */};

	if (bare_call(243, (long)descriptor, 0, 0, 0, 0, 0) < 0)
		return -1;
	__asm__ volatile("movw %w0,%%gs" : : "r"(descriptor[0] * 8 + 3));
	return 0;
}

int test_main(int argc, char **argv)
{
	static char text[1 << 15];
	unsigned n = 0;
	uint32_t first = argc > 1 ? bare_number(argv[1]) : 0;
	uint32_t last = argc > 2 ? bare_number(argv[2]) : n_cases;

	if ((unsigned long)bare_call(192, ARENA_LOW & ~4095ul, 8192, 3, 0x32, -1, 0) > -4096ul ||
	    (unsigned long)bare_call(192, ARENA_HIGH & ~4095ul, 8192, 3, 0x32, -1, 0) > -4096ul ||
	    set_gs()) {
		bare_write("no arena\n", 9);
		return 2;
	}
	for (unsigned i = 0; i < 32; i++)
		vec_in[i] = 0x3f80000040000000ull + i * 0x0012345600345678ull;
	for (uint32_t k = first; k < last && k < n_cases; k++) {
		uint32_t h = k;

		fill((uint32_t *)ARENA_LOW, ARENA_BYTES / 4, k);
		fill((uint32_t *)ARENA_HIGH, ARENA_BYTES / 4, ~k);
		fill(out, sizeof(out) / 4, 0);
		call_case(cases[k]);
		out[8] &= FLAGS_SEEN;
		if (argc > 3)
			dump();
		h = hash(h, out, sizeof(out) / 4);
		h = hash(h, (uint32_t *)ARENA_LOW, ARENA_BYTES / 4);
		h = hash(h, (uint32_t *)ARENA_HIGH, ARENA_BYTES / 4);
		bare_hex(text + n, k);
		text[n + 8] = ' ';
		bare_hex(text + n + 9, h);
		text[n + 17] = '\n';
		n += 18;
		if (n + 18 > sizeof(text) || k + 1 == last || k + 1 == n_cases) {
			bare_write(text, n);
			n = 0;
		}
	}
	return 0;
}
