/* markup.h -- text of any bytes as part of an XML or HTML document. */
#ifndef SOFTPMU_REPORT_MARKUP_H
#define SOFTPMU_REPORT_MARKUP_H

#include <stdio.h>

/* Write `text` so that a document shows it as it is, as content and as a value between double
 * quotes. A byte that is not UTF-8, or a character that XML does not allow, becomes a question
 * mark. */
void rpt_put_text(const char *text, FILE *out);

#endif
