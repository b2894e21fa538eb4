/* store.c -- keeps results in SQLite. Rules: store.h. */
#include "history/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/text.h"
#include "history/sqlite.h"

#define VERSION "1"
/* "sPMU": which program made the file. */
#define HEAD	    "PRAGMA application_id = 1934642517; PRAGMA user_version = " VERSION ";"
#define MOST_COUNTS 4096u

/* The tables, as sqlite_schema shows them. */
#define TABLE_COUNT                                                                                \
	"CREATE TABLE count (result INTEGER NOT NULL REFERENCES result(id), place INTEGER NOT "    \
	"NULL, event TEXT NOT NULL, value INTEGER NOT NULL, half INTEGER NOT NULL, PRIMARY KEY "   \
	"(result, place)) WITHOUT ROWID"
#define TABLE_RESULT                                                                               \
	"CREATE TABLE result (id INTEGER PRIMARY KEY, date TEXT NOT NULL, revision TEXT NOT "      \
	"NULL, "                                                                                   \
	"commit_date TEXT NOT NULL, subject TEXT NOT NULL, host TEXT NOT NULL, cpu TEXT NOT "      \
	"NULL, "                                                                                   \
	"model TEXT NOT NULL, command TEXT NOT NULL, tags TEXT NOT NULL, version TEXT NOT NULL, "  \
	"digest TEXT NOT NULL UNIQUE)"

struct hst {
	struct hst_sqlite q;
	sqlite3 *db;
	char *path;
};

/* ---- errors ---------------------------------------------------------------------------------- */

static int fail(struct hst *h, struct spmu_error *err)
{
	const int code = h->db ? h->q.sqlite3_errcode(h->db) & 0xff : SQLITE_NOMEM;

	switch (code) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
	case SQLITE_TOOBIG:
	case SQLITE_MISMATCH:
		return spmu_fail(err, SPMU_EINVAL,
				 "'%s' is damaged, or no history of softpmu log: %s; take another "
				 "--file, or a copy of it",
				 h->path, h->q.sqlite3_errmsg(h->db));
	case SQLITE_NOMEM: return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", h->path);
	case SQLITE_BUSY:
		return spmu_fail(err, SPMU_ESYS,
				 "'%s' is being written by another program for more than %d "
				 "seconds; try again",
				 h->path, HST_PATIENCE_MS / 1000);
	default:
		return spmu_fail(err, SPMU_ESYS, "the history '%s': %s", h->path,
				 h->q.sqlite3_errmsg(h->db));
	}
}

static int run(struct hst *h, const char *sql, struct spmu_error *err)
{
	return h->q.sqlite3_exec(h->db, sql, NULL, NULL, NULL) ? fail(h, err) : 0;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int prepare(struct hst *h, const char *sql, sqlite3_stmt **out, struct spmu_error *err)
{
	return h->q.sqlite3_prepare_v2(h->db, sql, -1, out, NULL) ? fail(h, err) : 0;
}

/* The first column of the first row, the caller's; NULL after a sentence. */
static char *ask(struct hst *h, const char *sql, struct spmu_error *err)
{
	sqlite3_stmt *s;
	char *answer = NULL;
	int step;

	if (prepare(h, sql, &s, err))
		return NULL;
	step = h->q.sqlite3_step(s);
	if (step == SQLITE_ROW) {
		const unsigned char *text = h->q.sqlite3_column_text(s, 0);

		answer = strdup(text ? (const char *)text : "");
	}
	if (!answer)
		fail(h, err);
	h->q.sqlite3_finalize(s);
	return answer;
}

/* Is the file ours? One without tables becomes ours where that is allowed. */
static int check(struct hst *h, bool is_new_allowed, struct spmu_error *err)
{
	static const char tables[] = TABLE_COUNT ";" TABLE_RESULT;
	char *is = ask(h,
		       "SELECT coalesce(group_concat(sql, ';'), '') FROM (SELECT sql FROM "
		       "sqlite_schema WHERE sql IS NOT NULL ORDER BY name)",
		       err);
	char *version = is ? ask(h, "PRAGMA user_version", err) : NULL;
	int rc = 0;

	if (!is || !version)
		rc = -err->code;
	else if (!*is && is_new_allowed)
		rc = run(h, "BEGIN IMMEDIATE;" HEAD TABLE_COUNT ";" TABLE_RESULT ";COMMIT", err);
	else if (atoi(version) > atoi(VERSION))
		rc = spmu_fail(err, SPMU_EINVAL,
			       "'%s' was written by a newer softpmu (version %s of the file, this "
			       "one reads " VERSION ")",
			       h->path, version);
	else if (strcmp(is, tables) != 0)
		rc = spmu_fail(err, SPMU_EINVAL,
			       "'%s' is a database, but no history of softpmu log; take another "
			       "--file",
			       h->path);
	free(is);
	free(version);
	return rc;
}

int hst_open(const char *path, bool is_new_allowed, struct hst **out, struct spmu_error *err)
{
	struct hst *h = calloc(1, sizeof(*h));
	struct stat st;
	const bool is_there = !stat(path, &st);
	int rc = 0;

	if (!h || !(h->path = strdup(path))) {
		free(h);
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", path);
	}
	if (is_there && !S_ISREG(st.st_mode))
		rc = spmu_fail(err, SPMU_EINVAL, "the history '%s' is no file", path);
	else if (!is_there && !is_new_allowed)
		rc = spmu_fail(err, SPMU_ENOENT,
			       "there is no history '%s'; softpmu log add RESULT begins one", path);
	else if (!hst_sqlite_open(&h->q))
		rc = spmu_fail(err, SPMU_ESYS,
			       "softpmu log needs libsqlite3, and it is not there; Debian: apt "
			       "install libsqlite3-0");
	else if (h->q.sqlite3_open_v2(
		     path, &h->db,
		     SQLITE_OPEN_READWRITE | (is_new_allowed ? SQLITE_OPEN_CREATE : 0), NULL))
		rc = fail(h, err);
	if (!rc) {
		h->q.sqlite3_busy_timeout(h->db, HST_PATIENCE_MS);
		h->q.sqlite3_limit(h->db, SQLITE_LIMIT_LENGTH, HST_MOST_TEXT);
		rc = check(h, is_new_allowed, err);
	}
	if (rc)
		hst_close(h);
	else
		*out = h;
	return rc;
}

void hst_close(struct hst *h)
{
	if (!h)
		return;
	if (h->db)
		h->q.sqlite3_close(h->db);
	hst_sqlite_close(&h->q);
	free(h->path);
	free(h);
}

int hst_begin(struct hst *h, struct spmu_error *err)
{
	return run(h, "BEGIN IMMEDIATE", err);
}

int hst_commit(struct hst *h, struct spmu_error *err)
{
	return run(h, "COMMIT", err);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	for (const unsigned char *p = bytes; n--; p++)
		h = (h ^ *p) * 1099511628211u; /* FNV-1a */
	return h;
}

/* Of all that makes a result another one. */
static uint64_t digest_of(const struct hst_result *r)
{
	const char *const part[] = {r->revision, r->host, r->cpu,     r->model,
				    r->command,	 r->tags, r->version, NULL};
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; part[i]; i++)
		h = hash(h, part[i], strlen(part[i]) + 1);
	for (size_t i = 0; i < r->n_count; i++) {
		h = hash(h, r->count[i].event, strlen(r->count[i].event) + 1);
		h = hash(h, &r->count[i].value, sizeof(r->count[i].value));
	}
	return h;
}

/* Ends a statement that changes something. */
static int finish(struct hst *h, sqlite3_stmt *s, struct spmu_error *err)
{
	const int step = h->q.sqlite3_step(s), rc = step == SQLITE_DONE ? 0 : fail(h, err);

	h->q.sqlite3_finalize(s);
	return rc;
}

static int add_counts(struct hst *h, const struct hst_result *r, int64_t id, struct spmu_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_count && !rc; i++) {
		sqlite3_stmt *s;

		rc = prepare(h, "INSERT INTO count VALUES (?1, ?2, ?3, ?4, ?5)", &s, err);
		if (rc)
			break;
		h->q.sqlite3_bind_int64(s, 1, id);
		h->q.sqlite3_bind_int64(s, 2, (int64_t)i);
		h->q.sqlite3_bind_text(s, 3, r->count[i].event, -1, SQLITE_STATIC);
		h->q.sqlite3_bind_int64(s, 4, (int64_t)r->count[i].value);
		h->q.sqlite3_bind_int64(s, 5, (int64_t)r->count[i].half);
		rc = finish(h, s, err);
	}
	return rc;
}

int hst_add(struct hst *h, const struct hst_result *r, bool *is_new, struct spmu_error *err)
{
	const char *const text[] = {r->date, r->revision, r->commit_date, r->subject, r->host,
				    r->cpu,  r->model,	  r->command,	  r->tags,    r->version};
	const int n = sizeof(text) / sizeof(text[0]);
	char digest[20];
	sqlite3_stmt *s;
	int rc;

	rc = prepare(h,
		     "INSERT OR IGNORE INTO result (date, revision, commit_date, subject, host, "
		     "cpu, model, command, tags, version, digest) VALUES "
		     "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
		     &s, err);
	if (rc)
		return rc;
	for (int i = 0; i < n; i++)
		h->q.sqlite3_bind_text(s, i + 1, text[i] ? text[i] : "", -1, SQLITE_STATIC);
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)digest_of(r));
	h->q.sqlite3_bind_text(s, n + 1, digest, -1, SQLITE_STATIC);
	rc = finish(h, s, err);
	*is_new = !rc && h->q.sqlite3_changes(h->db) > 0;
	return *is_new ? add_counts(h, r, h->q.sqlite3_last_insert_rowid(h->db), err) : rc;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A column as text without control characters, the caller's; NULL without memory. */
static char *text_of(struct hst *h, sqlite3_stmt *s, int column)
{
	const unsigned char *text = h->q.sqlite3_column_text(s, column);
	char *copy = strdup(text ? (const char *)text : "");

	for (char *c = copy; c && *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	return copy;
}

static bool take_result(struct hst *h, sqlite3_stmt *s, struct hst_result *r)
{
	char **const text[] = {&r->date, &r->revision, &r->commit_date, &r->subject, &r->host,
			       &r->cpu,	 &r->model,    &r->command,	&r->tags,    &r->version};
	bool is_whole = true;

	r->id = h->q.sqlite3_column_int64(s, 0);
	for (int i = 0; i < (int)(sizeof(text) / sizeof(text[0])); i++) {
		*text[i] = text_of(h, s, i + 1);
		is_whole &= *text[i] != NULL;
	}
	return is_whole;
}

/* Counts of one result, in the order of its report. */
static int read_counts(struct hst *h, sqlite3_stmt *s, struct hst_result *r, struct spmu_error *err)
{
	int step;

	h->q.sqlite3_reset(s);
	h->q.sqlite3_bind_int64(s, 1, r->id);
	while ((step = h->q.sqlite3_step(s)) == SQLITE_ROW && r->n_count < MOST_COUNTS) {
		struct hst_count *more = realloc(r->count, (r->n_count + 1) * sizeof(*more));

		if (!more)
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", h->path);
		r->count = more;
		more += r->n_count;
		*more =
		    (struct hst_count){text_of(h, s, 0), (uint64_t)h->q.sqlite3_column_int64(s, 1),
				       (uint64_t)h->q.sqlite3_column_int64(s, 2)};
		if (!more->event)
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", h->path);
		r->n_count++;
	}
	return step == SQLITE_DONE || step == SQLITE_ROW ? 0 : fail(h, err);
}

static int read_results(struct hst *h, sqlite3_stmt *s, struct hst_results *out,
			struct spmu_error *err)
{
	size_t room = 0;
	int step;

	while ((step = h->q.sqlite3_step(s)) == SQLITE_ROW && out->n < HST_MOST_RESULTS) {
		if (out->n == room) {
			struct hst_result *more =
			    realloc(out->result, (2 * room + 64) * sizeof(*more));

			if (!more)
				return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'",
						 h->path);
			out->result = more;
			room = 2 * room + 64;
		}
		memset(&out->result[out->n], 0, sizeof(*out->result));
		if (!take_result(h, s, &out->result[out->n++]))
			return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", h->path);
	}
	return step == SQLITE_DONE || step == SQLITE_ROW ? 0 : fail(h, err);
}

int hst_read(struct hst *h, struct hst_results *out, struct spmu_error *err)
{
	sqlite3_stmt *s;
	int rc = prepare(
	    h,
	    "SELECT id, date, revision, commit_date, subject, host, cpu, model, command, tags, "
	    "version FROM result ORDER BY CASE commit_date WHEN '' THEN date ELSE "
	    "commit_date END, id",
	    &s, err);

	if (rc)
		return rc;
	rc = read_results(h, s, out, err);
	h->q.sqlite3_finalize(s);
	rc =
	    rc ? rc
	       : prepare(h, "SELECT event, value, half FROM count WHERE result = ?1 ORDER BY place",
			 &s, err);
	if (rc)
		return rc;
	for (size_t i = 0; i < out->n && !rc; i++)
		rc = read_counts(h, s, &out->result[i], err);
	h->q.sqlite3_finalize(s);
	return rc;
}

void hst_result_free(struct hst_result *r)
{
	char *const text[] = {r->date, r->revision, r->commit_date, r->subject, r->host,
			      r->cpu,  r->model,    r->command,	    r->tags,	r->version};

	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		free(text[i]);
	for (size_t i = 0; i < r->n_count; i++)
		free(r->count[i].event);
	free(r->count);
	memset(r, 0, sizeof(*r));
}

void hst_results_free(struct hst_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		hst_result_free(&r->result[i]);
	free(r->result);
	memset(r, 0, sizeof(*r));
}

const struct hst_count *hst_find_count(const struct hst_result *r, const char *event)
{
	for (size_t i = 0; i < r->n_count; i++)
		if (!strcasecmp(r->count[i].event, event))
			return &r->count[i];
	return NULL;
}

bool hst_is_series(const struct hst_result *a, const struct hst_result *b)
{
	return !strcmp(a->command, b->command) && !strcmp(a->tags, b->tags) &&
	       !strcmp(a->cpu, b->cpu) && !strcmp(a->model, b->model);
}
