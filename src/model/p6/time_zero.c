/* time_zero.c -- registers that are known to be 0 above what was written last, for rat.
 *
 * COUNTING RULES   none of its own: rat.c lets reads of more than was written go on when the rest is known to be 0 (D2H).
 * MODELLED         XOR and SUB of a register with itself; what writes of parts leave known.
 * NOT MODELLED     REP instructions, which change nothing here.
 * SOURCES          Agner Fog 2000 ch. 19.
 */
#include "model/p6/time_zero.h"

#include "model/p6/template.h"

#define ALL 3u

static unsigned level(const struct p6_part *w)
{
	return w->bytes >= 4 ? ALL : w->bytes;
}

static unsigned known(uint32_t zero, unsigned reg)
{
	return zero >> 2 * reg & 3;
}

/* A write whose rest is known only if it was before. */
static bool asks(const struct p6_step *s, const struct p6_part *w)
{
	return w->bytes < 4 && !w->is_high && !s->clears_part;
}

unsigned p6_zero_step(uint32_t *zero, const struct p6_step *s)
{
	unsigned rest = 0;

	for (unsigned i = 0; i < s->n_write; i++) {
		const struct p6_part *w = &s->write[i];
		const unsigned reg = w->reg & 15;
		const bool is_known = s->clears_part || (asks(s, w) && known(*zero, reg) >= level(w));

		*zero = (*zero & ~(3u << 2 * reg)) | (is_known ? level(w) << 2 * reg : 0);
		rest |= (unsigned)(is_known && w->bytes < 4) << i;
	}
	return rest;
}

void p6_zero_facts(struct p6_tblk *t, const struct p6_step *step)
{
	uint32_t written = 0, with = UINT32_MAX, without = 0;

	for (unsigned i = 0; i < t->n_step; i++) {
		const struct p6_step *s = &step[i];

		for (unsigned k = 0; k < s->n_write; k++) {
			const struct p6_part *w = &s->write[k];
			const unsigned reg = w->reg & 15;

			if (asks(s, w) && !known(written, reg) && t->n_zero <= P6_MAX_ZERO_ASKED) {
				if (t->n_zero < P6_MAX_ZERO_ASKED)
					t->zero[t->n_zero] = (struct p6_zero_ask){(uint8_t)reg, (uint8_t)level(w), 0, 0};
				t->n_zero++;
			}
			written |= 3u << 2 * reg;
		}
		p6_zero_step(&with, s);
		p6_zero_step(&without, s);
	}
	t->zero_keep = ~written;
	t->zero_set = with & without & written;
	for (unsigned i = 0; i < t->n_zero && i < P6_MAX_ZERO_ASKED; i++) {
		struct p6_zero_ask *a = &t->zero[i];

		a->known = (uint8_t)known(with, a->reg);
		a->unknown = (uint8_t)known(without, a->reg);
		t->zero_set &= ~(3u << 2 * a->reg);
	}
}

static bool holds(const struct p6_zero_ask *a, uint32_t zero)
{
	return known(zero, a->reg) >= a->least;
}

unsigned p6_zero_asked(const struct p6_tblk *t, uint32_t zero)
{
	unsigned v = 0;

	for (unsigned i = 0; i < t->n_zero; i++)
		v |= (unsigned)holds(&t->zero[i], zero) << i;
	return v;
}

uint32_t p6_zero_behind(const struct p6_tblk *t, uint32_t zero)
{
	uint32_t v = (zero & t->zero_keep) | t->zero_set;

	for (unsigned i = 0; i < t->n_zero; i++) {
		const struct p6_zero_ask *a = &t->zero[i];

		v |= (uint32_t)(holds(a, zero) ? a->known : a->unknown) << 2 * a->reg;
	}
	return v;
}
