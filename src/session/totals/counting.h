/* counting.h -- from the wires of a finished run to the counts of the events asked for. */
#ifndef SOFTPMU_SESSION_COUNTING_H
#define SOFTPMU_SESSION_COUNTING_H

#include "event/events.h"
#include "session/session.h"

/* Fill count[0..n) from w for the n events. cpu: the modelled processor. Cannot fail: an event
 * without a number gets a status and a reason. */
void ses_count_events(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
		      const struct wires *w, struct evt_count *count);

/* Does e count the clocks of a P6, all of them and nothing else? */
bool ses_is_clocks(const struct evt_event *e);

/* Fill in those of count[0..n) that are figures of this machine, from the times and faults of a
 * finished run. Others stay as they are. */
void ses_count_software(const struct ses_result *run, const struct evt_event *event, size_t n,
			struct evt_count *count);

/* Reduce the counts of a P5's events to what its two counters of 40 bits hold, run by run of the
 * plan. For other families it does nothing. */
void ses_count_in_registers(const struct cat_cpu *cpu, const struct evt_events *list,
			    const struct evt_counter_plan *plan, struct evt_count *count);

/* Set in *out the comparisons (counter mask, edge) among the events of one list. */
void ses_watches(const struct evt_event *event, size_t n, struct mdl_config *out);

/* Returns the instructions that a processor never had, from total[WIRE_N], its totals. */
struct ses_later ses_later_of(const uint64_t *total);

/* Mark in wanted[WIRE_N] every wire that an event of the list reads, and the wires that each
 * report's notes need. */
void ses_wanted_wires(const struct evt_event *event, size_t n, uint8_t *wanted);

/* Mark in wanted[WIRE_N] every wire that needs no more than this tier; 0: mark none. */
void ses_wanted_up_to(int tier, uint8_t *wanted);

/* Returns the part of the count of e that the RDPMC which was fed last to model m does not see. The
 * RDPMC is alone in block `id` (mdl_unseen()). */
uint64_t ses_unseen(struct mdl *m, const struct evt_event *e, uint32_t id);

/* Returns the highest tier that the events need on cpu: 1 counts, 2 structures, 3 time (3 only if
 * the model of cpu counts one of them). Cost: opens and closes a model, about a millisecond. */
int ses_tier_of(const struct cat_cpu *cpu, const struct evt_event *event, size_t n);

/* Returns with status EVT_COUNTED if the model of cpu counts event e, else with another status and
 * the reason. Cost: opens and closes a model, about a millisecond. */
struct evt_count ses_event_status(const struct cat_cpu *cpu, const struct evt_event *e);

/* As ses_event_status() for n events, with one model. count[0..n) receives status and why. */
void ses_event_statuses(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
			struct evt_count *count);

/* Write to out[room] how event e of cpu is programmed: "PerfEvtSel 0x00010fc0 (r0fc0)", or "" if
 * the processor has no counters. Returns out. */
const char *ses_register_text(const struct cat_cpu *cpu, const struct evt_event *e, char *out,
			      size_t room);

#endif
