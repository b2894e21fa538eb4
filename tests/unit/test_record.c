/* A record file is written and read; whatever a stranger does to its bytes, reading ends with a
 * sentence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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
	struct rec_bytes b = {0};

	rec_process_put(&b, &p);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_written_is_read),
	    cmocka_unit_test(every_cut_is_noticed),
	    cmocka_unit_test(mutations_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
