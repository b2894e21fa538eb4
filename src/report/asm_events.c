/* asm_events.c -- the event that counts what a listing gives as a reason. */
#include <string.h>

#include "report/asm.h"

static const struct {
	int family;
	const char *reason, *event;
} rows[] = {
#define ASM_EVENT(family, reason, event) {family, reason, event},
#include "report/asm_events.def"
#undef ASM_EVENT
};

const struct cat_event *rpt_asm_event(const struct cat_cpu *cpu, const char *reason)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct cat_event *e;

		if ((int)cpu->family != rows[i].family || strcmp(rows[i].reason, reason) != 0)
			continue;
		e = cat_find_event(cpu, rows[i].event, -1);
		if (e)
			return e;
	}
	return NULL;
}
