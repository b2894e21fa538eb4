/* cmd_check.c -- softpmu check: run a program and test the catalog's relations on its counts.
 *
 * A broken identity is a bug of softpmu: exit status 1. A tendency is only reported. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/board.h"
#include "cli/bare/bare.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "event/relations.h"
#include "session/bare.h"
#include "session/session.h"

#define CHECK_VIOLATED 1

static void print_wrapped(const char *text, int indent, FILE *out)
{
	const struct rpt_screen screen = cli_screen(out, CLI_COLOR_NEVER);

	rpt_wrap(&screen, text, indent, out);
}

/* The terms of a formula with their counts: " left: L2_RQSTS 1234". */
static void print_terms(const char *side, const struct evt_formula *f,
			const struct evt_events *events, const struct evt_count *count, FILE *out)
{
	char text[1024];
	size_t n = (size_t)snprintf(text, sizeof(text), "   %s:", side);
	bool is_first = true;

	for (unsigned i = 0; i < f->n && n < sizeof(text); i++) {
		int at;

		if (f->op[i].kind != EVT_F_EVENT)
			continue;
		at = evt_events_find(events, f->op[i].event, f->op[i].umask);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s %" PRIu64,
				      is_first ? "" : ",", events->event[at].name, count[at].value);
		is_first = false;
	}
	print_wrapped(text, 9, out);
}

static void print_broken(const struct evt_relation *r, const struct evt_test *t,
			 const struct evt_events *events, const struct evt_count *count, FILE *out)
{
	bool is_identity = r->row->relation_class == CAT_IDENTITY;
	char text[1024];

	snprintf(text, sizeof(text), " %s %s: %s %s %s, but %.0Lf is not %s %.0Lf",
		 is_identity ? "BROKEN identity" : "tendency does not hold:", r->row->name,
		 r->row->left, r->row->op, r->row->right, t->left.value, r->row->op,
		 t->right.value);
	print_wrapped(text, 5, out);
	print_terms("left", &r->left, events, count, out);
	print_terms("right", &r->right, events, count, out);
}

static void print_untested(const struct evt_relation *r, const struct evt_value *v, FILE *out)
{
	char text[1024];

	snprintf(text, sizeof(text), " not tested %s: %s has no number (%s)", r->row->name,
		 v->missing ? v->missing->name : r->row->left, v->why ? v->why : "");
	print_wrapped(text, 5, out);
}

/* Test all relations. Returns the number of broken identities. */
static unsigned test_all(const struct evt_relations *relations, const struct evt_events *events,
			 const struct ses_result *run, bool is_quiet, FILE *out)
{
	unsigned n_hold = 0, n_broken = 0, n_tendency = 0, n_untested = 0;
	char text[160];

	for (size_t i = 0; i < relations->n; i++) {
		const struct evt_relation *r = &relations->relation[i];
		struct evt_test t = evt_relation_test(r, events, run->count);

		if (t.verdict == EVT_NOT_TESTED) {
			n_untested++;
			if (!is_quiet)
				print_untested(r, t.left.status != EVT_COUNTED ? &t.left : &t.right,
					       out);
		} else if (t.verdict == EVT_HOLDS) {
			n_hold++;
		} else {
			if (r->row->relation_class == CAT_IDENTITY)
				n_broken++;
			else
				n_tendency++;
			print_broken(r, &t, events, run->count, out);
		}
	}
	snprintf(text, sizeof(text), " %u %s, %u %s broken, %u %s not hold, %u not tested", n_hold,
		 text_noun(n_hold, "relation holds", "relations hold"), n_broken,
		 text_noun(n_broken, "identity", "identities"), n_tendency,
		 text_noun(n_tendency, "tendency does", "tendencies do"), n_untested);
	print_wrapped(text, 2, out);
	return n_broken;
}

/* A program, or a machine. */
static int run_it(const struct ses_config *cfg, struct ses_result *out, struct spmu_error *err)
{
	return cfg->bare ? ses_bare(cfg, out, err) : ses_run(cfg, out, err);
}

static int check_relations(struct cli_run *r, const struct evt_relations *relations,
			   const struct evt_events *events)
{
	struct ses_config cfg = r->cfg;
	struct ses_result run = {0};
	struct spmu_error err = {0};
	FILE *out = cli_run_output(r);
	int rc, code = CLI_FAILED;

	if (!out)
		return CLI_FAILED;
	cfg.event = events->event;
	cfg.n_event = events->n;
	rc = run_it(&cfg, &run, &err);
	if (rc && !(run.count && run.instructions)) {
		code = cli_complain(&err);
	} else {
		if (!rc) {
			cli_run_say_remarks(&run);
			cli_run_say_signal(r, &run);
		}
		fprintf(out, "\n Relations of %s on '%s':\n\n", cfg.model.cpu->name, cfg.argv[0]);
		if (cli_wrong_path_name(&cfg.model))
			fprintf(out, " --wrong-path %s\n", cli_wrong_path_name(&cfg.model));
		if (test_all(relations, events, &run, r->is_quiet, out))
			code = CHECK_VIOLATED;
		else
			code = rc ? cli_complain(&err) : cli_run_exit_code(&run);
		fputc('\n', out);
	}
	ses_result_free(&run);
	return cli_run_close_output(r, out, code);
}

static int take_machine(void *own, int option, const char *value)
{
	return cli_bare_option(own, option, value);
}

int cmd_check(int argc, char **argv)
{
	struct cli_run run;
	struct cli_bare bare = {0};
	struct evt_events events = {0};
	struct evt_relations relations = {0};
	struct spmu_error err;
	int help = 0;
	int code;

	cli_run_open(&run);
	code = cli_run_read(&run, argc, argv, 'C', take_machine, &bare, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code)
		code = cli_bare_is_meant(&bare)
			   ? cli_bare_open(&bare, &run, argc, argv, cli_first_argument())
			   : cli_run_program(&run, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_run_refuse_samples(&run, NULL);
	if (!code)
		code = cli_run_events(&run, run.cfg.model.cpu, &events);
	if (!code && evt_relations_all(run.cfg.model.cpu, &relations, &events, &err))
		code = cli_complain(&err);
	if (!code && !relations.n)
		code =
		    cli_fail("check: the catalog has no relations for %s", run.cfg.model.cpu->name);
	if (!code)
		code = check_relations(&run, &relations, &events);
	evt_relations_free(&relations);
	evt_events_free(&events);
	cli_bare_close(&bare);
	cli_run_free(&run);
	return code;
}
