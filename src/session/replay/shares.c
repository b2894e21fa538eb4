/* shares.c -- machines divided among processes. Rules: player.h. */
#include "session/replay/player.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/wires_p5.h"
#include "gen/wires_p6.h"
#include "session/machine/limits.h"
#include "session/machine/model_trouble.h"
#include "session/machine/workers.h"
#include "session/totals/columns.h"
#include "session/totals/stream_model.h"

/* Machine k, behind those of this share that are open. */
static int open_machine(struct ses_player *p, size_t k, const struct mdl_config *base)
{
	struct mdl_config *model = malloc(sizeof(*model));
	int rc = model ? 0 : spmu_fail(p->err, SPMU_ENOMEM, "out of memory");

	if (rc)
		return rc;
	*model = *base;
	if (k)
		ses_column_settings(p->cfg, k - 1, model);
	p->wires[k] = calloc(1, sizeof(*p->wires[k]));
	rc = !p->wires[k] ? -SPMU_ENOMEM
	     : p->model	  ? mdl_add(p->model, model, p->wires[k])
			  : mdl_open(model, p->wires[k], &p->model);
	if (rc)
		rc = ses_model_trouble(model, rc, p->err);
	if (!rc && !(p->in.flags & TRC_FILE_CLASSES)) /* the trace does not tell */
		p->wires[k]->driven[WIRE_P6_FPU_ASSIST] = 0;
	if (!rc && !(p->in.flags & TRC_FILE_MMX_OPERANDS))
		p->wires[k]->driven[WIRE_P5_MMX_SATURATED] = 0;
	if (!rc)
		memcpy(p->told->driven[k], p->wires[k]->driven, sizeof(p->told->driven[k]));
	free(model);
	return rc;
}

/* Returns how many worker threads compute the clocks of the one machine of this replay, given those
 * that it has in any case. Where counts are read on the way each reading would wait for more of
 * them, several machines have a processor each, and this user may not start so many. */
static uint8_t workers(const struct ses_player *p, int tier, uint8_t least)
{
	const struct ses_config *cfg = p->cfg;
	const uint8_t n = ses_workers(cfg, tier);

	return ses_player_machines(p) == 1 && !cfg->keeps_threads && !cfg->keeps_regions &&
		       !ses_player_has_range(p) && ses_can_start_threads(n)
		   ? n
		   : least;
}

/* The models of this share's machines, as a run opens them. */
static int open_machines(struct ses_player *p, int tier)
{
	struct mdl_config model;
	int rc = 0;

	ses_model_of_stream(p->cfg, tier, p->store, &model);
	model.is_unasked = 1;
	model.has_ledger = p->cfg->keeps_places;
	model.p6.n_worker = workers(p, tier, model.p6.n_worker);
	/* kept timings of a Pentium do not say for whom they count */
	if (model.cpu->family == CAT_P5 && (p->cfg->keeps_paths || p->cfg->function))
		model.has_no_memo = 1;
	for (size_t k = p->share; k < ses_player_machines(p) && !rc; k += p->n_share)
		rc = open_machine(p, k, &model);
	if (!rc && ses_accounts_open(p) != 0)
		rc = spmu_fail(p->err, SPMU_ENOMEM, "out of memory for the lists of a replay");
	return rc;
}

/* As many shares as there are processors of the host that this process may use, if there are so
 * many machines. */
size_t ses_player_n_share(const struct ses_player *p)
{
	cpu_set_t set;
	const int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;

	return n < 1 ? 1 : (size_t)n < ses_player_machines(p) ? (size_t)n : ses_player_machines(p);
}

/* Open this share's machines and count with them. The program's own totals stand behind those of
 * the processes of the file. Returns 0, or why the machines could not be opened. */
static int play_share(struct ses_player *p, int tier)
{
	struct ses_part *own;
	int rc;

	p->part = p->parts + p->share * (p->in.n_process + 1);
	own = &p->part[p->in.n_process];
	rc = open_machines(p, tier);
	p->told->share[p->share].rc = rc;
	if (rc) {
		p->told->share[p->share].err = *p->err;
		own->rc = 0;
		return rc;
	}
	p->next_end = p->cfg->from_mark.text ? UINT64_MAX
		      : p->cfg->from_insn    ? p->cfg->from_insn
		      : p->cfg->to_insn	     ? p->cfg->to_insn
					     : UINT64_MAX;
	p->ends.has_begun = !p->cfg->from_mark.text && !p->cfg->from_insn;
	rc = ses_player_play(p, p->in.first);
	if (!p->is_over) {
		ses_part_take(p, own);
		ses_accounts_take_off(p, &own->totals);
		ses_part_subtract(p, own, p->base); /* of the range that is not over, else all 0 */
	}
	while (p->n_playing)
		ses_player_await(p);
	own->rc = rc;
	return 0;
}

/* Start the process of another share. Returns 0 or -SPMU_ESYS. */
static int start_share(struct ses_player *p, size_t share, int tier)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -SPMU_ESYS;
	if (pid > 0) {
		p->sharer[share] = pid;
		return 0;
	}
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
		_exit(1);
	memset(p->sharer, 0, sizeof(p->sharer));
	p->share = share;
	play_share(p, tier);
	_exit(0);
}

/* All shares, the first one here. Returns 0 when all machines counted, up to what judge() says. */
int ses_player_shares(struct ses_player *p, int tier)
{
	int rc = 0;

	for (size_t s = 1; s < p->n_share; s++) {
		p->parts[s * (p->in.n_process + 1) + p->in.n_process].rc = -SPMU_ESYS;
		start_share(p, s, tier); /* judge() says it */
	}
	rc = play_share(p, tier);
	for (size_t s = 1; s < p->n_share; s++)
		while (p->sharer[s] && waitpid(p->sharer[s], NULL, 0) < 0 && errno == EINTR)
			;
	for (size_t s = 1; s < p->n_share && !rc; s++) {
		rc = p->told->share[s].rc;
		if (rc)
			*p->err = p->told->share[s].err;
	}
	return rc;
}
