/* wrong_blocks.c -- which block a wrong path meets at an address. See wrong_blocks.h. */
#include "model/p6/clocks/wrong/wrong_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "model/p6/clocks/templates.h"
#include "model/p6/p6.h"

#define MOST_BLOCKS (1u << 18) /* then all are forgotten, so that memory has an end */

static uint32_t slot_of(const struct p6_time *t, uint64_t pc)
{
	return (uint32_t)((pc * 0x9e3779b97f4a7c15ull) >> 40) & (t->by_pc_slots - 1);
}

/* Where the block at pc is or would be. */
static struct p6_tblk **find_slot(const struct p6_time *t, uint64_t pc)
{
	uint32_t at = slot_of(t, pc);

	while (t->by_pc[at] && t->by_pc[at]->pc != pc)
		at = (at + 1) & (t->by_pc_slots - 1);
	return &t->by_pc[at];
}

void p6_wrong_close(struct p6 *m)
{
	struct p6_time *t = &m->time;

	t->by_pc_changes++;
	for (uint32_t i = 0; i < t->by_pc_slots; i++)
		p6_templates_put(t->templates, t->by_pc[i]);
	free(t->by_pc);
	t->by_pc = NULL;
	t->n_by_pc = t->by_pc_slots = 0;
}

/* Room for one more. Returns false when memory is out. */
static bool make_room(struct p6 *m)
{
	struct p6_time *t = &m->time;
	struct p6_tblk **old = t->by_pc;
	const uint32_t n_old = t->by_pc_slots;

	if (t->n_by_pc >= MOST_BLOCKS) {
		p6_wrong_close(m);
		return make_room(m);
	}
	if (2 * t->n_by_pc < n_old)
		return true;
	t->by_pc = calloc(n_old ? 2 * (size_t)n_old : 1024, sizeof(*t->by_pc));
	if (!t->by_pc) {
		t->by_pc = old;
		return false;
	}
	t->by_pc_slots = n_old ? 2 * n_old : 1024;
	for (uint32_t i = 0; i < n_old; i++)
		if (old[i])
			*find_slot(t, old[i]->pc) = old[i];
	free(old);
	return true;
}

/* Two blocks at one address: are they the same to decoders? */
static bool is_same(const struct p6_tblk *a, const struct p6_tblk *b)
{
	return a->target == b->target && a->fall == b->fall && a->term == b->term &&
	       a->n_step == b->n_step && !memcmp(a->code, b->code, a->n_step * sizeof(a->code[0]));
}

void p6_wrong_learn(struct p6 *m, struct p6_tblk *t)
{
	struct p6_tblk **slot;

	if (!make_room(m))
		return;
	slot = find_slot(&m->time, t->pc);
	if (*slot && !t->more && is_same(*slot, t))
		return;
	m->time.by_pc_changes += *slot != NULL;
	m->time.n_by_pc += !*slot;
	p6_templates_put(m->time.templates,
			 *slot); /* the youngest block at an address is the valid one */
	*slot = p6_templates_keep(m->time.templates, t);
}

const struct p6_tblk *p6_wrong_find(const struct p6 *m, uint64_t pc)
{
	return m->time.by_pc_slots ? *find_slot(&m->time, pc) : NULL;
}
