/* A record file is written and read; whatever a stranger does to its bytes, reading ends with a
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "record/columns.h"
#include "record/file.h"
#include "record/section.h"

#define MUTATIONS 10000u

/* A record of one process with two events at three places. */
static void make(struct rec_out *o)
{
	char *object[] = {"/bin/a", "[anon]"};
	struct rec_place place[] = {{0, 16}, {0, 4096}, {1, 7}};
	int64_t count[] = {5, 0, 5, 1, 100000, -2}, machine[] = {1, 1}, total[] = {100011, 0};
	const struct rec_process p = {"1", "a", 2, object, 2, place, 3, count, machine, total};
	const int64_t *row[] = {count, count + 2, count + 4};
	struct rec_bytes b = {0};

	rec_process_put(&b, &p, row);
	rec_out_json(o, "meta",
		     json_pack("{s:[{s:s,s:I},{s:s,s:I}]}", "events", "name", "one", "total",
			       (json_int_t)100011, "name", "two", "total", (json_int_t)0));
	rec_out_section(o, "process", b.at, b.n);
	rec_out_json(o, "objects", json_object());
	rec_out_json(o, "times", json_object());
	rec_out_section(o, "end", (const uint8_t *)&o->n_section, 4);
	rec_bytes_free(&b);
}

static void what_is_written_is_read(void **state)
{
	struct rec_out o = {0};
	struct rec *r = NULL;
	struct spmu_error err = {0};

	make(&o);
	assert_int_equal(rec_parse(o.bytes.at, o.bytes.n, "x", &r, &err), 0);
	assert_int_equal(r->n_process, 1);
	assert_int_equal(r->n_event, 2);
	assert_string_equal(r->event[1].name, "two");
	assert_int_equal(r->process[0].n_place, 3);
	assert_string_equal(r->process[0].object[r->process[0].place[2].object], "[anon]");
	assert_int_equal(r->process[0].place[1].offset, 4096);
	assert_int_equal(rec_counts(&r->process[0], 2)[0], 100000);
	assert_int_equal(rec_counts(&r->process[0], 2)[1], -2);
	assert_int_equal(r->process[0].machine[1], 1);
	rec_close(r);
	rec_out_free(&o);
}

static void every_cut_is_noticed(void **state)
{
	struct rec_out o = {0};
	struct rec *r = NULL;
	struct spmu_error err;

	make(&o);
	for (size_t n = 0; n < o.bytes.n; n++)
		assert_int_not_equal(rec_parse(o.bytes.at, n, "x", &r, &err), 0);
	rec_out_free(&o);
}

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Checksums are put right again, so that what lies behind them is read. */
static void mend(uint8_t *bytes, size_t n)
{
	for (size_t at = 8; at + sizeof(struct rec_section) <= n;) {
		struct rec_section s;

		memcpy(&s, bytes + at, sizeof(s));
		if (s.stored > n - at - sizeof(s))
			return;
		s.crc = rec_crc(0, bytes + at + sizeof(s), s.stored);
		memcpy(bytes + at, &s, sizeof(s));
		at += sizeof(s) + s.stored;
	}
}

static void mutations_do_no_harm(void **state)
{
	struct rec_out o = {0};
	uint32_t x = 1, n_read = 0;

	make(&o);
	for (uint32_t i = 0; i < MUTATIONS; i++) {
		uint8_t *bytes =
		    malloc(o.bytes.n); /* of its own: a reader that looks too far is seen */
		struct rec *r = NULL;
		struct spmu_error err = {0};

		memcpy(bytes, o.bytes.at, o.bytes.n);
		for (uint32_t k = 0; k <= next(&x) % 4; k++)
			bytes[next(&x) % o.bytes.n] =
			    next(&x) % 3 ? (uint8_t)next(&x) : (uint8_t)(next(&x) % 2 ? 255 : 0);
		if (i % 8)
			mend(bytes, o.bytes.n);
		if (!rec_parse(bytes, o.bytes.n, "x", &r, &err)) {
			n_read++;
			rec_close(r);
		} else {
			assert_true(err.code != 0 && *err.text);
		}
		free(bytes);
	}
	assert_true(n_read < MUTATIONS / 2);
	rec_out_free(&o);
}

#define ROWS	200u
#define COLUMNS 11u /* patterns of two bytes */

/* Executions by block, multiples of them, counts that are seldom, and one that has all bits. */
static void fill(int64_t *count)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		int64_t *row = count + i * COLUMNS;

		row[0] = 1 + i / 7;
		row[1] = row[0] * (i % 3);
		row[2] = i % 50 ? 0 : -(int64_t)i;
		row[9] = i % 4 ? row[1] * 2 : 77;
		row[10] = i == 199 ? INT64_MIN : i == 198 ? INT64_MAX : 0;
	}
}

static void put(struct rec_bytes *out, const int64_t *count)
{
	const int64_t *row[ROWS];

	for (uint32_t i = 0; i < ROWS; i++)
		row[i] = count + i * COLUMNS;
	rec_put_columns(out, row, ROWS, COLUMNS);
}

static void tables_come_back(void **state)
{
	int64_t count[ROWS * COLUMNS] = {0}, again[ROWS * COLUMNS] = {0};
	struct rec_bytes b = {0};
	struct rec_reader r;

	fill(count);
	put(&b, count);
	assert_true(b.n < 900); /* 2200 with a byte for each count */
	r = (struct rec_reader){b.at, b.at + b.n, false};
	rec_get_columns(&r, again, ROWS, COLUMNS);
	assert_true(!r.is_bad && r.at == r.end);
	assert_memory_equal(count, again, sizeof(count));
	rec_bytes_free(&b);
}

static void damaged_tables_do_no_harm(void **state)
{
	int64_t count[ROWS * COLUMNS] = {0};
	struct rec_bytes b = {0};
	uint32_t x = 7, n_bad = 0;

	fill(count);
	put(&b, count);
	for (uint32_t i = 0; i < MUTATIONS; i++) {
		const size_t n = i % 3 ? b.n : next(&x) % b.n;
		uint8_t *bytes = malloc(n + 1);
		struct rec_reader r = {bytes, bytes + n, false};
		int64_t *again = calloc(ROWS * COLUMNS, sizeof(*again));

		memcpy(bytes, b.at, n);
		bytes[next(&x) % (n + 1)] = (uint8_t)next(&x);
		rec_get_columns(&r, again, ROWS, COLUMNS);
		n_bad += r.is_bad || r.at != r.end;
		free(again);
		free(bytes);
	}
	assert_true(n_bad > MUTATIONS / 3); /* the cut ones, and others */
	rec_bytes_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_written_is_read),	 cmocka_unit_test(every_cut_is_noticed),
	    cmocka_unit_test(mutations_do_no_harm),	 cmocka_unit_test(tables_come_back),
	    cmocka_unit_test(damaged_tables_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
