/* gate.h -- switches counting on and off while the program runs: `--control` and `--delay`, as in
 * perf stat, and `--region`.
 *
 * COUNTING RULES   what is executed while the gate is shut is modelled, so that caches hold what
 *                  they would hold, but it is not counted. A command takes effect at the block that
 *                  the guest is executing, or at the system call that it is making (meet.h). A
 *                  program that writes the command itself and waits for the answer is counted
 *                  exactly to within some instructions. The gate is one for all processes of the
 *                  run, and takes effect in each where it stands. Accounts of threads, regions and
 *                  single processors stop as well.
 *                  With a region each process has a gate of its own, which is open while the thread
 *                  that runs is in the region (regions.h).
 * COMMANDS         lines "enable", "disable" and "ping". Each is answered by "ack" and a
 *                  newline, if there is a descriptor for answers. Other lines are ignored.
 * ORDER            a turn notes the totals at that moment. What was executed before and is not fed
 *                  yet would be counted on the other side of it, and no later call can tell.
 * SOURCES          perf-stat(1), --control and --delay.
 */
#ifndef SOFTPMU_SESSION_GATE_H
#define SOFTPMU_SESSION_GATE_H

#include <stdbool.h>

#include "session/totals/totals.h"

struct ses_server;

/* Of a run; session.h points to it. */
struct ses_gate_config {
	int commands, answers; /* descriptors to read from and to write to, borrowed; -1 = none */
	/* Milliseconds of host time until it opens; 0 = it is open, -1 = it is shut until the
	 * command "enable". */
	int delay_ms;
	const char *region; /* name of a region, borrowed; or NULL, and always with keeps_regions */
};

/* Of a server. All zero: nothing has happened yet. */
struct ses_gate {
	uint32_t turn; /* the value of ses_alarm.gate that this server has followed; odd = shut */
	bool is_shut;  /* the guest is not counted now */
	struct ses_totals from; /* the totals when it was last shut */
	struct ses_totals off;	/* counts of the times when it was shut, up to its last opening */
	/* from and off of each of several processors, WIRE_N each; owned, NULL with one
	 * processor. */
	uint64_t *cpu_from, *cpu_off;
	unsigned n_answers; /* in the first server: commands that are not answered yet */
};

/* In the first server, before its guest runs: shut the gate if the run begins with a delay, or
 * counts a region. Where memory is missing, the run is refused (ses_serve_refuse()). */
void ses_gate_start(struct ses_server *s);

/* Read commands (in the first server), and follow the run's gate if it has turned. Consumes the
 * guest's records. Cost without a gate: nothing. */
void ses_gate_look(struct ses_server *s);

/* Thread `thread` of the guest runs now, or has begun or ended a region: with a region, turn the
 * gate as that thread wants it. All records up to here have been fed. */
void ses_gate_follow(struct ses_server *s, uint32_t thread);

/* In a new server, whose guest has counted nothing since `base`. */
void ses_gate_born(struct ses_server *s, const struct ses_totals *base);

/* Free what it owns. */
void ses_gate_close(struct ses_gate *g);

/* *off becomes what was executed while the gate was shut, up to the present totals *now. */
void ses_gate_off(const struct ses_server *s, const struct ses_totals *now, struct ses_totals *off);

/* Subtract from wire[WIRE_N], the present totals, what was executed while the gate was shut. */
void ses_gate_take_off(const struct ses_server *s, uint64_t *wire);

/* At the guest's end, once: subtract from the server's totals *t what was executed while the gate
 * was shut. It adds the last of these times to `off`, so a second call would take it off twice. */
void ses_gate_end(struct ses_server *s, struct ses_totals *t);

#endif
