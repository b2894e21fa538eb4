/* kill.h -- signals that the runtime sends to threads of the program.
 *
 * RULE   when a thread sends a signal to another one of its own process, the sender goes on when
 *        the receiver has noted it. So it does not depend on the host when the receiver sees the
 *        signal. A signal to the process as a whole goes to the thread with the lowest number that
 *        does not block it.
 */
#ifndef SOFTPMU_GUEST_KILL_H
#define SOFTPMU_GUEST_KILL_H

#include <stdint.h>

struct gst;
struct gst_siginfo;
struct gst_thread;

/* Returns 1 if the runtime's handler will get signal `sig` on thread t as soon as it is sent. */
int gst_kill_arrives(struct gst *g, const struct gst_thread *t, uint64_t sig);

/* Wait until thread t has noted the signal that was sent to it. */
void gst_kill_await(const struct gst_thread *t);

/* Returns the first thread that takes `sig`; NULL: the kernel keeps it until one does. */
struct gst_thread *gst_kill_taker(struct gst *g, uint64_t sig);

/* Send `sig` with *info to thread t as if the process had got it. Returns 0 or -errno. */
long gst_kill_info(struct gst *g, struct gst_thread *t, uint64_t sig,
		   const struct gst_siginfo *info);

/* Send `info` to thread tid of the program, or by 0 to the process, as its own kill() and
 * tgkill() do. It has been noted, or is pending, when this returns. */
void gst_kill_send(struct gst *g, int32_t tid, const struct gst_siginfo *info);

#endif
