/* cmd_explain.c -- softpmu explain: everything the catalog knows about an event, metric, group,
 * processor or instruction. An event of another processor than --cpu is explained all the same. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/explain/instruction.h"
#include "cli/explain/owner.h"
#include "cli/explain/reason.h"
#include "cli/explain/sources.h"
#include "cli/explain/topic.h"
#include "cli/layout.h"
#include "cli/options.h"
#include "cli/search.h"
#include "cli/stat/diagram.h"
#include "report/asm.h"
#include "session/totals/counting.h"
#include "event/groups.h"
#include "event/metrics.h"
#include "event/relations.h"

static void heading(const char *title, const char *text)
{
	if (!text || !*text)
		return;
	printf("\n  %s\n", title);
	layout_paragraphs(text, 4);
}

/* Sources of e and of what disagrees with it, each paragraph of which begins with keys and a
 * colon. */
static void print_sources_of(const struct cat_event *e)
{
	char told[128];
	size_t used = (size_t)snprintf(told, sizeof(told), "%s", e->source);

	cli_explain_sources(e->source);
	for (const char *p = e->discrepancy; *p;
	     p = strstr(p, "\n\n") ? strstr(p, "\n\n") + 2 : p + strlen(p)) {
		const size_t n = strcspn(p, ":");

		cli_explain_keys(p, n, told);
		if (used + n + 2 < sizeof(told))
			used +=
			    (size_t)snprintf(told + used, sizeof(told) - used, ",%.*s", (int)n, p);
	}
}

/* Names of the processors that have e, one per class. */
static void print_cpus(const struct cat_event *e)
{
	size_t n;
	const struct cat_cpu *cpu = cat_cpus(&n);
	unsigned classes = 0;

	printf("  processors  ");
	for (size_t i = 0; i < n; i++) {
		if (!cat_cpu_has_event(&cpu[i], e) || classes & (1u << cpu[i].cpu_class))
			continue;
		classes |= 1u << cpu[i].cpu_class;
		printf(" %s", cpu[i].name);
	}
	printf("\n");
}

static void print_masks(const struct cat_event *e)
{
	static const char *const types[] = {"", "always this value", "any of them together",
					    "one at a time"};

	if (!e->n_umask)
		return;
	printf("\n  Unit masks (%s)\n", types[e->umask_type & 3]);
	for (unsigned i = 0; i < e->n_umask; i++)
		printf("    :%-14s 0x%02x  %s%s\n", e->umask[i].name, e->umask[i].value,
		       e->umask[i].text, e->umask[i].value == e->default_umask ? " (default)" : "");
	if (e->umask_type == CAT_UMASK_BITS)
		printf(cat_may_select_nothing(e)
			   ? "    default 0x%02x; 0x00 selects nothing and counts 0\n"
			   : "    default 0x%02x; 0x00 is no mask of it\n",
		       e->default_umask);
}

static bool mentions(const struct evt_formula *f, const struct cat_event *e)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->op[i].kind == EVT_F_EVENT && f->op[i].event == e)
			return true;
	return false;
}

static void print_relations(const struct cat_cpu *cpu, const struct cat_event *e)
{
	struct evt_relations relations = {0};
	struct evt_events events = {0};
	bool has_heading = false;

	if (evt_relations_all(cpu, &relations, &events, NULL) == 0)
		for (size_t i = 0; i < relations.n; i++) {
			const struct cat_relation *r = relations.relation[i].row;

			if (!mentions(&relations.relation[i].left, e) &&
			    !mentions(&relations.relation[i].right, e))
				continue;
			if (!has_heading)
				printf("\n  Relations\n");
			has_heading = true;
			printf("    %s %s %s (%s)\n", r->left, r->op, r->right,
			       r->relation_class == CAT_IDENTITY ? "always" : "usually");
		}
	evt_relations_free(&relations);
	evt_events_free(&events);
}

static void print_metrics(const struct cat_cpu *cpu, const struct cat_event *e)
{
	size_t n;
	const struct cat_metric *m = cat_metrics(&n);
	bool has_heading = false;

	for (size_t i = 0; i < n; i++) {
		struct evt_formula f;

		if (m[i].family != cpu->family || evt_formula_parse(cpu, m[i].formula, &f, NULL) ||
		    !mentions(&f, e))
			continue;
		if (!has_heading)
			printf("\n  Metrics\n");
		has_heading = true;
		printf("    %s = %s\n", m[i].name, m[i].formula);
	}
}

static void explain_event(const struct cat_cpu *cpu, const struct evt_event *x)
{
	const struct cat_event *e = x->event;
	struct evt_count state = ses_event_status(cpu, x);
	const char *const *alias = cat_event_aliases(e);
	char text[64];

	printf("%s\n", e->name);
	layout_paragraphs(e->meaning, 2);
	printf("\n  code         0x%02x, %s, counts %s\n  unit         %s\n", e->code,
	       layout_counters(e), layout_kind(e), e->unit);
	if (*ses_register_text(cpu, x, text, sizeof(text)))
		printf("  register     %s\n", text);
	print_cpus(e);
	cli_explain_owner(e);
	if (*layout_generic_names(cpu, e, " ", text, sizeof(text)))
		printf("  perf's name %s\n", text);
	if (*alias)
		printf("  also called ");
	for (; *alias; alias++)
		printf(" %s%s", *alias, alias[1] ? "," : "\n");
	printf("  softpmu      %s%s%s\n",
	       state.status == EVT_COUNTED	  ? "counts it"
	       : state.status == EVT_CANNOT_OCCUR ? "cannot occur: "
						  : "not modelled: ",
	       state.status == EVT_COUNTED ? " on " : state.why,
	       state.status == EVT_COUNTED ? cpu->name : "");
	print_masks(e);
	heading("How it is counted", e->rule);
	heading("Commentary", strcmp(e->note, "-") ? e->note : "");
	heading("Known discrepancies", e->discrepancy);
	print_relations(cpu, e);
	print_metrics(cpu, e);
	print_sources_of(e);
}

static void explain_metric(const struct cat_metric *m)
{
	printf("%s (metric)\n", m->name);
	layout_paragraphs(m->text, 2);
	printf("\n  formula      %s\n  unit         %s\n", m->formula, *m->unit ? m->unit : "-");
	cli_explain_sources(m->source);
}

static void explain_group(const struct cat_group *g)
{
	printf("%s (group)\n", g->name);
	layout_paragraphs(g->text, 2);
	printf("\n");
	for (const char *const *e = g->events; *e; e++)
		printf("    %s\n", *e);
}

static void explain_relation(const struct cat_relation *r)
{
	printf("%s (relation, %s)\n", r->name,
	       r->relation_class == CAT_IDENTITY ? "identity" : "tendency");
	layout_paragraphs(r->text, 2);
	printf("\n    %s %s %s\n", r->left, r->op, r->right);
	cli_explain_sources(r->source);
}

static void print_geometry(const char *name, const struct cat_cache *c)
{
	if (c->line_bytes && c->size_bytes)
		printf("  %-12s %u KB, %u ways, lines of %u bytes\n", name, c->size_bytes >> 10,
		       c->ways, c->line_bytes);
	else if (c->size_bytes)
		printf("  %-12s %u entries, %u ways\n", name, c->size_bytes, c->ways);
	else
		printf("  %-12s none\n", name);
}

/* Returns core clocks for two bus clocks: processors multiply the bus clock by halves, and so do
 * the models. */
static unsigned half_clocks_per_bus_clock(const struct cat_cpu *cpu)
{
	return (2000u * cpu->core_mhz + cpu->bus_khz / 2) / cpu->bus_khz;
}

static void explain_cpu(const struct cat_cpu *cpu)
{
	printf("%s\n  %s\n\n", cpu->name, cpu->text);
	printf("  CPUID        family %u, model %u, stepping %u\n", cpu->cpu_family, cpu->cpu_model,
	       cpu->cpu_stepping);
	if (cpu->bus_khz)
		printf("  clocks       core %u MHz, bus %.4g MHz, ratio %.3g\n", cpu->core_mhz,
		       cpu->bus_khz / 1000.0, half_clocks_per_bus_clock(cpu) / 2.0);
	printf("  has          %s%s\n", cpu->has_mmx ? "MMX " : "", cpu->has_sse ? "SSE" : "");
	print_geometry("L1I", &cpu->l1i);
	print_geometry("L1D", &cpu->l1d);
	print_geometry("L2", &cpu->l2);
	print_geometry("ITLB", &cpu->itlb);
	print_geometry("DTLB", &cpu->dtlb);
	printf("  BTB          %u entries, %u ways; return stack %u\n", cpu->btb_entries,
	       cpu->btb_ways, cpu->rsb_entries);
	cli_explain_sources(cpu->source);
}

/* A name of perf's that no event of the processor stands for. */
static void explain_perf_name(const struct cat_cpu *cpu, const struct evt_event *x)
{
	printf("%s (one of perf's %s)\n", x->name, x->software ? "software events" : "names");
	if (x->why_not) {
		printf("  stat says <not supported> on %s: %s.\n", cpu->name, x->why_not);
		return;
	}
	layout_paragraphs(x->software->text, 2);
	printf("\n");
	layout_paragraphs("In stat it is a figure of the machine that softpmu runs on, with "
			  "softpmu's own work in it. It differs "
			  "from run to run and is no part of the input digest. In perf stat inside "
			  "of softpmu run it is the "
			  "program's own, as Linux would count it.",
			  2);
}

/* The event that a word means here: a bare code stands for the event as it is counted by its
 * name, whatever mask 0 is. Returns as evt_parse_event(). */
static int find_event(const struct cat_cpu *cpu, const char *word, struct evt_event *x,
		      struct spmu_error *err)
{
	const struct cat_event *e = NULL;
	unsigned code;

	if (!cat_find_event(cpu, word, -1) && evt_is_code(word, &code))
		e = cat_find_event_code(cpu, code, 0) ? cat_find_event_code(cpu, code, 0)
						      : cat_find_event_code(cpu, code, 1);
	if (!e)
		return evt_parse_event(cpu, word, false, x, err);
	*x = evt_event_of(e, e->default_umask);
	return 0;
}

/* Any event of any processor, cpu's own first. 0 when one was explained. */
static int try_events(const struct cat_cpu *cpu, const char *word, struct spmu_error *err)
{
	struct evt_event x;
	struct spmu_error ignored;
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);
	unsigned classes = 1u << cpu->cpu_class, code;
	int rc = find_event(cpu, word, &x, err);

	if (!rc) {
		if (evt_is_code(word, &code) && cli_search_term(word))
			printf("\n");
		if (x.event)
			explain_event(cpu, &x);
		else
			explain_perf_name(cpu, &x);
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		if (classes & (1u << cpus[i].cpu_class) || cpus[i].family == CAT_TOY)
			continue;
		classes |= 1u << cpus[i].cpu_class;
		if (find_event(&cpus[i], word, &x, &ignored) || !x.event)
			continue;
		if (cli_search_term(word))
			printf("\n");
		printf("(%s does not have this event; %s does.)\n\n", cpu->name, cpus[i].name);
		explain_event(&cpus[i], &x);
		return 0;
	}
	return rc;
}

static const struct cat_relation *find_relation(const struct cat_cpu *cpu, const char *name)
{
	size_t n;
	const struct cat_relation *r = cat_relations(&n);

	for (size_t i = 0; i < n; i++)
		if (r[i].family == cpu->family && !strcasecmp(r[i].name, name))
			return &r[i];
	return NULL;
}

/* P5 twin events: a bare code means both. */
static bool is_twin(const struct cat_cpu *cpu, const char *word)
{
	char spelled[16];
	struct evt_event x;

	if (strlen(word) > 6 || strchr(word, ':') || cpu->family != CAT_P5)
		return false;
	if (!evt_parse_event(cpu, word, false, &x, NULL))
		return false;
	for (int counter = 0; counter < 2; counter++) {
		snprintf(spelled, sizeof(spelled), "%s:c%d", word, counter);
		if (evt_parse_event(cpu, spelled, false, &x, NULL))
			return false;
		printf("%s", counter ? "\n" : "");
		explain_event(cpu, &x);
	}
	return true;
}

/* The sentence when nothing was found: not only events were looked for. */
static int nothing_of(const char *word, const struct spmu_error *err)
{
	const char *near = strstr(err->text, "; did you mean ");

	if (!strstr(err->text, ": no such event on "))
		return cli_complain(err);
	return cli_fail(
	    "explain: nothing speaks of %s%.*s (softpmu list shows events, list metrics and "
	    "list explanations more)",
	    word, near ? (int)strcspn(near, "?") + 1 : 0, near ? near : "");
}

/* What is no name of anything: a text that speaks of it, or an instruction, or both. */
static bool explain_words(const struct cat_cpu *cpu, const char *word)
{
	bool is_instruction;

	if (cli_explain_topic(cpu, word)) {
		cli_explain_instruction(word, "\n");
		return true;
	}
	if (cli_is_term(word))
		return cli_search(cpu, false, word, "");
	is_instruction = cli_explain_instruction(word, "");
	return cli_search(cpu, false, word, is_instruction ? "\n" : "") || is_instruction ||
	       cli_search_parts(word);
}

static int explain(const struct cat_cpu *cpu, const char *word)
{
	struct spmu_error err = {0};

	if (is_twin(cpu, word) || !try_events(cpu, word, &err)) {
		cli_explain_instruction(word, "\n");
		return 0;
	}
	if (evt_find_metric(cpu, word)) {
		explain_metric(evt_find_metric(cpu, word));
	} else if (evt_find_group(cpu, word)) {
		explain_group(evt_find_group(cpu, word));
	} else if (find_relation(cpu, word)) {
		explain_relation(find_relation(cpu, word));
	} else if (cat_find_cpu(word)) {
		explain_cpu(cat_find_cpu(word));
	} else if (cli_explain_reason(cpu, word)) {
		cli_search(cpu, false, word, "\n");
	} else if (!explain_words(cpu, word)) {
		return nothing_of(word, &err);
	}
	return 0;
}

/* Reasons of asm's listings have several words, and no quotes are needed around them. */
static bool explain_together(const struct cat_cpu *cpu, const char *const *words, size_t n)
{
	char text[64] = "";
	size_t at = 0;

	for (size_t i = 0; i < n && at < sizeof(text); i++)
		at +=
		    (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? " " : "", words[i]);
	if (n < 2 || at >= sizeof(text) || !cli_explain_reason(cpu, text))
		return false;
	cli_search(cpu, false, text, "\n");
	return true;
}

/* The processor whose diagram shows what the word names: cpu, or, when its events have nothing of
 * that name, the first other one that has it, as an event or as the event of a reason. */
static const struct cat_cpu *cpu_of(const struct cat_cpu *cpu, const char *word)
{
	size_t n;
	const struct cat_cpu *all = cat_cpus(&n);
	struct spmu_error ignored;
	struct evt_event x;

	if (!find_event(cpu, word, &x, &ignored) || rpt_asm_event(cpu, word))
		return cpu;
	for (size_t i = 0; i < n; i++)
		if (all[i].family != CAT_TOY &&
		    (!find_event(&all[i], word, &x, &ignored) || rpt_asm_event(&all[i], word)))
			return &all[i];
	return cpu;
}

int cmd_explain(int argc, char **argv)
{
	const struct cat_cpu *cpu = cat_find_cpu(CLI_DEFAULT_CPU);
	const char *value, *words[64];
	size_t n = 0;
	struct cli_diagram diagram = {0};
	bool has_cpu = false;
	int code = 0;

	for (;;) {
		int option = cli_next_option(argc, argv, 'E', &value);

		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option == OPT_cpu && !(cpu = cli_find_cpu("cpu", value)))
			return CLI_FAILED;
		has_cpu |= option == OPT_cpu;
		if (option == OPT_diagram && cli_diagram_option(&diagram, value) < 0)
			return CLI_FAILED;
		if (option != OPT_END)
			continue;
		if (cli_first_argument() == argc || n == sizeof(words) / sizeof(words[0]))
			break;
		words[n++] = argv[cli_first_argument()];
		cli_skip_argument();
	}
	if (!has_cpu && n && (diagram.is_wanted || diagram.file))
		cpu = cpu_of(cpu, words[0]);
	if (diagram.is_wanted)
		code = cli_diagram_explain(cpu, NULL);
	if (!code && diagram.file)
		code = cli_diagram_explain(cpu, diagram.file);
	if (!code && diagram.file)
		fprintf(stderr, "softpmu: the diagram of a %s is in '%s'\n", cpu->name,
			diagram.file);
	if (!n && !diagram.is_wanted && !diagram.file)
		return cli_fail("explain: what? write softpmu explain EVENT, as in softpmu explain "
				"inst_retired");
	if (!code && !diagram.is_wanted && !diagram.file && explain_together(cpu, words, n))
		return cli_close_stdout(0);
	for (size_t i = 0; i < n && !code; i++) {
		printf("%s", i || diagram.is_wanted ? "\n" : "");
		code = explain(cpu, words[i]);
	}
	return cli_close_stdout(code);
}
