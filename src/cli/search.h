/* search.h -- finds a word in the texts of catalog and glossary, when it is no name of anything. */
#ifndef SOFTPMU_CLI_SEARCH_H
#define SOFTPMU_CLI_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "catalog/catalog.h"

/* Print `before`, then what mentions `word`: the glossary's entry, events of cpu's family, events
 * of the other families. Events with the word in their name come before those with it in their
 * meaning or commentary. A text mentions the word if one of its words begins with it, in upper or
 * lower case, with blanks, - or _, with or without the s of a plural. only_cpu: events that cpu
 * does not have are left out, and counted. Returns false, and prints nothing, if there is no such
 * text. Cost: a look at every text of the catalog. */
bool cli_search(const struct cat_cpu *cpu, bool only_cpu, const char *word, const char *before);

/* Returns true if one of the words in the n bytes at `text` begins with `word`; a word of less than
 * 3 letters must be the whole. */
bool cli_has_word(const char *text, size_t n, const char *word);

/* Is this word a term of the glossary, of those that users meet? */
bool cli_is_term(const char *word);

/* Print the glossary's entry of a term that is this word. Returns false when there is none. */
bool cli_search_term(const char *word);

/* Print the glossary's entries of each of several words, one blank between, that have 3 letters
 * or more. Returns false, and prints nothing, when there is none. */
bool cli_search_parts(const char *words);

#endif
