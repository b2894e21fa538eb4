/* lesson.h -- a lesson of the laboratory: a question, the programs that answer it, what is counted
 * of them, and claims.
 *
 * A lesson is one file, src/lab/lessons/NN-name.lesson; docs/HOWTO_LESSON.md says how it is
 * written. tools/lab-programs.sh assembles its programs when softpmu is built; this room reads the
 * rest when a lesson is opened.
 */
#ifndef SOFTPMU_LAB_LESSON_H
#define SOFTPMU_LAB_LESSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "catalog/catalog.h"

enum {
	LAB_PROGRAMS = 16,
	LAB_RUNS = 16,	  /* those of the try included */
	LAB_COLUMNS = 12, /* events and figures of a table */
	LAB_CLAIMS = 24,
	LAB_SYMBOLS = 6,
	LAB_PARTS = 64, /* rows of text of all kinds */
};

/* A processor's name, a family (p5, p6), or several of them behind each other; NULL: every
 * processor of the lesson. */
typedef const char *lab_names;

struct lab_symbol {
	const char *name;
	double value;
};

struct lab_program {
	const char *name;
	unsigned bits; /* 32 or 64 */
	struct lab_symbol symbol[LAB_SYMBOLS];
	size_t n_symbol;
	/* assembly text, each line with a tab before it; "": that of the program before it */
	const char *body;
};

struct lab_run {
	const char *name;
	const char *options; /* of softpmu stat; "" = none */
	size_t program;	     /* its place in the lesson */
	bool is_of_try;
};

/* A column of the table: an event that is counted, or a figure worked out from other columns of
 * the row. */
struct lab_column {
	const char *name;
	const char *event;   /* as behind -e; NULL: a figure */
	const char *formula; /* NULL: an event */
	lab_names cpus;
};

struct lab_claim {
	const char *text;
	lab_names cpus;
	bool is_of_try;
};

/* A paragraph that holds for some processors. */
struct lab_text {
	const char *text; /* lines with a tab before each */
	lab_names cpus;
};

struct lab_lesson {
	unsigned number;
	const char *name; /* "volatile" */
	const char *title, *source;
	const char *question;
	lab_names cpus;	  /* for which its claims are asserted; the first is the default */
	const char *plot; /* "COLUMN [RUN...]"; NULL: none */
	struct lab_program program[LAB_PROGRAMS];
	struct lab_run run[LAB_RUNS];
	struct lab_column column[LAB_COLUMNS];
	/* the first that holds for a processor is its answer, and what the try turns */
	struct lab_claim claim[LAB_CLAIMS];
	struct lab_text answer[8], change[8]; /* change: what is tried */
	size_t n_program, n_run, n_column, n_claim, n_answer, n_change;
	char *own; /* the texts; owned */
};

/* A file that softpmu carries inside. */
struct lab_file {
	const char *name; /* "07-miss-ratio.lesson", "07-chain": NN and the program's name */
	const char *begin, *end;
};

/* Files whose names begin with `begin`: number i of them, 0..; NULL behind the last. They stand
 * in the order of names. */
const struct lab_file *lab_file_at(const char *begin, size_t i);

/* Number of lessons. */
size_t lab_n_lessons(void);

/* Read lesson `number`, 1... Returns 0; -SPMU_EINVAL with the line that is wrong; -SPMU_ENOMEM.
 * lab_lesson_free() in every case. */
int lab_lesson_open(unsigned number, struct lab_lesson *out, struct spmu_error *err);

/* As lab_lesson_open(), of a text; name: the file's, for messages. */
int lab_lesson_read(const char *name, const char *text, size_t n, struct lab_lesson *out,
		    struct spmu_error *err);
void lab_lesson_free(struct lab_lesson *l);

/* Is cpu, or its family, among the names? */
bool lab_names_have(lab_names names, const struct cat_cpu *cpu);

/* Can the lesson be shown on cpu: is a processor of its family, and of no later class, among those
 * that it names? */
bool lab_lesson_is_for(const struct lab_lesson *l, const struct cat_cpu *cpu);

/* Name number i, 0.., of the lesson's processors. Returns false behind the last. */
bool lab_name_at(lab_names names, size_t i, char out[32]);

/* Programs built from the lesson: the file's bytes, or NULL. */
const struct lab_file *lab_program_file(const struct lab_lesson *l, size_t program);

/* The text that an assembler takes: what all programs begin and end with, and the program's own
 * lines. */
const char *lab_prelude(void), *lab_epilogue(void);
const char *lab_program_body(const struct lab_lesson *l, size_t program);

#endif
