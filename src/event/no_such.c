/* no_such.c -- one sentence that groups.c and metrics.c share. Rules are in no_such.h. */
#include "event/no_such.h"

int evt_no_such(const char *kind, const char *name, const struct cat_cpu *cpu,
		const struct spelling_search *s, struct spmu_error *err)
{
	char ask[SPELLING_TEXT];

	if (!s->best)
		return spmu_fail(err, SPMU_EINVAL, "%s %s: %s has no %ss", kind, name, cpu->name,
				 kind);
	return spmu_fail(err, SPMU_EINVAL,
			 "%s %s: no such %s on %s%s (softpmu list %ss --cpu %s shows all)", kind,
			 name, kind, cpu->name, spelling_ask(s, "", ask), kind, cpu->name);
}
