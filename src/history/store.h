/* store.h -- the history of a program: results with commit, host, model and date, in one SQLite
 * file.
 *
 * RULES     a result is added once: one with the same commit, host, model, command and counts is
 *           there already, whatever its date.
 *           Results whose command, tags, processor and model are equal are a series: their counts
 *           can be compared.
 * WRITERS   SQLite locks the file; a process that finds it locked waits, at most HST_PATIENCE_MS.
 * TRUST     a file is anybody's. It is ours when its tables are the very ones of this version: so
 *           no view or trigger of a stranger runs.
 *           Texts are at most HST_MOST_TEXT bytes; control characters in them become '?'.
 */
#ifndef SOFTPMU_HISTORY_STORE_H
#define SOFTPMU_HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define HST_PATIENCE_MS	 10000
#define HST_MOST_TEXT	 (1 << 20)
#define HST_MOST_RESULTS 1000000u

struct hst_count {
	char *event;
	uint64_t value, half; /* half of the interval of an estimate; 0: exact */
};

/* A result. Texts are owned, and never NULL in a result that was read; "" is not known. */
struct hst_result {
	int64_t id;
	char *date;		      /* when it was counted: "2026-11-27T10:00:00Z" */
	char *revision, *commit_date; /* "-dirty" behind a hash: the tree had changes */
	char *subject, *host, *cpu;
	char *model; /* digest of all that a count depends on beside program and input */
	char *command, *tags, *version;
	struct hst_count *count;
	size_t n_count;
};

struct hst_results {
	struct hst_result *result;
	size_t n;
};

struct hst;

/* Open the file at `path`; makes it where is_new_allowed. *out is the caller's (hst_close()) when
 * it returns 0; else -SPMU_ENOENT (there is none), -SPMU_EINVAL (it is no history, a damaged one,
 * or one of a newer softpmu), -SPMU_ESYS (no SQLite, a file that cannot be read) or -SPMU_ENOMEM,
 * with a sentence. */
int hst_open(const char *path, bool is_new_allowed, struct hst **out, struct spmu_error *err);
void hst_close(struct hst *h);

/* Between these two a writer's additions become part of the file together, or not at all. Return 0,
 * or the errors of hst_open(). */
int hst_begin(struct hst *h, struct spmu_error *err);
int hst_commit(struct hst *h, struct spmu_error *err);

/* Add a result, whose id is not looked at. *is_new: it was not there. Returns as above. */
int hst_add(struct hst *h, const struct hst_result *result, bool *is_new, struct spmu_error *err);

/* Read all results, oldest first: by date of the commit, then of the result, then by number. *out
 * begins with all zero and is the caller's in either case (hst_results_free()). Returns as above.
 */
int hst_read(struct hst *h, struct hst_results *out, struct spmu_error *err);
void hst_results_free(struct hst_results *r);
void hst_result_free(struct hst_result *r);

/* The count of an event, whatever case its name has; NULL: it was not counted. */
const struct hst_count *hst_find_count(const struct hst_result *r, const char *event);

/* Are both of one series? */
bool hst_is_series(const struct hst_result *a, const struct hst_result *b);

#endif
