/* parts.h -- what the sections of the page have in common. */
#ifndef SOFTPMU_HTML_PARTS_H
#define SOFTPMU_HTML_PARTS_H

#include "catalog/diagram.h"
#include "event/events.h"
#include "event/metrics.h"
#include "html/html.h"
#include "report/markup.h"
#include "where/interval.h"
#include "where/pairs.h"

#define HTM_MOST_ROWS	 1000u /* functions; the others are one row */
#define HTM_MOST_SOURCES 10u
#define HTM_COLUMNS	 4u /* events side by side; of two records half of them */

#define HTM_MOST_PARTS 32u
#define HTM_MOST_BOXES 64u

/* Clocks that were lost for one reason: a part of the CPI stack, or a stall. */
struct htm_part {
	const struct cat_diagram_part *row;
	uint32_t event; /* of the record */
	int metric;	/* number in htm.stack; -1: a stall */
	double clocks;	/* that one count stands for */
};

/* A page that is written. */
struct htm {
	const struct htm_input *in;
	FILE *out;
	struct evt_events events;		 /* those of the record, in its order */
	struct evt_count *count;		 /* of each, owned */
	struct whr_table functions[2], lines[2]; /* [0] of the record, [1] of the old one */
	struct whr_pairs pairs;	     /* old and new functions, in the order of the table */
	struct whr_pairs line_pairs; /* old and new lines, in no order */
	struct whr_intervals function_interval[2], line_interval[2]; /* of estimates in rows */
	const struct whr_pair *source[HTM_MOST_SOURCES]; /* functions whose lines are shown */
	unsigned n_source;
	/* what the table of functions shows at first: the first one is what it is sorted by */
	uint32_t column[HTM_COLUMNS];
	unsigned n_column;
	struct evt_metrics
	    stack; /* with parts that sum to all clocks, when the record has all of them */
	struct htm_part part[HTM_MOST_PARTS];
	unsigned n_part;
	int clocks;	 /* the event that counts them, or -1 */
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

/* What stands behind the last slash of a path. */
const char *htm_last_part(const char *path);

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

/* ---- interval.c: how far numbers may be off -------------------------------------------------- */

/* Sum up what is known of the rows of a record: which 0, or the old one, 1. Returns 0 or
 * -SPMU_ENOMEM. */
int htm_intervals(struct htm *h, unsigned which);

/* Half of the interval at 95 % of the total of event e, of two records of its change. 0: it is
 * exact; INFINITY: nobody knows. */
double htm_half_of_total(const struct htm *h, uint32_t e);

/* The same of a row of functions or of lines (by). */
double htm_half_of_pair(const struct htm *h, enum whr_by by, const struct whr_pair *p, uint32_t e);

/* "+-0.21 %" of a count, or "" where it is exact; the same as an element behind it. */
const char *htm_half(double half, int64_t of, char out[16]);
void htm_put_half(const struct htm *h, double half, int64_t of);

/* A cell of the change of a count, "as before" where its interval explains it. also: NULL, or the
 * classes of a narrow cell, which has no part in percent. */
void htm_put_change(const struct htm *h, const char *also, double half, int64_t old, int64_t new);

/* ---- lost.c: where clocks were lost ---------------------------------------------------------- */

/* Find the parts of h->part: those of the CPI stack, or stalls where the record has no such parts.
 * Returns 0 or -SPMU_ENOMEM. */
int htm_find_parts(struct htm *h);
static inline bool htm_has_stack(const struct htm *h)
{
	return h->stack.n > 0;
}

/* Shares of the parts in `count` (of each event), in thousandths that sum to 1000; of stalls, which
 * overlap, thousandths of the clocks. Returns the clocks of all parts, of stalls all clocks; 0: no
 * share is there. */
double htm_part_shares(const struct htm *h, const int64_t *count, int share[HTM_MOST_PARTS]);

/* Totals of the record's events; of the old one's. The caller frees it; NULL: no memory. */
int64_t *htm_totals(const struct htm *h, bool is_old);

/* Thousandths that were lost in each box of the diagram. Returns false when none is known. */
bool htm_lost_of_boxes(const struct htm *h, int lost[HTM_MOST_BOXES]);

/* ---- the sections ---------------------------------------------------------------------------- */

int htm_put_machine(const struct htm *h);   /* machine.c: the diagram */
int htm_put_totals(const struct htm *h);    /* totals.c: events, metrics */
int htm_put_relations(const struct htm *h); /* totals.c: of the catalog, on this run */
int htm_put_clocks(const struct htm *h);    /* clocks.c: where the clocks went */
int htm_put_flame(const struct htm *h);	    /* flame.c: the graph of call paths */
int htm_put_functions(const struct htm *h); /* functions.c: the table */
int htm_put_data(const struct htm *h);	    /* data.c: the same for the script */
int htm_put_sources(const struct htm *h);   /* source.c: lines of the functions that counted most */

/* Number of the source section of a function, -1: it has none. row: one of h->functions[0], or
 * NULL. */
int htm_source_of(const struct htm *h, const struct whr_row *row);

/* Choose the functions whose lines are shown. */
void htm_choose_sources(struct htm *h);

#endif
