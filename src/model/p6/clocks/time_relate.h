/* time_relate.h -- what an access has to do with older ones, and the codes of a block's accesses.
 *
 * Used by time_access.c, which makes accesses, and time_log.c, which has them from a log.
 *
 * COUNTING RULES   those of recent.h and time_key.c.
 */
#ifndef SOFTPMU_MODEL_P6_TIME_RELATE_H
#define SOFTPMU_MODEL_P6_TIME_RELATE_H

#include "model/p6/p6.h"
#include "model/p6/clocks/time_key.h"
#include "model/p6/clocks/time_access.h"
#include "model/parts/reader.h"

static inline void p6_note_store(struct p6_time *t, uint64_t lin, uint32_t bytes)
{
	struct p6_recent *r = &t->recent;

	p6_recent_add_store(r, lin, bytes);
	r->stores += r->stores < t->par.store_buffers && r->stores < P6_RECENT_STORES - 1;
}

#define P6_NO_LINE (1ull << 60) /* and on: what no line number is */

static inline void p6_add_misses(struct p6_recent *r, uint32_t n, uint64_t line)
{
	for (unsigned i = 0; i < n; i++)
		p6_recent_add_miss(r, line + i);
	r->misses = r->misses + n < P6_RECENT_MISSES ? r->misses + n : P6_RECENT_MISSES - 1;
}

static inline void p6_note_misses(struct p6_recent *r, struct p6_effect *x, uint64_t line)
{
	x->miss = r->n_miss + 1;
	p6_add_misses(r, x->lines, line);
}

/* Access number k, of a reference or fetching an instruction, did *x, whose code is `code`; false:
 * it has none. */
static inline void p6_note_code(struct p6_accesses *a, unsigned k, const struct p6_effect *x,
				bool has_code, uint16_t code)
{
	a->has_bus |= p6_bus_wanted(x) != 0;
	if (!has_code || a->n_code == P6_MAX_CODES) {
		a->is_complex = true;
		return;
	}
	a->spelt |= 1ull << a->n_code;
	a->ref_code[a->n_code++] = k << 16 | code;
}

/* Reference k did *x, which is a->ref[k]; role: what it is to the buffers. Notes it for younger
 * ones, and in the block's codes. */
static inline void p6_relate(struct p6 *m, struct p6_accesses *a, unsigned k, uint64_t lin,
			     uint32_t bytes, unsigned role, struct p6_effect *x)
{
	struct p6_time *t = &m->time;
	struct p6_recent *r = &t->recent;
	const uint64_t n_miss = r->n_miss, line = lin >> m->line_log2;
	uint16_t code = 0;
	bool has_code;

	x->is_split = bytes && (line != (lin + bytes - 1) >> m->line_log2);
	if (role & P6_ROLE_LOAD && r->stores) {
		x->store = (uint8_t)p6_recent_store(r, lin, bytes);
		x->is_forward = x->store && p6_recent_forwards(r, x->store, lin, bytes);
	}
	if (x->lines)
		p6_note_misses(r, x, line);
	else if (r->misses)
		x->fill = p6_recent_miss(r, line);
	if (role & P6_ROLE_STORE)
		p6_note_store(t, lin, bytes);
	has_code = p6_effect_code(x, n_miss, &code);
	if (has_code && !code)
		return;
	a->loud_ref[k / 64] |= 1ull << k % 64;
	p6_note_code(a, k, x, has_code, code);
}

static inline void p6_spell(struct p6_accesses *a, unsigned k, uint16_t code, uint64_t n_miss)
{
	a->ref[k] = p6_effect_of_code(code, n_miss);
	a->ref[k].miss = a->ref[k].lines ? n_miss + 1 : 0;
	a->loud_ref[k / 64] |= 1ull << k % 64;
}

/* Reference k did what `code` says, n_miss misses before it, and nothing on the external bus. */
static inline void p6_note_short(struct p6_accesses *a, unsigned k, unsigned code, uint64_t n_miss)
{
	if (__builtin_expect(a->n_code == P6_MAX_CODES, 0)) {
		a->is_complex = true;
		p6_spell(a, k, (uint16_t)code, n_miss);
		return;
	}
	a->n_miss[a->n_code] = n_miss;
	a->ref_code[a->n_code++] = k << 16 | code;
}

static inline uint64_t p6_address_of(const struct p6 *m, const struct p6_ref *r,
				     const uint8_t *slots)
{
	uint64_t lin = (uint64_t)(int64_t)r->disp;

	if (r->slot != P6_NO_SLOT)
		lin += reader_slot(slots, r->slot);
	if (r->is_more) {
		if (r->slot2 != P6_NO_SLOT)
			lin += reader_slot(slots, r->slot2) << (r->is_more >> P6_MORE_SHIFT);
		if (r->is_more & P6_MORE_FS)
			lin += m->seg.fs_base;
	}
	return lin;
}

/* As p6_look_back(), of any reference (time_access.c). */
void p6_look_back_in_full(struct p6 *m, struct p6_access_what r, uint64_t lin, int code,
			  uint64_t n_miss);

/* As p6_look_back_in_full(), of a load within 8 bytes, as far as the youngest store to them and the
 * youngest miss of such a line tell. Returns false, and nothing is done, when they do not. */
static inline __attribute__((always_inline)) bool p6_look_back_short(struct p6 *m,
								     struct p6_access_what r,
								     uint64_t lin, unsigned code,
								     uint64_t n_miss)
{
	struct p6_recent *const recent = &m->time.recent;
	struct p6_accesses *const a = &m->time.access;
	const uint64_t line = lin >> P6_FAST_LINE_LOG2;
	const uint32_t store = (uint32_t)recent->n_store - recent->store_of[p6_recent_eighth(lin)];
	const uint32_t miss =
	    (uint32_t)recent->n_miss - recent->miss_of[line & (P6_RECENT_LINES - 1)];
	const unsigned n = a->n_code;

	if (n == P6_MAX_CODES)
		return false;
	if (store - 1 < recent->stores) {
		const unsigned at = (unsigned)(recent->n_store - store) & (P6_RECENT_STORES - 1);

		/* at the same place, and all of it; else it takes more to say */
		if (recent->lin[at] != lin || recent->store_bytes[at] <= r.align_mask)
			return false;
		code |= store | P6_CODE_FORWARD;
	}
	if (code & P6_CODE_LINE) {
		p6_recent_add_miss(recent, line);
		recent->misses += recent->misses < P6_RECENT_MISSES - 1;
	} else if (miss < recent->misses) {
		if (recent->line[(recent->n_miss - miss) & (P6_RECENT_MISSES - 1)] != line)
			return false;
		code |= (unsigned)(n_miss + 1 - (recent->n_miss - miss)) << P6_CODE_FILL_AT;
	}
	if (!code)
		return true;
	a->n_miss[n] = n_miss;
	a->ref_code[n] = (uint32_t)r.k << 16 | code;
	a->n_code = n + 1;
	return true;
}

/* Reference k = r to lin, usual and aligned, did what `code` says, n_miss misses before it: what it
 * has to do with older accesses. */
static inline __attribute__((always_inline)) void
p6_look_back(struct p6 *m, struct p6_access_what r, uint64_t lin, int code, uint64_t n_miss)
{
	if (r.role != P6_ROLE_LOAD || r.align_mask >= 8 ||
	    !p6_look_back_short(m, r, lin, (unsigned)code, n_miss))
		p6_look_back_in_full(m, r, lin, code, n_miss);
}

#endif
