/* backend.c -- chooses between a model and the machine's own counters. Rules are in backend.h.
 *
 * With --backend auto the machine counts when no option is for a model, all events have a meaning
 * there, and the kernel lets them be opened; else a model counts, and `chosen` says why.
 */
#include "cli/stat/backend.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "hw/run.h"
#include "event/groups.h"

/* Counted when nothing was asked for. */
#define USUAL_EVENTS "task-clock,page-faults,cycles,instructions,branches,branch-misses"

int cli_backend_option(struct cli_backend *b, const char *value)
{
	static const char *const names[] = {"soft", "hw", "auto"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(value, names[i])) {
			b->wanted = (enum cli_backend_choice)i;
			return 1;
		}
	cli_fail("--backend %s: there are soft (a model), hw (this machine's counters) and auto "
		 "(hw where it can)",
		 value);
	return -1;
}

/* Options of stat that mean something to the machine's own counters, too. */
static bool is_common(int option)
{
	static const int common[] = {
	    OPT_backend,	 OPT_event,	  OPT_group, OPT_metrics,    OPT_repeat,
	    OPT_field_separator, OPT_json_output, OPT_json,  OPT_output,     OPT_append,
	    OPT_log_fd,		 OPT_verbose,	  OPT_quiet, OPT_no_big_num, OPT_env,
	    OPT_no_inherit,	 OPT_raw};

	for (size_t i = 0; i < sizeof(common) / sizeof(common[0]); i++)
		if (option == common[i])
			return true;
	return false;
}

void cli_backend_note(struct cli_backend *b, int option)
{
	if (!b->model_option && !is_common(option))
		b->model_option = option;
}

static int parse(struct cli_backend *b, const struct cli_run *run, bool has_metrics,
		 struct spmu_error *err)
{
	const struct cat_group *group = NULL;
	int rc = 0;

	for (size_t i = 0; i < run->n_event_text && !rc; i++)
		rc = hw_parse_events(&b->machine, run->event_text[i], run->is_raw, &b->events, err);
	if (!rc && run->group_name) {
		group = evt_find_group(cli_backend_cpu(b), run->group_name);
		if (!group)
			return spmu_fail(err, SPMU_EINVAL, "group %s: no such group on %s",
					 run->group_name, cli_backend_cpu(b)->name);
	}
	for (const char *const *e = group ? group->events : NULL; e && *e && !rc; e++)
		rc = hw_parse_events(&b->machine, *e, false, &b->events, err);
	if (!rc && !b->events.n && !has_metrics)
		rc = hw_parse_events(&b->machine, USUAL_EVENTS, false, &b->events, err);
	return rc;
}

int cli_backend_choose(struct cli_backend *b, const struct cli_run *run, bool has_metrics)
{
	struct spmu_error err = {0};
	char name[32];
	int rc;

	if (b->wanted == CLI_BACKEND_SOFT)
		return 0;
	hw_machine_open(&b->machine);
	if (b->model_option) {
		cli_option_name(b->model_option, name);
		if (b->wanted == CLI_BACKEND_HW)
			return cli_fail("--backend hw: --%s is for a model; leave it out, or take "
					"--backend soft",
					name);
		snprintf(b->chosen, sizeof(b->chosen), "a model counted, because --%s is for one",
			 name);
		return 0;
	}
	rc = parse(b, run, has_metrics, &err);
	if (b->wanted == CLI_BACKEND_HW) {
		b->is_hw = true;
		return rc ? cli_complain(&err) : 0;
	}
	if (!rc)
		rc = hw_try_events(&b->events, &err);
	b->is_hw = !rc;
	if (rc)
		snprintf(b->chosen, sizeof(b->chosen), "a model counted (%.*s)",
			 (int)strcspn(err.text, ";"), err.text);
	else
		snprintf(b->chosen, sizeof(b->chosen), "this machine's own counters counted");
	return 0;
}

int cli_backend_events(const struct cli_backend *b, struct evt_events *list)
{
	struct spmu_error err;

	for (size_t i = 0; i < b->events.n; i++) {
		const struct hw_event *h = &b->events.event[i];
		struct evt_event e = {.event = h->meaning,
				      .code = h->meaning ? h->meaning->code : 0,
				      .umask = h->umask,
				      .user = h->user,
				      .kernel = h->kernel,
				      .counter = -1,
				      .group = h->group,
				      .is_time = h->is_clock};

		memcpy(e.name, h->name, sizeof(e.name));
		if (evt_events_add(list, &e, &err))
			return cli_complain(&err);
	}
	list->n_group = b->events.n_group;
	return 0;
}

int cli_backend_follow(struct cli_backend *b, const struct evt_events *list, struct spmu_error *err)
{
	for (size_t i = b->events.n; i < list->n; i++) {
		int rc = hw_parse_events(&b->machine, list->event[i].name, false, &b->events, err);

		if (rc)
			return rc;
	}
	return 0;
}

const struct cat_cpu *cli_backend_cpu(const struct cli_backend *b)
{
	return b->machine.cpu ? b->machine.cpu : cat_find_cpu(CLI_DEFAULT_CPU);
}

void cli_backend_free(struct cli_backend *b)
{
	hw_events_free(&b->events);
	hw_machine_close(&b->machine);
}
