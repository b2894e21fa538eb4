/* fuzz_insn.c -- writes random instruction sequences as an assembler file, one function per case.
 *
 * fuzz_insn -s SEED -n CASES [-k CASE] [-x FEATURES] [-a]   (assembler text on stdout)
 *
 * Every case loads all registers, the flags and the vector registers, runs 1 to 6 entries of
 * fuzz_templates.h and stores everything again; fuzz_main.c calls the cases and hashes what they
 * leave behind. The same seed gives the same text; -k writes only the body of one case, to look at.
 *
 * Memory operands are made to hit an arena: the generator knows the value of every register that
 * the case has not written yet, picks an address in the arena (often across the border of two
 * pages), then a base, an index, and the displacement that leads there.
 *
 * -a: for comparing addresses with Cachegrind's: no reference straddles a cache line, and nothing
 * that cache models treat each in its own way (prefetches, non-temporal and masked stores), that
 * Valgrind does not know, or for which it makes references of its own.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_templates.h"

#define ARENA_LOW  0x2000f00ull
#define ARENA_HIGH 0x123456780f00ull
#define RSP	   4
#define R15	   15

static const char *const reg64[16] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
				      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
static const char *const reg8[8] = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
static const char *const reg8_high[4] = {"ah", "ch", "dh", "bh"};
static const char *const cc[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
				 "s", "ns", "p", "np", "l", "ge", "le", "g"};

struct gen {
	uint64_t rng;
	const char *features;
	uint64_t value[16];
	bool is_known[16];
	bool is_written[16]; /* by the snippet in work; takes effect when it ends */
	bool is_aligned;     /* -a */
	bool is_calling;     /* this snippet has a return address on the stack */
	bool is_legacy;	     /* this snippet must do without REX: it uses AH..BH */
	bool has_mmx, has_ymm, has_zmm;
	char same_mem[96]; /* operand of #p, for #P */
	char text[1 << 16];
	size_t n;
};

static uint32_t rnd(struct gen *g, uint32_t n)
{
	g->rng = g->rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((g->rng >> 33) % n);
}

static uint64_t rnd64(struct gen *g)
{
	uint64_t high = (uint64_t)rnd(g, 1u << 30) << 34;

	return high ^ (uint64_t)rnd(g, 1u << 30) << 12 ^ rnd(g, 1u << 30);
}

static void put(struct gen *g, const char *s)
{
	size_t len = strlen(s);

	if (g->n + len >= sizeof(g->text)) {
		fprintf(stderr, "fuzz_insn: case too long\n");
		exit(2);
	}
	memcpy(g->text + g->n, s, len + 1);
	g->n += len;
}

static int64_t signed_imm(struct gen *g, int bits)
{
	static const int64_t special[] = {0, 1, -1, 2, -128, 127, 15, 8};

	if (rnd(g, 4) == 0)
		return special[rnd(g, 8)];
	return (int64_t)(rnd64(g) << (64 - bits)) >> (64 - bits);
}

static unsigned pick_reg(struct gen *g, bool is_dest)
{
	unsigned r;

	do
		r = g->is_legacy ? rnd(g, 8) : rnd(g, 10) < 3 ? R15 : rnd(g, 16);
	while (r == RSP && (is_dest || rnd(g, 4)));
	if (is_dest)
		g->is_written[r] = true;
	return r;
}

static void put_reg(struct gen *g, unsigned r, int bits)
{
	char s[16];

	if (bits == 64)
		snprintf(s, sizeof(s), "%%%s", reg64[r]);
	else if (bits == 8 && r < 8)
		snprintf(s, sizeof(s), "%%%s", reg8[r]);
	else if (r >= 8)
		snprintf(s, sizeof(s), "%%%s%c", reg64[r],
			 bits == 32   ? 'd'
			 : bits == 16 ? 'w'
				      : 'b');
	else if (bits == 32)
		snprintf(s, sizeof(s), "%%e%s", reg64[r] + 1);
	else
		snprintf(s, sizeof(s), "%%%s", reg64[r] + 1);
	put(g, s);
}

static void put_byte_reg(struct gen *g, bool is_dest)
{
	if (g->is_legacy) {
		unsigned r = rnd(g, 4);
		char s[8];

		if (is_dest)
			g->is_written[r] = true;
		snprintf(s, sizeof(s), "%%%s", rnd(g, 3) ? reg8_high[r] : reg8[r]);
		put(g, s);
		return;
	}
	put_reg(g, pick_reg(g, is_dest), 8);
}

/* An address in one of the arenas with 64 bytes before and behind it; often a page border is near.
 */
static uint64_t pick_address(struct gen *g, uint64_t arena, unsigned align)
{
	uint64_t off = rnd(g, 2) ? 64 + rnd(g, 320) : 256 - rnd(g, 64);

	if (g->is_aligned)
		align = 64;
	return (arena + off) & ~(uint64_t)(align - 1);
}

static int pick_known(struct gen *g, bool is_index)
{
	int tries;

	for (tries = 0; tries < 12; tries++) {
		unsigned r = g->is_legacy ? rnd(g, 8) : rnd(g, 3) == 0 ? R15 : rnd(g, 16);

		if (g->is_known[r] && !(is_index && r == RSP))
			return (int)r;
	}
	return -1;
}

static void put_mem(struct gen *g, unsigned align)
{
	char s[96];
	int tries;

	for (tries = 0; tries < 24; tries++) {
		uint64_t arena = rnd(g, 2) ? ARENA_LOW : ARENA_HIGH;
		uint64_t ea = pick_address(g, arena, align), sum = 0;
		int base = rnd(g, 8) ? pick_known(g, false) : -1;
		int index = rnd(g, 2) ? pick_known(g, true) : -1;
		unsigned scale = 1u << rnd(g, 4);
		bool is_addr32 = rnd(g, 12) == 0;
		int64_t disp;
		char b[8] = "", i[16] = "";

		if (base < 0 && index < 0)
			continue;
		sum = (base >= 0 ? g->value[base] : 0) + (index >= 0 ? g->value[index] * scale : 0);
		if (is_addr32) {
			ea = pick_address(g, ARENA_LOW, align);
			disp = (int32_t)(uint32_t)(ea - sum);
		} else {
			disp = (int64_t)(ea - sum);
			if (disp != (int32_t)disp)
				continue;
		}
		if (base >= 0)
			snprintf(b, sizeof(b), "%%%s%s", is_addr32 && base < 8 ? "e" : "",
				 reg64[base] + (is_addr32 && base < 8));
		if (base >= 8 && is_addr32)
			strcat(b, "d");
		if (index >= 0)
			snprintf(i, sizeof(i), ",%%%s%s%s,%u", is_addr32 && index < 8 ? "e" : "",
				 reg64[index] + (is_addr32 && index < 8),
				 is_addr32 && index >= 8 ? "d" : "", scale);
		if (disp || rnd(g, 2))
			snprintf(s, sizeof(s), "%lld(%s%s)", (long long)disp, b, i);
		else
			snprintf(s, sizeof(s), "(%s%s)", b, i);
		goto done;
	}
	snprintf(s, sizeof(s), rnd(g, 2) ? "arena_low+%u(%%rip)" : "arena_low+%u",
		 (unsigned)(pick_address(g, ARENA_LOW, align) - ARENA_LOW));
done:
	snprintf(g->same_mem, sizeof(g->same_mem), "%s", s);
	put(g, s);
}

static void put_number(struct gen *g, int64_t v)
{
	char s[32];

	snprintf(s, sizeof(s), "%lld", (long long)v);
	put(g, s);
}

static bool is_usable(const struct gen *g, const struct fuzz_template *t)
{
	static const char *const apart[] = {"prefetch",	   "movnt", "maskmov", "clflush",
					    "pushw",	   "popw",  "pcmp",    "addr32",
					    "gather",	   "leaw",  "xlat",    "%rdi; cmpsl",
					    "repne cmpsw", "bt",    "fldt",    "rep lods"};
	char key[40];

	for (unsigned i = 0; g->is_aligned && i < sizeof(apart) / sizeof(apart[0]); i++)
		if (strstr(t->text, apart[i]))
			return false;
	if (!t->needs[0])
		return true;
	snprintf(key, sizeof(key), " %s ", t->needs);
	return strstr(g->features, key) != NULL;
}

static bool is_transfer(const char *text)
{
	return strstr(text, "1:") || strstr(text, "2:");
}

/* Does it move the stack pointer? Then it cannot stand between CALL and RET. */
static bool is_stack(const char *text)
{
	return strstr(text, "push") || strstr(text, "pop") || strstr(text, "rsp") ||
	       strstr(text, "enter");
}

static void put_snippet(struct gen *g, const char *text);

/* Does it touch memory? It could hit the return address of a CALL around it. */
static bool is_memory(const char *text)
{
	return strstr(text, "#m") || strstr(text, "#a") || strstr(text, "#r") ||
	       strstr(text, "#R") || strstr(text, "#d") || strstr(text, "#e") ||
	       strstr(text, "%fs");
}

static void put_nested(struct gen *g, bool is_called)
{
	const size_t n = sizeof(fuzz_templates) / sizeof(fuzz_templates[0]);
	const struct fuzz_template *t;

	do
		t = &fuzz_templates[rnd(g, (uint32_t)n)];
	while (!is_usable(g, t) || is_transfer(t->text) || is_stack(t->text) ||
	       (is_called && is_memory(t->text)));
	put_snippet(g, t->text);
}

static void put_blank(struct gen *g, char what)
{
	char s[48];

	switch (what) {
	case 'b': put_byte_reg(g, false); break;
	case 'B': put_byte_reg(g, true); break;
	case 'w': put_reg(g, pick_reg(g, false), 16); break;
	case 'W': put_reg(g, pick_reg(g, true), 16); break;
	case 'l': put_reg(g, pick_reg(g, false), 32); break;
	case 'L': put_reg(g, pick_reg(g, true), 32); break;
	case 'q': put_reg(g, pick_reg(g, false), 64); break;
	case 'Q': put_reg(g, pick_reg(g, true), 64); break;
	case 'm': put_mem(g, 1); break;
	case 'a': put_mem(g, 16); break;
	case 'z': put_mem(g, 64); break;
	case 'p': put_mem(g, 1); break;
	case 'P': put(g, g->same_mem); break;
	case 'r':
	case 'R':
	case 'd':
	case 'D':
		if (rnd(g, 2))
			put_mem(g, 1);
		else
			put_reg(g, pick_reg(g, what == 'R' || what == 'D'),
				what == 'r' || what == 'R' ? 64 : 32);
		break;
	case 'x':
		snprintf(s, sizeof(s), "%%xmm%u", rnd(g, g->is_legacy ? 8 : 16));
		put(g, s);
		break;
	case 'y':
		g->has_ymm = true;
		snprintf(s, sizeof(s), "%%ymm%u", rnd(g, 16));
		put(g, s);
		break;
	case 'v':
		g->has_zmm = true;
		snprintf(s, sizeof(s), "%%zmm%u", rnd(g, 16));
		put(g, s);
		break;
	case 'o':
		g->has_mmx = true;
		snprintf(s, sizeof(s), "%%mm%u", rnd(g, 8));
		put(g, s);
		break;
	case 'k':
		g->has_zmm = true;
		snprintf(s, sizeof(s), "%%k%u", 1 + rnd(g, 7));
		put(g, s);
		break;
	case 'i': put_number(g, signed_imm(g, 8)); break;
	case 'j': put_number(g, signed_imm(g, 32)); break;
	case 'J': put_number(g, (int64_t)rnd64(g)); break;
	case 'n': put_number(g, rnd(g, 256)); break;
	case 'N': put_number(g, rnd(g, 10)); break;
	case 't': put_number(g, rnd(g, 8)); break;
	case 'f': put_number(g, g->is_aligned ? 8 * rnd(g, 8) : rnd(g, 64)); break;
	case 'e': {
		uint64_t a = (rnd(g, 2) ? ARENA_LOW : ARENA_HIGH) + 160 + rnd(g, 190);

		if (g->is_aligned)
			a &= ~7ull;

		snprintf(s, sizeof(s), "0x%llx", (unsigned long long)a);
		put(g, s);
		break;
	}
	case 'c': put(g, cc[rnd(g, 16)]); break;
	case 'I': put_nested(g, g->is_calling); break;
	default: fprintf(stderr, "fuzz_insn: blank #%c in a template\n", what); exit(2);
	}
}

/* Forget what the snippet has written. */
static void forget(struct gen *g)
{
	for (unsigned r = 0; r < 16; r++) {
		if (g->is_written[r])
			g->is_known[r] = false;
		g->is_written[r] = false;
	}
}

static void put_snippet(struct gen *g, const char *text)
{
	const char *end = strchr(text, '|'), *p;
	bool is_compound = strchr(text, ';') != NULL;

	g->is_legacy = !is_compound && (strstr(text, "#b") || strstr(text, "#B")) &&
		       !strstr(text, "#q") && !strstr(text, "#Q") && !strstr(text, "#r") &&
		       !strstr(text, "sbq") && rnd(g, 3) == 0;
	if (end) {
		for (unsigned r = 0; r < 16; r++)
			if (strstr(end, reg64[r]))
				g->is_written[r] = true;
	}
	if (strstr(text, "push") || strstr(text, "pop") || strstr(text, "call") ||
	    strstr(text, "rsp"))
		g->is_written[RSP] = true;
	if (is_compound)
		forget(g);
	if (strstr(text, "%zmm") || strstr(text, "%k2") || strstr(text, "%ymm18") ||
	    strstr(text, "%xmm17"))
		g->has_zmm = true;
	if (strstr(text, "%ymm"))
		g->has_ymm = true;
	if (strstr(text, "ret"))
		g->is_calling = true;
	put(g, "\t");
	for (p = text; *p && *p != '|'; p++) {
		if (*p == '#')
			put_blank(g, *++p);
		else
			put(g, (char[]){*p, 0});
	}
	put(g, "\n");
	forget(g);
	g->is_calling = false;
	g->is_legacy = false;
}

static void pick_values(struct gen *g)
{
	static const uint64_t special[] = {
	    0, 1, ~0ull, 0x80000000u, 0x7fffffffffffffffull, 0x8000000000000000ull};

	for (unsigned r = 0; r < 16; r++) {
		uint32_t k = rnd(g, 10);

		g->is_known[r] = true;
		if (k < 3)
			g->value[r] = ARENA_LOW + 128 + rnd(g, 200);
		else if (k < 5)
			g->value[r] = ARENA_HIGH + 128 + rnd(g, 200);
		else if (k < 7)
			g->value[r] = (uint64_t)(int64_t)((int)rnd(g, 32) - 8);
		else if (k < 9)
			g->value[r] = rnd64(g);
		else
			g->value[r] = special[rnd(g, 6)];
	}
	g->value[RSP] = ((rnd(g, 2) ? ARENA_LOW : ARENA_HIGH) + 216 + rnd(g, 80)) &
			~(rnd(g, 3) || g->is_aligned ? 7ull : 0ull);
	if (rnd(g, 3) == 0)
		g->value[R15] = ARENA_LOW + 128 + rnd(g, 200);
}

static void write_case(struct gen *g, unsigned k, bool is_listing)
{
	uint64_t flags = 0;
	static const unsigned flag_bit[] = {0, 2, 4, 6, 7, 11};
	unsigned i, n = 1 + rnd(g, 6);

	g->n = 0;
	g->has_mmx = g->has_ymm = g->has_zmm = false;
	pick_values(g);
	for (i = 0; i < 6; i++)
		flags |= (uint64_t)rnd(g, 2) << flag_bit[i];
	flags |= rnd(g, 4) == 0 ? 0x400 : 0;
	while (n--) {
		const struct fuzz_template *t;

		do
			t = &fuzz_templates[rnd(g, sizeof(fuzz_templates) /
						       sizeof(fuzz_templates[0]))];
		while (!is_usable(g, t));
		put_snippet(g, t->text);
	}
	printf("case_%u:\n\tmovq %%rsp,saved_rsp(%%rip)\n\tldmxcsr mxcsr_in(%%rip)\n", k);
	for (i = 0; i < 16; i++)
		printf(g->has_zmm   ? "\tvmovups vec_in+%u(%%rip),%%zmm%u\n"
		       : g->has_ymm ? "\tvmovups vec_in+%u(%%rip),%%ymm%u\n"
				    : "\tmovups vec_in+%u(%%rip),%%xmm%u\n",
		       i * 64, i);
	if (g->has_zmm)
		printf("\tvmovups vec_in+77(%%rip),%%zmm17\n\tvmovups vec_in+99(%%rip),%%zmm18\n"
		       "\tvmovups vec_in+33(%%rip),%%zmm19\n");
	for (i = 1; g->has_zmm && i < 8; i++)
		printf("\tkmovw vec_in+%u(%%rip),%%k%u\n", i * 16, i);
	for (i = 0; g->has_mmx && i < 8; i++)
		printf("\tmovq vec_in+%u(%%rip),%%mm%u\n", i * 24, i);
	printf("\tpushq $0x%llx\n\tpopfq\n", (unsigned long long)flags | 2);
	for (i = 0; i < 16; i++)
		printf("\tmovabs $0x%llx,%%%s\n", (unsigned long long)g->value[i], reg64[i]);
	if (is_listing)
		printf("# body\n");
	fputs(g->text, stdout);
	if (is_listing)
		printf("# end of body\n");
	for (i = 0; i < 16; i++)
		printf("\tmovq %%%s,out+%u(%%rip)\n", reg64[i], i * 8);
	printf("\tmovq saved_rsp(%%rip),%%rsp\n\tpushfq\n\tpopq out+128(%%rip)\n\tcld\n"
	       "\tstmxcsr out+136(%%rip)\n");
	for (i = 0; i < 16; i++)
		printf(g->has_zmm   ? "\tvmovups %%zmm%u,out+%u(%%rip)\n"
		       : g->has_ymm ? "\tvmovups %%ymm%u,out+%u(%%rip)\n"
				    : "\tmovups %%xmm%u,out+%u(%%rip)\n",
		       i, 256 + i * 64);
	for (i = 1; g->has_zmm && i < 8; i++)
		printf("\tkmovw %%k%u,out+%u(%%rip)\n", i, 208 + i * 2);
	if (g->has_zmm || g->has_ymm)
		printf("\tvzeroupper\n");
	for (i = 0; g->has_mmx && i < 8; i++)
		printf("\tmovq %%mm%u,out+%u(%%rip)\n", i, 144 + i * 8);
	if (g->has_mmx)
		printf("\temms\n");
	printf("\tret\n");
}

/* " flag flag ... " of this machine, from /proc/cpuinfo. */
static char *host_features(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while (f && (len = getline(&line, &size, f)) > 0) {
		if (strncmp(line, "flags", 5))
			continue;
		line[len - 1] = ' ';
		fclose(f);
		return line;
	}
	return strdup(" ");
}

int main(int argc, char **argv)
{
	static struct gen g;
	unsigned n = 100, k;
	long only = -1;
	uint64_t seed = 1;
	int opt;

	while ((opt = getopt(argc, argv, "s:n:k:x:a")) != -1) {
		switch (opt) {
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': n = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'k': only = strtol(optarg, NULL, 0); break;
		case 'x': g.features = optarg; break;
		case 'a': g.is_aligned = true; break;
		default:
			fprintf(stderr,
				"usage: fuzz_insn -s SEED -n CASES [-k CASE] [-x FEATURES] [-a]\n");
			return 2;
		}
	}
	if (!g.features)
		g.features = host_features();
	printf("# fuzz_insn -s %llu -n %u\n\t.text\n", (unsigned long long)seed, n);
	for (k = 0; k < n; k++) {
		g.rng = seed * 0x9e3779b97f4a7c15ull + k * 0xd1342543de82ef95ull;
		rnd(&g, 2);
		if (only < 0 || k == (unsigned long)only)
			write_case(&g, k, only >= 0);
	}
	if (only >= 0)
		return 0;
	printf("\t.section .rodata\n\t.globl cases, n_cases\n\t.balign 8\nn_cases:\t.quad "
	       "%u\ncases:\n",
	       n);
	for (k = 0; k < n; k++)
		printf("\t.quad case_%u\n", k);
	printf("\t.section .note.GNU-stack,\"\",@progbits\n");
	return 0;
}
