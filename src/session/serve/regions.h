/* regions.h -- the counts of parts of the program, which it begins, ends and names by client
 * requests.
 *
 * COUNTING RULES   a region counts from the request that begins it, which is not in it, up to
 *                  the one that ends it, which is; each time it is entered adds to it. Regions
 *                  may overlap and nest. A region is of one thread and counts what that thread
 *                  does; the report adds up threads and processes by name. A forked child is in
 *                  the regions of the thread that forked it, from its birth on; exec ends all
 *                  without counting them. A dump is what all threads counted since the last
 *                  dump, or since ZERO or the program's begin.
 * NOT MODELLED     a child that borrows its parent's memory (vfork) names its parent's regions
 *                  until it executes a program.
 * SOURCES          request numbers: valgrind.h and callgrind.h as installed by Valgrind 3.19;
 *                  guest/calls/client_request.c.
 */
#ifndef SOFTPMU_SESSION_REGIONS_H
#define SOFTPMU_SESSION_REGIONS_H

#include "session/serve/family.h"
#include "session/session.h"
#include "trace/request.h"

struct mdl;
struct ses_threads;
struct ses_regions;

/* m: the model whose totals the regions are made of; borrowed. Returns 0 or -SPMU_ENOMEM. */
int ses_regions_open(struct mdl *m, struct ses_regions **out);
void ses_regions_close(struct ses_regions *r);

/* Thread `thread` of the program did `what` to the region `name`; what was executed until then is
 * in the models, and t has the accounts of threads. Returns 0, -SPMU_ENOMEM, or -SPMU_EINVAL if the
 * region does not exist, or there are too many. Cost: as ses_threads_settle(), and a search by
 * name. */
int ses_regions_do(struct ses_regions *r, struct ses_threads *t, enum req_region what,
		   uint32_t thread, const char *name);

/* The answer to a program that reads a region: how often the region was ended, how many events
 * there are, its seconds. counts[] gets the counts of the events, as many as there is room for. w:
 * the wires of the model. Returns 0, -SPMU_EINVAL or -SPMU_ENOMEM. */
struct ses_region_answer {
	uint64_t n_times, n_events;
	double seconds;
};
int ses_regions_get(const struct ses_regions *r, const struct ses_config *cfg,
		    const struct wires *w, uint32_t thread, const char *name, double *counts,
		    size_t room, struct ses_region_answer *answer);

/* Is the thread in the region of that name? */
bool ses_regions_are_open(const struct ses_regions *r, uint32_t thread, const char *name);

/* In the server of a new process, which thread `forker` of its parent has forked (UINT32_MAX:
 * another program begins). The accounts of threads begin anew in it, too
 * (ses_threads_restart()). */
void ses_regions_born(struct ses_regions *r, uint32_t forker);

/* The process executes another program: its open regions end without a count. Returns 0 or
 * -SPMU_ENOMEM. */
int ses_regions_replaced(struct ses_regions *r, struct ses_threads *t);

/* Hand the counts of all regions to tell(), in messages with the members of *m. Returns what it
 * returns when that is not 0. */
int ses_regions_tell(struct ses_regions *r, int (*tell)(void *ctx, const struct ses_message *m),
		     void *ctx, struct ses_message *m);

/* The run has ended: fill result->region with the regions of this server and of the messages in
 * *f, process by process, in the order of their first ends. A region that never ended is left out.
 * Returns 0 or -SPMU_ENOMEM. */
int ses_regions_end(struct ses_regions *r, const struct ses_config *cfg, const struct wires *w,
		    const struct ses_family *f, struct ses_result *result);

#endif
