/* list_names.c -- perf's names of events: what counts them here, in stat and in run. */
#include "cli/list_names.h"

#include <stdio.h>
#include <string.h>

#include "cli/layout.h"
#include "event/events.h"

#define NO_EVENT "<not supported>"

/* NAME, or NAME:0xUU when the mask is not the default one; "<not supported>" without an event
 * that cpu has. */
static const char *spelling(const struct cat_cpu *cpu, const struct cat_event *e, uint8_t umask,
			    char *out, size_t room)
{
	if (!e || !cat_cpu_has_event(cpu, e))
		return NO_EVENT;
	if (umask == e->default_umask)
		return e->name;
	snprintf(out, room, "%s:0x%02x", e->name, umask);
	return out;
}

void list_names(const struct cat_cpu *cpu)
{
	size_t n;
	const struct cat_generic *g = cat_generics(&n);
	const struct cat_software *s;
	char here[96], driver[96];

	layout_line(2,
		    "perf's names on %s, and what counts them in stat; [run: what Linux's driver "
		    "counts "
		    "for perf inside of run, where it differs]:",
		    cpu->name);
	for (size_t i = 0; i < n; i++) {
		const char *own, *linux_own;

		if (g[i].family != cpu->family)
			continue;
		own = spelling(cpu, g[i].event, g[i].umask, here, sizeof(here));
		linux_own = spelling(cpu, g[i].driver, g[i].driver_umask, driver, sizeof(driver));
		if (strcmp(own, linux_own) != 0)
			layout_line(30, "  %-27s %s  [run: %s]", g[i].name, own, linux_own);
		else
			layout_line(30, "  %-27s %s", g[i].name, own);
		layout_line(7, "       %s", g[i].text);
	}
	printf("\nperf's software events, figures of this machine in stat:\n");
	s = cat_softwares(&n);
	for (size_t i = 0; i < n; i++)
		layout_line(30, "  %-27s %s%s", s[i].name,
			    s[i].figure == CAT_SW_NONE ? NO_EVENT ": " : "", s[i].text);
}
