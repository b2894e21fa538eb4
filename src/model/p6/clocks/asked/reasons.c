/* reasons.c -- texts of the reasons in reasons.def, and the lines of listings. */
#include <string.h>

#include "model/p6/p6.h"

static const struct {
	const char *name, *sentence;
} reasons[] = {
#define P6_WHY(id, name, text) {name, text},
#include "model/p6/clocks/asked/reasons.def"
#undef P6_WHY
};

bool p6_reason(unsigned why, const char **name, const char **sentence)
{
	if (why >= sizeof(reasons) / sizeof(reasons[0]))
		return false;
	*name = reasons[why].name;
	*sentence = reasons[why].sentence;
	return true;
}

void p6_line_stall(struct p6 *m, enum p6_why why, uint64_t clk)
{
	struct mdl_line *l = &m->time.line;

	if (m->time.stack.is_on && clk)
		p6_stack_stall(m, why);
	if (!m->time.on_line || !clk)
		return;
	for (unsigned i = 0; i < l->n_stall; i++)
		if (l->stall[i].why == why) { /* another of its groups */
			l->stall[i].clk += (uint32_t)clk;
			return;
		}
	if (l->n_stall < MDL_LINE_STALLS)
		l->stall[l->n_stall++] = (struct mdl_stall){(uint8_t)why, (uint32_t)clk};
}

void p6_line_decode(struct p6_time *t, enum p6_why why)
{
	struct p6_decoding *d = &t->decoding;
	struct p6_decoded *at = &d->insn[d->n];
	const uint64_t clk = t->front.clk - d->told_clk;
	unsigned i = 0;

	if (t->front.clk <= d->told_clk)
		return;
	d->told_clk = t->front.clk;
	at->is_queue_full |= why == P6_WHY_QUEUE;
	while (i < at->n && at->stall[i].why != why)
		i++;
	if (i == MDL_LINE_DECODE)
		return;
	if (i == at->n)
		at->stall[at->n++] = (struct mdl_stall){(uint8_t)why, 0};
	at->stall[i].clk += (uint32_t)clk;
}

uint8_t p6_line_decoded(struct p6_time *t)
{
	struct p6_decoding *d = &t->decoding;
	const uint8_t was = d->n;

	d->n = (uint8_t)((was + 1) % P6_DECODED);
	d->insn[d->n] = (struct p6_decoded){.n = 0};
	d->anew = P6_WHY_NONE;
	return was;
}

void p6_line_uop(struct p6 *m, const struct p6_pend *p, const struct mdl_line_uop *u)
{
	struct p6_time *t = &m->time;
	struct mdl_line *l = &t->line;

	if (l->n_uop < MDL_LINE_UOPS)
		l->uop[l->n_uop++] = *u;
	else
		l->n_more_uop++;
	if (!(p->uop->flags & P6_U_LAST))
		return;
	if (p->block) { /* NULL: memory was out */
		l->block = p->block;
		l->insn = p->insn;
		l->pc = p->block->pc + p->block->insn[p->insn].pc_off;
		l->pipe = MDL_PIPE_NONE;
		l->clk = u->retire_clk;
		l->held_clk = 1;
		l->n_decode = t->decoding.insn[p->decoded].n;
		l->is_queue_full = t->decoding.insn[p->decoded].is_queue_full;
		memcpy(l->decode, t->decoding.insn[p->decoded].stall, sizeof(l->decode));
		t->on_line(t->line_ctx, l);
	}
	*l = (struct mdl_line){.n_uop = 0};
}
