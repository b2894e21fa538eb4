/* trace_code.c -- codes records and reads them back. Rules: trace_code.h. */
#include "session/files/trace_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "trace/record.h"

#define CODE_MOST_SLOTS (1u << 20) /* of all blocks; then all is forgotten */
#define CHAIN_LOG2	16

/* How a value is guessed: as the slot's last one and step, as the value before it and the step
 * from there, as the slot's last one. */
enum { BY_STEP, BY_NEIGHBOUR, BY_LAST, N_WAYS, MISS = N_WAYS };

#define HEAD (5 * sizeof(uint32_t)) /* bytes of the lengths in front of a code */

/* The byte in control: the head was guessed, stands in heads, or the record stands in rest. */
enum { HEAD_GUESSED, HEAD_GIVEN, REST, N_WHATS };

/* What is known of a slot. A step counts when it was seen twice in a row, so that a loop that
 * begins anew forgets nothing. */
struct slot {
	uint64_t last, step, step_seen;
	uint64_t apart, apart_seen; /* from the value before it in the stream */
	uint64_t way;
};

/* Where the slots of a block are. */
struct place {
	uint32_t at, n; /* n: slots + 1; 0: the block is not known */
};

struct ses_guess {
	struct slot *slot;
	uint32_t n_slot, room;
	struct place *place; /* by block id */
	uint32_t next[1u << CHAIN_LOG2];
	uint32_t past[3]; /* heads of the last blocks */
	uint64_t value;	  /* the last one of all */
};

#define N_BLOCKS (1u << TRC_ID_BITS)

struct ses_guess *ses_guess_new(void)
{
	struct ses_guess *g = calloc(1, sizeof(*g));

	if (g)
		g->place = calloc(N_BLOCKS, sizeof(*g->place));
	if (g && !g->place) {
		free(g);
		return NULL;
	}
	return g;
}

void ses_guess_free(struct ses_guess *g)
{
	if (!g)
		return;
	free(g->slot);
	free(g->place);
	free(g);
}

void ses_guess_reset(struct ses_guess *g)
{
	memset(g->place, 0, N_BLOCKS * sizeof(*g->place));
	memset(g->next, 0, sizeof(g->next));
	memset(g->past, 0, sizeof(g->past));
	g->n_slot = 0;
	g->value = 0;
}

/* The guess about the next head. */
static inline uint32_t *next_head(struct ses_guess *g)
{
	const uint32_t h =
	    g->past[0] * 0x9e3779b1u ^ g->past[1] * 0x85ebca77u ^ g->past[2] * 0xc2b2ae3du;

	return &g->next[h >> (32 - CHAIN_LOG2)];
}

static inline void pass_head(struct ses_guess *g, uint32_t *guess, uint32_t head)
{
	*guess = head;
	g->past[2] = g->past[1];
	g->past[1] = g->past[0];
	g->past[0] = head;
}

/* The slots of a block that is new, or has another number of them than before. */
static struct slot *new_slots(struct ses_guess *g, struct place *p, uint32_t n)
{
	if (g->n_slot + n > g->room) {
		const uint32_t room = g->room ? 2 * g->room : 1u << 14;
		struct slot *more;

		if (g->n_slot + n > CODE_MOST_SLOTS) {
			ses_guess_reset(g);
		} else {
			more = realloc(g->slot, (room + n) * sizeof(*more));
			if (!more)
				return NULL;
			g->slot = more;
			g->room = room;
		}
	}
	p->at = g->n_slot;
	p->n = n + 1;
	memset(g->slot + p->at, 0, n * sizeof(*g->slot));
	g->n_slot += n;
	return g->slot + p->at;
}

static inline struct slot *slots_of(struct ses_guess *g, uint32_t head)
{
	struct place *p = &g->place[trc_block_id(head)];
	const uint32_t n = head >> TRC_ID_BITS;

	return p->n == n + 1 ? g->slot + p->at : new_slots(g, p, n);
}

static inline uint64_t guess(const struct slot *s, uint64_t way, uint64_t before)
{
	return way == BY_STEP	     ? s->last + s->step
	       : way == BY_NEIGHBOUR ? before + s->apart
				     : s->last;
}

static inline void pass_value(struct slot *s, uint64_t value, uint64_t before)
{
	const uint64_t step = value - s->last, apart = value - before;

	if (step == s->step_seen)
		s->step = step;
	s->step_seen = step;
	s->last = value;
	if (apart == s->apart_seen)
		s->apart = apart;
	s->apart_seen = apart;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct out {
	uint8_t *control, *head, *value, *rest;
};

static uint8_t *put_number(uint8_t *p, uint64_t n)
{
	for (; n >= 128; n >>= 7)
		*p++ = (uint8_t)(n | 128);
	*p++ = (uint8_t)n;
	return p;
}

static uint64_t zigzag(uint64_t d)
{
	return d << 1 ^ (uint64_t)((int64_t)d >> 63);
}

/* Code the slots of a block at p; the codes go to `code`. Returns true if all were guessed. */
static bool put_slots(struct ses_guess *g, struct slot *s, uint32_t n, const uint8_t *p,
		      uint8_t *code, struct out *o)
{
	uint64_t before = g->value, value;
	bool is_guessed = true;

	for (uint32_t i = 0; i < n; i++, s++) {
		memcpy(&value, p + 8 * (size_t)i, 8);
		code[i] = 0;
		if (value != guess(s, s->way, before)) {
			uint64_t way = 0;

			while (way < N_WAYS && value != guess(s, way, before))
				way++;
			code[i] = (uint8_t)(way + 1);
			is_guessed = false;
			if (way < N_WAYS)
				s->way = way;
			else
				o->value = put_number(o->value, zigzag(value - s->last));
		}
		pass_value(s, value, before);
		before = value;
	}
	g->value = before;
	return is_guessed;
}

/* Code the execution of a block. n_guessed: records in a row before it. */
static bool put_block(struct ses_guess *g, uint32_t head, const uint8_t *p, uint64_t *n_guessed,
		      struct out *o)
{
	const uint32_t n = head >> TRC_ID_BITS;
	uint8_t code[TRC_SPECIAL >> TRC_ID_BITS];
	uint32_t *next = next_head(g);
	const bool is_known = *next == head;
	struct slot *s = slots_of(g, head);

	if (!s && n)
		return false;
	if (put_slots(g, s, n, p, code, o) && is_known) {
		++*n_guessed;
	} else {
		o->control = put_number(o->control, *n_guessed);
		*n_guessed = 0;
		*o->control++ = is_known ? HEAD_GUESSED : HEAD_GIVEN;
		memcpy(o->control, code, n);
		o->control += n;
		if (!is_known) {
			memcpy(o->head, &head, 4);
			o->head += 4;
		}
	}
	pass_head(g, next, head);
	return true;
}

size_t ses_code_put(struct ses_guess *g, const uint8_t *records, size_t n, uint8_t *out)
{
	uint8_t *const from[4] = {out + HEAD, out + HEAD + n, out + HEAD + 2 * n,
				  out + HEAD + 4 * n};
	struct out o = {from[0], from[1], from[2], from[3]};
	uint64_t n_guessed = 0;
	uint32_t length[5], head;
	size_t at = 0, size, total = HEAD;

	for (; at < n; at += size) {
		size = trc_record_bytes(records + at, n - at);
		if (!size || size > SES_CODE_MOST_RECORD)
			return 0;
		memcpy(&head, records + at, 4);
		if (head < TRC_SPECIAL) {
			if (!put_block(g, head, records + at + 4, &n_guessed, &o))
				return 0;
			continue;
		}
		o.control = put_number(o.control, n_guessed);
		n_guessed = 0;
		*o.control++ = REST;
		memcpy(o.rest, records + at, size);
		o.rest += size;
		if (head == TRC_SPECIAL + TRC_FORGET_ALL)
			ses_guess_reset(g);
	}
	o.control = put_number(o.control, n_guessed);
	length[0] = (uint32_t)(o.control - from[0]);
	length[1] = (uint32_t)(o.head - from[1]);
	length[2] = (uint32_t)(o.value - from[2]);
	length[3] = (uint32_t)(o.rest - from[3]);
	length[4] = (uint32_t)n;
	memcpy(out, length, sizeof(length));
	for (int i = 0; i < 4; i++) {
		memmove(out + total, from[i], length[i]);
		total += length[i];
	}
	return total;
}

/* ---- reading --------------------------------------------------------------------------------- */

int ses_code_open(struct ses_code_in *in, struct ses_guess *g, const uint8_t *code, size_t n,
		  size_t most)
{
	uint32_t length[5];

	if (n < sizeof(length))
		return -SPMU_EPROTO;
	memcpy(length, code, sizeof(length));
	if ((uint64_t)length[0] + length[1] + length[2] + length[3] != n - sizeof(length) ||
	    length[4] > most)
		return -SPMU_EPROTO;
	in->g = g;
	in->control = code + sizeof(length);
	in->head = in->control_end = in->control + length[0];
	in->value = in->head_end = in->head + length[1];
	in->rest = in->value_end = in->value + length[2];
	in->rest_end = in->rest + length[3];
	in->left = length[4];
	in->n_guessed = 0;
	in->is_odd = false;
	return 0;
}

/* Returns false at the end of the stream. */
static inline bool get_number(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
	const uint8_t *p = *at;
	uint64_t n = 0;

	for (unsigned shift = 0; shift < 64 && p < end; shift += 7) {
		n |= (uint64_t)(*p & 127) << shift;
		if (!(*p++ & 128)) {
			*at = p;
			*out = n;
			return true;
		}
	}
	return false;
}

/* Records that were guessed whole, as many as there is room for. Returns the bytes, or
 * -SPMU_ENOMEM.
 */
static long get_guessed(struct ses_code_in *in, uint8_t *out, size_t room)
{
	struct ses_guess *g = in->g;
	uint8_t *p = out;

	while (in->n_guessed) {
		uint32_t *next = next_head(g);
		const uint32_t head = *next, n = head >> TRC_ID_BITS;
		uint64_t before = g->value;
		struct slot *s;

		if (trc_block_bytes(head) > room)
			break;
		s = slots_of(g, head);
		if (!s && n)
			return -SPMU_ENOMEM;
		memcpy(p, &head, 4);
		p += 4;
		for (uint32_t i = 0; i < n; i++, s++, p += 8) {
			const uint64_t value = guess(s, s->way, before);

			pass_value(s, value, before);
			memcpy(p, &value, 8);
			before = value;
		}
		g->value = before;
		pass_head(g, next, head);
		room -= trc_block_bytes(head);
		in->n_guessed--;
	}
	return p - out;
}

/* The execution of a block of which something was not guessed. Returns as get_odd(). */
static long get_block(struct ses_code_in *in, bool is_known, uint8_t *out)
{
	struct ses_guess *g = in->g;
	uint32_t *next = next_head(g), head = *next, n;
	uint64_t before = g->value, value, d;
	struct slot *s;

	if (!is_known) {
		if (in->head_end - in->head < 4)
			return -SPMU_EPROTO;
		memcpy(&head, in->head, 4);
		in->head += 4;
	}
	n = head >> TRC_ID_BITS;
	if (head >= TRC_SPECIAL || (uint64_t)(in->control_end - in->control) < n)
		return -SPMU_EPROTO;
	s = slots_of(g, head);
	if (!s && n)
		return -SPMU_ENOMEM;
	memcpy(out, &head, 4);
	for (uint32_t i = 0; i < n; i++, s++) {
		const uint8_t code = *in->control++;

		if (code > MISS + 1)
			return -SPMU_EPROTO;
		if (code && code <= N_WAYS)
			s->way = code - 1u;
		value = guess(s, s->way, before);
		if (code == MISS + 1) {
			if (!get_number(&in->value, in->value_end, &d))
				return -SPMU_EPROTO;
			value = s->last + (d >> 1 ^ (0 - (d & 1)));
		}
		pass_value(s, value, before);
		memcpy(out + 4 + 8 * (size_t)i, &value, 8);
		before = value;
	}
	g->value = before;
	pass_head(g, next, head);
	return trc_block_bytes(head);
}

/* A record that was not guessed whole; there is room. Returns its bytes, -SPMU_EPROTO or
 * -SPMU_ENOMEM. */
static long get_odd(struct ses_code_in *in, uint8_t *out)
{
	const uint8_t what = *in->control++;
	uint64_t size;
	uint32_t head;

	if (what < REST)
		return get_block(in, what == HEAD_GUESSED, out);
	size = trc_record_bytes(in->rest, (uint64_t)(in->rest_end - in->rest));
	if (what != REST || !size || size > SES_CODE_MOST_RECORD)
		return -SPMU_EPROTO;
	memcpy(&head, in->rest, 4);
	memcpy(out, in->rest, size);
	in->rest += size;
	if (head == TRC_SPECIAL + TRC_FORGET_ALL)
		ses_guess_reset(in->g);
	return (long)size;
}

long ses_code_get(struct ses_code_in *in, uint8_t *out, size_t room)
{
	size_t n = 0;
	long some;

	for (;;) {
		some = get_guessed(in, out + n, room - n);
		if (some < 0)
			return some;
		n += (size_t)some;
		if (in->n_guessed || room - n < SES_CODE_MOST_RECORD)
			break;
		if (in->is_odd) {
			in->is_odd = false;
			some = get_odd(in, out + n);
			if (some < 0)
				return some;
			n += (size_t)some;
		}
		if (in->control == in->control_end)
			break;
		if (!get_number(&in->control, in->control_end, &in->n_guessed))
			return -SPMU_EPROTO;
		in->is_odd = in->control != in->control_end;
	}
	if (n > in->left)
		return -SPMU_EPROTO;
	in->left -= n;
	return (long)n;
}
