/* results.c -- reads reports and compares them. Rules: results.h. */
#include "sweep/results.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sweep/tags.h"
#include "sweep/words.h"

#define MOST_TAGS   64u
#define MOST_EVENTS 4096u
#define MOST_DEPTH  32

static int out_of_memory(struct spmu_error *err)
{
	return spmu_fail(err, SPMU_ENOMEM, "out of memory");
}

/* ---- one report ------------------------------------------------------------------------------ */

/* The number of an event; UINT32_MAX without memory. at: its place in the report. */
static uint32_t event_number(struct swp_results *r, const char *name, const char *end, uint32_t at)
{
	const size_t n = strlen(name), n_end = strlen(end);
	const uint32_t guess = at < r->n_guess ? r->guess[at] : 0;
	struct swp_event *more;

	for (uint32_t k = 0; k < r->n_event; k++) {
		const uint32_t i = (guess + k) % r->n_event;
		const char *is = r->event[i].name;

		if (strncmp(is, name, n) || strcmp(is + n, end))
			continue;
		if (at < r->event[i].at)
			r->event[i].at = at;
		return i;
	}
	more =
	    r->n_event < MOST_EVENTS ? realloc(r->event, (r->n_event + 1) * sizeof(*more)) : NULL;
	if (!more)
		return UINT32_MAX;
	r->event = more;
	more[r->n_event] = (struct swp_event){malloc(n + n_end + 1), at};
	if (!more[r->n_event].name)
		return UINT32_MAX;
	memcpy(more[r->n_event].name, name, n);
	memcpy(more[r->n_event].name + n, end, n_end + 1);
	return r->n_event++;
}

/* Note a count in `count`, which has room for MOST_EVENTS. Returns 0 or -SPMU_ENOMEM. */
static int put_count(struct swp_results *r, const json_t *e, const char *member, const char *end,
		     uint32_t at, uint64_t *count)
{
	const char *name = json_string_value(json_object_get(e, "name"));
	const json_t *value = json_object_get(e, member);
	uint32_t i;

	if (!name || (*end && !value))
		return 0;
	i = event_number(r, name, end, at);
	if (i == UINT32_MAX)
		return -SPMU_ENOMEM;
	if (at < r->n_guess)
		r->guess[at] = i;
	if (json_is_integer(value))
		count[i] = (uint64_t)json_integer_value(value);
	return 0;
}

static int take_counts(struct swp_results *r, const json_t *events, struct swp_row *row)
{
	uint64_t count[MOST_EVENTS];
	uint32_t at = 0;
	size_t i;
	json_t *e;
	int rc = 0;

	if (!r->guess) {
		r->guess = calloc(MOST_EVENTS, sizeof(*r->guess));
		r->n_guess = r->guess ? MOST_EVENTS : 0;
	}
	memset(count, 0xff, sizeof(count)); /* SWP_NO_COUNT */
	json_array_foreach(events, i, e)
	{
		rc |= put_count(r, e, "value", "", at++, count);
		rc |= put_count(r, e, "low", ":low", at++, count);
		rc |= put_count(r, e, "high", ":high", at++, count);
	}
	if (rc)
		return -SPMU_ENOMEM;
	row->n_count = r->n_event;
	row->count = malloc((r->n_event + 1) * sizeof(*count));
	if (!row->count)
		return -SPMU_ENOMEM;
	memcpy(row->count, count, r->n_event * sizeof(*count));
	return 0;
}

/* The tags of a report that has none. */
static void own_tags(const json_t *o, struct text *out)
{
	const char *cpu = json_string_value(json_object_get(o, "cpu"));
	const char *machine = json_string_value(json_object_get(o, "machine"));
	const char *settings =
	    json_string_value(json_object_get(json_object_get(o, "inputs"), "settings"));
	struct text program = {0};
	char seed[24];
	struct swp_tag tag[4];
	size_t i, n = 0;
	json_t *word;

	json_array_foreach(json_object_get(o, "program"), i, word)
	    swp_quote(&program, json_string_value(word) ? json_string_value(word) : "");
	snprintf(seed, sizeof(seed), "%" JSON_INTEGER_FORMAT,
		 json_integer_value(json_object_get(o, "seed")));
	tag[n++] = (struct swp_tag){"program", text_get(&program)};
	tag[n++] = (struct swp_tag){"cpu", cpu ? cpu : machine ? machine : ""};
	tag[n++] = (struct swp_tag){"seed", seed};
	if (settings)
		tag[n++] = (struct swp_tag){"settings", settings};
	swp_tags_write(tag, n, out);
	out->has_failed |= program.has_failed;
	text_free(&program);
}

static int take_tags(json_t *o, struct swp_row *row)
{
	json_t *tags = json_object_get(o, "tags"), *value;
	struct swp_tag tag[MOST_TAGS];
	struct text text = {0};
	const char *name;
	size_t n = 0;

	json_object_foreach(tags, name, value) if (n < MOST_TAGS && json_is_string(value))
	    tag[n++] = (struct swp_tag){name, json_string_value(value)};
	if (n)
		swp_tags_write(tag, n, &text);
	else
		own_tags(o, &text);
	row->tags = text.has_failed ? NULL : strdup(text_get(&text));
	text_free(&text);
	return row->tags ? 0 : -SPMU_ENOMEM;
}

static int take_version(struct swp_results *r, const json_t *o, struct swp_row *row)
{
	const char *version = json_string_value(json_object_get(o, "version"));
	char **more;

	version = version ? version : "";
	for (row->version = 0; row->version < r->n_version; row->version++)
		if (!strcmp(r->version[row->version], version))
			return 0;
	more = realloc(r->version, (r->n_version + 1) * sizeof(*more));
	if (!more)
		return -SPMU_ENOMEM;
	r->version = more;
	more[r->n_version] = strdup(version);
	if (!more[r->n_version])
		return -SPMU_ENOMEM;
	r->n_version++;
	return 0;
}

/* How the run ended: 0, or swp_row.ending. */
static int ending_of(const json_t *o)
{
	const json_t *ending = json_object_get(o, "ending");
	const json_int_t signal = json_integer_value(json_object_get(ending, "signal"));

	if (!ending || json_object_get(ending, "trouble") || json_object_get(ending, "interrupted"))
		return -1;
	return signal ? 128 + (int)signal
		      : (int)json_integer_value(json_object_get(ending, "exit"));
}

static int take_report(struct swp_results *r, json_t *o, struct swp_row *row)
{
	const char *digest = json_string_value(json_object_get(o, "input_digest"));
	int rc = take_tags(o, row);

	rc = rc ? rc : take_version(r, o, row);
	rc = rc ? rc : take_counts(r, json_object_get(o, "events"), row);
	row->instructions = (uint64_t)json_integer_value(
	    json_object_get(json_object_get(o, "shares"), "instructions"));
	row->input_digest = digest ? strtoull(digest, NULL, 16) : 0;
	row->ending = ending_of(o);
	row->state = row->ending ? SWP_FAILED : SWP_USED;
	return rc;
}

static void free_row(struct swp_row *row)
{
	free(row->tags);
	free(row->path);
	free(row->count);
}

static void refuse(struct swp_results *r, const char *path, const char *why)
{
	text_printf(&r->refused, "%s: %s\n", path, why);
	r->n_refused++;
}

/* A report, the caller's; NULL after a note of why it is none. */
static json_t *load(struct swp_results *r, const char *path)
{
	FILE *in = fopen(path, "re");
	const char *why = NULL;
	char *bytes = NULL;
	struct stat st = {0};
	json_t *o = NULL;

	if (!in || fstat(fileno(in), &st))
		why = strerror(errno);
	else if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > SWP_MOST_BYTES)
		why = "is too long for a report, or no file";
	else
		bytes = malloc((size_t)st.st_size + 1);
	if (bytes)
		o = json_loadb(bytes, fread(bytes, 1, (size_t)st.st_size, in), 0, NULL);
	if (!why && (!json_is_array(json_object_get(o, "events")) || !json_object_get(o, "ending")))
		why = "is no report of stat --json";
	if (in)
		fclose(in);
	free(bytes);
	if (!why)
		return o;
	refuse(r, path, why);
	json_decref(o);
	return NULL;
}

static int read_file(struct swp_results *r, const char *path)
{
	json_t *o = load(r, path);
	struct swp_row row = {0}, *more;
	int rc;

	if (!o)
		return 0;
	row.path = strdup(path);
	rc = row.path ? take_report(r, o, &row) : -SPMU_ENOMEM;
	json_decref(o);
	if (!rc && r->n == r->room) {
		more = realloc(r->row, (2 * r->room + 64) * sizeof(*more));
		rc = more ? 0 : -SPMU_ENOMEM;
		r->row = more ? more : r->row;
		r->room = more ? 2 * r->room + 64 : r->room;
	}
	if (rc)
		free_row(&row);
	else
		r->row[r->n++] = row;
	return rc;
}

/* ---- directories ----------------------------------------------------------------------------- */

static bool is_json(const char *name)
{
	const size_t n = strlen(name);

	return n > 5 && !strcmp(name + n - 5, ".json");
}

static int read_dir(struct swp_results *r, const char *path, int depth)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int rc = 0;

	if (!dir) {
		refuse(r, path, strerror(errno));
		return 0;
	}
	while (!rc && (e = readdir(dir)) != NULL) {
		char *name;

		if (*e->d_name == '.' || (e->d_type != DT_DIR && !is_json(e->d_name)))
			continue;
		if (asprintf(&name, "%s/%s", path, e->d_name) < 0) {
			rc = -SPMU_ENOMEM;
			break;
		}
		if (e->d_type != DT_DIR)
			rc = read_file(r, name);
		else if (depth < MOST_DEPTH)
			rc = read_dir(r, name, depth + 1);
		free(name);
	}
	closedir(dir);
	return rc;
}

int swp_results_read(struct swp_results *r, const char *path, struct spmu_error *err)
{
	struct stat st;
	int rc;

	if (stat(path, &st))
		return spmu_fail(err, errno == ENOENT ? SPMU_ENOENT : SPMU_ESYS,
				 "collect: cannot read '%s': %s", path, strerror(errno));
	rc = S_ISDIR(st.st_mode) ? read_dir(r, path, 0) : read_file(r, path);
	return rc ? out_of_memory(err) : 0;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Numbers in values by their size: 8K before 16K. Which of several equal reports is the row must
 * not depend on the order of reading. */
static int by_tags(const void *a, const void *b, void *of)
{
	const struct swp_results *r = of;
	const struct swp_row *x = a, *y = b;
	const int order = strverscmp(x->tags, y->tags);

	if (order)
		return order;
	if (x->input_digest != y->input_digest)
		return x->input_digest < y->input_digest ? -1 : 1;
	return x->version != y->version ? strcmp(r->version[x->version], r->version[y->version])
					: strcmp(x->path, y->path);
}

static bool is_equal(const struct swp_results *r, const struct swp_row *a, const struct swp_row *b)
{
	if (a->instructions != b->instructions)
		return false;
	for (uint32_t i = 0; i < r->n_event; i++)
		if (swp_count(a, i) != swp_count(b, i))
			return false;
	return true;
}

/* The rows [from, to) have the same tags. */
static void judge_job(struct swp_results *r, size_t from, size_t to)
{
	struct swp_row *first = NULL;
	bool is_one = true;

	for (size_t i = from; i < to; i++) {
		if (r->row[i].state == SWP_FAILED)
			continue;
		if (first)
			is_one &= is_equal(r, first, &r->row[i]);
		first = first ? first : &r->row[i];
	}
	for (size_t i = from; i < to; i++)
		if (r->row[i].state != SWP_FAILED)
			r->row[i].state = !is_one		? SWP_DISAGREE
					  : &r->row[i] == first ? SWP_USED
								: SWP_SAME;
}

void swp_results_judge(struct swp_results *r)
{
	size_t from = 0;

	if (r->n)
		qsort_r(r->row, r->n, sizeof(*r->row), by_tags, r);
	for (size_t i = 1; i <= r->n; i++)
		if (i == r->n || strcmp(r->row[i].tags, r->row[from].tags)) {
			judge_job(r, from, i);
			from = i;
		}
}

struct swp_row *swp_results_of(const struct swp_results *r, const char *tags, size_t *n)
{
	size_t low = 0, high = r->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strverscmp(r->row[middle].tags, tags) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (*n = 0; low + *n < r->n && !strcmp(r->row[low + *n].tags, tags);)
		++*n;
	return *n ? &r->row[low] : NULL;
}

void swp_results_free(struct swp_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		free_row(&r->row[i]);
	for (uint32_t i = 0; i < r->n_event; i++)
		free(r->event[i].name);
	for (uint32_t i = 0; i < r->n_version; i++)
		free(r->version[i]);
	free(r->row);
	free(r->event);
	free(r->version);
	free(r->guess);
	text_free(&r->refused);
	memset(r, 0, sizeof(*r));
}
