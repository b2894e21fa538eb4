/* totals.c -- reads a report of stat --json as a record without places. Rules: totals.h. */
#include "cli/where/totals.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/against/inputs.h"

bool cli_totals_are(const char *path)
{
	FILE *f = fopen(path, "re");
	struct stat st;
	int c = EOF;

	if (f && !fstat(fileno(f), &st) && S_ISREG(st.st_mode))
		while ((c = getc(f)) == ' ' || c == '\n' || c == '\t' || c == '\r')
			;
	if (f)
		fclose(f);
	return c == '{';
}

/* The last of the objects in f; NULL when something else is there, too. */
static json_t *last_of(FILE *f)
{
	json_t *last = NULL;
	int c;

	for (;;) {
		do
			c = getc(f);
		while (c == ' ' || c == '\n' || c == '\t' || c == '\r');
		if (c == EOF)
			return last;
		ungetc(c, f);
		json_decref(last);
		last = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
		if (!last)
			return NULL;
	}
}

/* The last report of the file. NULL after a sentence. */
static json_t *read_last(const char *path, struct spmu_error *err)
{
	FILE *f = fopen(path, "re");
	json_t *last = NULL;
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		spmu_fail(err, SPMU_ESYS, "cannot read '%s': %s", path, strerror(errno));
	else if (st.st_size <= (off_t)CLI_MOST_TOTALS)
		last = last_of(f);
	if (f && !json_is_array(json_object_get(last, "events"))) {
		spmu_fail(err, SPMU_EINVAL,
			  "'%s' is no report of softpmu stat --json, and no record", path);
		json_decref(last);
		last = NULL;
	}
	if (f)
		fclose(f);
	return last;
}

/* Half of the interval of an estimate; 0: there is none, or none that holds the value. */
static uint64_t half_of(const json_t *e, uint64_t value)
{
	const json_t *low = json_object_get(e, "low");

	if (!json_is_integer(low) || json_integer_value(low) < 0 ||
	    (uint64_t)json_integer_value(low) > value)
		return 0;
	return value - (uint64_t)json_integer_value(low);
}

/* Returns false when it is no event of a report. */
static bool take_event(struct rec_event *to, const json_t *e)
{
	const json_t *value = json_object_get(e, "value");
	const double n = json_number_value(value);
	const char *status = rec_text(e, "status");

	to->name = rec_text(e, "name");
	to->status = strcmp(status, "counted") ? status : "";
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		to->total = (uint64_t)json_integer_value(value);
	else if (json_is_real(value) && n >= 0 && n < (double)INT64_MAX)
		to->total = (uint64_t)llround(n);
	else if (!*to->status)
		return false;
	to->half = half_of(e, to->total);
	return *to->name && rec_is_plain(to->name) && *status;
}

static int take_events(struct rec *r, const char *path, struct spmu_error *err)
{
	const json_t *list = json_object_get(r->meta, "events");
	const size_t n = json_array_size(list);

	r->event = n <= REC_MOST_EVENTS ? calloc(n + 1, sizeof(*r->event)) : NULL;
	for (size_t i = 0; i < n && r->event; i++) {
		const json_t *e = json_array_get(list, i);

		if (!json_object_get(e, "code"))
			continue; /* a figure of the machine underneath */
		if (!take_event(&r->event[r->n_event++], e))
			return spmu_fail(err, SPMU_EINVAL, "'%s' is damaged: event %zu is no count",
					 path, i + 1);
	}
	if (!r->event || !r->n_event)
		return spmu_fail(err, SPMU_EINVAL, "'%s' has no counts to compare", path);
	return 0;
}

int cli_totals_open(const char *path, struct rec **out, struct spmu_error *err)
{
	struct rec *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for '%s'", path);
	r->meta = read_last(path, err);
	if (!r->meta) {
		rec_close(r);
		return -err->code;
	}
	json_object_set(r->meta, "command", json_object_get(r->meta, "program"));
	r->objects = json_object();
	r->times = json_object();
	rc = take_events(r, path, err);
	if (rc)
		rec_close(r);
	else
		*out = r;
	return rc;
}

const char *cli_totals_differ(const struct rec *old, const struct rec *new, char *out, size_t room)
{
	char text[RPT_DIFFERENCE_BYTES];

	if (!rpt_machines_differ(json_object_get(old->meta, "inputs"),
				 json_object_get(new->meta, "inputs"), text))
		return NULL;
	snprintf(out, room, "%s", text);
	return out;
}
