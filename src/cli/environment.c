/* environment.c -- makes the program's environment from --env clean. Rules are in environment.h.
 *
 * The result is one block: pointers, then a copy of the option's text, which is cut apart in
 * place. A variable that is named without a value points into environ.
 */
#include "cli/environment.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static const char *const fixed[] = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/", "LANG=C",
				    "TERM=dumb"};

#define N_FIXED (sizeof(fixed) / sizeof(fixed[0]))

/* Returns 1 if `setting` (VAR=VALUE) sets the variable of n letters at `name`. */
static int is_setting(const char *setting, const char *name, size_t n)
{
	return !strncmp(setting, name, n) && setting[n] == '=';
}

/* Replace a variable that is there, or append. */
static void set_variable(char **env, size_t *n, char *setting)
{
	size_t length = strcspn(setting, "=");

	for (size_t i = 0; i < *n; i++)
		if (is_setting(env[i], setting, length)) {
			env[i] = setting;
			return;
		}
	env[(*n)++] = setting;
	env[*n] = NULL;
}

char **cli_environment(const char *spec)
{
	size_t room = N_FIXED + 2, n = 0, bytes = strlen(spec) + 1;
	char **env, *text;

	if (strncmp(spec, "clean", 5) || (spec[5] && spec[5] != ',')) {
		cli_fail("--env %s: write --env clean, or --env clean,VAR,VAR=VALUE to add "
			 "variables",
			 spec);
		return NULL;
	}
	for (const char *s = spec; *s; s++)
		room += *s == ',';
	env = malloc(room * sizeof(*env) + bytes);
	if (!env) {
		cli_fail("out of memory for the environment");
		return NULL;
	}
	text = (char *)(env + room);
	memcpy(text, spec, bytes);
	for (size_t i = 0; i < N_FIXED; i++)
		set_variable(env, &n, (char *)fixed[i]);
	for (char *s = strchr(text, ','); s;) {
		char *word = s + 1, *value;

		s = strchr(word, ',');
		if (s)
			*s = 0;
		if (strchr(word, '=')) {
			set_variable(env, &n, word);
			continue;
		}
		value = getenv(word);
		if (*word && value)
			set_variable(env, &n,
				     value - strlen(word) - 1); /* VAR=VALUE stands in environ */
	}
	return env;
}
