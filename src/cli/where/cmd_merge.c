/* cmd_merge.c -- softpmu merge: records of several runs on one machine as one record, whose counts
 * are their sums.
 *
 * RULES   the machine, its settings and the events are the same, and of a file that several runs
 *         executed all had the same contents. Processes stay apart: the first part of their birth
 *         is counted on from file to file. Estimates (record --clocks sampled) stay ones: halves of
 *         intervals add up, because runs of one program err alike.
 * TRUST   each file is read as any record is (record/file.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/where/reader.h"
#include "cli/options.h"
#include "cli/where/diff.h"
#include "report/json.h"

#define NOT_COMPARABLE 2
#define MOST_FILES     1024u

struct merge {
	const char *file[MOST_FILES];
	unsigned n_file;
	const char *output;
	struct rec *first; /* owned */
	struct rec_out out;
	json_t *objects, *jit, *meta; /* owned */
	unsigned long n_birth;	      /* first parts of births so far */
};

/* The process's birth in the new record, owned by the caller; *most: the largest first part. */
static char *next_birth(const struct merge *m, const char *birth, unsigned long *most)
{
	char *rest, *text = NULL;
	const unsigned long first = strtoul(birth, &rest, 10);

	*most = first > *most ? first : *most;
	return asprintf(&text, "%lu%s", m->n_birth + first, rest) < 0 ? NULL : text;
}

/* A section of the counts of p, which is called `birth` now. */
static void put_counts(struct merge *m, const char *section, const struct rec_process *p,
		       char *birth)
{
	struct rec_bytes bytes = {NULL, 0, 0, false};
	struct rec_process named = *p;
	const int64_t **row = rec_process_rows(p);

	named.birth = birth;
	if (birth && row)
		rec_process_put(&bytes, &named, row);
	if (!birth || !row || bytes.is_lost)
		m->out.bytes.is_lost = true;
	else
		rec_out_section(&m->out, section, bytes.at, bytes.n);
	rec_bytes_free(&bytes);
	free(row);
}

static void put_processes(struct merge *m, const struct rec *r)
{
	unsigned long most = 0;

	for (uint32_t i = 0; i < r->n_process; i++) {
		const struct rec_process *p = &r->process[i];
		json_t *names = json_object_get(r->jit_names, p->birth);
		char *birth = next_birth(m, p->birth, &most);

		put_counts(m, "process", p, birth);
		if (r->replicas[i].n_event)
			put_counts(m, "replicas", &r->replicas[i], birth);
		if (names && birth)
			json_object_set(m->jit, birth, names);
		free(birth);
	}
	m->n_birth += most < 1000000 ? most : 1;
}

/* Returns 0, or an exit code after a message. */
static int put_objects(struct merge *m, const struct rec *r, const char *path)
{
	const char *name;
	json_t *is;

	json_object_foreach(r->objects, name, is)
	{
		const json_t *was = json_object_get(m->objects, name);

		if (was && !json_equal(was, is)) {
			cli_fail("merge: %s is another file in '%s' than in the records before it; "
				 "record all with the same programs and libraries",
				 name, path);
			return NOT_COMPARABLE;
		}
		json_object_set(m->objects, name, is);
	}
	return 0;
}

/* Add half of the interval of r's event to that of `to`, where it is an estimate. */
static void add_half(json_t *to, const struct rec_event *e)
{
	uint64_t half = (uint64_t)json_integer_value(json_object_get(to, "half"));

	if (!e->half)
		return;
	half =
	    half < WHR_NO_INTERVAL && e->half < WHR_NO_INTERVAL ? half + e->half : WHR_NO_INTERVAL;
	json_object_set_new(to, "half", json_integer((json_int_t)half));
	if (e->has_replicates)
		json_object_set_new(to, "replicates", json_integer(REC_REPLICATES));
}

/* Add the totals of r. */
static void add_totals(struct merge *m, const struct rec *r)
{
	json_t *events = json_object_get(m->meta, "events");
	const json_int_t instructions =
	    json_integer_value(json_object_get(m->meta, "instructions")) +
	    json_integer_value(json_object_get(r->meta, "instructions"));

	json_object_set_new(m->meta, "instructions", json_integer(instructions));
	for (uint32_t e = 0; e < r->n_event; e++) {
		json_t *one = json_array_get(events, e);
		const json_int_t was = json_integer_value(json_object_get(one, "total"));

		json_object_set_new(one, "total",
				    json_integer(was + (json_int_t)r->event[e].total));
		add_half(one, &r->event[e]);
	}
	for (unsigned i = 0; i < 2; i++) {
		const char *key = i ? "interrupted" : "trouble";

		if (!json_object_get(m->meta, key) && json_object_get(r->meta, key))
			json_object_set(m->meta, key, json_object_get(r->meta, key));
	}
}

/* Returns 0, or an exit code after a message. */
static int add(struct merge *m, const char *path)
{
	struct rec *r = NULL;
	struct spmu_error err;
	int code;

	if (rec_open(path, &r, &err))
		return cli_complain(&err);
	code = m->first ? cli_records_compare("merge", m->first, r, CLI_RECORDS_ALIKE) : 0;
	code = code ? code : put_objects(m, r, path);
	if (!code && m->first)
		add_totals(m, r);
	if (!code)
		put_processes(m, r);
	if (!m->first) {
		m->first = r;
		m->meta = json_deep_copy(r->meta);
	} else {
		rec_close(r);
	}
	return code;
}

/* The sections in the order that a record has: processes were put before their meta. */
static int save_record(struct merge *m)
{
	struct rec_out out = {0};
	struct spmu_error err = {0};
	int rc;

	rec_out_json(&out, "meta", json_incref(m->meta));
	rec_out_append(&out, &m->out);
	rec_out_json(&out, "objects", json_incref(m->objects));
	if (json_object_size(m->jit))
		rec_out_json(&out, "jit", json_incref(m->jit));
	rec_out_json(&out, "times", json_incref(m->first->times));
	rc = rec_out_save(&out, m->output, &err);
	rec_out_free(&out);
	return rc ? cli_complain(&err) : 0;
}

static int merge(struct merge *m)
{
	int code = 0;

	m->objects = json_object();
	m->jit = json_object();
	for (unsigned i = 0; i < m->n_file && !code; i++)
		code = add(m, m->file[i]);
	code = code ? code : save_record(m);
	rec_out_free(&m->out);
	json_decref(m->objects);
	json_decref(m->jit);
	json_decref(m->meta);
	rec_close(m->first);
	return code;
}

int cmd_merge(int argc, char **argv)
{
	struct merge *m = calloc(1, sizeof(*m));
	const char *value;
	int option, code = m ? 0 : cli_fail("out of memory for the record");

	while (!code) {
		option = cli_next_option(argc, argv, 'G', &value);
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option == OPT_help) {
			free(m);
			return cli_help(argv[0], option);
		}
		if (option < 0) {
			code = CLI_FAILED;
		} else if (option == OPT_export_file) {
			m->output = value;
		} else if (m->n_file == MOST_FILES) {
			code = cli_fail("merge: %u records are the most", MOST_FILES);
		} else {
			m->file[m->n_file++] = argv[cli_first_argument()];
			cli_skip_argument();
		}
	}
	if (!code && (m->n_file < 2 || !m->output))
		code = cli_fail("merge: write softpmu merge FILE FILE... -o OUT");
	code = code ? code : merge(m);
	free(m);
	return code;
}
