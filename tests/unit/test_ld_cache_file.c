/* The loader's list: what is written is read again, in the order by which the loader searches,
 * whatever the order before; damaged files are no danger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "session/program/ld_cache_file.h"

static void three(struct ld_list *l, int first)
{
	static const char *const name[] = {"libm.so.6", "libz.so.1", "libm.so.10"};

	for (int i = 0; i < 3; i++) {
		const int k = (first + i) % 3;

		assert_int_equal(
		    ld_list_add(l, name[k], k == 1 ? "/opt/libz.so.1" : "/lib/libm", k == 1), 0);
	}
}

static void order_is_the_loaders(void **state)
{
	struct ld_list l = {0}, again = {0};
	size_t n;
	uint8_t *bytes;

	three(&l, 0);
	bytes = ld_list_bytes(&l, &n);
	assert_non_null(bytes);
	/* head, three rows, and the strings with their ends */
	assert_int_equal(n, 48 + 3 * 24 + (10 + 10) + (10 + 15) + (11 + 10));
	assert_int_equal(ld_list_read(&again, bytes, n), 0);
	assert_int_equal(again.n, 3);
	assert_string_equal(again.entry[0].name, "libz.so.1");
	assert_string_equal(again.entry[1].name, "libm.so.10"); /* 10 is more than 6 */
	assert_string_equal(again.entry[2].name, "libm.so.6");
	assert_string_equal(ld_list_find(&again, "libz.so.1", true)->path, "/opt/libz.so.1");
	assert_null(ld_list_find(&again, "libz.so.1", false));
	free(bytes);
	ld_list_free(&l);
	ld_list_free(&again);
}

static void same_list_same_bytes(void **state)
{
	struct ld_list a = {0}, b = {0};
	size_t n, m;
	uint8_t *x, *y;

	three(&a, 0);
	three(&b, 2);
	x = ld_list_bytes(&a, &n);
	y = ld_list_bytes(&b, &m);
	assert_int_equal(n, m);
	assert_memory_equal(x, y, n);
	free(x);
	free(y);
	ld_list_free(&a);
	ld_list_free(&b);
}

/* Behind the older format: its head with two rows of 12 bytes, filled up to a multiple of 8. */
static void newer_format_behind_older(void **state)
{
	struct ld_list l = {0}, again = {0};
	size_t n;
	uint8_t *bytes, *file;

	three(&l, 0);
	bytes = ld_list_bytes(&l, &n);
	file = calloc(1, 40 + n);
	memcpy(file, "ld.so-1.7.0", 12);
	file[12] = 2;
	memcpy(file + 40, bytes, n);
	assert_int_equal(ld_list_read(&again, file, 40 + n), 0);
	assert_int_equal(again.n, 3);
	free(bytes);
	free(file);
	ld_list_free(&l);
	ld_list_free(&again);
}

/* A library that needs no C library: nobody knows its width, and programs of both find it. */
static void width_that_does_not_show(void **state)
{
	struct ld_list l = {0}, again = {0};
	size_t n;
	uint8_t *bytes;

	three(&l, 0);
	bytes = ld_list_bytes(&l, &n);
	bytes[48] = 1; /* flags of the first row, libz */
	bytes[49] = 0;
	assert_int_equal(ld_list_read(&again, bytes, n), 0);
	assert_int_equal(again.n, 4);
	assert_non_null(ld_list_find(&again, "libz.so.1", false));
	assert_non_null(ld_list_find(&again, "libz.so.1", true));
	free(bytes);
	ld_list_free(&l);
	ld_list_free(&again);
}

/* Every length, each in memory of just that size, and every byte damaged. Run under the sanitizers
 * by make sanitize. */
static void damage_is_left_out(void **state)
{
	struct ld_list l = {0};
	size_t n;
	uint8_t *bytes;

	three(&l, 0);
	bytes = ld_list_bytes(&l, &n);
	for (size_t k = 0; k < n; k++) {
		struct ld_list some = {0};
		uint8_t *part = malloc(k ? k : 1);

		memcpy(part, bytes, k);
		assert_int_equal(ld_list_read(&some, part, k), 0);
		assert_true(some.n < 3);
		ld_list_free(&some);
		free(part);
		bytes[k] ^= 0xff;
		assert_int_equal(ld_list_read(&some, bytes, n), 0);
		assert_true(some.n <= 4);
		ld_list_free(&some);
		bytes[k] ^= 0xff;
	}
	free(bytes);
	ld_list_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(order_is_the_loaders),	 cmocka_unit_test(same_list_same_bytes),
	    cmocka_unit_test(newer_format_behind_older), cmocka_unit_test(width_that_does_not_show),
	    cmocka_unit_test(damage_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
