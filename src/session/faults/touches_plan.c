/* touches_plan.c -- makes a plan of each block's references once, and compares the pages of an
 * execution with the pages touched recently. Rules: touches_plan.h.
 *
 * The plan is a filter: it may send an execution the slow way without need, but it must never pass
 * one that touches a page for the first time. Then that fault would not be counted.
 */
#include "session/faults/touches_plan.h"

#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

#define FIRST_REFS    4096u
#define MOST_TOGETHER 512u

enum plan_state { PLAN_NONE = 0, PLAN_SHORT, PLAN_LONG };

struct touch_plan {
	uint32_t head; /* of its records */
	/* when its code, and what it always touches, was found touched; 0: never */
	uint32_t age;
	/* of its references: those with an address of their own each time, then the others */
	uint32_t first;
	uint8_t n_ref, n_fixed, n_insn;
	uint8_t state : 2; /* enum plan_state */
	bool is_32 : 1, has_fs : 1;
	uint64_t pc, last; /* first and last byte of its code */
};

/* References of a block whose addresses differ in a few bytes, joined: the bytes between them are
 * checked, too. The address is always disp + value of slot + value of slot2 * scale; an absent slot
 * has the value 0. */
struct touch_ref {
	uint64_t disp;
	uint16_t bytes; /* at most MOST_TOGETHER, but of a single one */
	uint8_t slot, slot2, scale;
	bool is_write, is_fs, is_fixed;
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

/* Returns true if it is known which bytes r touches, and their order does not matter. */
static bool is_simple(const struct x86_block *b, const struct x86_ref *r)
{
	return !(r->flags & (X86_REF_REP | X86_REF_PARTS | X86_REF_GS)) && r->bytes &&
	       (r->slot == X86_NO_SLOT || r->slot < b->n_slot) &&
	       (r->slot2 == X86_NO_SLOT || r->slot2 < b->n_slot);
}

/* One reference of a block, as if it were alone. */
static struct touch_ref ref_of(const struct x86_ref *r)
{
	struct touch_ref ref = {r->disp,
				r->bytes,
				r->slot,
				r->slot2,
				r->scale,
				r->flags & X86_REF_WRITE,
				r->flags & X86_REF_FS,
				false};

	ref.is_fixed = r->slot == X86_NO_SLOT && r->slot2 == X86_NO_SLOT && !ref.is_fs;
	if (r->slot2 == X86_NO_SLOT) {
		ref.slot2 = r->slot;
		ref.scale = 0;
	} else if (r->slot == X86_NO_SLOT) {
		ref.slot = r->slot2;
		ref.scale = (uint8_t)(r->scale - 1);
	}
	return ref;
}

/* Take x into one of the plan's references, or as one more. */
static void add_ref(struct touch_plans *p, struct touch_plan *plan, const struct touch_ref *x)
{
	struct touch_ref *ref = &p->ref[p->n_ref];

	for (unsigned k = 0; k < plan->n_ref; k++, ref++) {
		const uint64_t lo = x->disp < ref->disp ? x->disp : ref->disp;
		const uint64_t end = ref->disp + ref->bytes, own_end = x->disp + x->bytes,
			       hi = own_end > end ? own_end : end;

		if (ref->slot != x->slot || ref->slot2 != x->slot2 || ref->scale != x->scale ||
		    ref->is_fs != x->is_fs || end < ref->disp || own_end < x->disp ||
		    hi - lo > MOST_TOGETHER)
			continue;
		ref->disp = lo;
		ref->bytes = (uint16_t)(hi - lo);
		ref->is_write |= x->is_write;
		return;
	}
	*ref = *x;
	plan->n_ref++;
}

/* Move the references whose address never changes to the end. */
static void put_fixed_last(struct touch_plans *p, struct touch_plan *plan)
{
	struct touch_ref *ref = &p->ref[plan->first];
	unsigned n = 0;

	for (unsigned k = 0; k < plan->n_ref; k++) {
		const struct touch_ref x = ref[k];

		if (x.is_fixed)
			continue;
		ref[k] = ref[n];
		ref[n++] = x;
		plan->has_fs |= x.is_fs;
	}
	plan->n_fixed = (uint8_t)(plan->n_ref - n);
	plan->n_ref = (uint8_t)n;
}

static void make_plan(struct touch_plans *p, struct touch_plan *plan, const struct x86_block *b)
{
	*plan = (struct touch_plan){.head = trc_block_head(b->id, b->n_slot),
				    .pc = b->pc,
				    .last = b->pc + b->bytes - 1u,
				    .first = (uint32_t)p->n_ref,
				    .n_insn = b->n_insn,
				    .state = PLAN_LONG,
				    .is_32 = b->mode == X86_MODE_32};
	for (unsigned i = 0; i < b->n_insn; i++)
		if (b->insn[i].flags & (X86_I_SETS_DF | X86_I_CLEARS_DF))
			return;
	for (unsigned k = 0; k < b->n_ref; k++) {
		const struct x86_ref *r = &b->ref[k];
		const struct touch_ref ref = ref_of(r);

		if (r->flags & X86_REF_PREFETCH)
			continue;
		if (!is_simple(b, r))
			return;
		add_ref(p, plan, &ref);
	}
	p->n_ref += plan->n_ref;
	put_fixed_last(p, plan);
	plan->state = PLAN_SHORT;
}

static inline uint64_t value_of(const uint8_t *slots, unsigned slot)
{
	uint64_t value;

	memcpy(&value, slots + 8u * slot, 8);
	return value;
}

/* Returns true if a reference at `lin` touches recently touched pages only. */
static inline bool is_ref_recent(const struct touch_recent *r, const struct touch_ref *ref,
				 uint64_t lin)
{
	return touch_is_recent(r, lin, ref->is_write) &&
	       ((lin & 4095) + ref->bytes <= 4096 ||
		(ref->bytes <= 4096 && touch_is_recent(r, lin + ref->bytes - 1, ref->is_write)));
}

/* Returns true if all references of the plan with changing addresses touch recently touched pages
 * only. */
static inline bool are_moving_recent(const struct touch_plans *p, const struct touch_recent *r,
				     const struct touch_plan *plan, const uint8_t *slots,
				     uint64_t fs_base)
{
	const uint64_t mask = plan->is_32 ? UINT32_MAX : UINT64_MAX;

	for (const struct touch_ref *ref = &p->ref[plan->first], *end = ref + plan->n_ref;
	     ref < end; ref++) {
		/* else it is relative to FS alone */
		const bool has_slot = ref->slot != X86_NO_SLOT;
		uint64_t lin = ref->disp + (ref->is_fs ? fs_base : 0);

		if (has_slot)
			lin +=
			    value_of(slots, ref->slot) + value_of(slots, ref->slot2) * ref->scale;
		if (!is_ref_recent(r, ref, lin & mask))
			return false;
	}
	return true;
}

/* The code of a plan, and references that are always at one address. */
static bool is_rest_recent(const struct touch_plans *p, const struct touch_recent *r,
			   const struct touch_plan *plan)
{
	const uint64_t mask = plan->is_32 ? UINT32_MAX : UINT64_MAX;

	if (!touch_is_recent(r, plan->pc, false) || !touch_is_recent(r, plan->last, false))
		return false;
	for (const struct touch_ref *ref = &p->ref[plan->first + plan->n_ref],
				    *end = ref + plan->n_fixed;
	     ref < end; ref++)
		if (!is_ref_recent(r, ref, ref->disp & mask))
			return false;
	return true;
}

static struct touch_plan *plan_of(struct touch_plans *p, const struct x86_store *store, uint32_t id)
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
		make_plan(p, &p->plan[id], x86_store_get(store, id));
	}
	return &p->plan[id];
}

bool touch_plan_is_recent(struct touch_plans *p, const struct touch_recent *r,
			  const struct x86_store *store, uint32_t id, uint32_t insns,
			  const uint8_t *slots, size_t room, const uint64_t *fs_base)
{
	struct touch_plan *plan = plan_of(p, store, id);

	if (!plan || plan->state != PLAN_SHORT || plan->n_insn != insns ||
	    trc_block_bytes(plan->head) - 4 > room)
		return false;
	if ((plan->has_fs && !fs_base) ||
	    !are_moving_recent(p, r, plan, slots, fs_base ? *fs_base : 0))
		return false;
	if (plan->age != r->age && !is_rest_recent(p, r, plan))
		return false;
	plan->age = r->age;
	return true;
}

size_t touch_plan_pass(const struct touch_plans *p, const struct touch_recent *r,
		       const struct x86_store *store, const uint8_t *bytes, size_t n,
		       const uint64_t *fs_base)
{
	size_t at = 0;

	if (p->n_clears != x86_store_clears(store))
		return 0;
	while (n - at >= 4) {
		const struct touch_plan *plan;
		uint32_t head;

		memcpy(&head, bytes + at, 4);
		if (head >= TRC_SPECIAL || trc_block_id(head) >= p->room_plan)
			break;
		plan = &p->plan[trc_block_id(head)];
		if (plan->age != r->age || plan->head != head || n - at < trc_block_bytes(head) ||
		    (plan->has_fs && !fs_base) ||
		    !are_moving_recent(p, r, plan, bytes + at + 4, fs_base ? *fs_base : 0))
			break;
		at += trc_block_bytes(head);
	}
	return at;
}

void touch_plan_close(struct touch_plans *p)
{
	free(p->plan);
	free(p->ref);
	*p = (struct touch_plans){0};
}
