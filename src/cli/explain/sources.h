/* sources.h -- what the keys of the catalog's source fields stand for: "A,I8". */
#ifndef SOFTPMU_CLI_EXPLAIN_SOURCES_H
#define SOFTPMU_CLI_EXPLAIN_SOURCES_H

#include <stddef.h>

/* Print what the keys in the first n bytes stand for, one per line. Keys that `told` has are left
 * out, and each is told once. */
void cli_explain_keys(const char *keys, size_t n, const char *told);

/* Print all of them under a heading. */
void cli_explain_sources(const char *keys);

#endif
