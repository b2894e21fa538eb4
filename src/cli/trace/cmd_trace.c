/* cmd_trace.c -- softpmu trace: run a program and keep its record streams in a file; say what such
 * a file holds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/stat/replay.h"
#include "event/events.h"
#include "report/report.h"
#include "session/files/trace_file.h"

#define DEFAULT_FILE "softpmu.spt"

struct trace_options {
	struct cli_run run;
	const char *file;
	bool is_info;
};

/* Returns 1 taken, 0 not ours, -1 after a message. */
static int trace_option(void *own, int option, const char *value)
{
	struct trace_options *o = own;

	switch (option) {
	case OPT_trace_file: o->file = value; return 1;
	case OPT_info: o->is_info = true; return 1;
	case OPT_lean: o->run.cfg.is_trace_lean = true; return 1;
	default: return 0;
	}
}

static void print_facts(const char *path, const struct ses_trace_in *in,
			const struct ses_trace_facts *f)
{
	const uint64_t n_look = f->clock_looks + f->time_looks;
	char isa[8], ending[64];

	printf("%s: %" PRIu64 " bytes, streams of %" PRIu64
	       " bytes, %zu process%s, by softpmu %s\n",
	       path, in->bytes, in->raw, in->n_process, in->n_process == 1 ? "" : "es", f->version);
	printf("program:");
	for (size_t i = 0; f->argv[i]; i++)
		printf(" %s", f->argv[i]);
	printf("\nfixed: --cpuid %s, --isa %s, --cpus %u, --seed %" PRIu64 ", --clock %s, --pce %d",
	       f->seen, f->isa, f->n_cpus, f->seed, f->has_model_clock ? "model" : "instructions",
	       !f->is_pce_clear);
	if (f->quantum)
		printf(", --quantum %u", f->quantum);
	if (!strcmp(f->isa, "auto"))
		printf("; the program was shown %s", rpt_isa(f->isa_level, isa));
	printf("%s\n", in->flags & TRC_FILE_X87_OPERANDS ? "" : "; no operands (--lean)");
	cli_replay_ending(f, ending, sizeof(ending));
	if (in->is_damaged)
		printf("damaged: what stands behind byte %" PRIu64 " of the streams is no trace\n",
		       in->raw);
	else if (!f->has_end)
		printf(
		    "cut: the recording did not come to its end; what is whole can be counted\n");
	else
		printf("run: %" PRIu64 " %s, %" PRIu64 " system %s, %" PRIu64
		       " %s at clocks, input digest %016" PRIx64 "\n",
		       f->instructions, text_noun(f->instructions, "instruction", "instructions"),
		       f->syscalls, text_noun(f->syscalls, "call", "calls"), n_look,
		       text_noun(n_look, "look", "looks"), f->input_digest);
	if (f->has_end)
		printf("end: %s\n", ending);
}

static int info(int argc, char **argv, int first)
{
	struct ses_trace_facts facts;
	struct ses_trace_in in;
	int code = 0;

	if (first >= argc)
		return cli_fail("trace --info: of which trace? write softpmu trace --info FILE");
	for (int i = first; i < argc && !code; i++) {
		code = cli_replay_look(argv[i], &in, &facts);
		if (!code)
			print_facts(argv[i], &in, &facts);
		ses_trace_facts_free(&facts);
		ses_trace_shut(&in);
	}
	return code;
}

static int record(struct trace_options *o, const char *file)
{
	struct ses_config cfg = o->run.cfg;
	struct evt_events events = {0};
	struct ses_result run = {0};
	struct spmu_error err = {0};
	int rc = evt_parse_events(cfg.model.cpu, "instructions", false, &events, &err), code;

	if (rc)
		return cli_complain(&err);
	cfg.event = events.event;
	cfg.n_event = events.n;
	cfg.trace_file = file;
	cfg.keeps_regions = true; /* a replay may ask for them */
	rc = ses_run(&cfg, &run, &err);
	if (!rc) {
		cli_run_say_remarks(&run);
		cli_run_say_signal(&o->run, &run);
	}
	if (run.instructions && !rc && !o->run.is_quiet)
		fprintf(stderr, " %" PRIu64 " instructions in %s; softpmu replay counts from it\n",
			run.instructions, cfg.trace_file);
	if (run.instructions && !rc && !o->file)
		cli_run_note_output(&o->run, "trace", cfg.trace_file);
	code = rc ? cli_complain(&err) : cli_run_exit_code(&run);
	ses_result_free(&run);
	evt_events_free(&events);
	return code;
}

int cmd_trace(int argc, char **argv)
{
	struct trace_options o = {0};
	int help = 0, code;

	cli_run_open(&o.run);
	code = cli_run_read(&o.run, argc, argv, 'T', trace_option, &o, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code && o.is_info)
		code = info(argc, argv, cli_first_argument());
	else if (!code) {
		const char *name = o.file ? o.file : DEFAULT_FILE;
		char *file = NULL;

		code = cli_run_program(&o.run, argv[0], argc, argv, cli_first_argument());
		code = code ? code : cli_output_refuse_ranks(name, true);
		if (!code)
			code = (file = cli_output_name(name, true)) ? record(&o, file) : CLI_FAILED;
		free(file);
	}
	cli_run_free(&o.run);
	return code;
}
