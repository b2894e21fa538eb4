/* results.h -- reports of stat --json as rows of a table.
 *
 * RULES   A row is what one report says. Reports with the same tags are of the same job: when all
 *         that they counted is equal they are one row, and else they disagree and none is. The
 *         digests of their inputs need not be equal: they see when a file was last read.
 *         A report without tags gets those of its program, processor, seed and settings.
 * TRUST   A file is anybody's: at most SWP_MOST_BYTES of it are read, and a member that is missing
 *         or has another type counts as not given.
 */
#ifndef SOFTPMU_SWEEP_RESULTS_H
#define SOFTPMU_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

#define SWP_MOST_BYTES (64u << 20)
#define SWP_NO_COUNT   UINT64_MAX

enum swp_state {
	SWP_USED,     /* a row of the table */
	SWP_SAME,     /* ... which an equal report is already */
	SWP_DISAGREE, /* another report of the job counted otherwise */
	SWP_FAILED,   /* the run did not end well */
	SWP_FOREIGN,  /* no job of the plan */
};

struct swp_row {
	char *tags, *path; /* tags.h; the file; both owned */
	uint64_t *count;   /* one per event that was known when it was read; owned */
	uint32_t n_count;
	uint32_t version; /* of softpmu: index of swp_results.version */
	uint64_t instructions, input_digest;
	enum swp_state state;
	int ending; /* of a failed one: exit status, 128 + signal, or -1: stopped early */
};

struct swp_event {
	char *name;  /* of an estimate's ends: "cycles:low", "cycles:high" */
	uint32_t at; /* the first place at which a report has it */
};

struct swp_results {
	struct swp_row *row;
	size_t n, room;
	struct swp_event *event;
	uint32_t n_event;
	char **version;
	uint32_t n_version;
	uint32_t *guess; /* which event stood here in the last report */
	uint32_t n_guess;
	struct text refused; /* a line for each file that is no result */
	size_t n_refused;
};

/* Read a file, or all files named *.json below a directory. What is no result is noted in
 * r->refused. *r begins with all zero; the caller calls swp_results_free() in either case. Returns
 * 0; -SPMU_ENOENT or -SPMU_ESYS (path itself cannot be read) with a sentence; -SPMU_ENOMEM. */
int swp_results_read(struct swp_results *r, const char *path, struct spmu_error *err);

/* All is read: sort the rows, and set their state. */
void swp_results_judge(struct swp_results *r);

/* The rows of a job with these tags: the first, and how many in *n; NULL: there is none. After
 * swp_results_judge(). */
struct swp_row *swp_results_of(const struct swp_results *r, const char *tags, size_t *n);

/* The count of an event in a row, or SWP_NO_COUNT. */
static inline uint64_t swp_count(const struct swp_row *row, uint32_t event)
{
	return event < row->n_count ? row->count[event] : SWP_NO_COUNT;
}

void swp_results_free(struct swp_results *r);

#endif
