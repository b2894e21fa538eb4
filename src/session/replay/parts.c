/* parts.c -- totals of processes and shares. Rules: player.h. */
#include "session/replay/player.h"

#include <string.h>

size_t ses_player_machines(const struct ses_player *p)
{
	return 1 + p->cfg->n_column;
}

void ses_part_totals(const struct ses_player *p, struct ses_totals *to)
{
	memset(to, 0, sizeof(*to));
	if (!p->wires[0])
		return;
	to->instructions = mdl_instructions(p->model);
	memcpy(to->wire, p->wires[0]->total, sizeof(to->wire));
	memcpy(to->half, p->wires[0]->half, sizeof(to->half));
}

/* What stands on the wires of this share's machines. */
void ses_part_copy(const struct ses_player *p, struct ses_part *to)
{
	ses_part_totals(p, &to->totals);
	for (size_t k = 1; k < ses_player_machines(p); k++)
		if (p->wires[k])
			memcpy(to->more[k - 1], p->wires[k]->total, sizeof(to->more[0]));
}

/* What the models have counted since they were opened. */
void ses_part_take(struct ses_player *p, struct ses_part *to)
{
	mdl_finish(p->model);
	ses_part_copy(p, to);
}

/* *part -= *base. */
void ses_part_subtract(const struct ses_player *p, struct ses_part *part,
		       const struct ses_part *base)
{
	ses_totals_subtract(&part->totals, &base->totals);
	for (size_t k = 0; k < p->cfg->n_column; k++)
		for (size_t i = 0; i < WIRE_N; i++)
			part->more[k][i] -= base->more[k][i];
}

/* *part += *more. */
void ses_part_add(const struct ses_player *p, struct ses_part *part, const struct ses_part *more)
{
	ses_totals_add(&part->totals, &more->totals);
	for (size_t k = 0; k < p->cfg->n_column; k++)
		for (size_t i = 0; i < WIRE_N; i++)
			part->more[k][i] += more->more[k][i];
}

/* Add what the processes of the run counted, this one left out, and what the shares have of its
 * own: wires of machine 0 are in the first share's alone. */
void ses_parts_add_up(const struct ses_player *p, struct ses_totals *others,
		      uint64_t (*more)[WIRE_N])
{
	for (size_t i = 0; i < p->n_share * (p->in.n_process + 1); i++) {
		const size_t process = i % (p->in.n_process + 1);

		if (process < p->in.n_process)
			ses_totals_add(others, &p->parts[i].totals);
		if (p->cfg->is_alone && process < p->in.n_process)
			continue;
		for (size_t k = 0; k < p->cfg->n_column; k++)
			for (size_t w = 0; w < WIRE_N; w++)
				more[k][w] += p->parts[i].more[k][w];
	}
}
