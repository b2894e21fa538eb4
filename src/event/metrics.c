/* metrics.c -- finds metrics of the catalog, adds their events to a list, and works them out.
 * Rules are in metrics.h.
 *
 * A word that names no metric may name a family of them: those whose names begin with it.
 */
#include "event/metrics.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/no_such.h"

const struct cat_metric *evt_find_metric(const struct cat_cpu *cpu, const char *name)
{
	size_t n;
	const struct cat_metric *rows = cat_metrics(&n);

	for (size_t i = 0; i < n; i++)
		if (rows[i].family == cpu->family && !strcasecmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

/* Is name one that begins with the first bytes of `word`, - as _, and goes on behind a _? */
static bool is_of_family(const char *name, const char *word, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		if (tolower((unsigned char)name[i]) !=
		    (word[i] == '-' ? '_' : tolower((unsigned char)word[i])))
			return false;
	return name[bytes] == '_';
}

/* Where the clocks of a Pentium went is said by events of its own. */
#define CLOCKS_OF_A_PENTIUM                                                                        \
	"pipeline_agi_stalls, waiting_for_data_memory_read_stall_duration, "                       \
	"write_buffer_full_stall_duration, bank_conflicts, pipeline_flushes"

static int unknown(const struct cat_cpu *cpu, const char *name, struct spmu_error *err)
{
	size_t n;
	const struct cat_metric *rows = cat_metrics(&n);
	struct spelling_search s = {.word = name};

	for (size_t i = 0; i < n; i++) {
		if (rows[i].family == cpu->family)
			spelling_offer(&s, rows[i].name);
		else if (cpu->family == CAT_P5 && rows[i].family == CAT_P6 &&
			 is_of_family(rows[i].name, "cpi_stack", 9) &&
			 (!strcasecmp(rows[i].name, name) ||
			  is_of_family(rows[i].name, name, strlen(name))))
			return spmu_fail(
			    err, SPMU_EINVAL,
			    "metric %s: for a P6 (--cpu pentium3); on a Pentium: softpmu "
			    "asm, or these events: " CLOCKS_OF_A_PENTIUM,
			    name);
	}
	return evt_no_such("metric", name, cpu, &s, err);
}

static int add_row(struct evt_metrics *out, const struct cat_metric *row,
		   const struct evt_formula *f, struct spmu_error *err)
{
	struct evt_metric *metric = realloc(out->metric, (out->n + 1) * sizeof(*metric));

	if (!metric)
		return spmu_fail(err, SPMU_ENOMEM, "out of memory for the list of metrics");
	out->metric = metric;
	metric[out->n++] = (struct evt_metric){row, *f};
	return 0;
}

static int add_with_events(const struct cat_cpu *cpu, const struct cat_metric *row,
			   struct evt_metrics *out, struct evt_events *list, struct spmu_error *err)
{
	struct evt_formula f;
	int rc = evt_formula_parse(cpu, row->formula, &f, err);

	if (!rc)
		rc = evt_formula_events(&f, list, err);
	return rc ? rc : add_row(out, row, &f, err);
}

/* Every metric of the family whose events cpu has. */
static int add_all(const struct cat_cpu *cpu, struct evt_metrics *out, struct evt_events *list,
		   struct spmu_error *err)
{
	size_t n;
	const struct cat_metric *rows = cat_metrics(&n);

	for (size_t i = 0; i < n; i++) {
		struct evt_formula f;
		int rc;

		if (rows[i].family != cpu->family ||
		    evt_formula_parse(cpu, rows[i].formula, &f, NULL))
			continue;
		rc = add_with_events(cpu, &rows[i], out, list, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* Every metric of that family of names: 1 when there are some. */
static int add_family(const struct cat_cpu *cpu, const char *word, struct evt_metrics *out,
		      struct evt_events *list, struct spmu_error *err)
{
	size_t n, bytes = strlen(word);
	const struct cat_metric *rows = cat_metrics(&n);
	int found = 0;

	for (size_t i = 0; i < n; i++) {
		int rc;

		if (rows[i].family != cpu->family || !is_of_family(rows[i].name, word, bytes))
			continue;
		rc = add_with_events(cpu, &rows[i], out, list, err);
		if (rc)
			return rc;
		found = 1;
	}
	return found;
}

bool evt_has_metrics(const struct cat_cpu *cpu, const char *word)
{
	size_t n;
	const struct cat_metric *rows = cat_metrics(&n);
	const size_t bytes = strlen(word);
	struct evt_formula f;

	if (!strcasecmp(word, "all"))
		return true;
	for (size_t i = 0; i < n; i++)
		if (rows[i].family == cpu->family &&
		    (!strcasecmp(rows[i].name, word) || is_of_family(rows[i].name, word, bytes)) &&
		    !evt_formula_parse(cpu, rows[i].formula, &f, NULL))
			return true;
	return false;
}

int evt_metrics_named(const struct cat_cpu *cpu, const char *names, struct evt_metrics *out,
		      struct evt_events *list, struct spmu_error *err)
{
	char word[64];

	while (*names) {
		size_t n = strcspn(names, ",");
		const struct cat_metric *row;
		int rc;

		if (n >= sizeof(word))
			return spmu_fail(err, SPMU_EINVAL, "metric %.60s...: no name is that long",
					 names);
		memcpy(word, names, n);
		word[n] = 0;
		names += n + (names[n] == ',');
		if (!strcasecmp(word, "all")) {
			rc = add_all(cpu, out, list, err);
		} else {
			row = evt_find_metric(cpu, word);
			rc = row ? 0 : add_family(cpu, word, out, list, err);
			if (row)
				rc = add_with_events(cpu, row, out, list, err);
			else if (rc >= 0)
				rc = rc ? 0 : unknown(cpu, word, err);
		}
		if (rc)
			return rc;
	}
	return 0;
}

static bool has_all(const struct evt_formula *f, const struct evt_events *list)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->op[i].kind == EVT_F_EVENT &&
		    evt_events_find(list, f->op[i].event, f->op[i].umask) < 0)
			return false;
	return true;
}

int evt_metrics_of(const struct cat_cpu *cpu, const struct evt_events *list,
		   struct evt_metrics *out, struct spmu_error *err)
{
	size_t n;
	const struct cat_metric *rows = cat_metrics(&n);

	for (size_t i = 0; i < n; i++) {
		struct evt_formula f;
		int rc;

		if (rows[i].family != cpu->family ||
		    evt_formula_parse(cpu, rows[i].formula, &f, NULL) || !has_all(&f, list))
			continue;
		rc = add_row(out, &rows[i], &f, err);
		if (rc)
			return rc;
	}
	return 0;
}

int evt_metric_row(const struct evt_metric *m, const struct evt_events *list)
{
	for (unsigned i = 0; i < m->formula.n; i++)
		if (m->formula.op[i].kind == EVT_F_EVENT)
			return evt_events_find(list, m->formula.op[i].event,
					       m->formula.op[i].umask);
	return -1;
}

void evt_metrics_free(struct evt_metrics *m)
{
	free(m->metric);
	*m = (struct evt_metrics){0};
}
