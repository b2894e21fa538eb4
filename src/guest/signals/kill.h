/* kill.h -- signals that the runtime sends to the program. */
#ifndef SOFTPMU_GUEST_KILL_H
#define SOFTPMU_GUEST_KILL_H

#include <stdint.h>

struct gst;
struct gst_siginfo;

/* Send `info` to thread tid of the program, or by 0 to the process, as its own kill() and
 * tgkill() do. It has been noted, or is pending, when this returns. */
void gst_kill_send(struct gst *g, int32_t tid, const struct gst_siginfo *info);

#endif
