/* cmd_annotate.c -- softpmu annotate: source lines or instructions with what each counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/screen.h"
#include "cli/where/pipes.h"
#include "cli/where/reader.h"
#include "cli/where/sources.h"
#include "cli/where/top.h"
#include "where/insn.h"
#include "where/near.h"

#define MOST_TEXT 1024u
#define AROUND	  2u /* lines shown before and after those that counted */

struct annotate_options {
	const char *what, *file, *events;
	const char *process; /* of --process, or NULL */
	bool has_asm, has_pipes;
	enum cli_color color;
	struct cli_sources sources;
};

/* The options. */
struct wanted {
	char name[512];
	unsigned from, to; /* lines; to 0: all */
};

/* "FILE:10-20" and "FILE:10" are lines of a file; anything else is a name. */
static void read_wanted(const char *what, struct wanted *w)
{
	const char *colon = strrchr(what, ':');
	unsigned from, to;
	int end = 0;

	*w = (struct wanted){.to = 0};
	snprintf(w->name, sizeof(w->name), "%s", what);
	if (!colon || colon == what)
		return;
	if (sscanf(colon, ":%u-%u%n", &from, &to, &end) == 2 && !colon[end] && to >= from) {
		w->from = from;
		w->to = to;
	} else if (sscanf(colon, ":%u%n", &from, &end) == 1 && !colon[end]) {
		w->from = w->to = from;
	}
	if (w->to && (size_t)(colon - what) < sizeof(w->name))
		w->name[colon - what] = 0;
}

/* Does the path end with the name? */
static bool is_file(const struct whr_row *row, const char *name)
{
	const size_t m = strlen(row->file), n = strlen(name);

	return n && m >= n && !strcmp(row->file + m - n, name) &&
	       (m == n || row->file[m - n - 1] == '/');
}

/* ---- lines ---------------------------------------------------------------------------------- */

static int by_line(const void *a, const void *b)
{
	const struct whr_row *const *s = a, *const *t = b;
	int order = strcmp((*s)->file, (*t)->file);

	order = order ? order : (*s)->line < (*t)->line ? -1 : (*s)->line > (*t)->line;
	return order ? order : strcmp((*s)->function, (*t)->function);
}

/* Say so when the source is newer than the record. */
static void note_change(const struct rec *r, const char *path, FILE *source)
{
	struct tm utc = {0};
	struct stat st;

	if (!source || !strptime(rec_text(r->times, "date"), "%Y-%m-%dT%H:%M:%SZ", &utc))
		return;
	if (!fstat(fileno(source), &st) && st.st_mtime > timegm(&utc))
		fprintf(stderr,
			"softpmu: '%s' has changed since it was recorded: lines may have moved\n",
			path);
}

/* The next line of the source that is number `line`; "" where there is none. */
static const char *source_line(FILE *source, unsigned *at, unsigned line, char *out, size_t room)
{
	*out = 0;
	while (source && *at < line && fgets(out, (int)room, source)) {
		if (strchr(out, '\n') || feof(source))
			(*at)++;
	}
	out[strcspn(out, "\n")] = 0;
	return *at == line ? out : "";
}

/* Lines that counted nothing. */
static void print_plain(const struct cli_top *t, FILE *source, unsigned *at, unsigned from,
			unsigned to, FILE *out)
{
	char text[MOST_TEXT];

	for (; source && from <= to; from++)
		fprintf(out, "%*s  %6u  %s\n", cli_top_width(t), "", from,
			source_line(source, at, from, text, sizeof(text)));
}

/* Lines of one file: row[0..n), sorted. */
static void print_file(const struct cli_top *t, const struct whr_row **row, size_t n, FILE *out)
{
	const char *path = row[0]->file;
	FILE *source = fopen(path, "re");
	int64_t *sum = calloc(t->rec->n_event + 1u, sizeof(*sum));
	unsigned at = 0, last = 0;
	char text[MOST_TEXT];

	note_change(t->rec, path, source);
	fprintf(out, "\n %s%s\n\n", path, source ? "" : " (the source is not here)");
	cli_top_head(t, out);
	for (size_t i = 0; i < n && sum;) {
		const unsigned line = row[i]->line;
		unsigned from = line > AROUND ? line - AROUND : 1;

		memset(sum, 0, t->rec->n_event * sizeof(*sum));
		for (; i < n && row[i]->line == line; i++)
			for (uint32_t e = 0; e < t->rec->n_event; e++)
				sum[e] += row[i]->count[e];
		if (last && from > last + AROUND + 1) {
			print_plain(t, source, &at, last + 1, last + AROUND, out);
			fprintf(out, "%*s     ...\n", cli_top_width(t), "");
		} else if (last) {
			from = last + 1;
		}
		print_plain(t, source, &at, from, line - 1, out);
		cli_top_counts(t, sum, out);
		fprintf(out, "  %6u  %s\n", line,
			source_line(source, &at, line, text, sizeof(text)));
		last = line;
	}
	free(sum);
	if (source)
		fclose(source);
}

/* Returns whether there was something. */
static bool print_lines(const struct cli_top *t, const struct wanted *w, FILE *out)
{
	const struct whr_row **row = calloc(t->table->n + 1, sizeof(*row));
	size_t n = 0, from = 0;
	bool is_name = false;

	for (size_t i = 0; i < t->table->n && row; i++)
		is_name |= !w->to && cli_is_function(&t->table->row[i], w->name);
	for (size_t i = 0; i < t->table->n && row; i++) {
		const struct whr_row *r = &t->table->row[i];

		if (!*r->file || !r->line || (w->to && (r->line < w->from || r->line > w->to)))
			continue;
		if (is_name ? cli_is_function(r, w->name) : is_file(r, w->name))
			row[n++] = r;
	}
	if (n)
		qsort(row, n, sizeof(*row), by_line);
	for (size_t i = 0; i < n; i++)
		if (i + 1 == n || strcmp(row[i + 1]->file, row[i]->file)) {
			print_file(t, row + from, i + 1 - from, out);
			from = i + 1;
		}
	free(row);
	return n != 0;
}

/* ---- instructions --------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct whr_row *const *s = a, *const *t = b;
	const int order = strcmp((*s)->object, (*t)->object);

	return order ? order : (*s)->offset < (*t)->offset ? -1 : (*s)->offset > (*t)->offset;
}

/* An instruction: its address as objdump shows it, its byte in the function as asm --from shows it,
 * and its text. Code of a JIT compiler is in no file, and has an address alone. */
static void print_instruction(const struct whr_code *code, const struct whr_row *row, FILE *out)
{
	char text[128], byte[24] = "";

	if (*row->object != '[')
		snprintf(byte, sizeof(byte), "+%llx", (unsigned long long)row->in_function);
	fprintf(out, "  %6llx  %-4s  %s\n", (unsigned long long)row->address, byte,
		whr_code_text(code, row->offset, row->address, text, sizeof(text)));
}

/* The instructions of a function that were executed. Returns whether there were any. */
static bool print_instructions(const struct cli_top *t, const struct wanted *w, FILE *out)
{
	const struct whr_row **row = calloc(t->table->n + 1, sizeof(*row));
	struct whr_code code = {.is_open = false};
	size_t n = 0;

	for (size_t i = 0; i < t->table->n && row; i++)
		if (cli_is_function(&t->table->row[i], w->name))
			row[n++] = &t->table->row[i];
	if (n)
		qsort(row, n, sizeof(*row), by_place);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(row[i]->object, row[i - 1]->object)) {
			whr_code_close(&code);
			whr_code_open(&code, row[i]->object);
			fprintf(out, "\n %s in %s\n\n", row[i]->function, row[i]->object);
			cli_top_head(t, out);
		}
		cli_top_counts(t, row[i]->count, out);
		print_instruction(&code, row[i], out);
	}
	whr_code_close(&code);
	free(row);
	return n != 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int choose_events(const struct annotate_options *o, struct cli_top *t)
{
	if (o->events)
		return cli_record_events(t->rec, o->events, t->event, &t->n_event, CLI_TOP_COLUMNS);
	t->n_event = cli_record_columns(t->rec, cli_record_chief(t->rec), t->event);
	return 0;
}

/* Find the function or source file of r whose name is nearest to the word. Returns true if
 * one of them has that name itself. */
static bool find_near(const struct rec *r, struct nm *names, struct whr_near *near)
{
	const char *name = near->own.search.word;
	struct whr_table table = {0};
	const char *changed;
	bool is_known = false;

	if (!whr_build(&table, r, names, WHR_LINE, &changed))
		for (size_t i = 0; i < table.n; i++) {
			const char *file = table.row[i].file, *slash = strrchr(file, '/');

			whr_near_offer(near, table.row[i].function, table.row[i].object);
			file = slash && !strchr(name, '/') ? slash + 1 : file;
			whr_near_offer(near, file, table.row[i].object);
			is_known |= !strcmp(file, name) || cli_is_function(&table.row[i], name);
		}
	whr_free(&table);
	return is_known;
}

/* Nothing is called so. Returns an exit code after a message. */
static int find_nothing(const char *what, const struct wanted *w, const struct rec *r,
			struct nm *names)
{
	struct whr_near near;
	char ask[SPELLING_TEXT];
	struct whr_code code = {.is_open = false};
	struct stat st;

	if (!stat(w->name, &st) && S_ISREG(st.st_mode) && whr_code_open(&code, w->name)) {
		whr_code_close(&code);
		return cli_fail(
		    "annotate %s: it is a program or library; name one of its functions or "
		    "source files (softpmu report shows which counted)",
		    what);
	}
	whr_near_open(&near, w->name);
	if (find_near(r, names, &near) && w->to)
		return cli_fail("annotate %s: none of these lines counted; softpmu annotate %s "
				"shows those that did",
				what, w->name);
	whr_near_ask(&near, ask);
	return cli_fail("annotate %s: no function of the record is called so, and no source file "
			"that counted%s%s",
			what, *ask ? ask : "; softpmu report shows which there are",
			*ask ? " (softpmu report shows which there are)" : "");
}

/* Sum r in one way and print what is wanted. Returns 0, an exit code after a message, or -1 when
 * there is no such thing. */
static int show_annotation(struct cli_top *t, struct nm *names, const struct wanted *w, bool is_asm,
			   bool has_pipes)
{
	struct whr_table table = {0};
	const char *changed = NULL;
	int code = 0;

	if (whr_build(&table, t->rec, names, is_asm ? WHR_ADDRESS : WHR_LINE, &changed))
		code = cli_fail("out of memory for the annotation");
	t->table = &table;
	if (!code)
		cli_record_notes(changed, names);
	if (!code && has_pipes)
		code = cli_pipes(t, w->name, stdout);
	else if (!code && !(is_asm ? print_instructions(t, w, stdout) : print_lines(t, w, stdout)))
		code = -1;
	whr_free(&table);
	return code;
}

static int annotate(const struct annotate_options *o, const struct rec *r)
{
	struct cli_top t = {.rec = r, .screen = cli_screen(stdout, o->color)};
	struct nm *names = cli_names(&o->sources);
	struct wanted w;
	int code = names ? choose_events(o, &t) : cli_fail("out of memory for the annotation");

	read_wanted(o->what, &w);
	if (!code && o->has_pipes)
		code =
		    w.to ? cli_fail("annotate --pipes %s: a function is wanted, no lines", o->what)
			 : show_annotation(&t, names, &w, true, true);
	else if (!code && !o->has_asm)
		code = show_annotation(&t, names, &w, false, false);
	if (!o->has_pipes &&
	    (code == -1 || (!code && o->has_asm))) /* without lines: instructions */
		code = w.to ? -1 : show_annotation(&t, names, &w, true, false);
	if (code == -1)
		code = find_nothing(o->what, &w, r, names);
	if (!code && !o->events && !o->has_pipes)
		cli_top_note_others(&t, stdout);
	if (!code)
		cli_record_note_estimates(r, stdout);
	nm_close(names);
	return code;
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate_options o = {.what = NULL};
	struct rec *r = NULL;
	struct spmu_error err;
	const char *value;
	int code;

	for (;;) {
		const int option = cli_next_option(argc, argv, 'N', &value);

		if (option == OPT_help)
			return cli_help(argv[0], option);
		if (option < 0)
			return CLI_FAILED;
		if (option == OPT_END && cli_first_argument() >= argc)
			break;
		if (option == OPT_event)
			o.events = value;
		if (option == OPT_process)
			o.process = value;
		if (option == OPT_instructions)
			o.has_asm = true;
		if (option == OPT_pipes)
			o.has_pipes = true;
		if (option == OPT_color && cli_color_option(value, &o.color) < 0)
			return CLI_FAILED;
		if (cli_source_option(&o.sources, option, value) < 0)
			return CLI_FAILED;
		if (option != OPT_END)
			continue;
		if (o.file)
			return cli_fail("annotate %s %s: one record at a time", o.file,
					argv[cli_first_argument()]);
		*(o.what ? &o.file : &o.what) = argv[cli_first_argument()];
		cli_skip_argument();
	}
	if (!o.what)
		return cli_fail(
		    "annotate: what? write softpmu annotate FUNCTION, or FILE, or FILE:10-20");
	if (rec_open(o.file ? o.file : REC_DEFAULT, &r, &err))
		return cli_complain(&err);
	code = cli_record_select(r, o.process);
	if (!code)
		code = annotate(&o, r);
	rec_close(r);
	return cli_close_stdout(code);
}
