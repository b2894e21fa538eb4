/* picture.h -- the block diagram of a processor with what was counted in it.
 *
 * Three steps: a picture says which events are shown and their numbers, a layout where everything
 * stands in character cells (layout.h), and text.c or svg.c draw it.
 */
#ifndef SOFTPMU_REPORT_DIAGRAM_PICTURE_H
#define SOFTPMU_REPORT_DIAGRAM_PICTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "catalog/diagram.h"
#include "report/report.h"

/* One event of the table. */
struct dgm_number {
	bool is_shown; /* the processor has it, and it was counted when anything was */
	enum evt_status status;
	uint64_t value; /* valid when status == EVT_COUNTED */
	int share;	/* thousandths of the event that it is a part of; -1: none */
};

struct dgm_picture {
	const struct cat_cpu *cpu;
	const struct cat_diagram *table; /* of the catalog */
	struct dgm_number *number;	 /* in the order of table->event; owned */
	bool has_numbers;		 /* false: names in place of counts */
	/* thousandths of all clocks that were lost in each box of the table, or NULL; the caller's
	 */
	const int *lost;
};

/* The picture of cpu without counts: every event that it has. Returns 0, -SPMU_ENOTSUP when its
 * family has none, -SPMU_ENOMEM. */
int dgm_of_cpu(const struct cat_cpu *cpu, struct dgm_picture *out);

/* The picture with the counts of r: events that it counted plainly, under their default masks.
 * Returns as above. */
int dgm_of_report(const struct rpt_report *r, struct dgm_picture *out);

void dgm_free(struct dgm_picture *p);

/* Returns true if the picture of r's processor shows the count of event i of r. */
bool dgm_shows(const struct rpt_report *r, size_t i);

/* "80", of two events of one code "2B.1", of what has a register of its own "". Buffer is the
 * caller's. */
const char *dgm_code(const struct dgm_picture *p, const struct cat_event *e, char out[8]);

/* "12.3%", at most 5 characters; "" when there is none. Buffer is the caller's. */
const char *dgm_share(const struct dgm_number *n, char out[8]);

/* The number in digits, in groups of three when has_groups, or why there is none ("not modelled").
 * Buffer is the caller's. */
const char *dgm_value(const struct dgm_number *n, bool has_groups, char out[40]);

/* How a picture is drawn as text. */
struct dgm_style {
	bool is_ascii; /* no box drawing characters */
	bool has_bold;
	bool has_groups; /* digits in groups of three, where all fit */
};

/* Draw in 80 columns, in more where a number has more than 11 digits. Returns 0 or -SPMU_ENOMEM. */
int dgm_text(const struct dgm_picture *p, const struct dgm_style *style, FILE *out);

/* Draw as one SVG document without scripts; title: of the document, any text. Returns 0 or
 * -SPMU_ENOMEM. */
int dgm_svg(const struct dgm_picture *p, const char *title, FILE *out);

/* Draw as an svg element of a page that brings its own styles (src/html/page.css). A box of a unit
 * is a link to the element "unit-NAME" of the page, and the unit's box has its name as id. Returns
 * as above. */
int dgm_svg_part(const struct dgm_picture *p, FILE *out);

#endif
