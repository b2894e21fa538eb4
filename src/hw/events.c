/* events.c -- lists and groups; event_find.c knows what one event is. */
#include "hw/events.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Length of the event at s: up to the next "," "{" "}" or end that is outside pmu/.../ . */
static size_t event_span(const char *s)
{
	bool is_inside = false;
	size_t n = 0;

	for (; s[n]; n++) {
		if (s[n] == '/')
			is_inside = !is_inside && strchr(s + n + 1, '/');
		else if (!is_inside && strchr(",{}", s[n]))
			break;
	}
	return n;
}

static int add_event(struct hw_events *list, const struct hw_event *e, struct spmu_error *err)
{
	if (list->n == list->room) {
		const size_t room = list->room ? 2 * list->room : 16;
		struct hw_event *event = realloc(list->event, room * sizeof(*event));

		if (!event)
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for the list of events");
		list->event = event;
		list->room = room;
	}
	list->event[list->n++] = *e;
	return 0;
}

/* One event of n characters, with the levels of its group ("": none). */
static int parse_one(struct hw_machine *m, const char *s, size_t n, const char *levels, bool is_raw,
		     struct hw_event *out, struct spmu_error *err)
{
	char text[sizeof(out->name)];

	while (n && isspace((unsigned char)*s))
		s++, n--;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	if (!n)
		return spmu_fail(err, SPMU_EINVAL, "event list: an event is missing");
	if (snprintf(text, sizeof(text), "%.*s%s%s", (int)n, s, *levels ? ":" : "", levels) >=
	    (int)sizeof(text))
		return spmu_fail(err, SPMU_EINVAL, "event %.40s...: longer than 127 characters", s);
	return hw_parse_event(m, text, is_raw, out, err);
}

/* Events up to the end or, in a group, up to its "}". Returns 0 and moves *at. */
static int parse_run(struct hw_machine *m, const char **at, const char *levels, int group,
		     bool is_raw, struct hw_events *list, struct spmu_error *err)
{
	const char *s = *at;

	for (;; s++) {
		const size_t n = event_span(s);
		struct hw_event e;
		int rc = parse_one(m, s, n, levels, is_raw, &e, err);

		if (rc)
			return rc;
		e.group = (int16_t)group;
		rc = add_event(list, &e, err);
		if (rc)
			return rc;
		s += n;
		if (*s != ',' || (group < 0 && s[1 + strspn(s + 1, " \t\n")] == '{'))
			break;
	}
	*at = s;
	return 0;
}

/* s: at "{". Moves *at behind the group and its levels. */
static int parse_group(struct hw_machine *m, const char **at, bool is_raw, struct hw_events *list,
		       struct spmu_error *err)
{
	const char *s = *at + 1, *close = strchr(s, '}');
	char levels[8] = "";
	size_t n = 0;
	int rc;

	if (!close)
		return spmu_fail(err, SPMU_EINVAL, "event group %.60s: the closing } is missing",
				 *at);
	if (close[1] == ':') {
		n = strcspn(close + 2, ",{}");
		if (n >= sizeof(levels) || strspn(close + 2, "ukh") != n)
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "event group %.60s: behind the } there may be :u, :k and :h", *at);
		memcpy(levels, close + 2, n);
		n++;
	}
	rc = parse_run(m, &s, levels, list->n_group, is_raw, list, err);
	if (rc)
		return rc;
	if (s != close)
		return spmu_fail(err, SPMU_EINVAL,
				 *s == '{' ? "event group %.60s: groups do not nest"
					   : "event group %.60s: a comma is missing",
				 *at);
	list->n_group++;
	*at = close + 1 + n;
	return 0;
}

int hw_parse_events(struct hw_machine *m, const char *text, bool is_raw, struct hw_events *list,
		    struct spmu_error *err)
{
	const char *s = text;

	for (;; s++) {
		int rc;

		s += strspn(s, " \t\n");
		rc = *s == '{' ? parse_group(m, &s, is_raw, list, err)
			       : parse_run(m, &s, "", -1, is_raw, list, err);
		if (rc)
			return rc;
		s += strspn(s, " \t\n");
		if (!*s)
			return 0;
		if (*s != ',')
			return spmu_fail(err, SPMU_EINVAL,
					 "event list: a comma is missing before %.40s", s);
	}
}

void hw_events_free(struct hw_events *list)
{
	free(list->event);
	*list = (struct hw_events){0};
}
