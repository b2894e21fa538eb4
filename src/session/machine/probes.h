/* probes.h -- finds out what this machine, kernel and container allow, by trying it.
 *
 * Each probe does what a run will do, in a child process if it may be killed. softpmu doctor uses
 * them. */
#ifndef SOFTPMU_SESSION_PROBES_H
#define SOFTPMU_SESSION_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum ses_verdict_of_host { SES_HOST_OK, SES_HOST_NOTE, SES_HOST_FAILS };

struct ses_probe {
	const char *name;
	/* Try it. text receives one line: what was found, what will not work, what to do. Returns
	 * SES_HOST_FAILS if softpmu cannot run programs here, SES_HOST_NOTE if it can, but
	 * something is missing, else SES_HOST_OK. */
	enum ses_verdict_of_host (*try)(char *text, size_t room);
	bool is_needed; /* if it fails, the probes after it are not tried */
};

/* All probes in the order of the report. Cost: a few milliseconds together. */
const struct ses_probe *ses_probes(size_t *n);

/* Ask the probes why no program can run here, after one could not: where one fails, err gets its
 * name and text in place of the sentence it has. Cost: a few milliseconds. */
void ses_probes_explain(struct spmu_error *err);

#endif
