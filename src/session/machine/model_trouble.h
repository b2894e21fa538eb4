/* model_trouble.h -- why a model could not be opened, in a sentence that says what to change. */
#ifndef SOFTPMU_SESSION_MODEL_TROUBLE_H
#define SOFTPMU_SESSION_MODEL_TROUBLE_H

#include "base/error.h"
#include "model/model.h"

/* rc: what mdl_open(cfg) returned, not 0. Returns rc with err filled in. */
int ses_model_trouble(const struct mdl_config *cfg, int rc, struct spmu_error *err);

#endif
