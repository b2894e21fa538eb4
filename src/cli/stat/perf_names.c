/* perf_names.c -- finds the names of softpmu among the events that perf was given. Rules:
 * perf_names.h. */
#include "cli/stat/perf_names.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/spelling.h"
#include "base/text.h"
#include "cli/cli.h"
#include "event/events.h"

#define PERF_USAGE 129 /* status with which perf leaves what it cannot read */

static bool is_perf(const char *path)
{
	const char *name = text_last_part(path);

	return !strcmp(name, "perf") || !strncmp(name, "perf_", 5);
}

/* The list of events in argument *i, or behind it; NULL: there is none. */
static const char *events_at(char *const *argv, int *i)
{
	const char *a = argv[*i];

	if (!strcmp(a, "-e") || !strcmp(a, "--event"))
		return argv[*i + 1] ? argv[++*i] : NULL;
	if (!strncmp(a, "-e", 2))
		return a + 2;
	return !strncmp(a, "--event=", 8) ? a + 8 : NULL;
}

/* The event as perf writes it without a name, into out; returns out. */
static const char *raw_of(const struct cat_cpu *cpu, const char *name, char out[16])
{
	struct spmu_error err;
	struct evt_event e;
	unsigned raw;

	if (evt_parse_event(cpu, name, false, &e, &err) || !e.event || e.code > 0xff)
		return NULL;
	raw = e.code | (unsigned)e.umask << 8;
	if (cpu->family == CAT_P5)
		raw = e.code | (e.event->counters == 3 ? 0u : (unsigned)e.event->counters << 8);
	snprintf(out, 16, "r%04x", raw);
	return out;
}

/* Say what perf calls this name. Returns false where there is nothing to say. */
static bool say_name(const struct cat_cpu *cpu, const char *name)
{
	struct spelling_search near = {.word = name};
	char text[16];
	const char *raw;

	if (cat_find_event(cpu, name, -1) && (raw = raw_of(cpu, name, text)) != NULL) {
		cli_fail("perf does not know %s, which is a name of softpmu; perf counts it by its "
			 "code, -e %s (softpmu list names shows the names that perf has)",
			 name, raw);
		return true;
	}
	cat_offer_events(cpu, &near);
	if (!near.best || !spelling_is_near(&near) || !spelling_distance(name, near.best))
		return false;
	raw = cat_find_event(cpu, near.best, -1) ? raw_of(cpu, near.best, text) : NULL;
	cli_fail("perf does not know %s; did you mean %s%s%s?", name, near.best,
		 raw ? ", which perf counts as -e " : "", raw ? raw : "");
	return true;
}

/* Say it for the first such name of a list. Returns false when it has none. */
static bool say_list(const struct cat_cpu *cpu, const char *list)
{
	char name[128];

	for (const char *at = list; *at;) {
		const size_t n = strcspn(at, ",{}");

		snprintf(name, sizeof(name), "%.*s", (int)(n < 127 ? n : 127), at);
		at += n + (at[n] != 0);
		if (strchr(name, '/')) /* terms of a PMU: the rest belongs to them, too */
			return false;
		name[strcspn(name, ":")] = 0;
		if (*name && say_name(cpu, name))
			return true;
	}
	return false;
}

void cli_say_perf_names(const struct cat_cpu *cpu, char *const *argv, int wait_status)
{
	if (!WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != PERF_USAGE || !is_perf(argv[0]))
		return;
	for (int i = 1; argv[i] && strcmp(argv[i], "--") != 0; i++) {
		const char *list = events_at(argv, &i);

		if (list && say_list(cpu, list))
			return;
	}
}
