/* snapshot.c -- the structures of a machine as bytes, and back. Rules are in snapshot.h. */
#include "model/p6/team/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "model/p6/p6.h"
#include "model/p6/units/walk.h"

/* Arrays first, one behind the other; then what is no array. */
struct p6_snapshot {
	uint64_t n_entered;
	uint32_t random;
	struct rsb rsb;
	struct wcbuf wc;
	uint64_t fs_base;
	bool df;
	uint8_t fpmmx;
	uint8_t bytes[];
};

/* An array of a machine. */
struct part {
	void *at;
	size_t bytes;
};

#define MOST_PARTS 16u

static unsigned add_part(struct part *p, unsigned n, void *at, size_t bytes)
{
	p[n] = (struct part){at, bytes};
	return n + (at != NULL);
}

static unsigned add_cache(struct part *p, unsigned n, const struct cache *c)
{
	return add_part(p, n, c->sets, (size_t)c->n_sets * c->stride_bytes);
}

static unsigned add_tlb(struct part *p, unsigned n, const struct tlb *t)
{
	n = add_part(p, n, t->entry, (size_t)t->n_sets * t->ways * sizeof(*t->entry));
	return add_part(p, n, t->order, t->n_sets * sizeof(*t->order));
}

static unsigned add_btb(struct part *p, unsigned n, const struct btb *b)
{
	const size_t entries = (size_t)b->sets * b->ways;

	n = add_part(p, n, b->entry, entries * sizeof(*b->entry));
	n = add_part(p, n, b->key, entries * sizeof(*b->key));
	n = add_part(p, n, b->target, entries * sizeof(*b->target));
	return add_part(p, n, b->used, b->sets * sizeof(*b->used));
}

/* All arrays of m, those of L1I and of the ITLB's entries first; or only those that a machine needs
 * which reads a log. Returns how many. */
static unsigned parts_of(const struct p6 *m, struct part *p)
{
	unsigned n = add_cache(p, 0, &m->ifu.cache);

	n = add_tlb(p, n, &m->itlb.tlb);
	n = add_btb(p, n, &m->btb.table);
	if (m->log.is_on || m->time.log.is_on)
		return n;
	n = add_cache(p, n, &m->dcu.cache);
	n = add_cache(p, n, &m->l2.cache);
	return add_tlb(p, n, &m->dtlb.tlb);
}

struct p6_snapshot *p6_snapshot_take(const struct p6 *m)
{
	struct part part[MOST_PARTS];
	const unsigned n = parts_of(m, part);
	struct p6_snapshot *s;
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++)
		bytes += part[i].bytes;
	s = malloc(sizeof(*s) + bytes);
	if (!s)
		return NULL;
	bytes = 0;
	for (unsigned i = 0; i < n; i++) {
		memcpy(s->bytes + bytes, part[i].at, part[i].bytes);
		bytes += part[i].bytes;
	}
	s->n_entered = m->btb.table.n_entered;
	s->random = m->btb.table.random;
	s->rsb = m->btb.rsb;
	s->wc = m->dcu.wc;
	s->fs_base = m->seg.fs_base;
	s->df = m->strings.df;
	s->fpmmx = m->mmx.last;
	return s;
}

void p6_snapshot_free(struct p6_snapshot *s)
{
	free(s);
}

/* What was used last in each set is not known any more. */
static void forget_last(struct p6 *m, bool has_same_code)
{
	p6_empty_filter(m->dcu.filter, (size_t)P6_KINDS * m->dcu.cache.n_sets);
	p6_empty_filter(m->ifu.filter, m->ifu.cache.n_sets);
	p6_empty_filter(m->dtlb.filter, m->dtlb.tlb.n_sets);
	p6_empty_filter(m->itlb.filter, m->itlb.tlb.n_sets);
	p6_walk_forget(m);
	m->ifu.epoch += !has_same_code;
	m->time.code_line = P6_NO_KEY;
}

/* Returns true if L1I and the ITLB of m hold what they do in the snapshot. It does not compare the
 * order in which lines and pages were used, which a machine that reads a log does not keep. part:
 * of m. */
static bool has_same_code(const struct p6 *m, const struct part *part, const struct p6_snapshot *s)
{
	const struct cache *c = &m->ifu.cache;
	const size_t tags = c->ways * sizeof(*cache_tags(c, 0));

	if (!m->time.log.is_on)
		return false;
	for (uint32_t set = 0; set < c->n_sets; set++)
		if (memcmp(cache_tags(c, set), s->bytes + (size_t)set * c->stride_bytes, tags) != 0)
			return false;
	return memcmp(part[1].at, s->bytes + part[0].bytes, part[1].bytes) == 0;
}

void p6_snapshot_put(struct p6 *m, const struct p6_snapshot *s)
{
	struct part part[MOST_PARTS];
	const unsigned n = parts_of(m, part);
	const bool has_same = has_same_code(m, part, s);
	size_t bytes = 0;

	for (unsigned i = 0; i < n; i++) {
		memcpy(part[i].at, s->bytes + bytes, part[i].bytes);
		bytes += part[i].bytes;
	}
	m->btb.table.n_entered = s->n_entered;
	m->btb.table.random = s->random;
	m->btb.rsb = s->rsb;
	m->dcu.wc = s->wc;
	m->seg.fs_base = s->fs_base;
	m->strings.df = s->df;
	m->mmx.last = s->fpmmx;
	forget_last(m, has_same);
}
