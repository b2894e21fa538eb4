/* marks.c -- open addressing: an address in the upper 62 bits, its marks in the lower two. */
#include "session/paths/marks.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 4096u
#define MARKS	   3u

/* Where the address is, or would be; room is not full. */
static uint64_t *find(const struct ses_marks *m, uint64_t pc)
{
	uint32_t at = (uint32_t)(pc * 0x9e3779b97f4a7c15ull >> 32) & (m->room - 1);

	while (m->at[at] && m->at[at] >> 2 != pc)
		at = (at + 1) & (m->room - 1);
	return &m->at[at];
}

static void grow_marks(struct ses_marks *m)
{
	struct ses_marks more = {.n = m->n, .room = m->room ? 2 * m->room : FIRST_ROOM};

	more.at = calloc(more.room, sizeof(*more.at));
	if (!more.at)
		return;
	for (uint32_t i = 0; i < m->room; i++)
		if (m->at[i])
			*find(&more, m->at[i] >> 2) = m->at[i];
	free(m->at);
	*m = more;
}

void ses_marks_set(struct ses_marks *m, uint64_t pc, unsigned marks)
{
	uint64_t *at;

	if (2 * m->n >= m->room)
		grow_marks(m);
	if (m->n + 1 >= m->room)
		return;
	at = find(m, pc);
	m->n += !*at;
	*at |= pc << 2 | marks;
}

unsigned ses_marks_get(const struct ses_marks *m, uint64_t pc)
{
	return m->room ? *find(m, pc) & MARKS : 0;
}

void ses_marks_clear(struct ses_marks *m)
{
	if (m->at)
		memset(m->at, 0, m->room * sizeof(*m->at));
	m->n = 0;
}

void ses_marks_free(struct ses_marks *m)
{
	free(m->at);
	memset(m, 0, sizeof(*m));
}
