/* parts.h -- what the sections of the page have in common. */
#ifndef SOFTPMU_HTML_PARTS_H
#define SOFTPMU_HTML_PARTS_H

#include "event/events.h"
#include "html/html.h"
#include "report/markup.h"
#include "where/pairs.h"

#define HTM_MOST_ROWS	 1000u /* functions; the others are one row */
#define HTM_MOST_SOURCES 10u
#define HTM_COLUMNS	 4u /* events side by side; of two records half of them */

/* A page that is written. */
struct htm {
	const struct htm_input *in;
	FILE *out;
	struct evt_events events;	      /* those of the record, in its order */
	struct evt_count *count;	      /* of each, owned */
	struct whr_table functions[2], lines; /* [0] of the record, [1] of the old one */
	struct whr_pairs pairs;		      /* old and new functions, in the order of the table */
	const struct whr_row *source[HTM_MOST_SOURCES]; /* functions whose lines are shown */
	unsigned n_source;
	/* what the table of functions shows at first: the first one is what it is sorted by */
	uint32_t column[HTM_COLUMNS];
	unsigned n_column;
	uint32_t *event; /* events that have a number; owned */
	uint32_t n_event;
};

/* ---- put.c ----------------------------------------------------------------------------------- */

/* Write the name of an event, which may be broken behind each underscore. */
void htm_put_name(const struct htm *h, const char *name);

/* Write text, escaped. */
static inline void htm_put(const struct htm *h, const char *text)
{
	rpt_put_text(text, h->out);
}

/* Write text in which base and home are shortened, escaped; and put it into a buffer, as it is. */
void htm_put_path(const struct htm *h, const char *text);
const char *htm_path(const struct htm *h, const char *text, char *out, size_t room);

/* n in groups of three digits; the same with a sign. Buffers are the caller's. */
const char *htm_number(int64_t n, char out[40]);
const char *htm_signed(int64_t n, char out[40]);

/* "12.3 %" of `whole`, "<0.1 %", or "" of nothing. */
const char *htm_share(int64_t part, uint64_t whole, char out[16]);

/* By how much: "+1.25 %", "x12", "new" or "". */
const char *htm_change(int64_t old, int64_t new, char out[16]);

/* A section and its heading; htm_end() ends it. */
void htm_begin(const struct htm *h, const char *id, const char *title);
void htm_end(const struct htm *h);

/* Begin a cell with the count of event e; more attributes and ">" are the caller's to write. */
void htm_begin_cell(const struct htm *h, const char *class, uint32_t e, int64_t value);

/* What event e of the record counted in the old one; 0 without. */
int64_t htm_old_total(const struct htm *h, uint32_t e);

/* ---- the sections ---------------------------------------------------------------------------- */

int htm_put_machine(const struct htm *h);   /* machine.c: the diagram */
int htm_put_totals(const struct htm *h);    /* totals.c: events, metrics */
int htm_put_relations(const struct htm *h); /* totals.c: of the catalog, on this run */
int htm_put_functions(const struct htm *h); /* functions.c: the table */
int htm_put_data(const struct htm *h);	    /* data.c: the same for the script */
int htm_put_sources(const struct htm *h);   /* source.c: lines of the functions that counted most */

/* Number of the source section of a function, -1: it has none. row: one of h->functions[0], or
 * NULL. */
int htm_source_of(const struct htm *h, const struct whr_row *row);

/* Choose the functions whose lines are shown. */
void htm_choose_sources(struct htm *h);

#endif
