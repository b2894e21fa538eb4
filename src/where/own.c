/* own.c -- finds the program's own lines behind instructions and calls. Rules: own.h. */
#include "where/own.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "where/calls.h"
#include "where/startup.h"

/* What the sums need to know. */
struct own {
	struct whr_table *table;
	const struct rec *rec;
	struct nm *names;
	const char *root;
	const char *program; /* the last part of what was run */
};

static bool is_own_object(const struct own *o, const char *object)
{
	if (*object == '[')
		return false;
	return !nm_is_of_system(object, o->root) || !strcmp(text_last_part(object), o->program);
}

static bool is_own(const struct own *o, const struct nm_at *at)
{
	return at->file && at->line && !nm_is_of_system(at->file, o->root);
}

/* Is it a function of an own line, and not one of a library's templates? */
static bool is_own_function(const struct own *o, const char *object, uint64_t begin)
{
	const struct nm_at at = nm_find(o->names, object, begin, true);

	return is_own_object(o, object) && is_own(o, &at);
}

/* The own line that an instruction belongs to. Returns false when it belongs to none. */
static bool own_line(const struct own *o, const char *object, uint64_t offset, bool has_paths,
		     struct whr_row *out)
{
	struct nm_at at;

	if (!is_own_object(o, object))
		return false;
	at = nm_find(o->names, object, offset, true);
	if (!is_own(o, &at) || whr_is_startup(at.symbol ? at.symbol : "", object) ||
	    (has_paths && !is_own_function(o, object, at.begin)))
		return false;
	*out = (struct whr_row){.function = at.symbol ? at.symbol : "",
				.file = at.file,
				.line = at.line,
				.object = object,
				.process = ""};
	return true;
}

/* Instructions by their lines. With call paths those of own functions: others have callers. */
static int add_places(const struct own *o, const struct rec_process *p, bool has_paths)
{
	struct whr_row row;
	int rc = 0;

	for (uint32_t i = 0; i < p->n_place && !rc; i++)
		if (own_line(o, p->object[p->place[i].object], p->place[i].offset, has_paths, &row))
			rc = whr_add(o->table, &row, rec_counts(p, i));
	return rc;
}

/* The line that what context i counts belongs to: the nearest own line that called it. Returns
 * false when its own instructions say so, when there is none, and for start-up. */
static bool calling_line(const struct own *o, uint32_t process, uint32_t i, struct whr_row *out)
{
	const struct rec_paths *p = &o->rec->paths[process];
	const struct rec_context *c = &p->context[i];

	if (c->kind <= REC_PATH_DEEPER ||
	    is_own_function(o, p->object[c->entry.object], c->entry.offset) ||
	    whr_is_startup(whr_context_name(o->rec, process, i, o->names),
			   p->object[c->entry.object]))
		return false;
	for (; c->parent; c = &p->context[c->parent])
		if ((c->kind == REC_PATH_CALL || c->kind == REC_PATH_JUMP) &&
		    own_line(o, p->object[c->site.object], c->site.offset, true, out))
			return true;
	return false;
}

static int add_contexts(const struct own *o, uint32_t process)
{
	const struct rec_paths *p = &o->rec->paths[process];
	struct whr_row row;
	int rc = 0;

	for (uint32_t i = 1; i < p->n_context && !rc; i++)
		if (calling_line(o, process, i, &row))
			rc = whr_add(o->table, &row, rec_path_counts(p, i));
	return rc;
}

int whr_own_lines(struct whr_table *t, const struct rec *r, struct nm *names, const char *root)
{
	const char *command =
	    json_string_value(json_array_get(json_object_get(r->meta, "command"), 0));
	const struct own o = {t, r, names, root, text_last_part(command ? command : "")};
	int rc = 0;

	*t = (struct whr_table){.by = WHR_LINE, .n_event = r->n_event};
	nm_show_sites(names, root);
	for (uint32_t i = 0; i < r->n_process && !rc; i++) {
		if (r->process[i].n_event) /* or it has no replicates */
			rc = add_places(&o, &r->process[i], r->paths[i].n_context > 0);
		if (!rc && r->paths[i].n_context)
			rc = add_contexts(&o, i);
	}
	nm_show_sites(names, NULL);
	whr_settle(t);
	return rc;
}
