/* cmd_asm.c -- softpmu asm: clocks of a few instructions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/run_options.h"
#include "cli/screen.h"
#include "cli/where/from.h"
#include "report/asm.h"

#define ASM_DEFAULT_CPU	  "pentium"
#define DEFAULT_WARM_UP	  8u
#define MOST_COPIES	  10000u
#define MOST_LOOP	  100000u
#define MOST_SOURCE_BYTES (1u << 20)

struct asm_options {
	struct cli_run run; /* the machine */
	struct asm_config cfg;
	const char *file;
	const char *from; /* FILE:FUNC, or NULL */
	bool is_json, has_timeline;
};

/* Names with one dash, as nanoBench has them. */
static void take_single_dashes(int argc, char **argv)
{
	static char *const names[][2] = {
	    {"-asm_init", "--asm-init"},
	    {"-unroll_count", "--unroll-count"},
	    {"-loop_count", "--loop-count"},
	    {"-warm_up_count", "--warm-up-count"},
	};

	for (int i = 1; i < argc && strcmp(argv[i], "--"); i++)
		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			if (!strcmp(argv[i], names[k][0]))
				argv[i] = names[k][1];
}

static int set_number(const char *option, const char *value, unsigned least, unsigned most,
		      unsigned *out)
{
	char *end;
	const unsigned long n = strtoul(value, &end, 10);

	if (*end || end == value || n < least || n > most) {
		cli_fail("%s %s: a number from %u to %u is wanted", option, value, least, most);
		return -1;
	}
	*out = (unsigned)n;
	return 1;
}

static int set_bits(struct asm_options *o, const char *value)
{
	if (strcmp(value, "16") && strcmp(value, "32") && strcmp(value, "64")) {
		cli_fail("--bits %s: there are 16, 32 and 64", value);
		return -1;
	}
	o->cfg.bits = (unsigned)atoi(value);
	return 1;
}

static int asm_option(void *own, int option, const char *value)
{
	struct asm_options *o = own;

	switch (option) {
	case OPT_cpu:
		if (!strchr(value, ','))
			return 0;
		cli_fail("--cpu %s: asm takes one processor; run it once for each", value);
		return -1;
	case OPT_file: o->file = value; return 1;
	case OPT_from: o->from = value; return 1;
	case OPT_att: o->cfg.is_att = true; return 1;
	case OPT_bits: return set_bits(o, value);
	case OPT_read_data: o->cfg.is_data_read = true; return 1;
	case OPT_no_run: o->cfg.is_not_run = true; return 1;
	case OPT_asm_init: o->cfg.init = value; return 1;
	case OPT_unroll_count:
		return set_number("-unroll_count", value, 1, MOST_COPIES, &o->cfg.n_unroll);
	case OPT_loop_count: return set_number("-loop_count", value, 1, MOST_LOOP, &o->cfg.n_loop);
	case OPT_warm_up_count:
		return set_number("-warm_up_count", value, 0, MOST_LOOP, &o->cfg.n_warm_up);
	case OPT_timeline: o->has_timeline = true; return 1;
	case OPT_json: o->is_json = true; return 1;
	default: return 0;
	}
}

static int read_file(const char *name, struct text *out)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "re") : stdin;
	char line[4096];
	int rc = 0;

	if (!f)
		return cli_fail("-f %s: %s", name, strerror(errno));
	while (!rc && fgets(line, sizeof(line), f)) {
		text_printf(out, "%s", line);
		if (out->n > MOST_SOURCE_BYTES)
			rc = cli_fail(
			    "-f %s: more than %u bytes; softpmu asm is for small pieces of code",
			    name, MOST_SOURCE_BYTES);
	}
	if (!rc && ferror(f))
		rc = cli_fail("-f %s: %s", name, strerror(errno));
	if (f != stdin)
		fclose(f);
	return rc;
}

/* The instructions: of the file, or the arguments one behind the other. */
static int read_source(struct asm_options *o, int argc, char **argv, struct text *out)
{
	const int first = cli_first_argument();

	if (o->file && first < argc)
		return cli_fail("-f %s: and instructions as arguments too; choose one of them",
				o->file);
	if (o->file) {
		o->cfg.is_file = true;
		return read_file(o->file, out);
	}
	if (first >= argc)
		return cli_fail("asm: which instructions? write softpmu asm 'l: add eax,[esi]; dec "
				"ecx; jnz l'");
	if (first + 1 == argc && !strpbrk(argv[first], " \t;:") && !access(argv[first], R_OK))
		return cli_fail(
		    "asm %s: that is a file; its instructions are read by softpmu asm -f %s",
		    argv[first], argv[first]);
	for (int i = first; i < argc; i++)
		text_printf(out, "%s%s", i > first ? "; " : "", argv[i]);
	return 0;
}

/* The code of a compiled function. What says how text is spelt or set up goes with text alone. */
static int read_compiled(struct asm_options *o, int argc, char **argv, struct cli_from *from)
{
	int code;

	if (o->file || cli_first_argument() < argc)
		return cli_fail("--from %s: and instructions too%s%s; choose one of them", o->from,
				o->file ? ", of -f " : "", o->file ? o->file : "");
	if (o->cfg.is_att || o->cfg.init || o->cfg.bits)
		return cli_fail("--from %s: code that is compiled has its width, and is not run, "
				"so --att, --bits and --asm-init do not go with it",
				o->from);
	code = cli_from_choose(from, o->from);
	o->cfg.code = &from->code;
	o->cfg.piece = from->piece;
	return code;
}

/* Where the code lies; what it is timed with stands in the listing's head. */
static void print_place(const struct asm_options *o, const struct cli_from *from)
{
	const struct asm_insn *insn = from->code.insn;

	if (o->from && !o->is_json)
		printf("%s of %s, bytes %x to %x: data aligned and in L1D, the way straight "
		       "on\n",
		       from->piece.is_loop ? "A loop" : "The code", from->name,
		       insn[from->piece.first].at,
		       insn[from->piece.last].at + insn[from->piece.last].n - 1);
}

static int measure(struct asm_options *o, const struct cli_from *from)
{
	const struct rpt_screen screen = cli_log_screen(stdout, CLI_COLOR_NEVER);
	struct asm_result result;
	struct spmu_error err;
	int code = 0;

	o->cfg.model = o->run.cfg.model;
	o->cfg.chaos = o->run.cfg.chaos;
	if (asm_run(&o->cfg, &result, &err)) {
		code = o->from ? cli_fail("--from %s: %s", o->from, err.text) : cli_complain(&err);
		asm_result_free(&result);
		return code;
	}
	if (o->has_timeline && (o->is_json || !result.n_line || !result.line[0].n_uop)) {
		asm_result_free(&result);
		return cli_fail(o->is_json
				    ? "--timeline: --json has each micro-op's clocks already"
				    : "--timeline: a Pentium has no micro-ops; its table has "
				      "the clock and the pipe of each instruction");
	}
	print_place(o, from);
	if (o->is_json ? rpt_asm_json(o->cfg.model.cpu, &result, stdout)
		       : rpt_asm_human(o->cfg.model.cpu, &result, &screen, stdout))
		code = cli_fail("out of memory for the report");
	else if (o->has_timeline)
		rpt_asm_timeline(&result, &screen, stdout);
	asm_result_free(&result);
	return cli_close_stdout(code);
}

int cmd_asm(int argc, char **argv)
{
	struct asm_options o = {.cfg = {.n_unroll = 1, .n_warm_up = DEFAULT_WARM_UP}};
	struct text source = {0};
	struct cli_from from = {.at = 0};
	int help = 0;
	int code;

	cli_run_open(&o.run);
	o.run.cfg.model.cpu = cat_find_cpu(ASM_DEFAULT_CPU);
	take_single_dashes(argc, argv);
	code = cli_run_read(&o.run, argc, argv, 'A', asm_option, &o, &help);
	if (help)
		return cli_help(argv[0], help);
	if (!code)
		code = cli_run_geometry(&o.run);
	if (!code)
		code = o.from ? read_compiled(&o, argc, argv, &from)
			      : read_source(&o, argc, argv, &source);
	o.cfg.text = o.from ? NULL : text_get(&source);
	if (!code)
		code = measure(&o, &from);
	cli_from_close(&from);
	text_free(&source);
	cli_run_free(&o.run);
	return code;
}
