/* p6_timing.c -- latency of a P6 instruction form, and the parameters of a P6 pipeline.
 *
 * SOURCES          catalog/p6/timing.tsv and params.tsv, a source per row.
 */
#include "catalog/tables.h"

#include <string.h>

const struct cat_p6_timing *cat_p6_timings(size_t *n)
{
	*n = cat_n_p6_timing;
	return cat_p6_timing_rows;
}

/* The row of exactly this mnemonic and form. */
static const struct cat_p6_timing *find_row(const char *mnemonic, const char *operands)
{
	size_t low = 0, high = cat_n_p6_timing;

	while (low < high) {
		const size_t mid = (low + high) / 2;
		int order = strcmp(cat_p6_timing_rows[mid].mnemonic, mnemonic);

		if (!order)
			order = strcmp(cat_p6_timing_rows[mid].operands, operands);
		if (!order)
			return &cat_p6_timing_rows[mid];
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

struct cat_p6_timing cat_p6_timing_of(const char *mnemonic, const char *first, const char *plain)
{
	const char *name = strncmp(mnemonic, "fcmov", 5) == 0 ? "fcmovcc" : mnemonic;
	const struct cat_p6_timing *row = find_row(name, first);

	if (!row)
		row = find_row(name, plain);
	if (!row)
		row = find_row(name, "");
	return row ? *row : (struct cat_p6_timing){name, "", 1, 1, CAT_P6_NO_UNIT, ""};
}

/* How near a row is to cpu: 0 not at all, then all processors, its class, itself. */
static unsigned rank_of(const struct cat_p6_param *p, const struct cat_cpu *cpu)
{
	if (*p->cpu)
		return strcmp(p->cpu, cpu->name) == 0 ? 3 : 0;
	if (p->cpu_class >= 0)
		return p->cpu_class == cpu->cpu_class ? 2 : 0;
	return 1;
}

static const struct cat_p6_param *param(const struct cat_cpu *cpu, const char *name)
{
	const struct cat_p6_param *found = NULL;
	unsigned best = 0;

	for (size_t i = 0; i < cat_n_p6_param; i++) {
		const struct cat_p6_param *p = &cat_p6_param_rows[i];
		const unsigned rank = strcmp(p->name, name) == 0 ? rank_of(p, cpu) : 0;

		if (rank > best) {
			best = rank;
			found = p;
		}
	}
	return found;
}

unsigned cat_p6_param(const struct cat_cpu *cpu, const char *name)
{
	const struct cat_p6_param *p = param(cpu, name);

	return p ? p->value : 0;
}

const char *cat_p6_param_name(const char *name, size_t n)
{
	for (size_t i = 0; i < cat_n_p6_param; i++)
		if (strlen(cat_p6_param_rows[i].name) == n &&
		    !memcmp(cat_p6_param_rows[i].name, name, n))
			return cat_p6_param_rows[i].name;
	return NULL;
}

bool cat_p6_param_at(const struct cat_cpu *cpu, size_t i, struct cat_p6_param_at *out)
{
	for (size_t k = 0; k < cat_n_p6_param; k++) {
		const struct cat_p6_param *first = &cat_p6_param_rows[k], *own;

		if (*first->cpu || first->cpu_class >= 0 ||
		    i--) /* a row for all processors is the first of its name */
			continue;
		own = param(cpu, first->name);
		*out = (struct cat_p6_param_at){first->name, first->text, own->source, own->value};
		return true;
	}
	return false;
}
