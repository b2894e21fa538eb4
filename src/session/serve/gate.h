/* gate.h -- counting that is switched on and off while the program runs: `stat --control` and
 * `--delay`, as perf stat has them.
 *
 * COUNTING RULES   what is executed while the gate is shut is modelled, so that caches hold what
 *                  they would hold, but not counted. The gate turns at the block that the guest
 *                  executes or at the system call in which it is (meet.h): a program that writes
 *                  the command itself and waits for the answer is counted to within some
 *                  instructions. All processes of the run obey, each where it stands.
 * COMMANDS         lines "enable", "disable" and "ping"; each is answered by "ack" and a newline
 *                  where there is somebody to tell. Other lines are ignored. Accounts of
 *                  threads, regions and single processors stand still as well.
 * SOURCES          perf-stat(1), --control and --delay.
 */
#ifndef SOFTPMU_SESSION_GATE_H
#define SOFTPMU_SESSION_GATE_H

#include <stdbool.h>

#include "session/totals/totals.h"

struct ses_server;

/* Of a run; session.h points to it. */
struct ses_gate_config {
	int commands, answers; /* descriptors to read and to write, borrowed; -1 = none */
	int delay_ms;
			 /* milliseconds of the host until it opens; 0 = open, -1 = shut until somebody says "enable" */
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_gate {
	uint32_t turn;          /* of the run's gate that this server has come to; odd: shut */
	struct ses_totals from; /* what was counted when it was shut last */
	struct ses_totals off;  /* what was counted behind it */
	/* the same of each of several processors, WIRE_N each; owned, NULL: there is one */
	uint64_t *cpu_from, *cpu_off;
	unsigned n_answers;     /* commands of the first server's that were not answered yet */
};

/* The first server, before its guest runs. */
void ses_gate_start(struct ses_server *s);

/* Look for commands (the first server) and for what has changed. The guest's records are
 * consumed as far as there are any. Cost without a gate: nothing. */
void ses_gate_look(struct ses_server *s);

/* A new server, whose guest has counted nothing since `base`. */
void ses_gate_born(struct ses_server *s, const struct ses_totals *base);

/* Free what it owns. */
void ses_gate_close(struct ses_gate *g);

/* Take what was counted behind the gate up to now off wire[WIRE_N], totals of now. */
void ses_gate_take_off(const struct ses_server *s, uint64_t *wire);

/* Take what was executed behind the gate off the server's totals at its end. */
void ses_gate_end(struct ses_server *s, struct ses_totals *t);

#endif
