/* reuse.c -- blocks onto the shelf and from it.
 *
 * What is kept of a block: its facts, the code of both parts as it was emitted, before anybody was
 * linked, its exits and recovery entries, and the fields of the code that say where it lies (enum
 * xlt_move_kind). Taking it means copying all that behind the blocks that are there, and adding to
 * each such field how far what it names has moved. The result is what emitting it here would have
 * given.
 *
 * FACTS            of a block are kept once: who emits it for the shelf counts from those on it,
 *                  too.
 * NOT KEPT         self-checking blocks, code in memory that the program may write, blocks with
 *                  more such fields than are noted.
 */
#include "translate/terminator.h"

#include "base/error.h"
#include "trace/request.h"

#define NO_EXIT 0xffffu
/* Things of one line that are looked at; more have been put there by many processes at once, or
 * in malice. */
#define MOST_OF_LINE 64u

/* One link of a block: offsets from the start of the part in which they lie. */
struct link {
	uint32_t patch_off, stub_off; /* code offsets where it was emitted, XLT_NONE = no link */
};

/* Behind it, in this order: facts, links, exits, recovery entries, moves, hot code, cold code. */
struct kept {
	struct xlt_shelved shelved;
	const struct x86_block *block;
	const struct link *link;
	const struct shr_exit *exit;
	const struct shr_recover *recover;
	const struct xlt_move *move;
	const uint8_t *hot, *cold;
	struct shr_block table;	    /* as it was */
	uint32_t hot_off, cold_off; /* where the parts lay */
	uint32_t hot_bytes, cold_bytes;
	uint32_t main_off, indirect_off;
	uint32_t id, first_exit;
	uint16_t n_exit, n_move;
	/* exit whose jump ends the hot part, counted from first_exit; NO_EXIT = none */
	uint16_t open_fall;
	uint8_t counted_at;
};

static uint64_t page_of(uint64_t addr)
{
	return addr & ~(uint64_t)(XLT_PAGE_BYTES - 1);
}

static unsigned line_of(uint64_t pc)
{
	return (unsigned)(pc - page_of(pc)) / (XLT_PAGE_BYTES / XLT_SHELF_LINES);
}

/* ---- onto the shelf -------------------------------------------------------------------------- */

static void *next(uint8_t **at, size_t bytes)
{
	void *p = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return p;
}

static void *copy(uint8_t **at, const void *from, size_t bytes)
{
	return memcpy(next(at, bytes), from, bytes);
}

static void copy_links(struct link *to, const struct xlt_exit *from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		to[i] = (struct link){from[i].patch_off, from[i].stub_off};
}

const struct x86_block *xlt_facts_on_shelf(struct xlt *x, const struct x86_block *b)
{
	const struct xlt_page *p = xlt_find_page(x, page_of(b->pc));
	void *room = p && p->shelf ? xlt_shelf_room(x->cfg.shelf, x86_block_room(b)) : NULL;

	return room ? x86_block_copy(b, room) : NULL;
}

void xlt_put_on_shelf(struct xlt *x, const struct xlt_emitter *e, uint32_t main_off,
		      uint32_t indirect_off)
{
	const struct x86_block *b = e->shelved;
	const struct shr_block *table = &x->cfg.tables->block[e->id];
	struct kept k = {.table = *table,
			 .hot_off = e->start,
			 .cold_off = e->first_cold,
			 .hot_bytes = x->out.off - e->start,
			 .cold_bytes = x->cold.off - e->first_cold,
			 .main_off = main_off,
			 .indirect_off = indirect_off,
			 .id = e->id,
			 .first_exit = e->first_exit,
			 .n_exit = (uint16_t)(x->n_exit - e->first_exit),
			 .n_move = (uint16_t)x->n_move,
			 .open_fall = NO_EXIT,
			 .counted_at = x->counted_at[e->id],
			 .block = b};
	struct xlt_page *p = xlt_find_page(x, page_of(b->pc));
	struct kept *to;
	uint8_t *at;

	if (x->is_full || x->n_move > XLT_MAX_MOVES)
		return;
	if (x->open_fall != XLT_NONE && x->exit[x->open_fall].patch_off + 4 == x->out.off)
		k.open_fall = (uint16_t)(x->open_fall - e->first_exit);
	to = xlt_shelf_room(x->cfg.shelf,
			    sizeof(k) + k.n_exit * (sizeof(*k.link) + sizeof(*k.exit)) +
				table->n_recover * sizeof(*k.recover) + k.n_move * sizeof(*k.move) +
				k.hot_bytes + k.cold_bytes + 6 * 8);
	if (!to)
		return;
	at = (uint8_t *)(to + 1);
	k.link = next(&at, k.n_exit * sizeof(*k.link));
	copy_links((struct link *)k.link, x->exit + e->first_exit, k.n_exit);
	k.exit = copy(&at, x->cfg.tables->exit + e->first_exit, k.n_exit * sizeof(*k.exit));
	k.recover = copy(&at, x->cfg.tables->recover + e->first_recover,
			 table->n_recover * sizeof(*k.recover));
	k.move = copy(&at, x->move, k.n_move * sizeof(*k.move));
	k.hot = copy(&at, x->out.base + k.hot_off, k.hot_bytes);
	k.cold = copy(&at, x->cold.base + k.cold_off, k.cold_bytes);
	*to = k;
	if (p->n_seen == p->shelf->n)
		p->n_seen++; /* nobody but us has put something there */
	xlt_shelf_put(p->shelf, line_of(b->pc), &to->shelved);
}

/* ---- from the shelf -------------------------------------------------------------------------- */

/* How far things have moved between where a block was emitted and where it is put. */
struct way {
	uint32_t hot, cold, id, exit;
};

static uint32_t of_part(const struct way *w, uint32_t off)
{
	return off >= XLT_COLD_OFF ? w->cold : w->hot;
}

static void move_fields(struct xlt *x, const struct kept *k, const struct way *w)
{
	for (unsigned part = 0; part < 2; part++) {
		const uint32_t own = part ? w->cold : w->hot, other = part ? w->hot : w->cold;
		const uint32_t by[XLT_N_MOVE] = {
		    [XLT_MOVE_FIXED] = 0 - own,
		    [XLT_MOVE_ACROSS] = other - own,
		    [XLT_MOVE_HOT] = w->hot,
		    [XLT_MOVE_BLOCK] = w->id,
		    [XLT_MOVE_COUNTER] =
			8 * (shr_counter(k->id + w->id, 0) - shr_counter(k->id, 0)),
		    [XLT_MOVE_EXIT] = w->exit,
		};

		for (unsigned i = 0; i < k->n_move; i++) {
			const struct xlt_move *m = &k->move[i];
			const uint32_t at = m->at + own;
			uint32_t value;

			if ((m->at >= XLT_COLD_OFF) != part)
				continue;
			memcpy(&value, x->out.base + at, 4);
			value += by[m->kind];
			memcpy(x->out.base + at, &value, 4);
		}
	}
}

static void copy_exits(struct xlt *x, const struct kept *k, const struct way *w, uint32_t id)
{
	for (unsigned i = 0; i < k->n_exit; i++) {
		struct shr_exit *to = &x->cfg.tables->exit[x->n_exit];
		const struct link *l = &k->link[i];
		struct xlt_exit *own = &x->exit[x->n_exit++];

		*to = k->exit[i];
		to->block = id;
		if (to->kind == SHR_EXIT_FLUSH)
			to->resume += w->hot;
		*own = (struct xlt_exit){.target = to->pc, .patch_off = XLT_NONE, .next = XLT_NONE};
		if (l->patch_off == XLT_NONE)
			continue;
		own->patch_off = l->patch_off + of_part(w, l->patch_off);
		own->stub_off = l->stub_off + w->cold;
		emit_patch(x->out.base, own->patch_off, own->stub_off);
	}
}

static int take_block(struct xlt *x, const struct kept *k, uint32_t *id)
{
	const uint32_t first_exit = x->n_exit;
	const struct x86_block *b = k->block;
	struct shr_block *table;
	struct way w;

	if (!xlt_has_room(x))
		return -SPMU_ENOMEM;
	if (!x86_store_lend(x->cfg.store, b))
		return -SPMU_ENOMEM;
	*id = x->n_block;
	if (k->main_off != k->hot_off) /* its other entry stands in front */
		x->open_fall = XLT_NONE;
	x->fallen_from[*id] = xlt_run_into(x, b->pc);
	w = (struct way){x->out.off - k->hot_off, x->cold.off - k->cold_off, *id - k->id,
			 x->n_exit - k->first_exit};
	emit_bytes(&x->out, k->hot, k->hot_bytes);
	emit_bytes(&x->cold, k->cold, k->cold_bytes);
	move_fields(x, k, &w);
	if (k->open_fall != NO_EXIT)
		x->open_fall = first_exit + k->open_fall;
	table = &x->cfg.tables->block[*id];
	*table = k->table;
	table->code_off += w.hot;
	table->fall_off += of_part(&w, table->fall_off);
	table->recover_off = x->n_recover;
	memcpy(x->cfg.tables->recover + x->n_recover, k->recover,
	       table->n_recover * sizeof(*k->recover));
	x->n_recover += table->n_recover;
	x->counted_at[*id] = k->counted_at;
	copy_exits(x, k, &w, *id);
	return xlt_publish(x, b, *id, k->main_off + w.hot,
			   k->indirect_off + of_part(&w, k->indirect_off), first_exit);
}

/* Was it made of the bytes that are there now? Those of its own page are. */
static bool is_same(const struct xlt *x, const struct x86_block *b)
{
	const unsigned here = XLT_PAGE_BYTES - (unsigned)(b->pc - page_of(b->pc));
	const struct xlt_page *p;

	if (here >= b->bytes)
		return true;
	p = xlt_find_page(x, page_of(b->pc) + XLT_PAGE_BYTES);
	return p && p->bytes && !(p->flags & (REQ_PAGE_VOLATILE | REQ_PAGE_WRITABLE)) &&
	       !memcmp(p->bytes, b->code + here, b->bytes - here);
}

int xlt_take_from_shelf(struct xlt *x, uint64_t pc, uint32_t *id)
{
	const struct xlt_page *p = x->is_sharing ? xlt_find_page(x, page_of(pc)) : NULL;
	const struct xlt_shelved *at;
	unsigned n = 0;
	int rc;

	if (!p || !p->shelf)
		return 0;
	for (at = xlt_shelf_first(p->shelf, line_of(pc)); at && n < MOST_OF_LINE;
	     at = at->next, n++) {
		const struct kept *k = (const struct kept *)at;

		if (k->block->pc != pc || !is_same(x, k->block))
			continue;
		rc = take_block(x, k, id);
		return rc ? rc : 1;
	}
	return 0;
}

/* The things of a line in the order of their addresses, so that they run into each other.
 * Returns how many. */
static unsigned list_line(const struct xlt_shelf_page *p, unsigned line, const struct kept **list)
{
	const struct xlt_shelved *at;
	unsigned n = 0;

	for (at = xlt_shelf_first(p, line); at && n < MOST_OF_LINE; at = at->next) {
		const struct kept *k = (const struct kept *)at;
		unsigned i = n++;

		for (; i > 0 && list[i - 1]->block->pc > k->block->pc; i--)
			list[i] = list[i - 1];
		list[i] = k;
	}
	return n;
}

int xlt_take_page_from_shelf(struct xlt *x, struct xlt_page *p)
{
	const struct kept *list[MOST_OF_LINE];
	uint32_t n_now, id;

	if (!p->shelf)
		return 0;
	n_now = __atomic_load_n(&p->shelf->n, __ATOMIC_ACQUIRE);
	if (p->n_seen == n_now)
		return 0;
	for (unsigned line = 0; line < XLT_SHELF_LINES; line++) {
		const unsigned n = list_line(p->shelf, line, list);

		for (unsigned i = 0; i < n; i++) {
			int rc;

			if (xlt_map_find(x, list[i]->block->pc) || !is_same(x, list[i]->block))
				continue;
			rc = take_block(x, list[i], &id);
			if (rc)
				return rc;
		}
	}
	p->n_seen = n_now;
	return 0;
}
