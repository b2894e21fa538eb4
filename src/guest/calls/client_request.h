/* client_request.h -- requests of the program to the tool that runs it: Valgrind's sequence of
 * rotates and an exchange, which changes nothing on a processor. */
#ifndef SOFTPMU_GUEST_CLIENT_REQUEST_H
#define SOFTPMU_GUEST_CLIENT_REQUEST_H

struct gst;

/* The program has just executed such a sequence: rAX has the address of six words, the request and
 * its arguments. Does what a request about regions asks for, and nothing for any other. */
void gst_client_request(struct gst *g);

#endif
