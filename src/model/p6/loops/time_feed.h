/* time_feed.h -- the loop over records when clocks are counted (time_feed.c), and the machine in
 * time opened and closed. */
#ifndef SOFTPMU_MODEL_P6_TIME_FEED_H
#define SOFTPMU_MODEL_P6_TIME_FEED_H

#include "model/p6/p6.h"

int p6_time_open(struct p6 *m, const struct mdl_config *cfg);
void p6_time_close(struct p6 *m);
void p6_time_forget(struct p6 *m);

/* Records of processor m when clocks are counted. Returns as p6_feed(). */
int p6_time_feed(struct p6 *m, const uint8_t *bytes, const uint8_t *end);

/* A new address space: no line is on its way to it, and no code of it was executed. */
void p6_time_exec(struct p6 *m);

#endif
