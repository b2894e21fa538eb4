/* regions.h -- what stretches of the program counted by themselves, which it names by client requests.
 *
 * COUNTING RULES   a region counts from the request that begins it, which is not in it, up to the one that ends it, which
 *                  is; each time it is entered adds to it. Regions may overlap and nest. A dump is what was counted since
 *                  the last dump, or since ZERO or the program's begin. The first process alone; in a region of one
 *                  thread is what others did meanwhile.
 * SOURCES          request numbers: valgrind.h and callgrind.h as installed by Valgrind 3.19; guest/client_request.c.
 */
#ifndef SOFTPMU_SESSION_REGIONS_H
#define SOFTPMU_SESSION_REGIONS_H

#include "session/session.h"
#include "trace/request.h"

struct ses_server;
struct ses_regions;

/* Returns 0 or -SPMU_ENOMEM. */
int ses_regions_open(struct ses_regions **out);
void ses_regions_close(struct ses_regions *r);

/* Thread `thread` of the program did `what` to the region `name`; the guest waits for an answer. Returns 0, -SPMU_ENOMEM,
 * or -SPMU_EINVAL when there is no such region, or too many. Cost: as ses_read(), and a search by name. */
int ses_regions_do(struct ses_regions *r, struct ses_server *s, enum req_region what, uint32_t thread, const char *name);

/* The program ended: fill result->region, in the order in which regions ended first. A region that was never ended
 * is not among them. Returns 0 or -SPMU_ENOMEM. */
int ses_regions_end(struct ses_regions *r, const struct ses_config *cfg, const struct wires *w, struct ses_result *result);

#endif
