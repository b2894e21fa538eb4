/* mutate.c -- a machine that is wrong on purpose, in one fact (--mutate): would a test notice?
 *
 * MODELLED         a column of a row of catalog/p6/uops.tsv, "uops:xchg:r,r:uops=2"; what becomes
 *                  of a line, "move:DCU_CODE:M=E" (moves.def); a rule of replacement or prediction,
 *                  "rule:l1d.tree" (rules.def).
 * NOT MODELLED     the paths for the fast shape, which have moves and rules as code: such a machine
 *                  is plain. That these count the same is what tests/diff, tests/unit and the tests
 *                  that notice show without the mutation.
 */
#include "model/p6/p6.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define NEVER 0xff

static const uint8_t moves[P6_N_MOVES][4] = {
#define I			CACHE_I
#define S			CACHE_S
#define E			CACHE_E
#define M			CACHE_M
#define X			NEVER
#define P6_MOVE(id, i, s, e, m) {i, s, e, m},
#include "model/p6/moves.def"
#undef P6_MOVE
#undef I
#undef S
#undef E
#undef M
#undef X
};

static const char *const move_name[P6_N_MOVES] = {
#define P6_MOVE(id, i, s, e, m) #id,
#include "model/p6/moves.def"
#undef P6_MOVE
};

static const struct {
	const char *name;
	bool is_of_set;
} rule[] = {
#define P6_RULE(id, name, text)	    {name, false},
#define P6_SET_RULE(id, name, text) {name, true},
#include "model/p6/rules.def"
#undef P6_RULE
#undef P6_SET_RULE
};

/* *text begins with `word` and then `end`: go behind them. */
static bool skip(const char **text, const char *word, char end)
{
	const size_t n = strlen(word);

	if (strncmp(*text, word, n) || (*text)[n] != end)
		return false;
	*text += n + (end != 0);
	return true;
}

/* text: a number from 0 to most, and nothing behind it. */
static bool number(const char *text, unsigned most, unsigned *out)
{
	char *end;
	const unsigned long n = strtoul(text, &end, 10);

	*out = (unsigned)n;
	return end != text && !*end && n <= most;
}

static bool set_column(struct cat_uops *row, const char *text)
{
	unsigned n;
	uint8_t *const port[] = {&row->p0, &row->p1, &row->p01, &row->p2, &row->p3, &row->p4};
	static const char *const name[] = {"p0", "p1", "p01", "p2", "p3", "p4"};

	if (skip(&text, "uops", '=')) {
		if (!number(text, UINT16_MAX, &n))
			return false;
		row->uops = (uint16_t)n;
		return true;
	}
	if (skip(&text, "per_item_x2", '=')) {
		if (!number(text, UINT16_MAX, &n))
			return false;
		row->per_item_x2 = (uint16_t)n;
		return true;
	}
	for (unsigned i = 0; i < 6; i++)
		if (skip(&text, name[i], '=')) {
			if (!number(text, UINT8_MAX, &n))
				return false;
			*port[i] = (uint8_t)n;
			return true;
		}
	return false;
}

/* text: MNEMONIC:OPERANDS:COLUMN=VALUE, operands "-" for none; more columns behind semicolons. */
static int change_uops(struct p6 *m, const char *text)
{
	size_t n;
	const struct cat_uops *rows = cat_uops_table(&n);

	m->retire.own_uops = malloc(n * sizeof(*rows));
	if (!m->retire.own_uops)
		return -SPMU_ENOMEM;
	memcpy(m->retire.own_uops, rows, n * sizeof(*rows));
	m->retire.uops = m->retire.own_uops;
	for (size_t i = 0; i < n; i++) {
		const char *at = text;

		if (skip(&at, rows[i].mnemonic, ':') &&
		    skip(&at, *rows[i].operands ? rows[i].operands : "-", ':'))
			return set_column(&m->retire.own_uops[i], at) ? 0 : -SPMU_EINVAL;
	}
	return -SPMU_EINVAL;
}

/* text: ID:STATE=STATE. */
static int change_move(struct p6 *m, const char *text)
{
	static const char letters[] = "ISEM";

	for (unsigned i = 0; i < P6_N_MOVES; i++) {
		const char *from, *to, *at = text;

		if (!skip(&at, move_name[i], ':'))
			continue;
		if (!at[0] || at[1] != '=' || !at[2] || at[3])
			return -SPMU_EINVAL;
		from = strchr(letters, at[0]);
		to = strchr(letters, at[2]);
		if (!from || !to || moves[i][from - letters] == NEVER)
			return -SPMU_EINVAL;
		m->rules.move[i][from - letters] = (uint8_t)(to - letters);
		return 0;
	}
	return -SPMU_EINVAL;
}

/* order: the n replacement words of the unit, stride bytes apart. */
static void break_sets(struct repl *r, enum p6_rule what, uint8_t *order, size_t n, size_t stride)
{
	switch (what) {
	case P6_RULE_TREE:
		repl_init(r, r->ways, true);
		r->odd = REPL_ODD_TREE;
		for (size_t i = 0; i < n; i++)
			memcpy(order + i * stride, &r->start, sizeof(r->start));
		break;
	case P6_RULE_ROOT: repl_break(r, 2); break;
	case P6_RULE_LEAF:
		repl_break(r, (uint16_t)(((1u << r->ways / 2) - 1) << r->ways / 2));
		break;
	case P6_RULE_HIT: r->odd = REPL_ODD_HIT; break;
	case P6_RULE_FILL: r->odd = REPL_ODD_FILL; break;
	default: r->odd = REPL_ODD_EMPTY; break;
	}
}

static void break_cache(struct cache *c, enum p6_rule what)
{
	if (c->sets)
		break_sets(&c->repl, what, (uint8_t *)&cache_meta(c, 0)->order, c->n_sets,
			   c->stride_bytes);
}

static void break_tlb(struct tlb *t, enum p6_rule what)
{
	break_sets(&t->repl, what, (uint8_t *)t->order, t->n_sets, sizeof(*t->order));
}

static void break_btb(struct btb *b, enum p6_rule what)
{
	switch (what) {
	case P6_RULE_BTB_SET: b->odd = BTB_ODD_SET; break;
	case P6_RULE_BTB_EMPTY: b->odd = BTB_ODD_EMPTY; break;
	case P6_RULE_BTB_RANDOM: b->odd = BTB_ODD_RANDOM; break;
	case P6_RULE_BTB_NEW_COUNTER: b->odd = BTB_ODD_COUNTER; break;
	case P6_RULE_BTB_NEW_HISTORY: b->odd = BTB_ODD_HISTORY; break;
	case P6_RULE_BTB_HISTORY: b->odd = BTB_ODD_SHORT; break;
	default:
		if (what < P6_RULE_BTB_COUNTER0_NOT || what > P6_RULE_BTB_COUNTER3_TAKEN)
			return;
		b->odd = BTB_ODD_NEXT;
		b->odd_next = (uint8_t)(what - P6_RULE_BTB_COUNTER0_NOT);
		break;
	}
}

/* text: a name of rules.def. */
static int change_rule(struct p6 *m, const char *text)
{
	static const char *const unit[] = {"l1i", "l1d", "l2", "itlb", "dtlb"};
	struct cache *const cache[] = {&m->ifu.cache, &m->dcu.cache, &m->l2.cache};
	struct tlb *const tlb[] = {&m->itlb.tlb, &m->dtlb.tlb};

	for (unsigned i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
		const enum p6_rule what = (enum p6_rule)(i + 1);

		if (!rule[i].is_of_set && !strcmp(text, rule[i].name)) {
			m->rules.broken = (uint8_t)what;
			break_btb(&m->btb.table, what);
			return 0;
		}
		for (unsigned k = 0; rule[i].is_of_set && k < 5; k++) {
			const char *at = text;

			if (!skip(&at, unit[k], '.') || strcmp(at, rule[i].name))
				continue;
			if (k < 3)
				break_cache(cache[k], what);
			else
				break_tlb(tlb[k - 3], what);
			return 0;
		}
	}
	return -SPMU_EINVAL;
}

int p6_mutate(struct p6 *m, const char *mutation)
{
	size_t n;

	m->retire.uops = cat_uops_table(&n);
	memcpy(m->rules.move, moves, sizeof(moves));
	if (!mutation)
		return 0;
	if (skip(&mutation, "uops", ':'))
		return change_uops(m, mutation);
	if (skip(&mutation, "move", ':'))
		return change_move(m, mutation);
	return skip(&mutation, "rule", ':') ? change_rule(m, mutation) : -SPMU_EINVAL;
}
