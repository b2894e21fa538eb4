/* progress.c -- adds this server's instructions to the run's sum about once a second, and
 * reports it. Rules: progress.h. */
#include "session/serve/progress.h"

#include "session/serve/serve.h"

#define EVERY_NS 1000000000ull
#define FIRST_NS (3 * EVERY_NS)

/* Returns the instructions of the guest and of the processes that it was forked from. */
static uint64_t instructions(const struct ses_server *s)
{
	const uint64_t *counters = s->areas->map[SES_AREA_COUNTER];
	const struct shr_tables *tab = s->areas->map[SES_AREA_TABLES];
	const uint32_t n = s->tier == SHR_TIER_COUNT ? xlt_n_blocks(s->translator) : 0;
	uint64_t sum = mdl_instructions(s->model);

	for (uint32_t i = 0; i < n; i++)
		sum += xlt_times(counters, i) * tab->block[i].n_insn;
	return sum;
}

void ses_progress_look(struct ses_server *s)
{
	const struct ses_progress_config *cfg = s->cfg->progress;
	struct ses_alarm *a = s->family->alarm;
	uint64_t at, now;

	if (!cfg || s->is_left)
		return;
	at = ses_host_ns() - s->start_ns;
	if (at < s->progress.next_ns)
		return;
	s->progress.next_ns = at + EVERY_NS;
	now = instructions(s);
	if (now > s->progress.added) {
		__atomic_add_fetch(&a->instructions, now - s->progress.added, __ATOMIC_RELAXED);
		s->progress.added = now;
	}
	if (s->family->is_first && at >= FIRST_NS)
		cfg->tell(cfg->ctx, at, __atomic_load_n(&a->instructions, __ATOMIC_RELAXED),
			  (s->is_reaped ? 0 : 1) + s->family->n_born - s->family->n_gone);
}

void ses_progress_born(struct ses_server *s)
{
	if (s->cfg->progress)
		s->progress.added = instructions(s);
}
