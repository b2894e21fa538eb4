/* rights.h -- set-uid, set-gid and file capabilities of the program's file, which softpmu cannot
 * give it.
 *
 * RULE     The kernel executes the runtime's image, which has none of them, so the program keeps
 *          its caller's rights. A note says so, and only when the kernel would have changed them.
 * MODELLED the kernel's conditions: the owner is not the effective user; the group is not the
 *          effective group, and may execute; a capability that the bounding set has and the
 *          process has not; mounts with nosuid; no_new_privs.
 * NOT MODELLED  securebits; owners that a user namespace does not map.
 * SOURCES  execve(2), capabilities(7), linux/capability.h.
 */
#ifndef SOFTPMU_GUEST_RIGHTS_H
#define SOFTPMU_GUEST_RIGHTS_H

struct gst;

/* Look at the program's file, before it is loaded: sets shr_ctl.missed_rights. Cost: three
 * system calls for a plain file. */
void gst_rights_look(struct gst *g);

#endif
