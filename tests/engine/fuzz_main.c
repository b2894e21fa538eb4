/* fuzz_main.c -- calls the cases that fuzz_insn.c wrote and prints a hash of what each leaves
 * behind.
 *
 * prog [FIRST [END [x]]]: cases FIRST to END - 1; a third argument prints all words that are
 * hashed.
 *
 * Static, without libc and without vector code of its own. No branch depends on a case's results,
 * so that the number of executed instructions is a constant of the program.
 */
#include "bare.h"

#define ARENA_LOW   0x2000f00ul
#define ARENA_HIGH  0x123456780f00ul
#define ARENA_BYTES 512u
#define FLAGS_SEEN  0xcd5u /* CF PF AF ZF SF DF OF; stepping sets TF in what PUSHF stores */

extern void (*const cases[])(void);
extern const uint64_t n_cases;

/* Offsets are known to fuzz_insn.c: 16 registers, flags, MXCSR, MMX, masks, 16 vectors of 64 bytes.
 */
uint64_t out[(256 + 16 * 64) / 8];
uint64_t saved_rsp;
uint32_t mxcsr_in = 0x1f80;
uint64_t vec_in[160];

/* Call f, which leaves no register as it was. */
void call_case(void (*f)(void));
__asm__(
    ".text\n.globl call_case\ncall_case:\n"
    "\tpush %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\tsub $8,%rsp\n"
    "\tcall *%rdi\n"
    "\tadd $8,%rsp\n\tpop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop "
    "%rbx\n\tret\n");

static void fill(uint64_t *p, unsigned n, uint64_t x)
{
	for (unsigned i = 0; i < n; i++)
		p[i] = x += 0x9e3779b97f4a7c15ull;
}

static uint64_t hash(uint64_t h, const uint64_t *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3ull + (h >> 47);
	return h;
}

/* Everything that a case left behind, a word per line: to find out what differs. */
static void dump(void)
{
	char line[34] = "                 ";

	line[33] = '\n';
	for (unsigned i = 0; i < sizeof(out) / 8 + 2 * ARENA_BYTES / 8; i++) {
		unsigned k = i - sizeof(out) / 8;

		bare_hex(line, i);
		line[16] = ' ';
		bare_hex(line + 17, i < sizeof(out) / 8 ? out[i]
				    : k < ARENA_BYTES / 8
					? ((uint64_t *)ARENA_LOW)[k]
					: ((uint64_t *)ARENA_HIGH)[k - ARENA_BYTES / 8]);
		bare_write(line, 34);
	}
}

int test_main(long argc, char **argv)
{
	static char text[1 << 16];
	unsigned n = 0;
	uint64_t first = argc > 1 ? bare_number(argv[1]) : 0;
	uint64_t last = argc > 2 ? bare_number(argv[2]) : n_cases;

	if (bare_call(9, ARENA_LOW & ~4095ul, 8192, 3, 0x32, -1, 0) < 0 ||
	    bare_call(9, ARENA_HIGH & ~4095ul, 8192, 3, 0x32, -1, 0) < 0 ||
	    bare_call(158, 0x1002 /* ARCH_SET_FS */, ARENA_LOW + 200, 0, 0, 0, 0) < 0) {
		bare_write("no arena\n", 9);
		return 2;
	}
	/* Vectors: single-precision numbers of moderate size in most places. */
	for (unsigned i = 0; i < 160; i++)
		vec_in[i] = 0x3f80000040000000ull + i * 0x0012345600345678ull;
	for (uint64_t k = first; k < last && k < n_cases; k++) {
		uint64_t h = k;

		fill((uint64_t *)ARENA_LOW, ARENA_BYTES / 8, k);
		fill((uint64_t *)ARENA_HIGH, ARENA_BYTES / 8, ~k);
		fill(out + 18, 30, 0);
		call_case(cases[k]);
		out[16] &= FLAGS_SEEN;
		if (argc > 3)
			dump();
		h = hash(h, out, sizeof(out) / 8);
		h = hash(h, (uint64_t *)ARENA_LOW, ARENA_BYTES / 8);
		h = hash(h, (uint64_t *)ARENA_HIGH, ARENA_BYTES / 8);
		bare_hex(text + n, k);
		text[n + 16] = ' ';
		bare_hex(text + n + 17, h);
		text[n + 33] = '\n';
		n += 34;
		if (n + 34 > sizeof(text) || k + 1 == last || k + 1 == n_cases) {
			bare_write(text, n);
			n = 0;
		}
	}
	return 0;
}
