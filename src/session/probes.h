/* probes.h -- what this machine, kernel and container allow, tried out rather than guessed.
 *
 * Each probe does the thing itself, in a child process where it could kill. Used by softpmu
 * doctor. */
#ifndef SOFTPMU_SESSION_PROBES_H
#define SOFTPMU_SESSION_PROBES_H

#include <stddef.h>

enum ses_verdict_of_host { SES_HOST_OK, SES_HOST_NOTE, SES_HOST_FAILS };

struct ses_probe {
	const char *name;
	/* Try. text receives one line: what was found, what will not work, what to do.
	 * SES_HOST_FAILS: softpmu cannot run programs here; SES_HOST_NOTE: it can, but something is
	 * missing. */
	enum ses_verdict_of_host (*try)(char *text, size_t room);
};

/* All probes in the order of the report. Cost: a few milliseconds together. */
const struct ses_probe *ses_probes(size_t *n);

#endif
