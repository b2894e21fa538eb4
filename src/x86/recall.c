/* recall.c -- see recall.h. */
#include "x86/recall.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/stretch.h"

#define ENTRIES_LOG2 12u
#define MEMORY_BYTES (3u << 20)
/* bytes in front of the displacement that make the key; the eighth is their number */
#define MOST_HEAD 7u

/* Where the parts of an instruction lie, as far as its first bytes tell. */
struct shape {
	uint64_t head; /* prefixes, opcode, ModRM, SIB; their number on top */
	uint64_t imm;  /* immediate; 0 when it is the distance of a branch */
	uint8_t n_head, disp_bytes, imm_bytes;
	bool is_branch;
};

/* What was kept, without the operands that it does not have. */
struct kept {
	struct x86_insn insn;
	struct x86_decoded d;
};

struct entry {
	uint64_t head, imm; /* head 0: free */
	uint32_t at, bytes; /* its struct kept in memory[], and the room there */
	/* low bits of the hash of what was decoded last in this place: kept when it comes again */
	uint32_t last, zero;
};

struct x86_recall {
	uint64_t ready;
	uint32_t used;
	struct entry entry[1u << ENTRIES_LOG2];
	_Alignas(16) uint8_t memory[MEMORY_BYTES];
};

/* What follows an opcode. n nothing; m ModRM; b, z an immediate of 1 byte, of 2 or 4; B, Z the same
 * behind ModRM; c, C the same where its register field is 0; f, F where that is 0 or 1, else ModRM
 * alone; w 4 bytes, not kept with REX.W; j, J distance of 1 or 4 bytes; . not kept. */
static const char one_byte[] = "mmmmbz..mmmmbz.."
			       "mmmmbz..mmmmbz.."
			       "mmmmbz..mmmmbz.."
			       "mmmmbz..mmmmbz.."
			       "................"
			       "nnnnnnnnnnnnnnnn"
			       "...m....zZbB...."
			       "jjjjjjjjjjjjjjjj"
			       "BZ.Bmmm.mmmm.m.."
			       "nnnnnnnnnn....nn"
			       "....nnnnbznnnnnn"
			       "bbbbbbbbwwwwwwww"
			       "BB.n..cC.n......"
			       "mmmm....mmmmmmmm"
			       "jjjj....JJ.j...."
			       ".....nfFnn..nnmm";
static const char two_bytes[] = "................"
				"mmmmmmmmmmmmmmmm"
				"........mmmmmmmm"
				"................"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"BBBBmmm.......mm"
				"JJJJJJJJJJJJJJJJ"
				"mmmmmmmmmmmmmmmm"
				"...mBm.....mBm.m"
				"mm.m..mmm.Bmmmmm"
				"mmBmBBB.nnnnnnnn"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmmm"
				"mmmmmmmmmmmmmmm.";
_Static_assert(sizeof(one_byte) == 257 && sizeof(two_bytes) == 257, "one letter per opcode");

static bool is_prefix(uint8_t b)
{
	switch (b) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0xf0:
	case 0xf2:
	case 0xf3: return true;
	default: return false;
	}
}

/* Bytes of displacement behind ModRM at *at, which moves behind SIB. */
static unsigned displacement(const uint8_t *bytes, unsigned *at)
{
	const unsigned modrm = bytes[(*at)++], mod = modrm >> 6;
	unsigned base = modrm & 7;

	if (mod == 3)
		return 0;
	if (base == 4)
		base = bytes[(*at)++] & 7;
	return mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
}

static bool has_modrm(char form)
{
	switch (form) {
	case 'n':
	case 'b':
	case 'z':
	case 'w':
	case 'j':
	case 'J': return false;
	default: return true;
	}
}

/* Bytes of the immediate for letter `form`. */
static unsigned immediate(char form, unsigned wide)
{
	switch (form) {
	case 'b':
	case 'B':
	case 'c':
	case 'f':
	case 'j': return 1;
	case 'z':
	case 'Z':
	case 'C':
	case 'F':
	case 'w': return wide;
	case 'J': return 4;
	default: return 0;
	}
}

/* A number of 1, 2 or 4 bytes with its sign; 0 of none. */
static int64_t number(const uint8_t *bytes, unsigned n)
{
	int32_t four;
	int16_t two;

	switch (n) {
	case 1: return (int8_t)bytes[0];
	case 2: memcpy(&two, bytes, 2); return two;
	case 4: memcpy(&four, bytes, 4); return four;
	default: return 0;
	}
}

/* The first n <= MOST_HEAD bytes, and n. */
static uint64_t key_of(const uint8_t *bytes, unsigned n)
{
	uint64_t v;

	memcpy(&v, bytes, 8);
	return (v & ~(~0ull << 8 * n)) | (uint64_t)n << 56;
}

/* Returns false when it is not of a kind that is kept. */
static bool shape_of(const uint8_t *bytes, struct shape *s)
{
	bool has_66 = false;
	uint8_t rex = 0;
	unsigned at = 0, modrm;
	char form;

	while (at < 4 && is_prefix(bytes[at]))
		has_66 |= bytes[at++] == 0x66;
	if ((bytes[at] & 0xf0) == 0x40)
		rex = bytes[at++];
	form = bytes[at] == 0x0f ? two_bytes[bytes[at + 1]] : one_byte[bytes[at]];
	at += bytes[at] == 0x0f ? 2 : 1;
	modrm = bytes[at];
	switch (form) {
	case '.': return false;
	case 'c':
	case 'C':
		if (modrm >> 3 & 7)
			return false;
		break;
	case 'f':
	case 'F':
		if ((modrm >> 3 & 7) > 1)
			form = 'm';
		break;
	case 'w':
		if (rex & 8)
			return false;
		break;
	default: break;
	}
	s->is_branch = form == 'j' || form == 'J';
	if (s->is_branch && has_66)
		return false;
	s->disp_bytes = has_modrm(form) ? (uint8_t)displacement(bytes, &at) : 0;
	s->imm_bytes = (uint8_t)immediate(form, has_66 && !(rex & 8) ? 2 : 4);
	if (at > MOST_HEAD || at + s->disp_bytes + s->imm_bytes > 15)
		return false;
	s->n_head = (uint8_t)at;
	s->head = key_of(bytes, at);
	s->imm = s->is_branch ? 0 : (uint64_t)number(bytes + at + s->disp_bytes, s->imm_bytes);
	return true;
}

static uint64_t hash_of(const struct shape *s)
{
	return s->head * 0x9e3779b97f4a7c15ull ^ s->imm * 0xc2b2ae3d27d4eb4full;
}

static unsigned place_of(uint64_t hash)
{
	return (unsigned)(hash >> (64 - ENTRIES_LOG2));
}

struct x86_recall *x86_recall_open(void)
{
	return calloc(1, sizeof(struct x86_recall));
}

void x86_recall_close(struct x86_recall *r)
{
	free(r);
}

static struct kept *kept_at(const struct x86_recall *r, const struct entry *e)
{
	return (struct kept *)(void *)(r->memory + e->at);
}

static size_t bytes_of(const struct x86_decoded *d)
{
	return offsetof(struct x86_decoded, op) + d->z.operand_count * sizeof(*d->op);
}

bool x86_recall(const struct x86_recall *r, uint64_t pc, const uint8_t *bytes,
		struct x86_decoded *d, struct x86_insn *insn)
{
	const struct entry *e;
	const struct kept *k;
	struct shape s;

	if (!shape_of(bytes, &s))
		return false;
	e = &r->entry[place_of(hash_of(&s))];
	if (e->head != s.head || e->imm != s.imm)
		return false;
	k = kept_at(r, e);
	*insn = k->insn;
	memcpy(d, &k->d, bytes_of(&k->d));
	memcpy(d->byte, bytes, d->z.length);
	d->pc = pc;
	if (s.disp_bytes) {
		d->z.raw.disp.value = number(bytes + s.n_head, s.disp_bytes);
		d->op[d->mem].mem.disp.value = d->z.raw.disp.value;
	}
	if (s.is_branch) {
		d->z.raw.imm[0].value.s = number(bytes + s.n_head, s.imm_bytes);
		d->op[0].imm.value.s = d->z.raw.imm[0].value.s;
	}
	return true;
}

/* Did Zydis find the parts where `s` has them, and nothing else? */
static bool is_as_expected(const struct x86_decoded *d, const struct shape *s, const uint8_t *bytes)
{
	const ZydisDecodedInstruction *z = &d->z;

	if (d->is_unknown || z->length != s->n_head + s->disp_bytes + s->imm_bytes ||
	    z->raw.imm[1].size || z->raw.disp.size != 8 * s->disp_bytes ||
	    z->raw.imm[0].size != 8 * s->imm_bytes)
		return false;
	if (s->disp_bytes && (d->mem < 0 || z->raw.disp.offset != s->n_head ||
			      z->raw.disp.value != number(bytes + s->n_head, s->disp_bytes) ||
			      d->op[d->mem].mem.disp.value != z->raw.disp.value))
		return false;
	return !s->is_branch ||
	       (z->raw.imm[0].offset == s->n_head &&
		d->op[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && d->op[0].imm.is_relative &&
		d->op[0].imm.value.s == number(bytes + s->n_head, s->imm_bytes) &&
		z->raw.imm[0].value.s == d->op[0].imm.value.s);
}

/* Room for so many bytes in the place of e. When memory is used up, what lies there stays. */
static bool has_room(struct x86_recall *r, struct entry *e, size_t bytes)
{
	bytes = (bytes + 15) & ~(size_t)15;
	if (bytes <= e->bytes)
		return true;
	if (bytes > MEMORY_BYTES - r->used)
		return false;
	stretch_ahead(&r->ready, r->memory, r->used + bytes, MEMORY_BYTES);
	e->at = r->used;
	e->bytes = (uint32_t)bytes;
	r->used += (uint32_t)bytes;
	return true;
}

void x86_remember(struct x86_recall *r, const uint8_t *bytes, const struct x86_decoded *d,
		  const struct x86_insn *insn)
{
	struct entry *e;
	struct kept *k;
	struct shape s;
	uint64_t hash;

	if (!shape_of(bytes, &s))
		return;
	hash = hash_of(&s);
	e = &r->entry[place_of(hash)];
	if (e->last != (uint32_t)hash) {
		e->last = (uint32_t)hash;
		return;
	}
	if (!is_as_expected(d, &s, bytes) ||
	    !has_room(r, e, offsetof(struct kept, d) + bytes_of(d)))
		return;
	e->head = s.head;
	e->imm = s.imm;
	k = kept_at(r, e);
	k->insn = *insn;
	k->insn.pc_off = 0;
	memcpy(&k->d, d, bytes_of(d));
}
