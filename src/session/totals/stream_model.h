/* stream_model.h -- settings of a model that is fed a stream for which no program waits: a trace
 * (replay/), or a machine (bare.c). */
#ifndef SOFTPMU_SESSION_STREAM_MODEL_H
#define SOFTPMU_SESSION_STREAM_MODEL_H

#include "session/session.h"

/* Set *out to cfg's machine with cfg's events at this tier. store: borrowed, where the stream's
 * blocks are. What estimates clocks does so in a thread of its own. */
void ses_model_of_stream(const struct ses_config *cfg, int tier, struct x86_store *store,
			 struct mdl_config *out);

#endif
