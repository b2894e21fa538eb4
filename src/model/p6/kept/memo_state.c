/* memo_state.c -- the machine between two blocks as bytes, and back.
 *
 * Clocks count from the clock in which rename takes its next group. Whoever compares a clock
 * compares it with one that is at least so late, so that those before are one value: 0. (Both buses
 * are no part of it: see time_key.c.) Room in a buffer whose next entry but j is wanted is asked
 * for at least j/3 clocks later (memo_rings.c). What lies in the station matters only if it can be
 * full before that is gone. x87 registers are numbered from the top of the stack.
 *
 * COUNTING RULES   equal bytes, equal futures: an entry is left out only where the comments of its
 *                  function say why.
 */
#include "model/p6/kept/memo.h"

#include <string.h>

#include "model/p6/clocks/templates.h"
#include "model/p6/p6.h"
#include "model/p6/kept/memo_bytes.h"
#include "model/p6/clocks/time_key.h"

/* ---- front end ------------------------------------------------------------------------------- */

/* How the next fetch block begins, when it is fresh. What decode.c makes of the groups and the cut
 * of a jump's fetch block are these three ways, one of them a clock later or not. */
enum fresh {
	NOT_FRESH,
	ALIGNED,
	AT_TARGET, /* and no clock is lost */
	/* aligned; or, when the first instruction is cut, at the target and a clock later */
	BY_TARGET,
};

/* *late: clocks by which it begins later than that. No instruction at the begin of a chunk is cut.
 */
static enum fresh fresh_of(const struct p6_front *f, uint64_t pc, unsigned *late)
{
	*late = 0;
	if (!f->is_fresh)
		return NOT_FRESH;
	if (!f->jump_groups)
		return f->starts_aligned ? ALIGNED : AT_TARGET;
	if (f->jump_groups > 2 || (f->jump_groups == 2 && !f->jump_is_cut))
		return AT_TARGET;
	*late = f->jump_groups == 1 && f->jump_is_cut;
	return pc & 15 ? BY_TARGET : ALIGNED;
}

/* The first byte: how the next fetch block begins, */
#define FRESH_BITS   2u
#define HAS_BRANCH   (1u << 2)
#define HAS_CHUNK    (1u << 3)
#define GROUPS_AT    4u /* two bits */
#define IS_RECOVERED (1u << 6)
#define HAS_QUEUE    (1u << 7)

/* Behind a jump nothing of the old fetch block counts but that. The next fetch block is the one
 * that the next instruction lies in; only whether its first chunk was asked for already must be
 * known of chunks. *at_clk receives the clock of the decoders as it is written. */
static struct writer put_front(struct writer w, const struct p6_time *t, uint64_t pc,
			       uint64_t *at_clk)
{
	const struct p6_front *f = &t->front;
	const struct p6_rename *r = &t->ren;
	const uint64_t jump = f->jump_clk + t->par.taken_clk;
	const unsigned n_queue = t->par.queue_uops;
	unsigned late;
	const enum fresh fresh = fresh_of(f, pc, &late);
	const uint64_t clk = f->clk + late,
		       first = clk + (fresh != NOT_FRESH); /* no group is decoded before that */
	/* decoding waits for these clocks, which never fall, so those before its own are past */
	const bool has_queue = r->queue[(r->queue_at - 1) % P6_MAX_QUEUE] > first;
	unsigned head = fresh | (r->recovered_clk == r->next_clk ? IS_RECOVERED : 0) |
			(has_queue ? HAS_QUEUE : 0);

	if (fresh == NOT_FRESH) {
		head |= (f->has_branch ? HAS_BRANCH : 0) |
			(f->chunk == (pc >> 4) + 1 ? HAS_CHUNK : 0) |
			(f->groups > 2 ? 3 : f->groups) << GROUPS_AT;
		put8(&w, head);
		w.far |= f->block_end - pc > 255 ? FAR : 0;
		put8(&w, (unsigned)(f->block_end - pc));
		put8(&w, f->slot);
	} else {
		put8(&w, head);
	}
	put8(&w, jump > first ? (unsigned)(jump - clk) : 0);
	put32(&w, (int64_t)(clk - r->next_clk));
	for (unsigned i = 0; has_queue && i < n_queue; i++) {
		const uint64_t room = r->queue[(r->queue_at + i - n_queue) % P6_MAX_QUEUE];

		if (room <= first)
			continue;
		put8(&w, i);
		put16(&w, behind(&w, room, clk));
	}
	if (has_queue)
		put8(&w, END);
	*at_clk = clk;
	return w;
}

static void get_front(const uint8_t **p, struct p6_time *t, uint64_t pc)
{
	struct p6_front *f = &t->front;
	const unsigned head = get8(p);
	const enum fresh fresh = head & ((1u << FRESH_BITS) - 1);
	unsigned jump;

	*f = (struct p6_front){.is_fresh = fresh != NOT_FRESH,
			       .starts_aligned = fresh == ALIGNED,
			       .jump_groups = fresh == BY_TARGET};
	if (fresh == NOT_FRESH) {
		f->block_end = pc + get8(p);
		f->block_begin = f->block_end - t->par.fetch_bytes;
		f->slot = (uint8_t)get8(p);
		f->has_branch = (head & HAS_BRANCH) != 0;
		f->groups = head >> GROUPS_AT & 3;
		f->chunk = head & HAS_CHUNK ? (pc >> 4) + 1 : 0;
	}
	jump = get8(p);
	f->clk = t->ren.next_clk + (uint64_t)(int64_t)get32(p);
	f->jump_clk = jump ? f->clk + jump - t->par.taken_clk : 0;
	t->ren.recovered_clk = head & IS_RECOVERED ? t->ren.next_clk : 0;
	t->ren.queue_at = t->par.queue_uops;
	memset(t->ren.queue, 0, t->par.queue_uops * sizeof(*t->ren.queue));
	for (unsigned i; head & HAS_QUEUE && (i = get8(p)) != END;)
		t->ren.queue[i] = f->clk + get16(p);
}

/* ---- the collected group --------------------------------------------------------------------- */

/* Results of the present instruction that collected micro-ops will ask for: so many of the last. */
static unsigned results_wanted(const struct p6_time *t)
{
	unsigned most = 0;

	for (unsigned i = 0; i < t->ren.n && !(t->ren.pend[i].uop->flags & P6_U_FIRST); i++) {
		const struct p6_uop *u = t->ren.pend[i].uop;

		for (unsigned k = 0; k < 2; k++)
			if (u->after[k] > i && u->after[k] - i <= t->n_done &&
			    u->after[k] - i > most)
				most = u->after[k] - i;
	}
	return most;
}

/* A collected micro-op's content stands above what else there is to say of it; its rest, if any, in
 * a byte. */
#define P_CODE 1u /* its access was no ordinary hit */
/* it cannot be renamed in the next clock; or how long a recovery held it is counted */
#define P_READY	     2u
#define P_REST	     4u
#define P_CONTENT_AT 3u
/* How many there are, and in the bits above how many results of the present instruction follow; all
 * set: their number does. */
#define N_DONE_AT 3u
#define MANY_DONE (0xffu >> N_DONE_AT)
_Static_assert(P6_MAX_GROUP < 1u << N_DONE_AT, "a group has room");

static struct writer put_pend(struct writer w, const struct p6_time *t, const struct p6_pend *p,
			      struct p6_reach *reach)
{
	const uint64_t base = t->ren.next_clk;
	const struct p6_effect *x = p->effect;
	const unsigned rest = p->is_taken | p->is_again << 1 | (unsigned)p->precision << 2 |
			      (unsigned)p->zero_rest << 4;
	const bool is_late = p->ready_clk > base || t->ren.recovered_clk == base;
	uint64_t back = 0;
	uint16_t code = 0;

	if (x != &p6_quiet) {
		back = x->lines ? t->recent.n_miss + 1 - x->miss : 0;
		if (!p6_effect_code(x, t->recent.n_miss, &code) || back >= P6_RECENT_MISSES ||
		    (x->fill && t->recent.n_miss + 1 - x->fill >= P6_RECENT_MISSES)) {
			w.far = FAR;
			return w;
		}
		reach->misses = back > reach->misses ? (uint8_t)back : reach->misses;
		reach->bus += (uint8_t)p6_bus_wanted(x) & 0x7f;
		reach->has_l2 |= x->lines || x->walks;
	}
	reach->stores += p->uop->flags & P6_U_LAST && p->step->n_store;
	put_number(&w, (uint64_t)p->uop->content << P_CONTENT_AT | (rest ? P_REST : 0) |
			   (is_late ? P_READY : 0) | (code | back ? P_CODE : 0));
	if (rest)
		put8(&w, rest);
	if (is_late)
		put32(&w, (int64_t)(p->ready_clk - base));
	if (code | back) {
		put16(&w, code);
		put8(&w, (unsigned)back);
	}
	return w;
}

/* Whose it is, for a ledger. */
static struct writer put_owner(struct writer w, const struct p6 *m, const struct p6_pend *p)
{
	const struct x86_block *b = p->block;

	if (!b || b->id >= x86_store_count(m->store) || x86_store_get(m->store, b->id) != b)
		w.far = FAR;
	put32(&w, b ? b->id : 0);
	put8(&w, p->insn);
	return w;
}

static struct writer put_collected(struct writer w, const struct p6 *m, struct p6_reach *reach)
{
	const struct p6_time *t = &m->time;
	const struct p6_rename *r = &t->ren;
	const unsigned n_done = results_wanted(t);

	put8(&w, r->n | (n_done < MANY_DONE ? n_done : MANY_DONE) << N_DONE_AT);
	if (n_done >= MANY_DONE)
		put8(&w, n_done);
	for (unsigned i = 0; i < r->n; i++)
		w = put_pend(m->ledger ? put_owner(w, m, &r->pend[i]) : w, t, &r->pend[i], reach);
	for (unsigned i = 1; i <= n_done; i++)
		put16(&w, behind(&w, t->done[t->n_done - i], first_clk(t)));
	return w;
}

static void get_pend(const uint8_t **p, struct p6 *m, uint64_t n_miss, unsigned i)
{
	struct p6_rename *r = &m->time.ren;
	const struct x86_block *const owner =
	    m->ledger ? x86_store_get(m->store, (uint32_t)get32(p)) : NULL;
	const uint8_t insn = m->ledger ? (uint8_t)get8(p) : 0;
	const uint64_t head = get_number(p);
	const struct p6_content *content =
	    p6_templates_content(m->time.templates, (uint32_t)(head >> P_CONTENT_AT));
	const unsigned rest = head & P_REST ? get8(p) : 0;
	const uint64_t ready = r->next_clk + (head & P_READY ? (uint64_t)(int64_t)get32(p) : 0);

	r->pend[i] = (struct p6_pend){.uop = &content->uop,
				      .step = &content->step,
				      .block = owner,
				      .insn = insn,
				      .ready_clk = ready,
				      .effect = &p6_quiet,
				      .is_taken = rest & 1,
				      .is_again = rest >> 1 & 1,
				      .precision = rest >> 2 & 3,
				      .zero_rest = (uint8_t)(rest >> 4)};
	if (head & P_CODE) {
		const uint16_t code = (uint16_t)get16(p);
		const unsigned back = get8(p);

		r->kept_effect[i] = p6_effect_of_code(code, n_miss);
		r->kept_effect[i].miss = back ? n_miss + 1 - back : 0;
		r->pend[i].effect = &r->kept_effect[i];
	}
}

static void get_collected(const uint8_t **p, struct p6 *m, uint64_t n_miss)
{
	struct p6_time *t = &m->time;
	const unsigned n = get8(p);

	t->ren.n = n & ((1u << N_DONE_AT) - 1);
	t->n_done = n >> N_DONE_AT == MANY_DONE ? get8(p) : n >> N_DONE_AT;
	for (unsigned i = 0; i < t->ren.n; i++)
		get_pend(p, m, n_miss, i);
	for (unsigned i = 1; i <= t->n_done; i++)
		t->done[t->n_done - i] = clock_of(get16(p), first_clk(t));
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* A store is in nobody's way when it has committed; they do so in order. */
static struct writer put_stores(struct writer w, const struct p6_time *t, struct p6_reach *reach)
{
	const uint64_t base = t->ren.next_clk, first = first_clk(t);
	unsigned late = 0;

	for (unsigned back = 1; back <= t->par.store_buffers; back++) {
		const struct p6_store *s = &t->store[(t->store_at - back) % P6_MAX_BUFFERS];

		if (s->commit_clk < base)
			break;
		put_two(&w, behind(&w, s->commit_clk + 1, base), behind(&w, s->data_clk, first));
		late += s->commit_clk > base;
	}
	reach->stores = (uint8_t)(reach->stores + late);
	put16(&w, 0);
	/* the data of a store whose address is still collected */
	put_two(&w, behind(&w, t->store[t->store_at % P6_MAX_BUFFERS].data_clk, first),
		behind(&w, t->addresses_clk, first));
	return w;
}

static void get_stores(const uint8_t **p, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	unsigned v;

	memset(t->store, 0, sizeof(t->store));
	t->store_at = P6_MAX_BUFFERS;
	t->commit_clk = 0;
	for (unsigned back = 1; (v = get16(p)) != 0; back++) {
		struct p6_store *s = &t->store[P6_MAX_BUFFERS - back];

		s->commit_clk = base + v - 1;
		s->data_clk = clock_of(get16(p), first_clk(t));
		if (back == 1)
			t->commit_clk = s->commit_clk;
	}
	t->store[0].data_clk = clock_of(get16(p), first_clk(t));
	t->addresses_clk = clock_of(get16(p), first_clk(t));
}

/* Fill buffers that are not free in time, by their misses: their numbers. Returns how many. */
static inline unsigned busy_fills(const struct p6_time *t, uint8_t *number)
{
	const uint64_t from = t->ren.next_clk + 1;
	unsigned n = 0;

	for (unsigned i = 0; i < t->par.fill_buffers; i++) {
		const struct p6_fill *f = &t->fill[i];
		unsigned k = n;

		if (f->done_clk <= from)
			continue;
		for (; k; k--) {
			const struct p6_fill *g = &t->fill[number[k - 1]];

			if (g->miss < f->miss || (g->miss == f->miss && g->done_clk <= f->done_clk))
				break;
			number[k] = number[k - 1];
		}
		number[k] = (uint8_t)i;
		n++;
	}
	return n;
}

/* Those that are free again are alike. */
static struct writer put_fills(struct writer w, const struct p6_time *t, struct p6_reach *reach)
{
	const uint64_t base = t->ren.next_clk;
	uint8_t number[P6_MAX_BUFFERS];
	const unsigned n = t->fills_clk > base + 1 ? busy_fills(t, number) : 0;

	for (unsigned i = 0; i < n; i++) {
		const struct p6_fill *f = &t->fill[number[i]];
		uint64_t back = t->recent.n_miss + 1 - f->miss;

		if (back >= P6_RECENT_MISSES) /* nobody will find it */
			back = 0;
		put_two(&w, behind(&w, f->done_clk, base + 1), behind(&w, f->ready_clk, base + 1));
		put8(&w, (unsigned)back);
		reach->misses = back > reach->misses ? (uint8_t)back : reach->misses;
	}
	put16(&w, 0);
	return w;
}

static void get_fills(const uint8_t **p, struct p6_time *t, uint64_t n_miss)
{
	const uint64_t base = t->ren.next_clk;
	unsigned v;

	memset(t->fill, 0, t->par.fill_buffers * sizeof(*t->fill));
	t->fills_clk = 0;
	for (unsigned i = 0; (v = get16(p)) != 0; i++) {
		struct p6_fill *f = &t->fill[i];

		f->done_clk = base + 1 + v;
		f->ready_clk = clock_of(get16(p), base + 1);
		v = get8(p);
		f->miss = v ? n_miss + 1 - v : 0;
		t->fills_clk = p6_later(t->fills_clk, f->done_clk);
	}
}

/* ---- what an RDPMC asks of all this ---------------------------------------------------------- */

/* Micro-ops that wait, the last first, and what their lines are. It reads later than anything that
 * can be dispatched now. */
static void put_readable(struct writer *w, const struct p6_time *t)
{
	uint8_t number[P6_MAX_BUFFERS], *n = w->at;
	const unsigned n_fill = busy_fills(t, number);

	put8(w, 0);
	for (unsigned j = 0; j < t->n_readable; j++) {
		const unsigned clk =
		    behind(w, t->exec[(t->rob_at - 1 - j) % P6_MAX_ROB], first_clk(t));

		if (!clk)
			continue;
		put8(w, j);
		put16(w, clk);
		++*n;
	}
	for (unsigned i = 0; i < n_fill; i++) {
		const struct p6_fill *f = &t->fill[number[i]];

		put8(w, f->what);
		put16(w, f->what ? behind(w, f->from_clk, first_clk(t)) : 0);
		put16(w, f->what & P6_FILL_MEMORY ? behind(w, f->request_clk, first_clk(t)) : 0);
	}
}

/* Behind get_fills(). */
static void get_readable(const uint8_t **p, struct p6_time *t)
{
	memset(t->exec, 0, sizeof(t->exec));
	for (unsigned n = get8(p); n; n--) {
		const unsigned j = get8(p);

		t->exec[(t->rob_at - 1 - j) % P6_MAX_ROB] = clock_of(get16(p), first_clk(t));
	}
	for (unsigned i = 0; i < t->par.fill_buffers && t->fill[i].done_clk; i++) {
		t->fill[i].what = (uint8_t)get8(p);
		t->fill[i].from_clk = clock_of(get16(p), first_clk(t));
		t->fill[i].request_clk = clock_of(get16(p), first_clk(t));
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

unsigned p6_state_pack(struct p6 *m, uint64_t pc, uint8_t *bytes, struct p6_reach *reach)
{
	struct p6_time *t = &m->time;
	struct writer w = {bytes, 0};
	unsigned retire;
	uint64_t front_clk;

	*reach = (struct p6_reach){0};
	if (t->rs_last > t->ren.next_clk + P6_STATION_CLKS - 2)
		return 0;
	w = put_front(w, t, pc, &front_clk);
	reach->front_lag = t->ren.next_clk <= front_clk ? 0
			   : t->ren.next_clk - front_clk < 255
			       ? (uint8_t)(t->ren.next_clk - front_clk)
			       : 255;
	w = put_collected(w, m, reach);
	if (w.far == FAR)
		return 0;
	w = p6_regs_put(w, t);
	w = p6_rings_put(w, t);
	w = put_stores(w, t, reach);
	w = put_fills(w, t, reach);
	/* only what retires in the same clock is counted */
	retire = behind(&w, t->retire_clk + 1, t->ren.next_clk);
	put16(&w, retire);
	put8(&w, retire ? t->retired : 0);
	w = p6_ports_put(w, t);
	if (t->n_readable)
		put_readable(&w, t);
	return w.far > UINT16_MAX ? 0 : (unsigned)(w.at - bytes);
}

void p6_state_unpack(struct p6 *m, uint64_t pc, uint64_t n_miss, const uint8_t *bytes)
{
	struct p6_time *t = &m->time;
	const uint8_t *p = bytes;

	get_front(&p, t, pc);
	get_collected(&p, m, n_miss);
	p6_regs_get(&p, t);
	p6_rings_get(&p, t);
	get_stores(&p, t);
	get_fills(&p, t, n_miss);
	get16(&p); /* its clock is right */
	t->retired = (uint8_t)get8(&p);
	p6_ports_get(&p, t);
	if (t->n_readable)
		get_readable(&p, t);
}
