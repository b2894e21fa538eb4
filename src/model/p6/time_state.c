/* time_state.c -- the machine between two blocks as bytes, and back.
 *
 * Clocks count from the clock in which rename takes its next group. Whoever compares a clock compares it with one that is at
 * least so late, so that those before are one value: 0. (Both buses are no part of it: see time_key.c.) Room in a buffer whose next entry but j is wanted is asked for at
 * least j/3 clocks later. What lies in the station matters only if it can be full before that is gone. x87 registers
 * are numbered from the top of the stack.
 *
 * COUNTING RULES   equal bytes, equal futures: an entry is left out only where the comments of its function say why.
 */
#include "model/p6/time_memo.h"

#include <emmintrin.h>
#include <string.h>

#include "model/p6/book.h"
#include "model/p6/p6.h"
#include "model/p6/time_bytes.h"
#include "model/p6/time_key.h"

/* ---- front end ----------------------------------------------------------------------------------------- */

/* How the next fetch block begins, when it is fresh. What decode.c makes of the groups and the cut of a jump's fetch block are
 * these three ways, one of them a clock later or not. */
enum fresh {
	NOT_FRESH,
	ALIGNED,
	AT_TARGET, /* and no clock is lost */
	BY_TARGET, /* aligned; or, when the first instruction is cut, at the target and a clock later */
};

/* *late: clocks by which it begins later than that. No instruction at the begin of a chunk is cut. */
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

/* Behind a jump nothing of the old fetch block counts but that. The next fetch block is the one that the next instruction lies
 * in; only whether its first chunk was asked for already must be known of chunks. Returns the clock of the decoders as it is
 * written. */
static uint64_t put_front(struct writer *w, const struct p6_time *t, uint64_t pc)
{
	const struct p6_front *f = &t->front;
	const uint64_t jump = f->jump_clk + t->par.taken_clk;
	unsigned late;
	const enum fresh fresh = fresh_of(f, pc, &late);
	const uint64_t clk = f->clk + late, first = clk + (fresh != NOT_FRESH); /* no group is decoded before that */

	put8(w, fresh);
	if (fresh == NOT_FRESH) {
		w->is_far |= f->block_end - pc > 255;
		put8(w, (unsigned)(f->block_end - pc));
		put8(w, f->slot);
		put8(w, f->has_branch);
		put8(w, f->groups > 2 ? 3 : f->groups);
		put8(w, f->chunk == (pc >> 4) + 1);
	}
	put8(w, jump > first ? (unsigned)(jump - clk) : 0);
	put32(w, (int64_t)(clk - t->ren.next_clk));
	put8(w, t->ren.recovered_clk == t->ren.next_clk);
	/* the queue: decoding waits for these clocks, so those before its own are past */
	for (unsigned i = 0; i < t->par.queue_uops; i++) {
		const uint64_t room = t->ren.queue[(t->ren.queue_at + i - t->par.queue_uops) % P6_MAX_QUEUE];

		if (room <= first)
			continue;
		put8(w, i);
		put16(w, behind(w, room, clk));
	}
	put8(w, END);
	return clk;
}

static void get_front(const uint8_t **p, struct p6_time *t, uint64_t pc)
{
	struct p6_front *f = &t->front;
	const enum fresh fresh = get8(p);
	unsigned jump;

	*f = (struct p6_front){.is_fresh = fresh != NOT_FRESH, .starts_aligned = fresh == ALIGNED, .jump_groups = fresh == BY_TARGET};
	if (fresh == NOT_FRESH) {
		f->block_end = pc + get8(p);
		f->block_begin = f->block_end - t->par.fetch_bytes;
		f->slot = (uint8_t)get8(p);
		f->has_branch = get8(p) != 0;
		f->groups = get8(p);
		f->chunk = get8(p) ? (pc >> 4) + 1 : 0;
	}
	jump = get8(p);
	f->clk = t->ren.next_clk + (uint64_t)(int64_t)get32(p);
	f->jump_clk = jump ? f->clk + jump - t->par.taken_clk : 0;
	t->ren.recovered_clk = get8(p) ? t->ren.next_clk : 0;
	t->ren.queue_at = t->par.queue_uops;
	memset(t->ren.queue, 0, sizeof(t->ren.queue));
	for (unsigned i; (i = get8(p)) != END;)
		t->ren.queue[i] = f->clk + get16(p);
}

/* ---- the collected group --------------------------------------------------------------------------------- */

/* Results of the present instruction that collected micro-ops will ask for: so many of the last. */
static unsigned results_wanted(const struct p6_time *t)
{
	unsigned most = 0;

	for (unsigned i = 0; i < t->ren.n && !(t->ren.pend[i].uop->flags & P6_U_FIRST); i++) {
		const struct p6_uop *u = t->ren.pend[i].uop;

		for (unsigned k = 0; k < 2; k++)
			if (u->after[k] > i && u->after[k] - i <= t->n_done && u->after[k] - i > most)
				most = u->after[k] - i;
	}
	return most;
}

static void put_collected(struct writer *w, const struct p6_time *t, struct p6_reach *reach)
{
	const struct p6_rename *r = &t->ren;
	const uint64_t base = r->next_clk;
	const unsigned n_done = results_wanted(t);

	put8(w, r->n);
	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_pend *p = &r->pend[i];
		const struct p6_touch *x = p->touch;
		const uint64_t back = x->lines ? t->near.n_miss + 1 - x->miss : 0;
		uint16_t code = 0;

		if (x != &p6_quiet &&
		    (!p6_touch_code(x, t->near.n_miss, &code) || back >= P6_RECENT_MISSES ||
		     (x->fill && t->near.n_miss + 1 - x->fill >= P6_RECENT_MISSES))) {
			w->is_far = true;
			return;
		}
		put32(w, (int64_t)p->uop->content);
		/* what is ready waits for rename alone; but how long a recovery held it is counted */
		if (p->ready_clk > base || r->recovered_clk == base)
			put32(w, (int64_t)(p->ready_clk - base));
		else
			put32(w, 0);
		put16(w, code);
		put8(w, p->is_taken | p->is_again << 1 | (unsigned)p->precision << 2 | (unsigned)p->zero_rest << 4);
		put8(w, (unsigned)back);
		reach->misses = back > reach->misses ? (uint8_t)back : reach->misses;
		reach->stores += p->uop->flags & P6_U_LAST && p->step->n_store;
		if (x == &p6_quiet)
			continue;
		reach->bus += (uint8_t)p6_bus_wanted(x) & 0x7f;
		reach->has_l2 |= x->lines || x->walks;
	}
	put8(w, n_done);
	for (unsigned i = 1; i <= n_done; i++)
		put16(w, behind(w, t->done[t->n_done - i], first_clk(t)));
}

static void get_collected(const uint8_t **p, struct p6 *m, uint64_t n_miss)
{
	struct p6_time *t = &m->time;
	struct p6_rename *r = &t->ren;

	r->n = get8(p);
	for (unsigned i = 0; i < r->n; i++) {
		const struct p6_content *content = p6_book_content(t->book, (uint32_t)get32(p));
		const uint64_t ready = r->next_clk + (uint64_t)(int64_t)get32(p);
		const uint16_t code = (uint16_t)get16(p);
		const unsigned flags = get8(p), back = get8(p);

		if (code | back) {
			r->kept_touch[i] = p6_touch_of_code(code, n_miss);
			r->kept_touch[i].miss = back ? n_miss + 1 - back : 0;
		}
		r->pend[i] = (struct p6_pend){.uop = &content->uop,
					      .step = &content->step,
					      .ready_clk = ready,
					      .touch = code | back ? &r->kept_touch[i] : &p6_quiet,
					      .is_taken = flags & 1,
					      .is_again = flags >> 1 & 1,
					      .precision = flags >> 2 & 3,
					      .zero_rest = (uint8_t)(flags >> 4)};
	}
	t->n_done = get8(p);
	for (unsigned i = 1; i <= t->n_done; i++)
		t->done[t->n_done - i] = clock_of(get16(p), first_clk(t));
}

/* ---- registers --------------------------------------------------------------------------------------------- */

static unsigned physical(const struct p6_time *t, unsigned r)
{
	return r - P6_R_X87 < 8u ? P6_R_X87 + (unsigned)t->x87[(t->x87_top + r - P6_R_X87) & 7] : r;
}

/* A part counts as long as its writer has not retired, unless the rest of its register is known to be 0. */
static void put_parts(struct writer *w, const struct p6_time *t)
{
	for (unsigned left = t->cut_parts; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		const struct p6_part_state *p = &t->part[i];
		const unsigned clk = p->has_zero_rest ? 0 : behind(w, p->retire_clk + t->par.partial_clk, t->ren.next_clk);

		if (!clk)
			continue;
		put8(w, i);
		put8(w, p->bytes | p->is_high << 4);
		put16(w, clk);
	}
	put8(w, END);
}

static void get_parts(const uint8_t **p, struct p6_time *t)
{
	unsigned i, v;

	for (unsigned left = t->cut_parts; left; left &= left - 1)
		t->part[__builtin_ctz(left)] = (struct p6_part_state){.bytes = 4};
	t->cut_parts = 0;
	while ((i = get8(p)) != END) {
		v = get8(p);
		t->part[i] = (struct p6_part_state){.bytes = v & 15, .is_high = v >> 4};
		t->part[i].retire_clk = t->ren.next_clk + get16(p) - t->par.partial_clk;
		t->cut_parts |= 1u << i;
	}
}

/* What wrote all flags, and what has retired long ago, is in nobody's way. */
static void put_flags(struct writer *w, const struct p6_time *t)
{
	const struct p6_flag_state *f = &t->flags;
	const unsigned clk = f->written == P6_F_ALL ? 0 : behind(w, f->retire_clk + t->par.partial_clk, t->ren.next_clk);

	put16(w, clk);
	if (clk)
		put8(w, f->written);
}

static void get_flags(const uint8_t **p, struct p6_time *t)
{
	const unsigned clk = get16(p);

	t->flags = (struct p6_flag_state){.written = P6_F_ALL};
	if (clk)
		t->flags = (struct p6_flag_state){t->ren.next_clk + clk - t->par.partial_clk, (uint8_t)get8(p)};
}

/* Register s has number r. false: it is ready by clock `first`, and its writer has retired by clock `base`. */
static inline bool put_register(struct writer *w, unsigned r, const struct p6_reg_state *s, uint64_t first, uint64_t base)
{
	if (s->ready_clk <= first && s->retire_clk <= base)
		return false;
	put8(w, r);
	put16(w, behind(w, s->ready_clk, first));
	put16(w, behind(w, s->retire_clk, base));
	return true;
}

/* Who is not late is not so later either. */
static void put_registers(struct writer *w, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk, first = first_clk(t), x87 = 0xffull << P6_R_X87;

	for (uint64_t left = t->late_regs & ~x87; left; left &= left - 1) {
		const unsigned r = (unsigned)__builtin_ctzll(left);

		if (!put_register(w, r, &t->reg[r], first, base))
			t->late_regs &= ~(1ull << r);
	}
	/* by number from the top of the stack */
	for (unsigned r = P6_R_X87; t->late_regs & x87 && r < P6_R_X87 + 8; r++)
		if (!put_register(w, r, &t->reg[physical(t, r)], first, base))
			t->late_regs &= ~(1ull << physical(t, r));
	put8(w, END);
	put_parts(w, t);
	put_flags(w, t);
	for (unsigned i = 0; i < 4; i++) {
		if (t->seg_clk[i] < base)
			continue;
		put8(w, i);
		put16(w, behind(w, t->seg_clk[i] + 1, base));
	}
	put8(w, END);
}

static void get_registers(const uint8_t **p, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	unsigned r;

	for (; t->late_regs; t->late_regs &= t->late_regs - 1)
		t->reg[__builtin_ctzll(t->late_regs)] = (struct p6_reg_state){0, 0};
	for (r = 0; r < 8; r++)
		t->x87[r] = (uint8_t)r;
	t->x87_top = 0;
	while ((r = get8(p)) != END) {
		t->reg[r].ready_clk = clock_of(get16(p), first_clk(t));
		t->reg[r].retire_clk = clock_of(get16(p), base);
		t->late_regs |= 1ull << r;
	}
	get_parts(p, t);
	get_flags(p, t);
	memset(t->seg_clk, 0, sizeof(t->seg_clk));
	while ((r = get8(p)) != END)
		t->seg_clk[r] = base + get16(p) - 1;
}

/* ---- buffers ------------------------------------------------------------------------------------------------ */

#define UNASKED 0xfeu /* an entry of a ring for which nobody asks */
#define WIDER	0xfdu /* two bytes follow */

static unsigned get_wide(const uint8_t **p)
{
	const unsigned high = get8(p);

	return high << 8 | get8(p);
}

/* Do four entries lie before clock `base`? No clock has its highest bit. */
static inline bool are_past(const uint64_t *entry, uint64_t base)
{
	const __m128i from = _mm_set1_epi64x((int64_t)base);
	const __m128i a =
	    _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(const void *)entry), from);
	const __m128i b =
	    _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(const void *)(entry + 2)), from);

	return _mm_movemask_pd(_mm_castsi128_pd(_mm_and_si128(a, b))) == 3;
}

/* How many of n entries of a ring from number `at` on are free at clock `base`, up to the first that is not. */
static inline unsigned past_in_ring(const uint64_t *ring, unsigned size, uint32_t at, unsigned n,
				    uint64_t base)
{
	unsigned j = 0;

	while (j + 4 <= n && ((at + j) & (size - 1)) + 4 <= size &&
	       are_past(&ring[(at + j) & (size - 1)], base))
		j += 4;
	while (j < n && ring[(at + j) & (size - 1)] < base)
		j++;
	return j;
}

/* A ring of n clocks at which entries are free, the oldest first: see the top of the file. They grow: each is told by how much, behind the
 * number of those that are free already.
 * kept: those that are not free at that clock are needed in any case. */
static struct writer put_ring(struct writer w, const struct p6_time *t, const uint64_t *ring,
			      unsigned size, uint32_t at, unsigned n, uint64_t kept)
{
	const unsigned per_clk = t->par.rename_uops;
	const uint64_t base = t->ren.next_clk;
	uint64_t told = base, wanted;
	uint8_t *to = w.at, *end = to;
	unsigned j = past_in_ring(ring, size, at - n, n, base), phase;

	*to++ = (uint8_t)j;
	wanted = base + j / per_clk;
	phase = j % per_clk;
	for (; j < n; j++) {
		const uint64_t clk = ring[(at + j - n) & (size - 1)] + 1, by = clk - told;
		const bool is_asked = clk > wanted || clk > kept;

		if (++phase == per_clk) {
			phase = 0;
			wanted++;
		}
		if (!is_asked) {
			*to++ = UNASKED;
			continue;
		}
		if (__builtin_expect(by >= WIDER, 0)) {
			w.is_far |= by > UINT16_MAX;
			*to++ = WIDER;
			*to++ = (uint8_t)(by >> 8);
		}
		*to++ = (uint8_t)by;
		told = clk;
		end = to;
	}
	*end++ = END; /* behind the last that somebody asks for */
	w.at = end;
	return w;
}

static void get_ring(const uint8_t **p, const struct p6_time *t, uint64_t *ring, uint32_t *at,
		     unsigned n)
{
	uint64_t told = t->ren.next_clk;
	unsigned v;

	memset(ring, 0, n * sizeof(*ring));
	*at = n;
	v = get8(p);
	if (v == END)
		return;
	for (unsigned j = v; (v = get8(p)) != END; j++) {
		if (v == UNASKED)
			continue;
		told += v == WIDER ? get_wide(p) : v;
		ring[j] = told - 1;
	}
}

#define LEAVING_BITS 3u
#define MOST_LEAVING 7u

/* n (1 or more) leave the station `by` clocks behind those before, in one byte or four. */
static void put_leaving(struct writer *w, unsigned by, unsigned n)
{
	if (by < LONG >> LEAVING_BITS && n <= MOST_LEAVING) {
		put8(w, by << LEAVING_BITS | n);
		return;
	}
	put8(w, LONG);
	put8(w, by >> 8);
	put8(w, by);
	put8(w, n);
}

/* Clocks from clk on in which nobody is dispatched, up to 7 of them. */
static inline unsigned idle_clks(const struct p6_time *t, uint64_t clk)
{
	const unsigned at = clk % P6_STATION_CLKS;
	uint64_t next;

	if (at > P6_STATION_CLKS - sizeof(next))
		return 0;
	memcpy(&next, &t->rs_leaving[at], sizeof(next));
	return next ? (unsigned)__builtin_ctzll(next) / 8 : sizeof(next) - 1;
}

/* Micro-ops that are dispatched in the next clocks, one number per clock. With three renamed a clock and none of them
 * dispatched, the station is not full before clock g: who is gone by then is left out. */
static void put_station(struct writer *w, const struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	const unsigned per_clk = t->par.rename_uops, rs = t->par.rs;
	unsigned left = t->rs_used, g = 0, told = 0;

	for (uint64_t clk = t->rs_clk; clk < base && clk <= t->rs_last; clk++)
		left -= t->rs_leaving[clk % P6_STATION_CLKS];
	while (left && per_clk * (g + 1) + left <= rs)
		left -= t->rs_leaving[(base + g++) % P6_STATION_CLKS];
	for (; left; g++) {
		unsigned n;

		g += idle_clks(t, base + g);
		n = t->rs_leaving[(base + g) % P6_STATION_CLKS];
		if (!n)
			continue;
		w->is_far |= g >= P6_STATION_CLKS - 2;
		put_leaving(w, g - told, n);
		told = g;
		left -= n;
	}
	put8(w, 0);
}

static void get_station(const uint8_t **p, struct p6_time *t)
{
	unsigned v;

	for (uint64_t clk = t->rs_clk; clk <= t->rs_last; clk++)
		t->rs_leaving[clk % P6_STATION_CLKS] = 0;
	t->rs_clk = t->rs_last = t->ren.next_clk;
	t->rs_used = 0;
	while ((v = get8(p)) != 0) {
		const unsigned by = v == LONG ? get_wide(p) : v >> LEAVING_BITS;
		const unsigned n = v == LONG ? get8(p) : v & MOST_LEAVING;

		t->rs_last += by;
		t->rs_leaving[t->rs_last % P6_STATION_CLKS] = (uint8_t)n;
		t->rs_used += n;
	}
}

/* A store is in nobody's way when it has committed; they do so in order. */
static void put_stores(struct writer *w, const struct p6_time *t, struct p6_reach *reach)
{
	const uint64_t base = t->ren.next_clk;

	for (unsigned back = 1; back <= t->par.store_buffers; back++) {
		const struct p6_store *s = &t->store[(t->store_at - back) % P6_MAX_BUFFERS];

		if (s->commit_clk < base)
			break;
		put16(w, behind(w, s->commit_clk + 1, base));
		put16(w, behind(w, s->data_clk, first_clk(t)));
		reach->stores += s->commit_clk > base;
	}
	put16(w, 0);
	/* the data of a store whose address is still collected */
	put16(w, behind(w, t->store[t->store_at % P6_MAX_BUFFERS].data_clk, first_clk(t)));
	put16(w, behind(w, t->addresses_clk, first_clk(t)));
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

/* The fill buffer of the oldest miss that is not free in time and not one of *used; it is, then. NULL: there is none. */
static const struct p6_fill *next_fill(const struct p6_time *t, uint32_t *used)
{
	const struct p6_fill *f = NULL;

	for (unsigned i = 0; i < t->par.fill_buffers; i++) {
		const struct p6_fill *g = &t->fill[i];

		if (g->done_clk > t->ren.next_clk + 1 && !(*used >> i & 1) &&
		    (!f || g->miss < f->miss || (g->miss == f->miss && g->done_clk < f->done_clk)))
			f = g;
	}
	if (f)
		*used |= 1u << (f - t->fill);
	return f;
}

/* Fill buffers, by their misses; those that are free again are alike. */
static void put_fills(struct writer *w, const struct p6_time *t, struct p6_reach *reach)
{
	const uint64_t base = t->ren.next_clk;
	const struct p6_fill *f;
	uint32_t used = 0;

	while (t->fills_clk > base + 1 && (f = next_fill(t, &used)) != NULL) {
		uint64_t back = t->near.n_miss + 1 - f->miss;

		if (back >= P6_RECENT_MISSES) /* nobody will find it */
			back = 0;
		put16(w, behind(w, f->done_clk, base + 1));
		put16(w, behind(w, f->ready_clk, base + 1));
		put8(w, (unsigned)back);
		reach->misses = back > reach->misses ? (uint8_t)back : reach->misses;
	}
	put16(w, 0);
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

/* ---- what an RDPMC asks of all this ------------------------------------------------------------------------------ */

/* Micro-ops that wait, the last first, and what their lines are. It reads later than anything that can be dispatched now. */
static void put_readable(struct writer *w, const struct p6_time *t)
{
	uint8_t *n = w->at;
	const struct p6_fill *f;
	uint32_t used = 0;

	put8(w, 0);
	for (unsigned j = 0; j < t->n_readable; j++) {
		const unsigned clk = behind(w, t->exec[(t->rob_at - 1 - j) % P6_MAX_ROB], first_clk(t));

		if (!clk)
			continue;
		put8(w, j);
		put16(w, clk);
		++*n;
	}
	while ((f = next_fill(t, &used)) != NULL) {
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

/* ---- all of it -------------------------------------------------------------------------------------------------- */

unsigned p6_state_pack(struct p6 *m, uint64_t pc, uint8_t *bytes, struct p6_reach *reach)
{
	struct p6_time *t = &m->time;
	struct writer w = {bytes, false};
	unsigned retire;
	uint64_t front_clk;

	*reach = (struct p6_reach){0};
	if (t->rs_last > t->ren.next_clk + P6_STATION_CLKS - 2)
		return 0;
	front_clk = put_front(&w, t, pc);
	reach->front_lag = t->ren.next_clk <= front_clk	       ? 0
			   : t->ren.next_clk - front_clk < 255 ? (uint8_t)(t->ren.next_clk - front_clk)
							       : 255;
	put_collected(&w, t, reach);
	if (w.is_far)
		return 0;
	put_registers(&w, t);
	w = put_ring(w, t, t->rob, P6_MAX_ROB, t->rob_at, t->par.rob, first_clk(t) + 1); /* RDPMC asks who has retired */
	w = put_ring(w, t, t->load, P6_MAX_BUFFERS, t->load_at, t->par.load_buffers, P6_NO_KEY);
	put_stores(&w, t, reach);
	put_fills(&w, t, reach);
	/* only what retires in the same clock is counted */
	retire = behind(&w, t->retire_clk + 1, t->ren.next_clk);
	put16(&w, retire);
	put8(&w, retire ? t->retired : 0);
	put_station(&w, t);
	w = p6_ports_put(w, t);
	if (t->n_readable)
		put_readable(&w, t);
	return w.is_far ? 0 : (unsigned)(w.at - bytes);
}

void p6_state_unpack(struct p6 *m, uint64_t pc, uint64_t n_miss, const uint8_t *bytes)
{
	struct p6_time *t = &m->time;
	const uint8_t *p = bytes;

	get_front(&p, t, pc);
	get_collected(&p, m, n_miss);
	get_registers(&p, t);
	get_ring(&p, t, t->rob, &t->rob_at, t->par.rob);
	get_ring(&p, t, t->load, &t->load_at, t->par.load_buffers);
	get_stores(&p, t);
	get_fills(&p, t, n_miss);
	get16(&p); /* its clock is right */
	t->retired = (uint8_t)get8(&p);
	get_station(&p, t);
	p6_ports_get(&p, t);
	if (t->n_readable)
		get_readable(&p, t);
}
