/* areas.h -- the memory that softpmu shares with one guest process; see trace/share.h. */
#ifndef SOFTPMU_SESSION_AREAS_H
#define SOFTPMU_SESSION_AREAS_H

#include "base/error.h"
#include "trace/share.h"

enum ses_area { SES_AREA_CODE, SES_AREA_COUNTER, SES_AREA_TABLES, SES_AREA_CONTROL, SES_AREA_RING, SES_N_AREAS };

/* Descriptors (close-on-exec) and softpmu's own mappings. */
struct ses_areas {
	int fd[SES_N_AREAS];
	int image_fd;               /* the runtime, ready for execveat */
	void *map[SES_N_AREAS];     /* NULL = not mapped */
};

/* Create and map everything. Returns 0; -SPMU_ESYS with a sentence. */
int ses_areas_open(struct ses_areas *a, struct spmu_error *err);

/* Unmap and close; accepts half-opened areas. */
void ses_areas_close(struct ses_areas *a);

/* Make code, counters and tables zero again, and give their memory back. The program must not be in
 * translated code. Returns 0, or -SPMU_ESYS when the host refuses. */
int ses_areas_empty(const struct ses_areas *a);

static inline struct shr_ctl *ses_areas_ctl(const struct ses_areas *a)
{
	return a->map[SES_AREA_CONTROL];
}

#endif
