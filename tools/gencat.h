/* gencat.h -- the catalog as gencat holds it between reading, checking and writing.
 *
 * A host program that runs once per build. Every row keeps its file and line, so that a complaint
 * names the place to mend.
 */
#ifndef GENCAT_H
#define GENCAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	MAX_COL = 24,
	MAX_WIRE = 64,
	MAX_UMASK = 24,
	MAX_ALIAS = 24,
	MAX_GROUP = 100,
	MAX_NAME = 23 /* letters of an event's name that has no short one */
};

struct place {
	const char *file;
	int line;
};

/* One line of a TSV file, split at its tabs. */
struct row {
	struct place at;
	int n;
	char *col[MAX_COL];
};

struct table {
	struct row *row;
	size_t n, room;
};

/* One family of processors: a folder of the catalog. */
struct family {
	const char *name;	 /* folder: "toy", "p5", "p6" */
	const char *wire_prefix; /* "TOY", "P5", "P6" */
	const char *cat;	 /* enumerator of enum cat_family */
};

/* The tables in its folder. */
struct family_tables {
	struct table wires, events, umasks, rules, discrepancies, diagram;
};

enum { N_FAMILY = 3, N_CLASS = 6 };

struct wire {
	struct place at;
	const char *name, *text, *unit;
	int family, tier, need, bound, owner; /* from need on: numbers of gen_need and so on */
	bool is_internal, is_used;
};

struct umask {
	int value;
	const char *name, *text;
};

#define UMASK_BITS 2 /* of struct event's umask_type: masks that add up */

/* A wire of an event and the unit masks that select it. */
struct tap {
	int mask;
	int wire;
};

struct event {
	struct place at;
	int family, code, counters, kind, umask_type, default_umask;
	uint32_t cpus;
	const char *name, *unit, *meaning, *source;
	char *note, *rule, *discrepancy;
	struct tap tap[MAX_WIRE];
	int n_tap;
	struct umask umask[MAX_UMASK];
	int n_umask;
	const char *alias[MAX_ALIAS];
	int n_alias;
	const char *short_name; /* NetBSD's or our own, NULL: none */
};

/* Another system's name of an event; has_umask: the name implies the unit mask. */
struct alias {
	struct place at;
	const char *system, *name;
	struct event *event;
	int umask;
	bool has_umask;
};

/* A group of events: one file of catalog/<family>/groups. */
struct group {
	struct place at;
	int family;
	const char *name, *text;
	const char **event;
	int n_event;
	/* of each event: its line when that has two, counted from 1; else 0 */
	unsigned char pair[256];
	int n_pair;
};

struct catalog {
	const char *root;
	struct family_tables own[N_FAMILY];
	struct table sources, processors, cpu_names, aliases, generics, software, later, metrics,
	    relations, uops, nearest, params, readings, timing, p6_timing, p6_params;
	struct wire *wire;
	size_t n_wire;
	struct event *event;
	size_t n_event;
	struct alias *alias;
	size_t n_alias;
	struct group group[MAX_GROUP];
	size_t n_group;
	int n_complaint;
	bool is_quiet; /* count complaints, do not print them */
};

extern const struct family gen_family[N_FAMILY];
extern const char *const gen_class[N_CLASS]; /* names of enum cat_cpu_class in catalog spelling */

/* gencat_memory.c: memory, zeroed, that lives until gen_free_all(). Ends the program when there
 * is none. */
void *gen_alloc(size_t bytes);
void gen_free_all(void);
char *gen_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* gencat_read.c: text files to rows. */
void gen_read_tables(struct catalog *c);
bool gen_read_table(struct catalog *c, const char *path, int n_col, struct table *out);
char *gen_read_file(const char *path);
void gen_read_notes(struct catalog *c, int family, const char *path);
void gen_read_groups(struct catalog *c, int family, const char *folder);
void gen_complain(struct catalog *c, struct place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int gen_number(struct catalog *c, struct place at, const char *text, int base, int max);

/* gencat_build.c: rows to wires and events. */
void gen_build(struct catalog *c);
int gen_find_family(const char *name);
int gen_find_wire(const struct catalog *c, int family, const char *name);
struct event *gen_find_event(struct catalog *c, int family, const char *name);
struct event *gen_find_key(struct catalog *c, int family, int code, int counters);

/* gencat_check.c: what must hold across tables. */
void gen_check(struct catalog *c);
/* "16K:4:32", "512:16" (no line) or "-" to size, ways and line; complains and returns false. */
bool gen_geometry(struct catalog *c, struct place at, const char *text, bool has_line,
		  unsigned out[3]);

/* Number of a unit of p6/timing.tsv, -1: there is none. */
int gen_p6_unit(const char *name);

/* Do the keys of a source column exist? */
void gen_check_source(struct catalog *c, struct place at, const char *text);

/* Number of the family, -1 after a complaint. */
int gen_check_family(struct catalog *c, struct place at, const char *name);

/* gencat_names.c: generics.tsv, software.tsv, cpu_names.tsv, later.tsv. */
void gen_check_names(struct catalog *c);
void gen_put_names(FILE *f, struct catalog *c);
/* "name" as a C string literal. */
void gen_put_string(FILE *f, const char *s);

/* gencat_timing.c: p5/timing.tsv. */
void gen_check_timing(struct catalog *c);
void gen_put_timing(FILE *f, struct catalog *c);

/* gencat_diagram.c: the families' diagram.tsv. */
void gen_check_diagrams(struct catalog *c);
void gen_put_diagrams(FILE *f, struct catalog *c);

/* gencat_formula.c: spelling of events, formulas. */
/* Is `text` arithmetic over events of `family`? Complains at `at`. Events may carry ":umask". */
void gen_check_formula(struct catalog *c, int family, struct place at, const char *text);
/* Event named in "NAME[:umask...]"; complains and returns NULL when there is none. */
struct event *gen_check_spelling(struct catalog *c, int family, struct place at, const char *text,
				 int *umask);

/* gencat_emit.c: the C files. Each returns false when it cannot write. */
bool gen_emit_wires(const struct catalog *c, const char *folder);
bool gen_emit_params(const struct catalog *c, const char *folder);
bool gen_emit_tables(struct catalog *c, const char *folder);

#endif
