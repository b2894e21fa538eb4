/* areas.h -- the memory that softpmu shares with one guest process; see trace/share.h. */
#ifndef SOFTPMU_SESSION_AREAS_H
#define SOFTPMU_SESSION_AREAS_H

#include <stdbool.h>

#include "base/error.h"
#include "trace/share.h"

enum ses_area {
	SES_AREA_CODE,
	SES_AREA_COUNTER,
	SES_AREA_TABLES,
	SES_AREA_CONTROL,
	SES_AREA_RING,
	SES_N_AREAS
};

/* The memory file of one guest (close-on-exec), and where softpmu has mapped its areas. */
struct ses_areas {
	int fd;			/* -1 = none */
	void *map[SES_N_AREAS]; /* NULL = not mapped */
};

/* Create and map everything. Returns 0; -SPMU_ESYS with a sentence. */
int ses_areas_open(struct ses_areas *a, struct spmu_error *err);

/* Unmap and close; accepts half-opened areas. */
void ses_areas_close(struct ses_areas *a);

/* Make a memory file for a child process: it holds the start data of `a`, with has_code also its
 * translations, and is empty otherwise. The guest of `a` must stand still. Returns the descriptor
 * or -SPMU_ESYS. Cost: a copy of what is in use, a few MB of code. */
int ses_areas_fork(const struct ses_areas *a, bool has_code);

/* Map memory file fd in place of the present one, at unchanged addresses. Takes fd over and closes
 * the old file. Returns 0; -SPMU_ESYS: the mappings are not usable. */
int ses_areas_switch(struct ses_areas *a, int fd);

/* Set code, counters and tables to zero, and return their memory to the host. The program must not
 * be in translated code. Returns 0, or -SPMU_ESYS when the host refuses. */
int ses_areas_empty(const struct ses_areas *a);

static inline struct shr_ctl *ses_areas_ctl(const struct ses_areas *a)
{
	return a->map[SES_AREA_CONTROL];
}

#endif
