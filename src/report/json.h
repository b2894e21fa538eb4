/* json.h -- parts of the typed JSON report that more than one layout has. Each returns a new
 * object of the caller's. */
#ifndef SOFTPMU_REPORT_JSON_H
#define SOFTPMU_REPORT_JSON_H

#include <jansson.h>

#include "report/report.h"

/* A string; bytes that are not UTF-8 become '?'. */
json_t *rpt_json_text(const char *s);

/* 16 digits. */
json_t *rpt_json_hex(uint64_t value);

/* Returns true if event i of the report has a code on its processor. */
bool rpt_json_has_code(const struct rpt_report *r, size_t i);

/* Add the members that identify event e, whatever its name is, to object o: "event" (where the
 * catalog has it), "code", "umask", and where there are some "modifiers" (":edge:c=1"). */
void rpt_json_event_code(const struct evt_event *e, json_t *o);

/* Event i with its mean count, and with several runs the count of each. */
json_t *rpt_json_event(const struct rpt_report *r, size_t i);

/* All metrics, those without a value with the reason. */
json_t *rpt_json_metrics(const struct rpt_report *r);

/* Add to o which instructions of the program were counted, unless all were. */
void rpt_json_range(json_t *o, const struct rpt_report *r);

/* How the program ended; mean times. */
json_t *rpt_json_ending(const struct rpt_report *r);
json_t *rpt_json_times(const struct rpt_report *r);

#endif
