/* export_callgrind.c -- softpmu export callgrind: version 1 of the format, positions by line.
 *
 * Names are numbered at their first use, as Callgrind does, because a name may begin with "(". A
 * file that is not known is "???". Lines of functions that were inlined stand in their function
 * under their own file (fi=). A call's line has what was counted in the call; a recursive call has
 * no counts, as these are the outer call's.
 */
#include "cli/where/export_callgrind.h"

#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/where/reader.h"

/* Names of one kind that have a number. */
struct names {
	void *root; /* of tsearch(3) */
	unsigned n;
};

struct named {
	const char *name;
	unsigned number;
};

struct out {
	const struct rec *rec;
	FILE *file;
	struct names object, source, function;
	bool is_lost; /* memory was out */
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* "fn=(3) main", and from the second time on "fn=(3)". */
static void put_name(struct out *o, const char *key, struct names *names, const char *name)
{
	struct named *n = malloc(sizeof(*n)), **found;

	o->is_lost |= !n;
	if (!n)
		return;
	*n = (struct named){name, names->n + 1};
	found = tsearch(n, &names->root, by_text);
	if (found && *found == n) {
		names->n++;
		fprintf(o->file, "%s=(%u) %s\n", key, n->number, name);
		return;
	}
	free(n);
	o->is_lost |= !found;
	if (found)
		fprintf(o->file, "%s=(%u)\n", key, (*found)->number);
}

static void free_names(struct names *names)
{
	tdestroy(names->root, free);
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

static int compare(const struct whr_function *f, const struct whr_function *g)
{
	const int order = strcmp(f->object, g->object);

	return order ? order : strcmp(f->function, g->function);
}

static int by_caller(const void *a, const void *b, void *calls)
{
	const struct whr_call *s = a, *t = b;
	const struct whr_function *f = ((struct whr_calls *)calls)->function;
	int order = compare(&f[s->caller], &f[t->caller]);

	order = order ? order : strcmp(s->file, t->file);
	order = order ? order : s->line < t->line ? -1 : s->line > t->line;
	return order ? order : compare(&f[s->callee], &f[t->callee]);
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
	put_name(o, "fn", &o->function, f->function);
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
		put_name(o, "cfn", &o->function, to->function);
		fprintf(o->file, "calls=%" PRIu64 " %u\n%u", call[i].calls, to->line,
			strcmp(call[i].file, f->file) ? 0 : call[i].line);
		put_counts(o, call[i].inclusive);
	}
}

static void put_head(struct out *o)
{
	char command[4096];

	fprintf(o->file, "# callgrind format\nversion: 1\ncreator: softpmu record\ncmd: %s\n",
		cli_record_command(o->rec, command, sizeof(command)));
	fprintf(o->file,
		"desc: Processor: %s\npositions: line\nevents:", rec_text(o->rec->meta, "cpu"));
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
		if (!compare(&c->function[i], &as))
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

		if (caller && compare(caller, &f) < 0)
			f = *caller;
		while (i + n < t->n && !strcmp(t->row[i + n].object, f.object) &&
		       !strcmp(t->row[i + n].function, f.function))
			n++;
		while (k + n_call < c->n_call &&
		       !compare(&c->function[c->call[k + n_call].caller], &f))
			n_call++;
		put_function(o, &f, t->row + i, n, c, c->call + k, n_call);
		i += n;
		k += n_call;
	}
}

/* Calls by nobody are left out. */
static void drop_first(struct whr_calls *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->n_call; i++)
		if (!c->call[i].is_first)
			c->call[n++] = c->call[i];
	c->n_call = n;
}

int cli_put_callgrind(const struct rec *r, struct whr_table *t, struct whr_calls *c, FILE *out)
{
	struct out o = {.rec = r, .file = out};

	drop_first(c);
	qsort(t->row, t->n, sizeof(*t->row), by_function);
	qsort_r(c->call, c->n_call, sizeof(*c->call), by_caller, c);
	put_head(&o);
	put_functions(&o, t, c);
	free_names(&o.object);
	free_names(&o.source);
	free_names(&o.function);
	return o.is_lost ? -SPMU_ENOMEM : 0;
}
