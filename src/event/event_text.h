/* event_text.h -- one event's spelling on its way to a struct evt_event. Private to the grammar:
 * events.c cuts lists and groups, event_name.c finds the event, event_part.c reads what follows
 * it. */
#ifndef SOFTPMU_EVENT_EVENT_TEXT_H
#define SOFTPMU_EVENT_EVENT_TEXT_H

#include "event/events.h"

struct event_text {
	const struct cat_cpu *cpu;
	bool is_raw;	 /* codes outside the tables are welcome */
	const char *all; /* whole spelling, for messages */
	struct evt_event e;
	bool has_umask;	    /* a mask was given */
	bool has_exclusive; /* by name, of an event that takes one at a time */
	bool has_level;	    /* :u or :k was given */
	bool is_literal;    /* code, not name: no default mask */
	struct spmu_error *err;
};

/* Find the event that `name` means: Intel's name, alias, perf's name, a code (NN, NNh, 0xNN,
 * rNNNN). A counter that was already read (e.counter) chooses between twin events of the P5. */
int event_find(struct event_text *t, const char *name);

/* Find by code; fails for codes outside the tables unless is_raw. */
int event_find_code(struct event_text *t, unsigned code);

/* Does `word` name the counters of t->cpu, before "::" or "/"? */
bool event_is_pmu(const struct event_text *t, const char *word);

/* Is `word` such a name for some processor? */
bool event_is_any_pmu(const char *word);

/* One part after the name: unit mask or modifier. */
int event_part(struct event_text *t, const char *part);

/* One term of pmu/.../ */
int event_term(struct event_text *t, char *term);

/* All parts are read: fill in defaults, check masks and counters. */
int event_finish(struct event_text *t);

#endif
