/* machine.c -- CPUID, and the sentence why there are no counters. Rules are in machine.h. */
#include "hw/machine.h"

#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hw/pfm.h"
#include "session/machine/host_counters.h"

const struct cat_cpu *hw_cpu_of(const char *vendor, unsigned family, unsigned model,
				unsigned stepping)
{
	const struct cat_cpu *best = NULL;
	unsigned best_distance = 0;
	size_t n;
	const struct cat_cpu *cpus = cat_cpus(&n);

	if (strcmp(vendor, "GenuineIntel") != 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		const struct cat_cpu *c = &cpus[i];
		const unsigned s = c->cpu_stepping,
			       distance = s > stepping ? s - stepping : stepping - s;

		if (c->family == CAT_TOY || c->cpu_family != family || c->cpu_model != model)
			continue;
		if (!best || distance < best_distance) {
			best = c;
			best_distance = distance;
		}
	}
	return best;
}

void hw_machine_open(struct hw_machine *m)
{
	unsigned eax = 0, ebx = 0, ecx = 0, edx = 0, family, model;
	char vendor[13] = "";

	*m = (struct hw_machine){.cpu = NULL};
	if (__get_cpuid(0, &eax, &ebx, &ecx, &edx)) {
		memcpy(vendor, &ebx, 4);
		memcpy(vendor + 4, &edx, 4);
		memcpy(vendor + 8, &ecx, 4);
	}
	eax = 0;
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	family = eax >> 8 & 0xf;
	model = eax >> 4 & 0xf;
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	if (family >= 6)
		model += eax >> 12 & 0xf0;
	m->cpu = hw_cpu_of(vendor, family, model, eax & 0xf);
	if (m->cpu)
		snprintf(m->name, sizeof(m->name), "%s", m->cpu->name);
	else
		snprintf(m->name, sizeof(m->name), "%s-%u-%u-%u", *vendor ? vendor : "x86", family,
			 model, eax & 0xf);
}

void hw_machine_close(struct hw_machine *m)
{
	hw_pfm_close(m->pfm);
	*m = (struct hw_machine){.cpu = NULL};
}

int hw_has_counters(struct spmu_error *why)
{
	const int rc = ses_host_counters();

	if (!rc)
		return 0;
	if (rc == -EACCES || rc == -EPERM)
		return spmu_fail(
		    why, SPMU_ESYS,
		    "the hardware counters may not be used here (kernel.perf_event_paranoid, "
		    "or a filter of system calls)");
	if (rc == -ENOSYS)
		return spmu_fail(why, SPMU_ENOTSUP,
				 "this system has no perf_event_open, so no hardware counters");
	return spmu_fail(why, SPMU_ENOTSUP, "this machine offers no hardware counters");
}
