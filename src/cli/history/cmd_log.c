/* cmd_log.c -- softpmu log: results of a program by commit. Which actions there are is in the table
 * below; each has a file of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/history/git.h"
#include "cli/history/history.h"
#include "cli/options.h"

/* options: those of all actions (file_, help) are not listed. */
static const struct action {
	const char *name;
	int (*run)(struct cli_log *l);
	int option[6];
	bool has_program;
} actions[] = {
    {"add", cli_log_add, {OPT_commit}, false},
    {"show", cli_log_show, {OPT_event, OPT_match, OPT_field_separator, OPT_json, OPT_color}, false},
    {"diff", cli_log_diff, {OPT_event, OPT_match}, false},
    {"plot", cli_log_plot, {OPT_match, OPT_plot_file}, false},
    {"bisect", cli_log_bisect, {OPT_event, OPT_build}, true},
    {"judge", cli_log_judge, {OPT_event, OPT_build}, true},
};

#define N_ACTIONS (sizeof(actions) / sizeof(actions[0]))

/* ---- the file -------------------------------------------------------------------------------- */

char *cli_log_path(const struct cli_log *l)
{
	struct text top = {0};
	char *path = NULL;

	if (l->file)
		return strdup(l->file);
	if (cli_git_ask(&top, "rev-parse", "--show-toplevel") || !top.n)
		path = strdup(CLI_LOG_FILE);
	else if (asprintf(&path, "%s/" CLI_LOG_FILE, text_get(&top)) < 0)
		path = NULL;
	text_free(&top);
	return path;
}

int cli_log_open(struct cli_log *l, bool is_new_allowed)
{
	char *path = cli_log_path(l);
	struct spmu_error err;
	bool is_new;
	int code;

	if (!path)
		return cli_fail("out of memory for the history");
	is_new = is_new_allowed && access(path, F_OK);
	code = hst_open(path, is_new_allowed, &l->store, &err);
	free(path);
	if (!code && is_new && !l->file)
		cli_git_exclude(CLI_LOG_FILE);
	if (!code)
		return 0;
	cli_fail("%s", err.text);
	return CLI_FAILED;
}

static bool has_word(const struct hst_result *r, const char *word)
{
	return strstr(r->command, word) || strstr(r->tags, word) || strstr(r->cpu, word) ||
	       strstr(r->host, word) || strstr(r->revision, word);
}

/* Leave those that --match names. */
static void select_results(struct cli_log *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->all.n; i++) {
		struct hst_result *r = &l->all.result[i];

		if (!r->n_count || (l->match && !has_word(r, l->match)))
			hst_result_free(r);
		else
			l->all.result[n++] = *r;
	}
	l->all.n = n;
}

int cli_log_read(struct cli_log *l)
{
	struct spmu_error err;
	int code = cli_log_open(l, false);

	if (code)
		return code;
	if (hst_read(l->store, &l->all, &err))
		return cli_complain(&err);
	select_results(l);
	return 0;
}

/* ---- options --------------------------------------------------------------------------------- */

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < N_ACTIONS; i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	cli_fail("log %s: no such action; there are add, show, diff, plot, bisect and judge", name);
	return NULL;
}

static bool takes(const struct action *a, int option)
{
	for (size_t i = 0; i < sizeof(a->option) / sizeof(a->option[0]); i++)
		if (a->option[i] == option)
			return true;
	return option == OPT_file_;
}

static int add_events(struct cli_log *l, const char *list)
{
	char *copy = strdup(list), *save = NULL;

	for (char *e = copy ? strtok_r(copy, ",", &save) : NULL; e;
	     e = strtok_r(NULL, ",", &save)) {
		if (l->n_event == CLI_LOG_EVENTS) {
			free(copy);
			return cli_fail("log -e: %u events are the most", CLI_LOG_EVENTS);
		}
		l->event[l->n_event] = strdup(e);
		l->n_event += l->event[l->n_event] != NULL;
	}
	free(copy);
	return l->n_event ? 0 : cli_fail("log -e: which events?");
}

static int take_option(struct cli_log *l, int option, const char *value)
{
	switch (option) {
	case OPT_file_: l->file = value; return 0;
	case OPT_commit: l->commit = value; return 0;
	case OPT_match: l->match = value; return 0;
	case OPT_build: l->build = value; return 0;
	case OPT_plot_file: l->output = value; return 0;
	case OPT_field_separator: l->separator = value; return 0;
	case OPT_json: l->is_json = true; return 0;
	case OPT_color: return cli_color_option(value, &l->color) < 0 ? CLI_FAILED : 0;
	default: return add_events(l, value);
	}
}

/* Options and words in any order; words go to the front of argv. */
static int read_all(struct cli_log *l, int argc, char **argv, int *help)
{
	int used[16], n_used = 0;
	const struct action *a;

	l->word = argv + 1;
	for (;;) {
		const char *value;
		const int option = cli_next_option(argc, argv, 'I', &value);
		const int at = cli_first_argument();
		int code = 0;

		*help = option == OPT_help ? option : 0;
		if (*help)
			return 0;
		if (option == OPT_END && at < argc && !strcmp(argv[at - 1], "--"))
			l->program = argv + at;
		if (option == OPT_END && (at >= argc || l->program))
			break;
		if (option == OPT_END) {
			l->word[l->n_word++] = argv[at];
			cli_skip_argument();
		} else if (option < 0) {
			return CLI_FAILED;
		} else {
			code = take_option(l, option, value);
			if (n_used < 16)
				used[n_used++] = option;
		}
		if (code)
			return code;
	}
	if (!l->n_word)
		return cli_fail("log: what? write softpmu log add RESULT..., show, diff A B, plot "
				"EVENT, or bisect GOOD BAD -- PROGRAM");
	l->action = *l->word++;
	l->n_word--;
	a = find_action(l->action);
	if (!a)
		return CLI_FAILED;
	for (int i = 0; i < n_used; i++) {
		char name[32];

		cli_option_name(used[i], name);
		if (!takes(a, used[i]))
			return cli_fail("log %s: --%s is not for it", a->name, name);
	}
	return l->program && !a->has_program
		   ? cli_fail("log %s: no program is run; leave away what stands behind --",
			      a->name)
		   : 0;
}

int cmd_log(int argc, char **argv)
{
	struct cli_log l = {.action = NULL};
	int help = 0, code = read_all(&l, argc, argv, &help);

	if (help)
		code = cli_help(argv[0], help);
	else if (!code)
		code = find_action(l.action)->run(&l);
	hst_results_free(&l.all);
	hst_close(l.store);
	for (size_t i = 0; i < l.n_event; i++)
		free(l.event[i]);
	return code;
}
