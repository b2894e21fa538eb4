/* A record with call paths and names of JIT code: what is written is read, and whatever a stranger
 * does to these sections, checksums put right, ends with a sentence or with tables and exports that
 * hold together, in bounded memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "cli/export/export.h"
#include "record/file.h"
#include "record/jit.h"
#include "record/section.h"
#include "where/calls.h"

#define MUTATIONS     2000u
#define ALL_MUTATIONS 100000u
#define MOST_MEMORY   (1ull << 30)

/* A program that calls main(), which calls itself and JIT code. */
static void make(struct rec_out *o)
{
	char *object[] = {"[anon]", "[vdso]", "/nowhere/a"};
	struct rec_place place[] = {{0, 4096}, {0, 8192}, {2, 16}, {2, 20}};
	int64_t count[] = {5, 0, 5, 1, 100, 2, 7, 0}, machine[] = {1, 1}, total[] = {118, 4};
	const struct rec_process p = {"1", "a", 2, object, 3, place, 4, count, machine, total};
	const int64_t *row[] = {count, count + 2, count + 4, count + 6};
	struct rec_context context[] = {
	    {0, 0, REC_PATH_ROOT, {0, 0}, {0, 0}, 0},
	    {0, 1, REC_PATH_UNKNOWN, {0, 0}, {0, 0}, 0},
	    {0, 2, REC_PATH_DEEPER, {0, 0}, {0, 0}, 0},
	    {0, 3, REC_PATH_THREAD, {0, 0}, {2, 16}, 1},
	    {3, 4, REC_PATH_CALL, {2, 18}, {2, 20}, 3},
	    {4, 4, REC_PATH_CALL, {2, 22}, {2, 20}, 9},
	    {4, 6, REC_PATH_JUMP, {2, 24}, {0, 4096}, 2},
	    {6, 7, REC_PATH_SIGNAL, {0, 0}, {0, 8192}, 1},
	};
	int64_t of_context[16] = {[6] = 100, 2, 7, 0, 0, 0, 5, 0, 5, 1};
	const struct rec_paths paths = {2, object, 3, context, 8, of_context};
	struct rec_bytes b = {0};

	rec_out_json(o, "meta",
		     json_pack("{s:[s],s:s,s:[{s:s,s:I},{s:s,s:I}]}", "command", "a", "cpu", "c",
			       "events", "name", "one", "total", (json_int_t)118, "name", "two",
			       "total", (json_int_t)4));
	rec_process_put(&b, &p, row);
	rec_out_section(o, "process", b.at, b.n);
	rec_bytes_free(&b);
	rec_paths_put(&b, &paths);
	rec_out_section(o, "paths", b.at, b.n);
	rec_out_json(o, "objects", json_object());
	rec_out_json(o, "jit",
		     json_pack("{s:[[i,i,s],[i,i,s]]}", "1", 4096, 64, "js::f", 8192, 1, "js::g"));
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
	assert_int_equal(r->paths[0].n_context, 8);
	assert_int_equal(r->paths[0].context[5].to, 4);
	assert_int_equal(r->paths[0].context[6].site.offset, 24);
	assert_int_equal(rec_path_counts(&r->paths[0], 7)[1], 1);
	assert_string_equal(rec_jit_name(r, 0, 4096 + 63), "js::f");
	assert_null(rec_jit_name(r, 0, 4096 + 64));
	rec_close(r);
	rec_out_free(&o);
}

/* All tables and all exports of a record. Sums of stacks are the totals. */
static void use(const struct rec *r, struct nm *names, FILE *out)
{
	const struct cli_export x = {r, names, 0};
	struct whr_stacks s;
	struct whr_calls c;
	int64_t sum[2] = {0, 0};

	assert_int_equal(whr_stacks_build(&s, r, names), 0);
	for (uint32_t i = 0; i < s.n; i++) {
		assert_true(s.stack[i].caller == WHR_NOBODY || s.stack[i].caller < i);
		for (unsigned e = 0; e < 2; e++)
			sum[e] += s.stack[i].count[e];
	}
	assert_int_equal(sum[0], 118);
	assert_int_equal(sum[1], 4);
	whr_stacks_free(&s);
	assert_int_equal(whr_calls_build(&c, r, names, true), 0);
	whr_calls_free(&c);
	rewind(out);
#define FORMAT(name, function, takes_event, has_stacks, text)                                      \
	assert_int_equal(function(&x, out), 0);
#include "cli/export/formats.def"
#undef FORMAT
}

static uint32_t next(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* The stored bytes of a section; its head stands in front. */
static uint8_t *find(uint8_t *bytes, size_t n, const char *name, size_t *stored)
{
	for (size_t at = 8; at + sizeof(struct rec_section) <= n;) {
		struct rec_section s;

		memcpy(&s, bytes + at, sizeof(s));
		at += sizeof(s);
		*stored = s.stored;
		if (!strncmp(s.name, name, sizeof(s.name)))
			return bytes + at;
		at += s.stored;
	}
	return NULL;
}

static void mutate(uint8_t *bytes, size_t n, const char *name, uint32_t *x)
{
	struct rec_section s;
	size_t stored = 0;
	uint8_t *at = find(bytes, n, name, &stored);

	assert_non_null(at);
	for (uint32_t k = next(x) % 2 ? 1 : 1 + next(x) % 4; k > 0; k--)
		at[next(x) % stored] =
		    next(x) % 3 ? (uint8_t)next(x) : (uint8_t)(next(x) % 2 ? 255 : 0);
	memcpy(&s, at - sizeof(s), sizeof(s));
	s.crc = rec_crc(0, at, stored);
	memcpy(at - sizeof(s), &s, sizeof(s));
}

static void mutations_do_no_harm(void **state)
{
	const char *level = getenv("CHECK_LEVEL"), *const name[] = {"paths", "jit"};
	const uint32_t n = level && !strcmp(level, "all") ? ALL_MUTATIONS : MUTATIONS;
	const struct rlimit most = {MOST_MEMORY, RLIM_INFINITY};
	struct rec_out o = {0};
	struct nm *names = nm_open();
	FILE *out = fopen("/dev/null", "w");
	uint32_t x = 1, n_read[2] = {0, 0};

	assert_non_null(names);
	assert_int_equal(setrlimit(RLIMIT_AS, &most), 0);
	make(&o);
	for (uint32_t i = 0; i < n; i++) {
		uint8_t *bytes =
		    malloc(o.bytes.n); /* of its own: a reader that looks too far is seen */
		struct rec *r = NULL;
		struct spmu_error err = {0};

		memcpy(bytes, o.bytes.at, o.bytes.n);
		mutate(bytes, o.bytes.n, name[i % 2], &x);
		if (!rec_parse(bytes, o.bytes.n, "x", &r, &err)) {
			n_read[i % 2]++;
			use(r, names, out);
			rec_close(r);
		} else {
			assert_true(err.code == SPMU_EINVAL && *err.text);
		}
		free(bytes);
	}
	for (unsigned k = 0; k < 2; k++)
		printf("%s: %u of %u are read\n", name[k], n_read[k], n / 2);
	for (unsigned k = 0; k < 2; k++)
		assert_true(n_read[k] > n / 100 && n_read[k] < n / 2);
	fclose(out);
	nm_close(names);
	rec_out_free(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(what_is_written_is_read),
	    cmocka_unit_test(mutations_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
