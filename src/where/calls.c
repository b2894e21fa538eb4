/* calls.c -- contexts summed by function and by call. Rules: calls.h. */
#include "where/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "record/jit.h"

#define FIRST_ROOM 256u
#define NO_SYMBOL  "[no symbol]"

bool whr_has_paths(const struct rec *r)
{
	for (uint32_t i = 0; i < r->n_process; i++)
		if (r->paths[i].n_context)
			return true;
	return false;
}

/* ---- functions and calls --------------------------------------------------------------------- */

static uint32_t hash_text(uint32_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193u;
	return (h ^ 0xff) * 0x01000193u;
}

static uint32_t hash_function(const struct whr_function *f)
{
	return hash_text(hash_text(0x811c9dc5u, f->function), f->object);
}

static uint32_t hash_call(const struct whr_call *c)
{
	uint32_t h = hash_text(c->line * 0x9e3779b1u, c->file);

	h = (h ^ c->caller) * 0x9e3779b1u;
	h = (h ^ h >> 15 ^ c->callee ^ (uint32_t)c->is_first << 31) * 0x9e3779b1u;
	return h ^ h >> 15;
}

static bool is_same_function(const struct whr_function *a, const struct whr_function *b)
{
	return !strcmp(a->function, b->function) && !strcmp(a->object, b->object);
}

static bool is_same_call(const struct whr_call *a, const struct whr_call *b)
{
	return a->caller == b->caller && a->callee == b->callee && a->line == b->line &&
	       a->is_first == b->is_first && !strcmp(a->file, b->file);
}

/* Twice the room of *p and of up to two arrays of counts. Returns false without memory. */
static bool grow(void *p, uint32_t *room, size_t size, uint32_t n_event, int64_t **a, int64_t **b)
{
	const uint32_t to = *room ? 2 * *room : FIRST_ROOM;
	const size_t bytes = (size_t)to * n_event * sizeof(int64_t) + 1;
	void *q = realloc(*(void **)p, to * size), *more;

	if (!q)
		return false;
	*(void **)p = q;
	more = realloc(*a, bytes);
	if (!more)
		return false;
	*a = more;
	more = b ? realloc(*b, bytes) : NULL;
	if (b && !more)
		return false;
	if (b)
		*b = more;
	*room = to;
	return true;
}

/* An index of twice the size; the caller puts in what there is. */
static bool grow_index(uint32_t **index, uint32_t *n)
{
	const uint32_t to = *n ? 2 * *n : 2 * FIRST_ROOM;
	uint32_t *p = calloc(to, sizeof(*p));

	if (!p)
		return false;
	free(*index);
	*index = p;
	*n = to;
	return true;
}

static void enter(uint32_t *index, uint32_t n, uint32_t hash, uint32_t number)
{
	uint32_t at = hash & (n - 1);

	while (index[at])
		at = (at + 1) & (n - 1);
	index[at] = 1 + number;
}

/* Number of the function, which is added when it is new; -1 without memory. */
static int64_t function_of(struct whr_calls *c, const struct whr_function *as)
{
	const uint32_t hash = hash_function(as), n = c->n_function;
	const size_t bytes = c->n_event * sizeof(int64_t);

	for (uint32_t at = hash & (c->n_index - 1); c->n_index && c->index[at];
	     at = (at + 1) & (c->n_index - 1))
		if (is_same_function(&c->function[c->index[at] - 1], as))
			return c->index[at] - 1;
	if (2 * n >= c->n_index) {
		if (!grow_index(&c->index, &c->n_index))
			return -1;
		for (uint32_t i = 0; i < n; i++)
			enter(c->index, c->n_index, hash_function(&c->function[i]), i);
	}
	if (n == c->room_function && !grow(&c->function, &c->room_function, sizeof(*c->function),
					   c->n_event, &c->self, &c->inclusive))
		return -1;
	c->function[n] = *as;
	memset(c->self + (size_t)n * c->n_event, 0, bytes);
	memset(c->inclusive + (size_t)n * c->n_event, 0, bytes);
	enter(c->index, c->n_index, hash, n);
	return c->n_function++;
}

/* As function_of(), of a call. */
static int64_t call_of(struct whr_calls *c, const struct whr_call *as)
{
	const uint32_t hash = hash_call(as), n = c->n_call;

	for (uint32_t at = hash & (c->n_call_index - 1); c->n_call_index && c->call_index[at];
	     at = (at + 1) & (c->n_call_index - 1))
		if (is_same_call(&c->call[c->call_index[at] - 1], as))
			return c->call_index[at] - 1;
	if (2 * n >= c->n_call_index) {
		if (!grow_index(&c->call_index, &c->n_call_index))
			return -1;
		for (uint32_t i = 0; i < n; i++)
			enter(c->call_index, c->n_call_index, hash_call(&c->call[i]), i);
	}
	if (n == c->room_call &&
	    !grow(&c->call, &c->room_call, sizeof(*c->call), c->n_event, &c->of_call, NULL))
		return -1;
	c->call[n] = *as;
	memset(c->of_call + (size_t)n * c->n_event, 0, c->n_event * sizeof(int64_t));
	enter(c->call_index, c->n_call_index, hash, n);
	return c->n_call++;
}

/* ---- contexts -------------------------------------------------------------------------------- */

const char *whr_place_name(const struct rec *r, uint32_t process, char *const *objects,
			   const struct rec_place *place, struct nm *names)
{
	const char *object = objects[place->object];
	const char *name = *object == '[' ? rec_jit_name(r, process, place->offset)
					  : nm_find(names, object, place->offset, false).function;

	return name ? name : NO_SYMBOL;
}

const char *whr_context_name(const struct rec *r, uint32_t process, uint32_t context,
			     struct nm *names)
{
	static const char *const special[] = {[REC_PATH_ROOT] = "[process]",
					      [REC_PATH_UNKNOWN] = "[unknown]",
					      [REC_PATH_DEEPER] = "[deeper]"};
	const struct rec_paths *p = &r->paths[process];
	const struct rec_context *of = &p->context[context];

	return of->kind <= REC_PATH_DEEPER
		   ? special[of->kind]
		   : whr_place_name(r, process, p->object, &of->entry, names);
}

static struct whr_function named(const struct whr_calls *c, uint32_t process, uint32_t context)
{
	const struct rec_paths *p = &c->rec->paths[process];
	const struct rec_context *of = &p->context[context];
	struct whr_function f = {.object = "",
				 .file = "",
				 .function = whr_context_name(c->rec, process, context, c->names)};
	struct nm_at at;

	if (of->kind <= REC_PATH_DEEPER)
		return f;
	f.object = p->object[of->entry.object];
	at = nm_find(c->names, f.object, of->entry.offset, c->has_lines);
	f.file = at.file ? at.file : "";
	f.line = at.file ? at.line : 0;
	return f;
}

/* Is function f that of a context above i? */
static bool is_below(const struct rec_paths *p, const uint32_t *function, uint32_t i, uint32_t f)
{
	while (i) {
		i = p->context[i].parent;
		if (i && function[i] == f)
			return true;
	}
	return false;
}

static void add(int64_t *to, const int64_t *from, uint32_t n)
{
	for (uint32_t e = 0; e < n; e++)
		to[e] = (int64_t)((uint64_t)to[e] + (uint64_t)from[e]);
}

/* Context i to its function's row and its call's; below: counts of it and of all below it. */
static int add_context(struct whr_calls *c, const struct rec_paths *p, const uint32_t *function,
		       uint32_t i, const int64_t *below)
{
	const struct rec_context *at = &p->context[i];
	const bool is_inside = is_below(p, function, i, function[i]);
	struct whr_call as = {.caller = function[at->parent],
			      .callee = function[i],
			      .file = "",
			      .is_first = !at->parent};
	int64_t call;

	c->function[function[i]].calls += at->calls;
	add(c->self + (size_t)function[i] * c->n_event, rec_path_counts(p, i), c->n_event);
	if (!is_inside)
		add(c->inclusive + (size_t)function[i] * c->n_event, below, c->n_event);
	if (!i)
		return 0;
	if (c->has_lines && at->parent &&
	    (at->kind == REC_PATH_CALL || at->kind == REC_PATH_JUMP)) {
		const struct nm_at line =
		    nm_find(c->names, p->object[at->site.object], at->site.offset, true);

		as.file = line.file ? line.file : "";
		as.line = line.file ? line.line : 0;
	}
	call = call_of(c, &as);
	if (call < 0)
		return -SPMU_ENOMEM;
	c->call[call].calls += at->calls;
	if (!is_inside)
		add(c->of_call + (size_t)call * c->n_event, below, c->n_event);
	return 0;
}

static int add_paths(struct whr_calls *c, uint32_t process)
{
	const struct rec_paths *p = &c->rec->paths[process];
	const uint32_t n = p->n_context;
	uint32_t *function = calloc(n + 1u, sizeof(*function));
	int64_t *below = calloc((size_t)n * c->n_event + 1, sizeof(*below));
	int rc = function && below ? 0 : -SPMU_ENOMEM;

	for (uint32_t i = n; i-- > 0 && !rc;) {
		add(below + (size_t)i * c->n_event, rec_path_counts(p, i), c->n_event);
		if (i)
			add(below + (size_t)p->context[i].parent * c->n_event,
			    below + (size_t)i * c->n_event, c->n_event);
	}
	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct whr_function f = named(c, process, i);
		const int64_t number = function_of(c, &f);

		function[i] = (uint32_t)number;
		rc = number < 0 ? -SPMU_ENOMEM : 0;
	}
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = add_context(c, p, function, i, below + (size_t)i * c->n_event);
	free(function);
	free(below);
	return rc;
}

int whr_calls_build(struct whr_calls *c, const struct rec *r, struct nm *names, bool has_lines)
{
	int rc = 0;

	*c = (struct whr_calls){
	    .n_event = r->n_event, .rec = r, .names = names, .has_lines = has_lines};
	for (uint32_t i = 0; i < r->n_process && !rc; i++)
		if (r->paths[i].n_context)
			rc = add_paths(c, i);
	for (uint32_t i = 0; i < c->n_function; i++) {
		c->function[i].self = c->self + (size_t)i * c->n_event;
		c->function[i].inclusive = c->inclusive + (size_t)i * c->n_event;
	}
	for (uint32_t i = 0; i < c->n_call; i++)
		c->call[i].inclusive = c->of_call + (size_t)i * c->n_event;
	return rc;
}

void whr_calls_free(struct whr_calls *c)
{
	free(c->function);
	free(c->call);
	free(c->self);
	free(c->inclusive);
	free(c->of_call);
	free(c->index);
	free(c->call_index);
	memset(c, 0, sizeof(*c));
}
