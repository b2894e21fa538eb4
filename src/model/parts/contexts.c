/* contexts.c -- rows of cells by calling context. Rules: contexts.h. */
#include "model/parts/contexts.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_ROOM   1024u
#define MOST_CONTEXT (1u << 20)

static bool grow_contexts(struct ledger *l, uint32_t context)
{
	uint32_t n = l->n_context ? l->n_context : FIRST_ROOM, *p;

	while (n <= context)
		n *= 2;
	p = n <= MOST_CONTEXT ? realloc(l->context_row, n * sizeof(*p)) : NULL;
	if (!p)
		return false;
	memset(p + l->n_context, 0, (n - l->n_context) * sizeof(*p));
	l->context_row = p;
	l->n_context = n;
	return true;
}

void ledger_set_context(struct ledger *l, uint32_t context)
{
	if (context == l->context && l->context_row)
		return;
	l->has_contexts = true;
	if (l->is_at_once) {
		if (context == LEDGER_OUTSIDE || context < l->n_context ||
		    grow_contexts(l, context))
			l->context = context;
		else
			l->is_lost = true;
		return;
	}
	if (!l->context_seen) {
		l->context_seen = malloc(l->n_cell * sizeof(*l->context_seen) + 1);
		if (l->context_seen)
			memcpy(l->context_seen, l->seen, l->n_cell * sizeof(*l->seen));
	}
	ledger_skip_own(l);
	ledger_book_context(l, l->context);
	if (context == LEDGER_OUTSIDE ||
	    (l->context_seen && (context < l->n_context || grow_contexts(l, context))))
		l->context = context;
	else
		l->is_lost = true;
}

static bool grow_rows(struct ledger *l)
{
	const uint32_t room = l->room_context_row ? 2 * l->room_context_row : FIRST_ROOM;
	void *p = realloc(l->context_count, (size_t)room * l->n_cell * sizeof(*l->context_count));

	if (!p)
		return false;
	l->context_count = p;
	l->room_context_row = room;
	return true;
}

/* The cells of a context; NULL without memory. */
static int64_t *cells(struct ledger *l, uint32_t context)
{
	uint32_t *row = &l->context_row[context];

	if (!*row) {
		if (l->n_context_row == l->room_context_row && !grow_rows(l))
			return NULL;
		memset(l->context_count + (size_t)l->n_context_row * l->n_cell, 0,
		       l->n_cell * sizeof(*l->context_count));
		*row = ++l->n_context_row;
	}
	return l->context_count + (size_t)(*row - 1) * l->n_cell;
}

void ledger_add_context(struct ledger *l, uint32_t context, unsigned cell, int64_t n)
{
	int64_t *to;

	if (!l->context_row || context >= l->n_context)
		return;
	to = cells(l, context);
	if (to)
		to[cell] += n;
	else
		l->is_lost = true;
}

void ledger_book_context(struct ledger *l, uint32_t context)
{
	const bool is_counted = l->context_row && context != LEDGER_OUTSIDE;
	int64_t *to = NULL;

	if (!l->context_seen)
		return;
	for (unsigned i = 0; i < l->n_cell; i++) {
		const uint64_t more = l->seen[i] - l->context_seen[i];

		if (!more)
			continue;
		l->context_seen[i] = l->seen[i];
		if (!is_counted)
			continue;
		to = to ? to : cells(l, context);
		if (!to) {
			l->is_lost = true;
			return;
		}
		to[i] += (int64_t)more;
	}
}

void ledger_pass_contexts(struct ledger *l)
{
	if (!l->context_seen)
		return;
	ledger_book_context(l, l->context);
	for (unsigned i = 0; i < l->n_cell; i++)
		l->context_seen[i] = *l->cell[i];
}

/* Add what l has of the context to s. */
static void add_cells(const struct ledger *l, uint32_t context, struct ledger_sum *s)
{
	const int64_t *from;
	uint32_t k = 0;

	if (context >= l->n_context || !l->context_row[context])
		return;
	from = l->context_count + (size_t)(l->context_row[context] - 1) * l->n_cell;
	for (unsigned i = 0; i < l->n_cell; i++)
		for (; k < l->share_end[i]; k++)
			if (from[i] && l->wanted[l->share[k].wire])
				ledger_add(s, l->share[k].wire,
					   (uint64_t)(from[i] * l->share[k].times));
}

/* Add what the instructions of a block always count. */
static void add_visit(const struct ledger *l, const struct ledger_machine *of,
		      const struct mdl_visit *v, struct ledger_sum *s)
{
	const struct x86_block *b = x86_store_get(l->store, v->block);

	for (unsigned i = 0; i < b->n_insn; i++)
		of->always(of->machine, b, i, v->times, s);
}

int ledger_take_contexts(struct ledger *const *l, unsigned n_ledger,
			 const struct ledger_machine *of, const struct mdl_visit *visit, size_t n,
			 mdl_take_posting *take, void *ctx)
{
	struct ledger_sum *s = calloc(1, sizeof(*s));
	uint32_t most = n ? visit[n - 1].context + 1 : 0;
	bool is_lost = false;
	size_t at = 0;

	if (!s)
		return -SPMU_ENOMEM;
	for (unsigned k = 0; k < n_ledger; k++)
		ledger_book_context(l[k], l[k]->context);
	for (unsigned k = 0; k < n_ledger; k++)
		most = l[k]->n_context > most ? l[k]->n_context : most;
	for (uint32_t context = 0; context < most; context++) {
		struct mdl_posting p = {.block = context};

		for (unsigned k = 0; k < n_ledger; k++)
			add_cells(l[k], context, s);
		for (; at < n && visit[at].context == context; at++)
			add_visit(l[0], of, &visit[at], s);
		ledger_hand_out(of, s, &p, take, ctx);
	}
	for (unsigned k = 0; k < n_ledger; k++) {
		ledger_forget_contexts(l[k]);
		is_lost |= l[k]->is_lost;
	}
	free(s);
	return is_lost ? -SPMU_ENOMEM : 0;
}

void ledger_forget_contexts(struct ledger *l)
{
	if (l->context_row)
		memset(l->context_row, 0, l->n_context * sizeof(*l->context_row));
	l->n_context_row = 0;
}
