/* Streams made at random: blocks of all kinds, in small loops with jumps out of them, and events
 * between them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_stream.h"
#include "trace/record.h"

enum { N_BLOCKS = 300 };

struct insn_kind {
	const char *mnemonic;
	uint8_t group;
	uint32_t flags;
};

static const struct insn_kind kinds[] = {
    {"add", X86_GRP_INT, 0},
    {"mov", X86_GRP_INT, 0},
    {"imul", X86_GRP_INT, 0},
    {"div", X86_GRP_INT, 0},
    {"fadd", X86_GRP_X87, 0},
    {"fld", X86_GRP_X87, 0},
    {"paddsb", X86_GRP_MMX, 0},
    {"emms", X86_GRP_MMX, 0},
    {"addps", X86_GRP_SSE, 0},
    {"addss", X86_GRP_SSE, 0},
    {"movntps", X86_GRP_SSE, 0},
    {"prefetcht0", X86_GRP_SSE, 0},
    {"vaddpd", X86_GRP_LATER, 0},
    {"add", X86_GRP_INT, X86_I_LOCK},
    {"sfence", X86_GRP_SSE, 0},
    {"std", X86_GRP_INT, X86_I_SETS_DF},
    {"cld", X86_GRP_INT, X86_I_CLEARS_DF},
    {"cpuid", X86_GRP_INT, X86_I_SERIALIZE},
    {"pop", X86_GRP_INT, X86_I_SEG_LOAD},
    {"movsd", X86_GRP_INT, X86_I_STRING | X86_I_REP},
    {"stosb", X86_GRP_INT, X86_I_STRING | X86_I_REP},
    {"vpgatherdd", X86_GRP_LATER, 0},
    {"maskmovq", X86_GRP_MMX, 0},
};

static void add_rep(struct block_plan *p, const char *name)
{
	struct x86_rep *r = &p->rep[p->block.n_rep];
	struct x86_insn *i = &p->insn[p->block.n_insn - 1];
	unsigned bytes = name[0] == 'm' ? 4 : 1;

	i->rep = p->block.n_rep++;
	r->insn = (uint8_t)(p->block.n_insn - 1);
	r->element_bytes = (uint8_t)bytes;
	r->slot_after = r->slot_src = X86_NO_SLOT;
	if (name[0] == 'm')
		r->slot_src = plan_ref(p, bytes, X86_REF_READ | X86_REF_REP)->slot;
	r->slot_dst = plan_ref(p, bytes, X86_REF_WRITE | X86_REF_REP)->slot;
	r->slot_count = p->block.n_slot++;
	p->slot[r->slot_count].kind = X86_SLOT_REG_AFTER; /* marks counts for fill_slots() */
}

static void add_slot(struct block_plan *p, unsigned kind)
{
	p->slot[p->block.n_slot].insn = (uint8_t)(p->block.n_insn - 1);
	p->slot[p->block.n_slot++].kind = (uint8_t)kind;
}

/* A gather of four, or a masked store. */
static void add_parts(struct block_plan *p, bool is_gather)
{
	struct x86_ref *r =
	    is_gather ? plan_ref(p, 4, X86_REF_READ | X86_REF_PARTS)
		      : plan_ref(p, 8, X86_REF_WRITE | X86_REF_NONTEMPORAL | X86_REF_PARTS);
	struct x86_parts *parts = &p->parts[p->block.n_parts];

	r->hint = p->block.n_parts++;
	parts->kind = is_gather ? X86_PARTS_EACH : X86_PARTS_RANGE;
	parts->n = is_gather ? 4 : 8;
	parts->element_bytes = is_gather ? 4 : 1;
	parts->index_bytes = parts->scale = 4;
	parts->slot_mask = p->block.n_slot;
	add_slot(p, X86_SLOT_MASK_SIGN);
	parts->slot_index = p->block.n_slot;
	add_slot(p, X86_SLOT_VECTOR);
	add_slot(p, X86_SLOT_VECTOR);
}

/* Slots of the operand class. */
static void add_class(struct block_plan *p, const char *name)
{
	if (name[0] == 'f') {
		add_slot(p, X86_SLOT_FSW_AFTER);
		return;
	}
	add_slot(p, X86_SLOT_MXCSR_AFTER);
	add_slot(p, X86_SLOT_XMM_LOW_AFTER);
	if (name[3] == 'p')
		add_slot(p, X86_SLOT_XMM_HIGH_AFTER);
}

static void add_random_insn(struct block_plan *p, uint64_t *rng)
{
	static const uint8_t sizes[] = {1, 2, 4, 4, 4, 8, 8, 10, 16, 16, 32, 64, 108};
	uint64_t x = stream_random(rng);
	/* common instructions most of the time, so that both kinds of blocks occur */
	const struct insn_kind *k =
	    &kinds[x % 16 ? x / 16 % 9 : x / 16 % (sizeof(kinds) / sizeof(kinds[0]))];
	struct x86_ref *r;

	plan_insn(p, k->mnemonic, 1 + stream_random(rng) % 11, k->group, k->flags);
	if (k->flags & X86_I_REP) {
		add_rep(p, k->mnemonic);
		return;
	}
	if (!strcmp(k->mnemonic, "vpgatherdd") || !strcmp(k->mnemonic, "maskmovq")) {
		add_parts(p, k->mnemonic[0] == 'v');
		return;
	}
	if ((!strncmp(k->mnemonic, "add", 3) && k->group == X86_GRP_SSE) ||
	    !strcmp(k->mnemonic, "fadd")) {
		if (!(x >> 50 & 7))
			add_class(p, k->mnemonic);
	}
	if (!strcmp(k->mnemonic, "movntps")) {
		plan_ref(p, 16, X86_REF_WRITE | X86_REF_NONTEMPORAL);
		return;
	}
	if (!strcmp(k->mnemonic, "prefetcht0")) {
		r = plan_ref(p, 1, X86_REF_PREFETCH);
		r->hint = (uint8_t)(x >> 40 & 3);
		return;
	}
	for (unsigned n = stream_random(rng) % 3; n; n--) {
		x = stream_random(rng);
		r = plan_ref(p, sizes[x % sizeof(sizes)], 1 + x / 16 % 3);
		r->disp = x >> 20 & 0x3f;
		if (!(x >> 30 & 7)) {
			r->slot2 = p->block.n_slot++;
			r->scale = (uint8_t)(1u << (x >> 33 & 3));
		}
		if (!(x >> 36 & 15))
			r->flags |= X86_REF_FS;
		if (!(x >> 40 & 31)) {
			r->disp += 0x7f0000000000;
			p->slot[r->slot].kind = X86_SLOT_REG_AFTER; /* small value */
		}
	}
}

static void make_blocks(struct stream *s, uint64_t *rng, unsigned flags)
{
	static struct block_plan p;

	for (unsigned i = 0; i < N_BLOCKS; i++) {
		uint64_t x = stream_random(rng), pc = 0x400000 + x % 0x18000;

		if (flags & RANDOM_APART)
			pc = 0x400000 + i * 0x100 + pc % 0x60;
		plan_begin(&p, pc);
		for (unsigned n = 1 + x / 0x18000 % 9; n; n--)
			add_random_insn(&p, rng);
		if (i % 5) {
			unsigned term = 1 + stream_random(rng) % 6;
			uint32_t kind = X86_I_BRANCH | (term == X86_TERM_JCC ? X86_I_COND : 0u);

			plan_insn(&p, term == X86_TERM_JCC ? "jz" : "jmp", 2, X86_GRP_INT, kind);
			x = stream_random(rng);
			/* now and then to the next instruction */
			plan_end(&p, s, term,
				 x & 15 ? 0x400000 + x / 16 % 0x18000 : pc + p.block.bytes);
		} else {
			plan_end(&p, s, X86_TERM_FALL, 0);
		}
	}
}

static uint64_t random_address(uint64_t *rng)
{
	uint64_t x = stream_random(rng);

	switch (x & 15) {
	case 0: return 0x400000 + (x >> 8) % 0x18000;	  /* code: self-modification */
	case 1: return 0x10000000 + (x >> 8) % 0x4000000; /* far and wide */
	case 2: return ~(x >> 8);			  /* not canonical */
	case 3:
	case 4: return 0x20000000 + ((x >> 8) % 8 << 12 | (x >> 12 & 0x3f)); /* one L1D set */
	case 5: return 0x30000000 + ((x >> 8) % 9 << 17);		     /* one L2 set */
	default: return 0x7ff000 + ((x >> 8) % 0x6000 & ~7ull);		     /* near and aligned */
	}
}

static void fill_slots(const struct x86_block *b, uint64_t *slots, uint64_t *rng)
{
	for (unsigned k = 0; k < b->n_slot; k++) {
		slots[k] = random_address(rng);
		if (b->slot[k].kind == X86_SLOT_REG_AFTER)
			slots[k] = stream_random(rng) % 100;
	}
}

/* Say where execution goes on behind all of b, when that is not at pc: as when a signal comes then.
 */
static void tell_way(struct stream *s, const struct x86_block *b, uint64_t pc, bool is_taken)
{
	uint64_t next = b->fall;

	switch (b->term) {
	case X86_TERM_JMP_IND:
	case X86_TERM_CALL_IND:
	case X86_TERM_RET: return;
	case X86_TERM_JMP:
	case X86_TERM_CALL: next = b->target; break;
	case X86_TERM_JCC: next = is_taken ? b->target : b->fall; break;
	}
	if (next == pc)
		return;
	stream_event(s, TRC_GO, &next, 8);
	stream_event(s, TRC_GO, &pc, 8);
}

void random_stream(struct stream *s, uint64_t seed, unsigned n_steps, unsigned flags)
{
	const struct x86_block *before = NULL;
	uint64_t rng = seed, slots[X86_MAX_SLOTS + 1];
	uint32_t id = 0;

	stream_open(s);
	make_blocks(s, &rng, flags);
	for (unsigned i = 0; i < n_steps; i++) {
		uint64_t x = stream_random(&rng);
		const struct x86_block *b;

		/* walk in small loops with jumps out of them */
		if (x % 7 == 0)
			id = (uint32_t)(x / 7 % N_BLOCKS);
		else
			id = (id / 8 * 8 + (uint32_t)(x / 7 % 8)) % N_BLOCKS;
		b = x86_store_get(s->store, id);
		fill_slots(b, slots, &rng);
		if (flags & RANDOM_REAL && before)
			tell_way(s, before, b->pc, x >> 40 & 1);
		before = x % 301 ? b : NULL;
		if (x % 301 == 0) {
			uint64_t partial[2 + X86_MAX_SLOTS];
			uint32_t *head = (uint32_t *)partial;

			head[0] = id;
			head[1] = (uint32_t)(x / 301 % (b->n_insn + 1u));
			memcpy(partial + 1, slots, 8 * b->n_slot);
			stream_event(s, TRC_PARTIAL, partial, 8 + 8u * b->n_slot);
			stream_event(s, TRC_GO, &b->pc, 8);
		} else {
			stream_exec(s, id, slots);
			if (b->term == X86_TERM_JCC && b->target == b->fall && x & 1)
				stream_event(s, TRC_TAKEN, NULL, 0);
		}
		if (x % 1009 == 0)
			stream_event(s, TRC_FS_BASE, &slots[0], 8);
		if (flags & RANDOM_EXEC && x % 4999 == 0) {
			stream_event(s, TRC_EXEC, NULL, 0);
			before = NULL;
		}
		if (x % 211 == 0)
			stream_event(s, TRC_THREAD, (uint32_t[]){(uint32_t)(x / 211 % 7), 0}, 8);
	}
	slots[0] = 0;
	stream_event(s, TRC_EXIT, slots, 8);
}
