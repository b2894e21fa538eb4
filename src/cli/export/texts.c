/* texts.c -- what the formats of softpmu export have in common. */
#include <inttypes.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export.h"

struct numbered {
	uint32_t number;
	char text[];
};

static int by_text(const void *a, const void *b)
{
	return strcmp(((const struct numbered *)a)->text, ((const struct numbered *)b)->text);
}

uint32_t cli_text_number(struct cli_texts *t, const char *text, bool *is_new)
{
	const size_t n = strlen(text) + 1;
	struct numbered *as = malloc(sizeof(*as) + n), **found;

	*is_new = false;
	t->is_lost |= !as;
	if (!as)
		return 0;
	as->number = t->n + 1;
	memcpy(as->text, text, n);
	found = tsearch(as, &t->root, by_text);
	t->is_lost |= !found;
	*is_new = found && *found == as;
	t->n += *is_new;
	if (!*is_new)
		free(as);
	return found ? (*found)->number : 0;
}

void cli_texts_free(struct cli_texts *t)
{
	tdestroy(t->root, free);
	memset(t, 0, sizeof(*t));
}

const char *cli_export_estimates(const struct rec *r, char out[CLI_ESTIMATES])
{
	char text[WHR_ESTIMATES];

	*out = 0;
	if (*whr_estimates(r, text))
		snprintf(out, CLI_ESTIMATES,
			 "estimates by samples, +- half of an interval at 95 %%: %s", text);
	return out;
}

const char *cli_process_name(const struct rec *r, uint32_t i, char *out, size_t room)
{
	snprintf(out, room, "%s %s", r->process[i].birth, r->process[i].program);
	return out;
}

uint32_t cli_stack_way(const struct whr_stacks *s, uint32_t i, uint32_t way[CLI_MOST_WAY])
{
	uint32_t n = 0, up = i;

	for (; up != WHR_NOBODY && n < CLI_MOST_WAY; up = s->stack[up].caller)
		n++;
	for (uint32_t k = n; k > 0; i = s->stack[i].caller)
		way[--k] = i;
	return n;
}
