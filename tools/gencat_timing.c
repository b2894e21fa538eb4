/* gencat_timing.c -- p5/timing.tsv: clocks and pairing of instruction forms, checked and written as
 * C.
 */
#include "gencat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MNEMONIC, OPERANDS, PAIR, PAIR_P55C, CLK, CLK_P55C, ITEM, OVER_INT, OVER_FP, PART, SOURCE };

/* In the order of enum cat_pair. */
static const char *const pair_word[] = {"np", "uv", "pu", "pv", "fx", "xc", "mm", "ms", "mx"};

static int pair_of(const char *word)
{
	for (int i = 0; i < (int)(sizeof pair_word / sizeof pair_word[0]); i++)
		if (strcmp(pair_word[i], word) == 0)
			return i;
	return -1;
}

static bool is_pattern(const struct row *r)
{
	return strchr(r->col[MNEMONIC], '*') != NULL;
}

static void check_row(struct catalog *c, const struct row *r)
{
	const char *star = strchr(r->col[MNEMONIC], '*');
	int clk[2];

	if (star && strchr(star + 1, '*'))
		gen_complain(c, r->at, "more than one * in a pattern: %s", r->col[MNEMONIC]);
	for (int k = 0; k < 2; k++) {
		const int pair = pair_of(r->col[PAIR + k]);

		if (pair < 0)
			gen_complain(c, r->at, "no such way of pairing: %s", r->col[PAIR + k]);
		if (k == 0 && pair >= pair_of("mm"))
			gen_complain(c, r->at, "the Pentium has no MMX to pair: %s",
				     r->col[MNEMONIC]);
		clk[k] = gen_number(c, r->at, r->col[CLK + k], 10, 65535);
		if (!clk[k])
			gen_complain(c, r->at, "an instruction of no clocks: %s", r->col[MNEMONIC]);
	}
	gen_number(c, r->at, r->col[ITEM], 10, 255);
	for (int k = OVER_INT; k <= OVER_FP; k++)
		if (gen_number(c, r->at, r->col[k], 10, 255) >= clk[0])
			gen_complain(c, r->at, "nothing is left of %s when all its clocks overlap",
				     r->col[MNEMONIC]);
	gen_number(c, r->at, r->col[PART], 10, 512);
	gen_check_source(c, r->at, r->col[SOURCE]);
}

void gen_check_timing(struct catalog *c)
{
	const struct table *t = &c->timing;
	bool has_rest = false;

	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		check_row(c, r);
		if (has_rest)
			gen_complain(c, r->at, "no instruction is left for it behind *: %s",
				     r->col[MNEMONIC]);
		has_rest |= strcmp(r->col[MNEMONIC], "*") == 0;
		for (size_t k = 0; k < i; k++)
			if (strcmp(r->col[MNEMONIC], t->row[k].col[MNEMONIC]) == 0 &&
			    strcmp(r->col[OPERANDS], t->row[k].col[OPERANDS]) == 0)
				gen_complain(c, r->at, "form is there already: %s",
					     r->col[MNEMONIC]);
	}
	if (!has_rest)
		gen_complain(c, (struct place){gen_printf("%s/p5/timing.tsv", c->root), 0},
			     "no last row * for whatever has no other");
}

/* Forms sorted, then patterns as they stand. */
static int by_form(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = is_pattern(x) - is_pattern(y);

	if (order || is_pattern(x))
		return order ? order : x->at.line - y->at.line;
	order = strcmp(x->col[MNEMONIC], y->col[MNEMONIC]);
	if (order)
		return order;
	return strcmp(strcmp(x->col[OPERANDS], "-") == 0 ? "" : x->col[OPERANDS],
		      strcmp(y->col[OPERANDS], "-") == 0 ? "" : y->col[OPERANDS]);
}

void gen_put_timing(FILE *f, struct catalog *c)
{
	struct table *t = &c->timing;
	size_t n_form = 0;

	qsort(t->row, t->n, sizeof t->row[0], by_form);
	fputs("const struct cat_timing cat_timing_rows[] = {\n", f);
	for (size_t i = 0; i < t->n; i++) {
		const struct row *r = &t->row[i];

		n_form += !is_pattern(r);
		fprintf(
		    f, "\t{ \"%s\", \"%s\", { %d, %d }, { %s, %s }, %s, %s, %s, %s, \"%s\" },\n",
		    r->col[MNEMONIC], strcmp(r->col[OPERANDS], "-") == 0 ? "" : r->col[OPERANDS],
		    pair_of(r->col[PAIR]), pair_of(r->col[PAIR_P55C]), r->col[CLK],
		    r->col[CLK_P55C], r->col[ITEM], r->col[OVER_INT], r->col[OVER_FP], r->col[PART],
		    r->col[SOURCE]);
	}
	fprintf(f, "};\nconst size_t cat_n_timing = %zu, cat_n_timing_form = %zu;\n", t->n, n_form);
}
