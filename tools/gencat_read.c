/* gencat_read.c -- text files of the catalog to rows: TSV, notes in Markdown, groups.
 *
 * TSV here: one row per line, columns separated by one tab, no quoting; empty lines and lines that
 * begin with '#' are comment.
 */
#include "gencat.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *gen_alloc(size_t bytes)
{
	void *p = calloc(1, bytes ? bytes : 1);

	if (!p) {
		fprintf(stderr, "gencat: out of memory\n");
		exit(1);
	}
	return p;
}

char *gen_printf(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	char *s = gen_alloc((size_t)n + 1);
	va_start(ap, format);
	vsnprintf(s, (size_t)n + 1, format, ap);
	va_end(ap);
	return s;
}

void gen_complain(struct catalog *c, struct place at, const char *format, ...)
{
	va_list ap;

	if (at.line)
		fprintf(stderr, "%s:%d: ", at.file, at.line);
	else
		fprintf(stderr, "%s: ", at.file);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	c->n_complaint++;
}

/* The whole file, ended by a NUL; NULL when it cannot be read. */
char *gen_read_file(const char *path)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		return NULL;
	size_t room = 1 << 16, n = 0;
	char *text = gen_alloc(room);
	for (;;) {
		n += fread(text + n, 1, room - n - 1, f);
		if (n < room - 1)
			break;
		text = realloc(text, room *= 2);
		if (!text)
			exit(1);
	}
	fclose(f);
	text[n] = 0;
	return text;
}

/* Cut the next line out of *text; NULL at the end. */
static char *next_line(char **text)
{
	char *line = *text;

	if (!*line)
		return NULL;
	char *end = strchr(line, '\n');
	if (end) {
		*end = 0;
		*text = end + 1;
	} else {
		*text = line + strlen(line);
	}
	return line;
}

static struct row *add_row(struct table *t)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 64;
		t->row = realloc(t->row, t->room * sizeof *t->row);
		if (!t->row)
			exit(1);
	}
	memset(&t->row[t->n], 0, sizeof t->row[0]);
	return &t->row[t->n++];
}

bool gen_read_table(struct catalog *c, const char *path, int n_col, struct table *out)
{
	char *text = gen_read_file(path);
	struct place at = { gen_printf("%s", path), 0 };

	if (!text) {
		gen_complain(c, at, "cannot be read");
		return false;
	}
	for (char *line; (line = next_line(&text)); ) {
		at.line++;
		if (!*line || *line == '#')
			continue;
		int n = 1;
		for (const char *p = line; *p; p++)
			n += *p == '\t';
		if (n != n_col) {
			gen_complain(c, at, "%d columns where %d belong", n, n_col);
			continue;
		}
		struct row *r = add_row(out);
		r->at = at;
		r->n = n;
		for (int i = 0; i < n; i++) {
			r->col[i] = line;
			line += strcspn(line, "\t");
			*line++ = 0;
			if (!*r->col[i])
				gen_complain(c, at, "column %d is empty; write - for nothing", i + 1);
		}
	}
	return true;
}

int gen_number(struct catalog *c, struct place at, const char *text, int base, int max)
{
	char *end;
	long v = strtol(text, &end, base);

	if (end == text || *end || v < 0 || v > max) {
		gen_complain(c, at, "not a number from 0 to %d: %s", max, text);
		return 0;
	}
	return (int)v;
}

/* Drop blank space at both ends. */
static char *trim(char *s)
{
	s += strspn(s, " \t\n");
	size_t n = strlen(s);
	while (n && strchr(" \t\n", s[n - 1]))
		s[--n] = 0;
	return s;
}

/* notes.md: "## NAME" begins the commentary of one event; text before the first is for readers of
 * the file. Names of several events may share a section: "## A, B". */
void gen_read_notes(struct catalog *c, int family, const char *path)
{
	struct place at = { gen_printf("%s", path), 0 };
	char *text = gen_read_file(path);

	if (!text) {
		gen_complain(c, at, "cannot be read");
		return;
	}
	struct place head = at;
	char *names = NULL, *body = NULL;
	for (;;) {
		char *line = next_line(&text);

		at.line++;
		if (line && strncmp(line, "## ", 3) != 0) {
			if (names)
				body = gen_printf("%s%s\n", body, line);
			continue;
		}
		for (char *name = names ? strtok(names, ", ") : NULL; name; name = strtok(NULL, ", ")) {
			struct event *e = gen_find_event(c, family, name);

			if (!e)
				gen_complain(c, head, "no such event: %s", name);
			else if (e->note)
				gen_complain(c, head, "second note of %s", name);
			else
				e->note = trim(gen_printf("%s", body));
		}
		if (!line)
			return;
		head = at;
		names = line + 3;
		body = gen_printf("%s", "");
	}
}

static void read_group(struct catalog *c, int family, const char *path, const char *name)
{
	struct place at = { gen_printf("%s", path), 0 };
	char *text = gen_read_file(path);
	struct group g = { at, family, name, "", gen_alloc(256 * sizeof(char *)), 0 };

	if (!text) {
		gen_complain(c, at, "cannot be read");
		return;
	}
	for (char *line; (line = next_line(&text)); ) {
		at.line++;
		if (*line == '#') {
			if (!*g.text)
				g.text = trim(line + 1);
			continue;
		}
		for (char *word = strtok(line, " \t"); word; word = strtok(NULL, " \t")) {
			if (g.n_event == 255)
				return gen_complain(c, at, "more than 255 events in a group");
			gen_check_spelling(c, family, at, word, NULL);
			g.event[g.n_event++] = word;
		}
	}
	if (!g.n_event)
		gen_complain(c, g.at, "group without events");
	c->group = realloc(c->group, (c->n_group + 1) * sizeof *c->group);
	if (!c->group)
		exit(1);
	c->group[c->n_group++] = g;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

void gen_read_groups(struct catalog *c, int family, const char *folder)
{
	struct dirent **list;
	int n = scandir(folder, &list, NULL, by_name);

	for (int i = 0; i < n; i++) {
		char *name = list[i]->d_name;
		size_t len = strlen(name);

		if (len < 5 || strcmp(name + len - 4, ".txt") != 0)
			continue;
		char *path = gen_printf("%s/%s", folder, name);
		name = gen_printf("%.*s", (int)len - 4, name);
		read_group(c, family, path, name);
	}
}
