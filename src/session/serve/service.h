/* service.h -- the interface through which a server offers performance events to its guest.
 *
 * The server calls these functions when its guest asks, forks, executes a program or ends;
 * src/perfev implements them. There is one service per run. A forked server inherits it, and may
 * call any of its functions. Without this interface the session would depend on src/perfev, which
 * lies above it.
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

	/* Feed records to the model (ses_serve_feed_model()), in pieces if the service reads
	 * counts between them. Returns what mdl_feed() returns. */
	int (*feed)(void *ctx, struct ses_server *s, const uint8_t *bytes, size_t n);

	/* Called between any two tasks of the server. Must be cheap when there is nothing to
	 * do. */
	void (*look)(void *ctx, struct ses_server *s);

	/* forks: the guest is about to fork a child, with memory of its own or borrowed; called
	 * before its server forks. born: called first of all in the new server. */
	void (*forks)(void *ctx, struct ses_server *s);
	void (*born)(void *ctx, struct ses_server *s);

	/* A child that borrows the guest's memory begins, or has ended, or left for memory of
	 * its own. child: number of a child that has ended; 0 = it left, or is not known yet. */
	void (*vfork)(void *ctx, struct ses_server *s, bool begins, uint32_t child);

	/* The guest has slept: its time-stamp counter has advanced (--clock model). */
	void (*slept)(void *ctx, struct ses_server *s);

	/* The guest begins another program, before its first instruction. */
	void (*replaced)(void *ctx, struct ses_server *s);

	/* The guest ends, or is gone. May be called twice. */
	void (*ended)(void *ctx, struct ses_server *s);

	/* Returns true if a process of the run uses events. Then servers sleep briefly. */
	bool (*is_busy)(void *ctx);
};

#endif
