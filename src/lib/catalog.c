/* catalog.c -- the catalog for users of the library. */
#include <stdlib.h>
#include <string.h>

#include <softpmu/catalog.h>

#include "catalog/catalog.h"

const char *spmu_cpu_name(size_t i)
{
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);

	for (size_t k = 0; k < n; k++)
		if (cpus[k].family != CAT_TOY && i-- == 0)
			return cpus[k].name;
	return NULL;
}

static void fill(struct spmu_event_info *out, const struct cat_event *e)
{
	*out = (struct spmu_event_info){.name = e->name,
					.unit = e->unit,
					.meaning = e->meaning,
					.source = e->source,
					.code = e->code,
					.default_umask = e->default_umask,
					.counters = e->counters & 3u,
					.is_duration = e->kind == CAT_DURATION};
}

int spmu_nth_event(const char *cpu_name, size_t i, struct spmu_event_info *out)
{
	const struct cat_cpu *cpu = cat_find_cpu(cpu_name);
	size_t n;
	const struct cat_event *events = cat_events(&n);

	for (size_t k = 0; cpu && k < n; k++)
		if (cat_cpu_has_event(cpu, &events[k]) && i-- == 0) {
			fill(out, &events[k]);
			return 0;
		}
	return -SPMU_ENOENT;
}

int spmu_find_event(const char *cpu_name, const char *name, int counter,
		    struct spmu_event_info *out)
{
	const struct cat_cpu *cpu = cat_find_cpu(cpu_name);
	const struct cat_event *e;
	uint8_t umask;
	char *end;

	if (!cpu || !name || counter < -1 || counter > 1)
		return -SPMU_ENOENT;
	e = cat_find_event(cpu, name, counter);
	if (!e) {
		e = cat_find_generic(cpu, name, &umask);
		if (e && counter >= 0 && !(e->counters >> counter & 1))
			e = NULL;
	}
	if (!e && name[0] == '0' && (name[1] | 0x20) == 'x') {
		const unsigned long code = strtoul(name, &end, 16);

		if (!*end && code <= 0xff)
			e = cat_find_event_code(cpu, (unsigned)code, counter);
	}
	if (!e)
		return -SPMU_ENOENT;
	fill(out, e);
	return 0;
}
