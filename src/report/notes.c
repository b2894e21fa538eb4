/* notes.c -- what a reader of the numbers should know about the run that gave them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/against/against.h"
#include "report/report.h"

/* Total of the wire named `name` in the first run; -1 when it is not driven or does not exist. */
static int64_t wire_total(const struct rpt_report *r, const char *name)
{
	size_t n;
	const struct cat_wire *wires = cat_wires(&n);

	for (size_t i = 0; i < n && i < WIRE_N; i++)
		if (wires[i].family == r->cpu->family && !strcmp(wires[i].name, name))
			return r->run[0].wire_driven[i] ? (int64_t)r->run[0].wire_total[i] : -1;
	return -1;
}

#define NOTE_ROOM 92 /* of a line of 100 columns, behind " Note: " and before the full stop */

const char *rpt_later_kinds(const struct ses_later *l, uint64_t instructions, char *out,
			    size_t room)
{
	const struct {
		const char *name;
		uint64_t n;
	} kind[] = {
	    {"integer and x87 forms of later ones", l->new_forms},
	    {"MMX", l->mmx},
	    {"SSE", l->sse},
	    {"64-bit forms", l->long_mode},
	    {"SSE2 and later", l->all - l->new_forms - l->mmx - l->sse - l->long_mode},
	};
	size_t at = 0;

	out[0] = 0;
	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		const double share = 100.0 * (double)kind[i].n / (double)instructions;

		if (kind[i].n && at < room)
			at += (size_t)snprintf(out + at, room - at,
					       share < 0.05 ? "%s%s <0.1 %%" : "%s%s %.1f %%",
					       at ? ", " : "", kind[i].name, share);
	}
	return out;
}

static bool note_later(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	const struct ses_later *later = &r->run[0].later;
	const double percent = 100.0 * (double)later->all / (double)r->run[0].instructions;
	char kinds[200], share[16];

	if (!later->all || !r->run[0].instructions)
		return false;
	if (is_short && 2000 * later->all < r->run[0].instructions)
		return false; /* 0.0 % */
	if (is_short && 2000 * (later->all - later->long_mode) < r->run[0].instructions) {
		snprintf(
		    out, room,
		    "%.1f %% of the instructions are 64-bit forms, counted as their 32-bit kin",
		    100.0 * (double)later->long_mode / (double)r->run[0].instructions);
		return true;
	}
	snprintf(share, sizeof(share), percent < 0.05 ? "<0.1" : "%.1f", percent);
	rpt_later_kinds(later, r->run[0].instructions, kinds, sizeof(kinds));
	if (is_short) {
		const int n = snprintf(out, room, "%s %% of the instructions are new to a %s: %s",
				       share, r->cpu->name, kinds);

		if (n <= NOTE_ROOM)
			return true;
		snprintf(out, room,
			 "%s %% of the instructions are none that a %s had; -v says which kinds",
			 share, r->cpu->name);
		return true;
	}
	snprintf(out, room,
		 "%s %% of the instructions are none that a %s had (%s): they ran on this machine "
		 "and count as their nearest class",
		 share, r->cpu->name, kinds);
	return true;
}

/* A 64-bit program on a Pentium is mostly what it never was. */
static bool note_build(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	const struct ses_result *run = &r->run[0];

	if (r->cpu->family != CAT_P5 || r->machine ||
	    100 * run->later.long_mode < run->instructions || !run->instructions)
		return false;
	snprintf(out, room,
		 "a program that a Pentium could have run is built by gcc -m32 -march=%s",
		 r->cpu->cpu_class == CAT_CLASS_P55C ? "pentium-mmx" : "pentium");
	return true;
}

static bool note_processes(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	uint64_t n = r->run[0].n_process;

	if (n < 2)
		return false;
	if (r->is_alone)
		snprintf(out, room, "%" PRIu64 " processes ran; the counts are of the first alone",
			 n);
	else
		snprintf(out, room, "the counts are sums over %" PRIu64 " processes%s", n,
			 rpt_has_processes(r) ? "" : " (--per-process lists them)");
	return true;
}

static bool note_left(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	const struct ses_result *run = &r->run[r->n_run - 1];
	char names[SES_LEFT_NAMES_BYTES];

	if (!run->n_left || run->interrupted)
		return false;
	snprintf(out, room,
		 "%zu process%s left and go%s on uncounted: %s; the counts hold what %s did up to "
		 "the end (--wait all waits)",
		 run->n_left, run->n_left == 1 ? " was" : "es were", run->n_left == 1 ? "es" : "",
		 ses_left_names(run, names), run->n_left == 1 ? "it" : "they");
	return true;
}

static bool note_clock(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (is_short || !r->run[0].clock_looks)
		return false;
	snprintf(out, room,
		 "the program looked at the time-stamp counter (%" PRIu64 " %s) and saw %s",
		 r->run[0].clock_looks, text_noun(r->run[0].clock_looks, "time", "times"),
		 r->run[0].has_model_clock ? "the modelled processor's clocks"
					   : "one tick per instruction");
	return true;
}

static bool note_time(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!r->run[0].time_looks)
		return false;
	if (is_short) {
		snprintf(out, room,
			 "the program asked for times (%" PRIu64
			 "): where it acts on them, counts differ from run to run",
			 r->run[0].time_looks);
		return true;
	}
	snprintf(out, room,
		 "the program asked %" PRIu64
		 " %s for seconds, processor time or a monotonic clock: should it act "
		 "on them, counts differ although input digests are equal",
		 r->run[0].time_looks, text_noun(r->run[0].time_looks, "time", "times"));
	return true;
}

static bool note_journal(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	const struct ses_journal_end *j = &r->run[r->n_run - 1].journal;
	char whose[120] = "the first process";

	if (j->n_process > 1)
		snprintf(whose, sizeof(whose), "%" PRIu64 " processes", j->n_process);
	switch (j->state) {
	case SES_JOURNAL_WRITTEN:
		snprintf(out, room, "the journal was written: %" PRIu64 " system %s of %s", j->n,
			 text_noun(j->n, "call", "calls"), whose);
		return true;
	case SES_JOURNAL_SAME:
		if (j->n == 1)
			snprintf(out, room, "the one system call of %s is as in the journal",
				 whose);
		else
			snprintf(out, room,
				 "all %" PRIu64 " system calls of %s are as in the journal", j->n,
				 whose);
		return true;
	case SES_JOURNAL_DIFFERS:
		if (j->n_process > 1)
			snprintf(whose, sizeof(whose), " of process %.80s", j->birth);
		else
			whose[0] = 0;
		snprintf(out, room,
			 "system call %" PRIu64
			 "%s is the first that differs from the journal: was %s, is %s",
			 j->n, whose, j->was, j->is);
		return true;
	case SES_JOURNAL_NONE: break;
	}
	return false;
}

static bool note_outside(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	uint64_t n = r->run[0].outside_events;

	if (!n)
		return false;
	if (is_short) {
		snprintf(out, room,
			 "%" PRIu64 " outside event%s (sleeps, signals, other processes): counts "
			 "may differ next time",
			 n, n == 1 ? "" : "s");
		return true;
	}
	snprintf(out, room,
		 "%" PRIu64
		 " outside event%s: a thread came back from a sleep, a timeout, a signal or other "
		 "processes; when it does is not repeatable, and so may be the counts",
		 n, n == 1 ? "" : "s");
	return true;
}

static bool note_signals(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	const uint64_t n = r->run[0].host_signals;

	if (is_short || !n)
		return false;
	snprintf(out, room,
		 "%" PRIu64 " signal%s came from other processes or the kernel: where the program "
		 "is then depends on this machine, and so may the last digits of the counts",
		 n, n == 1 ? "" : "s");
	return true;
}

static bool note_host(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!r->run[0].host_dependent)
		return false;
	if (is_short) {
		snprintf(
		    out, room,
		    "%" PRIu64
		    " instructions round as this machine does (RCPPS, x87 transcendentals ...)",
		    r->run[0].host_dependent);
		return true;
	}
	snprintf(out, room,
		 "%" PRIu64
		 " instructions (RCPPS, RSQRTPS, x87 transcendentals) round as this machine does: "
		 "counts may differ on others if the program depends on the last bits",
		 r->run[0].host_dependent);
	return true;
}

static bool note_isa(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (r->run[0].isa_level != 0 || r->machine)
		return false;
	snprintf(out, room, "--isa host: these counts are those of this machine's instruction set");
	return true;
}

static bool note_chosen(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!r->chosen)
		return false;
	snprintf(out, room, "--backend auto: %s", r->chosen);
	return true;
}

/* Page tables are part of the L2 and bus counts; here is how much of them. */
static bool note_walks(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	int64_t code = wire_total(r, "walk.itlb"), data = wire_total(r, "walk.dtlb");
	int64_t loads = wire_total(r, "walk.l2_ld"), lines = wire_total(r, "walk.l2_line_in");

	if (is_short || code < 0 || data < 0 || loads <= 0 || lines < 0)
		return false;
	snprintf(out, room,
		 "page tables: %" PRId64 " %s for code and %" PRId64 " for data read L2 %" PRId64
		 " %s and brought in %" PRId64 " %s, all of them part of the counts above",
		 code, text_noun((uint64_t)code, "walk", "walks"), data, loads,
		 text_noun((uint64_t)loads, "time", "times"), lines,
		 text_noun((uint64_t)lines, "line", "lines"));
	return true;
}

static bool note_wrong_path(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!r->wrong_path)
		return false;
	snprintf(out, room,
		 "--wrong-path %s: these counts are of another machine than the default's",
		 r->wrong_path);
	return true;
}

static bool note_software(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; i < r->events->n; i++)
		if (r->events->event[i].software && r->count[i].status == EVT_COUNTED)
			n += n < room ? (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "",
							 r->events->event[i].name)
				      : 0;
	if (!n)
		return false;
	if (n < room)
		snprintf(out + n, room - n,
			 is_short ? ": of this machine; they differ from run to run"
				  : ": of this machine, softpmu's own work included; such figures "
				    "differ from run to run");
	return true;
}

/* Where to go from the default events. */
static bool note_clocks(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!is_short || !r->is_default || r->machine || r->run[0].tier > 2)
		return false;
	snprintf(
	    out, room, "%s",
	    r->cpu->family == CAT_P6
		? "-e cycles counts clocks; -M cpi-stack says where they went and takes "
		  "8 times as long"
		: "-e cycles counts clocks; softpmu explain --cpu pentium stalls names events of "
		  "lost ones");
	return true;
}

/* --per-region of a program without marks. */
static bool note_regions(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (!r->wants_regions || r->run[0].n_region)
		return false;
	snprintf(out, room,
		 "the program marked no region (man softpmu-stat: --per-region); softpmu record "
		 "--region FUNCTION counts a function");
	return true;
}

static bool note_reasons(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	size_t n = 0;
	const char *why = NULL, *name = NULL;

	for (size_t i = 0; i < r->events->n; i++)
		if (r->count[i].status != EVT_COUNTED) {
			n++;
			if (!why) {
				why = r->count[i].why;
				name = r->events->event[i].name;
			}
		}
	if (!n || !why)
		return false;
	if (n == 1)
		snprintf(out, room, "%s has no number: %s", name, why);
	else
		snprintf(out, room, "%zu events have no number%s; %s: %s", n,
			 r->machine ? "" : " (softpmu list says why)", name, why);
	return true;
}

/* Append {A,B} of one run; false when there is no room. */
static bool add_run(const struct rpt_report *r, int run, char *out, size_t room)
{
	size_t used = strlen(out);
	char between = '{';

	for (size_t i = 0; i < r->events->n; i++) {
		const char *name = r->events->event[i].name;

		if (r->plan->run[i] != run)
			continue;
		if (used + strlen(name) + 8 > room)
			return false;
		used += (size_t)snprintf(out + used, room - used, "%s%c%s",
					 between == '{' ? " " : "", between, name);
		between = ',';
	}
	snprintf(out + used, room - used, "}");
	return true;
}

bool rpt_range_note(const struct rpt_report *r, char *out, size_t room)
{
	const char *from = r->from_mark, *to = r->to_mark;
	char begin[160], end[160] = " on";

	if (!r->from_insn && !r->to_insn && !from && !to)
		return false;
	if (from)
		snprintf(begin, sizeof(begin), "the begin of the region %s", from);
	else
		snprintf(begin, sizeof(begin), "the program's instruction %" PRIu64, r->from_insn);
	if (to)
		snprintf(end, sizeof(end), " to the end of the region %s", to);
	else if (r->to_insn)
		snprintf(end, sizeof(end), " to %s%" PRIu64, from ? "its instruction " : "",
			 r->to_insn);
	snprintf(out, room, "counted from %s%s", begin, end);
	return true;
}

static bool note_range(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	return rpt_range_note(r, out, room);
}

bool rpt_plan_note(const struct rpt_report *r, char *out, size_t room)
{
	if (!r->plan || r->plan->n_run < 2)
		return false;
	snprintf(out, room,
		 r->has_turns ? "%u at a time, in turns of %d sets, so that counts are estimates%s:"
			      : "%u at a time, in %d runs%s:",
		 r->plan->n_counters, r->plan->n_run,
		 r->has_unlike_runs ? " whose input digests differ" : "");
	for (int run = 0; run < r->plan->n_run; run++) {
		const size_t before = strlen(out);

		if (!add_run(r, run, out, room)) {
			snprintf(out + before, room - before, " ...");
			break;
		}
	}
	return true;
}

static bool note_threads(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (r->run[0].lacks_threads)
		snprintf(out, room,
			 "ulimit -u lets this user start no more threads: one works clocks out, "
			 "which takes longer");
	return r->run[0].lacks_threads;
}

static bool note_unlike(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	if (r->unlike)
		snprintf(out, room, "%s", r->unlike);
	return r->unlike != NULL;
}

static bool note_plan(const struct rpt_report *r, bool is_short, char *out, size_t room)
{
	return rpt_plan_note(r, out, room);
}

const char *rpt_note(const struct rpt_report *r, unsigned i, bool is_short, char *out, size_t room)
{
	bool (*const notes[])(const struct rpt_report *, bool, char *, size_t) = {
	    note_range,
	    note_unlike,
	    note_chosen,
	    note_processes,
	    note_left,
	    note_isa,
	    note_later,
	    note_host,
	    note_clock,
	    note_time,
	    note_journal,
	    note_outside,
	    note_walks,
	    note_plan,
	    note_wrong_path,
	    /* younger ones stand behind: notes of --json keep their order */
	    note_reasons,
	    note_build,
	    note_software,
	    note_threads,
	    note_signals,
	    note_clocks,
	    note_regions,
	};

	for (unsigned k = 0; rpt_against_note(r, k, is_short, out, room); k++)
		if (i-- == 0)
			return out;
	for (unsigned k = 0; !r->machine && rpt_remark(&r->run[0].remarks, k, out, room); k++)
		if (i-- == 0)
			return out;
	for (size_t k = 0; k < sizeof(notes) / sizeof(notes[0]); k++)
		if (notes[k](r, is_short, out, room) && i-- == 0)
			return out;
	return NULL;
}
