/* A run kept in a file counts the same when it is read back; damaged files are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/events.h"
#include "session/session.h"
#include "trace/share.h"

struct fixture {
	char path[64];
	struct ses_config cfg;
	struct evt_events events;
	struct ses_result run;
};

static int set_up(void **state)
{
	static char *argv[] = {"/bin/true", NULL}, *envp[] = {NULL};
	struct fixture *f = calloc(1, sizeof(*f));
	struct spmu_error err = {0};
	int fd;

	strcpy(f->path, "/tmp/softpmu-trace-XXXXXX");
	fd = mkstemp(f->path);
	close(fd);
	f->cfg.model.cpu = cat_find_cpu("pentium3");
	f->cfg.model.has_walks = 1;
	f->cfg.argv = argv;
	f->cfg.envp = envp;
	f->cfg.isa = SES_ISA_AUTO;
	f->cfg.seed = 1;
	f->cfg.trace_file = f->path;
	if (evt_events_all(f->cfg.model.cpu, 3, &f->events, &err) != 0)
		return -1;
	f->cfg.event = f->events.event;
	f->cfg.n_event = f->events.n;
	if (ses_run(&f->cfg, &f->run, &err) != 0) {
		fprintf(stderr, "%s\n", err.text);
		return -1;
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	unlink(f->path);
	ses_result_free(&f->run);
	evt_events_free(&f->events);
	free(f);
	return 0;
}

static void replay_counts_the_same(void **state)
{
	struct fixture *f = *state;
	struct ses_result again;
	struct spmu_error err = {0};
	unsigned counted = 0;

	assert_int_equal(ses_replay(&f->cfg, f->path, &again, &err), 0);
	assert_true(again.instructions > 10000);
	assert_int_equal(again.instructions, f->run.instructions);
	for (size_t i = 0; i < f->cfg.n_event; i++) {
		assert_int_equal(again.count[i].status, f->run.count[i].status);
		if (again.count[i].status != EVT_COUNTED)
			continue;
		assert_int_equal(again.count[i].value, f->run.count[i].value);
		counted++;
	}
	assert_true(counted > 40);
	ses_result_free(&again);
}

/* Translations forgotten on the way: ids start anew in the file too. */
static void replay_forgets_when_the_run_did(void **state)
{
	struct fixture *f = *state;
	struct ses_result forgetful, again;
	struct spmu_error err = {0};

	f->cfg.chaos = SHR_CHAOS_FORGET;
	assert_int_equal(ses_run(&f->cfg, &forgetful, &err), 0);
	assert_true(forgetful.misses > 2 * SHR_CHAOS_FORGET_MISSES);
	assert_true(forgetful.blocks > f->run.blocks);
	assert_int_equal(ses_replay(&f->cfg, f->path, &again, &err), 0);
	assert_int_equal(again.instructions, f->run.instructions);
	for (size_t i = 0; i < f->cfg.n_event; i++)
		if (again.count[i].status == EVT_COUNTED)
			assert_int_equal(again.count[i].value, f->run.count[i].value);
	ses_result_free(&forgetful);
	ses_result_free(&again);
}

static void cut_file_is_told(void **state)
{
	struct fixture *f = *state;
	struct ses_result again;
	struct spmu_error err = {0};

	struct stat st;

	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(truncate(f->path, st.st_size / 2), 0);
	assert_int_equal(ses_replay(&f->cfg, f->path, &again, &err), -SPMU_EPROTO);
	assert_non_null(strstr(err.text, f->path));
	assert_true(again.instructions < f->run.instructions);
	ses_result_free(&again);
}

static void damaged_file_is_told(void **state)
{
	struct fixture *f = *state;
	FILE *file = fopen(f->path, "r+b");
	struct ses_result again;
	struct spmu_error err = {0};
	static const uint8_t junk[64] = {0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0x7f};

	fseek(file, 5000, SEEK_SET);
	for (int i = 0; i < 20; i++)
		fwrite(junk, 1, sizeof(junk), file);
	fclose(file);
	assert_int_equal(ses_replay(&f->cfg, f->path, &again, &err), -SPMU_EPROTO);
	ses_result_free(&again);
}

static void other_file_is_told(void **state)
{
	struct fixture *f = *state;
	struct ses_result again;
	struct spmu_error err = {0};

	assert_int_equal(ses_replay(&f->cfg, "/bin/true", &again, &err), -SPMU_EPROTO);
	assert_int_equal(again.instructions, 0);
	ses_result_free(&again);
	assert_int_equal(ses_replay(&f->cfg, "/nowhere/at/all", &again, &err), -SPMU_ENOENT);
	ses_result_free(&again);
}

/* Each process has a file of its own, whose instructions are those that the process counted (what a
 * vforked one does before it executes a program would be in its parent's). */
static void processes_have_files(void **state)
{
	static char *argv[] = {"/bin/sh", "-c", "(:; :) & (:; exec /bin/true); wait", NULL};
	struct fixture *f = *state;
	struct ses_result run, again;
	struct spmu_error err = {0};
	char pattern[80], path[200];

	snprintf(pattern, sizeof(pattern), "%s-%%p", f->path);
	f->cfg.trace_file = pattern;
	f->cfg.argv = argv;
	f->cfg.keeps_processes = true;
	assert_int_equal(ses_run(&f->cfg, &run, &err), 0);
	assert_int_equal(run.n_process, 3);
	for (size_t i = 0; i < run.n_process; i++) {
		snprintf(path, sizeof(path), "%s-%s", f->path, run.process[i].birth);
		assert_int_equal(ses_replay(&f->cfg, path, &again, &err), 0);
		assert_true(again.instructions > 0);
		assert_int_equal(again.instructions, run.process[i].instructions);
		ses_result_free(&again);
		unlink(path);
	}
	ses_result_free(&run);
	f->cfg.trace_file = f->path;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(replay_counts_the_same, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(replay_forgets_when_the_run_did, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(processes_have_files, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(cut_file_is_told, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(damaged_file_is_told, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(other_file_is_told, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
