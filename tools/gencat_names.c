/* gencat_names.c -- names that are no event's own: perf's generic and software events, other names
 * of processors.
 */
#include "gencat.h"

#include <string.h>

/* Figures of software.tsv, in the order of enum cat_software_figure behind CAT_SW_NONE. */
static const char *const figures[] = {"task_clock", "elapsed",	    "user_time",    "system_time",
				      "faults",	    "minor_faults", "major_faults", "switches"};

/* Number of the figure, 0: there is none of that name. */
static int find_figure(const char *name)
{
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		if (strcmp(figures[i], name) == 0)
			return (int)i + 1;
	return 0;
}

/* What later instructions came with, in the order of enum cat_later. */
static const char *const later[] = {"p6", "sse"};

static int find_later(const char *name)
{
	for (int i = 0; i < (int)(sizeof(later) / sizeof(later[0])); i++)
		if (strcmp(later[i], name) == 0)
			return i;
	return -1;
}

static bool is_dash(const char *text)
{
	return strcmp(text, "-") == 0;
}

/* Row of processors.tsv, -1: there is none of that name. */
static int find_processor(const struct catalog *c, const char *name)
{
	for (size_t i = 0; i < c->processors.n; i++)
		if (strcmp(c->processors.row[i].col[0], name) == 0)
			return (int)i;
	return -1;
}

void gen_check_names(struct catalog *c)
{
	for (size_t i = 0; i < c->generics.n; i++) {
		const struct row *r = &c->generics.row[i];
		int f = gen_check_family(c, r->at, r->col[1]);

		if (f >= 0 && !is_dash(r->col[2]))
			gen_check_spelling(c, f, r->at, r->col[2], NULL);
		if (is_dash(r->col[2]) && strcmp(r->col[3], "=") == 0)
			gen_complain(c, r->at, "no event that the driver could count, too: %s",
				     r->col[0]);
		if (f >= 0 && !is_dash(r->col[3]) && strcmp(r->col[3], "=") != 0)
			gen_check_spelling(c, f, r->at, r->col[3], NULL);
		if (!is_dash(r->col[5]))
			gen_check_source(c, r->at, r->col[5]);
	}
	for (size_t i = 0; i < c->software.n; i++) {
		const struct row *r = &c->software.row[i];

		if (!is_dash(r->col[1]) && !find_figure(r->col[1]))
			gen_complain(c, r->at, "no such figure: %s", r->col[1]);
	}
	for (size_t i = 0; i < c->cpu_names.n; i++) {
		const struct row *r = &c->cpu_names.row[i];

		if (find_processor(c, r->col[0]) >= 0)
			gen_complain(c, r->at, "a processor has that name: %s", r->col[0]);
		if (find_processor(c, r->col[1]) < 0)
			gen_complain(c, r->at, "no such processor: %s", r->col[1]);
	}
	for (size_t i = 0; i < c->later.n; i++) {
		const struct row *r = &c->later.row[i];

		if (find_later(r->col[1]) < 0)
			gen_complain(c, r->at, "came with p6 or sse, not %s", r->col[1]);
		gen_check_source(c, r->at, r->col[2]);
	}
}

/* ", &cat_event_table[3], 0x0f" of a spelling; "-": no event. */
static void put_event(FILE *f, struct catalog *c, const struct row *r, const char *spelling)
{
	int umask = 0;
	const struct event *e =
	    is_dash(spelling)
		? NULL
		: gen_check_spelling(c, gen_find_family(r->col[1]), r->at, spelling, &umask);

	if (e)
		fprintf(f, ", &cat_event_table[%td], 0x%02x", e - c->event, (unsigned)umask);
	else
		fprintf(f, ", NULL, 0");
}

void gen_put_names(FILE *f, struct catalog *c)
{
	fputs("const struct cat_generic cat_generic_table[] = {\n", f);
	for (size_t i = 0; i < c->generics.n; i++) {
		const struct row *r = &c->generics.row[i];

		fprintf(f, "\t{ \"%s\", ", r->col[0]);
		gen_put_string(f, r->col[4]);
		fprintf(f, ", %s", gen_family[gen_find_family(r->col[1])].cat);
		put_event(f, c, r, r->col[2]);
		put_event(f, c, r, strcmp(r->col[3], "=") == 0 ? r->col[2] : r->col[3]);
		fprintf(f, ", %d },\n", !is_dash(r->col[5]));
	}
	fprintf(f, "};\nconst size_t cat_n_generic = %zu;\n\n", c->generics.n);

	fputs("const struct cat_software cat_software_table[] = {\n", f);
	for (size_t i = 0; i < c->software.n; i++) {
		const struct row *r = &c->software.row[i];

		fprintf(f, "\t{ \"%s\", ", r->col[0]);
		gen_put_string(f, r->col[2]);
		fprintf(f, ", %d },\n", find_figure(r->col[1]));
	}
	fprintf(f, "};\nconst size_t cat_n_software = %zu;\n\n", c->software.n);

	fputs("const struct cat_cpu_name cat_cpu_name_table[] = {\n", f);
	for (size_t i = 0; i < c->cpu_names.n; i++) {
		const struct row *r = &c->cpu_names.row[i];

		fprintf(f, "\t{ \"%s\", &cat_cpu_table[%d] },\n", r->col[0],
			find_processor(c, r->col[1]));
	}
	fprintf(f, "};\nconst size_t cat_n_cpu_name = %zu;\n\n", c->cpu_names.n);

	fputs("const char *const cat_later_table[] = {\n", f);
	for (size_t k = 0; k < sizeof(later) / sizeof(later[0]); k++) {
		const char *blank = "";

		fputs("\t\"", f);
		for (size_t i = 0; i < c->later.n; i++) {
			if (find_later(c->later.row[i].col[1]) != (int)k)
				continue;
			fprintf(f, "%s%s", blank, c->later.row[i].col[0]);
			blank = " ";
		}
		fputs("\",\n", f);
	}
	fputs("};\n\n", f);
}
