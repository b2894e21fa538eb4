/* add.c -- softpmu log add: keeps results in the history. All of them, or none. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/history/history.h"

struct adding {
	struct cli_log *log;
	struct cli_log_commit commit;
	size_t n_new, n_old;
};

static int add_file(struct adding *a, const char *path)
{
	struct hst_result result = {0};
	struct spmu_error err;
	bool is_new = false;
	int code = cli_log_result(path, &a->commit, &result);

	if (!code && hst_add(a->log->store, &result, &is_new, &err))
		code = cli_complain(&err);
	a->n_new += !code && is_new;
	a->n_old += !code && !is_new;
	hst_result_free(&result);
	return code;
}

static int is_json(const struct dirent *e)
{
	const size_t n = strlen(e->d_name);

	return *e->d_name != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".json");
}

/* The results of a sweep. */
static int add_directory(struct adding *a, const char *path)
{
	struct dirent **list = NULL;
	const int n = scandir(path, &list, is_json, alphasort);
	int code = n > 0 ? 0 : cli_fail("log add: no *.json is in '%s'", path);

	for (int i = 0; i < n; i++) {
		char *name = NULL;

		if (!code && asprintf(&name, "%s/%s", path, list[i]->d_name) < 0) {
			name = NULL;
			code = cli_fail("out of memory for '%s'", path);
		}
		code = code ? code : add_file(a, name);
		free(name);
		free(list[i]);
	}
	free(list);
	return code;
}

static int add_all(struct adding *a)
{
	struct spmu_error err;
	struct stat st;
	int code = 0;

	if (hst_begin(a->log->store, &err))
		return cli_complain(&err);
	for (int i = 0; i < a->log->n_word && !code; i++) {
		const char *path = a->log->word[i];

		code = !stat(path, &st) && S_ISDIR(st.st_mode) ? add_directory(a, path)
							       : add_file(a, path);
	}
	if (!code && hst_commit(a->log->store, &err))
		code = cli_complain(&err);
	return code;
}

int cli_log_add(struct cli_log *l)
{
	struct adding a = {.log = l};
	char short_name[12];
	int code;

	if (!l->n_word)
		return cli_fail("log add: which results? write softpmu log add RESULT..., a report "
				"of stat --json, a record, or the directory of a sweep");
	code = cli_log_commit(l->commit, &a.commit);
	code = code ? code : cli_log_open(l, true);
	code = code ? code : add_all(&a);
	if (!code) {
		char *path = cli_log_path(l);

		fprintf(stderr, " %zu %s added to %s, commit %s", a.n_new,
			text_noun(a.n_new, "result", "results"), path ? path : "",
			cli_log_short(a.commit.revision, short_name));
		if (a.n_old)
			fprintf(stderr, "; %zu %s there already", a.n_old,
				text_noun(a.n_old, "was", "were"));
		fprintf(stderr, "\n");
		free(path);
	}
	cli_log_commit_free(&a.commit);
	return code;
}
