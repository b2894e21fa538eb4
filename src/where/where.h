/* where.h -- a record's counts summed by function, line, file, object, process, address or thread.
 *
 * COUNTING RULES   rows sum to the record's totals, event by event: what has no name is a row of
 *                  its object, and what no instruction caused is the row "[machine]".
 */
#ifndef SOFTPMU_WHERE_WHERE_H
#define SOFTPMU_WHERE_WHERE_H

#include "names/names.h"
#include "record/file.h"

enum whr_by { WHR_FUNCTION, WHR_LINE, WHR_FILE, WHR_OBJECT, WHR_PROCESS, WHR_ADDRESS, WHR_THREAD };

/* One row. Texts are the table's; "" where there is none or `by` does not ask for it. */
struct whr_row {
	const char *function; /* or "[machine]", "[no symbol]" */
	const char *file;     /* of the source */
	unsigned line;
	const char *object;   /* path of the executable or library */
	const char *process;  /* "1.2 gzip"; of a thread: "1.2:3 gzip" */
	uint64_t offset;      /* of an address: in the object's file */
	uint64_t address;     /* ... as objdump shows it */
	uint64_t in_function; /* ... bytes from where the function begins */
	const int64_t *count; /* n_event; owned by the table */
	/* of functions and calls (calls.h): n_event own counts, and how often it was called */
	const int64_t *self;
	uint64_t calls;
};

struct whr_table {
	enum whr_by by;
	uint32_t n_event;
	struct whr_row *row; /* owned; in no order */
	size_t n, room;
	int64_t *count;	 /* owned */
	uint32_t *index; /* owned: by hash, 1 + a row */
	size_t n_index;
	char **text; /* owned */
	size_t n_text, room_text;
};

/* Is the file at `path` another one than was executed? object: what a record has of it. */
bool whr_is_changed(struct nm *names, const char *path, const json_t *object);

/* Have no names asked for of files that are not what was executed. Returns the first of them, r's,
 * or NULL. */
const char *whr_distrust_changed(const struct rec *r, struct nm *names);

/* Sum r. Files whose contents are not those that were recorded give no names, and *changed receives
 * the first of them (or NULL); it is r's. Returns 0 or -SPMU_ENOMEM; whr_free() may be called in
 * any case. */
int whr_build(struct whr_table *t, const struct rec *r, struct nm *names, enum whr_by by,
	      const char **changed);
void whr_free(struct whr_table *t);

/* Add counts to the row that is called so. Rows have their counts after whr_settle(). Returns 0 or
 * -SPMU_ENOMEM. */
int whr_add(struct whr_table *t, const struct whr_row *as, const int64_t *count);
void whr_settle(struct whr_table *t);

/* Returns the counts of the row of t, which is settled and was not sorted, that is called as `as`;
 * NULL: there is none. */
const int64_t *whr_find(const struct whr_table *t, const struct whr_row *as);

/* Sort by the size of `event`'s counts, then by name. */
void whr_sort(struct whr_table *t, uint32_t event);

/* How a row is called: its function, line "file:12", file, object, process, thread or address
 * "0x12f0". Buffer is the caller's. */
const char *whr_name(const struct whr_table *t, const struct whr_row *row, char *out, size_t room);

#endif
