/* compile.c -- block facts into the compact form of the fast loop.
 *
 * A compiled block is one run of bytes: header, references, code lines; everything that the loop
 * needs of it lies in two or three host cache lines. What it counts statically lies apart.
 */
#include "model/p6/p6.h"
#include "model/p6/blocks/compile.h"
#include "model/p6/units/retire.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/stretch.h"
#include "trace/record.h"

#define FIRST_ARENA_BYTES (256u << 10)

/* Make the arena larger, its pages moved and not copied. */
static bool grow_arena(struct p6 *m)
{
	const size_t n = m->blocks.arena ? m->blocks.arena_size * 2 : FIRST_ARENA_BYTES;
	void *p = m->blocks.arena
		      ? mremap(m->blocks.arena, m->blocks.arena_size, n, MREMAP_MAYMOVE)
		      : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return false;
	if (!m->blocks.arena)
		m->blocks.arena_used = 16; /* position 0 is P6_NO_ENTRY */
	m->blocks.arena = p;
	m->blocks.arena_size = n;
	return true;
}

void p6_arena_free(struct p6 *m)
{
	if (m->blocks.arena)
		munmap(m->blocks.arena, m->blocks.arena_size);
	m->blocks.arena = NULL;
	m->blocks.arena_used = m->blocks.arena_size = m->blocks.arena_ready = 0;
}

/* Room for `bytes` in the arena. Returns its position, or P6_NO_ENTRY. */
static uint32_t take_room(struct p6 *m, size_t bytes)
{
	size_t at;

	bytes = (bytes + 15) & ~(size_t)15;
	if (m->blocks.arena_size - m->blocks.arena_used < bytes && !grow_arena(m))
		return P6_NO_ENTRY;
	at = m->blocks.arena_used;
	m->blocks.arena_used += bytes;
	stretch_ahead(&m->blocks.arena_ready, m->blocks.arena, m->blocks.arena_used,
		      m->blocks.arena_size);
	return (uint32_t)(at / 16);
}

/* Put the tally into the list of counts and clear it. */
static int store_counts(struct p6 *m, struct p6_blk *b)
{
	struct tally *t = &m->blocks.tally;

	if (t->n_touched > UINT8_MAX) /* n_count; no block touches a third of that */
		return -SPMU_EINVAL;
	if (m->blocks.counts_size - m->blocks.counts_used < t->n_touched) {
		uint32_t n = m->blocks.counts_size ? m->blocks.counts_size * 2 : 16384;
		void *p = realloc(m->blocks.counts, n * sizeof(*m->blocks.counts));

		if (!p)
			return -SPMU_ENOMEM;
		m->blocks.counts = p;
		m->blocks.counts_size = n;
	}
	b->counts = m->blocks.counts_used;
	b->n_count = (uint8_t)t->n_touched;
	for (unsigned k = 0; k < t->n_touched; k++) {
		unsigned wire = t->touched[k];

		m->blocks.counts[m->blocks.counts_used++] =
		    (struct p6_count){(uint16_t)wire, (uint16_t)t->n[wire]};
		t->n[wire] = 0;
	}
	t->n_touched = 0;
	return 0;
}

static bool is_pow2(unsigned x)
{
	return !(x & (x - 1));
}

/* References that the fast loop must not do. */
static bool needs_order(const struct x86_ref *r)
{
	if (r->flags & (X86_REF_REP | X86_REF_PREFETCH | X86_REF_PARTS))
		return true;
	return (r->flags & X86_REF_NONTEMPORAL) && !(r->flags & X86_REF_READ);
}

static enum p6_access access_of(const struct x86_block *xb, const struct x86_ref *r)
{
	if (!(r->flags & X86_REF_READ))
		return P6_WRITE;
	if (xb->insn[r->insn].flags & X86_I_LOCK)
		return P6_LOCKED;
	return r->flags & X86_REF_WRITE ? P6_READ_WRITE : P6_READ;
}

static struct p6_ref compile_ref(const struct p6 *m, const struct x86_block *xb,
				 const struct x86_ref *r)
{
	struct p6_ref c = {.disp = (int32_t)r->disp, .slot = P6_NO_SLOT, .slot2 = P6_NO_SLOT};

	if (r->slot < xb->n_slot)
		c.slot = r->slot;
	if (r->slot2 < xb->n_slot) {
		c.slot2 = r->slot2;
		c.is_more =
		    (uint8_t)(P6_MORE | (__builtin_ctz(r->scale | 8u) & 3) << P6_MORE_SHIFT);
	}
	if (r->flags & X86_REF_FS)
		c.is_more |= P6_MORE | P6_MORE_FS;
	c.access = (uint8_t)access_of(xb, r);
	c.insn = r->insn;
	c.kind = c.access == P6_READ ? P6_FAST_READ : P6_FAST_WRITE;
	if (r->bytes && is_pow2(r->bytes) && r->bytes <= 1u << m->line_log2)
		c.align_mask = (uint8_t)(r->bytes - 1);
	else
		c.kind = P6_NEVER;
	if ((uint64_t)(int64_t)c.disp != r->disp)
		c.kind = P6_FAR;
	return c;
}

/* Per code line the first instruction that touches it, and the references before that. Returns the
 * lines. */
static unsigned compile_lines(const struct p6 *m, const struct x86_block *xb, uint8_t *line,
			      uint8_t *insn)
{
	const uint64_t first = (xb->pc & P6_LIN_MASK) >> m->line_log2;
	unsigned n = 0, k = 0;

	for (unsigned i = 0; i < xb->n_insn; i++) {
		const struct x86_insn *in = &xb->insn[i];
		uint64_t end = (xb->pc & P6_LIN_MASK) + in->pc_off + in->bytes - 1;

		while (k < xb->n_ref && xb->ref[k].insn < i)
			k++;
		for (; n < (end >> m->line_log2) - first + 1; n++) {
			insn[n] = (uint8_t)i;
			line[n] = (uint8_t)k;
		}
	}
	return n;
}

static uint8_t block_flags(struct p6 *m, const struct x86_block *xb)
{
	uint8_t flags = 0;

	for (unsigned i = 0; i < xb->n_insn; i++) {
		const struct x86_insn *in = &xb->insn[i];
		const struct p6_mnemonic *mn = p6_mnemonic(m, in->mnemonic);

		if (in->flags & (X86_I_REP | X86_I_SETS_DF | X86_I_CLEARS_DF))
			flags |= P6_B_ORDER;
		if (in->flags & (X86_I_LOCK | X86_I_SERIALIZE) || (mn && mn->kinds & P6_K_FENCE))
			flags |= P6_B_WC;
	}
	for (unsigned k = 0; k < xb->n_ref; k++)
		if (needs_order(&xb->ref[k]))
			flags |= P6_B_ORDER;
	for (unsigned k = 0; k < xb->n_slot; k++)
		if (xb->slot[k].kind > X86_SLOT_REG_AFTER)
			flags |= P6_B_ASSIST;
	return flags;
}

/* enum p6_fpmmx of instruction i, 0: it is neither. */
static uint8_t fpmmx_of(const struct x86_block *xb, unsigned i)
{
	const unsigned g = xb->insn[i].group;

	return g == X86_GRP_X87 ? P6_FPMMX_X87 : g == X86_GRP_MMX ? P6_FPMMX_MMX : 0;
}

/* First and last x87 or MMX instruction; the changes between them are static counts. */
static uint8_t fpmmx_ends(const struct x86_block *xb)
{
	uint8_t first = 0, last = 0;

	for (unsigned i = 0; i < xb->n_insn; i++) {
		const uint8_t now = fpmmx_of(xb, i);

		first = first ? first : now;
		last = now ? now : last;
	}
	return (uint8_t)(first | last << 4);
}

/* Of two x87 or MMX instructions of a block that follow each other the second one counts the
 * change. */
static void count_change(struct p6 *m, const struct x86_block *xb, unsigned i)
{
	const uint8_t now = fpmmx_of(xb, i);
	uint8_t before = 0;

	for (unsigned k = i; now && k-- > 0 && !before;)
		before = fpmmx_of(xb, k);
	if (now && before && now != before)
		tally_add(&m->blocks.tally,
			  now == P6_FPMMX_X87 ? WIRE_P6_MMX_TO_FP : WIRE_P6_MMX_FROM_FP, 1);
}

void p6_always(struct p6 *m, const struct x86_block *xb, unsigned i)
{
	p6_retire_count(m, xb, i, &m->blocks.tally);
	count_change(m, xb, i);
}

/* Facts come from the translator, but a block that would break the loop is refused here. */
static bool is_sane(const struct x86_block *xb)
{
	if (!xb || !xb->n_insn || xb->fall != xb->pc + xb->bytes || xb->n_insn > X86_MAX_INSNS ||
	    xb->n_slot > X86_MAX_SLOTS)
		return false;
	for (unsigned i = 0; i < xb->n_insn; i++)
		if (xb->insn[i].pc_off + xb->insn[i].bytes > X86_MAX_INSNS * 15 ||
		    !xb->insn[i].bytes)
			return false;
	for (unsigned k = 0; k < xb->n_ref; k++)
		if (xb->ref[k].insn >= xb->n_insn || (k && xb->ref[k].insn < xb->ref[k - 1].insn))
			return false;
	return true;
}

uint32_t p6_compile(struct p6 *m, uint32_t id)
{
	const struct x86_block *xb = x86_store_get(m->store, id);
	uint8_t line[X86_MAX_INSNS * 15 / 16 + 4], insn[sizeof(line)];
	const bool has_insns = m->time.is_on || m->ledger;
	unsigned n_line;
	uint32_t at;
	struct p6_blk *b;
	struct p6_ref *ref;

	if (!is_sane(xb))
		return P6_NO_ENTRY;
	n_line = compile_lines(m, xb, line, insn);
	at =
	    take_room(m, sizeof(*b) + xb->n_ref * sizeof(*ref) + (has_insns ? 2 * n_line : n_line));
	if (at == P6_NO_ENTRY)
		return P6_NO_ENTRY;
	b = p6_blk_at(m, at);
	memset(b, 0, sizeof(*b));
	b->pc = xb->pc & P6_LIN_MASK;
	b->bytes = xb->bytes;
	b->target_rel = (int32_t)(xb->target - xb->fall);
	if (xb->term == X86_TERM_JCC && !b->target_rel)
		b->target_rel = P6_NO_TARGET;
	b->head = trc_block_head(id, xb->n_slot);
	b->is_cut = ((xb->pc ^ (xb->pc + xb->insn[0].bytes - 1)) >> m->line_log2) != 0;
	b->term = xb->term;
	b->n_insn = xb->n_insn;
	b->n_ref = xb->n_ref;
	b->n_line = (uint8_t)n_line;
	b->flags = block_flags(m, xb);
	if (n_line > m->ifu.cache.n_sets)
		b->flags |= P6_B_ORDER;
	for (unsigned i = 0; i < xb->n_insn; i++)
		p6_always(m, xb, i);
	b->fpmmx = fpmmx_ends(xb);
	if (b->fpmmx)
		b->flags |= P6_B_FPMMX;
	if (store_counts(m, b))
		return P6_NO_ENTRY;
	ref = (struct p6_ref *)(void *)(b + 1);
	for (unsigned k = 0; k < xb->n_ref; k++)
		ref[k] = compile_ref(m, xb, &xb->ref[k]);
	memcpy(ref + xb->n_ref, line, n_line);
	if (has_insns)
		memcpy((uint8_t *)(ref + xb->n_ref) + n_line, insn, n_line);
	return at;
}

uint32_t p6_meet(struct p6 *m, uint32_t id)
{
	if (id >= x86_store_count(m->store) || id >> TRC_ID_BITS)
		return P6_NO_ENTRY;
	if (m->blocks.position[id] == P6_NO_ENTRY)
		m->blocks.position[id] = p6_compile(m, id);
	if (id >= m->blocks.n_compiled)
		m->blocks.n_compiled = id + 1;
	return m->blocks.position[id];
}

uint64_t p6_once(struct p6 *m, uint32_t id, unsigned wire)
{
	const uint32_t entry = p6_meet(m, id);
	const struct p6_blk *b;
	uint64_t n = 0;

	if (entry == P6_NO_ENTRY)
		return 0;
	b = p6_blk_at(m, entry);
	for (unsigned k = 0; k < b->n_count; k++)
		n += m->blocks.counts[b->counts + k].wire == wire
			 ? m->blocks.counts[b->counts + k].n
			 : 0;
	return n;
}
