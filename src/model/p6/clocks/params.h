/* params.h -- parameters of the pipeline (params.c). */
#ifndef SOFTPMU_MODEL_P6_PARAMS_H
#define SOFTPMU_MODEL_P6_PARAMS_H

#include "model/p6/p6.h"

/* Read the parameters. Returns 0, or -SPMU_EINVAL for a machine that has no room in the state. */
int p6_params_open(struct p6 *m, const struct mdl_config *cfg);

#endif
