/* screen.h -- tables on a terminal: bold, and lines that fit. Elsewhere nothing is bold, and lines
 * are as long as they are. */
#ifndef SOFTPMU_REPORT_SCREEN_H
#define SOFTPMU_REPORT_SCREEN_H

#include <stdbool.h>
#include <stdio.h>

/* What is known of the stream. All 0: it is no terminal. */
struct rpt_screen {
	bool has_bold;
	bool is_ascii; /* the reader's locale has no box drawing characters */
	int columns;   /* of the terminal; 0: lines may have any length */
};

#define RPT_FOLDED 256u

/* Begin and end bold text: an escape sequence, or "". */
const char *rpt_bold(const struct rpt_screen *s, bool is_bold);
const char *rpt_plain(const struct rpt_screen *s, bool is_bold);

/* A name in at most `room` characters: ".." and its end when it has more (the ends differ), 127
 * then at most. room 0: any length. Buffer is the caller's. */
const char *rpt_fold(const char *name, int room, char out[128]);

/* A function's name without the arguments of templates and functions: "f<...>(...)". Returns out.
 */
const char *rpt_fold_arguments(const char *name, char out[RPT_FOLDED]);

/* Blanks before the second line and those after it: `indent`, or half of the screen when that is
 * less. */
int rpt_indent(const struct rpt_screen *s, int indent);

/* Print text in lines of the screen's width, and a newline; all lines but the first are indented
 * by `indent` blanks. */
void rpt_wrap(const struct rpt_screen *s, const char *text, int indent, FILE *out);

#endif
