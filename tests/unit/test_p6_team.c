/* Clocks of the P6 by several threads are those of one machine, on every wire, whatever the stream
 * and wherever stretches end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "gen/wires_p6.h"
#include "random_stream.h"
#include "stream.h"
#include "trace/record.h"

enum { N_STEPS = 30000 };

/* All wires but those for which one machine does it all. */
static struct mdl_config config(const struct stream *s, const char *cpu, unsigned stretch_log2,
				unsigned n_worker)
{
	struct mdl_config cfg = stream_config(s, cpu);
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (size_t k = 0; k < n; k++)
		cfg.wanted[k] = strncmp(wire[k].name, "core.slot_", 10) != 0;
	cfg.host_code_after = 2;
	cfg.p6.setting[0] = (struct mdl_setting){"stretch_log2", (uint16_t)stretch_log2};
	cfg.p6.n_setting = 1;
	cfg.p6.n_worker = (uint8_t)n_worker;
	return cfg;
}

static void assert_equal(const struct wires *one, const struct wires *team, const char *cpu,
			 unsigned round)
{
	size_t n;
	const struct cat_wire *wire = cat_wires(&n);

	for (unsigned k = 0; k < WIRE_N; k++)
		if (one->driven[k] != team->driven[k] || one->total[k] != team->total[k])
			fail_msg(
			    "%s, %u: %s is %llu (driven %u) by one machine, %llu (%u) by a team",
			    cpu, round, wire[k].name, (unsigned long long)one->total[k],
			    one->driven[k], (unsigned long long)team->total[k], team->driven[k]);
}

static bool is_exec(const struct stream *s, size_t at)
{
	uint32_t head = 0;

	if (s->n - at >= sizeof(head))
		memcpy(&head, s->bytes + at, sizeof(head));
	return head == TRC_SPECIAL + TRC_EXEC;
}

/* Where a record ends behind at least `bytes` bytes from `at`, or a program. */
static size_t some_records(const struct stream *s, size_t at, size_t bytes)
{
	size_t n = 0;

	while (at + n < s->n && n < bytes && !(n && is_exec(s, at + n)))
		n += (size_t)trc_record_bytes(s->bytes + at + n, s->n - at - n);
	return n;
}

enum doing {
	FEED_ONLY = 0,
	READ_NOW_AND_THEN = 1,
	FORGET_NOW_AND_THEN = 2,
	REST_NOW_AND_THEN = 4,
	PEEK_NOW_AND_THEN = 8
};

/* Feed s in chunks of about `bytes`. After some of them the totals are read, all ids become void,
 * or the model rests. */
static void run(const struct stream *s, const struct mdl_config *cfg, size_t bytes, unsigned doing,
		struct wires *w)
{
	uint64_t executed[WIRE_N];
	struct mdl *m;
	unsigned n = 0;

	memset(w, 0, sizeof(*w));
	assert_int_equal(mdl_open(cfg, w, &m), 0);
	for (size_t at = 0, size; at < s->n; at += size) {
		size = some_records(s, at, bytes);
		assert_int_equal(mdl_feed(m, s->bytes + at, size), 0);
		n++;
		if (doing & READ_NOW_AND_THEN && n % 5 == 0)
			mdl_finish(m);
		if (doing & PEEK_NOW_AND_THEN && n % 3 == 0) {
			mdl_executions(m, executed);
			mdl_peek(m, executed);
		}
		if ((doing & FORGET_NOW_AND_THEN && n % 7 == 0) || is_exec(s, at + size))
			mdl_forget_blocks(m);
		if (doing & REST_NOW_AND_THEN && n % 11 == 0)
			mdl_rest(m);
	}
	mdl_finish(m);
	mdl_finish(m);
	mdl_close(m);
}

static void a_team_counts_as_one_machine(void **state)
{
	static const char *const cpus[] = {"pentium3", "pentium2", "pentiumpro",
					   "celeron-covington", "celeron-mendocino"};
	static struct wires one, team;

	(void)state;
	for (unsigned i = 0; i < 16; i++) {
		const char *cpu = cpus[i % 5];
		struct stream s;
		struct mdl_config cfg;

		random_stream(&s, 4001 + i, N_STEPS, RANDOM_REAL | (i & 1 ? RANDOM_EXEC : 0));
		cfg = config(&s, cpu, 8 + i % 4 * 2, 0);
		cfg.has_no_host_code = i / 5 == 2;
		run(&s, &cfg, 3000, i % 8 & 3, &one);
		cfg.p6.n_worker = (uint8_t)(2 + i % 3);
		run(&s, &cfg, 3000, i % 8 | PEEK_NOW_AND_THEN, &team);
		assert_true(one.driven[WIRE_P6_CORE_CLK]);
		assert_equal(&one, &team, cpu, i);
		stream_close(&s);
	}
}

static void a_team_that_may_not_be_is_one_machine(void **state)
{
	static struct wires one, team;
	struct stream s;
	struct mdl_config cfg;

	(void)state;
	random_stream(&s, 99, 3000, RANDOM_REAL);
	for (unsigned i = 0; i < 5; i++) {
		cfg = config(&s, "pentium3", i == 0 ? 0 : 8, 0);
		cfg.is_plain = i == 1;
		cfg.has_no_memo = i == 2; /* this may */
		cfg.timer_hz = i == 3 ? 100000 : 0;
		cfg.n_cpus = i == 4 ? 2 : 1;
		run(&s, &cfg, 3000, 0, &one);
		cfg.p6.n_worker = 2;
		run(&s, &cfg, 3000, 0, &team);
		assert_equal(&one, &team, "pentium3", i);
	}
	stream_close(&s);
}

/* After mdl_rest() both processes go on. */
static void a_team_lives_in_both_processes_of_a_fork(void **state)
{
	static struct wires one, w;
	struct stream s;
	struct mdl_config cfg;
	struct mdl *m;
	size_t half;
	int status;
	pid_t pid;

	(void)state;
	random_stream(&s, 5, N_STEPS, RANDOM_REAL);
	half = some_records(&s, 0, s.n / 2);
	cfg = config(&s, "pentium3", 9, 0);
	run(&s, &cfg, half, 0, &one);
	cfg.p6.n_worker = 2;
	assert_int_equal(mdl_open(&cfg, &w, &m), 0);
	assert_int_equal(mdl_feed(m, s.bytes, half), 0);
	mdl_rest(m);
	pid = fork();
	assert_int_equal(mdl_feed(m, s.bytes + half, s.n - half), 0);
	mdl_finish(m);
	mdl_close(m);
	if (!pid)
		_exit(memcmp(&one, &w, sizeof(one)) ? 1 : 0);
	assert_equal(&one, &w, "pentium3", 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	stream_close(&s);
}

/* Any bytes: an answer, no crash. */
static void hostile_bytes_are_refused(void **state)
{
	static struct wires w;
	uint64_t rng = 815;
	struct stream s;

	(void)state;
	random_stream(&s, 3, 6000, RANDOM_REAL);
	for (unsigned round = 0; round < 60; round++) {
		struct mdl_config cfg = config(&s, "pentium3", 8, 2 + round % 2);
		size_t n = 200 + stream_random(&rng) % 40000;
		struct mdl *m;
		uint8_t *copy;

		cfg.most_string_bytes = 1u << 16;
		n = n > s.n ? s.n : n;
		copy = malloc(n);
		assert_non_null(copy);
		memcpy(copy, s.bytes, n);
		for (unsigned k = 1 + round % 5; k; k--)
			copy[stream_random(&rng) % n] = (uint8_t)stream_random(&rng);
		memset(&w, 0, sizeof(w));
		assert_int_equal(mdl_open(&cfg, &w, &m), 0);
		mdl_feed(m, copy, n / 2);
		mdl_feed(m, copy + n / 2, n - n / 2);
		free(copy);
		if (round & 1)
			mdl_finish(m);
		mdl_close(m);
	}
	stream_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_team_counts_as_one_machine),
	    cmocka_unit_test(a_team_that_may_not_be_is_one_machine),
	    cmocka_unit_test(a_team_lives_in_both_processes_of_a_fork),
	    cmocka_unit_test(hostile_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
