/* events.h -- the event grammar: from what people type to what is counted.
 *
 *   list   := item { "," item }
 *   item   := event | "{" list "}" [ ":" part ]...
 *   event  := [ pmu "::" ] name [ ":" part ]...        INST_RETIRED  l2_ld:m:e  p6::L2_LD:M:u:c=1
 *           | code [ ":" part ]...                     0xc0  c0  c0h  0x2b:c1   always hexadecimal
 *           | "r" hex [ ":" part ]...                  r0f2e (PerfEvtSel bits)
 *           | pmu "/" term { "," term } "/" [ ":" ] [ part ]...   cpu/event=0xc0,umask=0x0f,inv/u
 *   part   := unit mask by name or number | u | k | uk | e | i | inv | edge
 *           | c=N | cmask=N | gtN | leN                per-clock comparison (gtN, leN as in rabbit)
 *           | c0 | c1                                  on that counter
 *           | occ | clk                                P5: occurrences or clocks
 *
 * Names in either case: Intel's, those of aliases.tsv, perf's generic and software ones. A unit
 * mask's name goes before a modifier of the same letter (l2_ld:i is state I; inv or i=1 inverts
 * there), as in libpfm4. A named event without unit mask takes the catalog's default; a code is
 * taken literally.
 */
#ifndef SOFTPMU_EVENT_EVENTS_H
#define SOFTPMU_EVENT_EVENTS_H

#include <stddef.h>

#include "base/error.h"
#include "event/event.h"
#include "pmu/select.h"

/* A list of events; start with all zero. */
struct evt_events {
	struct evt_event *event; /* owned */
	size_t n, room;
	int n_group; /* groups used so far */
	/* Events that one of these processors has and cpu has not are left out, not refused.
	 * Borrowed; NULL: there are none. */
	const struct cat_cpu *const *other;
	size_t n_other;
};

/* Append the events of `text` to `list`. is_raw: take codes and masks that the tables do not have.
 * Returns 0; -SPMU_EINVAL with a sentence that names the nearest valid spelling; -SPMU_ENOMEM. On
 * failure the list keeps what it had before the bad item. */
int evt_parse_events(const struct cat_cpu *cpu, const char *text, bool is_raw,
		     struct evt_events *list, struct spmu_error *err);

/* One event without commas and braces; out is written on success only. */
int evt_parse_event(const struct cat_cpu *cpu, const char *text, bool is_raw, struct evt_event *out,
		    struct spmu_error *err);

/* Is word an event code alone, as manuals write it (48, 48H, 0x48)? *code: 0 to 255, or 256. */
bool evt_is_code(const char *word, unsigned *code);

/* Append a copy of e. */
int evt_events_add(struct evt_events *list, const struct evt_event *e, struct spmu_error *err);

/* Event `e` with unit mask `umask`, all privilege levels, spelled NAME[:0xUU]. */
struct evt_event evt_event_of(const struct cat_event *e, uint8_t umask);

/* Append every event of cpu with its default unit mask, except those that need a tier above
 * most_tier (1 counts, 2 structures, 3 time). */
int evt_events_all(const struct cat_cpu *cpu, int most_tier, struct evt_events *list,
		   struct spmu_error *err);

/* Where in the list is event e with unit mask umask, counted plainly (no comparison, no edge)?
 * Returns the index or -1. */
int evt_events_find(const struct evt_events *list, const struct cat_event *e, uint8_t umask);

/* Do two spellings mean one event? */
bool evt_is_same(const struct evt_event *a, const struct evt_event *b);

/* Does e take one of the processor's counters? Not what has a register of its own, what is a figure
 * of this machine, and what the processor has no event for. */
bool evt_needs_counter(const struct evt_event *e);

/* May e be counted on counter c (0 to 63)? */
bool evt_may_count_on(const struct evt_event *e, unsigned c);

/* Can each { } group run on n_counters counters at once? A single event always can.
 * Returns 0, or -SPMU_EINVAL with a sentence that says which events fight for which counter. */
int evt_check_counters(const struct evt_events *list, unsigned n_counters, struct spmu_error *err);

/* What a counter that counts e is set to. */
struct pmu_select evt_select(const struct evt_event *e);

/* Which events a processor with so many counters counts together. */
struct evt_counter_plan {
	/* per event: number of its run, 0..; -1: in every run, in a register of its own. Owned */
	int *run;
	int8_t *counter; /* per event: its counter, or -1. Owned */
	int n_run;
	unsigned n_counters;
};

/* Plan the runs: a { } group is one, other events are put together as they fit, twin events (one
 * code, two counters) first. Returns as evt_check_counters, or -SPMU_ENOMEM.
 * evt_counter_plan_free() in every case. */
int evt_plan_counters(const struct evt_events *list, unsigned n_counters,
		      struct evt_counter_plan *plan, struct spmu_error *err);
void evt_counter_plan_free(struct evt_counter_plan *plan);

void evt_events_free(struct evt_events *list);

#endif
