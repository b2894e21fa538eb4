/* result.c -- reads a report of stat --json or a record as a result of the history, and asks git
 * for the commit. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/history/git.h"
#include "cli/history/history.h"
#include "cli/where/totals.h"
#include "sweep/tags.h"
#include "sweep/words.h"

#define MOST_TAGS 64u

/* ---- the commit ------------------------------------------------------------------------------ */

static char *date_of(time_t at)
{
	char date[32] = "";
	struct tm utc;

	if (gmtime_r(&at, &utc))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
	return strdup(date);
}

void cli_log_commit_free(struct cli_log_commit *c)
{
	free(c->revision);
	free(c->date);
	free(c->subject);
	memset(c, 0, sizeof(*c));
}

/* Has the work tree changes that no commit has? */
static bool is_dirty(void)
{
	struct text changes = {0};
	const bool is =
	    !cli_git_ask(&changes, "status", "--porcelain", "--untracked-files=no") && changes.n;

	text_free(&changes);
	return is;
}

/* "HASH SECONDS SUBJECT" of git log. Returns false without memory. */
static bool take_line(const char *line, bool with_changes, struct cli_log_commit *out)
{
	const size_t n = strcspn(line, " ");
	char *rest = NULL;
	const time_t at = line[n] ? (time_t)strtoll(line + n, &rest, 10) : 0;

	if (asprintf(&out->revision, "%.*s%s", (int)n, line, with_changes ? "-dirty" : "") < 0)
		out->revision = NULL;
	out->date = date_of(at);
	out->subject = strdup(rest && *rest ? rest + 1 : "");
	return out->revision && out->date && out->subject;
}

int cli_log_commit(const char *revision, struct cli_log_commit *out)
{
	struct text line = {0};
	const int status = cli_git_ask(&line, "log", "-1", "--format=%H %ct %s", "--end-of-options",
				       revision ? revision : "HEAD", "--");
	bool is_whole;

	memset(out, 0, sizeof(*out));
	if (status && revision) {
		text_free(&line);
		return cli_fail("log: git knows no commit '%s' here", revision);
	}
	is_whole =
	    take_line(status ? "" : text_get(&line), !status && !revision && is_dirty(), out);
	if (status && is_whole)
		out->date[0] = 0;
	text_free(&line);
	return is_whole ? 0 : cli_fail("out of memory for the commit");
}

/* ---- the result ------------------------------------------------------------------------------ */

static uint64_t hash(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 1099511628211u; /* FNV-1a */
	return (h ^ 0xff) * 1099511628211u;
}

/* What a count depends on beside program and input. */
static char *model_of(const struct rec *r)
{
	const json_t *inputs = json_object_get(r->meta, "inputs");
	char *settings = json_dumps(json_object_get(r->meta, "settings"), JSON_SORT_KEYS);
	char number[64], *out = NULL;
	uint64_t h = 14695981039346656037u;

	h = hash(h, rec_text(r->meta, "cpu"));
	h = hash(h, rec_text(r->meta, "isa"));
	h = hash(h, rec_text(r->meta, "backend"));
	h = hash(h, rec_text(r->meta, "version"));
	h = hash(h, rec_text(r->times, "softpmu"));
	h = hash(h, rec_text(inputs, "settings"));
	h = hash(h, settings ? settings : "");
	snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT,
		 json_integer_value(json_object_get(r->meta, "cpus")),
		 json_integer_value(json_object_get(r->meta, "seed")));
	h = hash(h, number);
	free(settings);
	return asprintf(&out, "%016llx", (unsigned long long)h) < 0 ? NULL : out;
}

static char *command_of(const struct rec *r)
{
	struct text words = {0};
	size_t i;
	json_t *word;

	json_array_foreach(json_object_get(r->meta, "command"), i, word)
	    swp_quote(&words, json_string_value(word) ? json_string_value(word) : "");
	if (words.has_failed) {
		text_free(&words);
		return NULL;
	}
	return words.bytes ? words.bytes : strdup("");
}

/* "program=gzip l1d=8K". */
static char *tags_of(const struct rec *r)
{
	struct swp_tag tag[MOST_TAGS];
	struct text text = {0};
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach(json_object_get(r->meta, "tags"), name, value)
	{
		if (n < MOST_TAGS && json_is_string(value))
			tag[n++] = (struct swp_tag){name, json_string_value(value)};
	}
	swp_tags_write(tag, n, &text);
	if (text.has_failed || !text.n) {
		text_free(&text);
		return strdup("");
	}
	for (size_t i = 0; i < text.n; i++)
		if (text.bytes[i] == '\n')
			text.bytes[i] = i + 1 < text.n ? ' ' : 0;
	return text.bytes;
}

static bool take_counts(const struct rec *r, struct hst_result *out)
{
	out->count = calloc(r->n_event + 1, sizeof(*out->count));
	for (uint32_t i = 0; i < r->n_event && out->count; i++) {
		const struct rec_event *e = &r->event[i];

		if (*e->status)
			continue;
		out->count[out->n_count] = (struct hst_count){strdup(e->name), e->total, e->half};
		if (!out->count[out->n_count++].event)
			return false;
	}
	return out->count != NULL;
}

/* A report says neither where nor when: it is the same everywhere. */
static void take_where(const struct rec *r, const char *path, struct hst_result *out)
{
	char host[256] = "";
	struct stat st;

	gethostname(host, sizeof(host) - 1);
	out->host = strdup(*rec_text(r->times, "host") ? rec_text(r->times, "host") : host);
	out->date = *rec_text(r->times, "date")
			? strdup(rec_text(r->times, "date"))
			: date_of(stat(path, &st) ? time(NULL) : st.st_mtime);
}

static bool take_all(const struct rec *r, const char *path, const struct cli_log_commit *commit,
		     struct hst_result *out)
{
	const char *version = rec_text(r->meta, "version");

	take_where(r, path, out);
	out->revision = strdup(commit->revision);
	out->commit_date = strdup(commit->date);
	out->subject = strdup(commit->subject);
	out->cpu = strdup(rec_text(r->meta, "cpu"));
	out->version = strdup(*version ? version : rec_text(r->times, "softpmu"));
	out->model = model_of(r);
	out->command = command_of(r);
	out->tags = tags_of(r);
	return take_counts(r, out) && out->host && out->date && out->revision && out->commit_date &&
	       out->subject && out->cpu && out->version && out->model && out->command && out->tags;
}

int cli_log_result(const char *path, const struct cli_log_commit *commit, struct hst_result *out)
{
	struct rec *r = NULL;
	struct spmu_error err;
	const json_t *ending;
	int code = 0;

	if (cli_totals_are(path) ? cli_totals_open(path, &r, &err) : rec_open(path, &r, &err))
		return cli_complain(&err);
	ending = json_object_get(r->meta, "ending");
	if (json_object_get(r->meta, "trouble") || json_object_get(r->meta, "interrupted") ||
	    json_object_get(ending, "trouble") || json_object_get(ending, "interrupted"))
		code = cli_fail("log: the run of '%s' did not come to its end; its counts are of a "
				"part that no other run has",
				path);
	else if (!take_all(r, path, commit, out))
		code = cli_fail("out of memory for '%s'", path);
	else if (!out->n_count)
		code = cli_fail("log: '%s' has no counts to keep", path);
	rec_close(r);
	return code;
}
