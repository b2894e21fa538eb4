/* report.h -- what a run gave, ready to be written in one of several layouts.
 *
 * One exporter per file, listed in exporters.def. Exporters write to a stream and neither print
 * elsewhere nor close it; numbers are written as in the C locale. The caller checks ferror().
 */
#ifndef SOFTPMU_REPORT_REPORT_H
#define SOFTPMU_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "event/events.h"
#include "event/metrics.h"
#include "report/screen.h"

struct rpt_against;

/* All borrowed. */
struct rpt_report {
	const struct cat_cpu *cpu;
	const struct cat_cpu *seen; /* --cpuid: what the program saw; NULL = cpu */
	char *const *argv;	    /* program and arguments as typed, NULL terminated */
	const struct evt_events *events;
	const struct evt_metrics *metrics;
	const struct ses_result *run; /* n_run finished runs, counts in the order of events */
	size_t n_run;
	const struct evt_count *count; /* means over the runs, in the order of events */
	const char *const *tag;	       /* --tag: NAME=VALUE */
	unsigned n_tag;
	uint64_t seed;	       /* of the first run */
	unsigned n_cpus;       /* modelled processors; counts are sums over them */
	unsigned sample_every; /* of --clocks sampled: the N of 1/N; 0: clocks are exact */
	const char *separator; /* csv */
	const struct evt_counter_plan *plan; /* of --counters, or NULL */
	bool has_turns;			     /* the runs of the plan are turns of one run */
	bool has_unlike_runs;		     /* the runs of the plan had different inputs */
	/* which repetition counted otherwise than the first, and why, a sentence; NULL: none */
	const char *unlike;
	char *const *envp;    /* environment of the program, NULL terminated */
	const char *argv0;    /* --argv0, or NULL */
	const char *ld_cache; /* the word of --ld-cache: host, own or hide */
	bool has_clean_env;   /* it is that of --env clean, not the shell's */
	/* the report goes to standard error, as what the program says there */
	bool is_on_error;
	/* digest of what the options say of the machine and the run */
	uint64_t settings;
	const struct rpt_against *against; /* an older report (against/against.h), or NULL */
	/* the limit that each event breaks, as typed, or NULL; NULL: there are none */
	const char *const *broken;
	const char *column; /* of several machines the one whose counts these are, or NULL */
	/* what it has of its own, with column */
	const struct ses_geometry *geometry;
	const char *machine; /* whose own counters counted; NULL: a model did, that of cpu */
	const char *chosen;  /* how --backend auto decided, a sentence; NULL: it was not asked */
	const char
	    *interval; /* whose counts these are: where it ends, or "summary"; NULL: the run's */
	bool has_insn_intervals;	 /* it ends at an instruction, not at a second */
	bool is_next_interval;		 /* another one was written before it */
	const char *cheaper;		 /* a sentence: what would have taken less time; or NULL */
	const char *trouble;		 /* why the run ended early, or NULL */
	bool has_big_num;		 /* human: digits in groups of three */
	bool is_alone;			 /* only the first process is in the counts */
	bool is_bare;			 /* a whole machine ran, and no program */
	uint64_t from_insn, to_insn;	 /* of a part of the run, its instructions; to 0: its end */
	const char *from_mark, *to_mark; /* ... or regions that it begins and ends with, or NULL */
	const char
	    *wrong_path;    /* the setting of --wrong-path when it is not the default, or NULL */
	bool wants_regions; /* counts of regions were asked for */
	bool is_default;    /* the events are those that are counted when none is asked for */
	/* human: the block diagram in place of the list of events */
	bool has_diagram;
	struct rpt_screen screen;  /* human: where the table goes */
	bool is_quiet, is_verbose; /* human: without notes; with engine statistics */
};

#define EXPORTER(name, function, text) int function(const struct rpt_report *r, FILE *out);
#include "report/exporters.def"
#include "session/session.h"
#undef EXPORTER

/* One interval of the table (perf stat -I), with a heading above the first one; and as an object
 * in one line. */
int rpt_interval(const struct rpt_report *r, FILE *out);
/* The counts so far of a run that goes on: the table's events alone. */
int rpt_so_far(const struct rpt_report *r, FILE *out);
int rpt_interval_json(const struct rpt_report *r, FILE *out);

/* ---- shared by the exporters -------------------------------------------------------------- */

/* Spread of one number over the runs, as perf gives it: standard error of the mean, in percent of
 * the mean. 0 for a single run. i: index of the event. */
double rpt_spread_percent(const struct rpt_report *r, size_t i);
/* Returns half of the 95 % interval of a count in percent of it; 0: it is exact, or has no number.
 */
double rpt_half_percent(const struct evt_count *c);
/* Returns half of the 95 % interval of event i in percent of the estimate; for an exact count the
 * spread. */
double rpt_interval_percent(const struct rpt_report *r, size_t i);

/* Mean over the runs of the time that `seconds` picks, and the standard error of that mean. */
double rpt_mean_seconds(const struct rpt_report *r, double (*seconds)(const struct ses_result *),
			double *standard_error);
double rpt_elapsed(const struct ses_result *run);
double rpt_user(const struct ses_result *run);
double rpt_sys(const struct ses_result *run);

/* Fill count[0..events) with the means (rounded) of the runs; the status is that of the first run
 * in which the event has no number. */
void rpt_means(const struct evt_events *events, const struct ses_result *run, size_t n_run,
	       struct evt_count *count);

/* Returns true if the report lists processes. The machine-readable layouts then name the process on
 * each line. */
static inline bool rpt_has_processes(const struct rpt_report *r)
{
	return r->run[0].process != NULL;
}

/* Name of process p: "1.2 gzip". Buffer is the caller's. */
const char *rpt_process_name(const struct ses_process *p, char *out, size_t room);

/* Name of thread t: its number, "3", behind that of its process when that is not the first:
 * "1.2:3". */
const char *rpt_thread_name(const struct ses_thread *t, char *out, size_t room);

/* Value of count c of event i as perf writes it: a whole number, milliseconds of what counts
 * time. Digits in groups of three when has_groups. Only for EVT_COUNTED. */
const char *rpt_value(const struct rpt_report *r, size_t i, const struct evt_count *c,
		      bool has_groups, char out[40]);
/* Half of the interval of metric k, an estimate; 0: it is exact or has no value. */
double rpt_metric_half(const struct rpt_report *r, int metric);
/* "msec", "ns" or "". */
const char *rpt_unit(const struct rpt_report *r, size_t i);

/* Which kinds of instructions a processor never had, in percent of `instructions`: "64-bit forms
 * 3.1 %, SSE2 and later 0.2 %". Buffer is the caller's. */
const char *rpt_later_kinds(const struct ses_later *l, uint64_t instructions, char *out,
			    size_t room);

/* An enum ses_isa without AUTO as --isa has it: "v2". */
const char *rpt_isa(int isa, char out[8]);

/* Sentence i, from 0, about single processes of a run; NULL: there are no more. Buffer is the
 * caller's. */
const char *rpt_remark(const struct ses_remarks *m, unsigned i, char *out, size_t room);

/* How long event i was counted, in ns (in turns: of the modelled clock), and how much of the time
 * that it was asked for, in percent: means over the runs. 0 and 100 when it has no number. */
double rpt_counted_ns(const struct rpt_report *r, size_t i);
double rpt_counted_percent(const struct rpt_report *r, size_t i);

/* "<not modelled>", "<cannot occur>", "<undefined>"; "" for EVT_COUNTED. */
const char *rpt_status_text(enum evt_status status);

/* Human: the block diagram of the processor with the counts. Returns 0 or -SPMU_ENOMEM. */
int rpt_diagram(const struct rpt_report *r, FILE *out);

/* Visit the metrics shown beside event i: returns the next one after `from` (start with -1) and its
 * value, or -1. Metrics without a value are left out. */
int rpt_next_metric(const struct rpt_report *r, size_t i, int from, double *value);

/* Share of its stack (catalog) that metric k has, in thousandths; -1 when it is no part of one,
 * or nothing is there. The shares of the parts that the report shows sum to 1000. */
int rpt_stack_share(const struct rpt_report *r, int metric);

/* Returns true if the metric has the largest share of its stack; of equal ones the first. */
bool rpt_is_largest_share(const struct rpt_report *r, int metric);

/* Text beside a metric's value: "% l1d_miss_ratio", "uops_per_instruction". Buffer is the
 * caller's. */
const char *rpt_metric_label(const struct cat_metric *m, char *out, size_t room);

/* Sentences about this run that a reader of its numbers should know, NULL when i is past the
 * last. is_short: only the ones that most readers need, each short enough for a line of a terminal.
 * Buffer is the caller's. */
const char *rpt_note(const struct rpt_report *r, unsigned i, bool is_short, char *out, size_t room);

/* Write which instructions of the program were counted. Returns false when all were. */
bool rpt_range_note(const struct rpt_report *r, char *out, size_t room);

/* Write which events were counted together (--counters). Returns false when there was one run. */
bool rpt_plan_note(const struct rpt_report *r, char *out, size_t room);

#endif
