/* print.h -- how a lesson looks: at most 80 columns. */
#ifndef SOFTPMU_LAB_PRINT_H
#define SOFTPMU_LAB_PRINT_H

#include <stdio.h>

#include "lab/table.h"

/* All lessons, one line each. Returns 0, or as lab_lesson_open. */
int lab_print_list(FILE *out, struct spmu_error *err);

/* The lesson with the numbers of its runs on the table's processor. Returns 0; -SPMU_EINVAL for
 * a claim that has no number. */
int lab_print(const struct lab_table *t, FILE *out, struct spmu_error *err);

/* The command line that repeats a run, without program and what is before it: "--cpu pentium3 -e
 * ...". */
void lab_command(const struct lab_table *t, size_t run, char *out, size_t n);

#endif
