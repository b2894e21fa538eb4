/* columns.c -- writes and reads a table of counts. Layout: columns.h. */
#include "record/columns.h"

#include <stdlib.h>
#include <string.h>

#define MOST_MULTIPLE 63
#define SAMPLED_ROWS  4096u /* that are looked at to choose a form */

/* ---- patterns -------------------------------------------------------------------------------- */

/* The patterns of rows: each once, in the order in which they come. */
struct patterns {
	size_t bytes; /* of one */
	struct rec_bytes all;
	uint32_t n;
	uint32_t *of;	 /* by row */
	uint32_t *place; /* open addressing: 1 + a number, or 0 */
	uint32_t mask;
};

static size_t bytes_of(uint32_t n_column)
{
	return (n_column + 7u) / 8u;
}

static bool has(const uint8_t *pattern, uint32_t column)
{
	return pattern[column / 8] >> column % 8 & 1;
}

static uint32_t hash_of(const uint8_t *pattern, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = (h ^ pattern[i]) * 0x100000001b3u;
	return (uint32_t)(h >> 32 ^ h);
}

/* The number of a pattern, which is a new one, or not. */
static uint32_t number_of(struct patterns *p, const uint8_t *pattern)
{
	uint32_t i = hash_of(pattern, p->bytes) & p->mask;

	for (; p->place[i]; i = (i + 1) & p->mask)
		if (!memcmp(p->all.at + (p->place[i] - 1) * p->bytes, pattern, p->bytes))
			return p->place[i] - 1;
	rec_put(&p->all, pattern, p->bytes);
	p->place[i] = ++p->n;
	return p->n - 1;
}

static void patterns_free(struct patterns *p)
{
	rec_bytes_free(&p->all);
	free(p->of);
	free(p->place);
}

/* Returns false without memory. */
static bool find_patterns(struct patterns *p, const int64_t *const *row, uint32_t n_row,
			  uint32_t n_column)
{
	uint8_t *pattern;
	size_t room = 2;

	p->bytes = bytes_of(n_column);
	while (room < 2 * (size_t)n_row)
		room *= 2;
	p->mask = (uint32_t)(room - 1);
	p->place = calloc(room, sizeof(*p->place));
	p->of = malloc((n_row + 1) * sizeof(*p->of));
	pattern = malloc(p->bytes + 1);
	for (uint32_t i = 0; i < n_row && pattern && p->of && p->place; i++) {
		memset(pattern, 0, p->bytes);
		for (uint32_t e = 0; e < n_column; e++)
			if (row[i][e])
				pattern[e / 8] |= (uint8_t)(1u << e % 8);
		p->of[i] = number_of(p, pattern);
		if (p->all.is_lost)
			break;
	}
	free(pattern);
	return pattern && p->of && p->place && !p->all.is_lost;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* n as a multiple of x, or 0. */
static uint8_t multiple_of(int64_t n, int64_t x)
{
	if (n <= 0 || x <= 0 || n % x || n / x > MOST_MULTIPLE)
		return 0;
	return (uint8_t)(n / x);
}

/* The column before e of which most counts are multiples, when half of them are. Only some rows are
 * looked at. */
static uint32_t form_of(const int64_t *const *row, uint32_t n_row, uint32_t e)
{
	const uint32_t step = n_row / SAMPLED_ROWS + 1u;
	uint32_t form = COLUMNS_PLAIN, most, n = 0, n_same = 0;
	int64_t before = 0;

	for (uint32_t i = 0; i < n_row; i += step) {
		n += row[i][e] != 0;
		n_same += row[i][e] && row[i][e] == before;
		before = row[i][e] ? row[i][e] : before;
	}
	most = n / 2;
	if (n_same > most)
		form = COLUMNS_WAY;
	for (uint32_t base = 0; base < e; base++) {
		uint32_t n_multiple = 0;

		for (uint32_t i = 0; i < n_row; i += step)
			n_multiple += row[i][e] && multiple_of(row[i][e], row[i][base]);
		if (n_multiple <= most)
			continue;
		most = n_multiple;
		form = COLUMNS_MULTIPLE + base;
	}
	return form;
}

static void put_column(struct rec_bytes *out, const int64_t *const *row, uint32_t n_row, uint32_t e)
{
	const uint32_t form = form_of(row, n_row, e), base = form - COLUMNS_MULTIPLE;
	const bool has_base = form >= COLUMNS_MULTIPLE;
	int64_t before = 0;

	rec_put_number(out, form);
	for (uint32_t i = 0; i < n_row && has_base; i++) {
		const uint8_t k = multiple_of(row[i][e], row[i][base]);

		if (row[i][e])
			rec_put(out, &k, 1);
	}
	for (uint32_t i = 0; i < n_row; i++) {
		const int64_t n = row[i][e];

		if (!n || (has_base && multiple_of(n, row[i][base])))
			continue;
		rec_put_signed(out, (int64_t)((uint64_t)n - (uint64_t)before));
		before = form == COLUMNS_WAY ? n : 0;
	}
}

void rec_put_columns(struct rec_bytes *out, const int64_t *const *row, uint32_t n_row,
		     uint32_t n_column)
{
	struct patterns p = {0};

	if (!find_patterns(&p, row, n_row, n_column)) {
		out->is_lost = true;
		patterns_free(&p);
		return;
	}
	rec_put_number(out, p.n);
	rec_put(out, p.all.at, p.all.n);
	for (uint32_t i = 0; i < n_row; i++)
		rec_put_number(out, p.of[i]);
	for (uint32_t e = 0; e < n_column; e++)
		put_column(out, row, n_row, e);
	patterns_free(&p);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of n rows: their patterns, as places in the bytes of r. NULL when they are bad; owned. */
static const uint8_t **get_patterns(struct rec_reader *r, uint32_t n, uint32_t n_column)
{
	const size_t bytes = bytes_of(n_column);
	const uint64_t n_pattern = rec_get_number(r);
	const uint8_t *first = r->at, **of;

	if (r->is_bad || !bytes || n_pattern > (size_t)(r->end - r->at) / bytes) {
		r->is_bad = true;
		return NULL;
	}
	r->at += n_pattern * bytes;
	of = rec_get_room(r, n, sizeof(*of));
	for (uint32_t i = 0; i < n && !r->is_bad; i++) {
		const uint64_t k = rec_get_number(r);

		r->is_bad |= k >= n_pattern;
		if (!r->is_bad)
			of[i] = first + k * bytes;
	}
	if (!r->is_bad)
		return of;
	free(of);
	return NULL;
}

/* A byte for each count of column e that is not 0; behind them r goes on. */
static const uint8_t *get_multiples(struct rec_reader *r, const uint8_t *const *of, uint32_t n_row,
				    uint32_t e)
{
	const uint8_t *first = r->at;
	size_t n = 0;

	for (uint32_t i = 0; i < n_row; i++)
		n += has(of[i], e);
	r->is_bad |= n > (size_t)(r->end - r->at);
	if (!r->is_bad)
		r->at += n;
	return first;
}

static void get_column(struct rec_reader *r, const uint8_t *const *of, int64_t *count,
		       uint32_t n_row, uint32_t n_column, uint32_t e)
{
	const uint64_t form = rec_get_number(r);
	const uint8_t *multiple = NULL;
	uint64_t before = 0;

	if (form >= COLUMNS_MULTIPLE) {
		r->is_bad |= form - COLUMNS_MULTIPLE >= e;
		multiple = get_multiples(r, of, n_row, e);
	}
	for (uint32_t i = 0; i < n_row && !r->is_bad; i++) {
		int64_t *row = count + (size_t)i * n_column;
		uint8_t k;

		if (!has(of[i], e))
			continue;
		k = multiple ? *multiple++ : 0;
		if (k) {
			row[e] = (int64_t)(k * (uint64_t)row[form - COLUMNS_MULTIPLE]);
			continue;
		}
		before = (form == COLUMNS_WAY ? before : 0) + (uint64_t)rec_get_signed(r);
		row[e] = (int64_t)before;
	}
}

void rec_get_columns(struct rec_reader *r, int64_t *count, uint32_t n_row, uint32_t n_column)
{
	const uint8_t **of = get_patterns(r, n_row, n_column);

	for (uint32_t e = 0; e < n_column && of && !r->is_bad; e++)
		get_column(r, of, count, n_row, n_column, e);
	free(of);
}
