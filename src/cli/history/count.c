/* count.c -- builds the commit that is checked out and counts its program once, for bisect and
 * judge. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/history/git.h"
#include "cli/history/history.h"
#include "sweep/words.h"

static const char *ending(int status, char out[48])
{
	if (status < 0)
		return "cannot be started";
	snprintf(out, 48, status > 128 ? "was ended by signal %d" : "ended with status %d",
		 status > 128 ? status - 128 : status);
	return out;
}

/* softpmu stat --json --env clean -o PATH -e EVENTS and what the user wrote. */
static bool put_words(const struct cli_log *l, const char *path, struct swp_words *w)
{
	char self[4096];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *const head[] = {"stat", "--json", "--env", "clean", "-o", path};
	int rc;

	self[n > 0 ? n : 0] = 0;
	rc = swp_words_add(w, n > 0 ? self : "softpmu");
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]) && !rc; i++)
		rc = swp_words_add(w, head[i]);
	for (size_t i = 0; i < l->n_event && !rc; i++) {
		rc = swp_words_add(w, "-e");
		rc = rc ? rc : swp_words_add(w, l->event[i]);
	}
	for (char **p = l->program; *p && !rc; p++)
		rc = swp_words_add(w, *p);
	return !rc;
}

/* Run it, and read the result. */
static int measure(const struct cli_log *l, const char *path, const struct cli_log_commit *commit,
		   struct hst_result *out, char why[200])
{
	struct swp_words w = {0};
	char text[48];
	int status, code = CLI_FAILED;

	if (!put_words(l, path, &w)) {
		swp_words_free(&w);
		snprintf(why, 200, "out of memory");
		return CLI_FAILED;
	}
	status = cli_run_words(w.word);
	swp_words_free(&w);
	if (status)
		snprintf(why, 200, "softpmu stat %s", ending(status, text));
	else if (cli_log_result(path, commit, out))
		snprintf(why, 200, "it has no counts");
	else
		code = 0;
	return code;
}

int cli_log_count(const struct cli_log *l, const struct cli_log_commit *commit,
		  struct hst_result *out, struct cli_log_number *number, char why[200])
{
	char path[] = "/tmp/softpmu-log-XXXXXX", text[48];
	const int status = l->build ? cli_shell(l->build) : 0;
	const int fd = status ? -1 : mkstemp(path);
	const struct hst_count *count;
	int code = CLI_FAILED;

	if (status) {
		snprintf(why, 200, "%.120s %s", l->build, ending(status, text));
		return code;
	}
	if (fd < 0) {
		snprintf(why, 200, "no file can be made in /tmp");
		return code;
	}
	close(fd);
	code = measure(l, path, commit, out, why);
	unlink(path);
	if (code)
		return code;
	count = l->n_event ? hst_find_count(out, l->event[0]) : &out->count[0];
	if (!count) {
		snprintf(why, 200, "%.60s was not counted", l->event[0]);
		return CLI_FAILED;
	}
	*number = (struct cli_log_number){count->value, count->half};
	return 0;
}
