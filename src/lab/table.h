/* table.h -- the numbers of a lesson's runs: events as they were counted, figures worked out of
 * them. */
#ifndef SOFTPMU_LAB_TABLE_H
#define SOFTPMU_LAB_TABLE_H

#include "lab/claim.h"
#include "lab/lesson.h"

struct lab_number {
	double value;
	bool is_known;
	const char *why; /* not known: "not modelled" ...; static */
};

/* One run. */
struct lab_row {
	bool is_done;
	int status; /* of the program: its exit status, or 128 + signal */
	struct lab_number number[LAB_COLUMNS];
};

struct lab_table {
	const struct lab_lesson *l;
	const struct cat_cpu *cpu;
	struct lab_row row[LAB_RUNS]; /* as the lesson's runs */
};

/* Events of the lesson for the table's processor, as behind -e. */
void lab_table_events(const struct lab_table *t, char *out, size_t n);

/* Is this column one of the table's processor? */
bool lab_table_has(const struct lab_table *t, size_t column);

/* Events are filled in: work the figures of a row out. Returns 0, or -SPMU_EINVAL with the
 * formula that has no value. */
int lab_table_figures(struct lab_table *t, size_t row, struct spmu_error *err);

/* Test claim number i; with_try: on the numbers of the try, whose runs stand for those of the
 * same name. */
int lab_table_claim(const struct lab_table *t, size_t i, bool with_try, struct lab_verdict *out,
		    struct spmu_error *err);

/* The number of the claim that is the answer on the table's processor; -1: none. */
int lab_table_answer(const struct lab_table *t);

/* Write a number as it is shown: "1,234", "17.02". */
void lab_number_text(double value, char out[32]);

#endif
