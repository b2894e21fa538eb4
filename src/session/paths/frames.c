/* frames.c -- frames by number, and an index of slots with open addressing. Rules: frames.h. */
#include "session/paths/frames.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define FIRST_ROOM 1024u
#define N_LAST	   16384u /* return addresses that are told apart */

static uint32_t hash_slot(uint64_t slot)
{
	return (uint32_t)((slot >> 2) * 0x9e3779b97f4a7c15ull >> 40);
}

static bool grow_frames(struct ses_frames *f)
{
	const uint32_t room = f->room ? 2 * f->room : FIRST_ROOM;
	uint32_t *index;
	void *p;

	if (room > SES_MOST_FRAMES)
		return false;
	p = realloc(f->at, room * sizeof(*f->at));
	if (!p)
		return false;
	f->at = p;
	index = calloc(2 * room, sizeof(*index));
	if (!index)
		return false;
	f->room = room;
	free(f->index);
	f->index = index;
	f->n_index = 2 * room;
	for (uint32_t i = 1; i < f->n; i++) {
		uint32_t at = hash_slot(f->at[i].slot) & (f->n_index - 1);

		while (f->at[i].slot && index[at])
			at = (at + 1) & (f->n_index - 1);
		if (f->at[i].slot)
			index[at] = i;
	}
	return true;
}

int ses_frames_open(struct ses_frames *f)
{
	memset(f, 0, sizeof(*f));
	f->last = calloc(N_LAST, sizeof(*f->last));
	if (!f->last || !grow_frames(f))
		return -SPMU_ENOMEM;
	f->at[0] = (struct ses_frame){0};
	f->n = 1;
	return 0;
}

void ses_frames_close(struct ses_frames *f)
{
	free(f->at);
	free(f->index);
	free(f->last);
	memset(f, 0, sizeof(*f));
}

void ses_frames_clear(struct ses_frames *f)
{
	memset(f->index, 0, f->n_index * sizeof(*f->index));
	memset(f->last, 0, N_LAST * sizeof(*f->last));
	f->n = 1;
}

uint32_t ses_frames_find(const struct ses_frames *f, uint64_t slot)
{
	uint32_t at = hash_slot(slot) & (f->n_index - 1);

	while (f->index[at] && f->at[f->index[at]].slot != slot)
		at = (at + 1) & (f->n_index - 1);
	return f->index[at];
}

uint32_t ses_frames_last(const struct ses_frames *f, uint64_t back)
{
	const uint32_t i = f->last[hash_slot(back) & (N_LAST - 1)];

	return f->at[i].back == back && !(f->at[i].slot & 1) ? i : 0;
}

uint32_t ses_frames_put(struct ses_frames *f, struct ses_frame frame)
{
	uint32_t i = frame.slot ? ses_frames_find(f, frame.slot) : 0, at;

	if (i) {
		f->at[i] = frame;
		f->last[hash_slot(frame.back) & (N_LAST - 1)] = i;
		return i;
	}
	if (f->n == f->room && !grow_frames(f)) {
		ses_frames_clear(f);
		f->clears++;
		frame.up = 0;
	}
	i = f->n++;
	f->at[i] = frame;
	f->last[hash_slot(frame.back) & (N_LAST - 1)] = i;
	if (!frame.slot)
		return i;
	at = hash_slot(frame.slot) & (f->n_index - 1);
	while (f->index[at])
		at = (at + 1) & (f->n_index - 1);
	f->index[at] = i;
	return i;
}
