/* client_request.h -- requests that the program makes to whoever runs it: Valgrind's sequence of
 * rotates and an exchange, which does nothing on a processor. */
#ifndef SOFTPMU_GUEST_CLIENT_REQUEST_H
#define SOFTPMU_GUEST_CLIENT_REQUEST_H

struct gst;

/* The program stands behind such a sequence: rAX has the address of six words, the request and
 * its arguments. What is no request of regions does nothing, as on a processor. */
void gst_client_request(struct gst *g);

#endif
