/* book.c -- templates and contents for all machines. Rules and limits are in book.h. */
#include "model/p6/book.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "model/p6/p6.h"
#include "trace/record.h"

#define IDS	      (1u << TRC_ID_BITS)
#define MOST_CONTENTS (1u << 20) /* more have no number; touched as they come */

/* What rename and later stages see of a micro-op. */
struct content {
	struct p6_uop uop;
	struct p6_step step;
};

struct p6_book {
	pthread_mutex_t lock;
	unsigned n_user;
	struct p6_tblk **tblk; /* by block id, */
	uint32_t n_tblk;       /* below this one */
	/* contents, which never move, so that others read them while one is added; and a hash table of their numbers */
	struct content *content;
	uint32_t n_content;
	uint32_t *number;
	uint32_t mask;
};

struct p6_book *p6_book_open(void)
{
	struct p6_book *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	pthread_mutex_init(&b->lock, NULL);
	b->n_user = 1;
	b->n_content = 1; /* 0: none */
	b->tblk = blank_pages(IDS * sizeof(*b->tblk));
	b->content = blank_pages(MOST_CONTENTS * sizeof(*b->content));
	if (b->tblk && b->content)
		return b;
	p6_book_leave(b);
	return NULL;
}

struct p6_book *p6_book_use(struct p6_book *b)
{
	b->n_user++;
	return b;
}

void p6_book_leave(struct p6_book *b)
{
	if (!b || --b->n_user)
		return;
	blank_pages_free(b->tblk, IDS * sizeof(*b->tblk));
	blank_pages_free(b->content, MOST_CONTENTS * sizeof(*b->content));
	free(b->number);
	pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- contents ------------------------------------------------------------------------------------------ */

static uint32_t hash_of(const struct content *c)
{
	const uint8_t *p = (const uint8_t *)c;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*c); i++)
		h = (h ^ p[i]) * 16777619u;
	return h ^ h >> 15;
}

/* Where the number of *c is or would be. */
static uint32_t *slot_of(const struct p6_book *b, const struct content *c)
{
	uint32_t at = hash_of(c) & b->mask;

	while (b->number[at] && memcmp(&b->content[b->number[at]], c, sizeof(*c)))
		at = (at + 1) & b->mask;
	return &b->number[at];
}

/* Room for one more. */
static bool grow(struct p6_book *b)
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

/* Number of what rename and later stages see of u, a micro-op of s; 0: there is no room. */
static uint32_t number_of(struct p6_book *b, const struct p6_uop *u, const struct p6_step *s)
{
	struct content c;
	uint32_t *slot;

	if (!grow(b))
		return 0;
	memset(&c, 0, sizeof(c));
	memcpy(&c.uop, u, sizeof(*u));
	memcpy(&c.step, s, sizeof(*s));
	/* what only the stages before rename look at */
	c.uop.insn = c.uop.ref = 0;
	c.uop.content = 0;
	c.step.first_uop = 0;
	c.step.control_slot = 0;
	c.step.n_uop = c.step.bytes = c.step.lcp_clk = c.step.prefix_clk = 0;
	c.step.is_microcoded = c.step.is_branch = c.step.may_be_bogus = false;
	slot = slot_of(b, &c);
	if (!*slot) {
		b->content[b->n_content] = c;
		*slot = b->n_content++;
	}
	return *slot;
}

void p6_book_content(const struct p6_book *b, uint32_t content, struct p6_uop *u, struct p6_step *s)
{
	const struct content *c = &b->content[content];

	*u = c->uop;
	u->content = content;
	*s = c->step;
}

/* ---- templates ----------------------------------------------------------------------------------------- */

static struct p6_tblk *make(struct p6 *m, const struct x86_block *xb, uint64_t bogus)
{
	struct p6_tblk *t = p6_template_make(m, xb, bogus);

	if (!t)
		return NULL;
	t->id = xb->id;
	t->bogus = bogus;
	for (unsigned i = 0; i < t->n_step && m->time.memo; i++)
		for (unsigned k = 0; k < t->step[i].n_uop; k++) {
			struct p6_uop *u = &t->uop[t->step[i].first_uop + k];

			u->content = number_of(m->time.book, u, &t->step[i]);
		}
	return t;
}

struct p6_tblk *p6_book_get(struct p6 *m, const struct x86_block *xb, uint64_t bogus)
{
	struct p6_book *b = m->time.book;
	struct p6_tblk *t;

	pthread_mutex_lock(&b->lock);
	t = b->tblk[xb->id];
	if (!t || t->bogus != bogus) { /* what another processor's BTB says is in templates of its own */
		const bool is_first = !t;

		t = make(m, xb, bogus);
		if (is_first)
			b->tblk[xb->id] = t;
		b->n_tblk = xb->id < b->n_tblk ? b->n_tblk : xb->id + 1;
	}
	if (t)
		t->n_user++;
	pthread_mutex_unlock(&b->lock);
	return t;
}

void p6_book_put(struct p6_book *b, struct p6_tblk *t)
{
	if (!t)
		return;
	pthread_mutex_lock(&b->lock);
	if (!--t->n_user) {
		if (b->tblk[t->id] == t)
			b->tblk[t->id] = NULL;
		free(t);
	}
	pthread_mutex_unlock(&b->lock);
}

void p6_book_forget(struct p6_book *b)
{
	pthread_mutex_lock(&b->lock);
	memset(b->tblk, 0, b->n_tblk * sizeof(*b->tblk));
	b->n_tblk = 0;
	pthread_mutex_unlock(&b->lock);
}
