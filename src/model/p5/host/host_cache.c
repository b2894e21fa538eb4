/* host_cache.c -- the parts of host code that look at caches and TLBs; all programs share them.
 *
 * COUNTING RULES   as host.h.
 */
#include "model/p5/host/host_write.h"

static unsigned log2_of(unsigned x)
{
	return (unsigned)__builtin_ctz(x);
}

/* ---- data ------------------------------------------------------------------------------------ */

/* ZF: the line of the address in rax is not the one that came in last. */
static void write_not_filled(struct x86_asm *a, const struct p5_dcache *d)
{
	x86_mov(a, RCX, RAX);
	x86_shr(a, RCX, d->cache.line_log2);
	x86_cmp(a, RCX, NEAR(a, &d->filled_line));
	x86_setcc(a, X86_CC_E, CL);
	x86_test(a, CL, CL);
}

/* Called; rax: address. ZF: its line was used last in its set of L1D by this filter, and its page
 * in its set of the DTLB, or it is noted; and (asks_fill) it is not the line that came in last.
 * Keeps rax. */
static uint32_t write_data(struct x86_asm *a, const struct p5 *m, const uint64_t *filter,
			   bool asks_fill)
{
	const struct p5_dcache *d = &m->dcache;
	const struct p5_dtlb *t = &m->dtlb;
	const uint32_t start = x86_here(a);
	struct x86_label other_line = {0}, other_page = {0};

	x86_mov(a, RCX, RAX);
	x86_shr(a, RCX, cache_way_log2(&d->cache));
	x86_mov(a, EDX, EAX);
	x86_shr(a, EDX, d->cache.line_log2);
	x86_and(a, EDX, IMM(d->cache.n_sets - 1));
	x86_cmp(a, RCX, NEAR_X(a, filter, RDX, 8));
	x86_jcc(a, X86_CC_NE, &other_line);
	if (cache_way_log2(&d->cache) != PAGE_LOG2) {
		x86_mov(a, RCX, RAX);
		x86_shr(a, RCX, PAGE_LOG2);
	}
	if (!t->is_full) {
		x86_mov(a, ESI, ECX);
		x86_and(a, ESI, IMM(t->set_mask));
		x86_cmp(a, RCX, NEAR_X(a, t->filter, RSI, 8));
		if (asks_fill) {
			x86_jcc(a, X86_CC_NE, &other_page);
			write_not_filled(a, d);
			x86_land(a, &other_page);
		}
		x86_land(a, &other_line);
		x86_ret(a);
		return start;
	}
	_Static_assert(sizeof(t->full.entry[0]) == 16 && FULLTLB_HINTS == 256,
		       "entries as found here");
	x86_movzx(a, EDX, CL);
	x86_movzx(a, EDX, BYTE(NEAR_X(a, t->full.hint, RDX, 1)));
	x86_mov(a, ESI, EDX);
	x86_shl(a, ESI, 4);
	x86_cmp(a, RCX, NEAR_X(a, &t->full.entry[0].key, RSI, 1));
	x86_jcc(a, X86_CC_NE, &other_page);
	x86_mov(a, RSI, NEAR(a, &t->full.now));
	x86_inc(a, RSI);
	x86_mov(a, NEAR(a, &t->full.now), RSI);
	x86_mov(a, NEAR_X(a, t->full.used, RDX, 8), RSI);
	if (asks_fill)
		write_not_filled(a, d);
	else
		x86_cmp(a, EAX, EAX); /* ZF */
	x86_land(a, &other_line);
	x86_land(a, &other_page);
	x86_ret(a);
	return start;
}

/* ---- code ------------------------------------------------------------------------------------ */

/* edx = place of line ecx's set among the lines of L1I */
static void write_place(struct x86_asm *a, const struct cache *c)
{
	x86_mov(a, EDX, ECX);
	x86_and(a, EDX, IMM(c->n_sets - 1));
	x86_shl(a, EDX, log2_of(c->ways));
}

/* ZF: this way of the set at place edx has line rcx. */
static void write_compare_way(struct x86_asm *a, const struct p5 *m, unsigned way)
{
	x86_cmp(a, RCX, NEAR_X(a, m->icache.line_of + way, RDX, 8));
}

/* Replacement by the tree: what the use of a way keeps and sets of the word. */
static void write_touch(struct x86_asm *a, const struct repl *r, unsigned way,
			struct x86_operand order)
{
	const unsigned away = (unsigned)repl_touch(r, 0, way) & 0xff;
	const unsigned keep = (unsigned)repl_touch(r, 0xff, way) & 0xff & ~away;

	x86_and(a, BYTE(order), IMM(keep | away));
	x86_or(a, BYTE(order), IMM(away));
}

static void write_yes(struct x86_asm *a)
{
	x86_cmp(a, EAX, EAX); /* ZF */
	x86_ret(a);
}

static void write_no(struct x86_asm *a)
{
	x86_test(a, RSP, RSP); /* no ZF: it is not 0 */
	x86_ret(a);
}

/* Has L1I two ways, one of which is left alone as often as not? Then the parts for its lines look
 * at both and do not jump. */
static bool has_two_ways(const struct cache *c)
{
	return c->ways == 2 && !c->repl.is_lru && repl_touch(&c->repl, 0, 0) == 2 &&
	       repl_touch(&c->repl, 2, 1) == 0;
}

/* write_line() for two ways. */
static void write_line_of_two(struct x86_asm *a, struct p5 *m)
{
	const struct cache *c = &m->icache.cache;
	struct x86_label none = {0};

	m->host.line = x86_here(a);
	write_place(a, c);
	x86_xor(a, ESI, ESI);
	write_compare_way(a, m, 0);
	x86_setcc(a, X86_CC_E, SIL);
	write_compare_way(a, m, 1);
	x86_setcc(a, X86_CC_E, AL);
	x86_or(a, AL, SIL);
	x86_jcc(a, X86_CC_E, &none);
	x86_shr(a, EDX, 1);
	x86_mov(a, NEAR_X(a, m->icache.filter, RDX, 8), RCX);
	x86_imul(a, EDX, EDX, IMM(c->stride_bytes));
	x86_add(a, ESI, ESI);
	x86_mov(a, NEAR_X(a, &cache_meta(c, 0)->order, RDX, 1), SIL);
	write_yes(a);
	x86_land(a, &none);
	write_no(a);
}

/* write_marks() for two ways. */
static void write_marks_of_two(struct x86_asm *a, struct p5 *m)
{
	m->host.marks = x86_here(a);
	write_place(a, &m->icache.cache);
	x86_xor(a, EAX, EAX);
	for (unsigned way = 0; way < 2; way++) {
		write_compare_way(a, m, way);
		x86_cmovcc(a, X86_CC_E, EAX, NEAR_X(a, m->icache.marks + way, RDX, 4));
	}
	x86_ret(a);
}

/* write_note() for two ways. */
static void write_note_of_two(struct x86_asm *a, struct p5 *m)
{
	m->host.note = x86_here(a);
	write_place(a, &m->icache.cache);
	x86_xor(a, EAX, EAX);
	x86_xor(a, EDI, EDI);
	write_compare_way(a, m, 0);
	x86_cmovcc(a, X86_CC_E, EAX, ESI);
	write_compare_way(a, m, 1);
	x86_cmovcc(a, X86_CC_E, EDI, ESI);
	x86_shl(a, RDI, 32);
	x86_or(a, RAX, RDI);
	x86_or(a, NEAR_X(a, m->icache.marks, RDX, 4), RAX); /* those of both ways */
	x86_ret(a);
}

/* Called; ecx: number of a line. ZF: L1I has it, its use is noted. */
static void write_line(struct x86_asm *a, struct p5 *m)
{
	const struct cache *c = &m->icache.cache;

	m->host.line = x86_here(a);
	write_place(a, c);
	x86_mov(a, EAX, ECX);
	x86_and(a, EAX, IMM(c->n_sets - 1));
	x86_imul(a, ESI, EAX, IMM(c->stride_bytes));
	for (unsigned way = 0; !c->repl.is_lru && way < c->ways; way++) {
		struct x86_label other = {0};

		write_compare_way(a, m, way);
		x86_jcc(a, X86_CC_NE, &other);
		write_touch(a, &c->repl, way, NEAR_X(a, &cache_meta(c, 0)->order, RSI, 1));
		x86_mov(a, NEAR_X(a, m->icache.filter, RAX, 8), RCX);
		write_yes(a);
		x86_land(a, &other);
	}
	write_no(a);
}

/* Called; ecx: number of a line. eax = its marks, 0 when L1I does not have it. */
static void write_marks(struct x86_asm *a, struct p5 *m)
{
	m->host.marks = x86_here(a);
	write_place(a, &m->icache.cache);
	for (unsigned way = 0; way < m->icache.cache.ways; way++) {
		struct x86_label other = {0};

		write_compare_way(a, m, way);
		x86_jcc(a, X86_CC_NE, &other);
		x86_mov(a, EAX, NEAR_X(a, m->icache.marks + way, RDX, 4));
		x86_ret(a);
		x86_land(a, &other);
	}
	x86_xor(a, EAX, EAX);
	x86_ret(a);
}

/* Called; ecx: number of a line; esi: bits to be marked in it, when L1I has it. */
static void write_note(struct x86_asm *a, struct p5 *m)
{
	m->host.note = x86_here(a);
	write_place(a, &m->icache.cache);
	for (unsigned way = 0; way < m->icache.cache.ways; way++) {
		struct x86_label other = {0};

		write_compare_way(a, m, way);
		x86_jcc(a, X86_CC_NE, &other);
		x86_or(a, NEAR_X(a, m->icache.marks + way, RDX, 4), ESI);
		x86_ret(a);
		x86_land(a, &other);
	}
	x86_ret(a);
}

/* rax = id and colour of the page ecx, which is that used last now. */
static void write_last_page(struct x86_asm *a, struct p5_itlb *t)
{
	_Static_assert(offsetof(struct page, colour) == offsetof(struct page, id) + 4 &&
			   offsetof(struct p5_itlb, last_colour) ==
			       offsetof(struct p5_itlb, last_id) + 4,
		       "as emitted");
	x86_mov(a, NEAR(a, &t->last_id), RAX);
	x86_mov(a, NEAR(a, &t->last_vpn), RCX);
	write_yes(a);
}

/* Called; ecx: number of a page. ZF: the ITLB has it, its use is noted. */
static void write_page(struct x86_asm *a, struct p5 *m)
{
	struct p5_itlb *t = &m->itlb;
	const unsigned ways = t->is_full ? 0 : t->sets.ways;

	m->host.page = x86_here(a);
	if (!t->is_full) {
		x86_mov(a, EDX, ECX);
		x86_and(a, EDX, IMM(t->sets.n_sets - 1));
		x86_imul(a, ESI, EDX, IMM(ways * sizeof(struct page)));
	}
	for (unsigned way = 0; !t->is_full && !t->sets.repl.is_lru && ways <= 8 && way < ways;
	     way++) {
		struct x86_label other = {0};

		x86_cmp(a, RCX, NEAR_X(a, &t->sets.entry[way].key, RSI, 1));
		x86_jcc(a, X86_CC_NE, &other);
		write_touch(a, &t->sets.repl, way, NEAR_X(a, t->sets.order, RDX, 8));
		x86_mov(a, RAX, NEAR_X(a, &t->sets.entry[way].id, RSI, 1));
		write_last_page(a, t);
		x86_land(a, &other);
	}
	if (t->is_full) {
		struct x86_label other = {0};

		x86_movzx(a, EDX, CL);
		x86_movzx(a, EDX, BYTE(NEAR_X(a, t->full.hint, RDX, 1)));
		x86_mov(a, ESI, EDX);
		x86_shl(a, ESI, 4);
		x86_cmp(a, RCX, NEAR_X(a, &t->full.entry[0].key, RSI, 1));
		x86_jcc(a, X86_CC_NE, &other);
		x86_mov(a, RAX, NEAR(a, &t->full.now));
		x86_inc(a, RAX);
		x86_mov(a, NEAR(a, &t->full.now), RAX);
		x86_mov(a, NEAR_X(a, t->full.used, RDX, 8), RAX);
		x86_mov(a, RAX, NEAR_X(a, &t->full.entry[0].id, RSI, 1));
		write_last_page(a, t);
		x86_land(a, &other);
	}
	write_no(a);
}

void p5_host_write_caches(struct p5 *m, struct x86_asm *a)
{
	struct p5_host *j = &m->host;

	for (unsigned asks_fill = 0; asks_fill < 2; asks_fill++) {
		j->read[asks_fill] = write_data(a, m, m->dcache.read_filter, asks_fill);
		j->write[asks_fill] = write_data(a, m, m->dcache.write_filter, asks_fill);
	}
	if (has_two_ways(&m->icache.cache)) {
		write_line_of_two(a, m);
		write_marks_of_two(a, m);
		write_note_of_two(a, m);
	} else {
		write_line(a, m);
		write_marks(a, m);
		write_note(a, m);
	}
	write_page(a, m);
}
