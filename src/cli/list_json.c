/* list_json.c -- softpmu list --json: one function per table of the catalog. Rules are in
 * list_json.h.
 *
 * Each makes an array of objects by jansson, prints it and frees it.
 */
#include "cli/list_json.h"

#include "cli/explain/topic.h"

#include <jansson.h>
#include <stdio.h>

#include "cli/cli.h"
#include "cli/explain/owner.h"
#include "cli/layout.h"

static void put_text(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

static int print(json_t *list)
{
	int rc = json_dumpf(list, stdout, JSON_INDENT(2));

	printf("\n");
	json_decref(list);
	return rc ? cli_fail("JSON: not everything could be written") : 0;
}

static json_t *masks(const struct cat_event *e)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < e->n_umask; i++) {
		json_t *o = json_object();

		put_text(o, "name", e->umask[i].name);
		json_object_set_new(o, "value", json_integer(e->umask[i].value));
		put_text(o, "text", e->umask[i].text);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *strings(const char *const *s)
{
	json_t *list = json_array();

	for (; *s; s++)
		json_array_append_new(list, json_string(*s));
	return list;
}

int list_json_events(const struct cat_cpu *cpu, const struct evt_events *list,
		     const struct evt_count *state)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++) {
		const struct cat_event *e = list->event[i].event;
		json_t *o = json_object();
		char owners[CLI_OWNERS_BYTES];

		put_text(o, "name", e->name);
		json_object_set_new(o, "code", json_integer(e->code));
		json_object_set_new(o, "counters", json_integer(e->counters));
		put_text(o, "unit", e->unit);
		put_text(o, "kind", layout_kind(e));
		json_object_set_new(o, "default_umask", json_integer(e->default_umask));
		json_object_set_new(o, "umasks", masks(e));
		json_object_set_new(o, "aliases", strings(cat_event_aliases(e)));
		put_text(o, "meaning", e->meaning);
		put_text(o, "rule", e->rule);
		put_text(o, "source", e->source);
		json_object_set_new(o, "is_modelled", json_boolean(state[i].status == EVT_COUNTED));
		if (state[i].why)
			put_text(o, "why", state[i].why);
		if (*e->short_name)
			put_text(o, "short_name", e->short_name);
		if (*cli_owner_words(e, owners))
			put_text(o, "counted_at", owners);
		json_array_append_new(array, o);
	}
	return print(array);
}

static json_t *geometry(const struct cat_cache *c)
{
	return json_pack("{s:i, s:i, s:i}", "size", (int)c->size_bytes, "ways", (int)c->ways,
			 "line", (int)c->line_bytes);
}

static json_t *other_names(const struct cat_cpu *cpu)
{
	json_t *list = json_array();
	size_t n;
	const struct cat_cpu_name *names = cat_cpu_names(&n);

	for (size_t i = 0; i < n; i++)
		if (names[i].cpu == cpu)
			json_array_append_new(list, json_string(names[i].name));
	return list;
}

int list_json_cpus(void)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		put_text(o, "name", cpu[i].name);
		put_text(o, "text", cpu[i].text);
		json_object_set_new(
		    o, "cpuid",
		    json_pack("[iii]", cpu[i].cpu_family, cpu[i].cpu_model, cpu[i].cpu_stepping));
		json_object_set_new(o, "l1i", geometry(&cpu[i].l1i));
		json_object_set_new(o, "l1d", geometry(&cpu[i].l1d));
		json_object_set_new(o, "l2", geometry(&cpu[i].l2));
		json_object_set_new(o, "itlb", geometry(&cpu[i].itlb));
		json_object_set_new(o, "dtlb", geometry(&cpu[i].dtlb));
		json_object_set_new(o, "btb_entries", json_integer(cpu[i].btb_entries));
		json_object_set_new(o, "rsb_entries", json_integer(cpu[i].rsb_entries));
		put_text(o, "source", cpu[i].source);
		json_object_set_new(o, "also", other_names(&cpu[i]));
		json_array_append_new(array, o);
	}
	return print(array);
}

int list_json_groups(const struct cat_cpu *cpu)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_group *g = cat_groups(&n);

	for (size_t i = 0; i < n; i++) {
		json_t *o;

		if (g[i].family != cpu->family)
			continue;
		o = json_object();
		put_text(o, "name", g[i].name);
		put_text(o, "text", g[i].text);
		json_object_set_new(o, "events", strings(g[i].events));
		json_array_append_new(array, o);
	}
	return print(array);
}

int list_json_metrics(const struct cat_cpu *cpu)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_metric *m = cat_metrics(&n);

	for (size_t i = 0; i < n; i++) {
		json_t *o;

		if (m[i].family != cpu->family)
			continue;
		o = json_object();
		put_text(o, "name", m[i].name);
		put_text(o, "formula", m[i].formula);
		put_text(o, "unit", m[i].unit);
		put_text(o, "text", m[i].text);
		put_text(o, "source", m[i].source);
		json_array_append_new(array, o);
	}
	return print(array);
}

int list_json_relations(const struct cat_cpu *cpu)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_relation *r = cat_relations(&n);

	for (size_t i = 0; i < n; i++) {
		json_t *o;

		if (r[i].family != cpu->family)
			continue;
		o = json_object();
		put_text(o, "name", r[i].name);
		put_text(o, "left", r[i].left);
		put_text(o, "op", r[i].op);
		put_text(o, "right", r[i].right);
		put_text(o, "class", r[i].relation_class == CAT_IDENTITY ? "identity" : "tendency");
		put_text(o, "text", r[i].text);
		put_text(o, "source", r[i].source);
		json_array_append_new(array, o);
	}
	return print(array);
}

int list_json_params(const struct cat_cpu *cpu)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_param *f = cat_params(&n);

	for (size_t i = 0; i < n && cpu->family == CAT_P5; i++) {
		json_t *o = json_object();

		put_text(o, "name", f[i].name);
		json_object_set_new(
		    o, "value", json_integer(cpu->cpu_class == CAT_CLASS_P5 ? f[i].p5 : f[i].p55c));
		put_text(o, "other", f[i].other);
		put_text(o, "text", f[i].text);
		put_text(o, "source", f[i].source);
		json_array_append_new(array, o);
	}
	for (struct {
		     size_t i;
		     struct cat_p6_param_at f;
	     } p = {0};
	     cpu->family == CAT_P6 && cat_p6_param_at(cpu, p.i, &p.f); p.i++) {
		json_t *o = json_object();

		put_text(o, "name", p.f.name);
		json_object_set_new(o, "value", json_integer((json_int_t)p.f.value));
		put_text(o, "text", p.f.text);
		put_text(o, "source", p.f.source);
		json_array_append_new(array, o);
	}
	return print(array);
}

/* Event and mask of one of perf's names; null where cpu has none. */
static json_t *spelled(const struct cat_cpu *cpu, const struct cat_event *e, uint8_t umask)
{
	if (!e || !cat_cpu_has_event(cpu, e))
		return json_null();
	return json_pack("{s:s, s:i}", "event", e->name, "umask", (int)umask);
}

int list_json_names(const struct cat_cpu *cpu)
{
	json_t *array = json_array();
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	const struct cat_software *s;

	for (size_t i = 0; i < n; i++) {
		json_t *o;

		if (g[i].family != cpu->family)
			continue;
		o = json_object();
		put_text(o, "name", g[i].name);
		json_object_set_new(o, "counts", spelled(cpu, g[i].event, g[i].umask));
		json_object_set_new(o, "driver", spelled(cpu, g[i].driver, g[i].driver_umask));
		put_text(o, "text", g[i].text);
		json_array_append_new(array, o);
	}
	s = cat_softwares(&n);
	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();

		put_text(o, "name", s[i].name);
		json_object_set_new(o, "is_of_this_machine",
				    json_boolean(s[i].figure != CAT_SW_NONE));
		put_text(o, "text", s[i].text);
		json_array_append_new(array, o);
	}
	return print(array);
}

int list_json_explanations(void)
{
	json_t *array = json_array();
	struct cli_topic t;

	for (size_t i = 0; cli_topic_at(i, &t); i++) {
		json_t *o = json_object();

		put_text(o, "name", t.name);
		json_object_set_new(o, "title", json_stringn(t.title, t.n_title));
		put_text(o, "family", t.family);
		json_array_append_new(array, o);
	}
	return print(array);
}
