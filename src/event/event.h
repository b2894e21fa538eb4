/* event.h -- one event as somebody asked for it, and what came of counting it. */
#ifndef SOFTPMU_EVENT_EVENT_H
#define SOFTPMU_EVENT_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/catalog.h"

/* One event as asked for: a resolved spelling. Built by evt_parse_events (events.h). */
struct evt_event {
	const struct cat_event *event; /* NULL: raw code outside the tables (--raw) */
	char name[128];		       /* as the user typed it */
	uint16_t code;
	uint8_t umask, cmask;
	bool inv, edge;
	bool user, kernel; /* :u :k; both true when neither was given */
	int8_t counter;	   /* P5 twin events: 0, 1, or -1 any */
	int16_t group;	   /* number of its { } group, -1 none */
	/* of the catalog's group that it came from (cat_group.pair); 0: none */
	uint8_t pair;
	uint8_t clock_reading; /* P5 :occ / :clk: 0 as the catalog says, 1 occ, 2 clk */
	uint8_t watch; /* with cmask or edge: its number + 1 among those of its list; else 0 */
	bool is_time;  /* counts nanoseconds that are shown as milliseconds */
	const struct cat_software
	    *software; /* a figure of this machine, not of the processor; NULL: no such one */
	/* perf's name for which the processor has no event: the reason; else NULL; static */
	const char *why_not;
};

enum evt_status {
	EVT_COUNTED,
	EVT_NOT_MODELLED,
	EVT_CANNOT_OCCUR,
	EVT_UNDEFINED,
	EVT_TOO_FEW_SAMPLES, /* estimated (--clocks sampled), with too wide an interval */
	EVT_NOT_COUNTED,
	/* as perf says it: of the machine's own counters (hw/run.h), of perf's names */
	EVT_NOT_SUPPORTED,
};

struct evt_count {
	/* valid when status == EVT_COUNTED; the estimate when it is EVT_TOO_FEW_SAMPLES */
	uint64_t value;
	enum evt_status status;
	const char *why; /* one line when not counted; static */
	uint64_t half;	 /* value is an estimate: half of its interval at 95 %; 0: it is exact */
};

#endif
