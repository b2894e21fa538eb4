/* mob.c -- unit mob: load and store buffers, forwarding, order of memory accesses.
 *
 * COUNTING RULES   04H: clocks in which a serialising (rat.c) or locked instruction, the oldest of
 *                  all and its sources there, waits for older stores. 63H: clocks of a locked
 *                  sequence that the caches cannot serve: memory that is not cacheable, or an
 *                  access over two lines (two transactions for each of them). 03H: one per load
 *                  that an older store held: its address unknown, its data not there, or an overlap
 *                  that cannot be forwarded. 05H and 43H are the structures' (dcu.c).
 * MODELLED         a load waits for the addresses of all older stores (or, as is set, goes ahead of
 *                  them and is done again when one of them overlaps it); a store forwards to a load
 *                  of the same address and no more bytes; any other overlap, by the low 12 bits of
 *                  the address, waits for the commit. Stores commit in order after they retire, one
 *                  per clock, when their line is there. A prefetch has a load buffer and its line a
 *                  fill buffer, but it retires without its data.
 * NOT MODELLED     banks.
 * SOURCES          Agner Fog 2000 19.4; Intel 242816-003 table 7-2.
 */
#include "model/p6/p6.h"
#include "model/p6/clocks/decode.h"
#include "model/p6/clocks/fill.h"
#include "model/p6/clocks/mob.h"
#include "model/p6/clocks/ports.h"

/* The youngest older store that x overlaps, when it is still in the way at clk; or NULL. */
static const struct p6_store *find_store(const struct p6_time *t, const struct p6_effect *x,
					 uint64_t clk)
{
	const struct p6_store *s =
	    &t->store[(t->store_at + P6_MAX_BUFFERS - x->store) % P6_MAX_BUFFERS];

	return x->store && s->commit_clk >= clk ? s : NULL; /* they commit in order */
}

uint64_t p6_mob_lock(struct p6 *m, const struct p6_effect *x, uint64_t ready_clk)
{
	struct p6_time *t = &m->time;
	const uint64_t clk = p6_later(ready_clk, t->commit_clk + 1),
		       oldest_clk = p6_later(ready_clk, t->retire_clk);

	if (clk > oldest_clk)
		P6_RAISE_FOR(m, MOB_SB_DRAIN, oldest_clk, clk - oldest_clk);
	if (!x || !(x->uc_reads || x->is_split))
		return clk + t->par.lock_clk;
	P6_RAISE_FOR(m, BUS_LOCK_SELF, clk,
		     p6_fill_lock_clk(m, x->uc_reads ? 2u * x->uc_reads : 4));
	P6_RAISE_FOR(m, BUS_LOCK_ANY, clk, p6_fill_lock_clk(m, x->uc_reads ? 2u * x->uc_reads : 4));
	return clk + (x->uc_reads ? 0 : p6_fill_lock_clk(m, 4));
}

/* When a load is dispatched that an unknown address holds. One that had gone ahead finds out then.
 */
static uint64_t held_clk(const struct p6_time *t)
{
	return t->addresses_clk + (t->par.load_goes_ahead ? t->par.load_again_clk : 0);
}

/* A prefetch at clk: it waits for its page and for a buffer, but not for its line. Returns the
 * clock in which it is done. */
static uint64_t prefetch(struct p6 *m, const struct p6_effect *x, uint64_t clk)
{
	const struct p6_effect page = {
	    .walks = x->walks, .walk_misses = x->walk_misses, .large_walks = x->large_walks};
	struct p6_effect line = *x;
	const unsigned load_clk = m->time.par.load_clk;
	uint64_t at = p6_fill_data(m, &page, clk) - load_clk;

	line.walks = line.walk_misses = line.large_walks = 0;
	if (x->lines | x->l2_lines)
		at = p6_later(at, p6_fill_room(&m->time));
	p6_fill_data(m, &line, at);
	return at + load_clk;
}

uint64_t p6_mob_load(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	const struct p6_effect *x = p->effect;
	bool is_held = ready_clk < t->addresses_clk && (x->store || !t->par.load_goes_ahead);
	uint64_t clk = p6_port_take(m, 2, is_held ? held_clk(t) : ready_clk), from;
	const struct p6_store *s = find_store(t, x, clk);

	from = clk + t->par.load_clk;
	if (s && x->is_forward) {
		is_held |= s->data_clk > clk;
		from = p6_later(clk, s->data_clk) + t->par.forward_clk;
	} else if (s) {
		is_held = true;
		clk = p6_port_take(m, 2, s->commit_clk + t->par.blocked_store_clk);
		from = clk + t->par.load_clk;
	}
	P6_RAISE_AT(m, MOB_LD_BLOCK, clk, is_held);
	if (t->watch)
		p6_stages_begin(m);
	t->why = is_held ? P6_WHY_STORE : x->lines | x->walks ? P6_WHY_LINE : P6_WHY_NONE;
	if (x->uc_reads && !p->is_again) { /* not before it is its turn to retire */
		clk = p6_later(clk, p6_later(t->retire_clk, t->commit_clk) + 1);
		from = p6_fill_uncached(m, x->uc_reads, clk);
	}
	if (x->is_split && !p->is_again)
		from += t->par.split_clk;
	if (x->lines | x->walks | x->l2_lines && !p->is_again)
		from = p6_later(from, p->step->is_prefetch ? prefetch(m, x, clk)
							   : p6_fill_data(m, x, clk));
	else if (clk < t->fills_clk && !p->step->is_prefetch)
		from = p6_later(from, p6_fill_wait(t, x, clk));
	if (t->watch && x->ticket)
		p6_stages_end(m, x->ticket, clk);
	*done_clk = from;
	return clk;
}

uint64_t p6_mob_address(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk,
			uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	const uint64_t clk = p6_port_take(m, 3, ready_clk);

	t->addresses_clk = p6_later(t->addresses_clk, clk + 1);
	*done_clk = clk + 1;
	return clk;
}

uint64_t p6_mob_data(struct p6 *m, const struct p6_pend *p, uint64_t ready_clk, uint64_t *done_clk)
{
	struct p6_time *t = &m->time;
	const uint64_t clk = p6_port_take(m, 4, ready_clk);

	t->store[t->store_at % P6_MAX_BUFFERS].data_clk = clk + 1;
	*done_clk = clk + 1;
	return clk;
}

void p6_mob_retire(struct p6 *m, const struct p6_pend *p, uint64_t retire_clk)
{
	struct p6_time *t = &m->time;
	const struct p6_effect *x = p->effect;
	const uint64_t turn_clk = p6_later(retire_clk + 1, t->commit_clk + 1);
	uint64_t clk = turn_clk;

	if (t->watch)
		p6_stages_begin(m);
	if (x->is_split)
		clk += t->par.split_clk;
	if (x->uc_writes)
		clk = p6_fill_uncached(m, x->uc_writes, clk);
	if (p->is_again ? x->upgrades && !(x->lines | x->walks) : x->lines | x->walks | x->upgrades)
		clk = p6_later(clk, p6_fill_data(m, x, retire_clk));
	else if (clk < t->fills_clk)
		clk = p6_later(clk, p6_fill_wait(t, x, clk));
	if (x->wc_lines | x->wc_parts)
		clk = p6_fill_past(m, x, clk);
	if (t->watch && x->ticket)
		p6_stages_end(m, x->ticket, turn_clk);
	t->store[t->store_at % P6_MAX_BUFFERS].commit_clk = clk;
	t->commit_clk = clk;
	t->store_at++;
	if (x->is_smc)
		p6_decode_clear(m, retire_clk);
}
