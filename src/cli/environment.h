/* environment.h -- the environment that the program is given. */
#ifndef SOFTPMU_CLI_ENVIRONMENT_H
#define SOFTPMU_CLI_ENVIRONMENT_H

/* --env SPEC: "clean" for PATH, HOME, LANG and TERM at fixed values, then any number of ",VAR"
 * (taken from this environment) and ",VAR=VALUE".
 * Returns a NULL terminated vector with all strings in one allocation to free(), or NULL after a
 * message. */
char **cli_environment(const char *spec);

#endif
