/* btb.c -- unit btb: branch prediction, and the flushes of unit core.
 *
 * COUNTING RULES   13H: one per issue slot for which a live entry answered, whether it was right,
 *                  wrong, or is of no branch of the slot. 14H: one per branch of 12H that was taken
 *                  (those that are counted as if they were branches, too) or for which 13H counted;
 *                  entries of no branch among them. 15H: one per refill of the pipe: taken branch
 *                  without an entry, wrong direction, wrong target, an entry of no branch, far
 *                  transfers, and control that goes elsewhere without a branch (a signal). Neither
 *                  serialising instructions nor traps into the kernel. 35H: those of branches
 *                  alone; counter 1 those of conditional jumps in V. 3AH counter 0: entries of no
 *                  branch, or of one of another type; counter 1: conditional branches predicted
 *                  taken that were not.
 * MODELLED         both buffers (btb_pair.c, btb_bank.c). What a wrong stream costs is in
 *                  clocks/flush.c.
 * NOT MODELLED     TR12.NBP; flushes by segment loads; interrupts and exceptions that the program
 *                  does not see; what the kernel leaves in the buffer. Tags are whole addresses (32
 *                  bits in hardware, of 64-bit code more).
 * SOURCES          Intel 241428 (1997) 2.2, 16.2.1.3, 16.4.6; Intel 242816 (1997) 2.1.4, 2.3.4;
 *                  Agner Fog, microarchitecture, 3.2 and 3.3. Clocks: catalog/p5/params.tsv.
 */
#include "model/p5/p5.h"

#include <emmintrin.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define RANDOM_START 0x2545f491u
#define BYTES_LOG2   2 /* the Pentium with MMX keeps one branch per 4 aligned bytes */

int p5_btb_open(struct p5 *m)
{
	struct p5_btb *b = &m->btb;
	const uint32_t entries = m->cpu->btb_entries;
	uint32_t ways = m->cpu->btb_ways, sets;

	b->is_pair = m->cpu->cpu_class == CAT_CLASS_P5;
	b->is_by_pair = m->par[P5_PAR_BTB_IS_BY_PAIR];
	if (!b->is_pair && !m->par[P5_PAR_BTB_IS_BANKED])
		ways *= 4;
	if (!ways || ways > 255 || entries > P5_BTB_MAX_ENTRIES || entries % ways)
		return -SPMU_EINVAL;
	sets = entries / ways;
	if (!sets || sets & (sets - 1) || sets > 64)
		return -SPMU_EINVAL;
	b->ways = (uint8_t)ways;
	b->set_mask = (uint16_t)(sets - 1);
	b->key_shift = b->is_pair ? 0 : BYTES_LOG2;
	b->random = RANDOM_START;
	b->lanes = (uint16_t)((ways + 3) & ~3u);
	b->entry = aligned_alloc(64, entries * sizeof(*b->entry));
	b->low = aligned_alloc(16, (size_t)sets * b->lanes * sizeof(*b->low));
	if (!b->entry || !b->low)
		return -SPMU_ENOMEM;
	memset(b->entry, 0, entries * sizeof(*b->entry));
	m->rsb.size = (uint8_t)m->cpu->rsb_entries;
	p5_btb_empty(b);
	return 0;
}

void p5_btb_close(struct p5_btb *b)
{
	free(b->entry);
	free(b->low);
	b->entry = NULL;
	b->low = NULL;
}

void p5_btb_empty(struct p5_btb *b)
{
	for (unsigned i = 0; i < b->ways * (b->set_mask + 1u); i++)
		b->entry[i].key = P5_BTB_NO_KEY;
	memset(b->low, 0xff, (b->set_mask + 1u) * b->lanes * sizeof(*b->low));
	memset(b->map, 0, sizeof(b->map));
	b->prev_u = P5_BTB_NO_KEY;
	b->had_flush = b->could_pair = false;
}

static inline unsigned set_number(const struct p5_btb *b, uint64_t key)
{
	return (unsigned)(key >> b->key_shift) & b->set_mask;
}

static struct p5_btb_entry *set_of(const struct p5_btb *b, uint64_t key)
{
	return b->entry + (size_t)set_number(b, key) * b->ways;
}

/* Entry e of the set of `key` has that key from now on, or none. The map is the caller's to
 * change. */
static void set_key(struct p5_btb *b, struct p5_btb_entry *e, uint64_t key, bool is_live)
{
	const unsigned set = set_number(b, key), way = (unsigned)(e - set_of(b, key));

	e->key = is_live ? key : P5_BTB_NO_KEY;
	b->low[(size_t)set * b->lanes + way] = (uint32_t)(e->key >> b->key_shift);
}

struct p5_btb_entry *p5_btb_find(const struct p5_btb *b, uint64_t key)
{
	struct p5_btb_entry *e = set_of(b, key);
	const uint32_t *low = b->low + (size_t)set_number(b, key) * b->lanes;
	const __m128i want = _mm_set1_epi32((int)(key >> b->key_shift));

	for (unsigned from = 0; from < b->lanes; from += 4) {
		const __m128i four = _mm_load_si128((const __m128i *)(const void *)(low + from));
		unsigned hits =
		    (unsigned)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(four, want)));

		for (; hits; hits &= hits - 1) {
			const unsigned w = from + (unsigned)__builtin_ctz(hits);

			if (w < b->ways && e[w].key >> b->key_shift == key >> b->key_shift &&
			    e[w].key != P5_BTB_NO_KEY)
				return &e[w];
		}
	}
	return NULL;
}

/* Marsaglia's 32-bit xorshift: a fixed sequence, the same in every run. */
static uint32_t next_random(struct p5_btb *b)
{
	b->random ^= b->random << 13;
	b->random ^= b->random >> 17;
	b->random ^= b->random << 5;
	return b->random;
}

/* The map's bit of a key. */
static void set_bit(struct p5_btb *b, uint64_t key, bool is_set)
{
	const unsigned at = key >> 3 & (P5_BTB_MAP_BYTES - 1), bit = 1u << (key & 7);

	b->map[at] = (uint8_t)(is_set ? b->map[at] | bit : b->map[at] & ~bit);
	if (at < 8)
		b->map[P5_BTB_MAP_BYTES + at] = b->map[at];
}

/* Entry e, which is free, is that of `key` now. */
static struct p5_btb_entry *take(struct p5_btb *b, struct p5_btb_entry *e, uint64_t key)
{
	memset(e, 0, sizeof(*e));
	set_key(b, e, key, true);
	set_bit(b, key, true);
	p5_btb_hint(b, key, e);
	return e;
}

struct p5_btb_entry *p5_btb_make_new(struct p5_btb *b, uint64_t key)
{
	struct p5_btb_entry *set = set_of(b, key), *e = NULL;

	for (unsigned w = 0; !e && w < b->ways; w++)
		if (set[w].key == P5_BTB_NO_KEY)
			e = &set[w];
	if (!e) {
		e = &set[(uint64_t)next_random(b) * b->ways >> 32];
		p5_btb_drop(b, e);
	}
	return take(b, e, key);
}

struct p5_btb_entry *p5_btb_make(struct p5_btb *b, uint64_t key)
{
	struct p5_btb_entry *e = p5_btb_find(b, key);

	if (!e)
		return p5_btb_make_new(b, key);
	p5_btb_drop(b, e); /* with MMX: of another branch in the same 4 bytes */
	return take(b, e, key);
}

/* Keys with the same bit of the map are in one set, because sets are chosen by a part of that bit's
 * number. So the bit stays set while another entry of the set needs it; were it cleared, that entry
 * would never answer again. */
void p5_btb_drop(struct p5_btb *b, struct p5_btb_entry *e)
{
	const struct p5_btb_entry *set = set_of(b, e->key);
	const uint64_t key = e->key;

	set_key(b, e, key, false);
	for (unsigned w = 0; w < b->ways; w++)
		if (set[w].key != P5_BTB_NO_KEY &&
		    !((set[w].key ^ key) & (8 * P5_BTB_MAP_BYTES - 1)))
			return;
	set_bit(b, key, false);
}

/* A slot with a branch that can be predicted, or for which an entry answered. */
static uint64_t see_asked(struct p5 *m, const struct p5_slot *s, const struct p5_guess *g)
{
	const bool is_right =
	    !g->is_false && (g->is_taken ? s->is_taken && g->target == s->next
					 : !s->is_taken || !p5_slot_is_predictable(s));
	uint64_t seen = P5_SLOT_ASKED | (g->is_hit ? P5_SLOT_HIT : 0u) |
			(g->is_taken ? P5_SLOT_TAKEN : 0u) | (g->is_false ? P5_SLOT_FALSE : 0u) |
			(is_right ? P5_SLOT_RIGHT : 0u);

	m->btb.had_flush = !is_right;
	if (is_right && (!p5_slot_is_predictable(s) || !s->is_taken) && p5_slot_is_left(s))
		m->btb.had_flush = s->kind != P5_BR_STOP;
	if (!is_right && g->is_taken)
		seen |= g->target << P5_SLOT_TARGET_SHIFT;
	return seen;
}

uint64_t p5_btb_see(struct p5 *m, const struct p5_slot *s)
{
	struct p5_btb *b = &m->btb;
	const struct p5_guess g = b->is_pair ? p5_btb_pair_ask(m, s) : p5_btb_bank_ask(m, s);
	uint64_t seen = 0;

	if (!g.is_hit && !p5_slot_is_predictable(s)) {
		b->had_flush = p5_slot_is_left(s) && s->kind != P5_BR_STOP;
	} else {
		seen = see_asked(m, s, &g);
		if (b->is_pair)
			p5_btb_pair_teach(m, s, &g);
		else
			p5_btb_bank_teach(m, s, &g);
	}
	if (b->had_flush)
		b->flush_at = b->now;
	b->prev_u = s->u_pc;
	b->could_pair = s->could_pair;
	return seen;
}
