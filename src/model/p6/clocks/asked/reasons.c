/* reasons.c -- texts of the reasons in reasons.def, and the lines of listings. */
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
		t->on_line(t->line_ctx, l);
	}
	*l = (struct mdl_line){.n_uop = 0};
}
