/* follow.c -- follows lines of sources from one build to another. Rules: follow.h.
 *
 * A move is by how much a line's number grew. Few moves of a file come into question: those by
 * which lines were found that count the same to the digit, and those of the first and the last line
 * of each function. Of all ways to give each old line one of them, or none, so that the order
 * stays, that with the most points wins.
 */
#include "where/follow.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "where/same_file.h"

#define MOST_EVENTS 4u
#define MOST_MOVES  16u
#define MOST_RANGE  (1u << 21) /* of numbers of lines */
#define MOST_LOOKS  (1u << 25) /* pairs of lines of a file */

/* Points: of a pair at all, of one that counts alike; what another move than before costs. */
#define OF_PAIR	 0.1
#define OF_COUNT 2.0
#define OF_MOVE	 1.0

/* A line of a file: the rows of its functions, by name. */
struct line {
	unsigned line;
	struct whr_single *s; /* n of them */
	size_t n;
};

struct file {
	struct line *line[2]; /* old, new; by number */
	size_t n[2];
	uint32_t n_event;
	int64_t move[MOST_MOVES];
	unsigned n_move;
};

/* ---- how alike lines are --------------------------------------------------------------------- */

static int by_function(const struct whr_single *s, const struct whr_single *t)
{
	const int order = strcmp(s->key.function, t->key.function);

	return order ? order : strcmp(s->key.process, t->key.process);
}

static double size_of(int64_t n)
{
	return n < 0 ? -(double)n : (double)n;
}

static double smaller(int64_t a, int64_t b)
{
	if ((a < 0) != (b < 0))
		return 0;
	return size_of(a) < size_of(b) ? size_of(a) : size_of(b);
}

/* 1: both count the same for the same functions, 0: nothing in common. */
static double likeness(const struct line *a, const struct line *b, uint32_t n_event)
{
	double sum = 0;
	unsigned n = 0;

	for (uint32_t e = 0; e < n_event && n < MOST_EVENTS; e++) {
		double common = 0, old = 0, new = 0;

		for (size_t k = 0; k < b->n; k++)
			new += size_of(b->s[k].row->count[e]);
		for (size_t i = 0, k = 0; i < a->n; i++) {
			old += size_of(a->s[i].row->count[e]);
			while (k < b->n && by_function(&b->s[k], &a->s[i]) < 0)
				k++;
			if (k < b->n && !by_function(&b->s[k], &a->s[i]))
				common += smaller(a->s[i].row->count[e], b->s[k].row->count[e]);
		}
		if (old > 0 || new > 0) {
			sum += common / (old > new ? old : new);
			n++;
		}
	}
	sum = n ? sum / n : 0;
	return sum * sum; /* lines that are half alike are rather two lines than one */
}

/* ---- moves ----------------------------------------------------------------------------------- */

/* Of each move, from the least one on, how many lines speak for it. */
struct votes {
	uint32_t *n; /* range of them; owned */
	int64_t least;
	size_t range;
};

static void vote(struct votes *v, int64_t move, uint32_t weight)
{
	if (move >= v->least && (uint64_t)(move - v->least) < v->range)
		v->n[move - v->least] += weight;
}

static uint64_t hash_line(const struct line *l, uint32_t e)
{
	uint64_t h = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < l->n; i++) {
		for (const char *c = l->s[i].key.function; *c; c++)
			h = (h ^ (unsigned char)*c) * 0x100000001b3ull;
		h = (h ^ (uint64_t)l->s[i].row->count[e]) * 0x100000001b3ull;
	}
	return h;
}

/* Lines that count the same of event e speak for their moves. */
static void vote_by_counts(const struct file *f, struct votes *v, uint32_t e, uint64_t *hash)
{
	for (size_t k = 0; k < f->n[1]; k++)
		hash[k] = hash_line(&f->line[1][k], e);
	for (size_t i = 0; i < f->n[0]; i++) {
		const uint64_t wanted = hash_line(&f->line[0][i], e);

		for (size_t k = 0; k < f->n[1]; k++)
			if (hash[k] == wanted)
				vote(v, (int64_t)f->line[1][k].line - f->line[0][i].line, 2);
	}
}

/* Rows from i on are of one function, old ones first: *first is where its new ones begin. Returns
 * where they end. */
static size_t end_of_function(const struct whr_single *s, size_t n, size_t i, size_t *first)
{
	size_t end = i;

	while (end < n && !s[end].is_new && !by_function(&s[i], &s[end]))
		end++;
	*first = end;
	while (end < n && s[end].is_new && !by_function(&s[i], &s[end]))
		end++;
	return end;
}

/* The first line and the last one of a function speak for theirs. The rows are by function, then by
 * line; old ones are first. */
static void vote_by_ends(const struct whr_single *s, size_t n, struct votes *v)
{
	for (size_t i = 0, first, end; i < n; i = end) {
		end = end_of_function(s, n, i, &first);
		if (first > i && end > first) {
			vote(v, (int64_t)s[first].row->line - s[i].row->line, 1);
			vote(v, (int64_t)s[end - 1].row->line - s[first - 1].row->line, 1);
		}
	}
}

/* 0, and the moves that have the most votes. */
static void choose_moves(struct file *f, struct votes *v)
{
	f->n_move = 0;
	f->move[f->n_move++] = 0;
	if (-v->least >= 0 && (uint64_t)-v->least < v->range)
		v->n[-v->least] = 0;
	while (f->n_move < MOST_MOVES) {
		size_t best = 0;

		for (size_t i = 1; i < v->range; i++)
			if (v->n[i] > v->n[best])
				best = i;
		if (!v->n[best])
			return;
		v->n[best] = 0;
		f->move[f->n_move++] = v->least + (int64_t)best;
	}
}

/* Returns 0 or -SPMU_ENOMEM. by_name: the file's rows as vote_by_ends() wants them. */
static int find_moves(struct file *f, const struct whr_single *by_name, size_t n)
{
	const struct line *old = f->line[0], *new = f->line[1];
	const int64_t least = (int64_t) new[0].line - old[f->n[0] - 1].line,
		      most = (int64_t) new[f->n[1] - 1].line - old[0].line;
	struct votes v = {NULL, least, (size_t)(most - least) + 1};
	uint64_t *hash = NULL;
	unsigned counted = 0;

	if (v.range > MOST_RANGE)
		v.range = MOST_RANGE;
	v.n = calloc(v.range, sizeof(*v.n));
	hash = calloc(f->n[1], sizeof(*hash));
	if (v.n && hash) {
		for (uint32_t e = 0;
		     e < f->n_event && counted < MOST_EVENTS && f->n[0] * f->n[1] <= MOST_LOOKS;
		     e++, counted++)
			vote_by_counts(f, &v, e, hash);
		vote_by_ends(by_name, n, &v);
		choose_moves(f, &v);
	}
	free(hash);
	free(v.n);
	return v.n && hash ? 0 : -SPMU_ENOMEM;
}

/* ---- the best way ---------------------------------------------------------------------------- */

/* The best way that ends with an old line and one move of it. */
struct step {
	double points;
	int64_t from; /* the step before, -1: none */
};

/* How many of the first n lines have a smaller number. */
static size_t n_before(const struct line *l, size_t n, int64_t line)
{
	size_t low = 0;

	while (low < n) {
		const size_t middle = (low + n) / 2;

		if (l[middle].line < line)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* The index of the line of this number, or -1. */
static int64_t find_line(const struct line *l, size_t n, int64_t line)
{
	const size_t at = n_before(l, n, line);

	return at < n && l[at].line == line ? (int64_t)at : -1;
}

/* The best step before line i with move k; best[i * MOST_MOVES + k]: the best of lines up to i with
 * that move. Gives its points, and what it is. */
static double step_before(const struct file *f, const struct step *step, const int64_t *best,
			  size_t i, unsigned k, int64_t *from)
{
	double most = f->move[k] ? -OF_MOVE : 0;

	*from = -1;
	for (unsigned j = 0; j < f->n_move; j++) {
		const int64_t behind = f->line[0][i].line + f->move[k] - f->move[j];
		const size_t n = n_before(f->line[0], i, behind);
		const int64_t at = n ? best[(n - 1) * MOST_MOVES + j] : -1;
		const double points = at < 0 ? 0 : step[at].points - (j == k ? 0 : OF_MOVE);

		if (at >= 0 && points > most) {
			most = points;
			*from = at;
		}
	}
	return most;
}

/* Fill step and best. Returns the last step of the best way, or -1. */
static int64_t walk(const struct file *f, struct step *step, int64_t *best)
{
	int64_t last = -1;

	for (size_t i = 0; i < f->n[0]; i++)
		for (unsigned k = 0; k < f->n_move; k++) {
			const size_t at = i * MOST_MOVES + k;
			const int64_t to =
			    find_line(f->line[1], f->n[1], f->line[0][i].line + f->move[k]);

			best[at] = i ? best[at - MOST_MOVES] : -1;
			if (to < 0)
				continue;
			step[at].points =
			    OF_PAIR +
			    OF_COUNT * likeness(&f->line[0][i], &f->line[1][to], f->n_event) +
			    step_before(f, step, best, i, k, &step[at].from);
			if (best[at] < 0 || step[at].points > step[best[at]].points)
				best[at] = (int64_t)at;
			if (step[at].points > (last < 0 ? 0 : step[last].points))
				last = (int64_t)at;
		}
	return last;
}

/* Number that no line has, for a line that is in no old one. */
static unsigned no_line(unsigned line)
{
	return ~line;
}

static void follow_way(const struct file *f, const struct step *step, int64_t last)
{
	for (size_t k = 0; k < f->n[1]; k++)
		for (size_t r = 0; r < f->line[1][k].n; r++)
			f->line[1][k].s[r].key.line = no_line(f->line[1][k].line);
	for (int64_t at = last; at >= 0; at = step[at].from) {
		const struct line *old = &f->line[0][(size_t)at / MOST_MOVES];
		const struct line *new = &f->line[1][find_line(
		    f->line[1], f->n[1], old->line + f->move[(size_t)at % MOST_MOVES])];

		for (size_t r = 0; r < new->n; r++)
			new->s[r].key.line = old->line;
	}
}

static int follow_file(struct file *f)
{
	struct step *step = calloc(f->n[0] * MOST_MOVES, sizeof(*step));
	int64_t *best = calloc(f->n[0] * MOST_MOVES, sizeof(*best));

	if (step && best)
		follow_way(f, step, walk(f, step, best));
	free(step);
	free(best);
	return step && best ? 0 : -SPMU_ENOMEM;
}

/* ---- functions that were moved --------------------------------------------------------------- */

static double likeness_of_rows(const struct whr_single *a, const struct whr_single *b,
			       uint32_t n_event)
{
	const struct line old = {0, (struct whr_single *)(uintptr_t)a, 1},
			  new = {0, (struct whr_single *)(uintptr_t)b, 1};

	return OF_PAIR + OF_COUNT * likeness(&old, &new, n_event);
}

/* Points of a function whose new lines have the keys that they have, or that all moved by `move`.
 */
static double points_of(const struct whr_single *old, size_t n, const struct whr_single *new,
			size_t m, uint32_t n_event, const int64_t *move)
{
	double points = 0;

	for (size_t k = 0; k < m; k++) {
		const int64_t line = move ? (int64_t) new[k].row->line - *move : new[k].key.line;

		for (size_t i = 0; i < n; i++)
			if (old[i].row->line == line)
				points += likeness_of_rows(&old[i], &new[k], n_event);
	}
	return points;
}

/* Follow a function alone where that finds more than to follow its file. */
static void follow_function(struct whr_single *old, size_t n, struct whr_single *new, size_t m,
			    uint32_t n_event)
{
	const int64_t move[] = {(int64_t) new[0].row->line - old[0].row->line,
				(int64_t) new[m - 1].row->line - old[n - 1].row->line};
	double most = points_of(old, n, new, m, n_event, NULL) + OF_MOVE;
	int best = -1;

	for (int i = 0; i < 2; i++) {
		const double points = points_of(old, n, new, m, n_event, &move[i]);

		if (points > most) {
			most = points;
			best = i;
		}
	}
	for (size_t k = 0; k < m && best >= 0; k++)
		new[k].key.line = (unsigned)(new[k].row->line - move[best]);
}

#define MOST_FUNCTION 4096u /* lines of one, to be followed alone */

static void follow_functions(struct whr_single *s, size_t n, uint32_t n_event)
{
	for (size_t i = 0, first, end; i < n; i = end) {
		end = end_of_function(s, n, i, &first);
		if (first > i && end > first && end - i < MOST_FUNCTION)
			follow_function(&s[i], first - i, &s[first], end - first, n_event);
	}
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	int order = strcmp(s->key.file, t->key.file);

	order = order ? order : s->is_new - t->is_new;
	if (order)
		return order;
	if (s->row->line != t->row->line)
		return s->row->line < t->row->line ? -1 : 1;
	return by_function(s, t);
}

/* By function, old rows first, then by line. */
static int by_name(const void *a, const void *b)
{
	const struct whr_single *s = a, *t = b;
	int order = by_function(s, t);

	order = order ? order : s->is_new - t->is_new;
	if (order)
		return order;
	return s->row->line < t->row->line ? -1 : s->row->line > t->row->line;
}

/* The lines of s[0..n), rows of one side of a file by line. Owned by the caller; NULL without
 * memory. */
static struct line *lines_of(struct whr_single *s, size_t n, size_t *n_line)
{
	struct line *l = calloc(n + 1, sizeof(*l));

	*n_line = 0;
	for (size_t i = 0; i < n && l; i++) {
		if (!i || s[i].row->line != s[i - 1].row->line)
			l[(*n_line)++] = (struct line){s[i].row->line, &s[i], 0};
		l[*n_line - 1].n++;
	}
	return l;
}

/* Follow the rows of one file: old ones s[0..first), new ones behind them. */
static int follow(struct whr_single *s, size_t first, size_t n, uint32_t n_event)
{
	struct file f = {.n_event = n_event};
	struct whr_single *by_names = calloc(n + 1, sizeof(*by_names));
	int rc;

	f.line[0] = lines_of(s, first, &f.n[0]);
	f.line[1] = lines_of(s + first, n - first, &f.n[1]);
	rc = by_names && f.line[0] && f.line[1] ? 0 : -SPMU_ENOMEM;
	if (!rc) {
		memcpy(by_names, s, n * sizeof(*s));
		qsort(by_names, n, sizeof(*by_names), by_name);
		rc = find_moves(&f, by_names, n);
	}
	rc = rc ? rc : follow_file(&f);
	if (!rc) {
		qsort(s, n, sizeof(*s), by_name);
		follow_functions(s, n, n_event);
	}
	free(by_names);
	free(f.line[0]);
	free(f.line[1]);
	return rc;
}

int whr_follow_lines(struct whr_single *s, size_t n, uint32_t n_event)
{
	int rc = 0;

	whr_follow_files(s, n);
	qsort(s, n, sizeof(*s), by_line);
	for (size_t i = 0, first, end; i < n && !rc; i = end) {
		for (first = i;
		     first < n && !s[first].is_new && !strcmp(s[i].key.file, s[first].key.file);)
			first++;
		for (end = first; end < n && !strcmp(s[i].key.file, s[end].key.file);)
			end++;
		if (*s[i].key.file && first > i && end > first &&
		    !(nm_is_of_system(s[i].row->file, "") &&
		      nm_is_of_system(s[first].row->file, "")))
			rc = follow(&s[i], first - i, end - i, n_event);
	}
	return rc;
}
