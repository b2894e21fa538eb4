/* workers.c -- how many threads compute the clocks of one machine. Rules: workers.h. */
#include "session/machine/workers.h"

#include <sched.h>

uint8_t ses_workers(const struct ses_config *cfg, int tier)
{
	cpu_set_t mine;

	if (tier < 3 || cfg->model.cpu->family != CAT_P6)
		return 0;
	if (cfg->n_worker)
		return (uint8_t)cfg->n_worker;
	if (sched_getaffinity(0, sizeof(mine), &mine) == 0 && CPU_COUNT(&mine) >= (int)SES_WORKERS)
		return SES_WORKERS;
	return cfg->model.p6.sample_every ? 1 : 0;
}
