/* recordable.c -- which events a record can hold. Rules are in recordable.h. */
#include "cli/where/recordable.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"

/* How perf inside of softpmu run spells e: perf's own name as it was typed, else the bits of a P6's
 * event select register. "" where it cannot. */
static const char *perf_spelling(const struct cat_cpu *cpu, const struct evt_event *e, char *out,
				 size_t room)
{
	const char *level = e->user && e->kernel ? "" : e->user ? ":u" : ":k";
	char name[sizeof(e->name)];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(e->name, ":"), e->name);
	if (cat_find_generic_row(cpu, name) && !e->cmask && !e->edge && !e->inv)
		snprintf(out, room, "%s%s", name, level);
	else if (cpu->family == CAT_P6)
		snprintf(out, room, "r%x%s",
			 (unsigned)e->cmask << 24 | (unsigned)e->inv << 23 |
			     (unsigned)e->edge << 18 | (unsigned)e->umask << 8 | (e->code & 0xffu),
			 level);
	else
		*out = 0;
	return out;
}

/* An event that compares single clocks is refused, with what samples it. Returns an exit code. */
static int refuse_comparison(const char *command, const struct cat_cpu *cpu,
			     const struct evt_event *e)
{
	const bool is_default = !strcmp(cpu->name, CLI_DEFAULT_CPU);
	char spelled[160], before[160] = "", way[512] = "";

	/* perf has it when the run was asked for it */
	snprintf(before, sizeof(before), "-e %s ", e->name);
	if (*perf_spelling(cpu, e, spelled, sizeof(spelled)))
		snprintf(way, sizeof(way),
			 "softpmu run %s%s%s%sperf record -e %s -c 97 PROGRAM samples it, ",
			 is_default ? "" : "--cpu ", is_default ? "" : cpu->name,
			 is_default ? "" : " ", before, spelled);
	return cli_fail("%s -e %s: it compares what is counted in each clock, which softpmu "
			"does not give to instructions yet; %ssoftpmu stat counts it",
			command, e->name, way);
}

int cli_recordable(const char *command, const struct cat_cpu *cpu, const struct evt_events *events)
{
	if (cpu->family == CAT_TOY)
		return cli_fail("%s --cpu %s: it has totals and no ledger of instructions; "
				"record a pentium or a pentium3",
				command, cpu->name);
	for (size_t i = 0; i < events->n; i++) {
		const struct evt_event *e = &events->event[i];

		if (e->software)
			return cli_fail("%s -e %s: it is a figure of this machine for the "
					"whole run, and belongs to no instruction; "
					"softpmu stat counts it",
					command, e->name);
		if (e->watch || e->cmask || e->edge || e->inv)
			return refuse_comparison(command, cpu, e);
	}
	return 0;
}

int cli_recordable_sort(const char *name, const struct evt_events *events, uint32_t *out)
{
	*out = 0;
	if (!name)
		return 0;
	for (uint32_t i = 0; i < events->n; i++)
		if (!strcasecmp(events->event[i].name, name)) {
			*out = i;
			return 0;
		}
	return cli_fail("--sort %s: it is not recorded; name one of the events of -e, as %s", name,
			events->event[0].name);
}
