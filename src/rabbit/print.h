/* print.h -- numbers and words for a terminal of 80 columns. */
#ifndef SOFTPMU_RABBIT_PRINT_H
#define SOFTPMU_RABBIT_PRINT_H

#include <stdint.h>
#include <stdio.h>

/* Print the words of `text` from column `column` to the last one, behind `at` columns that are
 * full. */
void rbt_print_text(const char *text, int at, int column, FILE *out);

/* The number with a comma before each group of three digits. Buffer is the caller's; returns it. */
const char *rbt_number(uint64_t n, char out[32]);

#endif
