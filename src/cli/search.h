/* search.h -- where the catalog and the glossary speak of a word that nothing is named after. */
#ifndef SOFTPMU_CLI_SEARCH_H
#define SOFTPMU_CLI_SEARCH_H

#include <stdbool.h>

#include "catalog/catalog.h"

/* Print what speaks of `word`, behind `before`: the glossary's entry, then events of the family
 * of cpu, then those of the other families, the ones whose name has the word before those whose
 * meaning or commentary has it. A word is found where a word begins with it, in any case.
 * Returns false, and prints nothing, when nothing speaks of it. Cost: a look at every text of
 * the catalog. */
bool cli_search(const struct cat_cpu *cpu, const char *word, const char *before);

/* Print the glossary's entries of each of several words, one blank between, that have 3 letters
 * or more. Returns false, and prints nothing, when there is none. */
bool cli_search_parts(const char *words);

#endif
