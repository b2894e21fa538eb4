/* jit_cache.c -- the parts of host code that look at caches and TLBs; all programs share them.
 *
 * COUNTING RULES   as jit.h.
 */
#include "model/p5/host/jit_write.h"

static unsigned log2_of(unsigned x)
{
	return (unsigned)__builtin_ctz(x);
}

/* ---- data ------------------------------------------------------------------------------------------------------ */

/* ZF: the line of the address in rax is not the one that came in last. */
static void write_not_filled(struct hostcode *h, const struct p5_dcache *d)
{
	CODE(h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, line_log2 */
	emit8(h->out, d->cache.line_log2);
	CODE_AT(h, "\x48\x3b\x8b", &d->filled_line); /* cmp rcx, [filled_line] */
	CODE(h, "\x0f\x94\xc1\x84\xc9");	     /* sete cl; test cl, cl */
}

/* Called; rax: address. ZF: its line was used last in its set of L1D by this filter, and its page in its set of the DTLB, or
 * it is noted; and (asks_fill) it is not the line that came in last. Keeps rax. */
static uint32_t write_data(struct hostcode *h, const struct p5 *m, const uint64_t *filter, bool asks_fill)
{
	const struct p5_dcache *d = &m->dcache;
	const struct p5_dtlb *t = &m->dtlb;
	const uint32_t start = h->out->off;
	uint32_t other_line, other_page = 0;

	CODE(h, "\x48\x89\xc1\x48\xc1\xe9"); /* mov rcx, rax; shr rcx, way_log2 */
	emit8(h->out, cache_way_log2(&d->cache));
	CODE(h, "\x89\xc2\xc1\xea");	     /* mov edx, eax; shr edx, line_log2 */
	emit8(h->out, d->cache.line_log2);
	CODE(h, "\x81\xe2");		     /* and edx, n_sets - 1 */
	emit32(h->out, d->cache.n_sets - 1);
	CODE_AT(h, "\x48\x3b\x8c\xd3", filter);	/* cmp rcx, [filter + rdx * 8] */
	other_line = JUMP(h, JNE, 0);
	if (cache_way_log2(&d->cache) != PAGE_LOG2)
		CODE(h, "\x48\x89\xc1\x48\xc1\xe9\x0c"); /* mov rcx, rax; shr rcx, 12 */
	if (!t->is_full) {
		CODE(h, "\x89\xce\x83\xe6"); /* mov esi, ecx; and esi, set_mask */
		emit8(h->out, t->set_mask);
		CODE_AT(h, "\x48\x3b\x8c\xf3", t->filter); /* cmp rcx, [filter + rsi * 8] */
		if (asks_fill) {
			other_page = JUMP(h, JNE, 0);
			write_not_filled(h, d);
			hostcode_land(h, other_page);
		}
		hostcode_land(h, other_line);
		CODE(h, "\xc3");
		return start;
	}
	_Static_assert(sizeof(t->full.entry[0]) == 16 && FULLTLB_HINTS == 256, "entries as found here");
	CODE_AT(h, "\x0f\xb6\xd1\x0f\xb6\x94\x13", t->full.hint);  /* movzx edx, cl; movzx edx, byte [hint + rdx] */
	CODE(h, "\x89\xd6\xc1\xe6\x04");			    /* mov esi, edx; shl esi, 4 */
	CODE_AT(h, "\x48\x3b\x8c\x33", &t->full.entry[0].key);	    /* cmp rcx, [key + rsi] */
	other_page = JUMP(h, JNE, 0);
	CODE_AT(h, "\x48\x8b\xb3", &t->full.now);	/* mov rsi, [now] */
	CODE(h, "\x48\xff\xc6");			/* inc rsi */
	CODE_AT(h, "\x48\x89\xb3", &t->full.now);	/* mov [now], rsi */
	CODE_AT(h, "\x48\x89\xb4\xd3", t->full.used);	/* mov [used + rdx * 8], rsi */
	if (asks_fill)
		write_not_filled(h, d);
	else
		CODE(h, "\x39\xc0");			/* cmp eax, eax */
	hostcode_land(h, other_line);
	hostcode_land(h, other_page);
	CODE(h, "\xc3");
	return start;
}

/* ---- code ------------------------------------------------------------------------------------------------------ */

/* edx = place of line ecx's set among the lines of L1I */
static void write_place(struct hostcode *h, const struct cache *c)
{
	CODE(h, "\x89\xca\x81\xe2"); /* mov edx, ecx; and edx, n_sets - 1 */
	emit32(h->out, c->n_sets - 1);
	CODE(h, "\xc1\xe2"); /* shl edx, log2 of ways */
	emit8(h->out, log2_of(c->ways));
}

/* cmp rcx, [line_of + rdx * 8] of this way; jne: returns where its displacement is */
static uint32_t write_is_way(struct hostcode *h, const struct p5 *m, unsigned way)
{
	CODE_AT(h, "\x48\x3b\x8c\xd3", m->icache.line_of + way);
	return JUMP(h, JNE, 0);
}

/* Replacement by the tree: what the use of a way keeps and sets of the word, which is at this form's address. */
static void write_touch(struct hostcode *h, const struct repl *r, unsigned way, const char *sib, const void *order)
{
	const unsigned away = (unsigned)repl_touch(r, 0, way) & 0xff;
	const unsigned keep = (unsigned)repl_touch(r, 0xff, way) & 0xff & ~away;

	hostcode_bytes(h, "\x80\xa4", 2); /* and byte */
	hostcode_with_base(h, sib, 1, order);
	emit8(h->out, keep | away);
	hostcode_bytes(h, "\x80\x8c", 2); /* or byte */
	hostcode_with_base(h, sib, 1, order);
	emit8(h->out, away);
}

static void write_yes(struct hostcode *h)
{
	CODE(h, "\x39\xc0\xc3"); /* cmp eax, eax; ret */
}

static void write_no(struct hostcode *h)
{
	CODE(h, "\x48\x85\xe4\xc3"); /* test rsp, rsp; ret */
}

/* Has L1I two ways, one of which is left alone as often as not? Then the parts for its lines look at both and do not jump. */
static bool has_two_ways(const struct cache *c)
{
	return c->ways == 2 && !c->repl.is_lru && repl_touch(&c->repl, 0, 0) == 2 && repl_touch(&c->repl, 2, 1) == 0;
}

/* cmp rcx, [line_of + rdx * 8] of this way */
static void write_compare_way(struct hostcode *h, const struct p5 *m, unsigned way)
{
	CODE_AT(h, "\x48\x3b\x8c\xd3", m->icache.line_of + way);
}

/* write_line() for two ways. */
static void write_line_of_two(struct hostcode *h, struct p5 *m)
{
	const struct cache *c = &m->icache.cache;
	uint32_t none;

	m->jit.line = h->out->off;
	write_place(h, c);
	CODE(h, "\x31\xf6");				/* xor esi, esi */
	write_compare_way(h, m, 0);
	CODE(h, "\x40\x0f\x94\xc6");			/* sete sil */
	write_compare_way(h, m, 1);
	CODE(h, "\x0f\x94\xc0\x40\x08\xf0");		/* sete al; or al, sil */
	none = JUMP(h, JE, 0);
	CODE(h, "\xd1\xea");				/* shr edx, 1 */
	CODE_AT(h, "\x48\x89\x8c\xd3", m->icache.filter); /* mov [filter + rdx * 8], rcx */
	CODE(h, "\x69\xd2");				/* imul edx, edx, stride */
	emit32(h->out, c->stride_bytes);
	CODE(h, "\x01\xf6");				/* add esi, esi */
	CODE_AT(h, "\x40\x88\xb4\x13", &cache_meta(c, 0)->order); /* mov [order + rdx], sil */
	write_yes(h);
	hostcode_land(h, none);
	write_no(h);
}

/* write_marks() for two ways. */
static void write_marks_of_two(struct hostcode *h, struct p5 *m)
{
	m->jit.marks = h->out->off;
	write_place(h, &m->icache.cache);
	CODE(h, "\x31\xc0");						/* xor eax, eax */
	for (unsigned way = 0; way < 2; way++) {
		write_compare_way(h, m, way);
		CODE_AT(h, "\x0f\x44\x84\x93", m->icache.marks + way);	/* cmove eax, [marks + rdx * 4] */
	}
	CODE(h, "\xc3");
}

/* write_note() for two ways. */
static void write_note_of_two(struct hostcode *h, struct p5 *m)
{
	m->jit.note = h->out->off;
	write_place(h, &m->icache.cache);
	CODE(h, "\x31\xc0\x31\xff");			/* xor eax, eax; xor edi, edi */
	write_compare_way(h, m, 0);
	CODE(h, "\x0f\x44\xc6");			/* cmove eax, esi */
	write_compare_way(h, m, 1);
	CODE(h, "\x0f\x44\xfe");			/* cmove edi, esi */
	CODE(h, "\x48\xc1\xe7\x20\x48\x09\xf8");	/* shl rdi, 32; or rax, rdi */
	CODE_AT(h, "\x48\x09\x84\x93", m->icache.marks); /* or [marks + rdx * 4], rax: those of both ways */
	CODE(h, "\xc3");
}

/* Called; ecx: number of a line. ZF: L1I has it, its use is noted. */
static void write_line(struct hostcode *h, struct p5 *m)
{
	const struct cache *c = &m->icache.cache;

	m->jit.line = h->out->off;
	write_place(h, c);
	CODE(h, "\x89\xc8\x25"); /* mov eax, ecx; and eax, n_sets - 1 */
	emit32(h->out, c->n_sets - 1);
	CODE(h, "\x69\xf0"); /* imul esi, eax, stride */
	emit32(h->out, c->stride_bytes);
	for (unsigned way = 0; !c->repl.is_lru && way < c->ways; way++) {
		const uint32_t other = write_is_way(h, m, way);

		write_touch(h, &c->repl, way, "\x33", &cache_meta(c, 0)->order); /* [order + rsi] */
		CODE_AT(h, "\x48\x89\x8c\xc3", m->icache.filter); /* mov [filter + rax * 8], rcx */
		write_yes(h);
		hostcode_land(h, other);
	}
	write_no(h);
}

/* Called; ecx: number of a line. eax = its marks, 0 when L1I does not have it. */
static void write_marks(struct hostcode *h, struct p5 *m)
{
	m->jit.marks = h->out->off;
	write_place(h, &m->icache.cache);
	for (unsigned way = 0; way < m->icache.cache.ways; way++) {
		const uint32_t other = write_is_way(h, m, way);

		CODE_AT(h, "\x8b\x84\x93", m->icache.marks + way); /* mov eax, [marks + rdx * 4] */
		CODE(h, "\xc3");
		hostcode_land(h, other);
	}
	CODE(h, "\x31\xc0\xc3"); /* xor eax, eax; ret */
}

/* Called; ecx: number of a line; esi: bits to be marked in it, when L1I has it. */
static void write_note(struct hostcode *h, struct p5 *m)
{
	m->jit.note = h->out->off;
	write_place(h, &m->icache.cache);
	for (unsigned way = 0; way < m->icache.cache.ways; way++) {
		const uint32_t other = write_is_way(h, m, way);

		CODE_AT(h, "\x09\xb4\x93", m->icache.marks + way); /* or [marks + rdx * 4], esi */
		CODE(h, "\xc3");
		hostcode_land(h, other);
	}
	CODE(h, "\xc3");
}

/* rax = id and colour of the page ecx, which is that used last now. */
static void write_last_page(struct hostcode *h, struct p5_itlb *t)
{
	_Static_assert(offsetof(struct page, colour) == offsetof(struct page, id) + 4 &&
			   offsetof(struct p5_itlb, last_colour) == offsetof(struct p5_itlb, last_id) + 4,
		       "as emitted");
	CODE_AT(h, "\x48\x89\x83", &t->last_id);  /* mov [last_id and last_colour], rax */
	CODE_AT(h, "\x48\x89\x8b", &t->last_vpn); /* mov [last_vpn], rcx */
	write_yes(h);
}

/* Called; ecx: number of a page. ZF: the ITLB has it, its use is noted. */
static void write_page(struct hostcode *h, struct p5 *m)
{
	struct p5_itlb *t = &m->itlb;
	const unsigned ways = t->is_full ? 0 : t->sets.ways;
	uint32_t other;

	m->jit.page = h->out->off;
	if (!t->is_full) {
		CODE(h, "\x89\xca\x81\xe2"); /* mov edx, ecx; and edx, n_sets - 1 */
		emit32(h->out, t->sets.n_sets - 1);
		CODE(h, "\x69\xf2"); /* imul esi, edx, bytes of a set */
		emit32(h->out, (uint32_t)(ways * sizeof(struct page)));
	}
	for (unsigned way = 0; !t->is_full && !t->sets.repl.is_lru && ways <= 8 && way < ways; way++) {
		CODE_AT(h, "\x48\x3b\x8c\x33", &t->sets.entry[way].key); /* cmp rcx, [key + rsi] */
		other = JUMP(h, JNE, 0);
		write_touch(h, &t->sets.repl, way, "\xd3", t->sets.order); /* [order + rdx * 8] */
		CODE_AT(h, "\x48\x8b\x84\x33", &t->sets.entry[way].id);	   /* mov rax, [id and colour + rsi] */
		write_last_page(h, t);
		hostcode_land(h, other);
	}
	if (t->is_full) {
		CODE_AT(h, "\x0f\xb6\xd1\x0f\xb6\x94\x13", t->full.hint); /* movzx edx, cl; movzx edx, byte [hint + rdx] */
		CODE(h, "\x89\xd6\xc1\xe6\x04");			  /* mov esi, edx; shl esi, 4 */
		CODE_AT(h, "\x48\x3b\x8c\x33", &t->full.entry[0].key);	  /* cmp rcx, [key + rsi] */
		other = JUMP(h, JNE, 0);
		CODE_AT(h, "\x48\x8b\x83", &t->full.now);		  /* mov rax, [now] */
		CODE(h, "\x48\xff\xc0");				  /* inc rax */
		CODE_AT(h, "\x48\x89\x83", &t->full.now);		  /* mov [now], rax */
		CODE_AT(h, "\x48\x89\x84\xd3", t->full.used);		  /* mov [used + rdx * 8], rax */
		CODE_AT(h, "\x48\x8b\x84\x33", &t->full.entry[0].id);	  /* mov rax, [id and colour + rsi] */
		write_last_page(h, t);
		hostcode_land(h, other);
	}
	write_no(h);
}

void p5_jit_write_caches(struct p5 *m, struct hostcode *h)
{
	struct p5_jit *j = &m->jit;

	for (unsigned asks_fill = 0; asks_fill < 2; asks_fill++) {
		j->read[asks_fill] = write_data(h, m, m->dcache.read_filter, asks_fill);
		j->write[asks_fill] = write_data(h, m, m->dcache.write_filter, asks_fill);
	}
	if (has_two_ways(&m->icache.cache)) {
		write_line_of_two(h, m);
		write_marks_of_two(h, m);
		write_note_of_two(h, m);
	} else {
		write_line(h, m);
		write_marks(h, m);
		write_note(h, m);
	}
	write_page(h, m);
}
