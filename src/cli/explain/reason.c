/* reason.c -- softpmu explain REASON: the sentences that the models have of their reasons. Rules
 * are in reason.h.
 */
#include "cli/explain/reason.h"

#include <ctype.h>
#include <stdio.h>

#include "cli/layout.h"
#include "report/asm.h"

static char folded(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

static bool is_name(const char *name, const char *word)
{
	while (*name && folded(*name) == folded(*word))
		name++, word++;
	return !*name && !*word;
}

/* The reasons of one family, numbers 1.. without gaps. */
static bool explain_of(const struct cat_cpu *cpu, const char *word, const char *between)
{
	const char *name, *sentence, *family = cpu->family == CAT_P5 ? "Pentium" : "P6";
	char text[512];

	for (unsigned why = 1; mdl_reason(cpu, why, &name, &sentence); why++) {
		const struct cat_event *e;

		if (!is_name(name, word))
			continue;
		e = rpt_asm_event(cpu, name);
		printf("%s%s (a reason in the listings of softpmu asm, %s)\n", between, name,
		       family);
		snprintf(text, sizeof(text), "%c%s.", toupper((unsigned char)*sentence),
			 sentence + 1);
		layout_paragraphs(text, 2);
		if (e)
			printf("  Event %s counts it.\n", e->name);
		else
			printf("  No event of a %s counts it.\n", family);
		return true;
	}
	return false;
}

bool cli_explain_reason(const struct cat_cpu *cpu, const char *name)
{
	const struct cat_cpu *other =
	    cat_find_cpu(cpu->family == CAT_P5 ? "pentium3" : "pentium-mmx");
	const bool is_here = explain_of(cpu, name, ""),
		   is_there = explain_of(other, name, is_here ? "\n" : "");

	if (is_there && !is_here)
		printf("  No listing of a %s has this reason.\n", cpu->name);
	return is_here || is_there;
}
