/* blocks.c -- stretches of guest code as blocks. Rules: blocks.h. */
#include "bare/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "bare/unfinished.h"
#include "base/error.h"
#include "trace/record.h"
#include "x86/build.h"

#define PAGE_BYTES     4096u
#define MOST_PAGES     4u /* that a stretch and the byte behind it lie on */
#define MOST_STRETCHES (1u << 24)
#define MOST_IDS       ((1u << TRC_ID_BITS) - 1024u)

struct bare_blocks {
	struct x86_store *store;
	struct x86_builder builder;
	struct bare_stretch *stretch; /* numbers [first, first + n); owned */
	uint32_t first, n, room;
	uint32_t *index; /* blocks by hash: 1 + id, or 0; owned */
	uint32_t n_index, n_used;
	uint8_t *ring; /* privilege level of each block, by id; owned */
	uint32_t n_ring;
	enum x86_mode mode; /* of the code that was built last */
	uint32_t page_at;   /* of page[0] */
	uint8_t page[MOST_PAGES][PAGE_BYTES];
	bool has_page[MOST_PAGES];
};

struct bare_blocks *bare_blocks_open(struct x86_store *store)
{
	struct bare_blocks *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->store = store;
	b->mode = X86_MODE_16;
	b->n_index = 1u << 12;
	b->index = calloc(b->n_index, sizeof(*b->index));
	if (!b->index) {
		free(b);
		return NULL;
	}
	return b;
}

/* Free what follows from the code. */
static void unbuild(struct bare_stretch *s)
{
	free(s->piece);
	free(s->slot);
	free(s->image);
	free(s->known);
	s->piece = NULL;
	s->slot = NULL;
	s->image = NULL;
	s->known = NULL;
	s->n_piece = s->n_slot = s->n_known = s->n_counted = 0;
	s->n_image = 0;
	s->is_built = false;
}

static void free_stretch(struct bare_stretch *s)
{
	unbuild(s);
	free(s->size);
	free(s->cuts);
}

void bare_blocks_close(struct bare_blocks *b)
{
	if (!b)
		return;
	for (uint32_t i = 0; i < b->n; i++)
		free_stretch(&b->stretch[i]);
	free(b->stretch);
	free(b->index);
	free(b->ring);
	free(b);
}

uint8_t bare_blocks_ring(const struct bare_blocks *b, uint32_t id)
{
	return id < b->n_ring ? b->ring[id] : BARE_NO_RING;
}

void bare_blocks_forget(struct bare_blocks *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		unbuild(&b->stretch[i]);
	memset(b->index, 0, b->n_index * sizeof(*b->index));
	b->n_used = 0;
}

void bare_blocks_drop(struct bare_blocks *b, uint32_t number)
{
	uint32_t n = number > b->first ? number - b->first : 0;

	n = n < b->n ? n : b->n;
	for (uint32_t i = 0; i < n; i++)
		free_stretch(&b->stretch[i]);
	memmove(b->stretch, b->stretch + n, (b->n - n) * sizeof(*b->stretch));
	b->first += n;
	b->n -= n;
}

/* ---- announcements --------------------------------------------------------------------------- */

/* Do the sizes, which are those of the fixed part, make up the code? */
static bool is_sane(const struct bare_block *fixed, const uint8_t *size)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < fixed->n_insn; i++) {
		const unsigned one = size[i] & ~BARE_SIZE_COUNTED;

		if (one < 1 || one > 15)
			return false;
		sum += one;
	}
	return sum == fixed->code_bytes;
}

int bare_blocks_announce(struct bare_blocks *b, const uint8_t *payload, size_t bytes)
{
	struct bare_stretch *s;
	struct bare_block fixed;

	if (bytes < sizeof(fixed))
		return -SPMU_EPROTO;
	memcpy(&fixed, payload, sizeof(fixed));
	if (fixed.number != b->first + b->n || b->n == MOST_STRETCHES || fixed.n_insn < 1 ||
	    fixed.n_insn > BARE_MOST_INSNS || (fixed.ring > 3 && fixed.ring != BARE_NO_RING) ||
	    bytes != sizeof(fixed) + fixed.n_insn + (size_t)fixed.code_bytes ||
	    !is_sane(&fixed, payload + sizeof(fixed)))
		return -SPMU_EPROTO;
	if (b->n == b->room) {
		const uint32_t room = b->room ? 2 * b->room : 1024;
		struct bare_stretch *more = realloc(b->stretch, room * sizeof(*more));

		if (!more)
			return -SPMU_ENOMEM;
		b->stretch = more;
		b->room = room;
	}
	s = &b->stretch[b->n];
	memset(s, 0, sizeof(*s));
	s->size = malloc(bytes - sizeof(fixed));
	if (!s->size)
		return -SPMU_ENOMEM;
	memcpy(s->size, payload + sizeof(fixed), bytes - sizeof(fixed));
	s->pc = fixed.pc;
	s->n_insn = fixed.n_insn;
	s->n_code = fixed.code_bytes;
	s->width = fixed.width;
	s->ring = fixed.ring;
	s->df = -1;
	b->n++;
	return 0;
}

int bare_blocks_cut(struct bare_stretch *s, unsigned i)
{
	if (!s->cuts)
		s->cuts = calloc(BARE_MOST_INSNS / 64, sizeof(*s->cuts));
	if (!s->cuts)
		return -SPMU_ENOMEM;
	s->cuts[i / 64] |= 1ull << i % 64;
	unbuild(s);
	return 0;
}

/* ---- building -------------------------------------------------------------------------------- */

static const uint8_t *page_of(void *ctx, uint64_t page_addr)
{
	struct bare_blocks *b = ctx;
	const uint64_t i = (page_addr - b->page_at) / PAGE_BYTES;

	return page_addr >= b->page_at && i < MOST_PAGES && b->has_page[i] ? b->page[i] : NULL;
}

/* Put the code of s where the builder looks for it. What stands behind it is INT3. */
static void lay_out(struct bare_blocks *b, const struct bare_stretch *s)
{
	const uint8_t *code = s->size + s->n_insn;
	uint32_t at = s->pc % PAGE_BYTES, done = 0;

	b->page_at = s->pc - at;
	memset(b->has_page, 0, sizeof(b->has_page));
	for (unsigned i = 0; i < MOST_PAGES && done < s->n_code; i++, at = 0) {
		const uint32_t left = s->n_code - done;
		const uint32_t n = left < PAGE_BYTES - at ? left : PAGE_BYTES - at;

		b->has_page[i] = true;
		memcpy(b->page[i] + at, code + done, n);
		memset(b->page[i] + at + n, 0xcc,
		       PAGE_BYTES - at - n < 16 ? PAGE_BYTES - at - n : 16);
		if (PAGE_BYTES - at - n < 16 && i + 1 < MOST_PAGES && n == left) {
			b->has_page[i + 1] = true;
			memset(b->page[i + 1], 0xcc, 16);
		}
		done += n;
	}
}

/* How many instructions of s from `first` on have the lengths that this mode gives them. */
static unsigned agreeing(const struct bare_stretch *s, enum x86_mode mode)
{
	const uint8_t *code = s->size + s->n_insn;
	uint32_t at = 0;
	ZydisDecoder decoder;
	struct x86_decoded d;

	x86_decoder_init(&decoder, mode);
	for (unsigned i = 0; i < s->n_insn; i++) {
		if (x86_decode(&decoder, &d, s->pc + at, code + at, s->n_code - at) != 0 ||
		    d.z.length != bare_size(s, i))
			return i;
		at += bare_size(s, i);
	}
	return s->n_insn;
}

static enum x86_mode mode_of(const struct bare_blocks *b, const struct bare_stretch *s)
{
	const unsigned wide = agreeing(s, X86_MODE_32), narrow = agreeing(s, X86_MODE_16);

	if (wide != narrow)
		return wide > narrow ? X86_MODE_32 : X86_MODE_16;
	if (s->width == BARE_WIDTH_16 || s->width == BARE_WIDTH_32)
		return s->width == BARE_WIDTH_16 ? X86_MODE_16 : X86_MODE_32;
	return b->mode;
}

static uint32_t hash(const struct x86_block *x, uint8_t ring)
{
	uint64_t h = x->pc * 0x9e3779b97f4a7c15ull + x->mode + 4ull * x->n_insn + 4096ull * ring;

	for (unsigned i = 0; i < x->bytes; i++)
		h = (h ^ x->code[i]) * 0x100000001b3ull;
	return (uint32_t)(h >> 32 ^ h);
}

static bool is_same(const struct x86_block *x, const struct x86_block *y)
{
	return x->pc == y->pc && x->bytes == y->bytes && x->mode == y->mode &&
	       x->n_insn == y->n_insn && !memcmp(x->code, y->code, x->bytes);
}

static int grow_index(struct bare_blocks *b)
{
	const uint32_t n = 2 * b->n_index;
	uint32_t *index = calloc(n, sizeof(*index));

	if (!index)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < b->n_index; i++) {
		uint32_t at;

		if (!b->index[i])
			continue;
		at = hash(x86_store_get(b->store, b->index[i] - 1), b->ring[b->index[i] - 1]) &
		     (n - 1);
		while (index[at])
			at = (at + 1) & (n - 1);
		index[at] = b->index[i];
	}
	free(b->index);
	b->index = index;
	b->n_index = n;
	return 0;
}

/* Keep the privilege level of block `id`. */
static int note_ring(struct bare_blocks *b, uint32_t id, uint8_t ring)
{
	if (id >= b->n_ring) {
		const uint32_t n = 2 * id + 1024;
		uint8_t *more = realloc(b->ring, n);

		if (!more)
			return -SPMU_ENOMEM;
		b->ring = more;
		b->n_ring = n;
	}
	b->ring[id] = ring;
	return 0;
}

/* The block of the store that equals the builder's and runs at `ring`, which is added if there is
 * none. */
static int intern(struct bare_blocks *b, uint8_t ring, const struct x86_block **out)
{
	const struct x86_block *own = &b->builder.block;
	uint32_t at;

	if (2 * b->n_used >= b->n_index && grow_index(b))
		return -SPMU_ENOMEM;
	at = hash(own, ring) & (b->n_index - 1);
	while (b->index[at]) {
		*out = x86_store_get(b->store, b->index[at] - 1);
		if (b->ring[(*out)->id] == ring && is_same(*out, own))
			return 0;
		at = (at + 1) & (b->n_index - 1);
	}
	if (x86_store_count(b->store) >= MOST_IDS)
		return 1;
	*out = x86_store_add(b->store, own);
	if (!*out || note_ring(b, (*out)->id, ring))
		return -SPMU_ENOMEM;
	b->index[at] = (*out)->id + 1;
	b->n_used++;
	return 0;
}

/* Instructions from `first` on that the builder's block has in common with QEMU's sizes. */
static unsigned common(const struct bare_blocks *b, const struct bare_stretch *s, unsigned first)
{
	const struct x86_block *x = &b->builder.block;
	unsigned n = 0;

	while (n < x->n_insn && x->insn[n].bytes == bare_size(s, first + n) &&
	       !(x->insn[n].flags & X86_I_REP))
		n++;
	return n;
}

/* Build the block of at most `most` instructions from `first` on, at pc. Returns the number of
 * instructions; 0 when the decoder does not know the first one. */
static unsigned build_block(struct bare_blocks *b, const struct bare_stretch *s, unsigned first,
			    uint32_t pc, unsigned most)
{
	const struct x86_code_source src = {.page = page_of, .ctx = b};
	struct x86_build_limits lim = {.max_insns = most, .has_slots = true, .has_addresses = true};
	const struct x86_block *x = &b->builder.block;
	unsigned n;

	if (x86_block_build(&b->builder, pc, &src, &lim) || x->n_insn == 0)
		return 0;
	n = common(b, s, first);
	if (n == x->n_insn)
		return n;
	if (n == 0) {
		if (!(x->insn[0].flags & X86_I_REP) || x->insn[0].bytes != bare_size(s, first))
			return 0;
		n = 1;
	}
	lim.max_insns = n;
	return x86_block_build(&b->builder, pc, &src, &lim) ? 0 : x->n_insn;
}

/* Instructions from `first` to the next cut or the end. */
static unsigned until_cut(const struct bare_stretch *s, unsigned first)
{
	for (unsigned i = first; s->cuts && i < s->n_insn; i++)
		if (s->cuts[i / 64] >> i % 64 & 1)
			return i + 1 - first;
	return s->n_insn - first;
}

/* Which operands a repeated string instruction has. */
static void note_rep(struct bare_piece *p, const struct x86_block *x)
{
	const struct x86_rep *rep = &x->rep[0];
	unsigned n_read = 0;

	p->is_rep = true;
	p->has_source = rep->slot_src != X86_NO_SLOT;
	p->has_destination = rep->slot_dst != X86_NO_SLOT;
	for (unsigned i = 0; i < x->n_ref; i++)
		n_read += (x->ref[i].flags & X86_REF_READ) != 0;
	p->is_swapped = n_read == 2;
}

static void note_flags(struct bare_stretch *s, const struct x86_block *x)
{
	for (unsigned i = 0; i < x->n_insn; i++) {
		if (x->insn[i].flags & X86_I_SETS_DF)
			s->df = 1;
		if (x->insn[i].flags & X86_I_CLEARS_DF)
			s->df = 0;
	}
}

/* Add one piece to s: instructions from `first` on, at pc. */
static int add_piece(struct bare_blocks *b, struct bare_stretch *s, unsigned first, uint32_t pc)
{
	struct bare_piece *p = &s->piece[s->n_piece];
	const struct x86_block *x;
	int rc;

	*p = (struct bare_piece){.block = BARE_NO_BLOCK, .pc = pc, .first = (uint16_t)first};
	p->n_insn = (uint16_t)build_block(b, s, first, pc, until_cut(s, first));
	s->term = X86_TERM_FALL;
	s->target = 0;
	s->never_ends = s->is_trap = false;
	if (!p->n_insn) {
		p->n_insn = 1;
		s->n_piece++;
		return 0;
	}
	rc = intern(b, s->ring, &x);
	if (rc)
		return rc;
	p->block = x->id;
	p->n_slot = x->n_slot;
	if (x->insn[0].flags & X86_I_REP)
		note_rep(p, x);
	note_flags(s, x);
	s->term = x->term;
	s->target = (uint32_t)x->target;
	s->is_trap = x->emulate == X86_EMU_INT || x->emulate == X86_EMU_INT3 ||
		     x->emulate == X86_EMU_INT1 || x->emulate == X86_EMU_INTO;
	s->never_ends = !strncmp(x86_mnemonic_name(x->insn[x->n_insn - 1].mnemonic), "ud", 2);
	s->n_slot = (uint16_t)(s->n_slot + p->n_slot);
	s->n_piece++;
	return 0;
}

/* The slots of a piece and the place of each in its record, at image + place. */
static void place_slots(struct bare_stretch *s, const struct bare_piece *p,
			const struct x86_block *x, unsigned *n)
{
	for (unsigned k = 0; k < x->n_slot; k++) {
		struct bare_slot *slot = &s->slot[(*n)++];

		*slot = (struct bare_slot){
		    .insn = (uint16_t)(p->first + x->slot[k].insn),
		    .place = p->place == BARE_NO_PLACE ? BARE_NO_PLACE : p->place + 4 + 8 * k};
		for (unsigned r = 0; r < x->n_ref; r++) {
			const struct x86_ref *ref = &x->ref[r];

			if (ref->slot != k)
				continue;
			slot->bytes = ref->bytes;
			slot->is_write = !(ref->flags & (X86_REF_READ | X86_REF_PREFETCH));
			slot->is_both = (ref->flags & X86_REF_READ) && (ref->flags & X86_REF_WRITE);
		}
	}
}

/* All pieces are there: the image of their records. A REP's is made when it ends. */
static int make_image(struct bare_blocks *b, struct bare_stretch *s)
{
	unsigned n = 0;

	s->n_image = 0;
	for (unsigned i = 0; i < s->n_piece; i++) {
		struct bare_piece *p = &s->piece[i];

		p->place = p->is_rep ? BARE_NO_PLACE : s->n_image;
		if (!p->is_rep)
			s->n_image += p->block == BARE_NO_BLOCK ? 20u : 4 + 8u * p->n_slot;
	}
	s->image = calloc(1, s->n_image + 1);
	s->slot = calloc(s->n_slot + 1u, sizeof(*s->slot));
	if (!s->image || !s->slot)
		return -SPMU_ENOMEM;
	for (unsigned i = 0; i < s->n_piece; i++) {
		const struct bare_piece *p = &s->piece[i];
		uint32_t head = trc_block_head(p->block, p->n_slot);
		uint64_t pc = p->pc;

		if (p->block != BARE_NO_BLOCK) {
			place_slots(s, p, x86_store_get(b->store, p->block), &n);
			if (!p->is_rep)
				memcpy(s->image + p->place, &head, 4);
			continue;
		}
		head = TRC_SPECIAL + TRC_UNKNOWN_INSN;
		memcpy(s->image + p->place, &head, 4);
		head = 12;
		memcpy(s->image + p->place + 4, &head, 4);
		memcpy(s->image + p->place + 8, &pc, 8);
		head = bare_size(s, p->first);
		memcpy(s->image + p->place + 16, &head, 4);
	}
	return 0;
}

static int build(struct bare_blocks *b, struct bare_stretch *s)
{
	uint32_t pc = s->pc;
	int rc = 0;

	unbuild(s);
	b->mode = mode_of(b, s);
	x86_builder_init(&b->builder, b->mode);
	bare_unfinished_drop(s, b->mode);
	lay_out(b, s);
	s->df = -1;
	s->piece = calloc(s->n_insn, sizeof(*s->piece));
	if (!s->piece)
		return -SPMU_ENOMEM;
	for (unsigned i = 0; i < s->n_insn && !rc;) {
		rc = add_piece(b, s, i, pc);
		for (unsigned k = 0; !rc && k < s->piece[s->n_piece - 1].n_insn; k++, i++) {
			s->n_counted += (s->size[i] & BARE_SIZE_COUNTED) != 0;
			pc += bare_size(s, i);
		}
	}
	s->fall = pc;
	rc = rc ? rc : make_image(b, s);
	if (rc)
		unbuild(s);
	s->is_built = !rc;
	return rc;
}

struct bare_stretch *bare_blocks_find(const struct bare_blocks *b, uint32_t number)
{
	return number >= b->first && number - b->first < b->n ? &b->stretch[number - b->first]
							      : NULL;
}

int bare_blocks_get(struct bare_blocks *b, uint32_t number, struct bare_stretch **out)
{
	*out = bare_blocks_find(b, number);
	if (!*out)
		return -SPMU_EPROTO;
	return (*out)->is_built ? 0 : build(b, *out);
}
