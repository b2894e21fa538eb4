/* time_zero.c -- registers that are known to be 0 above what was written last, for rat.
 *
 * COUNTING RULES   none of its own: rat.c lets reads of more than was written go on when the rest
 *                  is known to be 0 (D2H).
 * MODELLED         XOR and SUB of a whole register or of its high byte with itself; what writes of
 *                  parts leave known.
 * NOT MODELLED     REP instructions, which change nothing here; that a mispredicted branch or a
 *                  serialising instruction ends it.
 * SOURCES          Agner Fog 2000 ch. 19, whose examples tests/model/time_partial_zero_idioms.S
 *                  runs.
 */
#include "model/p6/clocks/time_zero.h"

#include "model/p6/clocks/template.h"

/* What write w of s leaves as it was known. */
static unsigned kept(const struct p6_step *s, const struct p6_part *w)
{
	if (w->bytes >= 4 || w->is_high || s->known_zero)
		return 0;
	return w->bytes == 1 ? P6_ZERO_ALL : P6_ZERO_UPPER;
}

unsigned p6_zero_step(uint32_t *zero, const struct p6_step *s)
{
	unsigned rest = 0;

	for (unsigned i = 0; i < s->n_write; i++) {
		const struct p6_part *w = &s->write[i];
		const unsigned at = 2 * (w->reg & 15u);
		const unsigned known = (*zero >> at & kept(s, w)) | s->known_zero;

		*zero = (*zero & ~(3u << at)) | known << at;
		rest |= (w->is_high ? 0 : known) << 2 * i;
	}
	return rest;
}

void p6_zero_facts(struct p6_tblk *t, const struct p6_step *step)
{
	uint32_t settled = 0, asked = 0, set = 0;

	for (unsigned i = 0; i < t->n_step; i++) {
		const struct p6_step *s = &step[i];

		for (unsigned k = 0; k < s->n_write; k++) {
			const struct p6_part *w = &s->write[k];
			const unsigned at = 2 * (w->reg & 15u);

			asked |= kept(s, w) << at & ~settled;
			settled |= (3u & ~kept(s, w)) << at;
		}
		p6_zero_step(&set, s);
	}
	t->zero_keep = ~settled;
	t->zero_set = set;
	for (; asked; asked &= asked - 1) {
		if (t->n_zero < P6_MAX_ZERO_ASKED)
			t->zero[t->n_zero] = (uint8_t)__builtin_ctz(asked);
		t->n_zero++;
	}
}

unsigned p6_zero_asked(const struct p6_tblk *t, uint32_t zero)
{
	unsigned v = 0;

	for (unsigned i = 0; i < t->n_zero && i < P6_MAX_ZERO_ASKED; i++)
		v |= (zero >> t->zero[i] & 1) << i;
	return v;
}
