/* source.c -- source lines of the functions that counted most, with their counts.
 *
 * RULE     as annotate: a function's lines, its inlined ones by the file that they are in, and two
 *          lines around them. Sources are found where the debug information says; a file that is
 *          not there, is no plain file, or is too long gives numbers of lines alone.
 */
#include <fcntl.h>
#include <inttypes.h>
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
	return !strcmp(line->function, function->function) &&
	       !strcmp(line->object, function->object);
}

static bool has_lines(const struct htm *h, const struct whr_row *function)
{
	for (size_t i = 0; i < h->lines.n; i++)
		if (*h->lines.row[i].file && h->lines.row[i].line &&
		    is_of(&h->lines.row[i], function))
			return true;
	return false;
}

void htm_choose_sources(struct htm *h)
{
	const int64_t total = (int64_t)h->in->rec->event[h->column[0]].total;

	for (size_t i = 0; h->in->has_source && i < h->pairs.n && h->n_source < HTM_MOST_SOURCES;
	     i++) {
		const struct whr_row *row = h->pairs.pair[i].new;

		if (row && *row->function != '[' &&
		    row->count[h->column[0]] > total / LEAST_SHARE && has_lines(h, row))
			h->source[h->n_source++] = row;
	}
}

int htm_source_of(const struct htm *h, const struct whr_row *row)
{
	for (unsigned i = 0; i < h->n_source; i++)
		if (h->source[i] == row)
			return (int)i;
	return -1;
}

/* ---- a file ---------------------------------------------------------------------------------- */

struct text_file {
	char *bytes; /* owned; NULL: it is not there */
	const char *at;
	unsigned line; /* number of the line at `at` */
};

static void open_text(struct text_file *f, const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
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

static int by_line(const void *a, const void *b)
{
	const struct whr_row *const *s = a, *const *t = b;
	const int order = strcmp((*s)->file, (*t)->file);

	return order ? order : (*s)->line < (*t)->line ? -1 : (*s)->line > (*t)->line;
}

static void put_counts(const struct htm *h, const int64_t *count, unsigned columns)
{
	char number[40];

	for (unsigned i = 0; i < columns; i++) {
		const uint32_t e = h->column[i];
		const double total = (double)h->in->rec->event[e].total;

		if (!count || !count[e]) {
			fputs("<td class=\"n\"></td>", h->out);
			continue;
		}
		htm_begin_cell(h, "n", e, count[e]);
		fprintf(h->out, " style=\"--part:%.2f%%\">%s</td>",
			count[e] > 0 ? 100 * (double)count[e] / total : 0,
			htm_number(count[e], number));
	}
}

static void put_row(const struct htm *h, struct text_file *f, unsigned line, const int64_t *count,
		    unsigned columns)
{
	fprintf(h->out, "<tr%s>", count ? "" : " class=\"quiet\"");
	put_counts(h, count, columns);
	fprintf(h->out, "<td class=\"n line\">%u</td><td class=\"text\"><code>", line);
	put_line(h, f, line);
	fputs("</code></td></tr>\n", h->out);
}

/* Lines of one file: row[0..n), sorted: no two are of one line. */
static void put_file(const struct htm *h, const struct whr_row **row, size_t n, unsigned columns)
{
	struct text_file f;
	unsigned last = 0;

	open_text(&f, row[0]->file);
	fprintf(h->out, "<tbody><tr><th colspan=\"%u\" scope=\"rowgroup\" class=\"file\"><bdi>",
		columns + 2);
	htm_put_path(h, row[0]->file);
	fprintf(h->out, "</bdi>%s</th></tr>\n", f.bytes ? "" : " (the source is not here)");
	for (size_t i = 0; i < n; i++) {
		const unsigned line = row[i]->line, before = line > AROUND ? line - AROUND : 1;
		unsigned next = last + 1;

		for (; f.bytes && last && next <= last + AROUND && next < line; next++)
			put_row(h, &f, next, NULL, columns);
		if (last && before > next)
			fprintf(h->out, "<tr class=\"gap\"><td colspan=\"%u\">...</td></tr>\n",
				columns + 2);
		for (next = before > next ? before : next; f.bytes && next < line; next++)
			put_row(h, &f, next, NULL, columns);
		put_row(h, &f, line, row[i]->count, columns);
		last = line;
	}
	fputs("</tbody>\n", h->out);
	free(f.bytes);
}

static int put_function(const struct htm *h, unsigned number, unsigned columns)
{
	const struct whr_row *function = h->source[number],
			     **row = calloc(h->lines.n + 1, sizeof(*row));
	char share[16];
	size_t n = 0, from = 0;

	if (!row)
		return -SPMU_ENOMEM;
	for (size_t i = 0; i < h->lines.n && n < MOST_LINES; i++)
		if (*h->lines.row[i].file && h->lines.row[i].line &&
		    is_of(&h->lines.row[i], function))
			row[n++] = &h->lines.row[i];
	qsort(row, n, sizeof(*row), by_line);
	fprintf(h->out, "<details id=\"source-%u\"%s><summary><bdi class=\"fn\">", number,
		number ? "" : " open=\"open\"");
	htm_put(h, function->function);
	fprintf(
	    h->out, "</bdi> <span class=\"fine\">%s of ",
	    htm_share(function->count[h->column[0]], h->in->rec->event[h->column[0]].total, share));
	htm_put(h, h->in->rec->event[h->column[0]].name);
	fputs("</span></summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"Source\"><table "
	      "class=\"source\">\n<thead><tr>",
	      h->out);
	for (unsigned i = 0; i < columns; i++) {
		fputs("<th scope=\"col\" class=\"n\">", h->out);
		htm_put_name(h, h->in->rec->event[h->column[i]].name);
		fputs("</th>", h->out);
	}
	fputs("<th scope=\"col\" class=\"n\">line</th><th scope=\"col\">source</th></tr></thead>\n",
	      h->out);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || strcmp(row[i + 1]->file, row[i]->file)) {
			put_file(h, row + from, i + 1 - from, columns);
			from = i + 1;
		}
	fputs("</table></div></details>\n", h->out);
	free(row);
	return 0;
}

int htm_put_sources(const struct htm *h)
{
	const unsigned columns = h->n_column < COLUMNS ? h->n_column : COLUMNS;
	int rc = 0;

	if (!h->n_source)
		return 0;
	htm_begin(h, "sources", "Source");
	for (unsigned i = 0; i < h->n_source && !rc; i++)
		rc = put_function(h, i, columns);
	htm_end(h);
	return rc;
}
