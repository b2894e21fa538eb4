/* settings.c -- what to count and where to write it, from the environment and the command line. */
#include <stdlib.h>
#include <string.h>

#include "lib/lib.h"

static int set_format(struct spmu_settings *s, const char *where, const char *value,
		      struct spmu_error *err)
{
	if (strcmp(value, "text") != 0 && strcmp(value, "json") != 0)
		return spmu_fail(err, SPMU_EINVAL, "%s %s: there are text and json", where, value);
	s->format = strcmp(value, "json") ? SPMU_TEXT : SPMU_JSON;
	return 0;
}

/* A variable that is 0 or 1. */
static int read_switch(const char *name, bool *is_on, struct spmu_error *err)
{
	const char *value = getenv(name);

	if (!value)
		return 0;
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return spmu_fail(err, SPMU_EINVAL, "%s=%s: 0 or 1 is wanted", name, value);
	*is_on = *value == '1';
	return 0;
}

int spmu_settings_environment(struct spmu_settings *settings, struct spmu_error *err)
{
	struct spmu_settings s = *settings;
	const char *events = getenv("SOFTPMU_EVENTS"), *output = getenv("SOFTPMU_OUTPUT");
	const char *format = getenv("SOFTPMU_FORMAT");
	bool is_inline = !s.has_no_inline;
	int rc = format ? set_format(&s, "SOFTPMU_FORMAT", format, err) : 0;

	if (events && *events)
		s.events = events;
	if (output && *output)
		s.output = output;
	if (!rc)
		rc = read_switch("SOFTPMU_SERIAL", &s.is_serial, err);
	if (!rc)
		rc = read_switch("SOFTPMU_INLINE", &is_inline, err);
	s.has_no_inline = !is_inline;
	if (!rc)
		*settings = s;
	return rc;
}

/* Value of option `name` at argv[i]: behind "=" or the next word, which *used counts. NULL: it is
 * missing. */
static const char *value_of(char **argv, int i, int argc, size_t name, int *used)
{
	*used = 1;
	if (argv[i][name] == '=')
		return argv[i] + name + 1;
	if (i + 1 >= argc)
		return NULL;
	*used = 2;
	return argv[i + 1];
}

/* Is argv[i] the option `name`, alone or with "="? */
static bool is_option(const char *word, const char *name)
{
	const size_t n = strlen(name);

	return !strncmp(word, name, n) && (!word[n] || word[n] == '=');
}

/* Take the option at argv[i]. Returns the number of words it has; 0: not ours; -SPMU_EINVAL. */
static int take_option(struct spmu_settings *s, int argc, char **argv, int i,
		       struct spmu_error *err)
{
	static const char *const names[] = {"--pmu-events", "--pmu-output", "--pmu-format"};

	if (!strcmp(argv[i], "--pmu-serial")) {
		s->is_serial = true;
		return 1;
	}
	if (!strcmp(argv[i], "--pmu-no-inline")) {
		s->has_no_inline = true;
		return 1;
	}
	for (int k = 0; k < 3; k++) {
		const char *value;
		int used;

		if (!is_option(argv[i], names[k]))
			continue;
		value = value_of(argv, i, argc, strlen(names[k]), &used);
		if (!value || !*value)
			return spmu_fail(err, SPMU_EINVAL, "%s: a value is wanted behind it",
					 names[k]);
		if (k == 2 && set_format(s, names[k], value, err))
			return -SPMU_EINVAL;
		if (k == 0)
			s->events = value;
		else if (k == 1)
			s->output = value;
		return used;
	}
	return 0;
}

int spmu_settings_arguments(struct spmu_settings *settings, int *argc, char **argv,
			    struct spmu_error *err)
{
	struct spmu_settings s = *settings;
	int n = *argc > 0, taken = 0;

	/* look first, so that after an error argv is what it was */
	for (int i = n; i < *argc && strcmp(argv[i], "--") != 0;) {
		const int used = take_option(&s, *argc, argv, i, err);

		if (used < 0)
			return used;
		i += used ? used : 1;
	}
	for (int i = n; i < *argc;) {
		struct spmu_settings again = s;

		taken = strcmp(argv[i], "--") ? take_option(&again, *argc, argv, i, NULL) : -1;
		if (taken < 0) { /* the rest stays */
			while (i < *argc)
				argv[n++] = argv[i++];
		} else if (taken) {
			i += taken;
		} else {
			argv[n++] = argv[i++];
		}
	}
	argv[n] = NULL;
	*argc = n;
	*settings = s;
	return 0;
}
