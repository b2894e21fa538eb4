/* diagram.h -- where the units of a processor stand in its picture, and where each event stands
 * (catalog/<family>/diagram.tsv).
 *
 * The picture is 80 columns wide. Rows are an order from the top, not lines: how many lines a row
 * takes follows from what is shown in it. Everything here is constant.
 */
#ifndef SOFTPMU_CATALOG_DIAGRAM_H
#define SOFTPMU_CATALOG_DIAGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/catalog.h"

/* A part of the processor: a box, or a bus, which is a box of one column. Boxes do not lie over
 * each other. */
struct cat_diagram_box {
	const char *name;  /* "dcu", unique */
	const char *unit;  /* unit of the catalog, "dcu"; "": the catalog has no event of it */
	const char *title; /* "L1D" */
	unsigned char row, last_row;	   /* from 1 */
	unsigned char column, last_column; /* 0..79 */
	bool is_bus;
	bool is_for_all; /* drawn on processors that have none of its events, too */
};

/* What goes from one box to another: beside it (a row in common), or next above or below it. */
struct cat_diagram_arrow {
	const char *name, *text;
	unsigned char from, to; /* numbers of boxes */
};

/* An event of the family: each stands once. */
struct cat_diagram_event {
	const struct cat_event *event;
	const struct cat_event *of; /* its share is of this one; NULL: none */
	const char *label;	    /* up to 9 letters */
	short box, arrow;	    /* where it stands: one number, the other is -1 */
};

/* Where clocks are lost: a part of the CPI stack, or an event that counts clocks of a stall. */
struct cat_diagram_part {
	const char *name;	       /* of the metric, or of the event */
	const struct cat_event *event; /* NULL: a metric */
	const char *group;	       /* "memory": parts of one colour */
	const char *label;	       /* "L2" */
	short box;		       /* -1: they are not lost, or in no box */
};

struct cat_diagram {
	const struct cat_diagram_box *box;
	size_t n_box;
	const struct cat_diagram_arrow *arrow;
	size_t n_arrow;
	const struct cat_diagram_event *event;
	size_t n_event;
	const struct cat_diagram_part *part;
	size_t n_part;
};

/* The picture of cpu's family; NULL: it has none. */
const struct cat_diagram *cat_diagram_of(const struct cat_cpu *cpu);

#endif
