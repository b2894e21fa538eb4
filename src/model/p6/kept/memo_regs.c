/* memo_regs.c -- registers, parts of them, flags and segment registers as bytes of a state, and
 * back.
 *
 * COUNTING RULES   as memo_state.c: a register whose value is ready before anything can be
 *                  dispatched, and whose writer has retired, is left out. x87 registers are
 *                  numbered from the top of the stack.
 */
#include "model/p6/kept/memo_bytes.h"

/* Behind the last register: and which of these follow. */
#define REGS_END  0x80u
#define HAS_PARTS 1u
#define HAS_FLAGS 2u
#define HAS_SEGS  4u
_Static_assert(P6_N_REGS <= REGS_END, "no register looks like the end");

static unsigned physical(const struct p6_time *t, unsigned r)
{
	return r - P6_R_X87 < 8u ? P6_R_X87 + (unsigned)t->x87[(t->x87_top + r - P6_R_X87) & 7] : r;
}

/* Register s has number r. false: it is ready by clock `first`, and read from the register file by
 * clock `base`. */
static inline bool put_register(struct writer *w, unsigned r, const struct p6_reg_state *s,
				uint64_t first, uint64_t base)
{
	const uint64_t ready = s->ready_clk, file = s->file_clk;

	if (ready <= first && file <= base)
		return false;
	put8(w, r);
	put_two(w, behind(w, ready, first), behind(w, file, base));
	return true;
}

/* A part counts as long as its writer has not retired, unless all the rest of its register is known
 * to be 0. */
static struct writer put_parts(struct writer w, const struct p6_time *t, unsigned *has)
{
	for (unsigned left = t->cut_parts; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctz(left);
		const struct p6_part_state *p = &t->part[i];
		const unsigned clk =
		    p6_zero_covers(p->bytes, p->zero, 4)
			? 0
			: behind(&w, p->retire_clk + t->par.partial_clk, t->ren.next_clk);

		if (!clk)
			continue;
		*has |= HAS_PARTS;
		put8(&w, i);
		put8(&w, p->bytes | p->is_high << 4 | (unsigned)p->zero << 5);
		put16(&w, clk);
	}
	if (*has & HAS_PARTS)
		put8(&w, END);
	return w;
}

static void get_parts(const uint8_t **p, struct p6_time *t)
{
	unsigned i, v;

	while ((i = get8(p)) != END) {
		v = get8(p);
		t->part[i] = (struct p6_part_state){
		    .bytes = v & 15, .is_high = v >> 4 & 1, .zero = (uint8_t)(v >> 5)};
		t->part[i].retire_clk = t->ren.next_clk + get16(p) - t->par.partial_clk;
		t->cut_parts |= 1u << i;
	}
}

/* What wrote all flags, and what has retired long ago, is in nobody's way. */
static inline struct writer put_flags(struct writer w, const struct p6_time *t, unsigned *has)
{
	const struct p6_flag_state *f = &t->flags;
	const unsigned clk = f->written == P6_F_ALL
				 ? 0
				 : behind(&w, f->retire_clk + t->par.partial_clk, t->ren.next_clk);

	if (!clk)
		return w;
	*has |= HAS_FLAGS;
	put16(&w, clk);
	put8(&w, f->written);
	return w;
}

static struct writer put_segs(struct writer w, const struct p6_time *t, unsigned *has)
{
	for (unsigned i = 0; i < 4; i++) {
		if (t->seg_clk[i] < t->ren.next_clk)
			continue;
		*has |= HAS_SEGS;
		put8(&w, i);
		put16(&w, behind(&w, t->seg_clk[i] + 1, t->ren.next_clk));
	}
	if (*has & HAS_SEGS)
		put8(&w, END);
	return w;
}

/* Who is not late is not so later either. */
struct writer p6_regs_put(struct writer w, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk, first = first_clk(t), x87 = 0xffull << P6_R_X87;
	uint64_t late = t->late_regs;
	unsigned has = 0;
	uint8_t *end;

	for (uint64_t left = late & ~x87; left; left &= left - 1) {
		const unsigned r = (unsigned)__builtin_ctzll(left);

		if (!put_register(&w, r, &t->reg[r], first, base))
			late &= ~(1ull << r);
	}
	/* by number from the top of the stack */
	for (unsigned r = P6_R_X87; late & x87 && r < P6_R_X87 + 8; r++)
		if (!put_register(&w, r, &t->reg[physical(t, r)], first, base))
			late &= ~(1ull << physical(t, r));
	t->late_regs = late;
	end = w.at++;
	if (t->cut_parts)
		w = put_parts(w, t, &has);
	w = put_flags(w, t, &has);
	w = put_segs(w, t, &has);
	*end = (uint8_t)(REGS_END | has);
	return w;
}

void p6_regs_get(const uint8_t **p, struct p6_time *t)
{
	const uint64_t base = t->ren.next_clk;
	unsigned r, has, clk;

	for (; t->late_regs; t->late_regs &= t->late_regs - 1)
		t->reg[__builtin_ctzll(t->late_regs)] = (struct p6_reg_state){0, 0};
	for (r = 0; r < 8; r++)
		t->x87[r] = (uint8_t)r;
	t->x87_top = 0;
	while (((has = get8(p)) & REGS_END) == 0) {
		t->reg[has].ready_clk = clock_of(get16(p), first_clk(t));
		t->reg[has].file_clk = clock_of(get16(p), base);
		t->late_regs |= 1ull << has;
	}
	for (unsigned left = t->cut_parts; left; left &= left - 1)
		t->part[__builtin_ctz(left)] = (struct p6_part_state){.bytes = 4};
	t->cut_parts = 0;
	if (has & HAS_PARTS)
		get_parts(p, t);
	t->flags = (struct p6_flag_state){.written = P6_F_ALL};
	if (has & HAS_FLAGS) {
		clk = get16(p);
		t->flags =
		    (struct p6_flag_state){base + clk - t->par.partial_clk, (uint8_t)get8(p)};
	}
	memset(t->seg_clk, 0, sizeof(t->seg_clk));
	while (has & HAS_SEGS && (r = get8(p)) != END)
		t->seg_clk[r] = base + get16(p) - 1;
}
