/* process.h -- what one process counted, instruction by instruction: as a table, and as the bytes
 * of a record file.
 *
 * COUNTING RULES   counts of all rows and of the machine sum to the totals, event by event.
 * TRUST            bytes come from files of strangers: sizes are checked before memory is asked
 *                  for, which is 16 bytes for each byte that is there at most, some, and that of
 *                  the counts.
 */
#ifndef SOFTPMU_RECORD_PROCESS_H
#define SOFTPMU_RECORD_PROCESS_H

#include "record/bytes.h"

#define REC_MOST_EVENTS 4096u
#define REC_MOST_TEXT	65536u

/* An instruction: in a file, by its offset there; in memory of no file, by its address. */
struct rec_place {
	uint32_t object;
	uint64_t offset;
};

struct rec_process {
	char *birth;   /* order of birth: "1" the program, "1.2" its second child */
	char *program; /* last part of the name of the file that it ran last */
	uint32_t n_event;
	char **object; /* n_object paths; "[anon]" and the like are no files */
	uint32_t n_object;
	struct rec_place *place; /* n_place, by object, then offset */
	uint32_t n_place;
	int64_t *count;	  /* by place, then event */
	int64_t *machine; /* by event: what no instruction caused */
	int64_t *total;	  /* by event */
};

static inline const int64_t *rec_counts(const struct rec_process *p, uint32_t place)
{
	return p->count + (size_t)place * p->n_event;
}

/* Append *p, whose count is not looked at: row[i] are the counts of place i. All is borrowed. */
void rec_process_put(struct rec_bytes *out, const struct rec_process *p, const int64_t *const *row);

/* The counts of p as rows, owned by the caller; NULL without memory. */
const int64_t **rec_process_rows(const struct rec_process *p);

/* Read what rec_process_put() wrote, all of the n bytes. *p is the caller's, to be freed in any
 * case. left: counts for which there may be memory, REC_MOST_COUNTS of all tables of a file; those
 * of *p are taken off. NULL: counts are not read. Returns NULL, or why not: a static text behind
 * "the record". */
const char *rec_process_get(struct rec_process *p, const uint8_t *bytes, size_t n, uint32_t n_event,
			    uint64_t *left);
void rec_process_free(struct rec_process *p);

#endif
