/* cmd_run.c -- softpmu run: run a program that reads the counters of its virtual processor itself;
 * print nothing. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/stat/perf_names.h"
#include "perfev/perfev.h"
#include "session/totals/counting.h"

/* Options that only `run` has. */
struct counters {
	unsigned n;    /* --counters: 0 = any number at once */
	int tier;      /* highest tier whose events perf_event_open offers; 1: no events */
	bool rises;    /* the model begins with the first event that the program opens */
	bool has_skid; /* --skid model */
};

static int set_skid(const char *value, bool *has_skid)
{
	*has_skid = !strcmp(value, "model");
	if (*has_skid || !strcmp(value, "0"))
		return 1;
	cli_fail("--skid %s: there are 0 and model", value);
	return -1;
}

/* Clocks from an overflow to its interrupt, 0 without --skid model. Returns the exit code when
 * there can be none. */
static int choose_skid(const struct cli_run *r, const struct counters *c, unsigned *clk)
{
	const struct mdl_config *m = &r->cfg.model;

	*clk = 0;
	if (!c->has_skid)
		return 0;
	if (m->cpu->family != CAT_P6)
		return cli_fail("--skid model: the counters of %s raise no interrupt when they "
				"overflow; leave it away",
				m->cpu->name);
	if (c->tier < 3)
		return cli_fail("--skid model: an interrupt comes some clocks late, and --tier %d "
				"has none; use --tier 3",
				c->tier);
	*clk = cat_p6_param(m->cpu, "pmi_clk");
	for (uint32_t i = 0; i < m->p6.n_setting; i++)
		if (!strcmp(m->p6.setting[i].name, "pmi_clk"))
			*clk = m->p6.setting[i].value;
	return 0;
}

static int set_counters(const char *value, unsigned *n)
{
	if (!strcmp(value, "all")) {
		*n = 0;
	} else if (!strcmp(value, "1") || !strcmp(value, "2")) {
		*n = (unsigned)(*value - '0');
	} else {
		cli_fail("--counters %s: choose 1, 2 or all", value);
		return -1;
	}
	return 1;
}

static int run_option(void *own, int option, const char *value)
{
	struct counters *c = own;

	if (option == OPT_skid)
		return set_skid(value, &c->has_skid);
	return option == OPT_counters ? set_counters(value, &c->n) : 0;
}

/* Without --tier every event; where those of -e need records from the beginning, what they need. */
static int choose_tier(const struct cli_run *r, const struct evt_events *events)
{
	const int own = ses_tier_of(r->cfg.model.cpu, events->event, events->n);

	if (r->most_tier)
		return r->most_tier;
	return own > 1 ? own : 3;
}

/* The program's counters count what the processor counts. */
static int refuse_perf_names(const struct evt_events *events)
{
	for (size_t i = 0; i < events->n; i++) {
		const struct evt_event *e = &events->event[i];

		if (e->software)
			return cli_fail(
			    "run -e %s: it is a figure of this machine, and the counters count "
			    "events of the "
			    "processor; stat counts it, and so does perf stat inside of run",
			    e->name);
		if (e->why_not)
			return cli_fail("run -e %s: %s; softpmu list shows what there is", e->name,
					e->why_not);
	}
	return 0;
}

static int run(const struct cli_run *r, const struct counters *c, const struct evt_events *events)
{
	struct ses_config cfg = r->cfg;
	struct ses_result result;
	struct ses_service *service = NULL;
	struct spmu_error err;
	unsigned skid_clk;
	int rc, code = choose_skid(r, c, &skid_clk);

	if (code)
		return code;
	cfg.event = events->event;
	cfg.n_event = events->n;
	if (!cfg.n_worker)
		cfg.n_worker = 1; /* the program is expected to read its counters while it runs */
	if (c->tier > 1) {
		service = pev_open(cfg.model.cpu, c->n, &err);
		if (!service)
			return cli_complain(&err);
		pev_set_skid(service, skid_clk);
		cfg.ready_tier = c->tier;
		cfg.rises = c->rises;
		cfg.service = service;
	}
	rc = ses_run(&cfg, &result, &err);
	/* before anything is said: whoever listened may be gone, and SIGPIPE ends us */
	pev_close(service);
	if (rc) {
		code = cli_complain(&err);
	} else {
		cli_run_say_remarks(&result);
		cli_say_perf_names(cfg.model.cpu, cfg.argv, result.wait_status);
		cli_run_say_signal(r, &result);
		code = cli_run_exit_code(&result);
	}
	ses_result_free(&result);
	return code;
}

int cmd_run(int argc, char **argv)
{
	struct evt_events events = {0};
	struct counters counters = {.n = PEV_COUNTERS};
	struct cli_run r;
	int help = 0;
	int code;

	cli_run_open(&r);
	code = cli_run_read(&r, argc, argv, 'R', run_option, &counters, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code)
		code = cli_run_program(&r, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_run_events(&r, r.cfg.model.cpu, &events);
	if (!code)
		code = refuse_perf_names(&events);
	if (!code) {
		counters.tier = choose_tier(&r, &events);
		counters.rises = !r.most_tier;
		code = run(&r, &counters, &events);
	}
	evt_events_free(&events);
	cli_run_free(&r);
	return code;
}
