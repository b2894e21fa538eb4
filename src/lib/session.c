/* session.c -- open and close; regions by name. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/lib.h"

/* The list of events may not be longer than the arrays of a thread. */
static int read_events(struct spmu *s, const char *text, struct spmu_error *err)
{
	int rc = hw_parse_events(&s->machine, text, false, &s->events, err);

	if (rc)
		return rc;
	if (s->events.n > SPMU_MOST_EVENTS)
		return spmu_fail(err, SPMU_EINVAL,
				 "%zu events: at most %u can be counted in one session",
				 s->events.n, SPMU_MOST_EVENTS);
	return 0;
}

int spmu_open(struct spmu **out, const struct spmu_settings *settings, struct spmu_error *err)
{
	struct spmu_settings own = SPMU_SETTINGS;
	struct spmu *s = NULL;
	int rc;

	*out = NULL;
	if (err)
		err->code = 0;
	if (!settings) {
		rc = spmu_settings_environment(&own, err);
		if (rc)
			return rc;
		settings = &own;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for a session");
	pthread_mutex_init(&s->lock, NULL);
	s->pid = getpid();
	s->format = settings->format;
	s->is_serial = settings->is_serial;
	s->has_no_inline = settings->has_no_inline;
	hw_machine_open(&s->machine);
	rc = read_events(s, settings->events ? settings->events : "instructions", err);
	if (rc)
		goto fail;
	rc = -SPMU_ENOMEM;
	if (settings->output && !(s->output = strdup(settings->output)))
		goto no_memory;
	if (spmu_region(s, "(nothing)") != LIB_EMPTY_REGION)
		goto no_memory;
	*out = s;
	return 0;
no_memory:
	spmu_fail(err, SPMU_ENOMEM, "out of memory for a session");
fail:
	spmu_close(s);
	return rc;
}

void spmu_close(struct spmu *s)
{
	struct spmu_thread *next;

	if (!s)
		return;
	for (struct spmu_thread *t = s->first; t; t = next) {
		next = t->next;
		lib_thread_shut(t);
		pthread_mutex_destroy(&t->lock);
		free(t->slot);
		free(t);
	}
	for (size_t i = 0; i < s->n_region; i++)
		free(s->region[i]);
	free(s->region);
	free(s->output);
	hw_events_free(&s->events);
	hw_machine_close(&s->machine);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

size_t spmu_event_count(const struct spmu *s)
{
	return s->events.n;
}

const char *spmu_event_name(const struct spmu *s, size_t i)
{
	return i < s->events.n ? s->events.event[i].name : NULL;
}

const char *spmu_machine_name(const struct spmu *s)
{
	return s->machine.name;
}

/* With the lock held. Returns the new region's number or -SPMU_ENOMEM. */
static int add_region(struct spmu *s, const char *name)
{
	if (s->n_region == s->room) {
		const size_t room = s->room ? 2 * s->room : 16;
		char **region = realloc(s->region, room * sizeof(*region));

		if (!region)
			return -SPMU_ENOMEM;
		s->region = region;
		s->room = room;
	}
	s->region[s->n_region] = strdup(name);
	if (!s->region[s->n_region])
		return -SPMU_ENOMEM;
	return (int)s->n_region++;
}

int spmu_region(struct spmu *s, const char *name)
{
	int number = -1;

	if (!name || !*name)
		return -SPMU_EINVAL;
	pthread_mutex_lock(&s->lock);
	for (size_t i = 1; i < s->n_region && number < 0; i++)
		if (!strcmp(s->region[i], name))
			number = (int)i;
	if (number < 0)
		number = add_region(s, name);
	pthread_mutex_unlock(&s->lock);
	return number;
}
