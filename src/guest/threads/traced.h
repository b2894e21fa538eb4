/* traced.h -- the end of tracing: a traced thread goes on. */
#ifndef SOFTPMU_GUEST_TRACED_H
#define SOFTPMU_GUEST_TRACED_H

struct gst;
struct gst_process;
struct gst_thread;

/* The stopped thread t may have its turn again, and its tracer has no status to see. */
void gst_traced_go_on(struct gst_thread *t);

/* t, which has a tracer, has none from here on, and goes on. */
void gst_traced_detach(struct gst *g, struct gst_thread *t);

/* Process p ends: thread t is no longer traced if its tracer belongs to p, or if t does. */
void gst_traced_let_go(struct gst *g, struct gst_thread *t, const struct gst_process *p);

/* The holder of the baton ends: the threads that it traces go on. */
void gst_traced_leave(struct gst *g);

#endif
