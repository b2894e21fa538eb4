/* service.h -- what answers a guest's questions about performance events: a plug of the server.
 *
 * The server calls it where the guest's life takes a turn; src/perfev implements it. One service
 * per run: every server that is forked has it, too. All functions may be called in any of them.
 */
#ifndef SOFTPMU_SESSION_SERVICE_H
#define SOFTPMU_SESSION_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ses_server;

struct ses_service {
	void *ctx;

	/* REQ_PERF is in the box, and the guest has handed over its chunk. Returns enum
	 * req_answer. */
	uint32_t (*ask)(void *ctx, struct ses_server *s);

	/* Feed records to the model (ses_serve_feed_model), in pieces where the service wants to
	 * look between them. Returns what mdl_feed() returns. */
	int (*feed)(void *ctx, struct ses_server *s, const uint8_t *bytes, size_t n);

	/* Called between any two things that the server does. Must be cheap when there is
	 * nothing to do. */
	void (*look)(void *ctx, struct ses_server *s);

	/* The guest is about to fork (a child with memory of its own, or one that borrows it):
	 * before its server forks. Then in the new server, first of all. */
	void (*forks)(void *ctx, struct ses_server *s);
	void (*born)(void *ctx, struct ses_server *s);

	/* A child that borrows the guest's memory begins, or has ended or left. child: number of
	 * the one that has ended here, 0 = it left, or is not known yet. */
	void (*vfork)(void *ctx, struct ses_server *s, bool begins, uint32_t child);

	/* The guest has slept, and its time-stamp counter went on meanwhile (--clock model). */
	void (*slept)(void *ctx, struct ses_server *s);

	/* The guest executes another program; none of it has run yet. */
	void (*replaced)(void *ctx, struct ses_server *s);

	/* The guest ends, or is gone. May be called twice. */
	void (*ended)(void *ctx, struct ses_server *s);

	/* Does somebody in the run use it? Then servers do not sleep long. */
	bool (*is_busy)(void *ctx);
};

#endif
