/* print.c -- writes a lesson, its programs, tables and claims as text of 80 columns. */
#include "lab/print.h"

#include <math.h>
#include <string.h>

#define WIDTH	  78u
#define BAR	  40
#define LIST_CPUS 20

/* Words of a text, each line of it behind a tab, in lines of WIDTH, `indent` blanks before each. */
static void print_words(const char *text, int indent, FILE *out)
{
	size_t at = 0;

	for (const char *p = text; *p;) {
		size_t n;

		p += strspn(p, " \t\n");
		n = strcspn(p, " \t\n");
		if (!n)
			break;
		if (at && at + 1 + n > WIDTH) {
			fputc('\n', out);
			at = 0;
		}
		at += (size_t)fprintf(out, "%*s%.*s", at ? 1 : indent, "", (int)n, p);
		p += n;
	}
	fputc('\n', out);
}

static void print_texts(const struct lab_text *text, size_t n, const struct cat_cpu *cpu, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		if (lab_names_have(text[i].cpus, cpu))
			print_words(text[i].text, 2, out);
}

/* Code as it stands in the lesson, with eight columns per tab and the lesson's own tab kept. */
static void print_code(const char *body, FILE *out)
{
	for (const char *p = body; *p; p++) {
		unsigned column = 0;

		fputs("    ", out);
		for (p += *p == '\t'; *p && *p != '\n'; p++) {
			if (*p == '\t') {
				const unsigned n = 8 - column % 8;

				fprintf(out, "%*s", (int)n, "");
				column += n;
			} else {
				fputc(*p, out);
				column++;
			}
		}
		fputc('\n', out);
		if (!*p)
			return;
	}
}

/* ---- source ------------------------------------------------------------------------------- */

/* "R line 405; I8, 3.4.2": keys of the catalog's sources, written out. */
static void print_sources(const char *source, FILE *out)
{
	while (*source) {
		const size_t n_key = strcspn(source, " ,;"), n = strcspn(source, ";");
		const char *name = cat_find_source(source, n_key);
		char text[512];

		snprintf(text, sizeof(text), "Source: %s%s%.*s", name ? name : "", name ? ";" : "",
			 (int)(n - (name ? n_key : 0)),
			 source + (name ? n_key + (source[n_key] == ',') : 0));
		print_words(text, 2, out);
		source += n + strspn(source + n, "; ");
	}
}

/* ---- code and commands -------------------------------------------------------------------- */

void lab_command(const struct lab_table *t, size_t run, char *out, size_t n)
{
	const struct lab_run *r = &t->l->run[run];
	char events[512];

	lab_table_events(t, events, sizeof(events));
	snprintf(out, n, "--cpu %s%s%s -e %s", t->cpu->name, *r->options ? " " : "", r->options,
		 events);
}

/* Is it the first run of these, or of all, with this program? */
static bool is_first_with(const struct lab_lesson *l, size_t run)
{
	for (size_t i = 0; i < run; i++)
		if (l->run[i].program == l->run[run].program)
			return false;
	return true;
}

static void print_symbols(const struct lab_program *p, FILE *out)
{
	for (size_t i = 0; i < p->n_symbol; i++)
		fprintf(out, "%s%s = %.0f", i ? ", " : "; ", p->symbol[i].name, p->symbol[i].value);
	fprintf(out, "%s\n", p->bits == 32 ? "; 32-bit code" : "");
}

static void print_programs(const struct lab_table *t, bool of_try, FILE *out)
{
	for (size_t i = 0; i < t->l->n_run; i++) {
		const struct lab_run *r = &t->l->run[i];
		const struct lab_program *p = &t->l->program[r->program];
		bool is_shown = false;

		if (r->is_of_try != of_try || !is_first_with(t->l, i))
			continue;
		for (size_t k = 0; k < i; k++)
			is_shown |= lab_program_body(t->l, t->l->run[k].program) ==
				    lab_program_body(t->l, r->program);
		fprintf(out, "\n  %s", p->name);
		print_symbols(p, out);
		if (is_shown)
			fprintf(out, "    the same lines\n");
		else
			print_code(lab_program_body(t->l, r->program), out);
	}
}

/* A command line that a shell takes as it stands: words in lines of WIDTH, a backslash where one
 * goes on. */
static void print_command(const char *options, const char *program, FILE *out)
{
	char whole[1200];
	size_t at = 0;

	snprintf(whole, sizeof(whole), "$ softpmu stat %s -- ./%s", options, program);
	for (const char *p = whole; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (at && at + 1 + n + 2 > WIDTH) {
			fputs(" \\\n     ", out);
			at = 5;
		}
		while (at + 1 + n + 2 > WIDTH &&
		       memrchr(p, ',', n)) /* a longer list of events: -e may be repeated */
			n = (size_t)((const char *)memrchr(p, ',', n) - p);
		at += (size_t)fprintf(out, "%s%.*s", at ? " " : "  ", (int)n, p);
		p += n;
		if (*p == ',') {
			p++;
			at += (size_t)fprintf(out, " -e");
		}
	}
	fputc('\n', out);
}

static void print_commands(const struct lab_table *t, bool of_try, FILE *out)
{
	char command[1024];

	fputc('\n', out);
	for (size_t i = 0; i < t->l->n_run; i++) {
		const struct lab_run *r = &t->l->run[i];

		if (r->is_of_try != of_try)
			continue;
		lab_command(t, i, command, sizeof(command));
		print_command(command, t->l->program[r->program].name, out);
	}
}

/* ---- numbers ------------------------------------------------------------------------------ */

static void number_text(const struct lab_number *n, char out[32])
{
	if (n->is_known)
		lab_number_text(n->value, out);
	else
		snprintf(out, 32, "<%s>", n->why ? n->why : "none");
}

/* Width of a column: of its name and numbers. */
static int column_width(const struct lab_table *t, size_t column)
{
	size_t width = strlen(t->l->column[column].name);
	char text[32];

	for (size_t i = 0; i < t->l->n_run; i++) {
		number_text(&t->row[i].number[column], text);
		if (t->row[i].is_done && strlen(text) > width)
			width = strlen(text);
	}
	return (int)width;
}

/* What a row is called: its run, and in a try the program, where it is another than the run of
 * that name had before; is_short: the program alone. */
static const char *row_name(const struct lab_lesson *l, size_t run, bool is_short, char out[96])
{
	const struct lab_run *r = &l->run[run];
	bool is_other = false;

	for (size_t i = 0; i < run && r->is_of_try; i++)
		if (!l->run[i].is_of_try && !strcmp(l->run[i].name, r->name))
			is_other = l->run[i].program != r->program;
	if (is_other && is_short)
		snprintf(out, 96, "%s", l->program[r->program].name);
	else
		snprintf(out, 96, is_other ? "%s (%s)" : "%s", r->name,
			 l->program[r->program].name);
	return out;
}

/* Of the rows of one table. */
static int name_width(const struct lab_lesson *l, bool of_try, bool is_short)
{
	size_t width = 4;
	char name[96];

	for (size_t i = 0; i < l->n_run; i++)
		if (l->run[i].is_of_try == of_try && strlen(row_name(l, i, is_short, name)) > width)
			width = strlen(name);
	return (int)width;
}

static void print_table(const struct lab_table *t, bool of_try, FILE *out)
{
	bool is_short = false;
	int width = name_width(t->l, of_try, false);
	size_t all = (size_t)width + 2;
	char text[32], name[96];

	for (size_t c = 0; c < t->l->n_column; c++)
		all += lab_table_has(t, c) ? (size_t)column_width(t, c) + 2 : 0;
	if (all > WIDTH) {
		is_short = true;
		width = name_width(t->l, of_try, true);
	}

	fprintf(out, "\n  %-*s", width, "");
	for (size_t c = 0; c < t->l->n_column; c++)
		if (lab_table_has(t, c))
			fprintf(out, "  %*s", column_width(t, c), t->l->column[c].name);
	fputc('\n', out);
	for (size_t i = 0; i < t->l->n_run; i++) {
		if (t->l->run[i].is_of_try != of_try)
			continue;
		fprintf(out, "  %-*s", width, row_name(t->l, i, is_short, name));
		for (size_t c = 0; c < t->l->n_column; c++) {
			if (!lab_table_has(t, c))
				continue;
			number_text(&t->row[i].number[c], text);
			fprintf(out, "  %*s", column_width(t, c), text);
		}
		fputc('\n', out);
	}
}

/* A bar for each run. */
static void print_plot(const struct lab_table *t, FILE *out)
{
	const int width = name_width(t->l, false, false);
	double most = 0;
	size_t c = 0;
	char text[32];

	while (c < t->l->n_column &&
	       !(t->l->plot && !strcmp(t->l->column[c].name, t->l->plot) && lab_table_has(t, c)))
		c++;
	if (c == t->l->n_column)
		return;
	for (size_t i = 0; i < t->l->n_run; i++)
		if (!t->l->run[i].is_of_try)
			most = fmax(most, t->row[i].number[c].value);
	fprintf(out, "\n  %s\n", t->l->plot);
	for (size_t i = 0; i < t->l->n_run && most > 0; i++) {
		const double value = t->row[i].number[c].value;

		if (t->l->run[i].is_of_try)
			continue;
		lab_number_text(value, text);
		fprintf(out, "  %-*s  %*s ", width, t->l->run[i].name, column_width(t, c), text);
		for (int k = 0; k < (int)(value / most * BAR + 0.5); k++)
			fputc('#', out);
		fputc('\n', out);
	}
}

/* ---- claims ------------------------------------------------------------------------------- */

static int print_claim(const struct lab_table *t, size_t i, bool with_try, const char *yes,
		       const char *no, FILE *out, struct spmu_error *err)
{
	struct lab_verdict v;
	char left[32], right[32];
	const int rc = lab_table_claim(t, i, with_try, &v, err);

	if (rc)
		return rc;
	lab_number_text(v.left, left);
	lab_number_text(v.right, right);
	fprintf(out, "    %s\n        %s and %s: %s\n", t->l->claim[i].text, left, right,
		v.holds ? yes : no);
	return 0;
}

static int print_claims(const struct lab_table *t, bool of_try, FILE *out, struct spmu_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < t->l->n_claim && !rc; i++)
		if (t->l->claim[i].is_of_try == of_try &&
		    lab_names_have(t->l->claim[i].cpus, t->cpu))
			rc = print_claim(t, i, of_try, "holds", "DOES NOT HOLD", out, err);
	return rc;
}

int lab_print(const struct lab_table *t, FILE *out, struct spmu_error *err)
{
	const int answer = lab_table_answer(t);
	int rc;

	fprintf(out, "Lesson %u: %s\n", t->l->number, t->l->title);
	fprintf(out, "  On %s\n", t->cpu->text);
	print_sources(t->l->source, out);
	fputc('\n', out);
	print_words(t->l->question, 2, out);
	print_programs(t, false, out);
	print_commands(t, false, out);
	print_table(t, false, out);
	print_plot(t, out);
	fprintf(out, "\nAnswer\n");
	print_texts(t->l->answer, t->l->n_answer, t->cpu, out);
	rc = print_claims(t, false, out, err);
	fprintf(out, "\nTry\n");
	print_texts(t->l->change, t->l->n_change, t->cpu, out);
	print_programs(t, true, out);
	print_commands(t, true, out);
	print_table(t, true, out);
	fputc('\n', out);
	if (!rc)
		rc = print_claims(t, true, out, err);
	if (!rc && answer >= 0)
		rc = print_claim(t, (size_t)answer, true, "STILL HOLDS",
				 "does not hold any more, as it should", out, err);
	return rc;
}

/* The lesson's processors, or their families where the names are long. */
static const char *processors(const struct lab_lesson *l)
{
	const struct cat_cpu *p5 = cat_find_cpu("pentium-mmx"), *p6 = cat_find_cpu("pentium3");

	if (strlen(l->cpus) <= LIST_CPUS)
		return l->cpus;
	if (lab_lesson_is_for(l, p5) && lab_lesson_is_for(l, p6))
		return "Pentium, P6";
	return lab_lesson_is_for(l, p6) ? "P6" : "Pentium";
}

int lab_print_list(FILE *out, struct spmu_error *err)
{
	const size_t n = lab_n_lessons();
	struct lab_lesson l;
	int rc = 0;

	for (unsigned i = 1; i <= n && !rc; i++) {
		rc = lab_lesson_open(i, &l, err);
		if (!rc)
			fprintf(out, "%4u  %-52s %s\n", i, l.title, processors(&l));
		lab_lesson_free(&l);
	}
	if (!rc)
		fprintf(out,
			"softpmu lab N runs one, softpmu lab N --cpu NAME on another processor\n");
	return rc;
}
