#include "perfev/sampling.h"

#include <errno.h>

int pev_sampling_open(struct pev_event *e, uint32_t other, uint32_t flags)
{
	if (e->attr.sample_period)
		return -EOPNOTSUPP;
	if ((flags & PERF_FLAG_FD_OUTPUT) && other != PEV_NONE)
		e->output = other;
	return 0;
}

int pev_sampling_refresh(struct pev_event *e, int64_t n)
{
	if (e->attr.inherit || !e->period)
		return -EINVAL;
	e->refresh += n;
	e->run = PEV_ON;
	return 0;
}

int pev_sampling_period(struct pev_event *e, uint64_t period)
{
	if (!e->period || !period || (e->attr.freq ? period > PEV_MOST_RATE : period >> 63))
		return -EINVAL;
	e->period = e->left = period;
	return 0;
}

int pev_sampling_output(struct pev_local *l, uint32_t index, uint64_t key)
{
	struct pev_event *e = &l->board->event[index], *to;
	uint32_t other;

	if (!key) {
		e->output = index;
		return 0;
	}
	other = pev_board_find(l->board, key);
	if (other == PEV_NONE || other == index)
		return -EINVAL;
	to = &l->board->event[other];
	if (to->cpu != e->cpu || (e->cpu == -1 && (to->task != e->task || to->thread != e->thread)) || e->map_bytes)
		return -EINVAL;
	e->output = other;
	return 0;
}
