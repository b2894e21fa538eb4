/* groups.c -- finds a group of the catalog and adds its events to a list. Rules are in groups.h.
 */
#include "event/groups.h"

#include <string.h>
#include <strings.h>

#include "event/no_such.h"

const struct cat_group *evt_find_group(const struct cat_cpu *cpu, const char *name)
{
	size_t n;
	const struct cat_group *rows = cat_groups(&n);

	for (size_t i = 0; i < n; i++)
		if (rows[i].family == cpu->family && !strcasecmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static int unknown(const struct cat_cpu *cpu, const char *name, struct spmu_error *err)
{
	size_t n;
	const struct cat_group *rows = cat_groups(&n);
	struct spelling_search s = {.word = name};

	for (size_t i = 0; i < n; i++)
		if (rows[i].family == cpu->family)
			spelling_offer(&s, rows[i].name);
	return evt_no_such("group", name, cpu, &s, err);
}

int evt_events_of_group(const struct cat_cpu *cpu, const char *name, struct evt_events *list,
			struct spmu_error *err)
{
	const struct cat_group *group = evt_find_group(cpu, name);
	size_t before = list->n;

	if (!group)
		return unknown(cpu, name, err);
	for (size_t i = 0; group->events[i]; i++) {
		const size_t at = list->n;
		struct spmu_error skipped;
		int rc = evt_parse_events(cpu, group->events[i], false, list, &skipped);

		if (rc == -SPMU_ENOMEM)
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for the list of events");
		if (list->n > at)
			list->event[at].pair = group->pair[i];
	}
	if (list->n == before)
		return spmu_fail(err, SPMU_EINVAL, "group %s: %s has none of its events", name,
				 cpu->name);
	return 0;
}

int evt_events_default(const struct cat_cpu *cpu, struct evt_events *list, struct spmu_error *err)
{
	if (evt_find_group(cpu, "default"))
		return evt_events_of_group(cpu, "default", list, err);
	return evt_events_all(cpu, 2, list, err);
}
