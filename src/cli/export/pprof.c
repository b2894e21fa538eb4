/* pprof.c -- softpmu export pprof: a profile.proto of github.com/google/pprof in gzip, for go tool
 * pprof. One sample type per event, whose values sum to the total; a sample per stack, labelled
 * with its process.
 *
 * RULE            a location is an instruction: that which calls, and of the innermost function
 *                 where it begins; without call paths the one that counted. Files lie one behind
 *                 the other in a made-up address space, by their offsets.
 * NOT MODELLED    inlined functions: a line is that of the innermost one, in the function that it
 *                 lies in. Times: two runs give one file.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/export/export.h"
#include "cli/export/gzip.h"
#include "cli/where/reader.h"
#include "record/bytes.h"

#define SPACE_LOG2 40 /* of a file's addresses */

/* Numbers of the fields, as in profile.proto. */
enum profile_field {
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	COMMENT = 13,
	DEFAULT_SAMPLE_TYPE
};
enum value_type_field { TYPE = 1, UNIT };
enum sample_field { LOCATION_ID = 1, VALUE, LABEL };
enum label_field { KEY = 1, STR };
enum mapping_field {
	MAPPING_ID = 1,
	MEMORY_START,
	MEMORY_LIMIT,
	FILENAME = 5,
	BUILD_ID,
	HAS_FUNCTIONS,
	HAS_FILENAMES,
	HAS_LINE_NUMBERS
};
enum location_field { LOCATION_NUMBER = 1, LOCATION_MAPPING, ADDRESS, LINE };
enum line_field { LINE_FUNCTION = 1, LINE_NUMBER };
enum function_field { FUNCTION_ID = 1, NAME, SYSTEM_NAME, FUNCTION_FILE };

enum wire_type { VARINT, BYTES = 2 };

struct profile {
	const struct cli_export *x;
	struct rec_bytes out;
	struct cli_texts strings, mappings, functions, locations;
	struct rec_bytes table; /* of strings, as fields */
};

/* ---- parts of a message ---------------------------------------------------------------------- */

static void put_number(struct rec_bytes *out, unsigned field, uint64_t n)
{
	rec_put_number(out, field << 3 | VARINT);
	rec_put_number(out, n);
}

static void put_bytes(struct rec_bytes *out, unsigned field, const void *bytes, size_t n)
{
	rec_put_number(out, field << 3 | BYTES);
	rec_put_number(out, n);
	rec_put(out, bytes, n);
}

/* The message is freed. */
static void put_message(struct rec_bytes *out, unsigned field, struct rec_bytes *message)
{
	put_bytes(out, field, message->at, message->n);
	out->is_lost |= message->is_lost;
	rec_bytes_free(message);
}

/* Is it UTF-8, which strings of a profile must be? */
static bool is_utf8(const char *text)
{
	json_t *value = json_string(text);
	const bool is = value != NULL;

	json_decref(value);
	return is;
}

/* Number of a string in the table, whose first one is "". */
static uint64_t string(struct profile *p, const char *text)
{
	char *plain = NULL;
	uint32_t number;
	bool is_new;

	if (!is_utf8(text)) {
		plain = strdup(text);
		for (char *c = plain; c && *c; c++)
			*c = *c & 0x80 ? '?' : *c;
		p->out.is_lost |= !plain;
	}
	number = cli_text_number(&p->strings, plain ? plain : text, &is_new);
	if (is_new)
		put_bytes(&p->table, STRING_TABLE, plain ? plain : text,
			  strlen(plain ? plain : text));
	free(plain);
	return number ? number - 1 : 0;
}

/* Number of what is called so in `of`, 0 without memory. */
static uint32_t number_of(struct profile *p, struct cli_texts *of, bool *is_new, const char *a,
			  const char *b, const char *c, uint64_t n)
{
	uint32_t number = 0;
	char *key;

	*is_new = false;
	if (asprintf(&key, "%s\n%s\n%s\n%" PRIu64, a, b, c, n) < 0) {
		p->out.is_lost = true;
		return 0;
	}
	number = cli_text_number(of, key, is_new);
	free(key);
	return number;
}

/* ---- what samples name ----------------------------------------------------------------------- */

static uint32_t mapping(struct profile *p, const char *object)
{
	const json_t *known = json_object_get(p->x->rec->objects, object);
	struct rec_bytes m = {0};
	bool is_new;
	const uint32_t number = cli_text_number(&p->mappings, object, &is_new);

	if (!is_new)
		return number;
	put_number(&m, MAPPING_ID, number);
	put_number(&m, MEMORY_START, (uint64_t)number << SPACE_LOG2);
	put_number(&m, MEMORY_LIMIT, (uint64_t)(number + 1) << SPACE_LOG2);
	put_number(&m, FILENAME, string(p, object));
	put_number(&m, BUILD_ID, string(p, rec_text(known, "build_id")));
	put_number(&m, HAS_FUNCTIONS, 1);
	put_number(&m, HAS_FILENAMES, 1);
	put_number(&m, HAS_LINE_NUMBERS, 1);
	put_message(&p->out, MAPPING, &m);
	return number;
}

static uint32_t function(struct profile *p, const char *name, const struct whr_spot *at)
{
	struct rec_bytes f = {0};
	bool is_new;
	const uint32_t number = number_of(p, &p->functions, &is_new, name, at->object, at->file, 0);

	if (!is_new)
		return number;
	put_number(&f, FUNCTION_ID, number);
	put_number(&f, NAME, string(p, name));
	put_number(&f, SYSTEM_NAME, string(p, name));
	put_number(&f, FUNCTION_FILE, string(p, at->file));
	put_message(&p->out, FUNCTION, &f);
	return number;
}

static uint32_t location(struct profile *p, const char *name, const struct whr_spot *at)
{
	const uint64_t within = (1ull << SPACE_LOG2) - 1;
	struct rec_bytes l = {0}, line = {0};
	bool is_new;
	const uint32_t number =
	    number_of(p, &p->locations, &is_new, name, at->object, at->file, at->offset);

	if (!is_new)
		return number;
	put_number(&l, LOCATION_NUMBER, number);
	if (*at->object) {
		const uint32_t of = mapping(p, at->object);

		put_number(&l, LOCATION_MAPPING, of);
		put_number(&l, ADDRESS, ((uint64_t)of << SPACE_LOG2) + (at->offset & within));
	}
	put_number(&line, LINE_FUNCTION, function(p, name, at));
	put_number(&line, LINE_NUMBER, at->line);
	put_message(&l, LINE, &line);
	put_message(&p->out, LOCATION, &l);
	return number;
}

/* pprof takes the first mapping for the program. */
static void put_program(struct profile *p)
{
	const struct rec *r = p->x->rec;
	const char *program = r->n_process ? r->process[0].program : "", *path;
	json_t *object;

	json_object_foreach(r->objects, path, object)
	{
		const char *slash = strrchr(path, '/');

		if (slash && !strcmp(slash + 1, program)) {
			mapping(p, path);
			return;
		}
	}
}

/* ---- samples --------------------------------------------------------------------------------- */

/* Innermost first. A caller stands where it calls. */
static void put_locations(struct profile *p, const struct whr_stacks *s, uint32_t i,
			  struct rec_bytes *sample)
{
	struct rec_bytes ids = {0};
	const struct whr_spot *at = &s->stack[i].at;

	for (; i != WHR_NOBODY; i = s->stack[i].caller) {
		rec_put_number(&ids, location(p, s->stack[i].function, at));
		at = *s->stack[i].site.object || s->stack[i].caller == WHR_NOBODY
			 ? &s->stack[i].site
			 : &s->stack[s->stack[i].caller].at;
	}
	put_message(sample, LOCATION_ID, &ids);
}

static void put_sample(struct profile *p, const struct whr_stacks *s, uint32_t i)
{
	const struct rec *r = p->x->rec;
	struct rec_bytes sample = {0}, values = {0}, label = {0};
	char process[256];
	bool is_any = false;

	for (uint32_t e = 0; e < r->n_event; e++)
		is_any |= !*r->event[e].status && s->stack[i].count[e];
	if (!is_any)
		return;
	put_locations(p, s, i, &sample);
	for (uint32_t e = 0; e < r->n_event; e++)
		if (!*r->event[e].status)
			rec_put_number(&values, (uint64_t)s->stack[i].count[e]);
	put_message(&sample, VALUE, &values);
	put_number(&label, KEY, string(p, "process"));
	put_number(&label, STR,
		   string(p, cli_process_name(r, s->stack[i].process, process, sizeof(process))));
	put_message(&sample, LABEL, &label);
	put_message(&p->out, SAMPLE, &sample);
}

static void put_head(struct profile *p)
{
	const struct rec *r = p->x->rec;
	char command[4096], estimates[CLI_ESTIMATES];

	string(p, "");
	for (uint32_t e = 0; e < r->n_event; e++) {
		struct rec_bytes type = {0};

		if (*r->event[e].status)
			continue;
		put_number(&type, TYPE, string(p, r->event[e].name));
		put_number(&type, UNIT, string(p, "count"));
		put_message(&p->out, SAMPLE_TYPE, &type);
	}
	put_number(&p->out, DEFAULT_SAMPLE_TYPE, string(p, r->event[p->x->event].name));
	put_number(&p->out, COMMENT, string(p, cli_record_command(r, command, sizeof(command))));
	put_number(&p->out, COMMENT, string(p, rec_text(r->meta, "cpu")));
	if (*cli_export_estimates(r, estimates))
		put_number(&p->out, COMMENT, string(p, estimates));
}

int cli_put_pprof(const struct cli_export *x, FILE *out)
{
	struct profile p = {.x = x};
	struct whr_stacks s;
	int rc = whr_stacks_build(&s, x->rec, x->names);

	if (!rc) {
		put_head(&p);
		put_program(&p);
		for (uint32_t i = 0; i < s.n; i++)
			put_sample(&p, &s, i);
		rec_put(&p.out, p.table.at, p.table.n);
		rc = p.out.is_lost || p.table.is_lost || p.strings.is_lost || p.mappings.is_lost ||
			     p.functions.is_lost || p.locations.is_lost
			 ? -SPMU_ENOMEM
			 : 0;
	}
	if (!rc)
		cli_put_gzip(p.out.at, p.out.n, out);
	cli_texts_free(&p.strings);
	cli_texts_free(&p.mappings);
	cli_texts_free(&p.functions);
	cli_texts_free(&p.locations);
	rec_bytes_free(&p.out);
	rec_bytes_free(&p.table);
	whr_stacks_free(&s);
	return rc;
}
