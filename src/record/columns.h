/* columns.h -- a table of counts as bytes: a row for each instruction or context, a column for each
 * event.
 *
 * LAYOUT  Most counts are 0, and rows are 0 in the same columns as others: first come these
 *         patterns (their number; of each a bit for each column, set where the count is not 0),
 *         then the pattern of each row by its number. Then column by column the counts that are not
 *         0. A column says first how it is written (enum columns_form). Many counts are small
 *         multiples of another column's in the same row: an instruction that is executed n times
 *         reads memory n times. Such a column has a byte for each count: which multiple, or 0: then
 *         the count stands behind these bytes, after those of other rows before it.
 * TRUST   bytes come from files of strangers: every pattern, column and count is looked at before
 *         it is used.
 */
#ifndef SOFTPMU_RECORD_COLUMNS_H
#define SOFTPMU_RECORD_COLUMNS_H

#include "record/bytes.h"

enum columns_form {
	COLUMNS_PLAIN,
	COLUMNS_WAY,	 /* the way from the count that is not 0 before it */
	COLUMNS_MULTIPLE /* and more: of column form - COLUMNS_MULTIPLE, which is before this one */
};

/* Append n_row rows of n_column counts each. */
void rec_put_columns(struct rec_bytes *out, const int64_t *const *row, uint32_t n_row,
		     uint32_t n_column);

/* Read them into count[], which is all 0. */
void rec_get_columns(struct rec_reader *r, int64_t *count, uint32_t n_row, uint32_t n_column);

#endif
