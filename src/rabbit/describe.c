/* describe.c -- prints events with their switches, and the processor. Rules are in describe.h.
 */
#include "rabbit/describe.h"

#include <string.h>

#include "base/text.h"
#include "rabbit/print.h"

#define TEXT_COLUMN 6

/* May a counter of cpu count it? What has a register of its own is no event of a pair. */
static bool is_listed(const struct cat_cpu *cpu, const struct cat_event *e)
{
	return cat_cpu_has_event(cpu, e) && e->counters & 3 && (cpu->family != CAT_P5 || e->n_wire);
}

static const char *counters_of(const struct cat_event *e)
{
	return (e->counters & 3) == 3 ? "0 1" : e->counters & 1 ? "0" : "1";
}

void rbt_list_events(const struct cat_cpu *cpu, FILE *out)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = 0; i < n; i++)
		if (is_listed(cpu, &e[i]))
			fprintf(out, "0x%02x  %-3s  %s\n", e[i].code, counters_of(&e[i]),
				e[i].name);
}

/* Switches that reach e beside --os and --usr. */
static void print_switches(const struct cat_cpu *cpu, const struct cat_event *e, struct text *out)
{
	const char *mask = rbt_mask_switch(e);

	text_printf(out, "--os --usr");
	if (mask)
		text_printf(out, " %s", mask);
	if (cpu->family == CAT_P5 || e->kind != CAT_OCCURRENCE)
		text_printf(out, " --duration");
	if (cpu->family == CAT_P6)
		text_printf(out, " --compare");
}

void rbt_describe_event(const struct cat_cpu *cpu, const struct cat_event *e, FILE *out)
{
	struct text switches = {0}, masks = {0};

	fprintf(out, "0x%02x  %s\n", e->code, e->name);
	rbt_print_text(e->meaning, 0, TEXT_COLUMN, out);
	print_switches(cpu, e, &switches);
	fprintf(out, "%*scounter %s; options %s\n", TEXT_COLUMN, "",
		(e->counters & 3) == 3 ? "0 or 1"
		: e->counters & 1      ? "0"
				       : "1",
		text_get(&switches));
	for (unsigned i = 0; i < e->n_umask && rbt_mask_switch(e); i++)
		text_printf(&masks, "%s%s 0x%02x%s", i ? ", " : "unit masks ", e->umask[i].name,
			    e->umask[i].value,
			    e->umask[i].value == e->default_umask ? " (default)" : "");
	if (masks.n)
		rbt_print_text(text_get(&masks), 0, TEXT_COLUMN, out);
	text_free(&switches);
	text_free(&masks);
}

/* Was the event of place i of the list described before? */
static bool is_again(const struct evt_events *list, size_t i)
{
	for (size_t k = RBT_CLOCK + 1; k < i; k++)
		if (list->event[k].event == list->event[i].event)
			return true;
	return false;
}

void rbt_describe_events(const struct cat_cpu *cpu, const struct rbt_pairs *pairs, FILE *out)
{
	size_t n;
	const struct cat_event *e = cat_events(&n);

	for (size_t i = RBT_CLOCK + 1; pairs && i < pairs->events.n; i++)
		if (!is_again(&pairs->events, i))
			rbt_describe_event(cpu, pairs->events.event[i].event, out);
	for (size_t i = 0; i < n && !pairs; i++)
		if (is_listed(cpu, &e[i]))
			rbt_describe_event(cpu, &e[i], out);
}

static void print_cache(const char *name, const struct cat_cache *c, FILE *out)
{
	if (c->size_bytes && c->line_bytes)
		fprintf(out, "  %-10s %u KB, %u ways, lines of %u bytes\n", name,
			c->size_bytes >> 10, c->ways, c->line_bytes);
	else if (c->size_bytes)
		fprintf(out, "  %-10s %u entries, %u ways\n", name, c->size_bytes, c->ways);
	else
		fprintf(out, "  %-10s none\n", name);
}

void rbt_print_processor(const struct cat_cpu *cpu, FILE *out)
{
	fprintf(out, "%s\n", cpu->text);
	fprintf(out, "  %-10s family %u, model %u, stepping %u\n", "CPUID", cpu->cpu_family,
		cpu->cpu_model, cpu->cpu_stepping);
	fprintf(out, "  %-10s %s%s%s\n", "has", cpu->has_mmx ? "MMX " : "",
		cpu->has_sse ? "SSE" : "", cpu->has_mmx ? "" : "no MMX, no SSE");
	print_cache("L1 code", &cpu->l1i, out);
	print_cache("L1 data", &cpu->l1d, out);
	print_cache("L2", &cpu->l2, out);
	print_cache("code TLB", &cpu->itlb, out);
	print_cache("data TLB", &cpu->dtlb, out);
	fprintf(out, "  %-10s %u entries, %u ways\n", "BTB", cpu->btb_entries, cpu->btb_ways);
	fprintf(out, "  %-10s 2 of 40 bits, and one of clocks\n", "counters");
}

void rbt_print_clocks(const struct cat_cpu *cpu, uint32_t mhz, FILE *out)
{
	fprintf(out, "%u MHz processor clock, %.4g MHz bus clock (%s)\n", cpu->core_mhz,
		cpu->bus_khz / 1000.0, cpu->text);
	if (mhz != cpu->core_mhz)
		fprintf(out, "seconds are those of %u MHz\n", mhz);
	fputs("The clock is the model's: it is what the table says, and nothing was measured.\n",
	      out);
}
