/* link.c -- who jumps to whom: the code map, linked exits, exits that wait.
 *
 * Every exit with a fixed target is in exactly one list: incoming[block] while linked, or while
 * not, with others that wait for theirs, the one that its target hashes to.
 */
#include "translate/internal.h"

#include <stdlib.h>

#include "base/error.h"

#define MAP_FREE    0u
#define MAP_DELETED 1u

struct shr_map_entry *xlt_map_find(const struct xlt *x, uint64_t pc)
{
	const uint64_t key = shr_map_key(pc);
	uint32_t i = shr_map_hash(pc);

	for (uint32_t n = 0; n < SHR_MAP_ENTRIES; n++) {
		struct shr_map_entry *e = &x->cfg.tables->map[i];

		if (e->key == key)
			return key > MAP_DELETED ? e : NULL;
		if (e->key == MAP_FREE)
			return NULL;
		i = (i + 1) & (SHR_MAP_ENTRIES - 1);
	}
	return NULL;
}

int xlt_map_add(struct xlt *x, uint64_t pc, uint32_t id, uint32_t main_off, uint32_t indirect_off)
{
	const uint64_t key = shr_map_key(pc);
	uint32_t i = shr_map_hash(pc);

	if (key <= MAP_DELETED)
		return -SPMU_EPROTO;
	for (uint32_t n = 0; n < SHR_MAP_ENTRIES; n++) {
		struct shr_map_entry *e = &x->cfg.tables->map[i];

		if (e->key == MAP_FREE || e->key == MAP_DELETED) {
			x->map_block[i] = id;
			e->main_off = main_off;
			e->indirect_off = indirect_off;
			__atomic_store_n(&e->key, key, __ATOMIC_RELEASE);
			return 0;
		}
		i = (i + 1) & (SHR_MAP_ENTRIES - 1);
	}
	return -SPMU_ENOMEM;
}

/* Targets in the same 32 KiB of code have theirs in the same page. */
static uint32_t *waiting_for(const struct xlt *x, uint64_t pc)
{
	const uint64_t page = (pc >> 15) * 0x9e3779b97f4a7c15ull >> (64 - XLT_WAITING_LOG2 + 10);

	return &x->waiting[page << 10 | (pc >> 5 & 1023)];
}

void xlt_forget_waiting(struct xlt *x)
{
	for (uint32_t i = 0; i < x->n_exit; i++)
		*waiting_for(x, x->exit[i].target) = 0;
}

static void wait_for_target(struct xlt *x, uint32_t exit_id)
{
	struct xlt_exit *e = &x->exit[exit_id];
	uint32_t *first = waiting_for(x, e->target);

	e->next = *first;
	*first = exit_id;
}

static void link_to(struct xlt *x, uint32_t exit_id, uint32_t main_off, uint32_t block)
{
	struct xlt_exit *e = &x->exit[exit_id];
	bool is_cut = x->cfg.tables->exit[exit_id].insn == 1;

	emit_patch(x->out.base, e->patch_off,
		   is_cut ? x->cfg.tables->block[block].fall_off : main_off);
	e->next = x->incoming[block];
	x->incoming[block] = exit_id;
	x->stats.links++;
}

static uint32_t block_of_entry(const struct xlt *x, const struct shr_map_entry *m)
{
	return x->map_block[m - x->cfg.tables->map];
}

/* Is there a block in the page of pc? The map is not touched for code that may never be executed.
 */
static bool has_blocks(const struct xlt *x, uint64_t pc)
{
	const struct xlt_page *p = xlt_find_page(x, pc & ~(uint64_t)(XLT_PAGE_BYTES - 1));

	return p && p->block != XLT_NONE;
}

void xlt_link_exit(struct xlt *x, uint32_t exit_id)
{
	struct xlt_exit *e = &x->exit[exit_id];
	struct shr_map_entry *m;

	if (e->patch_off == XLT_NONE)
		return;
	m = has_blocks(x, e->target) ? xlt_map_find(x, e->target) : NULL;
	if (m)
		link_to(x, exit_id, m->main_off, block_of_entry(x, m));
	else
		wait_for_target(x, exit_id);
}

void xlt_link_waiting(struct xlt *x, uint64_t pc, uint32_t id)
{
	struct shr_map_entry *m = xlt_map_find(x, pc);
	uint32_t *at = waiting_for(x, pc);

	if (!m)
		return;
	while (*at) {
		const uint32_t e = *at;

		if (x->exit[e].target != pc) {
			at = &x->exit[e].next;
			continue;
		}
		*at = x->exit[e].next;
		if (e != x->fallen_from[id])
			link_to(x, e, m->main_off, id);
	}
}

/* A block that dies and that another one runs into gets a jump in its first bytes: from now on that
 * exit is like any other. */
static void open_fallen(struct xlt *x, uint32_t id)
{
	uint32_t exit_id = x->fallen_from[id];
	struct xlt_exit *e;
	uint32_t at;

	if (exit_id == XLT_NONE)
		return;
	x->fallen_from[id] = XLT_NONE;
	e = &x->exit[exit_id];
	at = x->cfg.tables->block[id].code_off;
	x->out.base[at] = 0xe9;
	e->patch_off = at + 1;
	emit_patch(x->out.base, e->patch_off, e->stub_off);
	wait_for_target(x, exit_id);
}

void xlt_kill_block(struct xlt *x, uint32_t id)
{
	struct shr_block *b = &x->cfg.tables->block[id];
	struct shr_map_entry *m;
	uint32_t e;

	if (b->flags & SHR_BLK_DEAD)
		return;
	b->flags |= SHR_BLK_DEAD;
	x->n_dead++;
	open_fallen(x, id);
	m = xlt_map_find(x, b->pc);
	if (m && block_of_entry(x, m) == id)
		m->key = MAP_DELETED;
	e = x->incoming[id];
	x->incoming[id] = XLT_NONE;
	while (e != XLT_NONE) {
		uint32_t next = x->exit[e].next;

		emit_patch(x->out.base, x->exit[e].patch_off, x->exit[e].stub_off);
		wait_for_target(x, e);
		e = next;
	}
}

uint32_t xlt_run_into(struct xlt *x, uint64_t pc)
{
	uint32_t exit_id = x->open_fall;

	x->open_fall = XLT_NONE;
	if (exit_id == XLT_NONE || x->exit[exit_id].target != pc ||
	    x->exit[exit_id].patch_off + 4 != x->out.off)
		return XLT_NONE;
	if (x->has_quantum && x->cfg.tables->exit[exit_id].insn)
		return XLT_NONE; /* goes to the other entry */
	x->out.off -= XLT_JUMP_BYTES;
	x->cfg.tables->block[x->n_block - 1].code_bytes -= XLT_JUMP_BYTES;
	x->exit[exit_id].patch_off = XLT_NONE;
	return exit_id;
}

int xlt_publish(struct xlt *x, const struct x86_block *b, uint32_t id, uint32_t main_off,
		uint32_t indirect_off, uint32_t first_exit)
{
	int rc;

	x->incoming[id] = XLT_NONE;
	x->n_block = id + 1;
	xlt_pages_add_block(x, b, id);
	rc = xlt_map_add(x, b->pc, id, main_off, indirect_off);
	if (rc != 0)
		return rc;
	for (uint32_t i = first_exit; i < x->n_exit; i++)
		xlt_link_exit(x, i);
	xlt_link_waiting(x, b->pc, id);
	x->stats.insns += b->n_insn;
	return 0;
}
