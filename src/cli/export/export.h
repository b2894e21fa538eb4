/* export.h -- the formats of softpmu export. */
#ifndef SOFTPMU_CLI_EXPORT_EXPORT_H
#define SOFTPMU_CLI_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "names/names.h"
#include "record/file.h"
#include "where/interval.h"
#include "where/stacks.h"

/* What is written. Files that are not those that were recorded are distrusted already. */
struct cli_export {
	const struct rec *rec;
	struct nm *names;
	uint32_t event; /* -e: has a number; stands first where the format has a first one */
};

/* Write it. Returns 0 or -SPMU_ENOMEM; errors of `out` are the caller's to look for. */
#define FORMAT(name, function, takes_event, has_stacks, text)                                      \
	int function(const struct cli_export *x, FILE *out);
#include "cli/export/formats.def"
#undef FORMAT

/* Texts that get a number at their first use: 1, 2 ... All 0 is empty. */
struct cli_texts {
	void *root; /* of tsearch(3) */
	uint32_t n;
	bool is_lost; /* memory was out */
};

/* *is_new: was it the first use? Returns 0 without memory. */
uint32_t cli_text_number(struct cli_texts *t, const char *text, bool *is_new);
void cli_texts_free(struct cli_texts *t);

/* "estimates by samples, +- half of an interval at 95 %: cycles +-0.21%", for the place where a
 * format says what it holds; "" where all counts are exact. Buffer is the caller's. */
#define CLI_ESTIMATES (WHR_ESTIMATES + 64)
const char *cli_export_estimates(const struct rec *r, char out[CLI_ESTIMATES]);

/* The name of process i of a record: "1.2 gzip". */
const char *cli_process_name(const struct rec *r, uint32_t i, char *out, size_t room);

/* The stacks from the outermost function to stack i, as their numbers in way[]. Returns how many;
 * of a longer way the outermost ones are left out. */
#define CLI_MOST_WAY 4096u
uint32_t cli_stack_way(const struct whr_stacks *s, uint32_t i, uint32_t way[CLI_MOST_WAY]);

#endif
