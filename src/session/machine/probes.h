/* probes.h -- what this machine, kernel and container allow, tried out rather than guessed.
 *
 * Each probe does the thing itself, in a child process where it could kill. Used by softpmu
 * doctor, and before a 32-bit program is started. */
#ifndef SOFTPMU_SESSION_PROBES_H
#define SOFTPMU_SESSION_PROBES_H

#include <stdbool.h>
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

/* Does the kernel answer 32-bit system calls (int 0x80) of 64-bit code? Cost: a fork. */
bool ses_host_has_int80(void);

#endif
