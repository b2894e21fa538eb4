/* source.c -- source lines of the functions that counted most, with their counts.
 *
 * RULE     as annotate: a function's lines, its inlined ones by the file that they are in, and two
 *          lines around them. With an old record lines pair by function, file and number, and a
 *          line that the old run alone counted is there, too. Sources are found where the debug
 *          information says; a file that is not there, is no plain file, or is too long gives
 *          numbers of lines alone, as all files do without has_source.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "html/parts.h"

enum {
	COLUMNS = 3,
	AROUND = 2,	      /* lines shown before and behind those that counted */
	MOST_LINES = 200,     /* that counted, of one function */
	MOST_BYTES = 4 << 20, /* of a file */
	LEAST_SHARE = 200,    /* functions with less than 1/200 have none */
};

/* ---- which functions ------------------------------------------------------------------------- */

static bool is_of(const struct whr_row *line, const struct whr_row *function)
{
	return line && function && *line->file && line->line &&
	       !strcmp(line->function, function->function) &&
	       !strcmp(line->object, function->object);
}

/* Is the line one of the function, in either record? */
static bool are_of(const struct whr_pair *line, const struct whr_pair *function)
{
	return is_of(line->new, function->new) || is_of(line->old, function->old);
}

static bool has_lines(const struct htm *h, const struct whr_pair *function)
{
	for (size_t i = 0; i < h->line_pairs.n; i++)
		if (are_of(&h->line_pairs.pair[i], function))
			return true;
	return false;
}

void htm_choose_sources(struct htm *h)
{
	const uint32_t e = h->column[0];
	const int64_t total = (int64_t)h->in->rec->event[e].total;

	for (size_t i = 0; i < h->pairs.n && h->n_source < HTM_MOST_SOURCES; i++) {
		const struct whr_pair *p = &h->pairs.pair[i];

		if (p->new && * p->new->function != '[' && p->new->count[e] > total / LEAST_SHARE &&
		    has_lines(h, p))
			h->source[h->n_source++] = p;
	}
}

int htm_source_of(const struct htm *h, const struct whr_row *row)
{
	for (unsigned i = 0; i < h->n_source && row; i++)
		if (h->source[i]->new == row)
			return (int)i;
	return -1;
}

/* ---- a file ---------------------------------------------------------------------------------- */

struct text_file {
	char *bytes; /* owned; NULL: it is not there */
	const char *at;
	unsigned line; /* number of the line at `at` */
};

static void open_text(const struct htm *h, struct text_file *f, const char *path)
{
	const int fd =
	    h->in->has_source ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
	struct stat st;
	ssize_t n = -1;

	*f = (struct text_file){.line = 1};
	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size < MOST_BYTES) {
		f->bytes = malloc((size_t)st.st_size + 1);
		n = f->bytes ? read(fd, f->bytes, (size_t)st.st_size) : -1;
	}
	if (fd >= 0)
		close(fd);
	if (n < 0) {
		free(f->bytes);
		f->bytes = NULL;
		return;
	}
	f->bytes[n] = 0;
	f->at = f->bytes;
}

/* Write line number `line`, which is not before the last one asked for. */
static void put_line(const struct htm *h, struct text_file *f, unsigned line)
{
	size_t n;
	char *copy;

	while (f->bytes && f->line < line && *f->at) {
		f->at += strcspn(f->at, "\n");
		f->at += *f->at == '\n';
		f->line++;
	}
	if (!f->bytes || f->line != line)
		return;
	n = strcspn(f->at, "\r\n");
	copy = strndup(f->at, n);
	if (copy)
		htm_put(h, copy);
	free(copy);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A table of lines that is written. */
struct lines {
	const struct htm *h;
	const struct whr_pair **pair; /* owned */
	size_t n;
	unsigned columns, cells; /* events; cells of their counts */
};

static const struct whr_row *row_of(const struct whr_pair *p)
{
	return p->new ? p->new : p->old;
}

static int by_line(const void *a, const void *b)
{
	const struct whr_row *s = row_of(*(const struct whr_pair *const *)a),
			     *t = row_of(*(const struct whr_pair *const *)b);
	const int order = strcmp(s->file, t->file);

	return order ? order : s->line < t->line ? -1 : s->line > t->line;
}

/* also: this is not the first event, and narrow screens leave it out. */
static void put_one(const struct htm *h, const char *also, uint32_t e, int64_t n, double half)
{
	const double total = (double)h->in->rec->event[e].total;
	char number[40];

	htm_begin_cell(h, *also ? "n also" : "n", e, n);
	fprintf(h->out, " style=\"--part:%.2f%%\">%s",
		n > 0 && total > 0 ? 100 * (double)n / total : 0, htm_number(n, number));
	htm_put_half(h, isinf(half) ? 0 : half, n);
	fputs("</td>", h->out);
}

static void put_both(const struct htm *h, const char *also, uint32_t e, int64_t old, int64_t new,
		     double half)
{
	char number[40];

	fprintf(h->out, "<td class=\"n old\">%s</td>", htm_number(old, number));
	htm_begin_cell(h, *also ? "n also" : "n", e, new);
	fprintf(h->out, ">%s</td>", htm_number(new, number));
	htm_put_change(h, also, half, old, new);
}

static void put_counts(const struct lines *l, const struct whr_pair *p)
{
	for (unsigned i = 0; i < l->columns; i++) {
		const uint32_t e = l->h->column[i];
		const char *also = i ? " also" : "";
		const int64_t new = p && p->new ? p->new->count[e] : 0,
			      old = p && p->old ? p->old->count[e] : 0;
		const double half = p ? htm_half_of_pair(l->h, WHR_LINE, p, e) : 0;

		if (!new && !old)
			fprintf(l->h->out, "%s<td class=\"n%s\"%s></td>",
				l->h->in->old ? "<td class=\"n old\"></td>" : "", also,
				l->h->in->old ? " colspan=\"2\"" : "");
		else if (l->h->in->old)
			put_both(l->h, also, e, old, new, half);
		else
			put_one(l->h, also, e, new, half);
	}
}

static void put_row(const struct lines *l, struct text_file *f, unsigned line,
		    const struct whr_pair *p)
{
	fprintf(l->h->out, "<tr%s>", p ? "" : " class=\"quiet\"");
	put_counts(l, p);
	fprintf(l->h->out, "<td class=\"n line\">%u</td><td class=\"text\"><code>", line);
	put_line(l->h, f, line);
	fputs("</code></td></tr>\n", l->h->out);
}

/* Lines of one file: pair[0..n), sorted. */
static void put_file(const struct lines *l, const struct whr_pair **pair, size_t n)
{
	const char *name = row_of(pair[0])->file;
	FILE *out = l->h->out;
	struct text_file f;
	unsigned last = 0;

	open_text(l->h, &f, name);
	fprintf(out, "<tbody><tr><th colspan=\"%u\" scope=\"rowgroup\" class=\"file\"><bdi>",
		l->cells + 2);
	htm_put_path(l->h, name);
	fprintf(out, "</bdi>%s</th></tr>\n",
		f.bytes		       ? ""
		: l->h->in->has_source ? " (the source is not here)"
				       : " (its text is left out)");
	for (size_t i = 0; i < n; i++) {
		const unsigned line = row_of(pair[i])->line,
			       before = line > AROUND ? line - AROUND : 1;
		unsigned next = last + 1;

		for (; f.bytes && last && next <= last + AROUND && next < line; next++)
			put_row(l, &f, next, NULL);
		if (last && before > next)
			fprintf(out, "<tr class=\"gap\"><td colspan=\"%u\">...</td></tr>\n",
				l->cells + 2);
		for (next = before > next ? before : next; f.bytes && next < line; next++)
			put_row(l, &f, next, NULL);
		put_row(l, &f, line, pair[i]);
		last = line;
	}
	fputs("</tbody>\n", out);
	free(f.bytes);
}

static void put_head(const struct lines *l, const struct whr_pair *function, unsigned number,
		     bool is_open)
{
	const struct htm *h = l->h;
	const uint32_t e = h->column[0];
	char share[16], change[40];

	fprintf(h->out, "<details id=\"source-%u\"%s><summary><bdi class=\"fn\">", number,
		is_open ? " open=\"open\"" : "");
	htm_put(h, function->new->function);
	fprintf(h->out, "</bdi> <span class=\"fine\">%s of ",
		htm_share(function->new->count[e], h->in->rec->event[e].total, share));
	htm_put(h, h->in->rec->event[e].name);
	if (h->in->old)
		fprintf(h->out, ", %s", htm_signed(whr_change(function, e), change));
	fputs("</span></summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Source\"><table class=\"source\">\n<thead><tr>",
	      h->out);
	for (unsigned i = 0; i < l->columns; i++) {
		fprintf(h->out, "<th scope=\"col\" class=\"n\" colspan=\"%u\">",
			l->cells / l->columns);
		htm_put_name(h, h->in->rec->event[h->column[i]].name);
		fputs(h->in->old ? "<small>old, new, change</small></th>" : "</th>", h->out);
	}
	fputs("<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">source</th></tr></thead>\n",
	      h->out);
}

/* Is one of the files there? */
static bool has_text(const struct lines *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!i || strcmp(row_of(l->pair[i])->file, row_of(l->pair[i - 1])->file)) {
			struct text_file f;
			bool is_there;

			open_text(l->h, &f, row_of(l->pair[i])->file);
			is_there = f.bytes;
			free(f.bytes);
			if (is_there)
				return true;
		}
	return false;
}

/* *is_open: has one been shown open? The first one is that has a source. */
static int put_function(const struct htm *h, unsigned number, bool *is_open)
{
	const unsigned columns = h->n_column < COLUMNS ? h->n_column : COLUMNS;
	struct lines l = {.h = h,
			  .pair = calloc(h->line_pairs.n + 1, sizeof(*l.pair)),
			  .columns = columns,
			  .cells = h->in->old ? 3 * columns : columns};
	const bool was_open = *is_open;
	size_t from = 0;

	if (!l.pair)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < h->line_pairs.n && l.n < MOST_LINES; i++)
		if (are_of(&h->line_pairs.pair[i], h->source[number]))
			l.pair[l.n++] = &h->line_pairs.pair[i];
	qsort(l.pair, l.n, sizeof(*l.pair), by_line);
	*is_open = was_open || has_text(&l);
	put_head(&l, h->source[number], number, *is_open && !was_open);
	for (size_t i = 0; i < l.n; i++)
		if (i + 1 == l.n || strcmp(row_of(l.pair[i + 1])->file, row_of(l.pair[i])->file)) {
			put_file(&l, l.pair + from, i + 1 - from);
			from = i + 1;
		}
	fputs("</table></div></details>\n", h->out);
	free(l.pair);
	return 0;
}

int htm_put_sources(const struct htm *h)
{
	bool is_open = false;
	int rc = 0;

	if (!h->n_source)
		return 0;
	htm_begin(h, "sources", "Source");
	for (unsigned i = 0; i < h->n_source && !rc; i++)
		rc = put_function(h, i, &is_open);
	htm_end(h);
	return rc;
}
