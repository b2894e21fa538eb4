/* client_request.h -- requests of the program to the tool that runs it: Valgrind's sequence of
 * rotates and an exchange, which changes nothing on a processor. */
#ifndef SOFTPMU_GUEST_CLIENT_REQUEST_H
#define SOFTPMU_GUEST_CLIENT_REQUEST_H

struct gst;

/* The program has just executed this sequence. rAX has the address of six words, the request and
 * its arguments. A request about regions is done, if the run counts regions; any other keeps its
 * default answer. */
void gst_client_request(struct gst *g);

#endif
