/* callgrind.c -- softpmu export callgrind: version 1 of the format, positions by line.
 *
 * Names are numbered at their first use, as Callgrind does, because a name may begin with "(", and
 * because KCachegrind takes one number for one function. A file that is not known is "???". Lines
 * of functions that were inlined stand in their function under their own file (fi=). A call's line
 * has what was counted in the call; a recursive call has no counts, as these are the outer call's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/export/export.h"
#include "cli/where/reader.h"
#include "where/calls.h"

struct out {
	const struct rec *rec;
	FILE *file;
	struct cli_texts object, source, function;
};

/* "fn=(3) main", and from the second time on "fn=(3)", of the name that is known as `as`. */
static void put_known(struct out *o, const char *key, struct cli_texts *names, const char *as,
		      const char *name)
{
	bool is_new;
	const uint32_t number = cli_text_number(names, as, &is_new);

	if (is_new)
		fprintf(o->file, "%s=(%" PRIu32 ") %s\n", key, number, name);
	else
		fprintf(o->file, "%s=(%" PRIu32 ")\n", key, number);
}

static void put_name(struct out *o, const char *key, struct cli_texts *names, const char *name)
{
	put_known(o, key, names, name, name);
}

/* Functions of one name in two files are two. */
static void put_function_name(struct out *o, const char *key, const struct whr_function *f)
{
	char *as;

	if (asprintf(&as, "%s\n%s", f->function, f->object) < 0) {
		o->function.is_lost = true;
		return;
	}
	put_known(o, key, &o->function, as, f->function);
	free(as);
}

static void put_counts(struct out *o, const int64_t *count)
{
	for (uint32_t e = 0; e < o->rec->n_event; e++)
		if (!*o->rec->event[e].status)
			fprintf(o->file, " %" PRId64, count[e]);
	fputc('\n', o->file);
}

static const char *file_name(const char *file)
{
	return *file ? file : "???";
}

/* ---- order ----------------------------------------------------------------------------------- */

static int by_function(const void *a, const void *b)
{
	const struct whr_row *s = a, *t = b;
	int order = strcmp(s->object, t->object);

	order = order ? order : strcmp(s->function, t->function);
	order = order ? order : strcmp(s->file, t->file);
	return order ? order : s->line < t->line ? -1 : s->line > t->line;
}

static int compare_functions(const struct whr_function *f, const struct whr_function *g)
{
	const int order = strcmp(f->object, g->object);

	return order ? order : strcmp(f->function, g->function);
}

static int by_caller(const void *a, const void *b, void *calls)
{
	const struct whr_call *s = a, *t = b;
	const struct whr_function *f = ((struct whr_calls *)calls)->function;
	int order = compare_functions(&f[s->caller], &f[t->caller]);

	order = order ? order : strcmp(s->file, t->file);
	order = order ? order : s->line < t->line ? -1 : s->line > t->line;
	return order ? order : compare_functions(&f[s->callee], &f[t->callee]);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* One function: its lines row[0..n), and its calls call[0..n_call). */
static void put_function(struct out *o, const struct whr_function *f, const struct whr_row *row,
			 size_t n, const struct whr_calls *c, const struct whr_call *call,
			 size_t n_call)
{
	const char *file = f->file;

	fputc('\n', o->file);
	put_name(o, "ob", &o->object, *f->object ? f->object : "???");
	put_name(o, "fl", &o->source, file_name(file));
	put_function_name(o, "fn", f);
	for (size_t i = 0; i < n; i++) {
		if (strcmp(file, row[i].file))
			put_name(o, "fi", &o->source, file_name(row[i].file));
		file = row[i].file;
		fprintf(o->file, "%u", row[i].line);
		put_counts(o, row[i].count);
	}
	if (n_call && strcmp(file, f->file))
		put_name(o, "fe", &o->source, file_name(f->file));
	for (size_t i = 0; i < n_call; i++) {
		const struct whr_function *to = &c->function[call[i].callee];

		put_name(o, "cob", &o->object, *to->object ? to->object : "???");
		put_name(o, "cfi", &o->source, file_name(to->file));
		put_function_name(o, "cfn", to);
		fprintf(o->file, "calls=%" PRIu64 " %u\n%u", call[i].calls, to->line,
			strcmp(call[i].file, f->file) ? 0 : call[i].line);
		put_counts(o, call[i].inclusive);
	}
}

static void put_head(struct out *o)
{
	char command[4096], estimates[CLI_ESTIMATES];

	fprintf(o->file, "# callgrind format\nversion: 1\ncreator: softpmu record\ncmd: %s\n",
		cli_record_command(o->rec, command, sizeof(command)));
	fprintf(o->file, "desc: Processor: %s\n", rec_text(o->rec->meta, "cpu"));
	if (*cli_export_estimates(o->rec, estimates))
		fprintf(o->file, "desc: Note: %s\n", estimates);
	fputs("positions: line\nevents:", o->file);
	for (uint32_t e = 0; e < o->rec->n_event; e++)
		if (!*o->rec->event[e].status)
			fprintf(o->file, " %s", o->rec->event[e].name);
	fprintf(o->file, "\nsummary:");
	for (uint32_t e = 0; e < o->rec->n_event; e++)
		if (!*o->rec->event[e].status)
			fprintf(o->file, " %" PRIu64, o->rec->event[e].total);
	fputc('\n', o->file);
}

/* The function of c that the row is of, or one made of the row. */
static struct whr_function function_of(const struct whr_calls *c, const struct whr_row *row)
{
	const struct whr_function as = {
	    .function = row->function, .object = row->object, .file = row->file};

	for (uint32_t i = 0; i < c->n_function; i++)
		if (!compare_functions(&c->function[i], &as))
			return c->function[i];
	return as;
}

/* Rows and calls are sorted alike: go through both. */
static void put_functions(struct out *o, const struct whr_table *t, const struct whr_calls *c)
{
	size_t i = 0, k = 0;

	while (i < t->n || k < c->n_call) {
		const struct whr_function *caller =
		    k < c->n_call ? &c->function[c->call[k].caller] : NULL;
		struct whr_function f = i < t->n ? function_of(c, &t->row[i]) : *caller;
		size_t n = 0, n_call = 0;

		if (caller && compare_functions(caller, &f) < 0)
			f = *caller;
		while (i + n < t->n && !strcmp(t->row[i + n].object, f.object) &&
		       !strcmp(t->row[i + n].function, f.function))
			n++;
		while (k + n_call < c->n_call &&
		       !compare_functions(&c->function[c->call[k + n_call].caller], &f))
			n_call++;
		put_function(o, &f, t->row + i, n, c, c->call + k, n_call);
		i += n;
		k += n_call;
	}
}

/* Calls without a known caller are left out. */
static void drop_first(struct whr_calls *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_call; i++)
		if (!c->call[i].is_first)
			c->call[n++] = c->call[i];
	c->n_call = n;
}

static int put(const struct cli_export *x, struct whr_table *t, struct whr_calls *c, FILE *out)
{
	struct out o = {.rec = x->rec, .file = out};
	bool is_lost;

	drop_first(c);
	qsort(t->row, t->n, sizeof(*t->row), by_function);
	qsort_r(c->call, c->n_call, sizeof(*c->call), by_caller, c);
	put_head(&o);
	put_functions(&o, t, c);
	is_lost = o.object.is_lost || o.source.is_lost || o.function.is_lost;
	cli_texts_free(&o.object);
	cli_texts_free(&o.source);
	cli_texts_free(&o.function);
	return is_lost ? -SPMU_ENOMEM : 0;
}

int cli_put_callgrind(const struct cli_export *x, FILE *out)
{
	struct whr_table table = {0};
	struct whr_calls calls = {0};
	const char *changed;
	int rc = whr_build(&table, x->rec, x->names, WHR_LINE, &changed);

	rc = rc ? rc : whr_calls_build(&calls, x->rec, x->names, true);
	rc = rc ? rc : put(x, &table, &calls, out);
	whr_calls_free(&calls);
	whr_free(&table);
	return rc;
}
