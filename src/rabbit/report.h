/* report.h -- the summary that rabbit prints: -S 0, 1 and 2. The layout is ours; rabbit's is lost
 * but for its words "events per cycle". */
#ifndef SOFTPMU_RABBIT_REPORT_H
#define SOFTPMU_RABBIT_REPORT_H

#include "rabbit/samples.h"
#include "session/session.h"

struct rbt_report {
	const struct rbt_pairs *pairs; /* borrowed, as all */
	const struct rbt_samples *samples;
	const struct ses_result
	    *run; /* counts of the whole run, all processes, in the order of pairs->events */
	char *const *argv; /* the program */
	uint32_t mhz;	   /* of seconds */
	double rate;
	int level; /* 0, 1, 2 */
};

/* Print it, at most 80 columns wide where names allow that. The caller checks ferror(). */
void rbt_report_print(const struct rbt_report *r, FILE *out);

#endif
