/* cmd_list.c -- softpmu list: what can be asked for, in the layout of perf list. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/explain/topic.h"
#include "cli/layout.h"
#include "cli/list_json.h"
#include "cli/list_names.h"
#include "cli/search.h"
#include "cli/options.h"
#include "base/spelling.h"
#include "session/totals/counting.h"
#include "event/events.h"
#include "event/metrics.h"

/* Returns true if the event's short name is worth showing beside the full one: if it saves a third
 * of the letters. */
static bool is_short(const struct cat_event *e)
{
	return *e->short_name && 3 * strlen(e->short_name) <= 2 * strlen(e->name);
}

static void print_masks(const struct cat_event *e)
{
	for (unsigned i = 0; i < e->n_umask; i++)
		layout_line(27, "       :%-12s 0x%02x%s  %s", e->umask[i].name, e->umask[i].value,
			    e->umask[i].value == e->default_umask ? " (default)" : "",
			    e->umask[i].text);
}

static void print_event(const struct cat_cpu *cpu, const struct cat_event *e,
			const struct evt_count *state, bool is_verbose)
{
	char left[200], generic[64];

	layout_generic_names(cpu, e, " OR ", generic, sizeof(generic));
	snprintf(left, sizeof(left), "%s%s%s%s", e->name, generic, is_short(e) ? " OR " : "",
		 is_short(e) ? e->short_name : "");
	layout_line(7, "  %-*s [0x%02x, %s, %s%s]", layout_name_columns(50, 54), left, e->code,
		    layout_counters(e), layout_kind(e),
		    state->status == EVT_COUNTED	? ""
		    : state->status == EVT_CANNOT_OCCUR ? ", cannot occur"
							: ", not modelled");
	layout_paragraphs(e->meaning, 7);
	if (state->status != EVT_COUNTED && is_verbose)
		layout_line(8, "       (%s)", state->why);
	if (is_verbose)
		print_masks(e);
}

static bool is_same_unit(const struct evt_events *list, size_t i, size_t k)
{
	return !strcmp(list->event[i].event->unit, list->event[k].event->unit);
}

static bool is_first_of_unit(const struct evt_events *list, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_same_unit(list, i, k))
			return false;
	return true;
}

/* All events of the unit whose first event is at `first`. */
static void print_unit(const struct cat_cpu *cpu, const struct evt_events *list,
		       const struct evt_count *state, size_t first, bool is_verbose)
{
	printf("\n%s:\n", list->event[first].event->unit);
	for (size_t i = first; i < list->n; i++)
		if (is_same_unit(list, i, first))
			print_event(cpu, list->event[i].event, &state[i], is_verbose);
}

static int list_events(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	struct evt_events list = {0};
	struct evt_count *state = NULL;
	struct spmu_error err;
	size_t n_counted = 0;
	int rc = evt_events_all(cpu, 3, &list, &err);

	if (!rc)
		state = calloc(list.n + 1, sizeof(*state));
	if (!state) {
		evt_events_free(&list);
		return rc ? cli_complain(&err) : cli_fail("out of memory");
	}
	ses_event_statuses(cpu, list.event, list.n, state);
	for (size_t i = 0; i < list.n; i++)
		n_counted += state[i].status == EVT_COUNTED;
	if (is_json) {
		list_json_events(cpu, &list, state);
		goto done;
	}
	layout_line(2, "Events of %s: %s (%zu of %zu count%s)", cpu->name, cpu->text, n_counted,
		    list.n, n_counted < list.n ? "; the others say why" : "");
	for (size_t i = 0; i < list.n; i++)
		if (is_first_of_unit(&list, i))
			print_unit(cpu, &list, state, i, is_verbose);
	printf("\n");
	list_names(cpu);
done:
	free(state);
	evt_events_free(&list);
	return 0;
}

static void print_cache(const char *name, const struct cat_cache *c)
{
	if (c->size_bytes)
		printf(" %s %uK:%u:%u", name, c->size_bytes >> 10, c->ways, c->line_bytes);
}

/* "; also i686, p6" */
static const char *other_names(const struct cat_cpu *cpu, char *out, size_t room)
{
	size_t n, used = 0;
	const struct cat_cpu_name *names = cat_cpu_names(&n);

	*out = 0;
	for (size_t i = 0; i < n && used < room; i++)
		if (names[i].cpu == cpu)
			used += (size_t)snprintf(out + used, room - used, "%s%s",
						 used ? ", " : "; also ", names[i].name);
	return out;
}

static int list_cpus(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);
	char others[256];

	if (is_json)
		return list_json_cpus();
	for (size_t i = 0; i < n; i++) {
		layout_line(27, "  %-24s %s%s", cpus[i].name, cpus[i].text,
			    other_names(&cpus[i], others, sizeof(others)));
		if (!is_verbose)
			continue;
		printf("  %-24s  CPUID %x.%x.%x", "", cpus[i].cpu_family, cpus[i].cpu_model,
		       cpus[i].cpu_stepping);
		print_cache("l1i", &cpus[i].l1i);
		print_cache("l1d", &cpus[i].l1d);
		print_cache("l2", &cpus[i].l2);
		printf(" itlb %u:%u dtlb %u:%u\n", cpus[i].itlb.size_bytes, cpus[i].itlb.ways,
		       cpus[i].dtlb.size_bytes, cpus[i].dtlb.ways);
	}
	return 0;
}

static int list_groups(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	size_t n;
	const struct cat_group *groups = cat_groups(&n);

	if (is_json)
		return list_json_groups(cpu);
	for (size_t i = 0; i < n; i++) {
		if (groups[i].family != cpu->family)
			continue;
		layout_line(27, "  %-24s %s", groups[i].name, groups[i].text);
		for (const char *const *e = groups[i].events; is_verbose && *e; e++)
			printf("  %-26s %s\n", "", *e);
	}
	return 0;
}

static int list_metrics(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	size_t n;
	const struct cat_metric *metrics = cat_metrics(&n);

	if (is_json)
		return list_json_metrics(cpu);
	for (size_t i = 0; i < n; i++) {
		if (metrics[i].family != cpu->family)
			continue;
		layout_line(27, "  %-24s %s", metrics[i].name, metrics[i].text);
		layout_line(30, "  %-24s   [%s] %s", "", metrics[i].formula, metrics[i].unit);
	}
	if (evt_has_metrics(cpu, "cpi-stack")) {
		putchar('\n');
		layout_line(27,
			    "  %-24s all whose names begin with cpi_stack: where the clocks went",
			    "cpi-stack");
	}
	return 0;
}

static int list_relations(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	size_t n;
	const struct cat_relation *r = cat_relations(&n);

	if (is_json)
		return list_json_relations(cpu);
	for (size_t i = 0; i < n; i++) {
		if (r[i].family != cpu->family)
			continue;
		layout_line(27, "  %-24s %s %s %s  [%s]", r[i].name, r[i].left, r[i].op, r[i].right,
			    r[i].relation_class == CAT_IDENTITY ? "identity" : "tendency");
		layout_line(29, "  %-24s   %s", "", r[i].text);
	}
	return 0;
}

static int list_params(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	size_t n;
	const struct cat_param *f = cat_params(&n);

	if (is_json)
		return list_json_params(cpu);
	for (size_t i = 0; i < n && cpu->family == CAT_P5; i++) {
		layout_line(40, "  %-30s %5u  %s", f[i].name,
			    cpu->cpu_class == CAT_CLASS_P5 ? f[i].p5 : f[i].p55c, f[i].text);
		if (is_verbose && *f[i].other)
			layout_line(40, "  %-30s        or %s", "", f[i].other);
	}
	for (struct {
		     size_t i;
		     struct cat_p6_param_at f;
	     } p = {0};
	     cpu->family == CAT_P6 && cat_p6_param_at(cpu, p.i, &p.f); p.i++)
		layout_line(40, "  %-30s %5u  %s", p.f.name, p.f.value, p.f.text);
	return 0;
}

static int list_perf_names(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	if (is_json)
		return list_json_names(cpu);
	list_names(cpu);
	return 0;
}

static int list_explanations(const struct cat_cpu *cpu, bool is_verbose, bool is_json)
{
	struct cli_topic t;

	if (is_json)
		return list_json_explanations();
	for (size_t i = 0; cli_topic_at(i, &t); i++)
		layout_line(35, "  %-24s %-7s %.*s", t.name, t.family, (int)t.n_title, t.title);
	return 0;
}

static const struct topic {
	const char *name;
	int (*print)(const struct cat_cpu *cpu, bool is_verbose, bool is_json);
} topics[] = {
    {"events", list_events},	   {"cpus", list_cpus},
    {"groups", list_groups},	   {"metrics", list_metrics},
    {"relations", list_relations}, {"figures", list_params},
    {"names", list_perf_names},	   {"explanations", list_explanations},
};

#define N_TOPICS (sizeof(topics) / sizeof(topics[0]))

const char *cli_list_topic(size_t i)
{
	return i < N_TOPICS ? topics[i].name : NULL;
}

/* "events, cpus, ..." */
static const char *all_topics(char out[128])
{
	size_t n = 0;

	for (size_t i = 0; i < N_TOPICS && n < 128; i++)
		n += (size_t)snprintf(out + n, 128 - n, "%s%s", i ? ", " : "", topics[i].name);
	return out;
}

static const struct topic *find_topic(const char *name)
{
	for (size_t i = 0; i < N_TOPICS; i++)
		if (!strcmp(topics[i].name, name))
			return &topics[i];
	return NULL;
}

/* The word names no list: show the event that it spells, and the texts that mention it unless it is
 * a code or the event's whole name. */
static int list_about(const struct cat_cpu *cpu, bool only_cpu, const char *word)
{
	struct evt_event e;
	struct spelling_search s = {.word = word};
	char ask[SPELLING_TEXT], all[128];
	unsigned code;

	if (!evt_parse_event(cpu, word, false, &e, NULL) && e.event) {
		const struct evt_count state = ses_event_status(cpu, &e);

		print_event(cpu, e.event, &state, true);
		if (!evt_is_code(word, &code) && strcasecmp(word, e.event->name))
			cli_search(cpu, only_cpu, word, "\n");
		return 0;
	}
	if (cli_search(cpu, only_cpu, word, ""))
		return 0;
	for (size_t i = 0; i < N_TOPICS; i++)
		spelling_offer(&s, topics[i].name);
	return cli_fail("list %s: no list has this name, and nothing speaks of it%s (%s)", word,
			spelling_ask(&s, "", ask), all_topics(all));
}

int cmd_list(int argc, char **argv)
{
	const struct cat_cpu *cpu = cat_find_cpu(CLI_DEFAULT_CPU);
	const struct topic *topic = &topics[0];
	const char *word = NULL;
	bool is_json = false, is_verbose = false, has_cpu = false;
	const char *value;

	for (;;) {
		int option = cli_next_option(argc, argv, 'L', &value);

		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_json)
			is_json = true;
		else if (option == OPT_verbose)
			is_verbose = true;
		else if (option == OPT_help)
			return cli_help(argv[0], option);
		else if (option == OPT_cpu && !(cpu = cli_find_cpu("cpu", value)))
			return CLI_FAILED;
		has_cpu |= option == OPT_cpu;
		if (option != OPT_END)
			continue;
		if (cli_first_argument() == argc)
			break;
		if (word)
			return cli_fail("list %s: one list at a time", argv[cli_first_argument()]);
		word = argv[cli_first_argument()];
		topic = find_topic(word);
		cli_skip_argument();
	}
	if (!topic && is_json)
		return cli_fail("list --json %s: there is no such list (%s)", word,
				all_topics((char[128]){0}));
	return cli_close_stdout(topic ? topic->print(cpu, is_verbose, is_json)
				      : list_about(cpu, has_cpu, word));
}
