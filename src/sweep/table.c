/* table.c -- writes tables. Rules: table.h. */
#include "sweep/table.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/tags.h"

#define MOST_COLUMNS 256u

struct table {
	const struct swp_results *r;
	char *tag[MOST_COLUMNS]; /* names, in order; owned */
	size_t n_tag;
	uint32_t *event; /* numbers, in order; owned */
};

/* ---- columns --------------------------------------------------------------------------------- */

static int by_order(const void *a, const void *b)
{
	return swp_tag_order(*(char *const *)a, *(char *const *)b);
}

static int add_column(struct table *t, const struct swp_span *name)
{
	for (size_t i = 0; i < t->n_tag; i++)
		if (strlen(t->tag[i]) == name->n && !memcmp(t->tag[i], name->at, name->n))
			return 0;
	if (t->n_tag == MOST_COLUMNS)
		return 0;
	t->tag[t->n_tag] = strndup(name->at, name->n);
	return t->tag[t->n_tag++] ? 0 : -SPMU_ENOMEM;
}

static int by_place(const void *a, const void *b, void *of)
{
	const struct swp_results *r = of;
	const struct swp_event *x = &r->event[*(const uint32_t *)a],
			       *y = &r->event[*(const uint32_t *)b];

	return x->at != y->at ? (x->at < y->at ? -1 : 1) : strcmp(x->name, y->name);
}

static int open_table(struct table *t, const struct swp_results *r)
{
	struct swp_span name, value;
	int rc = 0;

	memset(t, 0, sizeof(*t));
	t->r = r;
	t->event = malloc((r->n_event + 1) * sizeof(*t->event));
	if (!t->event)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < r->n_event; i++)
		t->event[i] = i;
	qsort_r(t->event, r->n_event, sizeof(*t->event), by_place, (void *)(uintptr_t)r);
	for (size_t i = 0; i < r->n; i++)
		for (const char *at = r->row[i].tags;
		     !rc && r->row[i].state == SWP_USED && swp_tags_next(&at, &name, &value);)
			rc = add_column(t, &name);
	if (!rc)
		qsort(t->tag, t->n_tag, sizeof(*t->tag), by_order);
	return rc;
}

static void close_table(struct table *t)
{
	for (size_t i = 0; i < t->n_tag; i++)
		free(t->tag[i]);
	free(t->event);
}

/* The value of a row's tag; empty where it has none. */
static struct swp_span value_of(const struct swp_row *row, const char *tag)
{
	struct swp_span name, value;

	for (const char *at = row->tags; swp_tags_next(&at, &name, &value);)
		if (strlen(tag) == name.n && !memcmp(tag, name.at, name.n))
			return value;
	return (struct swp_span){"", 0};
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* A field as RFC 4180 has it. */
static void put_field(const char *at, size_t n, FILE *out)
{
	if (!memchr(at, ',', n) && !memchr(at, '"', n)) {
		fwrite(at, 1, n, out);
		return;
	}
	fputc('"', out);
	for (size_t i = 0; i < n; i++) {
		if (at[i] == '"')
			fputc('"', out);
		fputc(at[i], out);
	}
	fputc('"', out);
}

static void put_csv_row(const struct table *t, const struct swp_row *row, FILE *out)
{
	for (size_t i = 0; i < t->n_tag; i++) {
		const struct swp_span value = value_of(row, t->tag[i]);

		put_field(value.at, value.n, out);
		fputc(',', out);
	}
	for (uint32_t i = 0; i < t->r->n_event; i++) {
		const uint64_t count = swp_count(row, t->event[i]);

		if (count != SWP_NO_COUNT)
			fprintf(out, "%" PRIu64, count);
		fputc(',', out);
	}
	fprintf(out, "%" PRIu64 ",%016" PRIx64 ",", row->instructions, row->input_digest);
	put_field(t->r->version[row->version], strlen(t->r->version[row->version]), out);
	fputc('\n', out);
}

int swp_table_csv(const struct swp_results *r, FILE *out)
{
	struct table t;
	const int rc = open_table(&t, r);

	for (size_t i = 0; i < t.n_tag && !rc; i++) {
		put_field(t.tag[i], strlen(t.tag[i]), out);
		fputc(',', out);
	}
	for (uint32_t i = 0; i < r->n_event && !rc; i++) {
		const char *name = r->event[t.event[i]].name;

		put_field(name, strlen(name), out);
		fputc(',', out);
	}
	if (!rc)
		fprintf(out, "run_instructions,input_digest,softpmu\n");
	for (size_t i = 0; i < r->n && !rc; i++)
		if (r->row[i].state == SWP_USED)
			put_csv_row(&t, &r->row[i], out);
	close_table(&t);
	return rc;
}

static json_t *json_row(const struct table *t, const struct swp_row *row)
{
	json_t *o = json_object(), *tags = json_object(), *counts = json_object();
	char digest[20];

	for (size_t i = 0; i < t->n_tag; i++) {
		const struct swp_span value = value_of(row, t->tag[i]);

		json_object_set_new(tags, t->tag[i], json_stringn(value.at, value.n));
	}
	for (uint32_t i = 0; i < t->r->n_event; i++) {
		const uint64_t count = swp_count(row, t->event[i]);

		json_object_set_new(counts, t->r->event[t->event[i]].name,
				    count == SWP_NO_COUNT ? json_null()
							  : json_integer((json_int_t)count));
	}
	snprintf(digest, sizeof(digest), "%016" PRIx64, row->input_digest);
	json_object_set_new(o, "tags", tags);
	json_object_set_new(o, "counts", counts);
	json_object_set_new(o, "instructions", json_integer((json_int_t)row->instructions));
	json_object_set_new(o, "input_digest", json_string(digest));
	json_object_set_new(o, "version", json_string(t->r->version[row->version]));
	return o;
}

int swp_table_json(const struct swp_results *r, FILE *out)
{
	struct table t;
	int rc = open_table(&t, r);
	bool is_first = true;

	fputs("{\"schema\": 1, \"rows\": [", out);
	for (size_t i = 0; i < r->n && !rc; i++) {
		json_t *row;

		if (r->row[i].state != SWP_USED)
			continue;
		row = json_row(&t, &r->row[i]);
		fputs(is_first ? "\n" : ",\n", out);
		rc = json_dumpf(row, out, JSON_COMPACT) ? -SPMU_ENOMEM : 0;
		json_decref(row);
		is_first = false;
	}
	fputs("\n]}\n", out);
	close_table(&t);
	return rc;
}
