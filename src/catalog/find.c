/* find.c -- look-up over the generated tables: by name, alias, code, and the nearest name.
 *
 * Tables are short (hundreds of rows) and looked up once per command, so every search is linear.
 */
#include "base/spelling.h"
#include "catalog/tables.h"

#include <string.h>
#include <strings.h>

const struct cat_cpu *cat_find_cpu(const char *name)
{
	for (size_t i = 0; i < cat_n_cpu; i++)
		if (strcasecmp(cat_cpu_table[i].name, name) == 0)
			return &cat_cpu_table[i];
	for (size_t i = 0; i < cat_n_cpu_name; i++)
		if (strcasecmp(cat_cpu_name_table[i].name, name) == 0)
			return cat_cpu_name_table[i].cpu;
	return NULL;
}

bool cat_cpu_has_event(const struct cat_cpu *cpu, const struct cat_event *e)
{
	return e->family == cpu->family && (e->cpus >> cpu->cpu_class & 1);
}

/* Does counter `counter` (-1: any) count `e` on `cpu`? */
static bool is_countable(const struct cat_cpu *cpu, const struct cat_event *e, int counter)
{
	return cat_cpu_has_event(cpu, e) && (counter < 0 || (e->counters >> counter & 1));
}

const struct cat_event *cat_find_event(const struct cat_cpu *cpu, const char *name, int counter)
{
	for (size_t i = 0; i < cat_n_event; i++)
		if (is_countable(cpu, &cat_event_table[i], counter) &&
		    strcasecmp(cat_event_table[i].name, name) == 0)
			return &cat_event_table[i];
	for (size_t i = 0; i < cat_n_alias; i++)
		if (!cat_alias_names[i].has_umask &&
		    is_countable(cpu, cat_alias_names[i].event, counter) &&
		    strcasecmp(cat_alias_names[i].name, name) == 0)
			return cat_alias_names[i].event;
	return NULL;
}

const struct cat_event *cat_find_event_code(const struct cat_cpu *cpu, unsigned code, int counter)
{
	for (size_t i = 0; i < cat_n_event; i++)
		if (cat_event_table[i].code == code &&
		    is_countable(cpu, &cat_event_table[i], counter))
			return &cat_event_table[i];
	return NULL;
}

const struct cat_generic *cat_find_generic_row(const struct cat_cpu *cpu, const char *name)
{
	for (size_t i = 0; i < cat_n_generic; i++)
		if (cat_generic_table[i].family == cpu->family &&
		    strcasecmp(cat_generic_table[i].name, name) == 0)
			return &cat_generic_table[i];
	return NULL;
}

const struct cat_event *cat_find_driver(const struct cat_cpu *cpu, const char *name, uint8_t *umask)
{
	const struct cat_generic *g = cat_find_generic_row(cpu, name);

	if (!g || !g->driver || !cat_cpu_has_event(cpu, g->driver))
		return NULL;
	*umask = g->driver_umask;
	return g->driver;
}

const struct cat_software *cat_find_software(const char *name)
{
	for (size_t i = 0; i < cat_n_software; i++)
		if (strcasecmp(cat_software_table[i].name, name) == 0)
			return &cat_software_table[i];
	return NULL;
}

bool cat_may_select_nothing(const struct cat_event *e)
{
	for (unsigned i = 0; i < e->n_wire; i++)
		if (e->wire[i].unless)
			return false;
	return true;
}

const struct cat_event *cat_find_generic(const struct cat_cpu *cpu, const char *name,
					 uint8_t *umask)
{
	const struct cat_generic *g = cat_find_generic_row(cpu, name);

	if (g && g->event && cat_cpu_has_event(cpu, g->event)) {
		if (umask)
			*umask = g->umask;
		return g->event;
	}
	for (size_t i = 0; i < cat_n_alias; i++) {
		const struct cat_alias *a = &cat_alias_names[i];

		if (a->has_umask && strcasecmp(a->name, name) == 0 &&
		    cat_cpu_has_event(cpu, a->event)) {
			if (umask)
				*umask = a->umask;
			return a->event;
		}
	}
	return NULL;
}

const struct cat_reading *cat_other_reading(unsigned code, unsigned wire)
{
	const struct cat_reading *common = NULL;

	for (size_t i = 0; i < cat_n_reading; i++) {
		const struct cat_reading *r = &cat_reading_table[i];

		if (r->wire == wire && r->code == (int)code)
			return r;
		if (r->wire == wire && r->code < 0)
			common = r;
	}
	return common;
}

const char *cat_find_source(const char *key, size_t n)
{
	for (size_t i = 0; i < cat_n_source; i++)
		if (strncmp(cat_source_table[i].key, key, n) == 0 && !cat_source_table[i].key[n])
			return cat_source_table[i].text;
	return NULL;
}

const char *const *cat_event_aliases(const struct cat_event *e)
{
	return cat_alias_table[e - cat_event_table];
}

void cat_offer_events(const struct cat_cpu *cpu, struct spelling_search *s)
{
	for (size_t i = 0; i < cat_n_event; i++)
		if (cat_cpu_has_event(cpu, &cat_event_table[i]))
			spelling_offer(s, cat_event_table[i].name);
	for (size_t i = 0; i < cat_n_generic; i++) {
		if (cat_generic_table[i].family == cpu->family)
			spelling_offer(s, cat_generic_table[i].name);
	}
	for (size_t i = 0; i < cat_n_software; i++)
		spelling_offer(s, cat_software_table[i].name);
	for (size_t i = 0; i < cat_n_alias && !spelling_is_near(s); i++)
		if (cat_cpu_has_event(cpu, cat_alias_names[i].event))
			spelling_offer(s, cat_alias_names[i].name);
}
