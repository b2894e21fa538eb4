/* p6_timing.c -- latency of a P6 instruction form, and the parameters of a P6 pipeline.
 *
 * SOURCES          catalog/p6/timing.tsv and params.tsv, a source per row.
 */
#include "catalog/tables.h"

#include <string.h>

/* The row of exactly this mnemonic and form. */
static const struct cat_p6_timing *find(const char *mnemonic, const char *operands)
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
	const struct cat_p6_timing *row = find(name, first);

	if (!row)
		row = find(name, plain);
	if (!row)
		row = find(name, "");
	return row ? *row : (struct cat_p6_timing){name, "", 1, 1, CAT_P6_NO_UNIT};
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

unsigned cat_p6_param(const struct cat_cpu *cpu, const char *name)
{
	unsigned best = 0, value = 0;

	for (size_t i = 0; i < cat_n_p6_param; i++) {
		const struct cat_p6_param *p = &cat_p6_param_rows[i];
		const unsigned rank = strcmp(p->name, name) == 0 ? rank_of(p, cpu) : 0;

		if (rank > best) {
			best = rank;
			value = p->value;
		}
	}
	return value;
}
