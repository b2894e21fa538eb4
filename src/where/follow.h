/* follow.h -- where the lines of one build's sources are in another build's.
 *
 * RULE            What is written or left out in a file moves all lines below by as much. Lines
 * pair in their order, so that few of them move otherwise than the line before, and those pair that
 * count alike for the same functions. Counts are those of the first few events that count anything.
 * A function that was moved as a whole is followed alone. Which file is which is in same_file.h.
 * Files of the system's
 *                 (/usr/include) stay as they are.
 * NOT MODELLED    texts of sources are not read: they may have changed since, or be elsewhere. Of
 *                 lines in a row that count alike, any may be the one that was inserted.
 */
#ifndef SOFTPMU_WHERE_FOLLOW_H
#define SOFTPMU_WHERE_FOLLOW_H

#include "where/where.h"

/* A row on its way to a partner. */
struct whr_single {
	const struct whr_row *row;
	struct whr_row key; /* what it is compared by: of a new row what it was called before */
	bool is_new;
};

/* Give the keys of the new rows among s[0..n), which change their order, files and lines of the old
 * build; keys have the old build's functions. A line that is in no old one has a number that no
 * line has. Returns 0 or -SPMU_ENOMEM. */
int whr_follow_lines(struct whr_single *s, size_t n, uint32_t n_event);

#endif
