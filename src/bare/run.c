/* run.c -- what one run of a stretch executed, and which access is whose. Rules: run.h. */
#include "bare/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static bool is_write(uint64_t access)
{
	return access & BARE_ACCESS_WRITE;
}

static uint32_t address_of(const struct bare_stretch *s, unsigned insn)
{
	uint32_t pc = s->pc;

	for (unsigned i = 0; i < insn; i++)
		pc += bare_size(s, i);
	return pc;
}

/* The stretch in which an access of another one than the run's was translated, or NULL: the number
 * nearest to the run's that has these low bits. */
static const struct bare_stretch *owner_of(const struct bare_run *r, uint64_t access)
{
	const uint32_t all = BARE_TAG_MASK + 1,
		       number = (r->number & ~BARE_TAG_MASK) | (uint32_t)(access >> BARE_TAG_SHIFT);
	const struct bare_stretch *s = bare_blocks_find(r->blocks, number);

	s = s ? s : bare_blocks_find(r->blocks, number + all);
	return s ? s : bare_blocks_find(r->blocks, number - all);
}

/* The instruction of the run that made the access. QEMU translates one that reaches a device once
 * more, by itself. BARE_NO_INSN: none did; what QEMU reads and writes for an interrupt comes under
 * the number of some instruction that ran before. */
unsigned bare_run_insn_of(const struct bare_run *r, uint64_t access)
{
	const unsigned insn =
	    access >> BARE_INSN_SHIFT & ((1u << (BARE_TAG_SHIFT - BARE_INSN_SHIFT)) - 1);
	const struct bare_stretch *owner;
	uint32_t at;

	if (access >> BARE_TAG_SHIFT == (r->number & BARE_TAG_MASK))
		return insn;
	owner = owner_of(r, access);
	if (!owner || insn >= owner->n_insn)
		return BARE_NO_INSN;
	at = address_of(owner, insn);
	for (unsigned i = 0; i < r->s->n_insn; i++)
		if (address_of(r->s, i) == at)
			return i;
	return BARE_NO_INSN;
}

/* Did QEMU leave the stretch to reach a device? */
static bool reached_device(const struct bare_run *r)
{
	for (size_t i = 0; i < r->n_access; i++)
		if (r->access[i] >> BARE_TAG_SHIFT != (r->number & BARE_TAG_MASK) &&
		    bare_run_insn_of(r, r->access[i]) != BARE_NO_INSN)
			return true;
	return false;
}

bool bare_run_is_all_begun(const struct bare_run *r)
{
	return r->begun >= r->s->n_counted && !reached_device(r);
}

unsigned bare_run_last_begun(const struct bare_run *r)
{
	unsigned n = 0, last = 0;

	if (bare_run_is_all_begun(r))
		return r->s->n_insn - 1u;
	for (unsigned i = 0; i < r->s->n_insn && n < r->begun; i++)
		if (r->s->size[i] & BARE_SIZE_COUNTED) {
			last = i;
			n++;
		}
	return last;
}

uint32_t bare_run_address_behind(const struct bare_stretch *s, unsigned insn)
{
	return address_of(s, insn + 1);
}

/* Find the access that slot k of the stretch stands for; used[i]: taken already. Returns its
 * number, or n_access. */
static size_t find_access(const struct bare_run *r, const struct bare_slot *slot,
			  const uint8_t *used)
{
	for (size_t i = 0; i < r->n_access; i++)
		if (!used[i] && is_write(r->access[i]) == slot->is_write &&
		    bare_run_insn_of(r, r->access[i]) == slot->insn)
			return i;
	return r->n_access;
}

/* The access is the slot's: take what belongs to it, too. Wide operands are reached in parts, and
 * one that is read and written is reached twice. */
static void take(const struct bare_run *r, const struct bare_slot *slot, size_t first,
		 uint8_t *used, uint32_t *address)
{
	uint32_t low = (uint32_t)r->access[first];
	bool needs_write = slot->is_both;

	used[first] = 1;
	for (size_t i = first + 1; i < r->n_access; i++) {
		const uint32_t at = (uint32_t)r->access[i];

		if (used[i] || bare_run_insn_of(r, r->access[i]) != slot->insn)
			continue;
		if (is_write(r->access[i]) == slot->is_write && at - low < slot->bytes &&
		    at != low) {
			used[i] = 1;
		} else if (needs_write && is_write(r->access[i]) && at == low) {
			used[i] = 1;
			needs_write = false;
		}
	}
	*address = low;
}

unsigned bare_run_match(const struct bare_run *r, unsigned end, uint32_t *value, size_t *from,
			uint8_t *used)
{
	unsigned lost = 0;
	uint32_t address = r->s->pc;

	memset(used, 0, r->n_access);
	for (unsigned k = 0; k < r->s->n_slot; k++) {
		const struct bare_slot *slot = &r->s->slot[k];

		from[k] = r->n_access;
		value[k] = address;
		if (slot->place == BARE_NO_PLACE || slot->insn >= end)
			continue;
		from[k] = find_access(r, slot, used);
		if (from[k] == r->n_access)
			lost++;
		else
			take(r, slot, from[k], used, &address);
		value[k] = address;
	}
	return lost;
}

int bare_run_learn(struct bare_stretch *s, const struct bare_run *r, const size_t *from)
{
	if (s->known || r->n_access > UINT16_MAX)
		return 0;
	s->known = malloc((2 * r->n_access + 1) * sizeof(*s->known));
	if (!s->known)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < r->n_access; i++) {
		s->known[2 * i] = (uint32_t)(r->access[i] >> 32);
		s->known[2 * i + 1] = BARE_NO_PLACE;
	}
	for (unsigned k = 0; k < s->n_slot; k++)
		if (from[k] < r->n_access)
			s->known[2 * from[k] + 1] = s->slot[k].place;
	s->n_known = (uint16_t)r->n_access;
	return 0;
}

/* Did the instruction make all accesses that it must? */
static bool is_done(const struct bare_run *r, unsigned insn)
{
	for (unsigned k = 0; k < r->s->n_slot; k++) {
		const struct bare_slot *slot = &r->s->slot[k];
		bool has_one = slot->insn != insn || slot->place == BARE_NO_PLACE;

		for (size_t i = 0; i < r->n_access && !has_one; i++)
			has_one = is_write(r->access[i]) == slot->is_write &&
				  bare_run_insn_of(r, r->access[i]) == insn;
		if (!has_one)
			return false;
	}
	return true;
}

bool bare_run_leads_to_next(const struct bare_run *r)
{
	const struct bare_stretch *s = r->s;

	switch (s->term) {
	case X86_TERM_FALL: return r->next == s->fall;
	case X86_TERM_JCC: return r->next == s->fall || r->next == s->target;
	case X86_TERM_JMP:
	case X86_TERM_CALL: return r->next == s->target;
	default: return true;
	}
}

unsigned bare_run_executed(const struct bare_run *r, unsigned stop)
{
	const struct bare_stretch *s = r->s;
	unsigned last = s->n_insn - 1u;

	if (!bare_run_is_all_begun(r))
		return r->begun == 0							  ? 0
		       : r->next == bare_run_address_behind(s, stop) || reached_device(r) ? stop + 1
											  : stop;
	if (s->never_ends)
		return last;
	if (r->next == BARE_NOWHERE || s->is_trap ||
	    (bare_run_leads_to_next(r) && is_done(r, last)))
		return s->n_insn;
	/* an interrupt behind it, or a fault in the last one that can fault */
	while (last > 0 && !(s->size[last] & BARE_SIZE_COUNTED))
		last--;
	return is_done(r, last) ? s->n_insn : last;
}
