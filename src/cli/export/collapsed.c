/* collapsed.c -- softpmu export collapsed: "outer;inner;innermost N", a line for each stack of the
 * event, sorted. Stacks that are called alike are one. The first name is the process's when there
 * are several. A ';' of a name becomes ':'.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/export/export.h"

struct line {
	char *stack; /* owned */
	int64_t n;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct line *)a)->stack, ((const struct line *)b)->stack);
}

static void put_name(FILE *out, const char *name)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : *name, out);
}

/* Stack i as a text of the caller's; NULL without memory. */
static char *text_of(const struct cli_export *x, const struct whr_stacks *s, uint32_t i)
{
	uint32_t way[CLI_MOST_WAY];
	const uint32_t n = cli_stack_way(s, i, way);
	char process[256], *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	if (x->rec->n_process > 1) {
		put_name(out,
			 cli_process_name(x->rec, s->stack[i].process, process, sizeof(process)));
		fputc(';', out);
	}
	for (uint32_t k = 0; k < n; k++) {
		if (k)
			fputc(';', out);
		put_name(out, s->stack[way[k]].function);
	}
	if (!(ferror(out) | fclose(out)))
		return text;
	free(text);
	return NULL;
}

static void put_lines(struct line *line, uint32_t n, FILE *out)
{
	qsort(line, n, sizeof(*line), by_text);
	for (uint32_t i = 0; i < n; i++) {
		int64_t sum = line[i].n;

		for (; i + 1 < n && !strcmp(line[i].stack, line[i + 1].stack); i++)
			sum += line[i + 1].n;
		if (sum)
			fprintf(out, "%s %" PRId64 "\n", line[i].stack, sum);
	}
}

int cli_put_collapsed(const struct cli_export *x, FILE *out)
{
	struct whr_stacks s;
	struct line *line = NULL;
	uint32_t n = 0;
	int rc = whr_stacks_build(&s, x->rec, x->names);

	if (!rc)
		line = calloc(s.n + 1u, sizeof(*line));
	rc = line ? rc : -SPMU_ENOMEM;
	for (uint32_t i = 0; i < s.n && !rc; i++) {
		if (!s.stack[i].count[x->event])
			continue;
		line[n] = (struct line){text_of(x, &s, i), s.stack[i].count[x->event]};
		rc = line[n].stack ? 0 : -SPMU_ENOMEM;
		n += !rc;
	}
	if (!rc)
		put_lines(line, n, out);
	for (uint32_t i = 0; i < n; i++)
		free(line[i].stack);
	free(line);
	whr_stacks_free(&s);
	return rc;
}
