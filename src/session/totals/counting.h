/* counting.h -- from the wires of a finished run to the counts of the events asked for. */
#ifndef SOFTPMU_SESSION_COUNTING_H
#define SOFTPMU_SESSION_COUNTING_H

#include "event/events.h"
#include "session/session.h"

/* Fill count[0..n) from w for the n events. cpu: the modelled processor. Cannot fail: what has no
 * number gets a status and a reason. */
void ses_count_events(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
                      const struct wires *w, struct evt_count *count);

/* Fill in those of count[0..n) that are figures of this machine, from the times and faults of a
 * finished run. */
void ses_count_software(const struct ses_result *run, const struct evt_event *event, size_t n,
                        struct evt_count *count);

/* Send the counts of a P5's events through its two counters, run by run of the plan: what 40
 * bits hold of them remains. Other families: nothing happens. */
void ses_count_in_registers(const struct cat_cpu *cpu, const struct evt_events *list,
                            const struct evt_counter_plan *plan, struct evt_count *count);

/* Tell a model of the comparisons (counter mask, edge) among the events of one list. */
void ses_watches(const struct evt_event *event, size_t n, struct mdl_config *out);

/* The instructions that a processor never had, of its totals[WIRE_N]. */
struct ses_later ses_later_of(const uint64_t *total);

/* Mark in wanted[WIRE_N] every wire that one of the events reads, and those of every report's
 * notes. */
void ses_wanted_wires(const struct evt_event *event, size_t n, uint8_t *wanted);

/* Mark every wire that needs no more than this tier; 0: none. */
void ses_wanted_up_to(int tier, uint8_t *wanted);

/* How much of the count of e the RDPMC that was fed last to model m does not see, alone in block
 * `id` (mdl_unseen). */
uint64_t ses_unseen(struct mdl *m, const struct evt_event *e, uint32_t id);

/* The highest tier that the events need on cpu (1 counts, 2 structures, 3 time; 3 only when the
 * model of cpu counts one of them). Cost: opens and closes a model, about a millisecond. */
int ses_tier_of(const struct cat_cpu *cpu, const struct evt_event *event, size_t n);

/* What would happen to event e with unit mask umask on cpu as it is delivered: counted, or why not.
 * Opens and closes a model; status EVT_COUNTED means that it counts. Cost: about a millisecond. */
struct evt_count ses_event_status(const struct cat_cpu *cpu, const struct evt_event *e);

/* The same for many events with one model. count[0..n) receives status and why. */
void ses_event_statuses(const struct cat_cpu *cpu, const struct evt_event *event, size_t n,
                        struct evt_count *count);

/* How event e of cpu is written into the counter registers: "PerfEvtSel 0x00010fc0 (r0fc0)", or ""
 * when the processor has none. Buffer is the caller's; returns it. */
const char *ses_register_text(const struct cat_cpu *cpu, const struct evt_event *e, char *out,
                              size_t room);

#endif
