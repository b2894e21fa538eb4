/* search.h -- finds a word in the texts of catalog and glossary, when it is no name of anything. */
#ifndef SOFTPMU_CLI_SEARCH_H
#define SOFTPMU_CLI_SEARCH_H

#include <stdbool.h>

#include "catalog/catalog.h"

/* Print `before`, then what mentions `word`: the glossary's entry, events of cpu's family, events
 * of the other families. Events with the word in their name come before those with it in their
 * meaning or commentary. A text mentions the word if one of its words begins with it, in upper or
 * lower case. only_cpu: events that cpu does not have are left out, and counted. Returns false, and
 * prints nothing, if there is no such text. Cost: a look at every text of the catalog. */
bool cli_search(const struct cat_cpu *cpu, bool only_cpu, const char *word, const char *before);

/* Print the glossary's entry of a term that is this word. Returns false when there is none. */
bool cli_search_term(const char *word);

/* Print the glossary's entries of each of several words, one blank between, that have 3 letters
 * or more. Returns false, and prints nothing, when there is none. */
bool cli_search_parts(const char *words);

#endif
