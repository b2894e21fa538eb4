/* registers.c -- the select registers of a pair, in numbers and field by field. Rules are in
 * registers.h.
 */
#include "rabbit/registers.h"

#include "event/events.h"
#include "pmu/p5_regs.h"
#include "pmu/p6_regs.h"

uint32_t rbt_select(const struct cat_cpu *cpu, const struct evt_event *e)
{
	const struct pmu_select s = evt_select(e);

	return cpu->family == CAT_P5 ? pmu_p5_encode(&s, 0, e->event->kind == CAT_DURATION)
				     : pmu_p6_encode(&s);
}

/* Does a select say more than the code? */
static bool is_whole(const struct cat_cpu *cpu, uint32_t bits)
{
	return bits & ~(cpu->family == CAT_P5 ? P5_CESR_ES(~0u) : P6_SEL_EVENT(~0u));
}

/* Set in e what the bits say beside the code. Without a privilege level they mean all. */
static void take_bits(const struct cat_cpu *cpu, uint32_t bits, struct evt_event *e)
{
	struct pmu_select s = {.event = e->event};
	const uint32_t levels =
	    cpu->family == CAT_P5 ? P5_CESR_CC_CPL012 | P5_CESR_CC_CPL3 : P6_SEL_OS | P6_SEL_USR;
	const uint32_t kernel = cpu->family == CAT_P5 ? P5_CESR_CC_CPL012 : P6_SEL_OS;

	e->kernel = !(bits & levels) || bits & kernel;
	e->user = !(bits & levels) || bits & levels & ~kernel;
	if (cpu->family == CAT_P5) {
		if (!(bits & P5_CESR_CC_CLOCKS) != (e->event->kind != CAT_DURATION))
			e->clock_reading = bits & P5_CESR_CC_CLOCKS ? 2 : 1;
		return;
	}
	pmu_p6_decode(bits, &s);
	e->umask = s.umask;
	e->cmask = s.cmask;
	e->inv = s.inv;
	e->edge = s.edge;
}

int rbt_event_of_select(const struct cat_cpu *cpu, uint32_t bits, int n,
			const struct rbt_switches *s, struct evt_event *out, struct spmu_error *err)
{
	const struct rbt_switches none = {.os = {.is_given = false}};
	const uint32_t code = cpu->family == CAT_P5 ? P5_CESR_ES(bits) : P6_SEL_EVENT(bits);
	char word[8];
	int rc;

	snprintf(word, sizeof(word), "0x%02x", code);
	rc = rbt_event_find(cpu, word, n, out, err);
	if (!rc && is_whole(cpu, bits))
		take_bits(cpu, bits, out);
	return rc ? rc : rbt_event_switch(cpu, is_whole(cpu, bits) ? &none : s, n, out, err);
}

static uint32_t half_of_cesr(const struct rbt_pairs *list, const struct rbt_pair *p, int n)
{
	return p->has[n] ? rbt_select(list->cpu, rbt_pair_event(list, p, n)) << P5_CESR_SHIFT(n)
			 : 0;
}

uint32_t rbt_register(const struct rbt_pairs *list, const struct rbt_pair *p, int n)
{
	const uint32_t en = n ? 0 : P6_SEL_EN;

	if (list->cpu->family == CAT_P5)
		return half_of_cesr(list, p, 0) | half_of_cesr(list, p, 1);
	return (p->has[n] ? rbt_select(list->cpu, rbt_pair_event(list, p, n)) : 0) | en;
}

const char *rbt_register_name(const struct rbt_pairs *list, int n)
{
	return list->cpu->family == CAT_P5 ? "CESR" : n ? "PerfEvtSel1" : "PerfEvtSel0";
}

static int bit(uint32_t value, uint32_t mask)
{
	return (value & mask) != 0;
}

static void print_heading(const struct rbt_pairs *list, size_t i, FILE *out)
{
	const struct rbt_pair *p = &list->pair[i];

	fprintf(out, "pair %zu:", i + 1);
	for (int n = 0; n < 2; n++)
		if (p->has[n])
			fprintf(out, " %s", rbt_pair_event(list, p, n)->name);
	fprintf(out, "%s%s\n", *p->label ? "  # " : "", p->label);
}

static void print_p6(const struct rbt_pairs *list, const struct rbt_pair *p, FILE *out)
{
	fputs("                          EVENT UMASK US OS E PC INT EN INV CMASK\n", out);
	for (int n = 0; n < 2; n++) {
		const uint32_t r = rbt_register(list, p, n);

		fprintf(out, "  %-12s 0x%08x    %02x    %02x  %d  %d %d  %d   %d  %d   %d   %3u\n",
			rbt_register_name(list, n), r, r & 0xffu, r >> 8 & 0xffu,
			bit(r, P6_SEL_USR), bit(r, P6_SEL_OS), bit(r, P6_SEL_EDGE),
			bit(r, P6_SEL_PC), bit(r, P6_SEL_INT), bit(r, P6_SEL_EN),
			bit(r, P6_SEL_INV), r >> 24);
	}
}

static void print_p5(const struct rbt_pairs *list, const struct rbt_pair *p, FILE *out)
{
	const uint32_t r = rbt_register(list, p, 0);

	fputs("                          ES0 CC0 PC0 ES1 CC1 PC1\n", out);
	fprintf(out, "  %-12s 0x%08x  ", rbt_register_name(list, 0), r);
	for (int n = 0; n < 2; n++) {
		const uint32_t half = r >> P5_CESR_SHIFT(n);

		fprintf(out, "%s %02x  %d%d%d  %d", n ? " " : "", P5_CESR_ES(half),
			bit(half, P5_CESR_CC_CLOCKS), bit(half, P5_CESR_CC_CPL3),
			bit(half, P5_CESR_CC_CPL012), bit(half, P5_CESR_PC));
	}
	fputc('\n', out);
}

void rbt_registers_print(const struct rbt_pairs *list, FILE *out)
{
	for (size_t i = 0; i < list->n; i++) {
		print_heading(list, i, out);
		if (list->cpu->family == CAT_P5)
			print_p5(list, &list->pair[i], out);
		else
			print_p6(list, &list->pair[i], out);
	}
}
