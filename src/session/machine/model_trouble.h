/* model_trouble.h -- says in one sentence why a model could not be opened, and what to change. */
#ifndef SOFTPMU_SESSION_MODEL_TROUBLE_H
#define SOFTPMU_SESSION_MODEL_TROUBLE_H

#include "base/error.h"
#include "model/model.h"

/* Fill in *err. rc: what mdl_open(cfg) returned, not 0. Returns rc. */
int ses_model_trouble(const struct mdl_config *cfg, int rc, struct spmu_error *err);

#endif
