/* fuzz_insn32.c -- random 32-bit instruction sequences as an assembler file; see fuzz_insn.c.
 *
 * fuzz_insn32 -s SEED -n CASES [-k CASE] [-a]      (-a: for comparing addresses with Cachegrind's)
 *
 * As its 64-bit brother: every case loads all registers, flags and vectors, runs 1 to 6 entries of
 * fuzz_templates32.h and stores everything again. Addresses wrap round at 4 GiB here, so any pair
 * of registers can reach an arena, and GS points into the lower one.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz_templates32.h"

#define ARENA_LOW  0x2000f00u
#define ARENA_HIGH 0xb0000f00u
#define GS_BASE	   (ARENA_LOW + 200)
#define ESP	   4

static const char *const reg32[8] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
static const char *const reg8[8] = {"al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"};
static const char *const cc[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
				 "s", "ns", "p", "np", "l", "ge", "le", "g"};

struct gen {
	uint64_t rng;
	uint32_t value[8];
	bool is_known[8];
	bool is_written[8]; /* by the snippet in work; takes effect when it ends */
	bool is_calling;    /* this snippet has a return address on the stack */
	bool is_aligned;    /* -a */
	bool has_later;	    /* fuzz_templates_later may be used */
	bool has_mmx;
	char same_mem[96]; /* operand of #p, for #P */
	char text[1 << 16];
	size_t n;
};

static uint32_t rnd(struct gen *g, uint32_t n)
{
	g->rng = g->rng * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)((g->rng >> 33) % n);
}

static uint32_t rnd32(struct gen *g)
{
	return rnd(g, 1u << 16) << 16 ^ rnd(g, 1u << 20);
}

static void put(struct gen *g, const char *s)
{
	size_t len = strlen(s);

	if (g->n + len >= sizeof(g->text)) {
		fprintf(stderr, "fuzz_insn32: case too long\n");
		exit(2);
	}
	memcpy(g->text + g->n, s, len + 1);
	g->n += len;
}

static void put_number(struct gen *g, long v)
{
	char s[32];

	snprintf(s, sizeof(s), "%ld", v);
	put(g, s);
}

static long signed_imm(struct gen *g, int bits)
{
	static const int special[] = {0, 1, -1, 2, -128, 127, 15, 8};

	if (rnd(g, 4) == 0)
		return special[rnd(g, 8)];
	return (int32_t)(rnd32(g) << (32 - bits)) >> (32 - bits);
}

static void put_reg(struct gen *g, int bits, bool is_dest)
{
	unsigned r;
	char s[8];

	if (bits == 8) {
		r = rnd(g, 8);
		if (is_dest)
			g->is_written[r & 3] = true;
		snprintf(s, sizeof(s), "%%%s", reg8[r]);
	} else {
		do
			r = rnd(g, 8);
		while (r == ESP && (is_dest || rnd(g, 4)));
		if (is_dest)
			g->is_written[r] = true;
		snprintf(s, sizeof(s), "%%%s", reg32[r] + (bits == 16));
	}
	put(g, s);
}

/* An address in one of the arenas with 64 bytes before and behind it; often a page border is near.
 */
static uint32_t pick_address(struct gen *g, uint32_t arena, unsigned align)
{
	uint32_t off = rnd(g, 2) ? 64 + rnd(g, 320) : 256 - rnd(g, 64);

	if (g->is_aligned)
		align = 64;
	return (arena + off) & ~(align - 1);
}

static int pick_known(struct gen *g, bool is_index)
{
	for (int tries = 0; tries < 12; tries++) {
		unsigned r = rnd(g, 8);

		if (g->is_known[r] && !(is_index && r == ESP))
			return (int)r;
	}
	return -1;
}

/* A 32-bit operand that reaches offset `ea` of its segment; segment "" or "%gs:". */
static void put_operand(struct gen *g, const char *segment, uint32_t ea)
{
	int base = rnd(g, 6) ? pick_known(g, false) : -1;
	int index = rnd(g, 2) ? pick_known(g, true) : -1;
	unsigned scale = 1u << rnd(g, 4);
	uint32_t disp =
	    ea - (base >= 0 ? g->value[base] : 0) - (index >= 0 ? g->value[index] * scale : 0);
	char s[96], b[8] = "", i[16] = "";

	if (base >= 0)
		snprintf(b, sizeof(b), "%%%s", reg32[base]);
	if (index >= 0)
		snprintf(i, sizeof(i), ",%%%s,%u", reg32[index], scale);
	if (base < 0 && index < 0)
		snprintf(s, sizeof(s), "%s0x%x", segment, disp);
	else if (disp || rnd(g, 2))
		snprintf(s, sizeof(s), "%s%d(%s%s)", segment, (int32_t)disp, b, i);
	else
		snprintf(s, sizeof(s), "%s(%s%s)", segment, b, i);
	snprintf(g->same_mem, sizeof(g->same_mem), "%s", s);
	put(g, s);
}

static void put_mem(struct gen *g, unsigned align)
{
	put_operand(g, "", pick_address(g, rnd(g, 2) ? ARENA_LOW : ARENA_HIGH, align));
}

/* An offset in GS. An operand must not straddle offset 0: that is beyond the segment's limit. */
static uint32_t pick_gs_offset(struct gen *g, bool is_positive)
{
	uint32_t off;

	do
		off = pick_address(g, ARENA_LOW, 1) - GS_BASE;
	while (off > -64u || (is_positive && (int32_t)off < 0));
	return off;
}

static void put_gs(struct gen *g)
{
	put_operand(g, "%gs:", pick_gs_offset(g, false));
}

/* A GS-relative operand with 16-bit address arithmetic. */
static void put_gs_16(struct gen *g)
{
	static const struct {
		int base, index;
		const char *text;
	} form[] = {
	    {3, 6, "%bx,%si"}, {3, 7, "%bx,%di"}, {5, 6, "%bp,%si"}, {5, 7, "%bp,%di"},
	    {-1, 6, "%si"},    {-1, 7, "%di"},	  {5, -1, "%bp"},    {3, -1, "%bx"},
	};
	uint16_t ea = (uint16_t)(g->is_aligned ? pick_gs_offset(g, true) : rnd(g, 180));
	char s[48];

	for (int tries = 0; tries < 12; tries++) {
		unsigned f = rnd(g, 8);
		int b = form[f].base, i = form[f].index;
		uint16_t disp;

		if ((b >= 0 && !g->is_known[b]) || (i >= 0 && !g->is_known[i]))
			continue;
		disp = (uint16_t)(ea - (b >= 0 ? g->value[b] : 0) - (i >= 0 ? g->value[i] : 0));
		snprintf(s, sizeof(s), "%%gs:%d(%s)", (int16_t)disp, form[f].text);
		put(g, s);
		return;
	}
	snprintf(s, sizeof(s), "%%gs:%u", ea);
	put(g, s);
}

/* -a: nothing that straddles a cache line, nor what cache models or Valgrind treat in ways of their
 * own. */
static bool is_usable(const struct gen *g, const char *text)
{
	static const char *const apart[] = {
	    "prefetch", "movnt", "maskmov", "clflush", "pushw",	   "popw",  "leaw",   "xlat",
	    "cmpsl",	"cmpsw", "bt",	    "fldt",    "rep lods", "popaw", "pushaw", "enter",
	    "lds",	"les",	 "lss",	    "bound",   "into",	   "arpl",  "lar",    "aam",
	    "aad",	"%fs",	 "%es",	    "%ss",     "%cs",	   "%ds",   "leave",  "0xd6",
	    "pause",	"#h",	 "addr16",  "(%bx",    "0x67",	   "jcxz",  "call 1f"};

	for (unsigned i = 0; g->is_aligned && i < sizeof(apart) / sizeof(apart[0]); i++)
		if (strstr(text, apart[i]))
			return false;
	return true;
}

static const char *pick_template(struct gen *g)
{
	const uint32_t n = sizeof(fuzz_templates) / sizeof(fuzz_templates[0]);
	const uint32_t later = sizeof(fuzz_templates_later) / sizeof(fuzz_templates_later[0]);
	uint32_t k = rnd(g, g->has_later && !g->is_aligned ? n + later : n);

	return k < n ? fuzz_templates[k] : fuzz_templates_later[k - n];
}

static bool is_transfer(const char *text)
{
	return strstr(text, "1:") || strstr(text, "2:");
}

/* Does it move the stack pointer? Then it cannot stand between CALL and RET. */
static bool is_stack(const char *text)
{
	return strstr(text, "push") || strstr(text, "pop") || strstr(text, "esp") ||
	       strstr(text, "enter");
}

/* Does it touch memory? It could hit the return address of a CALL around it. */
static bool is_memory(const char *text)
{
	static const char *const blank[] = {"#m", "#a", "#d", "#D", "#e", "#g", "#h", "#A", "%gs"};

	for (unsigned i = 0; i < sizeof(blank) / sizeof(blank[0]); i++)
		if (strstr(text, blank[i]))
			return true;
	return false;
}

static void put_snippet(struct gen *g, const char *text);

static void put_nested(struct gen *g, bool is_called)
{
	const char *t;

	do
		t = pick_template(g);
	while (!is_usable(g, t) || is_transfer(t) || is_stack(t) || (is_called && is_memory(t)));
	put_snippet(g, t);
}

static uint32_t pick_plain_address(struct gen *g)
{
	return ((rnd(g, 2) ? ARENA_LOW : ARENA_HIGH) + 160 + rnd(g, 190)) &
	       (g->is_aligned ? ~7u : ~0u);
}

static void put_blank(struct gen *g, char what)
{
	char s[48] = "";

	switch (what) {
	case 'b': put_reg(g, 8, false); break;
	case 'B': put_reg(g, 8, true); break;
	case 'w': put_reg(g, 16, false); break;
	case 'W': put_reg(g, 16, true); break;
	case 'l': put_reg(g, 32, false); break;
	case 'L': put_reg(g, 32, true); break;
	case 'm':
	case 'p': put_mem(g, 1); break;
	case 'a': put_mem(g, 16); break;
	case 'P': put(g, g->same_mem); break;
	case 'g': put_gs(g); break;
	case 'h': put_gs_16(g); break;
	case 'd':
	case 'D':
		if (rnd(g, 2))
			put_mem(g, 1);
		else
			put_reg(g, 32, what == 'D');
		break;
	case 'A':
		if (rnd(g, 2))
			snprintf(s, sizeof(s), "0x%x", pick_plain_address(g));
		else
			snprintf(s, sizeof(s), "%%gs:0x%x", pick_gs_offset(g, false));
		break;
	case 'e': snprintf(s, sizeof(s), "0x%x", pick_plain_address(g)); break;
	case 'x': snprintf(s, sizeof(s), "%%xmm%u", rnd(g, 8)); break;
	case 'o':
		g->has_mmx = true;
		snprintf(s, sizeof(s), "%%mm%u", rnd(g, 8));
		break;
	case 'i': put_number(g, signed_imm(g, 8)); break;
	case 'J': put_number(g, signed_imm(g, 16)); break;
	case 'j': put_number(g, signed_imm(g, 32)); break;
	case 'n':
	case 'k': put_number(g, rnd(g, 256)); break;
	case 'K': put_number(g, 1 + rnd(g, 255)); break;
	case 'f': put_number(g, rnd(g, 180)); break;
	case 'N': put_number(g, rnd(g, 10)); break;
	case 't': put_number(g, rnd(g, 8)); break;
	case 'c': put(g, cc[rnd(g, 16)]); break;
	case 'I': put_nested(g, g->is_calling); break;
	default: fprintf(stderr, "fuzz_insn32: blank #%c in a template\n", what); exit(2);
	}
	put(g, s);
}

/* Forget what the snippet has written. */
static void forget(struct gen *g)
{
	for (unsigned r = 0; r < 8; r++) {
		if (g->is_written[r])
			g->is_known[r] = false;
		g->is_written[r] = false;
	}
}

static void put_snippet(struct gen *g, const char *text)
{
	const char *end = strchr(text, '|'), *p;

	for (unsigned r = 0; end && r < 8; r++)
		if (strstr(end, reg32[r]))
			g->is_written[r] = true;
	if (is_stack(text) || strstr(text, "call") || strstr(text, "leave"))
		g->is_written[ESP] = true;
	if (strchr(text, ';'))
		forget(g);
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
}

static void pick_values(struct gen *g)
{
	static const uint32_t special[] = {0, 1, ~0u, 0x80000000u, 0x7fffffffu, 0xfffffff8u};

	for (unsigned r = 0; r < 8; r++) {
		uint32_t k = rnd(g, 10);

		g->is_known[r] = true;
		if (k < 3)
			g->value[r] = ARENA_LOW + 128 + rnd(g, 200);
		else if (k < 5)
			g->value[r] = ARENA_HIGH + 128 + rnd(g, 200);
		else if (k < 7)
			g->value[r] = rnd(g, 32) - 8;
		else if (k < 9)
			g->value[r] = rnd32(g);
		else
			g->value[r] = special[rnd(g, 6)];
	}
	g->value[ESP] = ((rnd(g, 2) ? ARENA_LOW : ARENA_HIGH) + 260 + rnd(g, 80)) &
			(rnd(g, 3) || g->is_aligned ? ~3u : ~0u);
}

static void write_case(struct gen *g, unsigned k, bool is_listing)
{
	static const unsigned flag_bit[] = {0, 2, 4, 6, 7, 11};
	unsigned i, n = 1 + rnd(g, 6);
	uint32_t flags = 2;

	g->n = 0;
	g->has_mmx = false;
	pick_values(g);
	for (i = 0; i < 6; i++)
		flags |= rnd(g, 2) << flag_bit[i];
	flags |= rnd(g, 4) == 0 ? 0x400 : 0;
	while (n--) {
		const char *t;

		do
			t = pick_template(g);
		while (!is_usable(g, t));
		put_snippet(g, t);
	}
	printf("case_%u:\n\tmovl %%esp,saved_esp\n\tldmxcsr mxcsr_in\n", k);
	for (i = 0; i < 8; i++)
		printf("\tmovups vec_in+%u,%%xmm%u\n", i * 24, i);
	for (i = 0; g->has_mmx && i < 8; i++)
		printf("\tmovq vec_in+%u,%%mm%u\n", i * 24 + 8, i);
	printf("\tpushl $0x%x\n\tpopfl\n", flags);
	for (i = 0; i < 8; i++)
		printf("\tmovl $0x%x,%%%s\n", g->value[i], reg32[i]);
	if (is_listing)
		printf("# body\n");
	fputs(g->text, stdout);
	if (is_listing)
		printf("# end of body\n");
	for (i = 0; i < 8; i++)
		printf("\tmovl %%%s,out+%u\n", reg32[i], i * 4);
	printf("\tmovl saved_esp,%%esp\n\tpushfl\n\tpopl out+32\n\tcld\n\tstmxcsr out+36\n");
	for (i = 0; i < 8; i++)
		printf("\tmovups %%xmm%u,out+%u\n", i, 128 + i * 16);
	for (i = 0; g->has_mmx && i < 8; i++)
		printf("\tmovq %%mm%u,out+%u\n", i, 64 + i * 8);
	printf("%s\tret\n", g->has_mmx ? "\temms\n" : "");
}

/* Does /proc/cpuinfo list every one of the features? */
static bool has_features(const char *features)
{
	char *line = NULL, *list = strdup(features);
	bool has_all = false;
	size_t size = 0;
	ssize_t len;
	FILE *f = fopen("/proc/cpuinfo", "re");

	while (f && (len = getline(&line, &size, f)) > 0) {
		if (strncmp(line, "flags", 5))
			continue;
		line[len - 1] = ' ';
		has_all = true;
		for (char *name = strtok(list, " "); name; name = strtok(NULL, " ")) {
			char key[40];

			snprintf(key, sizeof(key), " %s ", name);
			has_all = has_all && strstr(line, key);
		}
		break;
	}
	if (f)
		fclose(f);
	free(line);
	free(list);
	return has_all;
}

int main(int argc, char **argv)
{
	static struct gen g;
	unsigned n = 100, k;
	long only = -1;
	uint64_t seed = 1;
	int opt;

	while ((opt = getopt(argc, argv, "s:n:k:a")) != -1) {
		switch (opt) {
		case 's': seed = strtoull(optarg, NULL, 0); break;
		case 'n': n = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'k': only = strtol(optarg, NULL, 0); break;
		case 'a': g.is_aligned = true; break;
		default:
			fprintf(stderr, "usage: fuzz_insn32 -s SEED -n CASES [-k CASE] [-a]\n");
			return 2;
		}
	}
	g.has_later = has_features(LATER_FEATURES);
	printf("# fuzz_insn32 -s %llu -n %u\n\t.text\n", (unsigned long long)seed, n);
	for (k = 0; k < n; k++) {
		g.rng = seed * 0x9e3779b97f4a7c15ull + k * 0xd1342543de82ef95ull;
		rnd(&g, 2);
		if (only < 0 || k == (unsigned long)only)
			write_case(&g, k, only >= 0);
	}
	if (only >= 0)
		return 0;
	printf("\t.section .rodata\n\t.globl cases, n_cases\n\t.balign 4\nn_cases:\t.long "
	       "%u\ncases:\n",
	       n);
	for (k = 0; k < n; k++)
		printf("\t.long case_%u\n", k);
	printf("\t.section .note.GNU-stack,\"\",@progbits\n");
	return 0;
}
