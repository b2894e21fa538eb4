/* cheaper.c -- the note that a run with clocks counted events that need none. Rules are in
 * cheaper.h.
 */
#include "cli/stat/cheaper.h"

#include <stdio.h>

#include "session/totals/counting.h"

#define LONG_S 3.0

const char *cli_cheaper(const struct cli_column *c, const struct ses_result *run, char *text,
			size_t room)
{
	const char *first = NULL;
	size_t more = 0;

	if (run->tier < 3 || run->user_s + run->sys_s <= LONG_S)
		return NULL;
	for (size_t i = 0; i < c->events.n; i++) {
		if (ses_tier_of(c->cpu, &c->events.event[i], 1) < 3)
			continue;
		more += first != NULL;
		first = first ? first : c->events.event[i].name;
	}
	if (!first)
		return NULL;
	snprintf(text, room,
		 more == 1 ? "%.0f s of processor time: %.40s and %zu more event need clocks; "
			     "a run without them takes much less"
		 : more ? "%.0f s of processor time: %.40s and %zu more events need clocks; "
			"a run without them takes much less"
		      : "%.0f s of processor time: %.40s needs clocks; "
			"a run without it takes much less",
		 run->user_s + run->sys_s, first, more);
	return text;
}
