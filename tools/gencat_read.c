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

void gen_complain(struct catalog *c, struct place at, const char *format, ...)
{
	va_list ap;

	c->n_complaint++;
	if (c->is_quiet)
		return;
	if (at.line)
		fprintf(stderr, "%s:%d: ", at.file, at.line);
	else
		fprintf(stderr, "%s: ", at.file);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
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
		char *more = gen_alloc(room *= 2);
		memcpy(more, text, n);
		text = more;
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
		struct row *more = gen_alloc((t->room = t->room ? 2 * t->room : 64) * sizeof *more);
		if (t->n)
			memcpy(more, t->row, t->n * sizeof *more);
		t->row = more;
	}
	return &t->row[t->n++];
}

bool gen_read_table(struct catalog *c, const char *path, int n_col, struct table *out)
{
	char *text = gen_read_file(path);
	struct place at = {gen_printf("%s", path), 0};

	if (!text) {
		gen_complain(c, at, "cannot be read");
		return false;
	}
	for (char *line; (line = next_line(&text));) {
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
		if (strpbrk(line, "\"\\"))
			gen_complain(
			    c, at, "quotation marks and backslashes are for the C that is written");
		struct row *r = add_row(out);
		r->at = at;
		r->n = n;
		for (int i = 0; i < n; i++) {
			r->col[i] = line;
			line += strcspn(line, "\t");
			*line++ = 0;
			if (!*r->col[i])
				gen_complain(c, at, "column %d is empty; write - for nothing",
					     i + 1);
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
	struct place at = {gen_printf("%s", path), 0};
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
		for (char *name = names ? strtok(names, ", ") : NULL; name;
		     name = strtok(NULL, ", ")) {
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
	struct place at = {gen_printf("%s", path), 0};
	char *text = gen_read_file(path);
	struct group g = {at, family, name, "", gen_alloc(256 * sizeof(char *)), 0, {0}, 0};

	if (!text) {
		gen_complain(c, at, "cannot be read");
		return;
	}
	for (char *line; (line = next_line(&text));) {
		at.line++;
		if (*line == '#') {
			if (!*g.text)
				g.text = trim(line + 1);
			continue;
		}
		int counters[2] = {0, 0}, n = 0;
		for (char *word = strtok(line, " \t"); word; word = strtok(NULL, " \t")) {
			if (g.n_event == 255)
				return gen_complain(c, at, "more than 255 events in a group");
			const struct event *e = gen_check_spelling(c, family, at, word, NULL);
			if (e && n < 2)
				counters[n] = e->counters;
			n++;
			g.event[g.n_event++] = word;
		}
		if (n == 2)
			g.pair[g.n_event - 1] = g.pair[g.n_event - 2] = (unsigned char)++g.n_pair;
		if (n == 2 && counters[0] == counters[1] && counters[0] < 3 && counters[0])
			gen_complain(c, at, "a pair in which both events want counter %d",
				     counters[0] - 1);
	}
	if (!g.n_event)
		gen_complain(c, g.at, "group without events");
	if (c->n_group == MAX_GROUP)
		return gen_complain(c, g.at, "more than %d groups", MAX_GROUP);
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
		const char *name = list[i]->d_name;
		size_t len = strlen(name);

		if (len > 4 && strcmp(name + len - 4, ".txt") == 0)
			read_group(c, family, gen_printf("%s/%s", folder, name),
				   gen_printf("%.*s", (int)len - 4, name));
		free(list[i]);
	}
	if (n >= 0)
		free(list);
}

void gen_read_tables(struct catalog *c)
{
	const struct {
		const char *name;
		int n_col;
		struct table *table;
	} top[] = {
	    {"sources.tsv", 2, &c->sources},	 {"processors.tsv", 16, &c->processors},
	    {"aliases.tsv", 4, &c->aliases},	 {"generics.tsv", 6, &c->generics},
	    {"software.tsv", 3, &c->software},	 {"cpu_names.tsv", 2, &c->cpu_names},
	    {"later.tsv", 4, &c->later},	 {"metrics.tsv", 7, &c->metrics},
	    {"relations.tsv", 8, &c->relations}, {"p6/uops.tsv", 11, &c->uops},
	    {"p6/nearest.tsv", 6, &c->nearest},	 {"p5/timing.tsv", 11, &c->timing},
	    {"p5/params.tsv", 6, &c->params},	 {"p5/readings.tsv", 6, &c->readings},
	    {"p6/timing.tsv", 6, &c->p6_timing}, {"p6/params.tsv", 5, &c->p6_params},
	};

	for (size_t i = 0; i < sizeof top / sizeof top[0]; i++)
		gen_read_table(c, gen_printf("%s/%s", c->root, top[i].name), top[i].n_col,
			       top[i].table);
	for (int f = 0; f < N_FAMILY; f++) {
		struct family_tables *fam = &c->own[f];
		const struct {
			const char *name;
			int n_col;
			struct table *table;
		} own[] = {
		    {"wires.tsv", 7, &fam->wires},
		    {"events.tsv", 12, &fam->events},
		    {"umasks.tsv", 5, &fam->umasks},
		    {"rules.tsv", 5, &fam->rules},
		    {"discrepancies.tsv", 4, &fam->discrepancies},
		    {"diagram.tsv", 7, &fam->diagram},
		};

		for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
			gen_read_table(
			    c, gen_printf("%s/%s/%s", c->root, gen_family[f].name, own[i].name),
			    own[i].n_col, own[i].table);
	}
}
