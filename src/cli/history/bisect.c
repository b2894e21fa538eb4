/* bisect.c -- softpmu log bisect: has git find the commit that changed a count, and softpmu log
 * judge, which git runs for each commit that it tries.
 *
 * RULES   The two ends are built and counted first. A commit is bad when its count is nearer to
 * BAD's than to GOOD's. One that cannot be built, run or compared is skipped (status 125). Every
 *         count goes into the history. The work tree is left as it was found, also after Ctrl-C.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/history/git.h"
#include "cli/history/history.h"
#include "cli/where/diff.h"
#include "cli/where/top.h"
#include "sweep/words.h"

#define SKIP	  125 /* to git bisect run */
#define BAD	  1
#define NOT_FOUND 1
#define STEADY	  10 /* the change is so many times what two runs of a commit differ by, at least */

/* ---- what git runs --------------------------------------------------------------------------- */

static int keep(struct cli_log *l, const struct hst_result *result)
{
	struct spmu_error err;
	bool is_new;
	int code = l->store ? 0 : cli_log_open(l, true);

	if (!code && hst_add(l->store, result, &is_new, &err))
		code = cli_complain(&err);
	return code;
}

/* Count what is checked out and keep that. *result begins with all zero and is the caller's.
 * Returns 0, or CLI_FAILED after a message. */
static int count_here(struct cli_log *l, struct cli_log_number *counted, struct hst_result *result)
{
	struct cli_log_commit commit = {0};
	char why[200] = "", name[12], number[40];
	int code = cli_log_commit(NULL, &commit);

	if (!code && cli_log_count(l, &commit, result, counted, why)) {
		fprintf(stderr, " %-10s %15s  %.70s\n", cli_log_short(commit.revision, name), "-",
			why);
		code = CLI_FAILED;
	} else if (!code) {
		fprintf(stderr, " %-10s %15s  %.50s\n", cli_log_short(commit.revision, name),
			cli_top_number((int64_t)counted->value, number), commit.subject);
		code = keep(l, result);
	}
	cli_log_commit_free(&commit);
	return code;
}

static bool is_number(const char *word, uint64_t *out)
{
	char *end;

	*out = strtoull(word, &end, 10);
	return !*end && end != word && *word >= '0' && *word <= '9';
}

int cli_log_judge(struct cli_log *l)
{
	uint64_t good, bad;
	struct cli_log_number is;
	struct hst_result result = {0};
	int code;

	if (l->n_word != 2 || !is_number(l->word[0], &good) || !is_number(l->word[1], &bad) ||
	    !l->program)
		return cli_fail("log judge: write softpmu log judge COUNT COUNT -- PROGRAM, with "
				"the counts of a good commit and of a bad one");
	code = count_here(l, &is, &result);
	hst_result_free(&result);
	if (code)
		return SKIP;
	return cli_log_is_bad(good, bad, is.value) ? BAD : 0;
}

/* ---- the whole ------------------------------------------------------------------------------- */

struct bisect {
	struct cli_log *log;
	struct text good, bad; /* hashes */
	uint64_t value[2];     /* of good and bad */
	struct hst_result of;  /* the last of these two; owned */
};

static int git(const char *what, const char *revision)
{
	struct text said = {0};
	const char *const words[] = {"git", "bisect", what, revision, NULL};
	const int status = cli_git(words, &said, true);

	text_free(&said);
	return status;
}

static int refuse_where(void)
{
	struct text top = {0}, text = {0};
	char here[4096];
	int code = 0;

	if (cli_git_ask(&top, "rev-parse", "--show-toplevel"))
		code = cli_fail("log bisect: this is no work tree of git");
	else if (!getcwd(here, sizeof(here)) || strcmp(here, text_get(&top)) != 0)
		code = cli_fail("log bisect: run it in the top directory of the work tree, %s",
				text_get(&top));
	else if (!cli_git_ask(&text, "bisect", "log"))
		code =
		    cli_fail("log bisect: a bisection is going on here; git bisect reset ends it");
	else if (cli_git_ask(&text, "status", "--porcelain", "--untracked-files=no") || text.n)
		code = cli_fail("log bisect: the work tree has changes that are in no commit; git "
				"stash puts them away");
	text_free(&top);
	text_free(&text);
	return code;
}

/* A history that commits have would be put back by git at each step. */
static int refuse_history(const struct bisect *b)
{
	char *path = cli_log_path(b->log);
	struct text said = {0}, range = {0};
	int code = path ? 0 : cli_fail("out of memory for the history");

	text_printf(&range, "%s..%s", text_get(&b->good), text_get(&b->bad));
	if (!code && !cli_git_ask(&said, "ls-files", "--error-unmatch", "--", path))
		code = cli_fail("log bisect: the history '%s' is committed, so git would change it "
				"at each step; git rm --cached it and commit that, or write --file "
				"with a name outside of the tree",
				path);
	else if (!code &&
		 !cli_git_ask(&said, "log", "-1", "--format=%h", text_get(&range), "--", path) &&
		 said.n)
		code = cli_fail("log bisect: commits on the way have the history '%s', so git "
				"would change it; write --file with a name outside of the tree",
				path);
	free(path);
	text_free(&said);
	text_free(&range);
	return code;
}

static int find_commit(const char *word, struct text *out)
{
	char name[300];

	snprintf(name, sizeof(name), "%.250s^{commit}", word);
	return cli_git_ask(out, "rev-parse", "--verify", "--quiet", "--end-of-options", name)
		   ? cli_fail("log bisect: git knows no commit '%s' here", word)
		   : 0;
}

static int take_ends(struct bisect *b)
{
	const struct cli_log *l = b->log;
	struct text none = {0};
	int code;

	if (l->n_word < 1 || l->n_word > 2 || !l->program || !*l->program)
		return cli_fail("log bisect: write softpmu log bisect -e EVENT [--build CMD] GOOD "
				"[BAD] -- PROGRAM; BAD is HEAD where it is left away");
	if (!l->n_event)
		return cli_fail("log bisect: which count? write -e EVENT");
	code = refuse_where();
	code = code ? code : find_commit(l->word[0], &b->good);
	code = code ? code : find_commit(l->n_word > 1 ? l->word[1] : "HEAD", &b->bad);
	if (!code && cli_git_ask(&none, "merge-base", "--is-ancestor", text_get(&b->good),
				 text_get(&b->bad)))
		code = cli_fail("log bisect: %s is no ancestor of %s; write GOOD first", l->word[0],
				l->n_word > 1 ? l->word[1] : "HEAD");
	text_free(&none);
	return code ? code : refuse_history(b);
}

static int count_end(struct bisect *b, bool is_bad, struct cli_log_number *counted)
{
	struct text said = {0};
	const char *hash = text_get(is_bad ? &b->bad : &b->good);
	int code = cli_git_ask(&said, "checkout", "--quiet", "--detach", hash)
		       ? cli_fail("log bisect: git cannot check out %s", hash)
		       : 0;

	text_free(&said);
	hst_result_free(&b->of);
	if (!code && count_here(b->log, counted, &b->of))
		code = cli_fail("log bisect: the %s commit has no count, so none can be compared "
				"with it",
				is_bad ? "bad" : "good");
	return code;
}

/* Counts of both ends. Two runs of the good one tell whether a change of this size can be seen. */
static int count_ends(struct bisect *b)
{
	struct cli_log_number good, again, bad;
	uint64_t change, noise, half;
	const char *event = b->log->event[0];
	int code = count_end(b, false, &good);

	code = code ? code : count_end(b, false, &again);
	code = code ? code : count_end(b, true, &bad);
	if (code)
		return code;
	b->value[0] = good.value;
	b->value[1] = bad.value;
	change = bad.value > good.value ? bad.value - good.value : good.value - bad.value;
	noise = again.value > good.value ? again.value - good.value : good.value - again.value;
	half = good.half > bad.half ? good.half : bad.half;
	if (!change)
		return cli_fail("log bisect: %s is %" PRIu64 " in both commits; there is no change "
				"to find",
				event, b->value[0]);
	if (half > change / 2) /* what lies between two commits cannot be told from either */
		return cli_fail("log bisect: %s is an estimate, +-%" PRIu64
				", and the change is %" PRIu64
				"; --clocks exact, or a smaller distance, tells",
				event, half, change);
	if (noise > change / STEADY)
		return cli_fail("log bisect: two runs of the good commit differ by %" PRIu64
				" %s, and the change is %" PRIu64
				"; softpmu stat --against says which input differs",
				noise, event, change);
	return 0;
}

/* "'.../softpmu' log judge ...", run by git's shell. */
static bool put_judge(const struct bisect *b, const char *file, struct swp_words *w)
{
	const struct cli_log *l = b->log;
	char self[4096], number[2][24];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	const char *head[] = {"git",   "bisect", "run", self,	   "log",
			      "judge", "--file", file,	number[0], number[1]};
	int rc = 0;

	self[n > 0 ? n : 0] = 0;
	for (int i = 0; i < 2; i++)
		snprintf(number[i], sizeof(number[i]), "%" PRIu64, b->value[i]);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]) && !rc; i++)
		rc = swp_words_add(w, head[i]);
	if (l->build && !rc) {
		rc = swp_words_add(w, "--build");
		rc = rc ? rc : swp_words_add(w, l->build);
	}
	for (size_t i = 0; i < l->n_event && !rc; i++) {
		rc = swp_words_add(w, "-e");
		rc = rc ? rc : swp_words_add(w, l->event[i]);
	}
	rc = rc ? rc : swp_words_add(w, "--");
	for (char **p = l->program; *p && !rc; p++)
		rc = swp_words_add(w, *p);
	return !rc;
}

/* The count that the history has of a commit, as the ends were counted: the newest. Returns false
 * when there is none. */
static bool find_count(const struct bisect *b, const struct hst_results *all, const char *hash,
		       uint64_t *out)
{
	const struct hst_count *found = NULL;
	int64_t id = -1;

	for (size_t i = 0; i < all->n; i++) {
		const struct hst_result *r = &all->result[i];
		const struct hst_count *c = hst_find_count(r, b->log->event[0]);

		if (c && r->id > id && !strcmp(r->revision, hash) && hst_is_series(r, &b->of)) {
			found = c;
			id = r->id;
		}
	}
	if (found)
		*out = found->value;
	return found;
}

/* Counts before the commit and with it, into value. Returns false when the history lacks one of
 * them. */
static bool find_change(const struct bisect *b, const char *hash, uint64_t value[2])
{
	struct hst_results all = {0};
	struct text parent = {0};
	struct spmu_error err;
	char name[300];
	bool has;

	snprintf(name, sizeof(name), "%.250s^", hash);
	has = !cli_git_ask(&parent, "rev-parse", "--verify", "--quiet", name) && b->log->store &&
	      !hst_read(b->log->store, &all, &err) &&
	      find_count(b, &all, text_get(&parent), &value[0]) &&
	      find_count(b, &all, hash, &value[1]);
	hst_results_free(&all);
	text_free(&parent);
	return has;
}

/* The commit that was found, and by how much the count changed with it. */
static int print_found(const struct bisect *b, const struct cli_log_commit *commit)
{
	uint64_t value[2] = {b->value[0], b->value[1]};
	const int64_t all = (int64_t)(value[1] - value[0]);
	const bool is_of_commit = find_change(b, commit->revision, value);
	const int64_t change = (int64_t)(value[1] - value[0]);
	char number[41], part[16], name[12];

	printf("%s of %s (%s) came with%s\n  %s  %.10s  %s\n", cli_diff_number(change, number),
	       b->log->event[0], cli_diff_percent(value[0], change, part),
	       is_of_commit ? "" : ", or in part beside,", cli_log_short(commit->revision, name),
	       commit->date, commit->subject);
	if (is_of_commit && change != all)
		printf("From the good commit to the bad one it is %s (%s); other commits between "
		       "them changed it, too.\n",
		       cli_diff_number(all, number), cli_diff_percent(b->value[0], all, part));
	return cli_close_stdout(0);
}

/* What git has found: refs/bisect/bad, when it was narrowed down to one. */
static int tell(const struct bisect *b, int status)
{
	struct cli_log_commit commit = {0};
	struct text hash = {0}, left = {0};
	int code = 0;

	if (status || cli_git_ask(&hash, "rev-parse", "--verify", "--quiet", "refs/bisect/bad")) {
		cli_git_ask(&left, "log", "--oneline", "--no-decorate", "--bisect");
		fprintf(stderr, "softpmu: log bisect: no single commit was found%s%s\n",
			left.n ? "; the first one that changed the count is among these:\n" : "",
			text_get(&left));
		code = NOT_FOUND;
	} else if (!(code = cli_log_commit(text_get(&hash), &commit))) {
		code = print_found(b, &commit);
	}
	cli_log_commit_free(&commit);
	text_free(&hash);
	text_free(&left);
	return code;
}

/* git bisect is started, with the branch to go back to. */
static int search(struct bisect *b, const char *file)
{
	struct swp_words w = {0};
	struct text said = {0};
	int code = count_ends(b);

	if (!code && (git("good", text_get(&b->good)) || git("bad", text_get(&b->bad))))
		code = cli_fail("log bisect: git bisect refuses these commits");
	if (!code && !put_judge(b, file, &w))
		code = cli_fail("out of memory for the command");
	if (!code) {
		const int status = cli_git((const char *const *)w.word, &said, false);

		code = status > 128 ? status : tell(b, status);
	}
	swp_words_free(&w);
	text_free(&said);
	return code;
}

/* A handler that does nothing: programs that are started are ended by the signal, and softpmu puts
 * the work tree back. */
static void go_on(int signal)
{
}

static void outlive_interrupts(void)
{
	struct sigaction action = {.sa_handler = go_on}, before;

	if (!sigaction(SIGINT, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGINT, &action, NULL);
}

int cli_log_bisect(struct cli_log *l)
{
	struct bisect b = {.log = l};
	char *file = NULL;
	int code = take_ends(&b);

	if (!code && !(file = cli_log_path(l)))
		code = cli_fail("out of memory for the history");
	if (!code && git("start", NULL))
		code = cli_fail("log bisect: git bisect start failed");
	else if (!code) {
		outlive_interrupts();
		code = search(&b, file);
		if (git("reset", NULL) && git("reset", NULL)) /* the first may be interrupted */
			code = cli_fail(
			    "log bisect: git bisect reset failed, so another commit is checked "
			    "out than before; git status says what is in the way, and then git "
			    "bisect reset goes back");
	}
	free(file);
	hst_result_free(&b.of);
	text_free(&b.good);
	text_free(&b.bad);
	return code;
}
