/* time_feed.c -- the loop over records when clocks are counted.
 *
 * A block is done one record late, when the next record tells where its last branch went and
 * whether that was predicted (held.c).
 *
 * COUNTING RULES   those of held.c and events.c.
 */

#include <stdlib.h>
#include <string.h>

#include "base/blank_pages.h"
#include "base/error.h"
#include "model/p6/clocks/templates.h"
#include "model/p6/loops/events.h"
#include "model/p6/kept/memo.h"
#include "model/p6/clocks/wrong/wrong_tree.h"
#include "model/p6/clocks/int.h"
#include "model/p6/clocks/params.h"
#include "model/p6/clocks/time_access.h"
#include "model/p6/host/time_turn.h"
#include "model/p6/kept/held.h"
#include "model/p6/kept/stretch.h"
#include "model/p6/loops/time_feed.h"
#include "model/p6/units/fpu.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/blocks/ledger.h"
#include "model/p6/units/bus.h"
#include "model/p6/units/mmx.h"
#include "model/p6/clocks/wrong/wrong_blocks.h"
#include "model/p6/units/bus_clocks.h"
#include "trace/record.h"
#include "x86/build.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Is it another pipeline than the catalog's? */
static bool is_changed(const struct mdl_config *cfg)
{
	for (uint32_t i = 0; i < cfg->p6.n_setting; i++)
		if (strcmp(cfg->p6.setting[i].name, "stretch_log2") != 0)
			return true;
	return false;
}

/* That of the first processor, if there is one. */
static struct p6_templates *open_templates(const struct p6_system *s)
{
	return s->cpu[0] && s->cpu[0]->time.templates ? p6_templates_use(s->cpu[0]->time.templates)
						      : p6_templates_open();
}

int p6_time_open(struct p6 *m, const struct mdl_config *cfg)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return 0;
	if (p6_params_open(m, cfg))
		return -SPMU_EINVAL;
	for (unsigned i = 0; i < 8; i++)
		t->x87[i] = (uint8_t)i;
	for (unsigned i = 0; i < 16; i++)
		t->part[i].bytes = 4;
	t->front.is_fresh = true;
	t->front.starts_aligned = true;
	p6_access_open(t);
	t->bus_ratio2 = (uint32_t)p6_bus_to_core_clocks(m, 2);
	p6_int_open(m, cfg->timer_hz);
	p6_fpu_open(t);
	if (!p6_stretch_open(m))
		return -SPMU_EINVAL;
	t->wrong_mode = cfg->p6.wrong_path;
	if (p6_watch_open(m, cfg))
		return -SPMU_ENOMEM;
	if (x86_store_open(&t->kept))
		return -SPMU_ENOMEM;
	t->templates = open_templates(m->system);
	t->tblk = blank_pages(sizeof(struct p6_tblk *) << TRC_ID_BITS);
	if (!t->templates || !t->tblk)
		return -SPMU_ENOMEM;
	if (cfg->has_no_memo || is_changed(cfg) || cfg->timer_hz || t->is_watched || m->is_plain ||
	    t->wrong_mode == MDL_WRONG_LOADS)
		return 0;
	t->wrong_tree = p6_wrong_tree_open();
	if (!t->wrong_tree)
		return -SPMU_ENOMEM;
	t->wants_memo = true;
	t->is_fast = !cfg->has_ledger; /* it does not say whose a micro-op is; nor does host code */
	t->host.is_off = cfg->has_no_host_code || cfg->has_ledger || !m->is_fast_shape;
	t->host.min_exec = cfg->host_code_after ? cfg->host_code_after : P6_TIME_HOST_MIN_EXEC;
	return 0;
}

/* A copy of b in the store of facts that outlive their block. */
static const struct x86_block *keep_block(struct p6_time *t, const struct x86_block *b)
{
	const struct x86_block *copy = x86_store_add(t->kept, b);

	if (!copy)
		t->trouble = -SPMU_ENOMEM;
	return copy;
}

/* Collected micro-ops and what is held outlive their blocks: keep the facts of these, and the
 * templates of what is held. names_blocks: somebody asks collected micro-ops for their block. */
static void keep_waiting(struct p6_time *t, bool names_blocks)
{
	const struct x86_block *was = NULL, *copy = NULL;
	struct p6_rename *r = &t->ren;
	struct x86_store *old = t->kept; /* some of them may lie there already */

	if (x86_store_open(&t->kept)) {
		t->kept = old;
		t->trouble = -SPMU_ENOMEM;
		t->held = NULL;
		r->n = 0;
		return;
	}
	for (unsigned i = 0; i < r->n; i++) {
		if (r->pend[i].block && r->pend[i].block != was) {
			was = r->pend[i].block;
			copy = names_blocks ? keep_block(t, was) : NULL;
		}
		r->pend[i].block = r->pend[i].block ? copy : NULL;
	}
	if (t->held && !t->held_tblk) {
		t->held_tblk = t->tblk[t->held->id];
		t->tblk[t->held->id] = NULL;
	}
	if (t->held)
		t->held = keep_block(t, t->held);
	x86_store_close(old);
}

void p6_time_forget(struct p6 *m)
{
	struct p6_time *t = &m->time;

	p6_memo_forget(m);
	t->is_behind_event = true; /* whoever looks at records alone knows none before it */
	t->held_entry = P6_NO_ENTRY;
	if (t->held && !t->held_tblk && !p6_template(m, t->held))
		t->trouble = -SPMU_ENOMEM;
	keep_waiting(t, t->watch || t->on_line || m->ledger);
	for (uint32_t id = 0; id < t->n_tblk; id++) {
		p6_templates_put(t->templates, t->tblk[id]);
		t->tblk[id] = NULL;
	}
	t->n_tblk = 0;
	p6_templates_forget(t->templates);
	t->last_blocks[t->last_block_at++ % P6_LAST_BLOCKS] = 0;
}

void p6_time_exec(struct p6 *m)
{
	struct p6_time *t = &m->time;

	if (!t->is_on)
		return;
	p6_wrong_close(m);
	p6_memo_wake(m);
	p6_access_exec(t);
	t->code_line = P6_NO_KEY;
}

void p6_time_close(struct p6 *m)
{
	m->time.held = NULL;
	free(m->time.aside);
	if (m->time.tblk && m->time.templates) {
		p6_time_forget(m);
		p6_templates_put(m->time.templates, m->time.held_tblk);
	}
	p6_wrong_close(m);
	p6_templates_leave(m->time.templates);
	x86_store_close(m->time.kept);
	blank_pages_free(m->time.tblk, sizeof(struct p6_tblk *) << TRC_ID_BITS);
	p6_memo_close(m);
	p6_time_host_close(m);
	p6_watch_close(m);
	p6_wrong_tree_close(m->time.wrong_tree);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* The stream that holds the slots of what is held ends. */
static void keep_slots(struct p6_time *t)
{
	if (t->held && t->held_at != t->held_slots)
		memcpy(t->held_slots, t->held_at, 8u * t->held->n_slot);
	t->held_at = t->held_slots;
}

/* Block b of entry `entry` is met for the first time: its templates, and what they say of its
 * references. */
static int meet(struct p6 *m, struct p6_blk *b, const struct x86_block *xb)
{
	struct p6_ref *r = (struct p6_ref *)(void *)(b + 1);
	const struct p6_tblk *t = p6_template(m, xb);
	bool is_fast = t && m->is_fast_shape && !m->is_plain && !t->is_odd && !t->reads_counter &&
		       !(b->flags & P6_B_ORDER);

	/* large tables: not before there are blocks with time */
	if (!t || (m->time.wants_memo && p6_memo_open(m)))
		return -SPMU_ENOMEM;
	for (unsigned k = 0; k < b->n_ref; k++) {
		r[k].role = t->role[k];
		is_fast &= r[k].kind < P6_NEVER && r[k].access != P6_LOCKED;
	}
	b->zero_keep = t->zero_keep;
	b->zero_set = t->zero_set;
	b->flags |= P6_B_TIMED | (t->n_zero ? P6_B_ZERO : 0) | (is_fast ? P6_B_FAST : 0) |
		    (t->is_odd || t->has_divide || t->reads_counter ? 0 : P6_B_KEPT);
	return 0;
}

/* One block record at p, of `head`. */
static int feed_block(struct p6 *m, uint32_t head, const uint8_t *p, const uint8_t *end)
{
	const uint32_t entry = p6_meet(m, trc_block_id(head));
	const struct x86_block *xb;
	struct p6_blk *b;

	if (entry == P6_NO_ENTRY)
		return -SPMU_EPROTO;
	b = p6_blk_at(m, entry);
	if (b->head != head || end - p < trc_block_bytes(head))
		return -SPMU_EPROTO;
	xb = x86_store_get(m->store, trc_block_id(head));
	p6_begin_block(m, xb->pc);
	m->time.is_behind_event = m->time.is_open = false;
	if (++b->n_exec == m->time.host.min_exec && b->flags & P6_B_TIMED && m->time.memo)
		p6_time_host_compile(m, b);
	m->time.last_blocks[m->time.last_block_at++ % P6_LAST_BLOCKS] = trc_block_id(head) + 1;
	m->n_insn += b->n_insn;
	if (b->flags & P6_B_FPMMX) {
		p6_feed_fpmmx(m, b->fpmmx);
		p6_ledger_fpmmx(m, b);
	}
	if (b->flags & P6_B_ASSIST)
		p6_ledger_assists(m, xb, p + 4);
	if (!(b->flags & P6_B_TIMED)) {
		const int rc = meet(m, b, xb);

		if (rc)
			return rc;
	}
	m->time.held = xb;
	m->time.held_context = m->ledger ? m->ledger->context : 0;
	m->time.held_n = xb->n_insn;
	m->time.held_entry = entry;
	m->time.held_at = p + 4;
	m->time.log.held = m->time.log.fed;
	p6_event_wait(m, xb);
	m->pending_blk = entry;
	return 0;
}

/* A record of this kind is done, which is no block's. */
static void note_event(struct p6_time *t, uint32_t kind)
{
	if (kind == TRC_AHEAD || kind == TRC_MASK || kind == TRC_RING || kind == TRC_PAGE ||
	    kind == TRC_FLUSH)
		return;
	t->is_due = false;
	t->is_behind_event = kind != TRC_PIECE && kind != TRC_PARTIAL;
	if (kind != TRC_TAKEN &&
	    kind != TRC_PIECE) /* the kernel was there: nothing older is in flight */
		t->last_blocks[t->last_block_at++ % P6_LAST_BLOCKS] = 0;
}

static int feed(struct p6 *m, const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 4) {
		const uint32_t head = reader_u32(p);
		int rc;

		if (m->time.trouble)
			return m->time.trouble;
		m->time.log.fed = (uint32_t)(uintptr_t)p;
		if (head >= TRC_SPECIAL) {
			const int64_t n = p6_event(m, p, end);

			if (n < 0)
				return (int)n;
			note_event(&m->time, head - TRC_SPECIAL);
			p += n;
			continue;
		}
		rc = feed_block(m, head, p, end);
		if (rc)
			return rc;
		p += trc_block_bytes(head);
		rc = p6_time_turn(m, &p, end);
		if (rc)
			return rc;
	}
	return p == end ? m->time.trouble : -SPMU_EPROTO;
}

int p6_time_feed(struct p6 *m, const uint8_t *bytes, const uint8_t *end)
{
	int rc = feed(m, bytes, end);

	if (!rc)
		rc = p6_time_access_now(m);
	keep_slots(&m->time);
	return rc;
}
