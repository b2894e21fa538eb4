/* spawn.h -- start the guest process from a descriptor. */
#ifndef SOFTPMU_SESSION_SPAWN_H
#define SOFTPMU_SESSION_SPAWN_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "session/machine/limits.h"
#include "session/serve/serve.h"

/* Settings of its own process that softpmu changes, and that the child gets back as the user had
 * them. */
struct ses_inherited {
	struct rlimit limit[SES_N_LIMITS];
	int has_sigxfsz_ignored; /* softpmu ignores SIGXFSZ; 1 = it was ignored before */
	sigset_t mask;		 /* blocked signals */
	bool hears_usr1;
	bool has_time_limit; /* a hard limit of processor time, which nobody may raise */
};

/* Raise the limits of this process and ignore SIGXFSZ, so that shared memory can be made. Block
 * SIGINT, SIGTERM and, with hears_usr1, SIGUSR1: ses_serve() waits for them itself. *inherited
 * receives what the user had. */
void ses_raise_limits(struct ses_inherited *inherited, bool hears_usr1);

/* Put limits, SIGXFSZ and blocked signals back as they were. */
void ses_restore_limits(const struct ses_inherited *inherited);

/* Fork, and start the runtime in the child with its descriptors (enum shr_fd). s->pid receives
 * the child, s->sock and s->life softpmu's ends. Returns 0, or -SPMU_ESYS with a sentence; then
 * no child is left. */
int ses_spawn(const struct ses_areas *a, const struct ses_inherited *inherited,
	      struct ses_server *s, struct spmu_error *err);

#endif
