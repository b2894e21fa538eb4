#include "rabbit/registers.h"

#include "pmu/p5_regs.h"
#include "pmu/p6_regs.h"
#include "pmu/select.h"

static struct pmu_select select_of(const struct evt_event *e)
{
	return (struct pmu_select){.event = e->event,
				   .code = e->code,
				   .umask = e->umask,
				   .cmask = e->cmask,
				   .inv = e->inv,
				   .edge = e->edge,
				   .user = e->user,
				   .kernel = e->kernel,
				   .clock_reading = e->clock_reading};
}

static uint32_t half_of_cesr(const struct rbt_pairs *list, const struct rbt_pair *p, int n)
{
	const struct evt_event *e = p->has[n] ? rbt_pair_event(list, p, n) : NULL;
	const struct pmu_select s = e ? select_of(e) : (struct pmu_select){.code = 0};

	return e ? pmu_p5_encode(&s, (unsigned)n, e->event->kind == CAT_DURATION) : 0;
}

uint32_t rbt_register(const struct rbt_pairs *list, const struct rbt_pair *p, int n)
{
	const uint32_t en = n ? 0 : P6_SEL_EN;
	struct pmu_select s;

	if (list->cpu->family == CAT_P5)
		return half_of_cesr(list, p, 0) | half_of_cesr(list, p, 1);
	if (!p->has[n])
		return en;
	s = select_of(rbt_pair_event(list, p, n));
	return pmu_p6_encode(&s) | en;
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
