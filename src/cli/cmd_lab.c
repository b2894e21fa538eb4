/* cmd_lab.c -- softpmu lab: lessons, each a question that an experiment answers.
 *
 * A lesson's runs are those of softpmu stat with the options that the lesson prints: they are
 * read by the same code. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/lab_run.h"
#include "cli/options.h"
#include "cli/search.h"
#include "lab/print.h"

struct lab_options {
	const struct cat_cpu *cpu;
	const char *save;
	bool is_all, is_check;
};

static int read_options(struct lab_options *o, int argc, char **argv, const char **lesson,
			int *help)
{
	const char *value;
	int option;

	for (;;) {
		while ((option = cli_next_option(argc, argv, 'B', &value)) >= 0 &&
		       option != OPT_END) {
			if (option == OPT_help)
				return *help = option, 0;
			if (option == OPT_cpu && !(o->cpu = cli_find_cpu("cpu", value)))
				return CLI_FAILED;
			o->save = option == OPT_save ? value : o->save;
			o->is_all |= option == OPT_all;
			o->is_check |= option == OPT_check;
		}
		if (option < 0)
			return CLI_FAILED;
		if (cli_first_argument() >= argc)
			return 0;
		if (*lesson)
			return cli_fail("lab %s %s: one lesson at a time, or --all", *lesson,
					argv[cli_first_argument()]);
		*lesson = argv[cli_first_argument()];
		cli_skip_argument();
	}
}

static int parse_number(const char *word, unsigned *out)
{
	char *end;
	const unsigned long n = strtoul(word, &end, 10);

	if (*end || end == word || n < 1 || n > lab_n_lessons())
		return cli_fail("lab %s: there are lessons 1 to %zu; softpmu lab lists them", word,
				lab_n_lessons());
	*out = (unsigned)n;
	return 0;
}

/* ---- save --------------------------------------------------------------------------------- */

static int write_bytes(const char *dir, const char *name, const void *bytes, size_t n, mode_t mode)
{
	char path[4200];
	FILE *f;
	int rc;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	rc = !f || fwrite(bytes, 1, n, f) != n;
	if (f && (fclose(f) || chmod(path, mode)))
		rc = 1;
	return rc ? cli_fail("--save %s: %s cannot be written: %s", dir, name, strerror(errno)) : 0;
}

static void source_text(const struct lab_lesson *l, size_t program, struct text *out)
{
	const struct lab_program *p = &l->program[program];

	text_printf(out,
		    "# as --%u -o %s.o %s.s && ld -m %s -static -z noseparate-code -s -o %s "
		    "%s.o\n\t.set wide, %d\n",
		    p->bits, p->name, p->name, p->bits == 32 ? "elf_i386" : "elf_x86_64", p->name,
		    p->name, p->bits == 64);
	for (size_t i = 0; i < p->n_symbol; i++)
		text_printf(out, "\t.set %s, %.0f\n", p->symbol[i].name, p->symbol[i].value);
	text_printf(out, "%s%s\n%s", lab_prelude(), lab_program_body(l, program), lab_epilogue());
}

/* Programs with their sources, and the command lines that run them. */
static int save_lesson(const struct lab_lesson *l, const struct cat_cpu *cpu, const char *dir)
{
	struct lab_table t = {.l = l, .cpu = cpu};
	struct text text = {0};
	char name[64], command[1024];
	int code = 0;

	if (mkdir(dir, 0777) && errno != EEXIST)
		return cli_fail("--save %s: %s", dir, strerror(errno));
	for (size_t i = 0; i < l->n_program && !code; i++) {
		const struct lab_file *f = lab_program_file(l, i);

		code = write_bytes(dir, l->program[i].name, f->begin, (size_t)(f->end - f->begin),
				   0755);
		source_text(l, i, &text);
		snprintf(name, sizeof(name), "%s.s", l->program[i].name);
		if (!code)
			code = write_bytes(dir, name, text_get(&text), text.n, 0644);
		text_free(&text);
	}
	text_printf(&text, "#!/bin/sh\n# Lesson %u: %s\n", l->number, l->title);
	for (size_t i = 0; i < l->n_run; i++) {
		lab_command(&t, i, command, sizeof(command));
		text_printf(&text, "softpmu stat %s -- ./%s\n", command,
			    l->program[l->run[i].program].name);
	}
	if (!code)
		code = write_bytes(dir, "run.sh", text_get(&text), text.n, 0755);
	text_free(&text);
	if (!code)
		printf("Lesson %u is in %s: programs, their sources, and run.sh with the command "
		       "lines\n",
		       l->number, dir);
	return code;
}

/* ---- lessons ------------------------------------------------------------------------------ */

static int choose_cpu(const struct lab_lesson *l, const struct lab_options *o,
		      const struct cat_cpu **out)
{
	char name[32];

	if (o->cpu && !lab_lesson_is_for(l, o->cpu))
		return cli_fail("lab %u --cpu %s: this lesson is for %s; choose one of these",
				l->number, o->cpu->name, l->cpus);
	*out = o->cpu;
	if (!o->cpu && lab_name_at(l->cpus, 0, name))
		*out = cat_find_cpu(name);
	return *out ? 0
		    : cli_fail("lesson %u: its first processor is none: %s", l->number, l->cpus);
}

static int show_lesson(unsigned number, const struct lab_options *o)
{
	struct lab_table t = {0};
	struct lab_lesson l;
	struct spmu_error err;
	int code;

	code = lab_lesson_open(number, &l, &err) ? cli_complain(&err) : 0;
	t.l = &l;
	if (!code)
		code = choose_cpu(&l, o, &t.cpu);
	if (!code && o->save)
		code = save_lesson(&l, t.cpu, o->save);
	else if (!code) {
		code = cli_lab_run(&t);
		if (!code && lab_print(&t, stdout, &err))
			code = cli_complain(&err);
	}
	lab_lesson_free(&l);
	return code;
}

/* ---- check -------------------------------------------------------------------------------- */

struct tally {
	unsigned n_passed, n_failed;
};

static void say_verdict(struct tally *n, bool is_good, const struct lab_table *t, const char *what,
			const char *text, const struct lab_verdict *v)
{
	n->n_passed += is_good;
	n->n_failed += !is_good;
	if (!is_good)
		printf("FAIL lesson %u (%s) on %s: %s: %s: %.6g and %.6g\n", t->l->number,
		       t->l->name, t->cpu->name, what, text, v->left, v->right);
}

static void check_claim(struct tally *n, const struct lab_table *t, size_t i, bool with_try,
			bool wanted, const char *what)
{
	struct lab_verdict v = {0};
	struct spmu_error err;

	if (lab_table_claim(t, i, with_try, &v, &err))
		say_verdict(n, false, t, what, err.text, &v);
	else
		say_verdict(n, v.holds == wanted, t, what, t->l->claim[i].text, &v);
}

/* Every claim of the lesson on one of its processors; and with the try the answer must not hold. */
static int check_on(struct tally *n, const struct lab_lesson *l, const struct cat_cpu *cpu)
{
	struct lab_table t = {.l = l, .cpu = cpu};
	const int code = cli_lab_run(&t);
	int answer;

	if (code)
		return code;
	for (size_t i = 0; i < l->n_claim; i++)
		if (lab_names_have(l->claim[i].cpus, cpu))
			check_claim(n, &t, i, l->claim[i].is_of_try, true, "claim does not hold");
	answer = lab_table_answer(&t);
	if (answer >= 0)
		check_claim(n, &t, (size_t)answer, true, false, "the try does not turn");
	else
		say_verdict(n, false, &t, "no claim", "", &(struct lab_verdict){0});
	return 0;
}

static int check_lesson(unsigned number, const struct lab_options *o, struct tally *n)
{
	struct lab_lesson l;
	struct spmu_error err;
	char name[32];
	int code = lab_lesson_open(number, &l, &err) ? cli_complain(&err) : 0;

	for (size_t i = 0; !code && lab_name_at(l.cpus, i, name); i++) {
		const struct cat_cpu *cpu = cli_find_cpu("cpu", name);

		if (!cpu)
			code = CLI_FAILED;
		else if (!o->cpu || o->cpu == cpu)
			code = check_on(n, &l, cpu);
	}
	lab_lesson_free(&l);
	return code;
}

static int check_all(unsigned first, unsigned last, const struct lab_options *o)
{
	struct tally n = {0};
	int code = 0;

	for (unsigned i = first; i <= last && !code; i++)
		code = check_lesson(i, o, &n);
	printf("%u passed, %u failed\n", n.n_passed, n.n_failed);
	return code ? code : n.n_failed ? 1 : 0;
}

/* Lessons whose title or name has the word, with their numbers. Returns how many. */
static unsigned list_lessons_of(const char *word)
{
	unsigned n = 0;

	for (unsigned i = 1; i <= lab_n_lessons(); i++) {
		struct lab_lesson l;
		struct spmu_error err;

		if (!lab_lesson_open(i, &l, &err) &&
		    (cli_has_word(l.title, strlen(l.title), word) ||
		     cli_has_word(l.name, strlen(l.name), word))) {
			printf("%4u  %s\n", i, l.title);
			n++;
		}
		lab_lesson_free(&l);
	}
	return n;
}

int cmd_lab(int argc, char **argv)
{
	struct lab_options o = {0};
	const char *lesson = NULL;
	unsigned first = 1, last = (unsigned)lab_n_lessons();
	struct spmu_error err;
	int help = 0;
	int code = read_options(&o, argc, argv, &lesson, &help);

	if (help)
		return cli_help(argv[0], help);
	if (!code && lesson && o.is_all)
		code = cli_fail("lab %s --all: one lesson or all of them; choose", lesson);
	if (!code && o.save && !lesson)
		code = cli_fail("lab --save %s: of which lesson? write softpmu lab N --save %s",
				o.save, o.save);
	if (!code && lesson && !o.save && !o.is_check && !isdigit((unsigned char)*lesson) &&
	    list_lessons_of(lesson))
		return cli_close_stdout(0);
	if (!code && lesson) {
		code = parse_number(lesson, &first);
		last = first;
	}
	if (code)
		return code;
	if (o.is_check)
		code = check_all(first, last, &o);
	else if (!lesson && !o.is_all)
		code = lab_print_list(stdout, &err) ? cli_complain(&err) : 0;
	else
		for (unsigned i = first; i <= last && !code; i++) {
			if (i > first)
				putchar('\n');
			code = show_lesson(i, &o);
		}
	return cli_close_stdout(code);
}
