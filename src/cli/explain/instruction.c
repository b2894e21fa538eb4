/* instruction.c -- an instruction's rows of catalog/p5/timing.tsv, p6/uops.tsv and p6/timing.tsv.
 *
 * NOT MODELLED   instructions that have no row of their own and count as their nearest class.
 */
#include "cli/explain/instruction.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "catalog/catalog.h"
#include "cli/explain/sources.h"
#include "cli/layout.h"

#define LONGEST	  32
#define MOST_KEYS 256

/* The keys of the rows that were printed: "A,I8". */
struct keys {
	char text[MOST_KEYS];
	size_t n;
};

static void note_source(struct keys *k, const char *source)
{
	const int n =
	    snprintf(k->text + k->n, sizeof(k->text) - k->n, "%s%s", k->n ? "," : "", source);

	if (*source && n > 0 && (size_t)n < sizeof(k->text) - k->n)
		k->n += (size_t)n;
	k->text[k->n] = 0;
}

static const char *form(const char *operands)
{
	return *operands ? operands : "any";
}

static const char *pairing(unsigned pair)
{
	static const char *const text[] = {
	    [CAT_PAIR_NONE] = "never pairs",
	    [CAT_PAIR_UV] = "pairs in U and V",
	    [CAT_PAIR_U] = "pairs in U only",
	    [CAT_PAIR_V] = "pairs in V only",
	    [CAT_PAIR_FX] = "in U, beside FXCH",
	    [CAT_PAIR_FXCH] = "in V, behind x87",
	    [CAT_PAIR_MMX] = "pairs in U and V",
	    [CAT_PAIR_MMX_SHIFT] = "in U or V, one shift",
	    [CAT_PAIR_MMX_MUL] = "in U or V, one multiply",
	};

	return pair < sizeof(text) / sizeof(text[0]) ? text[pair] : "";
}

static void print_timing(const struct cat_timing *t)
{
	printf("    %-9s %3u", form(t->operands), t->clk[0]);
	if (t->per_item)
		printf(" + %u an element", t->per_item);
	printf("  %s", pairing(t->pair[0]));
	if (t->pair[1] != t->pair[0] || t->clk[1] != t->clk[0])
		printf("; pentium-mmx %u, %s", t->clk[1], pairing(t->pair[1]));
	if (t->over_int || t->over_fp)
		printf("; the last %u overlap integer, %u x87 instructions", t->over_int,
		       t->over_fp);
	printf("  (%s)\n", t->source);
}

static bool print_timings(const char *name, struct keys *keys)
{
	size_t n;
	const struct cat_timing *t = cat_timings(&n);
	bool has_any = false;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(t[i].mnemonic, name))
			continue;
		if (!has_any)
			printf("\n  Pentium: clocks in EX, without prefixes, misses and waits\n");
		has_any = true;
		print_timing(&t[i]);
		note_source(keys, t[i].source);
	}
	return has_any;
}

/* "p0, 2 p01": micro-ops by the ports that they may go to. */
static void print_ports(const struct cat_uops *u)
{
	const struct {
		const char *name;
		unsigned n;
	} port[] = {{"p0", u->p0},	  {"p1", u->p1},	   {"p0 or p1", u->p01},
		    {"p2 (load)", u->p2}, {"p3 (address)", u->p3}, {"p4 (data)", u->p4}};
	const char *between = "  ";

	for (size_t i = 0; i < sizeof(port) / sizeof(port[0]); i++) {
		if (!port[i].n)
			continue;
		fputs(between, stdout);
		if (port[i].n > 1)
			printf("%u on ", port[i].n);
		fputs(port[i].name, stdout);
		between = ", ";
	}
}

static bool print_uops(const char *name, struct keys *keys)
{
	size_t n;
	const struct cat_uops *u = cat_uops_table(&n);
	bool has_any = false;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(u[i].mnemonic, name))
			continue;
		if (!has_any)
			printf("\n  P6: micro-ops and their ports\n");
		has_any = true;
		printf("    %-9s %3u", form(u[i].operands), u[i].uops);
		if (u[i].per_item_x2)
			printf(" + %.1f an element", u[i].per_item_x2 / 2.0);
		print_ports(&u[i]);
		printf("  (%s)\n", u[i].source);
		note_source(keys, u[i].source);
	}
	return has_any;
}

/* What takes one clock has no row. */
static void print_latencies(const char *name, struct keys *keys)
{
	size_t n;
	const struct cat_p6_timing *t = cat_p6_timings(&n);
	bool has_any = false;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(t[i].mnemonic, name))
			continue;
		if (!has_any)
			printf("\n  P6: clocks to the result, where more than one\n");
		has_any = true;
		printf("    %-9s %3u", form(t[i].operands), t[i].latency);
		if (t[i].unit != CAT_P6_NO_UNIT)
			printf("  its unit takes the next after %u", t[i].interval);
		printf("  (%s)\n", t[i].source);
		note_source(keys, t[i].source);
	}
}

static bool is_known(const char *name)
{
	size_t n;
	const struct cat_timing *t = cat_timings(&n);
	const struct cat_uops *u;

	for (size_t i = 0; i < n; i++)
		if (!strcmp(t[i].mnemonic, name))
			return true;
	u = cat_uops_table(&n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(u[i].mnemonic, name))
			return strcmp(name, "default") != 0;
	return false;
}

/* The mnemonic of the tables into out[LONGEST]. Returns false when they have none. */
static bool find(const char *word, char *out)
{
	const size_t n = strlen(word);

	if (n < 2 || n >= LONGEST)
		return false;
	for (size_t i = 0; i <= n; i++)
		out[i] = word[i] == ' ' ? '_' : (char)tolower((unsigned char)word[i]);
	if (is_known(cat_mnemonic_class(out))) {
		memmove(out, cat_mnemonic_class(out), strlen(cat_mnemonic_class(out)) + 1);
		return true;
	}
	if (!strchr("bwlq", out[n - 1]))
		return false;
	out[n - 1] = 0; /* as AT&T writes it */
	return is_known(out);
}

bool cli_explain_instruction(const char *mnemonic, const char *before)
{
	struct keys keys = {"", 0};
	char name[LONGEST];

	if (!find(mnemonic, name))
		return false;
	printf("%s%s (an instruction)\n", before, name);
	if (!print_timings(name, &keys))
		printf("\n  No Pentium had it: it counts as its nearest class there.\n");
	if (print_uops(name, &keys))
		print_latencies(name, &keys);
	else
		printf("\n  No P6 had it: it counts as its nearest class there.\n");
	printf("\n");
	layout_paragraphs(
	    "Operands: r general register, m memory, i immediate, s segment register, "
	    "c CL of a shift, else control register, a accumulator, o address, f x87, "
	    "q MMX, x SSE; a number is their bits. softpmu asm shows what instructions "
	    "wait for beside each other.",
	    2);
	cli_explain_sources(keys.text);
	return true;
}
