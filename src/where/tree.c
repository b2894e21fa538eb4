/* tree.c -- contexts as a tree of functions. Rules: tree.h. */
#include "where/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_ROOM 1024u
#define MOST_NAME  4096

/* ---- nodes ----------------------------------------------------------------------------------- */

static uint32_t hash_text(uint32_t h, const char *s)
{
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193u;
	return (h ^ 0xff) * 0x01000193u;
}

static uint32_t hash_node(uint32_t parent, const char *function, const char *object)
{
	const uint32_t h = hash_text(hash_text(parent * 0x9e3779b1u, function), object);

	return h ^ h >> 15;
}

static void enter(struct whr_tree *t, uint32_t node)
{
	const struct whr_node *n = &t->node[node];
	uint32_t at = hash_node(n->parent, n->function, n->object) & (t->n_index - 1);

	while (t->index[at])
		at = (at + 1) & (t->n_index - 1);
	t->index[at] = 1 + node;
}

/* Room for one node more, and an index that is at most half full. */
static bool make_room(struct whr_tree *t)
{
	const uint32_t to = t->room ? 2 * t->room : FIRST_ROOM;
	struct whr_node *node;
	uint32_t *index;

	if (t->n < t->room)
		return true;
	node = realloc(t->node, to * sizeof(*node));
	if (!node)
		return false;
	t->node = node;
	index = calloc(2 * (size_t)to, sizeof(*index));
	if (!index)
		return false;
	free(t->index);
	t->index = index;
	t->n_index = 2 * to;
	t->room = to;
	for (uint32_t i = 0; i < t->n; i++)
		enter(t, i);
	return true;
}

/* The node of a function below parent, which is added when it is new; -1 without memory. */
static int64_t node_of(struct whr_tree *t, uint32_t parent, const char *function,
		       const char *object)
{
	if (!make_room(t))
		return -1;
	for (uint32_t at = hash_node(parent, function, object) & (t->n_index - 1); t->index[at];
	     at = (at + 1) & (t->n_index - 1)) {
		const struct whr_node *n = &t->node[t->index[at] - 1];

		if (n->parent == parent && !strcmp(n->function, function) &&
		    !strcmp(n->object, object))
			return t->index[at] - 1;
	}
	t->node[t->n] = (struct whr_node){.function = function, .object = object, .parent = parent};
	if (t->n) {
		t->node[t->n].next = t->node[parent].child;
		t->node[parent].child = t->n;
	}
	enter(t, t->n);
	return t->n++;
}

/* ---- records --------------------------------------------------------------------------------- */

static void add_counts(struct whr_tree *t, uint32_t node, bool is_old, const int64_t *count)
{
	for (unsigned i = 0; i < t->n_event; i++)
		t->node[node].count[is_old][i] += count[t->event[i]];
}

/* A text that lives as long as the tree; NULL without memory. */
static const char *keep(struct whr_tree *t, const char *text)
{
	char **more = realloc(t->text, (t->n_text + 1) * sizeof(*more));

	if (!more)
		return NULL;
	t->text = more;
	t->text[t->n_text] = strdup(text);
	return t->text[t->n_text] ? t->text[t->n_text++] : NULL;
}

/* The node under which a process has its contexts; -1 without memory. */
static int64_t process_node(struct whr_tree *t, const struct rec *r, uint32_t process)
{
	char name[MOST_NAME];
	const char *kept;

	if (r->n_process < 2)
		return 0;
	snprintf(name, sizeof(name), "process %s %s", r->process[process].birth,
		 r->process[process].program);
	kept = keep(t, name);
	return kept ? node_of(t, 0, kept, "") : -1;
}

struct adding {
	const struct rec *rec;
	struct nm *names;
	bool is_old;
	whr_rename rename;
	void *to;
};

static int add_paths(struct whr_tree *t, const struct adding *a, uint32_t process, uint32_t root)
{
	const struct rec_paths *p = &a->rec->paths[process];
	uint32_t *node = calloc(p->n_context + 1u, sizeof(*node));

	if (!node)
		return -SPMU_ENOMEM;
	node[0] = root;
	add_counts(t, root, a->is_old, rec_path_counts(p, 0));
	for (uint32_t i = 1; i < p->n_context; i++) {
		const struct rec_context *c = &p->context[i];
		const char *function, *object;
		int64_t at;

		if (c->to != i) { /* a recursive call: it has no counts */
			node[i] = node[c->to];
			continue;
		}
		function = whr_context_name(a->rec, process, i, a->names);
		object = c->kind > REC_PATH_DEEPER ? p->object[c->entry.object] : "";
		if (a->rename)
			a->rename(a->to, &function, &object);
		at = node_of(t, node[c->parent], function, object);
		if (at < 0) {
			free(node);
			return -SPMU_ENOMEM;
		}
		node[i] = (uint32_t)at;
		add_counts(t, node[i], a->is_old, rec_path_counts(p, i));
	}
	free(node);
	return 0;
}

/* Own counts become those with all below. The root's are the totals, so what it has besides is the
 * machine's. */
static int sum_up(struct whr_tree *t, const struct rec *r, bool is_old)
{
	const int64_t machine = node_of(t, 0, "[machine]", "");

	if (machine < 0)
		return -SPMU_ENOMEM;
	for (uint32_t i = t->n; i-- > 1;)
		for (unsigned e = 0; e < t->n_event; e++)
			t->node[t->node[i].parent].count[is_old][e] += t->node[i].count[is_old][e];
	for (unsigned e = 0; e < t->n_event; e++) {
		const int64_t total = (int64_t)r->event[t->event[e]].total;

		t->node[machine].count[is_old][e] = total - t->node[0].count[is_old][e];
		t->node[0].count[is_old][e] = total;
	}
	return 0;
}

int whr_tree_add(struct whr_tree *t, const struct rec *r, struct nm *names, bool is_old,
		 whr_rename rename, void *to)
{
	const struct adding a = {r, names, is_old, rename, to};

	if (!t->n && node_of(t, 0, "", "") < 0)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < r->n_process; i++) {
		const int64_t root = process_node(t, r, i);

		if (root < 0 || (r->paths[i].n_context && add_paths(t, &a, i, (uint32_t)root)))
			return -SPMU_ENOMEM;
	}
	return sum_up(t, r, is_old);
}

/* ---- order ----------------------------------------------------------------------------------- */

static int by_count(const void *a, const void *b)
{
	const struct whr_node *const *s = a, *const *t = b;
	const int64_t n = (*s)->count[0][0] + (*s)->count[1][0],
		      m = (*t)->count[0][0] + (*t)->count[1][0];

	const int order = n < m ? 1 : n > m ? -1 : strcmp((*s)->function, (*t)->function);

	return order ? order : strcmp((*s)->object, (*t)->object);
}

int whr_tree_sort(struct whr_tree *t)
{
	struct whr_node **list = calloc(t->n + 1u, sizeof(*list));

	if (!list)
		return -SPMU_ENOMEM;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t n = 0;

		for (uint32_t c = t->node[i].child; c; c = t->node[c].next)
			list[n++] = &t->node[c];
		qsort(list, n, sizeof(*list), by_count);
		t->node[i].child = n ? (uint32_t)(list[0] - t->node) : 0;
		for (uint32_t k = 0; k < n; k++)
			list[k]->next = k + 1 < n ? (uint32_t)(list[k + 1] - t->node) : 0;
	}
	free(list);
	return 0;
}

void whr_tree_free(struct whr_tree *t)
{
	for (uint32_t i = 0; i < t->n_text; i++)
		free(t->text[i]);
	free(t->text);
	free(t->node);
	free(t->index);
	memset(t, 0, sizeof(*t));
}
