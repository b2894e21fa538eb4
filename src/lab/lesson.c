/* lesson.c -- reads lessons. */
#include "lab/lesson.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader is. */
struct reader {
	const char *file;
	char *at;      /* next line */
	unsigned line; /* of the present one, from 1 */
	bool is_in_try;
	struct lab_lesson *l;
	struct spmu_error *err;
};

static int complain(const struct reader *r, const char *what, const char *word)
{
	return spmu_fail(r->err, SPMU_EINVAL, "%s:%u: %s%s", r->file, r->line, what, word);
}

/* Cut the next line off. Returns NULL at the end. */
static char *next_line(struct reader *r)
{
	char *line = r->at, *end;

	if (!line || !*line)
		return NULL;
	end = strchr(line, '\n');
	if (end)
		*end = 0;
	r->at = end ? end + 1 : NULL;
	r->line++;
	return line;
}

/* Join the lines that begin with a tab, and empty ones between them, into one text. "" when
 * there is none. */
static const char *take_text(struct reader *r)
{
	char *begin = r->at, *end = begin, *p = begin;
	const unsigned line = r->line;

	while (p && (*p == '\t' || *p == '\n')) {
		char *nl = strchr(p, '\n');

		r->line++;
		if (*p == '\t')
			end = nl ? nl : p + strlen(p);
		p = nl ? nl + 1 : NULL;
	}
	if (end == begin) {
		r->line = line;
		return "";
	}
	r->at = p;
	/* The byte behind the text is a newline or the end; the next line begins behind it. */
	*end = 0;
	return begin;
}

static char *skip_blanks(char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

/* Cut a word off at *p. NULL when there is none. */
static char *take_word(char **p)
{
	char *word = skip_blanks(*p), *end;

	if (!*word)
		return NULL;
	for (end = word; *end && !isspace((unsigned char)*end); end++)
		;
	*p = *end ? end + 1 : end;
	*end = 0;
	return word;
}

static bool is_room(const struct reader *r, size_t n, size_t most)
{
	if (n < most)
		return true;
	complain(r, "too many of these", "");
	return false;
}

/* program NAME [bits=32] [SYMBOL=NUMBER]... and its lines */
static int read_program(struct reader *r, char *rest)
{
	struct lab_program *p = &r->l->program[r->l->n_program];
	char *word;

	if (!is_room(r, r->l->n_program, LAB_PROGRAMS))
		return -SPMU_EINVAL;
	*p = (struct lab_program){.name = take_word(&rest), .bits = 64};
	if (!p->name)
		return complain(r, "a program has a name", "");
	while ((word = take_word(&rest))) {
		char *equals = strchr(word, '='), *end;
		double value;

		if (!equals)
			return complain(r, "SYMBOL=NUMBER is wanted, not ", word);
		*equals = 0;
		value = strtod(equals + 1, &end);
		if (*end)
			return complain(r, "a number is wanted behind = of ", word);
		if (!strcmp(word, "bits")) {
			p->bits = (unsigned)value;
			continue;
		}
		if (!is_room(r, p->n_symbol, LAB_SYMBOLS))
			return -SPMU_EINVAL;
		p->symbol[p->n_symbol++] = (struct lab_symbol){word, value};
	}
	p->body = take_text(r);
	if (!*p->body && !r->l->n_program)
		return complain(r, "no lines of code below program ", p->name);
	r->l->n_program++;
	return 0;
}

/* run NAME [PROGRAM [OPTIONS]] */
static int read_run(struct reader *r, char *rest)
{
	struct lab_run *run = &r->l->run[r->l->n_run];
	const char *program;

	if (!is_room(r, r->l->n_run, LAB_RUNS))
		return -SPMU_EINVAL;
	*run = (struct lab_run){.name = take_word(&rest), .is_of_try = r->is_in_try};
	if (!run->name)
		return complain(r, "a run has a name", "");
	program = take_word(&rest);
	if (!program)
		program = run->name;
	run->options = skip_blanks(rest);
	for (size_t i = 0; i < r->l->n_program; i++)
		if (!strcmp(r->l->program[i].name, program)) {
			run->program = i;
			r->l->n_run++;
			return 0;
		}
	return complain(r, "no such program above: ", program);
}

/* events [CPUS]: NAME=EVENT ... */
static int read_events(struct reader *r, lab_names cpus, char *rest)
{
	char *word;

	while ((word = take_word(&rest))) {
		char *equals = strchr(word, '=');

		if (!equals)
			return complain(r, "NAME=EVENT is wanted, not ", word);
		if (!is_room(r, r->l->n_column, LAB_COLUMNS))
			return -SPMU_EINVAL;
		*equals = 0;
		r->l->column[r->l->n_column++] =
		    (struct lab_column){.name = word, .event = equals + 1, .cpus = cpus};
	}
	return 0;
}

/* figure [CPUS]: NAME = FORMULA */
static int read_figure(struct reader *r, lab_names cpus, char *rest)
{
	char *name = take_word(&rest);
	char *equals = name ? take_word(&rest) : NULL;

	if (!equals || strcmp(equals, "="))
		return complain(r, "NAME = FORMULA is wanted", "");
	if (!is_room(r, r->l->n_column, LAB_COLUMNS))
		return -SPMU_EINVAL;
	r->l->column[r->l->n_column++] =
	    (struct lab_column){.name = name, .formula = skip_blanks(rest), .cpus = cpus};
	return 0;
}

static int read_claim(struct reader *r, lab_names cpus, char *rest)
{
	if (!is_room(r, r->l->n_claim, LAB_CLAIMS))
		return -SPMU_EINVAL;
	r->l->claim[r->l->n_claim++] =
	    (struct lab_claim){.text = skip_blanks(rest), .cpus = cpus, .is_of_try = r->is_in_try};
	return 0;
}

static int read_paragraph(struct reader *r, lab_names cpus, struct lab_text *to, size_t *n)
{
	if (!is_room(r, *n, 8))
		return -SPMU_EINVAL;
	to[*n] = (struct lab_text){.text = take_text(r), .cpus = cpus};
	if (!*to[*n].text)
		return complain(r, "text is wanted, with a tab before each line", "");
	++*n;
	return 0;
}

/* A line KEYWORD [NAMES]: REST. */
static int read_line(struct reader *r, char *line)
{
	char *colon = strchr(line, ':'), *head = line, *names, *rest;
	const char *word;

	if (!strncmp(line, "program ", 8))
		return read_program(r, line + 8);
	if (!strncmp(line, "run ", 4))
		return read_run(r, line + 4);
	if (!colon)
		return complain(r, "no keyword that a lesson has: ", line);
	*colon = 0;
	rest = skip_blanks(colon + 1);
	word = take_word(&head);
	names = skip_blanks(head);
	if (!*names)
		names = NULL;
	if (!word)
		return complain(r, "a keyword is missing before the colon", "");
	if (!strcmp(word, "title"))
		r->l->title = rest;
	else if (!strcmp(word, "source"))
		r->l->source = rest;
	else if (!strcmp(word, "cpus"))
		r->l->cpus = rest;
	else if (!strcmp(word, "plot"))
		r->l->plot = rest;
	else if (!strcmp(word, "question"))
		r->l->question = take_text(r);
	else if (!strcmp(word, "events"))
		return read_events(r, names, rest);
	else if (!strcmp(word, "figure"))
		return read_figure(r, names, rest);
	else if (!strcmp(word, "claim"))
		return read_claim(r, names, rest);
	else if (!strcmp(word, "answer"))
		return read_paragraph(r, names, r->l->answer, &r->l->n_answer);
	else if (!strcmp(word, "try")) {
		r->is_in_try = true;
		return read_paragraph(r, names, r->l->change, &r->l->n_change);
	} else
		return complain(r, "no keyword that a lesson has: ", word);
	return 0;
}

/* Is everything there that a lesson needs? */
static int check(const struct reader *r)
{
	const struct lab_lesson *l = r->l;
	bool has_change = false, has_answer = false;

	for (size_t i = 0; i < l->n_run; i++)
		has_change |= l->run[i].is_of_try;
	for (size_t i = 0; i < l->n_claim; i++)
		has_answer |= !l->claim[i].is_of_try;
	if (!l->title || !l->source || !l->cpus || !l->question || !*l->question)
		return complain(r, "title, source, cpus or question is missing", "");
	if (!l->n_answer || !l->n_change || !l->n_column || !has_change || !has_answer)
		return complain(r, "events, answer, a claim, try or a run below it is missing", "");
	return 0;
}

/* 07-miss-ratio.lesson */
static int read_name(struct reader *r, char *name)
{
	char *dash, *dot;

	r->l->number = (unsigned)strtoul(name, &dash, 10);
	dot = strstr(name, ".lesson");
	if (!r->l->number || *dash != '-' || !dot)
		return spmu_fail(r->err, SPMU_EINVAL, "%s: a lesson's file is named NN-NAME.lesson",
				 name);
	*dot = 0;
	r->l->name = dash + 1;
	return 0;
}

int lab_lesson_read(const char *name, const char *text, size_t n, struct lab_lesson *out,
		    struct spmu_error *err)
{
	struct reader r = {.file = name, .l = out, .err = err};
	const size_t n_name = strlen(name) + 1;
	char *line;
	int rc;

	memset(out, 0, sizeof(*out));
	out->own = malloc(n_name + n + 1);
	if (!out->own)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory");
	memcpy(out->own, name, n_name);
	memcpy(out->own + n_name, text, n);
	out->own[n_name + n] = 0;
	r.at = out->own + n_name;
	rc = read_name(&r, out->own);
	while (!rc && (line = next_line(&r)))
		if (*line && *line != '#')
			rc = read_line(&r, line);
	return rc ? rc : check(&r);
}

void lab_lesson_free(struct lab_lesson *l)
{
	free(l->own);
	memset(l, 0, sizeof(*l));
}

bool lab_name_at(lab_names names, size_t i, char out[32])
{
	for (const char *p = names; p && *p; p += strcspn(p, " ")) {
		p += strspn(p, " ");
		if (*p && !i--) {
			snprintf(out, 32, "%.*s", (int)strcspn(p, " "), p);
			return true;
		}
	}
	return false;
}

static const char *family_name(const struct cat_cpu *cpu)
{
	return cpu->family == CAT_P5 ? "p5" : cpu->family == CAT_P6 ? "p6" : "";
}

bool lab_names_have(lab_names names, const struct cat_cpu *cpu)
{
	char name[32];

	for (size_t i = 0; lab_name_at(names, i, name); i++)
		if (!strcmp(name, cpu->name) || !strcmp(name, family_name(cpu)))
			return true;
	return !names;
}

bool lab_lesson_is_for(const struct lab_lesson *l, const struct cat_cpu *cpu)
{
	char name[32];

	for (size_t i = 0; lab_name_at(l->cpus, i, name); i++) {
		const struct cat_cpu *one = cat_find_cpu(name);

		if (one && one->family == cpu->family && one->cpu_class <= cpu->cpu_class)
			return true;
	}
	return false;
}

/* ---- files -------------------------------------------------------------------------------- */

extern const struct lab_file lab_files[]; /* build/gen/lab_files.S; the last has no name */

const struct lab_file *lab_file_at(const char *begin, size_t i)
{
	for (const struct lab_file *f = lab_files; f->name; f++)
		if (!strncmp(f->name, begin, strlen(begin)) && !i--)
			return f;
	return NULL;
}

static bool is_lesson(const struct lab_file *f)
{
	const size_t n = strlen(f->name);

	return n > 7 && !strcmp(f->name + n - 7, ".lesson");
}

size_t lab_n_lessons(void)
{
	size_t n = 0;

	for (const struct lab_file *f = lab_files; f->name; f++)
		n += is_lesson(f);
	return n;
}

int lab_lesson_open(unsigned number, struct lab_lesson *out, struct spmu_error *err)
{
	const struct lab_file *f;
	char begin[16];

	memset(out, 0, sizeof(*out));
	snprintf(begin, sizeof(begin), "%02u-", number);
	for (size_t i = 0; (f = lab_file_at(begin, i)); i++)
		if (is_lesson(f))
			return lab_lesson_read(f->name, f->begin, (size_t)(f->end - f->begin), out,
					       err);
	return spmu_fail(err, SPMU_EINVAL,
			 "lesson %u: there are lessons 1 to %zu; softpmu lab lists them", number,
			 lab_n_lessons());
}

static const struct lab_file *file_named(const char *name)
{
	const struct lab_file *f = lab_file_at(name, 0);

	for (size_t i = 1; f && strcmp(f->name, name); i++)
		f = lab_file_at(name, i);
	return f;
}

const struct lab_file *lab_program_file(const struct lab_lesson *l, size_t program)
{
	char name[64];

	snprintf(name, sizeof(name), "%02u-%s", l->number, l->program[program].name);
	return file_named(name);
}

const char *lab_prelude(void)
{
	return file_named("prelude.s")->begin;
}

const char *lab_epilogue(void)
{
	return file_named("epilogue.s")->begin;
}

const char *lab_program_body(const struct lab_lesson *l, size_t program)
{
	while (program && !*l->program[program].body)
		program--;
	return l->program[program].body;
}
