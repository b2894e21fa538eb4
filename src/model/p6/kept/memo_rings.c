/* memo_rings.c -- reorder buffer, load buffers and reservation station as bytes of a state, and
 * back.
 *
 * Entries are freed in program order, so that the clocks of a ring never fall. Rename takes so many
 * micro-ops a clock: who has to wait longer for the entry of an older one will not ask whether his
 * own is free.
 *
 * COUNTING RULES   as memo_state.c: an entry is left out when it is free before anybody can ask for
 *                  it.
 */
#include "model/p6/kept/memo_bytes.h"

#include <emmintrin.h>

/* ---- entries that somebody waits for --------------------------------------------------------- */

/* In front of an entry that is not the next one, how many are left out (less than 128), and its
 * clock in two bytes. */
#define GAP  0x80u
#define MANY 4u /* groups that are looked at together while nothing is told */

/* The entries up to number n, from the oldest on, as long as they are free at clock `kept`: of
 * those that can hold rename, by how much they are later than the one before, to a 0. *next
 * receives the first behind them.
 *
 * The micro-op that wants entry j is renamed (j - i) / per_clk clocks, rounded down, behind that of
 * entry i, or later. */
static inline struct writer put_asked(struct writer w, unsigned per_clk, const uint64_t *ring,
				      unsigned size, uint32_t at, unsigned n, uint64_t base,
				      uint64_t kept, unsigned *next)
{
	const unsigned mask = size - 1;
	uint64_t wanted = base, told = base;
	unsigned j = 0, left = per_clk, from = 0;

	while (j + MANY * per_clk <= n &&
	       ring[(at + j + MANY * per_clk - 1) & mask] < (wanted < kept ? wanted : kept)) {
		j += MANY * per_clk;
		wanted += MANY;
	}
	for (;;) {
		uint64_t clk;

		/* all of them, when the last is */
		while (j + per_clk <= n &&
		       ring[(at + j + per_clk - 1) & mask] < (wanted < kept ? wanted : kept)) {
			j += per_clk;
			wanted++;
		}
		if (j == n)
			break;
		clk = ring[(at + j) & mask] + 1;
		if (clk > kept)
			break;
		if (clk > wanted) {
			const uint64_t by = clk - told;

			if (j == from && by < GAP) {
				put8(&w, (unsigned)by);
			} else {
				w.far |= by;
				put8(&w, GAP | (j - from));
				put16(&w, (unsigned)by);
			}
			told = wanted = clk;
			left = per_clk;
			from = j + 1;
		}
		j++;
		if (!--left) {
			left = per_clk;
			wanted++;
		}
	}
	put8(&w, 0);
	*next = j;
	return w;
}

/* Back to `ring`, whose oldest entry is number 0: those left out are free when the one before is.
 * Returns the number of the first behind those told; *last: clock of the last of them. */
static inline unsigned get_asked(const uint8_t **p, uint64_t *ring, uint64_t base, uint64_t *last)
{
	uint64_t told = base;
	unsigned j = 0, v;

	*last = 0;
	while ((v = get8(p)) != 0) {
		if (v & GAP) {
			for (unsigned n = v & ~GAP; n; n--)
				ring[j++] = *last;
			v = get16(p);
		}
		told += v;
		ring[j++] = *last = told - 1;
	}
	return j;
}

/* ---- entries that must be known -------------------------------------------------------------- */

/* entries: a byte says of each whether it is 1 clock later than the one before, or more */
#define AT_ONCE 4u

/* n entries from number `at` on, and behind them some that mean nothing, in a row. */
static inline const uint64_t *in_a_row(const uint64_t *ring, unsigned size, uint32_t at, unsigned n,
				       uint64_t *row)
{
	const unsigned first = at & (size - 1), to_end = size - first;

	if (n + AT_ONCE - 1 <= to_end)
		return &ring[first];
	memcpy(row, &ring[first], (n < to_end ? n : to_end) * sizeof(*row));
	if (n > to_end)
		memcpy(&row[to_end], ring, (n - to_end) * sizeof(*row));
	memset(&row[n], 0, (AT_ONCE - 1) * sizeof(*row));
	return row;
}

/* n entries, none of them free at clock base. */
static struct writer put_late(struct writer w, const uint64_t *ring, unsigned size, uint32_t at,
			      unsigned n, uint64_t base)
{
	uint64_t copy[P6_MAX_ROB + AT_ONCE];
	const uint64_t *row = in_a_row(ring, size, at, n, copy);
	const __m128i one = _mm_set1_epi32(1);

	w.far |= row[n - 1] + 1 - base;
	put16(&w, (unsigned)(row[0] + 1 - base));
	for (unsigned left = n - 1; left; row += AT_ONCE) {
		const __m128i *was = (const __m128i *)(const void *)row,
			      *is = (const __m128i *)(const void *)(row + 1);
		const __m128i low = _mm_sub_epi64(_mm_loadu_si128(is), _mm_loadu_si128(was));
		const __m128i high =
		    _mm_sub_epi64(_mm_loadu_si128(is + 1), _mm_loadu_si128(was + 1));
		const __m128i by = _mm_castps_si128(
		    _mm_shuffle_ps(_mm_castsi128_ps(low), _mm_castsi128_ps(high), 0x88));
		const unsigned n_now = left < AT_ONCE ? left : AT_ONCE, valid = (1u << n_now) - 1;
		unsigned more =
		    (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpgt_epi32(by, one))) & valid;

		put8(&w,
		     ((unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_slli_epi32(by, 31))) & valid) |
			 more << AT_ONCE);
		for (; more; more &= more - 1) {
			const unsigned i = (unsigned)__builtin_ctz(more);

			put16(&w, (unsigned)(row[i + 1] - row[i]));
		}
		left -= n_now;
	}
	return w;
}

static void get_late(const uint8_t **p, uint64_t *ring, unsigned n, uint64_t base)
{
	uint64_t clk = base + get16(p) - 1;
	unsigned byte = 0;

	ring[0] = clk;
	for (unsigned j = 1; j < n; j++, byte >>= 1) {
		if (j % AT_ONCE == 1)
			byte = get8(p);
		clk += byte >> AT_ONCE & 1 ? get16(p) : byte & 1;
		ring[j] = clk;
	}
}

/* ---- station --------------------------------------------------------------------------------- */

#define LEAVING_BITS 3u
#define MOST_LEAVING 7u

/* n (1 or more) leave the station `by` clocks behind those before, in one byte or four. */
static inline void put_leaving(struct writer *w, unsigned by, unsigned n)
{
	if (__builtin_expect(by < LONG >> LEAVING_BITS && n <= MOST_LEAVING, 1)) {
		put8(w, by << LEAVING_BITS | n);
		return;
	}
	put8(w, LONG);
	put8(w, by >> 8);
	put8(w, by);
	put8(w, n);
}

/* Who leaves in clock clk and the seven behind it, a byte each. */
static inline uint64_t leaving_from(const struct p6_time *t, uint64_t clk)
{
	const unsigned at = clk % P6_STATION_CLKS;
	uint64_t next = 0;

	if (__builtin_expect(at <= P6_STATION_CLKS - sizeof(next), 1)) {
		memcpy(&next, &t->rs_leaving[at], sizeof(next));
		return next;
	}
	for (unsigned i = 0; i < sizeof(next); i++)
		next |= (uint64_t)t->rs_leaving[(at + i) % P6_STATION_CLKS] << 8 * i;
	return next;
}

/* How many have left before clock `end`. */
static inline unsigned left_before(const struct p6_time *t, uint64_t end)
{
	unsigned n = 0;

	for (uint64_t clk = t->rs_clk; clk < end; clk += 8) {
		const uint64_t now = leaving_from(t, clk)
				     << (end - clk < 8 ? 64 - 8 * (end - clk) : 0);

		n += (unsigned)(now * 0x0101010101010101u >>
				56); /* no more than the station holds */
	}
	return n;
}

/* Micro-ops that are dispatched in the next clocks, one number per clock. With three renamed a
 * clock and none of them dispatched, the station is not full before clock g: who is gone by then is
 * left out. */
static inline struct writer put_station(struct writer w, const struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk, last = t->rs_last;
	const unsigned per_clk = t->par.rename_uops, rs = t->par.rs;
	unsigned left = t->rs_used - left_before(t, base <= last ? base : last + 1), g = 0,
		 told = 0;

	while (left && per_clk * (g + 1) + left <= rs)
		left -= t->rs_leaving[(base + g++) % P6_STATION_CLKS];
	for (; left; g += 8) {
		for (uint64_t next = leaving_from(t, base + g); next && left;) {
			const unsigned k = (unsigned)__builtin_ctzll(next) / 8,
				       n = next >> 8 * k & 0xff;

			next &= ~(0xffull << 8 * k);
			put_leaving(&w, g + k - told, n);
			told = g + k;
			left -= n;
		}
	}
	w.far |= told >= P6_STATION_CLKS - 2 ? FAR : 0;
	put8(&w, 0);
	return w;
}

static inline unsigned get_wide(const uint8_t **p)
{
	const unsigned high = get8(p);

	return high << 8 | get8(p);
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

/* ---- all of them ----------------------------------------------------------------------------- */

struct writer p6_rings_put(struct writer w, const struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	const unsigned per_clk = t->par.rename_uops, n = t->par.rob, n_load = t->par.load_buffers;
	unsigned late;

	/* RDPMC asks who has retired when it can be dispatched */
	w = put_asked(w, per_clk, t->rob, P6_MAX_ROB, t->rob_at - n, n, base, first_clk(t) + 1,
		      &late);
	put8(&w, late);
	if (late < n)
		w = put_late(w, t->rob, P6_MAX_ROB, t->rob_at - n + late, n - late, base);
	w = put_asked(w, per_clk, t->load, P6_MAX_BUFFERS, t->load_at - n_load, n_load, base,
		      P6_NO_KEY, &late);
	return put_station(w, t);
}

void p6_rings_get(const uint8_t **p, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	const unsigned n = t->par.rob, n_load = t->par.load_buffers;
	uint64_t last;
	unsigned j = get_asked(p, t->rob, base, &last);
	const unsigned late = get8(p);

	for (; j < late; j++)
		t->rob[j] = last;
	if (late < n)
		get_late(p, &t->rob[late], n - late, base);
	t->rob_at = n;
	for (j = get_asked(p, t->load, base, &last); j < n_load; j++)
		t->load[j] = last;
	t->load_at = n_load;
	get_station(p, t);
}
