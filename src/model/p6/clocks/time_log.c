/* time_log.c -- the accesses of a usual block when another machine says what caches and TLBs found
 * (log.h).
 *
 * COUNTING RULES   those of time_access.c.
 */
#include "model/p6/clocks/time_relate.h"

#include "model/p6/log.h"
#include "model/p6/clocks/time_access.h"
#include "trace/record.h"

/* Reference k to lin, which may be anything: its code, or -1: as time.access.ref[k] has it. Returns
 * true when it stored into code. */
static __attribute__((noinline)) bool in_full(struct p6 *m, const struct p6_ref *r, unsigned k,
					      uint64_t lin, int code)
{
	struct p6_effect *x = &m->time.access.ref[k];

	if (code >= 0)
		*x = p6_effect_of_code((uint16_t)code, 0);
	p6_relate(m, &m->time.access, k, lin, r->align_mask + 1u, r->role, x);
	return x->is_smc;
}

/* References k to end - 1 of b. Returns as p6_access_one(). */
static inline __attribute__((always_inline)) int
references(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k, unsigned end)
{
	const struct p6_log_reader *const told = &m->time.log;
	const struct p6_ref *r = p6_blk_refs(b) + k;

	for (; k < end; k++, r++) {
		const uint64_t lin = p6_address_of(m, r, slots) & P6_LIN_MASK;
		int code = 0;

		if (p6_log_record(*told->at) == told->record)
			code = p6_log_read_reference(m, k, &m->time.access.ref[k]);
		if (__builtin_expect((lin & r->align_mask) != 0 || code < 0, 0)) {
			if (in_full(m, r, k, lin, code))
				return p6_access_rest(m, b, slots, k);
			continue;
		}
		m->time.access.has_bus |= p6_code_asks_bus((unsigned)code);
		p6_look_back(m, p6_access_what(r, k), lin, code, m->time.recent.n_miss);
	}
	return 0;
}

/* Lines and references in order; something is told. Returns as p6_access_one(). */
static int lines(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	const uint8_t *before = p6_blk_lines(b);
	unsigned k = 0;

	for (unsigned i = 0; i < b->n_line;) {
		/* only the first instruction can be the first one in two lines */
		const unsigned end = i == 0 && b->is_cut ? 2 : i + 1;
		const int rc = references(m, b, slots, k, before[i]);
		struct p6_effect x;

		if (rc)
			return rc;
		k = before[i];
		if (p6_log_read_fetched(m, end - 1, &x))
			p6_access_fetched(&m->time.access, p6_blk_line_insns(b)[i], &x);
		i = end;
	}
	return references(m, b, slots, k, b->n_ref);
}

int p6_log_blk(struct p6 *m, const struct p6_blk *b, const uint8_t *slots)
{
	struct p6_log_reader *const told = &m->time.log;
	int rc;

	told->record = (uint32_t)(uintptr_t)slots - 4;
	p6_access_begin(&m->time);
	if (p6_log_record(*told->at) != told->record)
		return references(m, b, slots, 0, b->n_ref);
	rc = lines(m, b, slots);
	return rc < 0 ? rc : p6_log_read_done(m);
}

void p6_log_look(struct p6 *m, uint64_t any_lin, struct p6_access_what what)
{
	const unsigned code = p6_log_code(*m->time.log.at++);

	m->time.access.has_bus |= p6_code_asks_bus(code);
	p6_look_back(m, what, any_lin & P6_LIN_MASK, (int)code, m->time.recent.n_miss);
}

int p6_log_one(struct p6 *m, const struct p6_blk *b, const uint8_t *slots, unsigned k)
{
	m->time.log.record = (uint32_t)(uintptr_t)slots - 4;
	return references(m, b, slots, k, k + 1);
}
