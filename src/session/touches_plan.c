#include "session/touches_plan.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_REFS 4096u
#define MOST_TOGETHER 512u

enum plan_state { PLAN_NONE = 0, PLAN_SHORT, PLAN_LONG };

struct touch_plan {
	uint64_t pc, last;     /* first and last byte of its code */
	uint32_t first;        /* of its references */
	uint8_t n_ref, n_slot, n_insn;
	uint8_t state;         /* enum plan_state */
	bool is_32;
};

/* References of a block that differ in a few bytes, together: what lies between them is looked at as if it were touched, too. */
struct touch_ref {
	uint64_t disp;
	uint16_t bytes;        /* at most MOST_TOGETHER, but of a single one */
	uint8_t slot, slot2, scale;
	bool is_write, is_fs;
};

static bool make_room(struct touch_plans *p, uint32_t id)
{
	if (id >= p->room_plan) {
		const size_t room = 2 * (size_t)id + 1024;
		struct touch_plan *more = realloc(p->plan, room * sizeof(*more));

		if (!more)
			return false;
		memset(more + p->room_plan, 0, (room - p->room_plan) * sizeof(*more));
		p->plan = more;
		p->room_plan = room;
	}
	if (p->n_ref + UINT8_MAX >= p->room_ref) {
		const size_t room = p->room_ref ? 2 * p->room_ref : FIRST_REFS;
		struct touch_ref *more = realloc(p->ref, room * sizeof(*more));

		if (!more)
			return false;
		p->ref = more;
		p->room_ref = room;
	}
	return true;
}

/* Whether it is known which bytes r touches, and that order does not matter. */
static bool is_simple(const struct x86_block *b, const struct x86_ref *r)
{
	return !(r->flags & (X86_REF_REP | X86_REF_PARTS | X86_REF_GS)) && r->bytes &&
	       (r->slot == X86_NO_SLOT || r->slot < b->n_slot) && (r->slot2 == X86_NO_SLOT || r->slot2 < b->n_slot);
}

/* Take r into one of the plan's references, or as one more. */
static void add(struct touch_plans *p, struct touch_plan *plan, const struct x86_ref *r)
{
	struct touch_ref *ref = &p->ref[p->n_ref];
	const bool is_fs = r->flags & X86_REF_FS, is_write = r->flags & X86_REF_WRITE;

	for (unsigned k = 0; k < plan->n_ref; k++, ref++) {
		const uint64_t lo = r->disp < ref->disp ? r->disp : ref->disp;
		const uint64_t end = ref->disp + ref->bytes, own_end = r->disp + r->bytes, hi = own_end > end ? own_end : end;

		if (ref->slot != r->slot || ref->slot2 != r->slot2 || ref->scale != r->scale || ref->is_fs != is_fs ||
		    end < ref->disp || own_end < r->disp || hi - lo > MOST_TOGETHER)
			continue;
		ref->disp = lo;
		ref->bytes = (uint16_t)(hi - lo);
		ref->is_write |= is_write;
		return;
	}
	*ref = (struct touch_ref){ r->disp, r->bytes, r->slot, r->slot2, r->scale, is_write, is_fs };
	plan->n_ref++;
}

static void make(struct touch_plans *p, struct touch_plan *plan, const struct x86_block *b)
{
	*plan = (struct touch_plan){ b->pc, b->pc + b->bytes - 1u, (uint32_t)p->n_ref, 0, b->n_slot, b->n_insn, PLAN_LONG,
		                     b->mode == X86_MODE_32 };
	for (unsigned i = 0; i < b->n_insn; i++)
		if (b->insn[i].flags & (X86_I_SETS_DF | X86_I_CLEARS_DF))
			return;
	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];

		if (r->flags & X86_REF_PREFETCH)
			continue;
		if (!is_simple(b, r))
			return;
		add(p, plan, r);
	}
	p->n_ref += plan->n_ref;
	plan->state = PLAN_SHORT;
}

static uint64_t value_of(const uint8_t *slots, unsigned slot)
{
	uint64_t value = 0;

	if (slot != X86_NO_SLOT)
		memcpy(&value, slots + 8u * slot, 8);
	return value;
}

static const struct touch_plan *plan_of(struct touch_plans *p, const struct x86_store *store, uint32_t id)
{
	if (p->n_clears != x86_store_clears(store)) {
		p->n_clears = x86_store_clears(store);
		p->n_ref = 0;
		if (p->plan)
			memset(p->plan, 0, p->room_plan * sizeof(*p->plan));
	}
	if (id >= p->room_plan || p->plan[id].state == PLAN_NONE) {
		if (id >= x86_store_count(store) || !make_room(p, id))
			return NULL;
		make(p, &p->plan[id], x86_store_get(store, id));
	}
	return &p->plan[id];
}

bool touch_plan_is_recent(struct touch_plans *p, const struct touch_recent *r, const struct x86_store *store, uint32_t id,
                          uint32_t insns, const uint8_t *slots, size_t room, const uint64_t *fs_base)
{
	const struct touch_plan *plan = plan_of(p, store, id);

	if (!plan || plan->state != PLAN_SHORT || plan->n_insn != insns || 8u * plan->n_slot > room || !touch_is_recent(r, plan->pc, false) ||
	    !touch_is_recent(r, plan->last, false))
		return false;
	for (const struct touch_ref *ref = &p->ref[plan->first], *end = ref + plan->n_ref; ref < end; ref++) {
		uint64_t lin = ref->disp + value_of(slots, ref->slot) + value_of(slots, ref->slot2) * ref->scale;

		if (ref->is_fs) {
			if (!fs_base)
				continue; /* as the long way does */
			lin += *fs_base;
		}
		if (plan->is_32)
			lin = (uint32_t)lin;
		if (!touch_is_recent(r, lin, ref->is_write))
			return false;
		if ((lin & 4095) + ref->bytes > 4096 && (ref->bytes > 4096 || !touch_is_recent(r, lin + ref->bytes - 1, ref->is_write)))
			return false;
	}
	return true;
}

void touch_plan_close(struct touch_plans *p)
{
	free(p->plan);
	free(p->ref);
	*p = (struct touch_plans){ 0 };
}
