/* The list of files that a run has read: what a guest tells is hostile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/inputs/inputs.h"
#include "trace/record.h"

static struct ses_inputs *list_of_nothing(void)
{
	struct ses_inputs *l;
	struct spmu_error err;

	assert_int_equal(ses_inputs_open(&l, &err), 0);
	return l;
}

/* A record with n bytes of a path, as they are. Returns its size. */
static size_t put(uint8_t *to, uint32_t kind, uint64_t digest, const char *path, uint32_t n)
{
	const struct trc_input in = {10, digest, kind, 0};
	const uint32_t head[2] = {TRC_SPECIAL + TRC_INPUT, (uint32_t)sizeof(in) + n};

	memcpy(to, head, sizeof(head));
	memcpy(to + 8, &in, sizeof(in));
	memcpy(to + 8 + sizeof(in), path, n);
	return 8 + sizeof(in) + n;
}

static void tell(struct ses_inputs *l, uint32_t kind, uint64_t digest, const char *path, uint32_t n)
{
	static uint8_t record[70000];

	ses_inputs_feed(l, record, put(record, kind, digest, path, n));
}

static void take(struct ses_inputs *l, struct ses_result *r)
{
	memset(r, 0, sizeof(*r));
	assert_int_equal(ses_inputs_take(l, r), 0);
	ses_inputs_close(l);
}

static void first_digest_of_a_name_is_kept(void **state)
{
	struct ses_inputs *l = list_of_nothing();
	struct ses_result r;

	tell(l, TRC_INPUT_PROGRAM, 1, "/bin/a\0\0", 8);
	tell(l, TRC_INPUT_FILE, 2, "b\0\0\0", 4);
	tell(l, TRC_INPUT_FILE, 3, "b\0\0\0", 4);
	tell(l, TRC_INPUT_STANDARD, 4, "", 0);
	take(l, &r);
	assert_int_equal(r.n_input, 3);
	assert_string_equal(r.input[0].name, "/bin/a");
	assert_int_equal(r.input[0].kind, SES_INPUT_PROGRAM);
	assert_int_equal(r.input[1].digest, 2);
	assert_string_equal(r.input[2].name, "");
	assert_int_equal(r.input[2].kind, SES_INPUT_STANDARD);
	assert_false(r.has_more_inputs);
	free(r.input);
}

static void directory_of_the_start_is_left_out(void **state)
{
	struct ses_inputs *l;
	struct ses_result r;
	char path[600];

	assert_int_equal(chdir("/usr"), 0);
	l = list_of_nothing();
	tell(l, TRC_INPUT_FILE, 1, "/usr/lib/x\0\0", 12);
	tell(l, TRC_INPUT_FILE, 2, "/usrlib/x\0\0\0", 12);
	memset(path, 'p', sizeof(path));
	tell(l, TRC_INPUT_FILE, 3, path, 512); /* no end */
	tell(l, TRC_INPUT_FILE, 4, "a\n\033[1m\x7f\xc3\xa4\0\0\0", 12);
	take(l, &r);
	assert_int_equal(r.n_input, 4);
	assert_string_equal(r.input[0].name, "lib/x");
	assert_string_equal(r.input[1].name, "/usrlib/x");
	assert_int_equal(strlen(r.input[2].name), SES_INPUT_NAME - 1);
	assert_memory_equal(r.input[2].name, "..ppp", 5);
	assert_string_equal(r.input[3].name, "a??[1m?\xc3\xa4");
	free(r.input);
}

static void damage_is_left_out(void **state)
{
	struct ses_inputs *l = list_of_nothing();
	struct ses_result r;
	uint8_t bytes[200];
	size_t n;

	tell(l, TRC_INPUT_FILE, 1, "", 0);
	tell(l, TRC_INPUT_FILE, 1, "\0\0\0\0", 4);
	tell(l, 7, 1, "x\0\0\0", 4);
	tell(l, UINT32_MAX, 1, "x\0\0\0", 4);
	n = put(bytes, TRC_INPUT_FILE, 1, "x\0\0\0", 4);
	ses_inputs_feed(l, bytes, n - 1);
	ses_inputs_feed(l, bytes, 3);
	bytes[4] = 8; /* too small for what it shall hold */
	ses_inputs_feed(l, bytes, 16);
	srand(5);
	for (int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)rand();
		put(bytes, (uint32_t)rand() % 5, 0, "", 0);
		bytes[4] = (uint8_t)rand();
		ses_inputs_feed(l, bytes, sizeof(bytes));
	}
	take(l, &r);
	for (size_t i = 0; i < r.n_input; i++)
		assert_true(strlen(r.input[i].name) < SES_INPUT_NAME &&
			    r.input[i].kind < SES_N_INPUT_KINDS);
	free(r.input);
}

/* Processes fill one list; what does not fit is told. */
static void list_is_shared_and_has_an_end(void **state)
{
	struct ses_inputs *l = list_of_nothing();
	struct ses_result r;
	char path[16];

	for (int child = 0; child < 4; child++) {
		if (fork())
			continue;
		for (int i = 0; i < 300; i++) {
			snprintf(path, sizeof(path), "f%d.%d", child, i);
			tell(l, TRC_INPUT_FILE, 1, path, sizeof(path));
		}
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	take(l, &r);
	assert_int_equal(r.n_input, SES_MOST_INPUTS);
	assert_true(r.has_more_inputs);
	for (size_t i = 0; i < r.n_input; i++)
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(r.input[i].name, r.input[k].name);
	free(r.input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(first_digest_of_a_name_is_kept),
	    cmocka_unit_test(directory_of_the_start_is_left_out),
	    cmocka_unit_test(damage_is_left_out),
	    cmocka_unit_test(list_is_shared_and_has_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
