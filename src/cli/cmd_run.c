/* cmd_run.c -- softpmu run: run a program that reads the counters of its virtual processor itself; print nothing. */
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"

static int read_options(struct cli_run *r, int argc, char **argv, bool *is_help)
{
	const char *value;

	for (;;) {
		const int option = cli_next_option(argc, argv, 'R', &value);

		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_END)
			return 0;
		if (option == OPT_help) {
			*is_help = true;
			return 0;
		}
		if (cli_run_option(r, option, value) < 0)
			return CLI_FAILED;
	}
}

static int run(const struct cli_run *r, const struct ses_events *events)
{
	struct ses_config cfg = r->cfg;
	struct ses_result result;
	struct spmu_error err;
	int rc, code;

	cfg.event = events->event;
	cfg.n_event = events->n;
	rc = ses_run(&cfg, &result, &err);
	if (rc) {
		code = cli_complain(&err);
	} else {
		cli_run_say_signal(r, &result);
		code = cli_run_exit_code(&result);
	}
	ses_result_free(&result);
	return code;
}

int cmd_run(int argc, char **argv)
{
	struct ses_events events = { 0 };
	struct cli_run r;
	bool is_help = false;
	int code;

	cli_run_open(&r);
	code = read_options(&r, argc, argv, &is_help);
	if (is_help)
		return cmd_help(2, (char *[]){ argv[0], argv[0], NULL });
	if (!code)
		code = cli_run_program(&r, argv[0], argc, argv, cli_first_argument());
	if (!code)
		code = cli_run_events(&r, r.cfg.model.cpu, &events);
	if (!code)
		code = run(&r, &events);
	ses_events_free(&events);
	cli_run_free(&r);
	return code;
}
