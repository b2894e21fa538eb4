/* params.h -- parameters of the pipeline (params.c).
 *
 * Their names and units are the columns of catalog/p6/params.tsv; params.def lists them for C.
 */
#ifndef SOFTPMU_MODEL_P6_PARAMS_H
#define SOFTPMU_MODEL_P6_PARAMS_H

#include "model/p6/p6.h"

/* Fill m->time.par: the rows of m->cpu, then what cfg->p6.setting (--set) puts in their place. The
 * first thing to be opened of time: everything else reads them. Returns 0; -SPMU_EINVAL for a value
 * above 1000, or for a machine that struct p6_time has no room for (more buffers than
 * P6_MAX_BUFFERS, a reorder buffer longer than P6_MAX_ROB ...). Then m->time.par must not be used.
 */
int p6_params_open(struct p6 *m, const struct mdl_config *cfg);

#endif
