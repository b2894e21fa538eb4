/* intervals.c -- stat -I: reads the option and prints each interval as it ends. Rules are in
 * intervals.h.
 */
#include "cli/stat/intervals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MOST_MS	  86400000u
#define NS_PER_MS 1000000u
#define NS_PER_S  1000000000u
/* below it there are more lines than anybody reads, and each costs a look */
#define LEAST_INSN 1000u

int cli_intervals_option(struct cli_intervals *o, const char *value)
{
	char *unit;
	const unsigned long long n = strtoull(value, &unit, 10);
	const bool is_insn = !strcmp(unit, "insn");

	if (unit == value || *value == '-' || (*unit && !is_insn)) {
		cli_fail("-I %s: write milliseconds, as -I 100, or instructions, as -I 1000000insn",
			 value);
		return -1;
	}
	if (is_insn ? n < LEAST_INSN : n < 1 || n > MOST_MS) {
		cli_fail(is_insn ? "-I %s: %u instructions are the shortest interval"
				 : "-I %s: milliseconds from 1 to %u are wanted",
			 value, is_insn ? LEAST_INSN : MOST_MS);
		return -1;
	}
	o->cfg.every_insns = is_insn ? n : 0;
	o->cfg.every_ns = is_insn ? 0 : n * NS_PER_MS;
	o->is_wanted = true;
	return 1;
}

int cli_intervals_count(struct cli_intervals *o, const char *value)
{
	char *end;
	const unsigned long long n = strtoull(value, &end, 10);

	if (end == value || *end || *value == '-' || n < 1) {
		cli_fail("--interval-count %s: a number of intervals, from 1, is wanted", value);
		return -1;
	}
	o->cfg.most = n;
	o->has_count = true;
	return 1;
}

/* The end of an interval: seconds, or instructions. */
static const char *stamp(const struct cli_intervals *o, uint64_t at, char out[40])
{
	if (o->cfg.every_insns)
		snprintf(out, 40, "%16" PRIu64, at);
	else
		snprintf(out, 40, "%6" PRIu64 ".%09" PRIu64, at / NS_PER_S, at % NS_PER_S);
	return out;
}

/* SIGUSR1: the counts so far go to standard error as a table; where a layout for programs goes
 * there, too, as comments. */
static void tell_so_far(const struct cli_intervals *o, const struct ses_interval *i)
{
	struct rpt_report r = *o->report;
	struct ses_result run = {.instructions = i->instructions,
				 .elapsed_s = (double)i->to / NS_PER_S};
	char *text = NULL, *rest, *line;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	r.run = &run;
	r.n_run = 1;
	r.count = i->count;
	rpt_so_far(&r, out);
	if (fclose(out)) {
		free(text);
		return;
	}
	for (rest = text; (line = strsep(&rest, "\n")) && rest;)
		fprintf(stderr, "%s%s\n", o->is_table || o->out != stderr ? "" : "# ", line);
	fflush(stderr);
	free(text);
}

static void print_interval(void *ctx, const struct ses_interval *i)
{
	struct cli_intervals *o = ctx;
	struct rpt_report r = *o->report;
	struct ses_result run = {.instructions = i->instructions};
	char text[40];

	if (o->progress)
		cli_progress_end(o->progress);
	if (i->is_so_far) {
		tell_so_far(o, i);
		return;
	}
	if (!o->cfg.every_insns)
		run.elapsed_s = (double)(i->to - i->from) / NS_PER_S;
	r.run = &run;
	r.n_run = 1;
	r.count = i->count;
	r.interval = stamp(o, i->to, text);
	r.has_insn_intervals = o->cfg.every_insns != 0;
	r.is_next_interval = o->n_printed++ != 0;
	o->export(&r, o->out);
	fflush(o->out);
}

const struct ses_intervals_config *
cli_intervals_config(struct cli_intervals *o, const struct rpt_report *r,
		     int (*export)(const struct rpt_report *r, FILE *out), FILE *out)
{
	o->report = r;
	o->export = export;
	o->out = out;
	o->cfg.tell = print_interval;
	o->cfg.ctx = o;
	o->is_table = export == rpt_interval;
	return &o->cfg;
}
