/* templates.c -- templates and contents for all machines. Rules and limits are in templates.h. */
#include "model/p6/clocks/templates.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "model/p6/p6.h"
#include "model/parts/memo.h"
#include "trace/record.h"

#define IDS	      (1u << TRC_ID_BITS)
#define MOST_CONTENTS (1u << 22) /* touched as they come */
_Static_assert(MOST_CONTENTS <= 1u << P6_CONTENT_BITS, "numbers fit struct p6_place");

struct p6_templates {
	pthread_mutex_t lock;
	unsigned n_user;
	struct p6_tblk **tblk; /* by block id, */
	uint32_t n_tblk;       /* below this one */
	/* contents, which never move, so that others read them while one is added; and a hash
	 * table of their numbers */
	struct p6_content *content;
	uint32_t n_content;
	uint32_t *number;
	uint32_t mask;
};

struct p6_templates *p6_templates_open(void)
{
	struct p6_templates *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->n_user = 1;
	b->n_content = 1; /* 0: none */
	b->tblk = blank_pages(IDS * sizeof(*b->tblk));
	b->content = blank_pages(MOST_CONTENTS * sizeof(*b->content));
	if (b->tblk && b->content)
		return b;
	p6_templates_leave(b);
	return NULL;
}

struct p6_templates *p6_templates_use(struct p6_templates *b)
{
	b->n_user++;
	return b;
}

void p6_templates_leave(struct p6_templates *b)
{
	if (!b || --b->n_user)
		return;
	blank_pages_free(b->tblk, IDS * sizeof(*b->tblk));
	blank_pages_free(b->content, MOST_CONTENTS * sizeof(*b->content));
	free(b->number);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- contents -------------------------------------------------------------------------------- */

static uint64_t hash_on(uint64_t h, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	for (; n; n -= n < 8 ? n : 8, p += 8) {
		uint64_t word = 0;

		memcpy(&word, p, n < 8 ? n : 8);
		h = memo_mix(h, word);
	}
	return h;
}

/* All but its number, which is the last of a micro-op. */
static uint32_t hash_of(const struct p6_content *c)
{
	return (uint32_t)hash_on(hash_on(0, &c->uop, offsetof(struct p6_uop, content)), &c->step,
				 sizeof(c->step));
}

static bool is_same(const struct p6_content *a, const struct p6_content *b)
{
	return !memcmp(&a->uop, &b->uop, offsetof(struct p6_uop, content)) &&
	       !memcmp(&a->step, &b->step, sizeof(a->step));
}

/* Where the number of *c is or would be. */
static uint32_t *slot_of(const struct p6_templates *b, const struct p6_content *c)
{
	uint32_t at = hash_of(c) & b->mask;

	while (b->number[at] && !is_same(&b->content[b->number[at]], c))
		at = (at + 1) & b->mask;
	return &b->number[at];
}

/* Room for one more. */
static bool grow(struct p6_templates *b)
{
	const uint32_t mask = b->number ? 2 * b->mask + 1 : 2047;
	uint32_t *number;

	if (b->n_content == MOST_CONTENTS)
		return false;
	if (b->number && 2 * b->n_content < b->mask)
		return true;
	number = calloc(mask + (size_t)1, sizeof(*number));
	if (!number)
		return false;
	free(b->number);
	b->number = number;
	b->mask = mask;
	for (uint32_t i = 1; i < b->n_content; i++)
		*slot_of(b, &b->content[i]) = i;
	return true;
}

/* Number of u, a micro-op of s; 0: there is no room. */
static uint32_t number_of(void *ctx, const struct p6_uop *u, const struct p6_step *s)
{
	struct p6_templates *b = ctx;
	struct p6_content c;
	uint32_t *slot;

	if (!grow(b))
		return 0;
	memset(&c, 0, sizeof(c));
	memcpy(&c.uop, u, sizeof(*u));
	memcpy(&c.step, s, sizeof(*s));
	c.uop.content = 0;
	slot = slot_of(b, &c);
	if (!*slot) {
		c.fast = p6_fast_make(u, s);
		*slot = b->n_content;
		b->content[b->n_content] = c;
		b->content[b->n_content++].uop.content = *slot;
	}
	return *slot;
}

const struct p6_content *p6_templates_content(const struct p6_templates *b, uint32_t number)
{
	return &b->content[number];
}

/* ---- templates ------------------------------------------------------------------------------- */

/* Are all its micro-ops usual ones? */
static void note_fast(const struct p6_templates *b, struct p6_tblk *t)
{
	for (unsigned k = 0; k < t->n_uop; k++)
		t->is_fast &= b->content[t->uop[k].content].fast.is_fast;
}

struct p6_tblk *p6_templates_get(struct p6 *m, const struct x86_block *xb, uint64_t bogus)
{
	struct p6_templates *b = m->time.templates;
	struct p6_tblk *t;

	pthread_mutex_lock(&b->lock);
	t = b->tblk[xb->id];
	if (!t ||
	    t->bogus != bogus) { /* what another processor's BTB says is in templates of its own */
		const bool is_first = !t;

		t = p6_template_make(m, xb, bogus, number_of, b);
		if (t)
			note_fast(b, t);
		if (is_first)
			b->tblk[xb->id] = t;
		b->n_tblk = xb->id < b->n_tblk ? b->n_tblk : xb->id + 1;
	}
	if (t)
		t->n_user++;
	pthread_mutex_unlock(&b->lock);
	return t;
}

struct p6_tblk *p6_templates_keep(struct p6_templates *b, struct p6_tblk *t)
{
	pthread_mutex_lock(&b->lock);
	t->n_user++;
	pthread_mutex_unlock(&b->lock);
	return t;
}

void p6_templates_put(struct p6_templates *b, struct p6_tblk *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&b->lock);
	if (!--t->n_user) {
		if (b->tblk[t->id] == t)
			b->tblk[t->id] = NULL;
		p6_template_free(t);
	}
	pthread_mutex_unlock(&b->lock);
}

void p6_templates_forget(struct p6_templates *b)
{
	pthread_mutex_lock(&b->lock);
	memset(b->tblk, 0, b->n_tblk * sizeof(*b->tblk));
	b->n_tblk = 0;
	pthread_mutex_unlock(&b->lock);
}
