/* stream.c -- synthetic blocks and record streams for the tests of models. */
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "catalog/catalog.h"
#include "trace/record.h"

void stream_open(struct stream *s)
{
	memset(s, 0, sizeof(*s));
	assert_int_equal(x86_store_open(&s->store), 0);
}

void stream_close(struct stream *s)
{
	x86_store_close(s->store);
	free(s->bytes);
}

void plan_begin(struct block_plan *p, uint64_t pc)
{
	memset(p, 0, sizeof(*p));
	p->block.pc = pc;
	p->block.insn = p->insn;
	p->block.ref = p->ref;
	p->block.slot = p->slot;
	p->block.rep = p->rep;
	p->block.parts = p->parts;
	p->block.code = p->code;
}

struct x86_insn *plan_insn(struct block_plan *p, const char *mnemonic, unsigned length,
			   unsigned group, uint32_t flags)
{
	struct x86_insn *i = &p->insn[p->block.n_insn++];

	i->pc_off = p->block.bytes;
	i->bytes = (uint8_t)length;
	i->mnemonic = x86_mnemonic_number(mnemonic ? mnemonic : "nop");
	i->group = (uint8_t)group;
	i->flags = flags;
	p->block.bytes = (uint16_t)(p->block.bytes + length);
	return i;
}

struct x86_ref *plan_ref(struct block_plan *p, unsigned bytes, unsigned flags)
{
	struct x86_ref *r = &p->ref[p->block.n_ref++];

	r->bytes = (uint16_t)bytes;
	r->flags = (uint16_t)flags;
	r->insn = (uint8_t)(p->block.n_insn - 1);
	r->scale = 1;
	p->slot[p->block.n_slot].insn = r->insn;
	r->slot = p->block.n_slot++;
	r->slot2 = X86_NO_SLOT;
	return r;
}

uint32_t plan_end(struct block_plan *p, struct stream *s, unsigned term, uint64_t target)
{
	const struct x86_block *b;

	p->block.term = (uint8_t)term;
	p->block.target = target;
	p->block.fall = p->block.pc + p->block.bytes;
	b = x86_store_add(s->store, &p->block);
	assert_non_null(b);
	return b->id;
}

static void put(struct stream *s, const void *bytes, size_t n)
{
	if (s->size - s->n < n) {
		s->size = 2 * s->size + n + 4096;
		s->bytes = realloc(s->bytes, s->size);
		assert_non_null(s->bytes);
	}
	if (n)
		memcpy(s->bytes + s->n, bytes, n);
	s->n += n;
}

void stream_exec(struct stream *s, uint32_t id, const uint64_t *slots)
{
	unsigned n_slot = x86_store_get(s->store, id)->n_slot;
	uint32_t head = trc_block_head(id, n_slot);

	put(s, &head, 4);
	if (n_slot)
		put(s, slots, 8 * n_slot);
}

void stream_event(struct stream *s, uint32_t kind, const void *payload, uint32_t size)
{
	uint32_t head = TRC_SPECIAL + kind;

	put(s, &head, 4);
	put(s, &size, 4);
	put(s, payload, size);
}

struct mdl_config stream_config(const struct stream *s, const char *cpu)
{
	struct mdl_config cfg = {.cpu = cat_find_cpu(cpu), .store = s->store, .has_walks = 1};

	assert_non_null(cfg.cpu);
	memset(cfg.wanted, 1, sizeof(cfg.wanted));
	return cfg;
}

struct mdl_config stream_config_untimed(const struct stream *s, const char *cpu)
{
	struct mdl_config cfg = stream_config(s, cpu);
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned i = 0; i < WIRE_N; i++)
		cfg.wanted[i] = wire[i].tier < 3;
	return cfg;
}

/* Execution goes on at instruction `insn` of b. */
static void put_ahead(struct stream *s, const struct x86_block *b, uint32_t insn)
{
	const uint64_t pc = b->pc + b->insn[insn].pc_off;
	uint32_t ahead[4] = {(uint32_t)pc, (uint32_t)(pc >> 32), b->id, insn};

	stream_event(s, TRC_AHEAD, ahead, sizeof(ahead));
}

/* A block in pieces; in front of each that execution goes on there. */
static void put_pieces(struct stream *s, const uint8_t *record, uint32_t head)
{
	const struct x86_block *b = x86_store_get(s->store, trc_block_id(head));
	uint32_t piece[4 + 2 * X86_MAX_SLOTS] = {b->id};

	memcpy(piece + 4, record + 4, 8u * b->n_slot);
	for (unsigned i = 0; i < b->n_insn; i++) {
		piece[1] = i;
		piece[2] = i + 1;
		put_ahead(s, b, i);
		stream_event(s, TRC_PIECE, piece, 16 + 8u * b->n_slot);
	}
}

void stream_cut(const struct stream *s, unsigned each, struct stream *out)
{
	unsigned number = 0;

	*out = (struct stream){.store = s->store};
	for (size_t at = 0; at < s->n;) {
		const size_t size = trc_record_bytes(s->bytes + at, s->n - at);
		uint32_t head;

		memcpy(&head, s->bytes + at, 4);
		if (head < TRC_SPECIAL && number++ % each == 0)
			put_pieces(out, s->bytes + at, head);
		else
			put(out, s->bytes + at, size);
		at += size;
	}
}

/* As stream_run(), but somebody looks in between, where it is said what follows and elsewhere. */
static void run_looked_at(const struct stream *s, const struct mdl_config *cfg, struct wires *w)
{
	static const uint64_t nothing[WIRE_N];
	unsigned number = 0;
	struct mdl *m;
	size_t size;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_open(cfg, w, &m), 0);
	for (size_t at = 0; at < s->n; at += size) {
		size = trc_record_bytes(s->bytes + at, s->n - at);
		assert_int_equal(mdl_feed(m, s->bytes + at, size), 0);
		if (number++ % 11 == 0)
			mdl_peek(m, nothing);
	}
	mdl_finish(m);
	mdl_close(m);
}

void stream_run(const struct stream *s, const struct mdl_config *cfg, struct wires *w)
{
	struct mdl *m;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_open(cfg, w, &m), 0);
	assert_int_equal(mdl_feed(m, s->bytes, s->n), 0);
	mdl_finish(m);
	mdl_close(m);
}

void stream_check_pieces(const struct stream *s, unsigned each, const struct mdl_config *cfg)
{
	static struct wires whole, pieces;
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);
	struct stream cut;

	stream_cut(s, each, &cut);
	stream_run(s, cfg, &whole);
	run_looked_at(&cut, cfg, &pieces);
	for (unsigned k = 0; k < WIRE_N; k++)
		if (whole.driven[k] && whole.total[k] != pieces.total[k])
			fail_msg("%s: %s is %llu, in pieces %llu", cfg->cpu->name, wire[k].name,
				 (unsigned long long)whole.total[k],
				 (unsigned long long)pieces.total[k]);
	free(cut.bytes);
}

unsigned stream_steps(unsigned all)
{
	const char *level = getenv("CHECK_LEVEL");

	return level && !strcmp(level, "all") ? all : all / 2;
}

uint64_t stream_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * 0x2545f4914f6cdd1dull >> 8;
}

uint64_t stream_count_of(const struct cat_event *e, const uint64_t *total)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < e->n_wire; i++) {
		bool is_new = true;

		for (unsigned k = 0; k < i; k++)
			is_new &= e->wire[k].wire != e->wire[i].wire;
		sum += is_new ? total[e->wire[i].wire] : 0;
	}
	return sum;
}
