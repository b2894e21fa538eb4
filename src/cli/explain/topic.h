/* topic.h -- explanations by name: the sections of docs/EXPLANATIONS.md. */
#ifndef SOFTPMU_CLI_EXPLAIN_TOPIC_H
#define SOFTPMU_CLI_EXPLAIN_TOPIC_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/catalog.h"

/* One section. The pointers lie in the text that softpmu carries. */
struct cli_topic {
	char name[40];	   /* "miss-penalty" */
	char family[16];   /* "P6", "Pentium", "": of both */
	const char *title; /* its first line, n_title bytes */
	size_t n_title;
	const char *text; /* the rest of the section, n_text bytes */
	size_t n_text;
};

/* Explanation number i, 0.., in the order of the document. Returns false after the last. */
bool cli_topic_at(size_t i, struct cli_topic *out);

/* Print the explanation of this name to standard output, in any case, with - or _: that of the
 * Pentium ("pipeline-pentium") where cpu is one and there is such. Returns false when there is
 * none.
 */
bool cli_explain_topic(const struct cat_cpu *cpu, const char *name);

/* Print `between`, a heading, and the names and titles that have a word which begins with `word`.
 * Returns how many. */
unsigned cli_search_topics(const char *word, const char *between);

#endif
