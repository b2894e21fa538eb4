/* fork.h -- processes that the program starts.
 *
 * RULE   before the kernel forks, softpmu has made the child's areas and a server for it; the
 *        child maps them over the inherited ones before it runs anything of the program.
 *        Everything else the child has is the kernel's copy. All signals that can wait are
 *        blocked meanwhile.
 */
#ifndef SOFTPMU_GUEST_FORK_H
#define SOFTPMU_GUEST_FORK_H

#include <stdint.h>

struct gst;

struct gst_birth;

/* A child with memory of its own. Returns as clone(2), or GST_NOT_STARTED. */
long gst_fork(struct gst *g, const struct gst_birth *c);

/* CLONE_SETTLS in the child; CLONE_CLEAR_SIGHAND, in its table and the kernel's. */
void gst_fork_tls(struct gst *g, const struct gst_birth *b);
void gst_fork_actions(struct gst *g, const struct gst_birth *b);

#endif
