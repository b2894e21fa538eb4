/* layout.h -- text on a terminal: wrapped paragraphs, event attributes in words. */
#ifndef SOFTPMU_CLI_LAYOUT_H
#define SOFTPMU_CLI_LAYOUT_H

#include "catalog/catalog.h"

/* Print text to stdout in lines of at most 96 columns, each indented by `indent` blanks. Empty
 * lines of the text separate paragraphs and are kept. */
void layout_paragraphs(const char *text, int indent);

/* Print a line, and a newline, to stdout. At a terminal it takes as many lines as it needs, all but
 * the first indented by `indent` blanks, or by half of the terminal's columns when that is less. */
__attribute__((format(printf, 2, 3))) void layout_line(int indent, const char *format, ...);

/* Columns for a name when `rest` columns of other text follow it: `usual`, less at a terminal. */
int layout_name_columns(int usual, int rest);

/* "counter 0 or 1", "counter 0 only", ... */
const char *layout_counters(const struct cat_event *e);

/* "occurrences", "clocks", "weighted clocks" */
const char *layout_kind(const struct cat_event *e);

/* perf's generic names of e's plain count on cpu, each behind `between`, into out; "" when none. */
const char *layout_generic_names(const struct cat_cpu *cpu, const struct cat_event *e,
				 const char *between, char *out, size_t room);

#endif
